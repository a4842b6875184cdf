"""People in runs from configuration to record: replayed to the bit, their plans told to nobody.

That they are alike for everybody, test_parallel.py shows.
"""

from __future__ import annotations

import json

import pytest

import nav_eval
from api.test_disclosure import traces
from end_to_end.agents import GpsAgent
from end_to_end.records import walked
from end_to_end.wiretap import sent
from nav_eval.errors import ConfigError
from nav_eval.results.rules import rules_sum
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import replay
from rooms import write_room

PEOPLE = "simulator.people={count: 3, options: {crossing: 1.0}}"
AGENT = "agent_service.agent='end_to_end.agents:GpsAgent'"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    cameras = "depth: {width: 24, height: 16, hfov: 90}, rgb: {width: 24, height: 16, hfov: 90}"
    sensors = f"simulator.sensors={{gps: {{}}, compass: {{}}, {cameras}}}"
    return [*write_room(tmp_path_factory.mktemp("room")), sensors, "evaluation.max_steps=12", "dataset.limit=3"]


def config(room, *overrides):
    return benchmark_config("pointnav", overrides=[*room, *overrides])


def replayed(folder):
    with RunDirectory(folder) as directory, opened(directory.config().blind()) as plan:
        directory.open_for_reading()
        return replay(directory, plan)


@pytest.fixture(scope="module")
def ran(room, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    run_benchmark(config(room, AGENT, PEOPLE), folder)
    return folder


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
    run_benchmark(config(room, people, "dataset.limit=1"), tmp_path / "run")
    assert "ways.txt" in RunDirectory(tmp_path / "run").manifest()["assets_sha256"]


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json"), ("grpc", "stream")])
def test_where_people_are_and_go_is_not_on_the_wire(room, tmp_path, protocol, encoding):
    said = sent(GpsAgent, "pointnav", [*room, PEOPLE], tmp_path / "run", protocol, encoding)
    assert len(said) > 20_000
    told = [step["events"]["people"] for _, steps in walked(tmp_path / "run").values() for step in steps]
    numbers = {number for one in told for pose in one["poses"] for number in (pose[0], pose[2], pose[3])}
    assert len(numbers) > 200
    leaks = [number for number in numbers for look in traces(number) if len(look) > 5 and look in said]
    assert leaks == []
    assert [word for word in (b"people", b"crowd", b"nearest", b"social", b"crossing") if word in said.lower()] == []


def test_the_world_that_does_not_wait_goes_on_for_people(room, tmp_path):
    """Each answer costs 0.6 s, a tick 0.3 s: two steps of waiting, in which people walk for as long."""
    clock = "evaluation={clock: charged, latency_s: 0.6, step_s: 0.3, max_steps: 12}"
    run_benchmark(config(room, PEOPLE, AGENT, clock, "dataset.limit=1"), tmp_path / "run")
    ((_, steps),) = walked(tmp_path / "run").values()
    waits = [step["events"]["people"]["seconds"] for step in steps if step["action"] == "wait"]
    assert len(waits) >= 6
    assert set(waits) == {0.3}
    assert replayed(tmp_path / "run") == (1, [])


def test_the_oracle_that_waits_waits_for_whom_it_sees_and_only_so_long(room, tmp_path):
    """Somebody stands 1.5 m ahead on the way from (-2, -2): after two steps and turns it waits, 12 times in a row."""
    tracks = tmp_path / "still.txt"
    tracks.write_text("0 1 -1.0 1.7\n10 1 -1.0 1.7\n")
    cameras = ", ".join(f"{name}: {{width: 32, height: 24, hfov: 90}}" for name in ("depth", "semantic", "objects"))
    social = [
        "task.type=socialnav",
        f"simulator.sensors={{{cameras}}}",
        "agent_service.agent=waiting",
        "evaluation.max_steps=60",
        "dataset.limit=1",
    ]
    somebody = f"simulator.people={{count: 1, motion: recorded, options: {{file: {tracks}}}}}"
    run_benchmark(config(room, *social, somebody), tmp_path / "met")
    ((_, steps),) = walked(tmp_path / "met").values()
    told = "".join("w" if step["action"] == "wait" else "." for step in steps)
    assert "w" * 12 in told
    assert "w" * 13 not in told
    waits = [step["events"]["people"] for step in steps if step["action"] == "wait"]
    assert all(one["seconds"] == 0.5 and one["nearest"] < 1.6 for one in waits)
    nobody = ["simulator.people.count=0", "task.measurements=[success,spl]"]
    run_benchmark(config(room, *social, *nobody), tmp_path / "alone")
    ((_, steps),) = walked(tmp_path / "alone").values()
    assert not [step for step in steps if step["action"] == "wait"]
    with pytest.raises(ConfigError, match=r"simulator\.people\.count is 0\. .*task\.measurements=\[success\]"):
        run_benchmark(config(room, *social, "task.measurements=[stl]"), tmp_path / "none")


def test_training_sees_the_same_people(room):
    """Alone and side by side, where frames are drawn in one batch."""
    peopled = [*room, PEOPLE, "dataset.limit=1"]
    alone, many = (
        nav_eval.make_env("pointnav", overrides=peopled),
        nav_eval.make_vec_env("pointnav", 2, overrides=peopled),
    )
    one, side = (env.reset(seed=0)[0] for env in (alone, many))
    for _ in range(3):
        assert all((one[name] == side[name][place]).all() for name in ("rgb", "depth") for place in range(2))
        one, side = alone.step(1)[0], many.step([1, 1])[0]
    for env in (alone, many):
        env.close()
