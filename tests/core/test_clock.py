"""Where the world does not wait, the time of an answer passes in steps: a body that drives goes on, another waits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from core.chunking import Driver
from core.test_chunks import played, run
from nav_eval import evaluate
from nav_eval.core.actions import Action
from nav_eval.core.clock import WAIT, ChargedClock
from nav_eval.errors import ConfigError
from nav_eval.geometry import yaw_of
from playing import lines, replayed, rescored
from rooms import write_room

DRIVEN = ("task.actions=[stop,velocity]", "dataset.limit=1", "simulator.motion.sliding=false")
CHARGED = "evaluation.clock=charged"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_room(tmp_path_factory.mktemp("world"))


def steps(folder: Path) -> list[dict[str, Any]]:
    return [step for way in lines(folder, "trajectories.jsonl") for step in way["steps"]]


def test_ticks_by_hand() -> None:
    clock, drive = ChargedClock(0.5, None), Action("velocity", {"linear": 1.0, "angular": 0.0, "duration": 2.0})
    assert (clock.charge(1.2), ChargedClock(0.5, 3.0).charge(1.2)) == (1.2, 3.0)
    for seconds, ticks in ((0.0, 0), (0.49, 0), (0.5, 1), (1.2, 2), (1.5, 3)):
        for last in (None, Action("move_forward"), Action("stop")):
            assert list(clock.meanwhile(last, seconds)) == [WAIT] * ticks
    assert len(list(ChargedClock(0.1, None).meanwhile(None, 0.3))) == 3  # 0.3 / 0.1 is a little less than 3
    for seconds, durations in ((0.0, []), (0.2, [0.2]), (1.0, [0.5, 0.5]), (1.2, [0.5, 0.5, 0.2])):
        kept = list(clock.meanwhile(drive, seconds))
        assert [action.args["duration"] for action in kept] == pytest.approx(durations)
        assert all((one.name, one.args["linear"], one.args["angular"]) == ("velocity", 1.0, 0.0) for one in kept)


def test_a_body_that_drives_goes_on_along_its_arc(world: list[str], tmp_path: Path) -> None:
    """Against the circle that it drives: v, w and the time that has passed are all that decides where it is."""
    late = (*DRIVEN, "evaluation.max_steps=29", CHARGED, "evaluation.latency_s=0.8", "evaluation.step_s=0.25")
    waited, found = (every := steps(run(world, tmp_path / "late", *late, agent="Driver")))[:3], every[3:]
    assert {step["action"] for step in waited} == {"wait"}  # before its first answer it stands
    assert not any(step["collided"] for step in found)
    durations = [step["action_args"]["duration"] for step in found]
    assert durations == pytest.approx([1.0, *[0.25, 0.25, 0.25, 0.05, 1.0] * 5])
    assert [step.get("place", 0) for step in found] == [0, *[-1, -1, -1, -1, 0] * 5]
    assert [step.get("charged", 0.0) for step in found] == [0.8, *[0, 0, 0, 0, 0.8] * 5]
    v, w = Driver.args["linear"], Driver.args["angular"]
    (x, _, z), time = lines(tmp_path / "late", "trajectories.jsonl")[0]["start"]["position"], 0.0
    for step in found:
        time += step["action_args"]["duration"]
        assert yaw_of(step["rotation"]) == pytest.approx(math.remainder(w * time, 2 * math.pi), abs=1e-9)
        there = x - v / w * (1 - math.cos(w * time)), z - v / w * math.sin(w * time)
        assert (step["position"][0], step["position"][2]) == pytest.approx(there, abs=1e-3)


def test_it_is_where_it_would_be_had_it_been_told_to_go_on(world: list[str], tmp_path: Path) -> None:
    """A declared latency of one answer's own duration, to the bit the poses of twice as many answers at once."""
    late = ("evaluation.latency_s=1.0", "evaluation.step_s=1.0", CHARGED)
    one = run(world, tmp_path / "late", *DRIVEN, "evaluation.max_steps=22", *late, agent="Driver")
    other = run(world, tmp_path / "prompt", *DRIVEN, "evaluation.max_steps=21", agent="Driver")
    without = [{k: v for k, v in step.items() if k != "charged"} for step in played(one)[0][-1][1:]]
    assert without == played(other)[0][-1]
    for metric in ("path_length", "distance_to_goal", "soft_spl"):
        assert played(one)[0][3].get(metric) == played(other)[0][3].get(metric)


