"""Runs of one agent with different seeds as one row of a table: their mean, its interval, the spread between seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nav_eval.report.board import Board
from nav_eval.report.source import Run
from nav_eval.results.compare import RunRecords, seed_spread, with_seeds
from nav_eval.results.seeds import agent_of, grouped


def together(runs: Sequence[Run], board: Board) -> tuple[list[Run], Board]:
    """One run for each agent, and the same board of them.

    Raises RunDirectoryError for runs of one agent that differ in episodes.
    """
    groups: dict[str, list[int]] = {}
    for i in board.order:
        groups.setdefault(agent_of(str(runs[i].path)), []).append(i)
    rows = [_row(name, [runs[i] for i in group]) for name, group in groups.items()]
    return rows, replace(board, order=tuple(range(len(rows))))


def _row(name: str, seeds: Sequence[Run]) -> Run:
    if len(seeds) == 1:
        return seeds[0]
    records = [
        RunRecords(str(one.path), {key: result.metrics for key, result in one.results.items()}, {}, one.definitions)
        for one in seeds
    ]
    (entry,) = grouped(records)
    first = seeds[0]
    shared = [name for name in first.summary["metrics"] if all(name in one.summary["metrics"] for one in seeds)]
    metrics = {name: _summary(entry, name, [one.summary["metrics"][name] for one in seeds]) for name in shared}
    counts = {name: sum(one.summary[name] for one in seeds) for name in ("n_failed",)}
    return replace(first, path=Path(name), summary={**first.summary, **counts, "metrics": metrics}, seeds=tuple(seeds))


def _summary(entry: RunRecords, name: str, told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A metric's entry in results.json, of the mean over seeds; `spread`: the standard deviation of their means."""
    means = [one["mean"] for one in told if one["mean"] is not None]
    if len(means) < len(told):
        return {**told[0], "mean": None, "ci95": None, "ci95_scenes": None}
    mean = math.fsum(means) / len(means)
    nonfinite = max(one["n_nonfinite"] for one in told)
    spread = {"spread": seed_spread(entry, name), "n_nonfinite": nonfinite, "ci95_scenes": None}
    return {**told[0], "mean": mean, "ci95": with_seeds(entry, name), **spread}
