"""The kits pass what is right and name what is wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from nav_eval import ActionSpec, Argument, Sensor
from nav_eval.agents.registry import AGENTS
from nav_eval.core.actions import Action, check_own_actions
from nav_eval.core.interfaces import AgentService, Metric, SimulatorBackend
from nav_eval.core.specs import TensorSpec, declaration_fault
from nav_eval.errors import ConfigError
from nav_eval.metrics.registry import METRICS
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.registry import SIMULATORS
from nav_eval.tasks.navigation import PointNavTask
from nav_eval.testing import (
    FakeSimulator,
    NotConforming,
    check_agent,
    check_metric,
    check_sensor,
    check_simulator,
    check_task,
    demand,
    fake_context,
    fake_episode,
    fake_walk,
)
from nav_eval.testing.places import grid_graph, room
from nav_eval_sdk import VLNAgent
from testing.findings import wrong


@pytest.mark.parametrize("make", [room, grid_graph])
def test_our_own_simulators_conform(tmp_path, make):
    config, episodes = make(tmp_path)
    backend = SIMULATORS.get(config.backend)(config, 5)
    findings = demand(check_simulator(backend, episodes))
    backend.close()
    assert len(findings) == 1 + 18 * len(episodes)
    assert len([f for f in findings if f.skipped]) == 2 * (make is grid_graph)


def test_the_fake_simulator_conforms():
    demand(check_simulator(FakeSimulator(), [fake_episode(), fake_episode(start=(4.8, 0.0, 0.0), yaw=1.0)]))


def broken(**changes):
    """FakeSimulator whose sessions have some methods replaced by function(session, real, *args)."""

    class Broken(SimulatorBackend):
        def open_session(self):
            session = FakeSimulator().open_session()
            for name, change in changes.items():
                real = getattr(session, name)
                setattr(session, name, lambda *a, change=change, real=real: change(session, real, *a))
            return session

        def assets(self, scene_id):
            return {}

    return Broken()


def drifting(session, real, action):
    real(action)
    x, y, z = session._state.position
    session._state = replace(session._state, position=(x + 0.3, y, z))


def random_start(session, real, episode):
    real(episode)
    x, y, z = session._state.position
    session._state = replace(session._state, position=(x + np.random.default_rng().uniform(0, 0.04), y, z))


def ignoring(session, real, action):
    return real(action if action.name != "fly" else Action("stop"))


FAULTS = {
    "drift": ({"advance": drifting}, "stop moves nothing"),
    "no seed": ({"start": random_start}, "the same walk is the same twice"),
    "ignores": ({"advance": ignoring}, "an unknown action is refused"),
    "straight": ({"distance_to": lambda s, real, a, ends: 0.5}, "distances are distances"),
    "blind": ({"is_navigable": lambda s, real, p: False}, "where the agent stands is navigable"),
    "extra": ({"observe": lambda s, real: real() | {"x": 1}}, "observations fit their specs"),
    "wrong dtype": ({"observe": lambda s, real: real() | {"gps": np.zeros(2)}}, "observations fit their specs"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_simulator_is_named(name):
    changes, check = FAULTS[name]
    assert check in wrong(check_simulator(broken(**changes), [fake_episode()], sessions=1))
    with pytest.raises(NotConforming, match=check):
        demand(check_simulator(broken(**changes), [fake_episode()], sessions=1))


OURS = [name for name in METRICS.names() if METRICS.get(name).__module__.startswith("nav_eval.")]
"""Other tests register their own, which may be broken on purpose."""


@pytest.mark.parametrize("name", OURS)
def test_every_built_in_metric_conforms(name):
    demand(check_metric(METRICS.get(name)))


class Leaky(Metric):
    """Forgets to reset, and divides by the number of steps."""

    name = "leaky"
    category = "navigation"

    def __init__(self):
        self._steps = 0

    def reset_metric(self, context):
        self._goal = context.goals[0]

    def update_metric(self, step, others):
        self._steps += 1

    def get_metric(self):
        return math.nan if not self._steps else float(self._steps)


def test_a_fault_of_a_metric_is_named():
    assert wrong(check_metric(Leaky)).keys() == {"has a value before the first step", "starts fresh at reset"}
    assert wrong(check_metric(Bumped)).keys() == {"starts fresh at reset"}


@pytest.mark.parametrize(
    ("name", "needs", "asked"),
    [
        ("turns", (), "actions"),
        ("collisions", ("distance",), "actions"),
        ("distance_to_goal", ("actions",), "distance"),
    ],
)
def test_a_metric_that_needs_more_than_it_says_is_named(name, needs, asked):
    modest = type("Modest", (METRICS.get(name),), {"needs": needs})
    ((check, detail),) = wrong(check_metric(modest)).items()
    assert check == "uses only its declared needs"
    assert f"add '{asked}' to `needs`" in detail


class Half(Leaky):
    name, kind = "half", "rate"

    def get_metric(self):
        return 0.5


def test_a_rate_that_is_none_is_named():
    assert "a rate is 0 or 1" in next(iter(wrong(check_metric(Half)).values()))


POLICY_SERVERS = {"openpi", "internnav", "vla_eval", "lerobot"}
"""Agents that need one, see test_bridges.py and test_lerobot.py."""
PUBLISHED = {"streamvln", "navid", "uninavid", "navila", "etpnav"}
"""Agents that need a checkout and weights, see test_published.py."""

ASKING = {"asking"}
"""Agents that need somebody who answers, see test_dialogue.py."""


@pytest.mark.parametrize(
    "name",
    sorted(
        {n for n in AGENTS.names() if not issubclass(AGENTS.get(n), AgentService)}
        - {"vlm", *POLICY_SERVERS, *PUBLISHED, *ASKING}
    ),
)
def test_every_built_in_agent_conforms(name):
    demand(check_agent(AGENTS.get(name)))


class Careless(VLNAgent):
    seen: ClassVar = []

    def reset(self, episode):
        self.text = episode["instruction"]["text"]

    def act(self, observation):
        self.seen.append(observation)
        observation["instruction"]["text"].lower()
        return "move_forward" if len(self.seen) % 7 else "turn_left"


def test_a_fault_of_an_agent_is_named():
    faults = {"accepts an episode without an instruction", "decides the same from the same seed"}
    assert faults <= wrong(check_agent(Careless)).keys()


def test_fakes_fit_each_other():
    episode = fake_episode()
    context, walk = fake_context(episode), fake_walk(episode)
    assert context.distance(walk[-1].state.place, context.goals) == pytest.approx(0)
    assert [step.action.name for step in walk[-2:]] == ["move_forward", "stop"]


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
