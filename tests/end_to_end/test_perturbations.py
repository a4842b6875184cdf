"""Perturbed runs from configuration to record: alike for everybody, and nothing of them is told to the participant."""

from __future__ import annotations

import hashlib
import json
from typing import ClassVar

import msgspec
import numpy as np
import pytest

import nav_eval
from end_to_end.agents import GpsAgent
from end_to_end.records import records, walked
from end_to_end.wiretap import sent
from nav_eval.errors import ConfigError
from nav_eval.results.rules import flat, rules_sum
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.perturbations.registry import PERTURBATIONS
from nav_eval_sdk import VLNAgent
from rooms import write_room

FIRST_EDITION = {
    "benchmark": {"profile", "version"},
    "task": {"type", "success_rule", "goal_rule", "dtw", "ndtw_distance", "coverage_distance", "options"},
    "simulator": {"motion", "body", "scale", "path_mode"},
    "evaluation": {"success_distance", "max_steps", "max_moves"},
}
"""What the sum of the rules was made of before there were perturbations."""
HARD = "perturbations=[{name: pose_drift, severity: 3}, {name: depth_noise}, {name: dropped_frames, severity: 2}]"
AGENT = "agent_service.agent='end_to_end.agents:GpsAgent'"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    cameras = "depth: {width: 24, height: 16, hfov: 90}, rgb: {width: 24, height: 16, hfov: 90}"
    return [
        *write_room(tmp_path_factory.mktemp("room")),
        f"simulator.sensors={{gps: {{}}, compass: {{}}, {cameras}}}",
        "evaluation.max_steps=12",
    ]


def config(room, *overrides):
    return benchmark_config("pointnav", overrides=[*room, *overrides])


class Witness(VLNAgent):
    """Keeps all that it is told and shown."""

    seen: ClassVar[list[object]] = []

    def reset(self, episode):
        self.seen.append({key: value for key, value in episode.items() if key != "session_id"})

    def act(self, observation):
        self.seen.append({name: np.array(value).tolist() for name, value in observation.items()})
        return "turn_left" if len(self.seen) % 3 else "move_forward"


def seen_by_witness(room, folder, *overrides):
    Witness.seen.clear()
    run_benchmark(config(room, *overrides, "dataset.limit=2"), folder, agent=Witness)
    return list(Witness.seen)


def test_severity_0_changes_no_bit_and_no_rule(room, tmp_path):
    names = ", ".join(f"{{name: {name}, severity: 0}}" for name in PERTURBATIONS)
    zero = f"perturbations=[{names}]"
    assert seen_by_witness(room, tmp_path / "none") == seen_by_witness(room, tmp_path / "zero", zero)
    assert records(tmp_path / "none") == records(tmp_path / "zero")
    for overrides in ([], [zero]):
        plain = dict(flat(config(room, *overrides).model_dump(mode="json", include=FIRST_EDITION)))
        total = hashlib.sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()
        assert rules_sum(config(room, *overrides)) == total
    assert "\nperturbations" not in (tmp_path / "none" / "config.yaml").read_text()


def test_rules_and_record_hold_what_was_perturbed(room, tmp_path):
    sums = {rules_sum(config(room, f"perturbations=[{{name: blur, severity: {n}}}]")) for n in range(4)}
    assert len(sums) == 4
    run_benchmark(config(room, HARD, AGENT, "dataset.limit=1"), tmp_path / "run")
    told = json.loads((tmp_path / "run" / "manifest.json").read_text())["perturbations"]
    assert told == [
        {"name": "pose_drift", "severity": 3},
        {"name": "depth_noise", "severity": 1},
        {"name": "dropped_frames", "severity": 2},
    ]


class Idle(Witness):
    """Another agent: it looks at other things in another order, and only turns."""

    seen: ClassVar[list[object]] = []

    def act(self, observation):
        self.seen.append(observation["gps"].tolist())
        return "turn_right"


