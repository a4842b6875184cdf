"""What a step of the agent does to an alignment and to the least distances: one row each, in place.

A DTW row has one entry per reference point and one before them; [0, inf, ..., inf] is the state before the first
agent point, so that the recurrence cost + min(up, left, diagonal) needs no special case (Sakoe & Chiba 1978).
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.jit import kernel

POINTS = "float64[:, ::1]"


def first_row(size: int) -> np.ndarray:
    """(size + 1,): the state before the first agent point, for a reference of `size` points."""
    row = np.full(size + 1, math.inf)
    row[0] = 0.0
    return row


@kernel(f"float64({POINTS}, int64, float64, float64, float64)")
def distance_to(points: np.ndarray, j: int, x: float, y: float, z: float) -> float:
    dx, dy, dz = x - points[j, 0], y - points[j, 1], z - points[j, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel(f"void(float64[::1], {POINTS}, float64, float64, float64)")
def align_point(row: np.ndarray, reference: np.ndarray, x: float, y: float, z: float) -> None:
    """Extend a DTW row (R + 1,) in place by one agent point; `reference` (R, 3), m."""
    diagonal, left = row[0], math.inf
    row[0] = math.inf
    for j in range(reference.shape[0]):
        up = row[j + 1]
        best = up if up < diagonal else diagonal
        best = left if left < best else best
        left = distance_to(reference, j, x, y, z) + best
        row[j + 1] = left
        diagonal = up


@kernel(f"void(float64[::1], {POINTS}, float64, float64, float64)")
def approach_point(nearest: np.ndarray, reference: np.ndarray, x: float, y: float, z: float) -> None:
    """Lower `nearest` (R,) in place to the distances from one agent point; `reference` (R, 3), m."""
    for j in range(reference.shape[0]):
        gap = distance_to(reference, j, x, y, z)
        nearest[j] = gap if gap < nearest[j] else nearest[j]
