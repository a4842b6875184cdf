"""Faults of plug-in classes are told when they are registered, opened or asked, with class, file and what to write."""

from __future__ import annotations

import sys
from typing import Protocol

import numpy as np
import pytest

import nav_eval
from graphs import write_r2r
from nav_eval import ActionSpec, Metric, Sensor, Task, register_simulator
from nav_eval.cli import main
from nav_eval.config.loader import load_config
from nav_eval.core.capabilities import HasNavmesh
from nav_eval.core.contracts import admit_metric, admit_sensor, admit_simulator, admit_task
from nav_eval.core.interfaces import Simulator, SimulatorBackend
from nav_eval.core.measurements import value_fault
from nav_eval.core.specs import TensorSpec
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.runs.plan import check
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.navigation import PointNavTask
from nav_eval.testing.fakes import fake_episode
from nav_eval.testing.task import FORWARD, Trial

ADMIT = {Sensor: admit_sensor, Metric: admit_metric, SimulatorBackend: admit_simulator, Task: admit_task}
MADE_OF = {Sensor: "name, config, simulator", Metric: "", SimulatorBackend: "config, seed", Task: "config"}


def whole(base, **members):
    """A class with all that `base` asks for, made of what it is made of, and these members."""
    scope: dict = {}
    exec(f"def __init__(self{', ' * bool(MADE_OF[base])}{MADE_OF[base]}): pass", scope)
    needed = dict.fromkeys(base.__abstractmethods__, lambda self, *_: None)
    return type("A", (base,), needed | {"__init__": scope["__init__"], "__module__": __name__} | members)


def refusal(base, cls):
    with pytest.raises(ConfigError) as refused:
        ADMIT[base]("s", cls)
    return str(refused.value)


@pytest.mark.parametrize("base", ADMIT)
def test_a_whole_class_is_taken_as_it_is(base):
    cls = whole(base)
    assert ADMIT[base]("s", cls) is cls


@pytest.mark.parametrize(
    ("base", "method"), [(base, method) for base in ADMIT for method in sorted(base.__abstractmethods__)]
)
def test_a_method_that_is_missing_is_named(base, method):
    cls = whole(base, **{method: base.__dict__[method]})
    assert f"(test_contracts.py): A has no {method}. Define it." in refusal(base, cls)


@pytest.mark.parametrize("base", ADMIT)
def test_other_arguments_than_it_is_made_of_are_told(base):
    wrong = whole(base, __init__=lambda self, one, two, three, four: None)
    told = refusal(base, wrong)
    assert f"it is made as A({MADE_OF[base]})" in told
    written = told.partition("Write ")[2]
    scope: dict = {}
    exec(f"{written} pass", scope)
    assert ADMIT[base]("s", whole(base, __init__=scope["__init__"]))


@pytest.mark.parametrize("base", ADMIT)
def test_options_without_the_base_are_told(base):
    told = refusal(base, whole(base, Options=type("Options", (), {"width": 3})))
    assert f"A.Options must derive from {base.__name__}.Options" in told


class Unasked(Protocol):
    def plan(self): ...


@pytest.mark.parametrize(
    ("base", "members", "told"),
    [
        (Sensor, {"needs": ("HasNavmesh",)}, "Write HasNavmesh: import it from nav_eval.core.capabilities"),
        (Sensor, {"needs": HasNavmesh}, "Write needs = (HasNavmesh,)"),
        (Sensor, {"needs": (Unasked,)}, "@runtime_checkable"),
        (Task, {"actions": "stop"}, "Write actions = ('stop',)"),
        (Task, {"sensors": "gps"}, "Write sensors = ('gps',)"),
        (Task, {"measurements": "success"}, "Write measurements = ('success',)"),
        (Task, {"own_actions": {"walk": {"metres": 1}}}, "'walk' is {'metres': 1}; write ActionSpec("),
        (Task, {"own_actions": {"walk": ActionSpec({"metres": 5})}}, "'metres' of 'walk' is 5; write Argument("),
        (Task, {"own_actions": ["walk"]}, "write {NAME: ActionSpec"),
        (Task, {"own_metrics": {"far": 3}}, "own_metrics: 'far' is 3"),
        (Task, {"own_metrics": {"far": Metric}}, "own_metrics: 'far': Metric has no get_metric"),
        (Metric, {"requires": "success"}, "Write requires = ('success',)"),
        (SimulatorBackend, {"lacks_actions": "move_to"}, "Write lacks_actions = ('move_to',)"),
        (SimulatorBackend, {"lacks_actions": 3}, "no tuple of names"),
        (SimulatorBackend, {"lacks_actions": ["move_too"]}, "Did you mean 'move_to'?"),
        (SimulatorBackend, {"starts_at": "positon"}, "Did you mean 'position'?"),
    ],
)
def test_an_attribute_that_cannot_be_is_told(base, members, told):
    assert told in refusal(base, whole(base, **members))


