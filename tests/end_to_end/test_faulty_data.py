"""Episodes that nobody could play: refused before anything is asked of the participant, or left out as one key says."""

from __future__ import annotations

import gzip
import json

import pytest

from graphs import item, node, write_r2r
from nav_eval.errors import DatasetError
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.preflight import validate_playable
from nav_eval.runs.registry import benchmark_config
from nav_eval.testing.fakes import FakeSimulator
from nav_eval_sdk import VLNAgent
from playing import lines, play
from rooms import SIZE, episode, write_room

FAULTS = {
    "start in the air": ({"start_position": [-2.0, 3.0, 0.0]}, "start_position", "not on the navmesh"),
    "start outside": ({"start_position": [SIZE, 0.0, 0.0]}, "start_position", "not on the navmesh"),
    "goal outside": ({"goals": [{"position": [50.0, 0.0, 0.0]}]}, "goals", "no path leads"),
    "no goal": ({"goals": []}, "goals", "not a hidden split"),
    "unknown scene": ({"scene_id": "elsewhere.glb"}, "scene_id", "elsewhere.glb"),
}


class Asked(VLNAgent):
    """Remembers that somebody asked."""

    asked = 0

    def reset(self, episode):
        Asked.asked += 1

    def act(self, observation):
        return "stop"


@pytest.fixture
def house(tmp_path):
    return [*write_room(tmp_path), "simulator.sensors={}"]


def spoil(folder, **changed):
    """Change episode 0."""
    episodes = [episode(number, "room0.glb") for number in range(6)]
    episodes[0] |= changed
    (folder / "rooms.json.gz").write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))


@pytest.mark.parametrize("kind", FAULTS)
def test_a_run_is_refused_before_anything_is_asked_and_says_what_to_do_or_leaves_them_out(house, tmp_path, kind):
    Asked.asked = 0
    changed, path, why = FAULTS[kind]
    spoil(tmp_path, **changed)
    with pytest.raises(DatasetError, match="1 of 6 episodes cannot be played") as refused:
        play(tmp_path / "run", house, "pointnav", agent=Asked)
    message = str(refused.value)
    data = str(tmp_path / "rooms.json.gz")
    for told in (data, "episode 0", f"episodes[0].{path}", why, "dataset.faulty=exclude", f"nav-eval validate {data}"):
        assert told in message
    assert not (tmp_path / "run").exists()
    assert Asked.asked == 0
    found = validate_playable(tmp_path / "rooms.json.gz", None, None, [f"simulator.scenes_dir={tmp_path}/rooms"])
    assert [(fault.episode, fault.path) for fault in found.faults] == [("0", f"episodes[0].{path}")]
    assert f"{found.faults[0]}" in message
    overrides = [*house, "dataset.faulty=exclude"]
    evaluated = play(tmp_path / "run", overrides, "pointnav", agent=Asked)
    assert [line["episode_id"] for line in lines(tmp_path / "run")] == ["1", "2", "3", "4", "5"]
    assert (evaluated.results.n_episodes, evaluated.results.n_failed) == (5, 0)
    assert any("1 of 6 episodes cannot be played" in note for note in evaluated.document["notes"])
    again = play(tmp_path / "run", overrides, "pointnav", resume=True, agent=Asked).document
    assert again | {"timing": {}} == evaluated.document | {"timing": {}}, "only another segment's seconds are added"


def test_a_start_that_cannot_be_read_is_one_fault(house, tmp_path):
    """And is not looked for on the navmesh; another episode that is off it is still told."""
    spoiled = [episode(number, "room0.glb") for number in range(2)]
    spoiled[0]["start_position"], spoiled[1]["start_position"] = [1.0, "x"], [SIZE, 0.0, 0.0]
    (tmp_path / "rooms.json.gz").write_bytes(gzip.compress(json.dumps({"episodes": spoiled}).encode()))
    found = validate_playable(tmp_path / "rooms.json.gz", None, None, [f"simulator.scenes_dir={tmp_path}/rooms"])
    places = ["episodes[0].start_position", "episodes[1].start_position"]
    assert [fault.path for fault in found.faults] == places
    assert "expected 3 finite numbers" in found.faults[0].message