def test_another_agent_meets_the_same_drift(room, tmp_path):
    """Of two that only turn, one to the left, both gps readings are the drift alone."""
    drift = "perturbations=[{name: pose_drift, severity: 3}]"
    Idle.seen.clear()
    run_benchmark(config(room, drift, "dataset.limit=1"), tmp_path / "idle", agent=Idle)
    other = [one for one in Idle.seen if isinstance(one, list)]

    class Left(Idle):
        seen: ClassVar[list[object]] = []

        def act(self, observation):
            self.seen.append(observation["gps"].tolist())
            return "turn_left"

    run_benchmark(config(room, drift, "dataset.limit=1"), tmp_path / "left", agent=Left)
    assert other == [one for one in Left.seen if isinstance(one, list)]
    assert len({tuple(one) for one in other}) == len(other) == 12


def test_a_participant_is_told_the_same_as_without(room, tmp_path):
    clean = [one for one in seen_by_witness(room, tmp_path / "clean") if "action_space" in one]
    everything = [name for name in PERTURBATIONS if not PERTURBATIONS.get(name).rewords]
    hard = ", ".join(f"{{name: {name}, severity: 3}}" for name in everything)
    perturbed = seen_by_witness(room, tmp_path / "hard", f"perturbations=[{hard}]")
    assert [one for one in perturbed if "action_space" in one] == clean
    assert len(clean) == 2


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json"), ("grpc", "stream")])
def test_no_name_and_no_severity_is_on_the_wire(room, tmp_path, protocol, encoding):
    hard = ", ".join(f"{{name: {name}, severity: 2}}" for name in PERTURBATIONS if not PERTURBATIONS.get(name).rewords)
    overrides = [*room, f"perturbations=[{hard}]"]
    said = sent(GpsAgent, "pointnav", overrides, tmp_path / "run", protocol, encoding).lower()
    assert len(said) > 20_000
    words = {word for name in PERTURBATIONS for word in (name, name.replace("_", " "), name.replace("_", "-"))}
    leaks = {word for word in {*words, "severity", "perturb", "robust", "noise", "redwood"} if word.encode() in said}
    assert leaks == set()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("[{name: blurr}]", "Did you mean 'blur'"),
        ("[{name: blur, severity: 4}]", "blur has severities up to 3, not 4"),
        ("[{name: blur}, {name: blur, severity: 2}]", "blur appears twice"),
        ("[{name: typos}]", "typos changes nothing"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_run(room, tmp_path, wanted, said):
    with pytest.raises(ConfigError, match=said):
        run_benchmark(config(room, f"perturbations={wanted}", AGENT), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_training_sees_what_a_run_would(room):
    """Alone and side by side, where frames are drawn in one batch."""
    hard = [*room, HARD, "dataset.limit=1"]
    alone, many = nav_eval.make_env("pointnav", overrides=hard), nav_eval.make_vec_env("pointnav", 2, overrides=hard)
    clean = nav_eval.make_env("pointnav", overrides=[*room, "dataset.limit=1"])
    one, side, plain = (env.reset(seed=0)[0] for env in (alone, many, clean))
    for _ in range(3):
        assert all(np.array_equal(one[name], side[name][place]) for name in ("gps", "depth") for place in range(2))
        assert not np.array_equal(one["depth"], plain["depth"])
        one, side, plain = alone.step(1)[0], many.step(np.array([1, 1]))[0], clean.step(1)[0]
    for env in (alone, many, clean):
        env.close()


def test_latency_uses_up_steps_and_the_agent_is_not_told(room, tmp_path):
    """A second more for each answer, in ticks of half a second: two of three steps are waiting."""
    late = "perturbations=[{name: latency, severity: 2}]"
    run_benchmark(config(room, late, "dataset.limit=1"), tmp_path / "late", agent=Idle)
    ((_, steps),) = walked(tmp_path / "late").values()
    assert [step["action"] for step in steps] == ["wait", "wait", "turn_right"] * 4
    clean = seen_by_witness(room, tmp_path / "clean")
    told = seen_by_witness(room, tmp_path / "told", late)
    assert [one for one in told if "action_space" in one] == [one for one in clean if "action_space" in one]
