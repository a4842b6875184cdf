"""A class with the specification's signatures (3.3), and nothing of ours, is a metric."""

from __future__ import annotations

from typing import Any

import pytest

from graphs import write_r2r
from nav_eval import evaluate, register_metric
from nav_eval.errors import ConfigError
from nav_eval.metrics.adapted import as_metric
from nav_eval.metrics.registry import METRICS
from nav_eval.testing import check_metric, demand, fake_context, fake_walk


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """What is registered here is forgotten afterwards."""
    monkeypatch.setattr(METRICS, "_members", dict(METRICS._members))
    register_metric("spec_moves")(Moves)
    register_metric("spec_close")(Close)


class Moves:
    def reset_metric(self, episode, task):
        self.told = [episode.episode_id]
        self.goal = task.distance(task.start.place, task.goals)
        self.moves = 0

    def update_metric(self, *args, **kwargs):
        (step,) = args
        assert kwargs["episode"].episode_id in self.told
        assert kwargs["task"].success_distance == 3.0
        self.moves += step.action.name == "move_to"

    def get_metric(self):
        return self.moves * 2.0 / self.goal


class Close:
    category = "safety"
    requires = ("distance_to_goal",)
    on_failure = 0.0

    def reset_metric(self, episode, task):
        self.best = 9.0

    def update_metric(self, *args, **kwargs):
        self.best = min(self.best, kwargs["others"]["distance_to_goal"])

    def get_metric(self):
        return self.best


def test_it_measures_what_ours_measure(tmp_path):
    """The oracle walks 2 m edges: the length of its moves is the distance to the goal."""
    wanted = ["task.measurements=[spec_moves,spec_close]", "agent_service.agent=shortest_path"]
    metrics = evaluate("r2r", overrides=[*write_r2r(tmp_path), *wanted]).metrics
    assert metrics["spec_moves"]["mean"] == 1.0
    assert metrics["spec_close"]["mean"] == 0.0


def test_the_users_class_stays_the_users_and_registering_it_again_is_no_fault():
    assert not hasattr(Moves, "name")
    register_metric("spec_moves")(Moves)
    assert METRICS.get("spec_moves").category == "navigation"
    assert METRICS.get("spec_close").category == "safety"
    assert METRICS.get("spec_close").on_failure == 0.0


RESETS = [
    "self, *args, episode, task, observations, **kwargs",
    "self, *args, episode, **kwargs",
    "self, *args, **kwargs",
    "self, *args, task, **kwargs",
    "self, episode, *args, **kwargs",
    "self, episode, task, *args, **kwargs",
]
UPDATES = [
    "self, *args, episode, task, observations, **kwargs",
    "self, *args, task, **kwargs",
    "self, *args, **kwargs",
    "self, episode, action, *args, **kwargs",
    "self, episode, task, *args, **kwargs",
    "self, *args, observations, **kwargs",
    "self, *args, episode, action, **kwargs",
    "self, episode, *args, **kwargs",
    "self, action=None, episode=None, *args, **kwargs",
]
"""Every signature that stands in habitat-lab (0fb6f43), there called with keywords alone."""
MEASURE = """
class Measured:
    def reset_metric({reset}):
        self.told = {{**locals(), **kwargs}}
        self.seen = []

    def update_metric({update}):
        self.seen.append({{**locals(), **kwargs}})

    def get_metric(self, *args, **kwargs):
        return float(len(self.seen))
"""


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("reset", RESETS)
def test_the_signatures_of_habitats_own_code_work(reset, update):
    made: dict[str, Any] = {}
    exec(MEASURE.format(reset=reset, update=update), made)
    context, (step, *_) = fake_context(), fake_walk(steps=1)
    metric = as_metric("measured", made["Measured"])()
    metric.reset_metric(context)
    metric.update_metric(step, {"success": 1.0})
    assert metric.get_metric() == 1.0
    ((told, seen),) = [(metric._own.told, now) for now in metric._own.seen]
    assert told["episode"] is seen["episode"] is context.episode
    assert told["task"] is seen["task"] is context
    assert seen["action"] is step.action
    assert seen["others"] == {"success": 1.0}
    assert told["observations"] is seen["observations"] is None
    assert step in seen["args"] or seen["step"] is step


def test_one_that_is_made_of_a_simulator_is_told_where_it_finds_what_it_needs():
    def made(self, sim, config, *args, **kwargs): ...

    with pytest.raises(ConfigError, match=r"made as Moves\(\).*Take what it needs from `task`"):
        as_metric("measured", type("Moves", (Moves,), {"__init__": made, "__qualname__": "Moves"}))


class Both:
    category = "navigation"

    def reset_metric(self, context): ...
    def update_metric(self, *args, **kwargs): ...
    def get_metric(self): ...


def test_our_signatures_without_our_base_class_are_taken_as_they_are():
    register_metric("spec_both")(Both)
    metric = METRICS.get("spec_both")
    assert issubclass(metric, Both)
    assert (metric.requires, metric.on_failure) == ((), None)


def _three(self: Any, one: Any, two: Any, three: Any) -> None: ...
def _none(self: Any) -> None: ...


@pytest.mark.parametrize(("reset", "update"), [(_three, _none), (_none, _none)])
def test_other_signatures_are_refused_with_the_two_lines_to_write(reset, update):
    cls = type("Odd", (), {"reset_metric": reset, "update_metric": update, "get_metric": _none})
    with pytest.raises(ConfigError) as told:
        register_metric("spec_odd")(cls)
    assert str(told.value).splitlines()[1:] == [
        "def reset_metric(self, context):",
        "def update_metric(self, step, others):",
    ]
    assert "spec_odd" not in METRICS


def test_a_missing_method_is_named():
    with pytest.raises(ConfigError, match="get_metric"):
        register_metric("spec_part")(type("Part", (), {"reset_metric": _three, "update_metric": _none}))


class Near:
    """Share of the steps after which a goal is nearer than 2 m, as a Habitat measure is written."""

    requires = ("distance_to_goal",)
    unit = "share"

    def reset_metric(self, *args, episode, task, **kwargs):
        self.steps, self.near = 0, 0

    def update_metric(self, *args, episode, task, others, action, **kwargs):
        self.steps += 1
        self.near += others["distance_to_goal"] < 2.0

    def get_metric(self):
        return self.near / max(self.steps, 1)


def test_the_check_takes_the_class_as_it_is():
    findings = demand(check_metric(Near))
    assert len(findings) == 11
    assert not all(found.ok for found in check_metric(type("Far", (Near,), {"get_metric": lambda self: None})))
    assert not hasattr(Near, "name")


def test_the_check_says_what_a_class_that_cannot_be_registered_lacks():
    with pytest.raises(ConfigError, match=r"has no get_metric\. Define all three"):
        list(check_metric(type("Part", (), {"reset_metric": _three, "update_metric": _none})))
