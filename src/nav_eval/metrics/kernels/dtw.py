"""Dynamic time warping, compiled. Imported only where points are compared: on graphs plain Python is enough.

A DTW row has one entry per reference point and one before them; [0, inf, ..., inf] is the state before the first
agent point, so that the recurrence cost + min(up, left, diagonal) needs no special case (Sakoe & Chiba 1978).
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.jit import kernel

_POINTS = "float64[:, ::1]"


@kernel(f"float64({_POINTS}, int64, float64, float64, float64)")
def _distance(points: np.ndarray, j: int, x: float, y: float, z: float) -> float:
    dx, dy, dz = x - points[j, 0], y - points[j, 1], z - points[j, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel(f"void(float64[::1], {_POINTS}, float64, float64, float64)")
def align_point(row: np.ndarray, reference: np.ndarray, x: float, y: float, z: float) -> None:
    """Extend a DTW row (R + 1,) in place by one agent point; `reference` (R, 3), m."""
    diagonal, left = row[0], math.inf
    row[0] = math.inf
    for j in range(reference.shape[0]):
        up = row[j + 1]
        best = up if up < diagonal else diagonal
        best = left if left < best else best
        left = _distance(reference, j, x, y, z) + best
        row[j + 1] = left
        diagonal = up


@kernel(f"void(float64[::1], {_POINTS}, float64, float64, float64)")
def approach_point(nearest: np.ndarray, reference: np.ndarray, x: float, y: float, z: float) -> None:
    """Lower `nearest` (R,) in place to the distances from one agent point; `reference` (R, 3), m."""
    for j in range(reference.shape[0]):
        distance = _distance(reference, j, x, y, z)
        nearest[j] = distance if distance < nearest[j] else nearest[j]


@kernel(f"{_POINTS}({_POINTS}, boolean)")
def _columns(points: np.ndarray, reverse: bool) -> np.ndarray:
    size = points.shape[0]
    columns = np.empty((3, size))
    for i in range(size):
        k = size - 1 - i if reverse else i
        columns[0, i], columns[1, i], columns[2, i] = points[k, 0], points[k, 1], points[k, 2]
    return columns


@kernel(f"float64({_POINTS}, {_POINTS})")
def dtw_points(agent: np.ndarray, reference: np.ndarray) -> float:
    """Exact DTW between (T, 3) and (R, 3) points under Euclidean distance, m; both hold at least one.

    Goes by anti-diagonals, whose cells do not depend on each other, so that the compiler uses vector instructions;
    each cell is the same sum as in align_point. Cell (i, j) of diagonal d = i + j lies at index i + 1 of its buffer.
    Indices are unsigned: numba would otherwise allow for negative ones in each access, which costs a factor of 3.
    """
    one, n, m = np.uint64(1), np.uint64(agent.shape[0]), np.uint64(reference.shape[0])
    a, r = _columns(agent, False), _columns(reference, True)
    ax, ay, az, rx, ry, rz = a[0], a[1], a[2], r[0], r[1], r[2]
    buffers = np.full((3, n + one), math.inf)
    last, before, now = buffers[0], buffers[1], buffers[2]
    before[0] = 0.0
    for d in range(n + m - one):
        first = d + one - m if d + one > m else np.uint64(0)
        end = d + one if d + one < n else n
        for i in range(first, end):
            k = m - one + i - d
            dx, dy, dz = ax[i] - rx[k], ay[i] - ry[k], az[i] - rz[k]
            best = last[i] if last[i] < before[i] else before[i]
            best = last[i + one] if last[i + one] < best else best
            now[i + one] = math.sqrt(dx * dx + dy * dy + dz * dz) + best
        before[0] = math.inf
        last, before, now = now, last, before
    return float(last[n])


@kernel("float64(float64[:, ::1])")
def dtw_matrix(distances: np.ndarray) -> float:
    """Exact DTW over a (T, R) matrix of distances; inf where it is empty."""
    row = np.full(distances.shape[1] + 1, math.inf)
    row[0] = 0.0
    for i in range(distances.shape[0]):
        diagonal, left = row[0], math.inf
        row[0] = math.inf
        for j in range(distances.shape[1]):
            up = row[j + 1]
            best = up if up < diagonal else diagonal
            best = left if left < best else best
            left = distances[i, j] + best
            row[j + 1] = left
            diagonal = up
    return float(row[-1]) if distances.size else math.inf


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


@kernel(f"Tuple((float64, int64[:, ::1]))({_POINTS}, {_POINTS}, int64[::1], int64[::1])")
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
            cost = _distance(reference, j, agent[i, 0], agent[i, 1], agent[i, 2])
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
