"""Runs of one agent with different seeds, `agent@1`, `agent@2`, ...: one entry, whose figure is their mean.

The best of several runs is told nowhere: it grows with their number, whatever the agent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from nav_eval.results.compare import RunRecords, require_comparable


def agent_of(name: str) -> str:
    """What a run directory's name says before "@"; the whole where it names no seed."""
    path = PurePath(name)
    agent, _, seed = path.name.rpartition("@")
    return str(path.with_name(agent)) if agent and seed else name


def grouped(runs: Sequence[RunRecords]) -> list[RunRecords]:
    """One entry per agent, in the order of the first of its runs.

    Raises RunDirectoryError for runs of one agent that differ in rules or episodes.
    """
    groups: dict[tuple[str, int], list[RunRecords]] = {}
    for place, run in enumerate(runs):
        name = agent_of(run.name)
        # What names no seed stands for itself, also where it is named twice.
        groups.setdefault((name, place if name == run.name else -1), []).append(run)
    return [_entry(name, group) if len(group) > 1 else group[0] for (name, _), group in groups.items()]


def _entry(name: str, seeds: Sequence[RunRecords]) -> RunRecords:
    for other in seeds[1:]:
        require_comparable(seeds[0], other)
    episodes = {key: _means([one.episodes[key] for one in seeds]) for key in seeds[0].episodes}
    well = max((one.played_well for one in seeds if one.played_well is not None), default=None)
    return RunRecords(name, episodes, seeds[0].metadata, seeds[0].definitions, seeds, well)


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the numbers that every seed has."""
    shared = [name for name in rows[0] if all(isinstance(row.get(name), int | float) for row in rows)]
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in shared}
