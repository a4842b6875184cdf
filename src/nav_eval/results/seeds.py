"""Runs of one agent with different seeds, `agent@1`, `agent@2`, ...: one entry, whose figure is their mean.

The best of several runs is told nowhere: it grows with their number, whatever the agent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import RunRecords, require_comparable


def agent_of(name: str) -> str:
    """What a run directory's name says before "@"; the whole where it names no seed."""
    path = PurePath(name)
    agent, _, seed = path.name.rpartition("@")
    return str(path.with_name(agent)) if agent and seed else name


def played_by(manifest: Mapping[str, Any]) -> str | None:
    """What the agent of a run calls itself, or was called; None in manifests that do not say."""
    name = manifest.get("service", {}).get("name") or manifest.get("agent")
    return None if name is None else str(name)


def by_agent(names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Each agent's name and the places of its runs, in the order of its first one.

    What names no seed stands for itself, also where it is named twice.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    for place, name in enumerate(names):
        agent = agent_of(name)
        groups.setdefault((agent, place if agent == name else -1), []).append(place)
    return [(agent, places) for (agent, _), places in groups.items()]


def grouped(runs: Sequence[RunRecords]) -> list[RunRecords]:
    """One entry per agent, in the order of the first of its runs.

    Raises RunDirectoryError for runs of one agent that differ in rules or episodes, that another agent played, and for
    one that is named twice.
    """
    groups = [(name, [runs[i] for i in places]) for name, places in by_agent([run.name for run in runs])]
    return [_entry(name, group) if len(group) > 1 else group[0] for name, group in groups]


def _entry(name: str, seeds: Sequence[RunRecords]) -> RunRecords:
    first, seen = seeds[0], {seeds[0].name}
    for other in seeds[1:]:
        require_comparable(first, other)
        if other.agent != first.agent:
            raise RunDirectoryError(
                f"{first.name} and {other.name} are called seeds of one agent, but {first.agent} played the one and "
                f"{other.agent} the other. Rename one."
            )
        if other.name in seen:
            raise RunDirectoryError(f"{other.name} is named twice. A seed counts once.")
        seen.add(other.name)
    episodes = {key: _means([one.episodes[key] for one in seeds]) for key in first.episodes}
    well = max((one.played_well for one in seeds if one.played_well is not None), default=None)
    return RunRecords(name, episodes, first.metadata, first.definitions, seeds, well, first.agent)


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the numbers that every seed has."""
    shared = [name for name in rows[0] if all(isinstance(row.get(name), int | float) for row in rows)]
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in shared}
