"""How an episode ended, in one word: the failure taxonomy. The first rule that fits decides.

The rules read what was recorded (status, metrics, poses) and nothing else, so that they are the same for every agent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np

from nav_eval.core.types import EpisodeResult, Status
from nav_eval.report.track import Track

STUCK_RADIUS_CM = 50
STUCK_STEPS = 10

WHOLE = ("success", "all_goals_found", "all_subtasks")
"""Metrics that are 1 where all that was asked is done; a task has one of them."""
WON, UNSCORED = "success", "not_scored"
OUTCOMES = (
    WON,
    "passed_goal",
    "not_stopped",
    "stopped_near",
    "stopped_far",
    "stopped_away",
    "no_move",
    "stuck",
    "out_of_steps",
    "unreachable",
    *get_args(Status)[1:],
    UNSCORED,
    "other",
)
NO_FAILURE = (WON, UNSCORED)
NEAR = ("not_stopped", "passed_goal", "stopped_near")
"""The agent came within twice the success distance of the goal."""
LOST = ("stopped_away", "stuck", "out_of_steps", "stopped_far", "no_move")
"""It ended farther away."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`success_distance` (m) of the run, `shortest` (m): the shortest way from the start to the goal, if known."""

    success_distance: float
    shortest: float | None


def outcome(result: EpisodeResult, track: Track | None, thresholds: Thresholds) -> str:
    """One of OUTCOMES."""
    if result.status != "ok":
        return result.status if result.status in OUTCOMES else "other"
    if not result.metrics:
        return UNSCORED
    if won(result):
        return WON
    distance = final_distance(result)
    if distance is None:
        return "other"
    if not math.isfinite(distance):
        return "unreachable"
    return _failure(result, track, thresholds, distance)


def _failure(result: EpisodeResult, track: Track | None, thresholds: Thresholds, distance: float) -> str:
    if track is not None and not track.stopped and distance <= thresholds.success_distance:
        return "not_stopped"
    if result.metrics.get("oracle_success") == 1:
        return "passed_goal"
    if track is not None and not _has_moved(track):
        return "no_move"
    if track is not None and not track.stopped:
        return "stuck" if is_stuck(track) else "out_of_steps"
    if thresholds.shortest is not None and distance >= thresholds.shortest:
        return "stopped_away"
    return "stopped_near" if distance < 2 * thresholds.success_distance else "stopped_far"


def won(result: EpisodeResult) -> bool:
    """Whether all that was asked is done."""
    return any(result.metrics.get(name) == 1 for name in WHOLE)


def final_distance(result: EpisodeResult) -> float | None:
    """Metres left to the goal at the end, inf where no way leads there; None if it was not measured."""
    value = result.metrics.get("navigation_error", result.metrics.get("distance_to_goal"))
    return float(value) if isinstance(value, int | float) else None


def _has_moved(track: Track) -> bool:
    return bool((track.positions != track.positions[0]).any())


def is_stuck(track: Track) -> bool:
    """Whether the agent stayed within half a metre during the last half of its steps, ten at the least."""
    tail = track.positions[len(track.positions) // 2 :]
    if len(tail) <= STUCK_STEPS:
        return False
    return bool(np.linalg.norm(tail - tail[-1], axis=1).max() <= STUCK_RADIUS_CM)