@pytest.mark.parametrize("names", [("move_to",), ["move_to"], {"move_to"}, frozenset({"move_to"})])
def test_any_iterable_of_names_will_do(names):
    assert admit_simulator("s", whole(SimulatorBackend, lacks_actions=names))


@pytest.mark.parametrize(
    ("register", "told"),
    [
        (nav_eval.register_simulator, "A has no assets, open_session. Define them in class A(SimulatorBackend):"),
        (nav_eval.register_sensor, "A has no observe, spec. Define them in class A(Sensor):"),
        (nav_eval.register_task, "A has no goals, reference. Define them in class A(Task):"),
        (nav_eval.register_physics, "A has no place. Define it in class A(Physics):"),
        (nav_eval.register_crowds, "A has no enter. Define it in class A(PedestrianModel):"),
        (nav_eval.register_perturbation, "class A(Perturbation):"),
        (nav_eval.register_dataset, "A has no __iter__. Define it: yield a nav_eval.Episode for each."),
        (nav_eval.register_agent, "A has no act, reset. Write class Agent(nav_eval_sdk.VLNAgent):"),
        (nav_eval.register_scene_format, "A is no function. Write def load(source):"),
    ],
)
def test_a_class_that_is_nothing_of_ours_is_refused_when_it_is_registered(register, told):
    """As Habitat's are: they were taken, and failed later as the evaluator's fault or the agent's."""
    made = type("A", (), {"__module__": __name__, "get_observation": lambda self, *_: None, "episodes": ()})
    with pytest.raises(ConfigError) as refused:
        register("empty")(made)
    assert "'empty' (test_contracts.py): " in str(refused.value)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "decorator",
    ["register_metric", "register_physics", "register_crowds", "register_dataset", "register_scene_format", "metric"],
)
def test_a_decorator_without_its_name_is_refused(decorator):
    """It registered nothing, said nothing and left a function in the class's place."""
    with pytest.raises(ConfigError) as refused:
        getattr(nav_eval, decorator)(whole(Metric))
    assert str(refused.value) == f'@{decorator} stands above A without a name. Write @{decorator}("NAME")'


@pytest.mark.parametrize("base", [Sensor, SimulatorBackend, Task])
def test_a_class_that_has_all_and_does_not_derive_is_taken(base):
    everything = {name: value for kind in reversed(base.__mro__[:-1]) for name, value in kind.__dict__.items()}
    scope: dict = {}
    exec(f"def __init__(self, {MADE_OF[base]}): pass", scope)
    kept = {name: value for name, value in everything.items() if not name.startswith("_")}
    cls = type("A", (), kept | {"__init__": scope["__init__"]})
    assert ADMIT[base]("s", cls) is cls


class Broken(whole(Sensor)):
    spec = TensorSpec(shape=(1,), dtype="float32")

    def observe(self, simulator):
        return {}["battery"]


def test_what_a_sensor_of_somebody_elses_raises_is_told_as_its_fault(monkeypatch):
    monkeypatch.setitem(SENSORS._members, "broken", Broken)
    simulator = nav_eval.make_simulator("nav_graph", sensors={"low": {"type": "broken"}}, connectivity_dir=".")
    with pytest.raises(
        SimulatorError, match=r"simulator.sensors.low: observe failed \(test_contracts.py, line \d+: Key"
    ):
        simulator.observe()


class OldSession(Simulator):
    """Written for an older edition: advance was called move."""

    episode = observation_spec = start = observe = get_agent_state = is_walkable = distance_to = None

    def move(self, action):
        pass


@register_simulator("outdated")
class Outdated(SimulatorBackend):
    def __init__(self, config, seed):
        pass

    def open_session(self):
        return OldSession()

    def assets(self, scene_id):
        return {}


def test_validate_says_it_of_an_outdated_simulator(tmp_path, monkeypatch, capsys):
    words = [*write_r2r(tmp_path), "simulator.backend=outdated", "~simulator.options.discrete_views"]
    monkeypatch.setattr(sys, "argv", ["nav-eval", "config", "validate", "r2r", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "test_contracts:OldSession lacks methods that nav_eval calls: advance" in said
    assert len(said.splitlines()) == 1


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
