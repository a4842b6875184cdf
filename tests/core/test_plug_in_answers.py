"""What a plug-in's methods answer wrongly is told with what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

from nav_eval.config.loader import load_config
from nav_eval.core.measurements import value_fault
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.runs.plan import check
from nav_eval.tasks.navigation import PointNavTask
from nav_eval.testing.fakes import fake_episode
from nav_eval.testing.task import FORWARD, Trial


@pytest.mark.parametrize("value", [None, np.bool_(True), np.float32(1.0), np.int64(1)])
@pytest.mark.parametrize("kind", ["rate", "mean"])
def test_a_value_that_is_no_float_is_told_how_to_become_one(value, kind):
    value = value if kind == "mean" or value is None else type(value)(1)
    if value is not None or kind == "mean":
        assert "return float(...)" in (value_fault(value, kind) or "")


def test_a_task_that_carries_an_action_out_and_returns_nothing():
    class Forgetful(PointNavTask):
        def carry_out(self, action, simulator):
            simulator.advance(action)

    config = load_config()
    trial = Trial(Forgetful, config, fake_episode(), [FORWARD])
    environment = trial.environment(Forgetful(config))
    environment.start(trial.episode)
    with pytest.raises(SimulatorError, match=r"task pointnav: carry_out returned None for move_forward\. Return"):
        environment.step(FORWARD)


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (["task.type=multi_objectnav", "task.measurements=[goals_fund]"], "Did you mean 'goals_found'?"),
        (["agent_service.endpoint=localhost:8085"], "Add agent_service.type=remote"),
        (["agent_service.type=local", "agent_service.endpoint=localhost:1"], "or leave the endpoint out"),
        (["simulator.sensors={x: last_turn}"], r"Write x: {type: last_turn}."),
    ],
)
def test_a_key_that_is_nearly_right_is_told_with_the_right_one(overrides, told):
    with pytest.raises(ConfigError) as refused:
        check(load_config(overrides=overrides))
    assert told in str(refused.value)
