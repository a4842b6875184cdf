"""Success, SPL and errors as they grow step by step, in worlds small enough to work out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from nav_eval.core.types import Place
from nav_eval.errors import DatasetError

NAMES = [
    "success",
    "spl",
    "soft_spl",
    "navigation_error",
    "navigation_error_euclidean",
    "oracle_success",
    "oracle_navigation_error",
    "distance_to_goal",
    "goal_progress",
    "oracle_path_success",
]
LINE = [(float(x), 0.0, 0.0) for x in range(11)]
GOAL = [LINE[10]]


def nowhere(start: Place, ends: Sequence[Place]) -> float:
    return math.inf


def not_a_number(start: Place, ends: Sequence[Place]) -> float:
    return math.nan


def test_a_straight_walk_to_the_goal(play: Any) -> None:
    values = play(NAMES, LINE, goals=GOAL)
    assert values == {
        "success": 1.0,
        "spl": 1.0,
        "soft_spl": 1.0,
        "navigation_error": 0.0,
        "navigation_error_euclidean": 0.0,
        "oracle_success": 1.0,
        "oracle_navigation_error": 0.0,
        "distance_to_goal": 0.0,
        "goal_progress": 10.0,
        "oracle_path_success": 1.0,
        "path_length": 10.0,
    }


def test_there_and_half_way_back(play: Any) -> None:
    values = play(NAMES, LINE + LINE[9:4:-1], goals=GOAL)
    assert values["navigation_error"] == 5.0
    assert values["success"] == values["spl"] == 0.0
    assert values["oracle_success"] == 1.0
    assert values["soft_spl"] == pytest.approx(0.5 * 10 / 15)
    assert values["goal_progress"] == 5.0


def test_success_needs_stop_unless_the_profile_says_final(play: Any) -> None:
    assert play(["success", "spl"], LINE, goals=GOAL, stop=False)["success"] == 0.0
    assert play(["success", "spl"], LINE, goals=GOAL, stop=False, success_rule="final")["spl"] == 1.0


def test_the_threshold_is_strict(play: Any) -> None:
    assert play(["success"], LINE[:8], goals=GOAL)["success"] == 0.0
    assert play(["success"], [*LINE[:8], (7.001, 0.0, 0.0)], goals=GOAL)["success"] == 1.0
    assert play(["success"], LINE[:8], goals=GOAL, success_distance=3.5)["success"] == 1.0


def test_oracle_metrics_count_the_start(play: Any) -> None:
    away = [LINE[9], LINE[5], LINE[0]]
    values = play(NAMES, away, goals=GOAL)
    assert (values["oracle_success"], values["oracle_navigation_error"]) == (1.0, 1.0)
    assert values["oracle_path_success"] == 1.0
    assert values["goal_progress"] == -9.0


def test_the_nearest_of_several_goals_counts(play: Any) -> None:
    values = play(NAMES, LINE, goals=[(100.0, 0.0, 0.0), *GOAL])
    assert (values["navigation_error"], values["navigation_error_euclidean"]) == (0.0, 0.0)


def test_the_shortest_path_flags_what_spl_cannot_say(play: Any) -> None:
    assert play(["shortest_path_length"], LINE, goals=GOAL) == {"shortest_path_length": 10.0}
    assert play(["shortest_path_length"], [GOAL[0], LINE[0]], goals=GOAL) == {"shortest_path_length": 0.0}
    assert play(["shortest_path_length"], LINE, goals=GOAL, distance=nowhere) == {"shortest_path_length": math.inf}


def test_starting_on_the_goal(play: Any) -> None:
    assert play(NAMES, GOAL, goals=GOAL)["spl"] == 1.0
    values = play(NAMES, [GOAL[0], LINE[9], GOAL[0]], goals=GOAL)
    assert (values["success"], values["spl"], values["soft_spl"]) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("distance", [nowhere, not_a_number])
def test_an_unreachable_goal_is_inf_and_never_euclidean(play: Any, distance: Any) -> None:
    values = play(NAMES, LINE, goals=GOAL, distance=distance)
    assert values["navigation_error"] == values["oracle_navigation_error"] == math.inf
    assert values["navigation_error_euclidean"] == 0.0
    assert values["goal_progress"] == -math.inf
    assert values["success"] == values["spl"] == values["soft_spl"] == values["oracle_success"] == 0.0


def test_an_episode_without_goals_has_no_nan(play: Any) -> None:
    values = play(NAMES, LINE, goals=[])
    assert values["navigation_error"] == values["navigation_error_euclidean"] == math.inf
    assert values["spl"] == 0.0


@pytest.mark.parametrize(("rule", "expected"), [("final", 1.0), ("stop", 0.0)])
def test_values_before_the_first_step_are_those_of_the_start(play: Any, rule: str, expected: float) -> None:
    values = play([*NAMES, "sdtw", "cls", "collision_rate"], GOAL, LINE, GOAL, stop=False, success_rule=rule)
    assert values["success"] == values["spl"] == expected
    assert values["navigation_error"] == 0.0
    assert values["sdtw"] == expected * values["ndtw"]
    assert values["collision_rate"] == 0.0


def test_distance_is_asked_for_once_per_place(play: Any) -> None:
    asked: list[Place] = []

    def counting(start: Place, ends: Sequence[Place]) -> float:
        asked.append(start)
        return 1.0

    play(["distance_to_goal", "success", "navigation_error", "oracle_success"], LINE + LINE[-1:] * 5, goals=GOAL,
         distance=counting)  # fmt: skip
    assert len(asked) <= len(LINE) + 1


def test_success_by_nodes(play: Any) -> None:
    def graph(start: Place, ends: Sequence[Place]) -> float:
        return 50.0

    rules = {"success_rule": "nodes", "extra": {"success_nodes": ["c"]}, "distance": graph, "goals": ["z"]}
    assert play(["success"], ["a", "b", "c"], **rules)["success"] == 1.0
    values = play(["success", "oracle_success"], ["a", "c", "b"], **rules)
    assert (values["success"], values["oracle_success"]) == (0.0, 1.0)
    with pytest.raises(DatasetError, match="success_nodes"):
        play(["success"], ["a"], success_rule="nodes", distance=graph, goals=["z"])


def test_progress_is_towards_the_region_and_oracle_path_towards_the_planner(play: Any) -> None:
    place = {"a": 0, "b": 4, "c": 10, "d": 20}

    def graph(start: Place, ends: Sequence[Place]) -> float:
        return min(float(abs(place[start.node or ""] - place[end.node or ""])) for end in ends)

    values = play(
        NAMES, ["a", "b"], goals=["b"], goal_nodes=["c", "d"], extra={"planner_path": ["a", "c"]}, distance=graph
    )
    assert values["navigation_error"] == 0.0
    assert values["goal_progress"] == 10.0 - 6.0
    assert values["oracle_path_success"] == 0.0
