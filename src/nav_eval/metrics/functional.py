"""The formulas of the metrics, as pure functions of plain numbers: metres in, metres or shares out, NaN never.

Sources: SPL, Anderson et al. 2018 (arXiv 1807.06757); soft SPL, Habitat-Lab; STL, iGibson Challenge 2021; CLS and
path coverage, Jain et al. 2019 (arXiv 1905.12255); nDTW and SDTW, Magalhaes et al. 2019 (arXiv 1907.05446); goal
progress, Thomason et al. 2019.
A distance that does not exist is inf, and where a formula has no value (a start on its goal, a goal that cannot be
reached) the answer is fixed here, the same for every metric. nav_eval.metrics.dtw holds the alignments themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nav_eval.geometry import Vec3, euclidean, total


def not_nan(distance: float) -> float:
    """`distance` (m), or inf where it is not a number."""
    return distance if distance == distance else math.inf


def success(distance: float, threshold: float, stopped: bool = True) -> float:
    """1.0 if the agent stopped strictly nearer than `threshold` (m) to a goal, else 0.0."""
    return 1.0 if stopped and distance < threshold else 0.0


def spl(success: float, shortest: float, length: float) -> float:
    """Success weighted by path length. `shortest`: geodesic from the start to the nearest goal, m; `length`: walked, m.

    An agent that starts on its goal (`shortest` 0) gets its success only if it stays there; an unreachable goal is 0.
    """
    return success * _efficiency(shortest, length) if success > 0 else 0.0


def stl(success: float, shortest: float, seconds: float) -> float:
    """Success weighted by time length: SPL with seconds; `shortest`: those of the shortest way at full speed."""
    return success * _efficiency(shortest, seconds) if success > 0 else 0.0


def time_lost(seconds: float, gained: float, speed: float) -> float:
    """Seconds beyond those that `gained` metres of the way take at `speed` (m/s); inf where no way leads to a goal."""
    needed = gained / speed
    return seconds - needed if math.isfinite(needed) else math.inf


def share(part: float, whole: float) -> float:
    """`part` of `whole`; all of nothing is 1."""
    return part / whole if whole > 0 else 1.0


def soft_spl(distance: float, shortest: float, length: float) -> float:
    """SPL with success replaced by the share of the way made good; needs no stop. All arguments in metres."""
    if shortest == 0:
        return 1.0 if distance == 0 and length == 0 else 0.0
    if not math.isfinite(shortest):
        return 0.0
    return max(0.0, 1 - not_nan(distance) / shortest) * _efficiency(shortest, length)


def _efficiency(shortest: float, length: float) -> float:
    if shortest == 0:
        return 1.0 if length == 0 else 0.0
    if not math.isfinite(shortest):
        return 0.0
    return shortest / max(not_nan(length), shortest)


def navigation_error_euclidean(position: Vec3, goals: Iterable[Vec3]) -> float:
    """Straight 3-D distance (m) from `position` to the nearest of `goals`; inf without goals."""
    return min((not_nan(euclidean(position, goal)) for goal in goals), default=math.inf)


def oracle_navigation_error(distances: Iterable[float]) -> float:
    """Least distance (m) to a goal over all poses, the start included."""
    return min(map(not_nan, distances), default=math.inf)


def oracle_success(distances: Iterable[float], threshold: float) -> float:
    """1.0 if any pose, the start included, was strictly nearer than `threshold` (m)."""
    return success(oracle_navigation_error(distances), threshold)


def path_length(points: Sequence[Vec3]) -> float:
    """Sum of 3-D Euclidean displacements (m) along `points`; 0 for fewer than two."""
    return not_nan(total(map(euclidean, points[:-1], points[1:])))


def nearest(distances: ArrayLike) -> np.ndarray:
    """(T, R) distances agent x reference, m -> (R,) least distance to each reference point; inf where T = 0."""
    matrix = np.asarray(distances, dtype=np.float64)
    least: np.ndarray = np.fmin.reduce(matrix, axis=0, initial=math.inf)
    return least


def path_coverage(nearest: ArrayLike, threshold: float = 3.0) -> float:
    """PC of CLS: mean over the (R,) reference points of exp(-least distance / threshold); 0 without a reference."""
    least = np.asarray(nearest, dtype=np.float64)
    return float(np.exp(least / -threshold).sum()) / least.size if least.size else 0.0


def waypoint_coverage(nearest: ArrayLike, within: float) -> float:
    """Share of the (R,) reference points that the agent passed within `within` (m), inclusive."""
    least = np.asarray(nearest, dtype=np.float64)
    return float(np.count_nonzero(least <= within) / least.size) if least.size else 0.0


def cls(coverage: float, reference_length: float, length: float) -> float:
    """Coverage weighted by length score. `coverage`: PC; `reference_length` and `length` (walked): m.

    Standing still on a reference of length 0 is a perfect length; walking from it is the worst.
    """
    expected = coverage * reference_length
    if not math.isfinite(length):
        return 0.0
    if expected == 0:
        return coverage if length == reference_length == 0 else 0.0
    return coverage * (expected / (expected + abs(expected - length)))


def ndtw(dtw: float, reference_size: int, threshold: float = 3.0) -> float:
    """exp(-DTW / (number of reference points x threshold)); 0 without a reference."""
    return math.exp(-not_nan(dtw) / (reference_size * threshold)) if reference_size else 0.0


def sdtw(success: float, ndtw: float) -> float:
    """nDTW of the successful, 0 for the others."""
    return success * ndtw


def goal_progress(start_distance: float, final_distance: float) -> float:
    """Metres by which the agent came nearer to the goal region; -inf where it ends with no way to it."""
    final = not_nan(final_distance)
    return start_distance - final if math.isfinite(final) else -math.inf


def collision_rate(collisions: int, steps: int) -> float:
    """Collisions per step; 0 before the first step."""
    return collisions / steps if steps else 0.0
