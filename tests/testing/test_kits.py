"""The kits pass what is right and name what is wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from nav_eval.agents.registry import AGENTS
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import AgentService, Metric, SimulatorBackend
from nav_eval.metrics.registry import METRICS
from nav_eval.simulator.registry import SIMULATORS
from nav_eval.testing import (
    FakeSimulator,
    NotConforming,
    check_agent,
    check_metric,
    check_simulator,
    demand,
    fake_context,
    fake_episode,
    fake_walk,
)
from nav_eval.testing.places import grid_graph, room
from nav_eval_sdk import VLNAgent


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
    failed = [f.check for f in check_simulator(broken(**changes), [fake_episode()], sessions=1) if not f.ok]
    assert check in failed
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
    failed = {f.check for f in check_metric(Leaky) if not f.ok}
    assert failed == {"has a value before the first step", "starts fresh at reset"}


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
    (fault,) = [f for f in check_metric(modest) if not f.ok]
    assert fault.check == "uses only its declared needs"
    assert f"add '{asked}' to `needs`" in fault.detail


class Half(Leaky):
    name, kind = "half", "rate"

    def get_metric(self):
        return 0.5


def test_a_rate_that_is_none_is_named():
    assert "a rate is 0 or 1" in next(f.detail for f in check_metric(Half) if not f.ok)


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
    failed = {f.check for f in check_agent(Careless) if not f.ok}
    assert "accepts an episode without an instruction" in failed
    assert "decides the same from the same seed" in failed


def test_fakes_fit_each_other():
    episode = fake_episode()
    context, walk = fake_context(episode), fake_walk(episode)
    assert context.distance(walk[-1].state.place, context.goals) == pytest.approx(0)
    assert [step.action.name for step in walk[-2:]] == ["move_forward", "stop"]