LONG = {
    "text": {"text": "走" * 100_001},
    "tokens": {"text": "Go.", "tokens": ["go"] * 100_001},
    "a token": {"text": "Go.", "tokens": ["go", "o" * 100_001]},
}


@pytest.mark.parametrize("kind", LONG)
def test_an_instruction_that_no_agent_could_be_sent_is_a_fault_of_the_data(house, tmp_path, kind):
    spoken = [episode(number, "room0.glb") | {"instruction": {"text": "走" * 100_000}} for number in range(2)]
    spoken[1]["instruction"] = LONG[kind]
    data, overrides = tmp_path / "rooms.json.gz", [*house, "simulator.sensors={instruction: {}}", "dataset.type=vln"]
    data.write_bytes(gzip.compress(json.dumps({"episodes": spoken}).encode()))
    (found,) = validate_playable(data, None, None, []).faults
    assert (found.file, found.episode) == (str(data), "1")
    assert "the instruction has 100001 characters or tokens, and may have 100000" in found.message
    with pytest.raises(DatasetError, match=r"1 of 2 episodes cannot.*\n.*episode 1: .*100001 characters"):
        play(tmp_path / "run", overrides, "pointnav", agent=Asked)
    assert not (tmp_path / "run").exists()
    played = play(tmp_path / "run", [*overrides, "dataset.faulty=exclude"], "pointnav", agent=Asked)
    assert played.results.statuses == {"ok": 1}


def test_episodes_that_are_not_chosen_are_not_looked_at(house, tmp_path):
    spoil(tmp_path, **FAULTS["goal outside"][0])
    config = benchmark_config("pointnav", overrides=[*house, "dataset.episodes=['1','2']"])
    assert run_benchmark(config, tmp_path / "run", agent=Asked).results.statuses == {"ok": 2}


def test_a_split_without_goals_is_played_and_not_scored(tmp_path):
    """R2R writes a hidden goal as a path of one node; between paths that have goals it is a fault."""
    hidden, known = item(0, [node(0, 0)], ["Go."]), item(1, [node(0, 0), node(1, 0)], ["Go."])
    overrides = [*write_r2r(tmp_path, items=[hidden]), "agent_service.agent=stop"]
    results = play(tmp_path / "run", overrides).results
    assert (results.statuses, results.not_scored, results.metrics) == ({"ok": 1}, 1, {})
    overrides = [*write_r2r(tmp_path, items=[hidden, known]), "agent_service.agent=stop"]
    with pytest.raises(DatasetError, match=r"(?s)1 of 2 .*\[0\]\.path: there is no goal, but other episodes have one"):
        play(tmp_path / "other", overrides)


def test_a_path_of_another_length_is_refused_on_the_graph(tmp_path):
    items = [item(number, [node(0, 0), node(1, 0)], ["Go."]) for number in range(2)]
    items[1]["distance"] = 2.5
    overrides = [*write_r2r(tmp_path, items=items), "agent_service.agent=stop"]
    with pytest.raises(DatasetError, match=r"(?s)1 of 2 .*\[1\]\.distance: says 2\.5 m, the path is 2\.00 m long"):
        play(tmp_path / "run", overrides)


def test_where_only_the_simulator_knows_the_episode_is_ours_when_it_begins(house, tmp_path, monkeypatch):
    """A backend that says nothing beforehand; the goal is out of its square."""
    Asked.asked = 0
    spoil(tmp_path, goals=[{"position": [50.0, 0.0, 0.0], "radius": 0.2}])
    backend = FakeSimulator(sensors=())
    monkeypatch.setattr("nav_eval.runs.builder.make_backend", lambda effective: backend)
    results = play(tmp_path / "run", house, "pointnav", agent=Asked).results
    assert (results.statuses, results.n_failed, results.lost) == ({"evaluator_error": 1, "ok": 5}, 0, 1)
    assert results.metrics["success"]["n"] == 5
    assert Asked.asked == 5
