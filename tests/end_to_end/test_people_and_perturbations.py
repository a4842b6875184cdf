"""People and perturbations in runs, from configuration to record: told to nobody, replayed, the same in training.

That they are alike for everybody, test_same_records.py shows.
"""

from __future__ import annotations

import hashlib
import json
from typing import ClassVar

import msgspec
import numpy as np
import pytest

import nav_eval
from api.test_disclosure import traces
from end_to_end.agents import GpsAgent
from nav_eval.errors import ConfigError
from nav_eval.results.rules import flat, rules_sum
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.perturbations.registry import PERTURBATIONS
from nav_eval_sdk import VLNAgent
from playing import document, play, records, replayed, sent, walked
from rooms import write_room

PEOPLE = "simulator.people={count: 3, options: {crossing: 1.0}}"
HARD = "perturbations=[{name: pose_drift, severity: 3}, {name: depth_noise}, {name: dropped_frames, severity: 2}]"
AGENT = "agent_service.agent='end_to_end.agents:GpsAgent'"
ONE = "dataset.limit=1"
FIRST_EDITION = {
    "benchmark": {"profile", "version"},
    "task": {"type", "success_rule", "goal_rule", "dtw", "ndtw_distance", "coverage_distance", "options"},
    "simulator": {"motion", "body", "scale", "path_mode"},
    "evaluation": {"success_distance", "max_steps", "max_moves"},
}
"""What the sum of the rules was made of before there were perturbations."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    cameras = "depth: {width: 24, height: 16, hfov: 90}, rgb: {width: 24, height: 16, hfov: 90}"
    sensors = f"simulator.sensors={{gps: {{}}, compass: {{}}, {cameras}}}"
    return [*write_room(tmp_path_factory.mktemp("room")), sensors, "evaluation.max_steps=12", "dataset.limit=3"]


def config(room, *overrides):
    return benchmark_config("pointnav", overrides=[*room, *overrides])


def run(room, folder, *overrides, **given):
    play(folder, [*room, *overrides], "pointnav", **given)
    return folder


@pytest.fixture(scope="module")
def ran(room, tmp_path_factory):
    return run(room, tmp_path_factory.mktemp("runs") / "one", AGENT, PEOPLE)


def test_as_many_as_were_ordered_are_met_and_go_on(ran):
    met = [step["events"]["people"]["poses"] for _, steps in walked(ran).values() for step in steps]
    assert all(len(poses) == 3 for poses in met)
    assert len({json.dumps(poses) for poses in met}) == len(met)


def test_a_replay_walks_the_same_and_finds_one_who_was_moved(room, ran):
    assert replayed(ran) == (3, [])
    lines = ran / "trajectories.jsonl"
    text = lines.read_text()
    record = json.loads(text.splitlines()[0])
    record["steps"][4]["events"]["people"]["poses"][1][0] += 1e-6
    lines.write_text("\n".join([json.dumps(record), *text.splitlines()[1:], ""]))
    _, differences = replayed(ran)
    lines.write_text(text)
    assert [one.what for one in differences] == ["people after step 4"]


def test_people_are_rules_and_in_the_manifest_but_none_are_no_change(room, tmp_path):
    none, some = config(room), config(room, PEOPLE)
    assert rules_sum(none) == rules_sum(config(room, "simulator.people.count=0"))
    assert rules_sum(none) != rules_sum(some) != rules_sum(config(room, "simulator.people.count=3"))
    tracks = tmp_path / "ways.txt"
    tracks.write_text("0 1 0 0\n10 1 1 1\n")
    people = f"simulator.people={{count: 1, motion: recorded, options: {{file: {tracks}}}}}"
    run(room, tmp_path / "run", people, ONE)
    assert "ways.txt" in document(tmp_path / "run", "manifest.json")["assets_sha256"]


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json"), ("grpc", "stream")])
def test_neither_where_people_are_and_go_nor_what_is_perturbed_is_on_the_wire(room, tmp_path, protocol, encoding):
    said = sent(GpsAgent, "pointnav", [*room, PEOPLE, perturbed(2)], tmp_path / "run", protocol, encoding)
    assert len(said) > 20_000
    met = [step["events"]["people"] for _, steps in walked(tmp_path / "run").values() for step in steps]
    numbers = {number for one in met for pose in one["poses"] for number in (pose[0], pose[2], pose[3])} - {0.0}
    assert len(numbers) > 200
    leaks = [number for number in numbers for look in traces(number) if len(look) > 5 and look in said]
    assert leaks == []
    names = {word for name in PERTURBATIONS for word in (name, name.replace("_", " "), name.replace("_", "-"))}
    names |= {"severity", "perturb", "robust", "noise", "redwood"}
    assert [w for w in {*names, "people", "crowd", "nearest", "social", "crossing"} if w.encode() in said.lower()] == []


def test_the_world_that_does_not_wait_goes_on_for_people(room, tmp_path):
    """Each answer costs 0.6 s, a tick 0.3 s: two steps of waiting, in which people walk for as long."""
    clock = "evaluation={clock: charged, latency_s: 0.6, step_s: 0.3, max_steps: 12}"
    ((_, steps),) = walked(run(room, tmp_path / "run", PEOPLE, AGENT, clock, ONE)).values()
    waits = [step["events"]["people"]["seconds"] for step in steps if step["action"] == "wait"]
    assert len(waits) >= 6
    assert set(waits) == {0.3}
    assert replayed(tmp_path / "run") == (1, [])


def test_the_oracle_that_waits_waits_for_whom_it_sees_and_only_so_long(room, tmp_path):
    """Somebody stands 1.5 m ahead on the way from (-2, -2): after two steps and turns it waits, 12 times in a row."""
    tracks = tmp_path / "still.txt"
    tracks.write_text("0 1 -1.0 1.7\n10 1 -1.0 1.7\n")
    cameras = ", ".join(f"{name}: {{width: 32, height: 24, hfov: 90}}" for name in ("depth", "semantic", "objects"))
    social = ["task.type=socialnav", f"simulator.sensors={{{cameras}}}", "evaluation.max_steps=60", ONE]
    social.append("agent_service.agent=waiting")
    somebody = f"simulator.people={{count: 1, motion: recorded, options: {{file: {tracks}}}}}"
    ((_, steps),) = walked(run(room, tmp_path / "met", *social, somebody)).values()
    done = "".join("w" if step["action"] == "wait" else "." for step in steps)
    assert "w" * 12 in done
    assert "w" * 13 not in done
    waits = [step["events"]["people"] for step in steps if step["action"] == "wait"]
    assert all(one["seconds"] == 0.5 and one["nearest"] < 1.6 for one in waits)
    nobody = ["simulator.people.count=0", "task.measurements=[success,spl]"]
    ((_, steps),) = walked(run(room, tmp_path / "alone", *social, *nobody)).values()
    assert not [step for step in steps if step["action"] == "wait"]
    with pytest.raises(ConfigError, match=r"simulator\.people\.count is 0\. .*task\.measurements=\[success\]"):
        run(room, tmp_path / "none", *social, "task.measurements=[stl]")


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
    run(room, folder, *overrides, "dataset.limit=2", agent=Witness)
    return list(Witness.seen)


def perturbed(severity, *, rewords=False):
    """By everything, or everything that leaves the words alone."""
    kinds = {name: PERTURBATIONS.get(name) for name in PERTURBATIONS}
    chosen = {name: min(severity, kind.severities) for name, kind in kinds.items() if rewords or not kind.rewords}
    return f"perturbations=[{', '.join(f'{{name: {name}, severity: {chosen[name]}}}' for name in chosen)}]"


@pytest.fixture(scope="module")
def clean(room, tmp_path_factory):
    """What the witness sees where nothing is perturbed, and the run."""
    folder = tmp_path_factory.mktemp("clean") / "run"
    return seen_by_witness(room, folder), folder


def told(seen):
    return [one for one in seen if "action_space" in one]


def test_severity_0_changes_no_bit_and_no_rule(room, clean, tmp_path):
    zero = perturbed(0, rewords=True)
    seen, folder = clean
    assert seen_by_witness(room, tmp_path / "zero", zero) == seen
    assert records(tmp_path / "zero") == records(folder)
    for overrides in ([], [zero]):
        plain = dict(flat(config(room, *overrides).model_dump(mode="json", include=FIRST_EDITION)))
        total = hashlib.sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()
        assert rules_sum(config(room, *overrides)) == total
    assert "\nperturbations" not in (folder / "config.yaml").read_text()


def test_a_participant_is_told_the_same_as_without(room, clean, tmp_path):
    for number, more in enumerate((perturbed(3), "perturbations=[{name: latency, severity: 2}]")):
        assert told(seen_by_witness(room, tmp_path / str(number), more)) == told(clean[0])
    assert len(told(clean[0])) == 2


def test_rules_and_record_hold_what_was_perturbed(room, tmp_path):
    sums = {rules_sum(config(room, f"perturbations=[{{name: blur, severity: {n}}}]")) for n in range(4)}
    assert len(sums) == 4
    found = document(run(room, tmp_path / "run", HARD, AGENT, ONE), "manifest.json")["perturbations"]
    hard = [("pose_drift", 3), ("depth_noise", 1), ("dropped_frames", 2)]
    assert found == [{"name": name, "severity": severity} for name, severity in hard]


class Idle(VLNAgent):
    """Looks at `gps` alone, and only turns, as its test says."""

    turns = "turn_right"
    seen: ClassVar[list[tuple[float, ...]]] = []

    def reset(self, episode):
        self.seen.clear()

    def act(self, observation):
        self.seen.append(tuple(observation["gps"].tolist()))
        return self.turns


def test_another_agent_meets_the_same_drift(room, tmp_path, monkeypatch):
    """Of two that only turn, one to the left, both gps readings are the drift alone."""
    seen = []
    for turns in ("turn_right", "turn_left"):
        monkeypatch.setattr(Idle, "turns", turns)
        run(room, tmp_path / turns, "perturbations=[{name: pose_drift, severity: 3}]", ONE, agent=Idle)
        seen.append(list(Idle.seen))
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == len(seen[0]) == 12


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
        run(room, tmp_path / "run", f"perturbations={wanted}", AGENT)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("more", [HARD, PEOPLE], ids=["perturbations", "people"])
def test_training_sees_what_a_run_would(room, more):
    """Alone and side by side, where frames are drawn in one batch."""
    hard, clean = [*room, more, ONE], [*room, ONE]
    alone, many = nav_eval.make_env("pointnav", overrides=hard), nav_eval.make_vec_env("pointnav", 2, overrides=hard)
    clean = nav_eval.make_env("pointnav", overrides=clean)
    one, side, plain = (env.reset(seed=0)[0] for env in (alone, many, clean))
    for _ in range(3):
        assert all(np.array_equal(one[name], side[name][place]) for name in ("gps", "depth", "rgb") for place in (0, 1))
        assert more == PEOPLE or not np.array_equal(one["depth"], plain["depth"])
        one, side, plain = alone.step(1)[0], many.step(np.array([1, 1]))[0], clean.step(1)[0]
    for env in (alone, many, clean):
        env.close()


def test_latency_uses_up_steps(room, tmp_path):
    """A second more for each answer, in ticks of half a second: two of three steps are waiting."""
    late = "perturbations=[{name: latency, severity: 2}]"
    ((_, steps),) = walked(run(room, tmp_path / "late", late, ONE, agent=Idle)).values()
    assert [step["action"] for step in steps] == ["wait", "wait", "turn_right"] * 4
