"""Faults that a kit must find: each plug-in here is sound but for one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nav_eval import ActionSpec, Argument, Metric, Sensor
from nav_eval.core.actions import check_own_actions
from nav_eval.core.specs import TensorSpec, declaration_fault
from nav_eval.errors import ConfigError
from nav_eval.simulator.base import SensorSession
from nav_eval.tasks.navigation import PointNavTask
from nav_eval.testing import (
    FakeSimulator,
    check_metric,
    check_sensor,
    check_simulator,
    check_task,
    demand,
    fake_episode,
)


def wrong(findings):
    return {finding.check: finding.detail for finding in findings if not finding.ok}


class Bumped(Metric):
    """Whether it ever bumped; never forgets."""

    name, category, kind, needs, hit = "bumped", "safety", "rate", ("actions",), 0.0

    def reset_metric(self, context): ...

    def update_metric(self, step, others):
        self.hit = max(self.hit, float(step.collided))

    def get_metric(self):
        return self.hit


class Steps(Metric):
    """A count that is called a share."""

    name, category, unit, needs = "steps_share", "efficiency", "share", ("actions",)

    def reset_metric(self, context):
        self.count = 0.0

    def update_metric(self, step, others):
        self.count += 1

    def get_metric(self):
        return self.count


def test_a_metric_that_never_resets():
    assert list(wrong(check_metric(Bumped))) == ["starts fresh at reset"]


def test_a_share_beyond_one():
    assert "a share lies from 0 to 1" in wrong(check_metric(Steps))["has a value after a walk"]


class Numb(FakeSimulator):
    lacks_actions = "move_to"

    def open_session(self):
        session = super().open_session()
        move = session.move
        session.move = lambda action: replace(move(action), collided=False)
        assert isinstance(session, SensorSession)
        return session


def test_a_simulator_that_never_tells_of_a_wall_and_one_that_lacks_a_string():
    findings = wrong(check_simulator(Numb(), [fake_episode()]))
    assert "`collided` is false" in findings["a wall is a collision"]
    assert "('move_to',)" in findings["says what its world is"]
    assert "a wall is a collision" not in wrong(check_simulator(FakeSimulator(), [fake_episode()]))


class Turned(Sensor):
    """(1,) float32: nothing."""

    def __init__(self, name, config, simulator): ...

    @property
    def spec(self):
        return TensorSpec(shape=(1,), dtype="float32", unit="rad")

    def observe(self, simulator):
        return np.zeros(1, np.float32)


def test_a_sensor_is_checked_by_its_class():
    assert demand(check_sensor(Turned))


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (Argument(unit=3), "`unit` is 3, not a string"),
        (Argument(low=2, high=1), "`low` 2 is above `high` 1"),
        (TensorSpec(shape=1, dtype="float32"), "Write shape=(1,)"),
        (TensorSpec(shape=(1,), dtype="float32", unit="radians"), "Did you mean 'rad'?"),
    ],
)
def test_a_declaration_that_cannot_be(declared, told):
    assert told in (declaration_fault(declared) or "")
    if isinstance(declared, Argument):
        with pytest.raises(ConfigError, match="argument 'far' of 'jump'"):
            check_own_actions({"jump": ActionSpec({"far": declared})})


def test_an_own_action_that_no_agent_can_answer():
    unlisted = type("Unlisted", (PointNavTask,), {"own_actions": {"jump": ActionSpec()}})
    assert "add to `actions`" in wrong(check_task(unlisted))["says what it is"]
