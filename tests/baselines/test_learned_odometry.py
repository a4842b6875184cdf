"""The sample model's own measure of where it is, against where the simulator knows that it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

import nav_eval
from nav_eval_baselines.learned import ACTIONS, LearnedAgent
from nav_eval_baselines.learned.odometry import Odometry
from nav_eval_sdk.agent_interface import VLNAgent

LENS = "{width: 224, height: 224, hfov: 90}"
MOVES = [1, 1, 2, 2, 1, 1, 1, 3, 1, 3, 3, 1, 1, 2, 1] * 4


def walked(*perturbed: str) -> list[tuple[list[Any], list[Any], Odometry]]:
    """Of four walks what gps and compass said, where the model thinks it is, and how it came to think so."""
    walks: list[tuple[list[Any], list[Any], Odometry]] = []

    class Walking(VLNAgent):
        sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"depth": (0, 0), "gps": (0, 0), "compass": (0, 0)}
        action_space = ACTIONS

        def reset(self, episode: dict[str, Any]) -> None:
            walks.append(([], [], Odometry()))

        def act(self, observation: dict[str, Any]) -> str:
            read, thought, odometry = walks[-1]
            read.append(np.array([*observation["gps"], *observation["compass"]]))
            last = MOVES[len(read) - 2] if len(read) > 1 else 0
            thought.append(odometry.pose(read[-1], last, observation["depth"], 1.0))
            return ACTIONS[MOVES[len(read) - 1]]

    overrides = [
        f"simulator.sensors={{depth: {LENS}, gps: {{}}, compass: {{}}}}",
        f"perturbations=[{', '.join(f'{{name: {name}, severity: 2}}' for name in perturbed)}]",
        "dataset.sample=4",
        f"evaluation.max_steps={len(MOVES)}",
    ]
    nav_eval.evaluate("vln-demo", agent=Walking, overrides=overrides)
    return walks


def turned_by(pose: Any, other: Any) -> float:
    return float(np.degrees(np.arccos(np.cos(pose[2] - other[2]))))


@pytest.mark.parametrize("others", [(), ("dropped_frames",), ("depth_noise",)])
def test_who_drifts_goes_by_its_actions(others: tuple[str, ...]):
    """The compass is then right; of gps remains what was wrong where something was in the way."""
    away = []
    for (true, _, _), (read, thought, odometry) in zip(walked(), walked("pose_drift", *others)):
        assert odometry.drifts
        assert turned_by(thought[-1], true[-1]) < 0.5 < turned_by(read[-1], true[-1])
        away.append([np.hypot(*(one[-1] - true[-1])[:2]) for one in (thought, read)])
    ours, said = np.mean(away, axis=0)
    assert ours < 0.8 * said


@pytest.mark.parametrize("perturbed", [(), ("actuation_noise",), ("depth_noise",), ("dropped_frames",)])
def test_whose_wheels_err_goes_by_its_compass(perturbed: tuple[str, ...]):
    for read, thought, odometry in walked(*perturbed):
        assert not odometry.drifts
        np.testing.assert_array_equal(read, thought)


def test_a_walk_goes_on_from_where_the_model_thinks_it_is():
    agent = LearnedAgent()
    overrides = ["perturbations=[{name: pose_drift, severity: 2}]", "dataset.limit=1", "evaluation.max_steps=30"]
    nav_eval.evaluate("vln-demo", agent=agent, overrides=overrides)
    assert agent._odometry.drifts
    np.testing.assert_array_equal(agent._before, agent._odometry._told)
