"""Runs of one agent with different seeds as one row of a table: their mean, its interval, the spread between seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.core.definitions import Definition
from nav_eval.report.board import Board
from nav_eval.report.figures import Group, Numbers
from nav_eval.report.source import Run
from nav_eval.results.compare import RunRecords, seed_spread, with_seeds
from nav_eval.results.seeds import by_agent, grouped, played_by


def together(entries: Sequence[tuple[list[int], Run]], board: Board) -> tuple[list[Run], Board]:
    """Of `agents` one run for each, and the same board of them."""
    rows = [row for _, row in sorted(entries, key=lambda entry: min(map(board.order.index, entry[0])))]
    return rows, replace(board, order=tuple(range(len(rows))))


def agents(runs: Sequence[Run]) -> list[tuple[list[int], Run]]:
    """For each agent the places of its runs, and its run, or what they are together.

    Raises RunDirectoryError for runs of one agent that differ in episodes.
    """
    named = by_agent([str(run.path) for run in runs])
    return [(places, _row(name, [runs[i] for i in places])) for name, places in named]


def mean_in_group(seeds: Sequence[Numbers], group: Group, name: str, definition: Definition) -> list[float | None]:
    """A metric of one agent's runs in a group of episodes: mean, interval, and how many episodes all of them have."""
    columns = np.array([one[name][group.rows] for one in seeds])
    columns = columns[:, np.isfinite(columns).all(axis=0)]
    if not columns.size:
        return [None, None, None, 0]
    runs = [
        RunRecords(f"agent@{i}", {("", str(k)): {name: float(v)} for k, v in enumerate(one)}, {}, {name: definition})
        for i, one in enumerate(columns)
    ]
    low, high = with_seeds(grouped(runs)[0], name) or (None, None)
    return [math.fsum(columns.flat) / columns.size, low, high, columns.shape[1]]


def _row(name: str, seeds: Sequence[Run]) -> Run:
    if len(seeds) == 1:
        return seeds[0]
    (entry,) = grouped([_records(one) for one in seeds])
    first = seeds[0]
    shared = [name for name in first.summary["metrics"] if all(name in one.summary["metrics"] for one in seeds)]
    metrics = {name: _summary(entry, name, [one.summary["metrics"][name] for one in seeds]) for name in shared}
    counts = {name: sum(one.summary[name] for one in seeds) for name in ("n_failed",)}
    return replace(first, path=Path(name), summary={**first.summary, **counts, "metrics": metrics}, seeds=tuple(seeds))


def _records(run: Run) -> RunRecords:
    episodes = {key: result.metrics for key, result in run.results.items()}
    return RunRecords(str(run.path), episodes, {}, run.definitions, agent=played_by(run.manifest))


def _summary(entry: RunRecords, name: str, told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A metric's entry in results.json, of the mean over seeds; `spread`: the standard deviation of their means."""
    means = [one["mean"] for one in told if one["mean"] is not None]
    if len(means) < len(told):
        return {**told[0], "mean": None, "ci95": None, "ci95_scenes": None}
    mean = math.fsum(means) / len(means)
    nonfinite = max(one["n_nonfinite"] for one in told)
    spread = {"spread": seed_spread(entry, name), "n_nonfinite": nonfinite, "ci95_scenes": None}
    return {**told[0], "mean": mean, "ci95": with_seeds(entry, name), **spread}
