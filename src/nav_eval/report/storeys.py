"""Which storeys a building has, from the heights of its floor: one map is drawn for each.

The height that holds most floor is a storey; what lies within half a storey of it is stairs and steps that belong to
it; then the same again with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

BIN = 0.1
SPREAD = 0.3
REACH = 1.6
MIN_SHARE = 0.015
MAX_STOREYS = 12


def find_storeys(heights: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> list[float]:
    """Heights (m) of the storeys, lowest first, from (N,) floor heights and their areas; none for no floor."""
    y = np.asarray(heights, np.float64)
    share = np.ones(len(y)) if weights is None else np.asarray(weights, np.float64).copy()
    total = share.sum()
    found: list[float] = []
    while len(found) < MAX_STOREYS and share.any():
        level, held = _fullest(y, share)
        if held < MIN_SHARE * total:
            break
        found.append(level)
        share[np.abs(y - level) <= REACH] = 0
    return sorted(found)


def _fullest(y: npt.NDArray[np.float64], share: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The height around which most floor lies, and how much."""
    base = y.min()
    bins = np.bincount(((y - base) / BIN).astype(int), weights=share)
    width = round(SPREAD / BIN)
    window = np.convolve(bins, np.ones(2 * width + 1), "same") if len(bins) > 2 * width else bins
    centre = base + (int(np.argmax(window)) + 0.5) * BIN
    near = np.flatnonzero(np.abs(y - centre) <= SPREAD + BIN)
    order = near[np.argsort(y[near], kind="stable")]
    below = np.cumsum(share[order])
    # The median, so that a table top beside the floor does not lift the storey.
    return float(y[order[np.searchsorted(below, below[-1] / 2)]]), float(below[-1])


def storey_of(height: float, storeys: Sequence[float]) -> int:
    """Index of the storey that a height (m) belongs to: the nearest one. The agent's feet stand on it or above it."""
    return min(range(len(storeys)), key=lambda i: abs(storeys[i] - height), default=0)
