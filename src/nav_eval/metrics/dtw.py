"""Dynamic time warping between an agent's path and the reference: exact, and fastdtw as VLN-CE scores with it.

Exact DTW is the default; it grows by the row that an episode's alignment keeps (kernels/rows.py). `fastdtw` is the
approximation of Salvador & Chan 2007 as the PyPI package of that name computes it (VLN-CE calls it with radius 1):
align at half the resolution, then refine near that path.
Importing this module loads numba; nav_eval.metrics.reference does so only where points are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nav_eval.metrics.functional import not_nan
from nav_eval.metrics.kernels.fastdtw import dtw_window, widened
from nav_eval.metrics.kernels.rows import align_point, first_row


def dtw_points(agent: ArrayLike, reference: ArrayLike) -> float:
    """Exact DTW between (T, 3) and (R, 3) points (m) under Euclidean distance; inf where either is empty."""
    agent, reference = _points(agent), _points(reference)
    row = first_row(len(reference))
    for point in agent:
        align_point(row, reference, *point)
    return not_nan(float(row[-1])) if len(agent) and len(reference) else np.inf


def fastdtw_points(agent: ArrayLike, reference: ArrayLike, radius: int = 1) -> float:
    """fastdtw between (T, 3) and (R, 3) points (m); at least the exact value; inf where either is empty or not finite.

    The order of the arguments matters. Raises ValueError for a radius below 1.
    """
    if radius < 1:
        raise ValueError(f"fastdtw needs a radius of at least 1, not {radius}.")
    agent, reference = _points(agent), _points(reference)
    return _coarse_to_fine(agent, reference, radius)[0] if _measurable(agent) and _measurable(reference) else np.inf


def _measurable(points: np.ndarray) -> bool:
    # Without finite distances there is no path to refine.
    return len(points) > 0 and bool((np.abs(points) < 1e150).all())


def _coarse_to_fine(agent: np.ndarray, reference: np.ndarray, radius: int) -> tuple[float, np.ndarray]:
    n, m = len(agent), len(reference)
    if min(n, m) < radius + 2:
        low, high = np.zeros(n, dtype=np.int64), np.full(n, m)
    else:
        _, path = _coarse_to_fine(_halve(agent), _halve(reference), radius)
        low, high = widened(path, n, m, radius)
    return dtw_window(agent, reference, low, high)


def _halve(points: np.ndarray) -> np.ndarray:
    even = len(points) // 2 * 2
    return np.ascontiguousarray((points[0:even:2] + points[1:even:2]) / 2)


def _points(points: ArrayLike) -> np.ndarray:
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim == 2 and array.shape[1] == 3:
        return array
    if array.size == 0:
        return array.reshape(0, 3)
    raise ValueError(f"a path is an array of shape (points, 3), not {array.shape}.")
