"""What perturbations cost: the same episodes played clean and perturbed, compared episode by episode.

A cell is one perturbation at one severity. Its cost is the paired difference of results/compare.py, with p also after
Holm's correction (Holm 1979) over all cells. One number sums up an axis, and one all of them: the share of the clean
figure that is left, the mean over severities (then over axes) of perturbed / clean, with a bootstrap over buildings
drawn whole. That is the relative performance under corruption, rPC, of Michaelis et al. (arXiv:1907.07484), per axis
the resilience rate of RoboBEV (Xie et al., 2023).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.results.compare import RunRecords, difference, require_comparable
from nav_eval.results.statistics import Interval, percentile_interval

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Cell:
    """One perturbation at one severity, played. `reworded`: episodes told otherwise; None where no words change."""

    name: str
    severity: int
    run: RunRecords
    reworded: int | None = None


@dataclass(frozen=True, slots=True)
class Retained:
    """Share of the clean figure that is left (1: nothing lost), with its 95 % interval; None: cannot be said."""

    value: float | None
    ci95: Interval | None


def robustness(
    clean: RunRecords, cells: Sequence[Cell], metrics: Sequence[str], higher: Collection[str], seed: int = 0
) -> dict[str, Any]:
    """Axes with their cells, and what is left of each metric of `higher` (those of which more is better).

    Raises RunDirectoryError where a cell was not played on the clean run's episodes.
    """
    for cell in cells:
        require_comparable(clean, cell.run)
    costs = {(cell.name, cell.severity): _costs(clean, cell, metrics) for cell in cells}
    _correct(costs, metrics)
    axes = list(dict.fromkeys(cell.name for cell in cells))
    by_axis = {axis: [cell for cell in cells if cell.name == axis] for axis in axes}
    return {
        "axes": [
            {
                "name": axis,
                "cells": [_cell(one, costs[one.name, one.severity]) for one in by_axis[axis]],
                "retained": _retention(clean, [by_axis[axis]], higher, seed),
            }
            for axis in axes
        ],
        "retained": _retention(clean, list(by_axis.values()), higher, seed),
    }


def _cell(cell: Cell, costs: Mapping[str, Any]) -> dict[str, Any]:
    told = {} if cell.reworded is None else {"reworded": cell.reworded}
    return {"severity": cell.severity, "run": cell.run.name, **told, "metrics": dict(costs)}


def _costs(clean: RunRecords, cell: Cell, metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "clean": row["mean_first"],
            "mean": row["mean_second"],
            **{key: row[key] for key in ("difference", "ci95", "p", "test", "n", "n_nonfinite")},
            "p_holm": row["p"],
        }
        for name in metrics
        for row in (asdict(difference(clean, cell.run, name)),)
    }


def _correct(costs: Mapping[Any, dict[str, dict[str, Any]]], metrics: Sequence[str]) -> None:
    """Holm's correction over the cells, for each metric on its own."""
    for name in metrics:
        rows = [cell[name] for cell in costs.values() if cell[name]["p"] is not None]
        for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
            row["p_holm"] = adjusted


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down correction of p values, in their own order."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = highest
    return adjusted


def _retention(
    clean: RunRecords, axes: Sequence[Sequence[Cell]], higher: Collection[str], seed: int
) -> dict[str, dict[str, Any]]:
    keys = sorted(clean.episodes)
    scenes = [key[0] for key in keys]
    found = {}
    for name in sorted(higher):
        before = [clean.episodes[key][name] for key in keys]
        after = [[[cell.run.episodes[key][name] for key in keys] for cell in axis] for axis in axes]
        found[name] = asdict(retained(before, after, scenes, seed))
    return found


def retained(clean: ArrayLike, perturbed: Sequence[Sequence[ArrayLike]], scenes: ArrayLike, seed: int = 0) -> Retained:
    """Of (N,) clean values and those of each axis and severity; `scenes` (N,): the buildings that are drawn whole.

    None for a clean mean of 0. No interval below two episodes, or where 2.5 % of the draws have a clean mean of 0.
    Episodes where all share one building are drawn one by one.
    """
    before = np.asarray(clean, np.float64)
    after = np.mean([np.mean([np.asarray(one, np.float64) for one in axis], axis=0) for axis in perturbed], axis=0)
    whole = math.fsum(before)
    if not math.isfinite(whole) or whole == 0 or not np.isfinite(after).all():
        return Retained(None, None)
    return Retained(math.fsum(after) / whole, _interval(before, after, np.asarray(scenes), seed))


def _interval(before: NDArray[Any], after: NDArray[Any], scenes: NDArray[Any], seed: int) -> Interval | None:
    if before.size < 2:
        return None
    labels = np.unique(scenes, return_inverse=True)[1]
    if not labels.any():
        labels = np.arange(before.size)
    sums = np.stack([np.bincount(labels, weights=values) for values in (before, after)])
    drawn = np.random.default_rng(seed).integers(0, sums.shape[1], (RESAMPLES, sums.shape[1]))
    bottom, top = sums[0][drawn].sum(axis=1), sums[1][drawn].sum(axis=1)
    told = bottom != 0
    return percentile_interval(top[told] / bottom[told]) if (~told).mean() < 0.025 else None
