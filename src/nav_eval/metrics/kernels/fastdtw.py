"""The two steps of fastdtw (Salvador & Chan 2007): align within a window, and widen a coarse path to a window."""

from __future__ import annotations

import math

import numpy as np

from nav_eval.jit import kernel
from nav_eval.metrics.kernels.rows import POINTS, distance_to


@kernel("int64[:, ::1](uint8[:, ::1], int64[::1], int64, int64)")
def _path(came_from: np.ndarray, low: np.ndarray, n: int, m: int) -> np.ndarray:
    path = np.empty((n + m, 2), dtype=np.int64)
    i, j, size = n - 1, m - 1, 0
    while i >= 0 and j >= 0:
        size += 1
        path[n + m - size] = (i, j)
        choice = came_from[i, j - low[i]]
        i, j = i - (choice != 1), j - (choice != 0)
    return path[n + m - size :].copy()


@kernel(f"Tuple((float64, int64[:, ::1]))({POINTS}, {POINTS}, int64[::1], int64[::1])")
def dtw_window(agent: np.ndarray, reference: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, np.ndarray]:
    """DTW where agent point i may meet reference points low[i] to high[i] - 1 only: (cost, (K, 2) path).

    Of equally cheap predecessors the one before in the agent's path is taken, then the one before in the reference,
    then the one before in both, so that the path is that of the fastdtw package.
    """
    n, m = agent.shape[0], reference.shape[0]
    above, row = np.full(m + 1, math.inf), np.full(m + 1, math.inf)
    above[0] = 0.0
    came_from = np.zeros((n, np.max(high - low)), dtype=np.uint8)
    for i in range(n):
        row[:] = math.inf
        for j in range(low[i], high[i]):
            cost = distance_to(reference, j, agent[i, 0], agent[i, 1], agent[i, 2])
            best, choice = above[j + 1] + cost, 0
            if row[j] + cost < best:
                best, choice = row[j] + cost, 1
            if above[j] + cost < best:
                best, choice = above[j] + cost, 2
            row[j + 1] = best
            came_from[i, j - low[i]] = choice
        above, row = row, above
    return float(above[m]), _path(came_from, low, n, m)


@kernel("Tuple((int64[::1], int64[::1]))(int64[:, ::1], int64, int64, int64)")
def widened(path: np.ndarray, n: int, m: int, radius: int) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of an n x m window: every cell of a path at half the resolution, and `radius` such cells around."""
    low, high = np.full(n, m), np.zeros(n, dtype=np.int64)
    for k in range(path.shape[0]):
        first, last = 2 * (path[k, 0] - radius), 2 * (path[k, 0] + radius) + 1
        for i in range(max(first, 0), min(last + 1, n)):
            low[i] = min(low[i], max(2 * (path[k, 1] - radius), 0))
            high[i] = max(high[i], min(2 * (path[k, 1] + radius) + 2, m))
    return low, high