def test_a_body_that_stands_pays_in_steps(world: list[str], tmp_path: Path) -> None:
    late = ("evaluation.latency_s=1.2", "evaluation.step_s=0.5", CHARGED, "evaluation.max_steps=40")
    folder = run(world, tmp_path / "late", *late, "dataset.limit=2")
    prompt = run(world, tmp_path / "prompt", "dataset.limit=2")
    for way, free in zip(lines(folder, "trajectories.jsonl"), lines(prompt, "trajectories.jsonl"), strict=True):
        assert [step["action"] == "wait" for step in way["steps"]] == [index % 3 < 2 for index in range(40)]
        answers = [step for step in way["steps"] if step["action"] != "wait"]
        assert [step["position"] for step in answers] == [step["position"] for step in free["steps"][:13]]
        poses = [way["start"]["position"], *(step["position"] for step in way["steps"])]
        assert all(poses[index + 1] == poses[index] for index in range(40) if index % 3 < 2)
        assert {step["charged"] for step in answers} == {1.2}
        last = way["steps"][-1]  # the world went on until the end, and the answer came too late
        assert (last["charged"], len(last["dropped"])) == (1.2, 1)
    assert [episode["steps"] for episode in lines(folder)] == [40, 40]


def test_measured_time_is_on_record_and_a_replay_repeats_it(world: list[str], tmp_path: Path) -> None:
    for name, agent, rules in (("walks", "Thinker", ()), ("drives", "Driver", DRIVEN)):
        folder = tmp_path / name
        run(world, folder, *rules, CHARGED, "evaluation.step_s=0.05", "dataset.limit=1", agent=agent)
        (way,) = lines(folder, "trajectories.jsonl")
        passed = 0
        for step, latency in zip(way["steps"], way["timing"]["latency"], strict=True):
            passed += step.get("place", 0) == -1
            if step.get("place", 0) == 0:
                assert step.get("charged", 0.0) == latency
                if agent == "Thinker":
                    assert passed == math.floor(latency / 0.05)
                passed = 0
        assert any(step.get("place") == -1 for step in way["steps"])
        assert (replayed(folder), rescored(folder)[1]) == ((1, []), [])


def test_a_chunk_pays_once_and_the_agent_is_told(world: list[str], tmp_path: Path) -> None:
    late = ("evaluation.latency_s=1.0", CHARGED, "evaluation.max_chunk=4", "dataset.limit=1")
    found = steps(run(world, tmp_path / "run", *late))
    assert [step.get("place", 0) for step in found[:12]] == [-1, -1, 0, 1, 2, 3] * 2
    told: list[float | None] = []

    class Asked(Driver):
        def act(self, observation: dict[str, Any]) -> Any:
            told.append(self.told)
            return "stop"

    for clock in ("lockstep", "charged"):
        evaluate("pointnav", agent=Asked, overrides=[*world, "dataset.limit=1", f"evaluation.clock={clock}"])
    assert told == [None, 0.5]


def test_a_tick_that_no_velocity_lasts_for_is_refused(world: list[str]) -> None:
    told = r"evaluation\.step_s: 3 s is more than simulator\.motion\.max_duration = 2 s"
    with pytest.raises(ConfigError, match=told):
        evaluate("pointnav", agent=Driver, overrides=[*world, CHARGED, "evaluation.step_s=3"])
