"""Exact dynamic time warping of whole paths (Sakoe & Chiba 1978)."""

from __future__ import annotations

import math

import numpy as np

from nav_eval.jit import kernel
from nav_eval.metrics.kernels.rows import POINTS


@kernel(f"{POINTS}({POINTS}, boolean)")
def _columns(points: np.ndarray, reverse: bool) -> np.ndarray:
    size = points.shape[0]
    columns = np.empty((3, size))
    for i in range(size):
        k = size - 1 - i if reverse else i
        columns[0, i], columns[1, i], columns[2, i] = points[k, 0], points[k, 1], points[k, 2]
    return columns


@kernel(f"float64({POINTS}, {POINTS})")
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
