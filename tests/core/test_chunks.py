"""Actions that are answered together come to what they come to one by one, to the bit; what is left over is dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from core.chunking import LENGTH, Ahead, Scripted
from nav_eval import evaluate
from nav_eval.config.secrecy import public_config
from nav_eval.results.rules import LATER, rules_of, rules_sum
from nav_eval.results.run_directory import config_differences, config_sum
from nav_eval.runs.registry import benchmark_config
from playing import lines, play, replayed, rescored
from rooms import write_room

CLOCK = {"episode_time", "agent_latency", "agent_latency_p95"}


def run(world: list[str], folder: Path, *overrides: str, agent: str = "Scripted") -> Path:
    return play(folder, [*world, f"agent_service.agent='core.chunking:{agent}'", *overrides], "pointnav").path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return [*write_room(tmp_path_factory.mktemp("world")), "simulator.motion.noise=LoCoBot/ILQR", "dataset.limit=3"]


def played(folder: Path) -> list[tuple[Any, ...]]:
    """All that is recorded of a run, but for wall clocks and where an answer began and ended."""
    found = []
    for episode, way in zip(lines(folder), lines(folder, "trajectories.jsonl"), strict=True):
        steps = [{k: v for k, v in step.items() if k not in ("place", "dropped")} for step in way["steps"]]
        metrics = {name: value for name, value in episode["metrics"].items() if name not in CLOCK}
        found.append((episode["episode_id"], episode["status"], episode["steps"], metrics, way["start"], steps))
    return found


def test_the_same_actions_singly_and_in_chunks_are_the_same_to_the_bit(world: list[str], tmp_path: Path) -> None:
    single = run(world, tmp_path / "1")
    assert any(step["collided"] for way in lines(single, "trajectories.jsonl") for step in way["steps"])
    assert all(episode["status"] == "ok" and episode["steps"] == LENGTH + 1 for episode in lines(single))
    assert not {"place", "dropped"} & set().union(*(s for w in lines(single, "trajectories.jsonl") for s in w["steps"]))
    for most in (4, 7, 1000):
        chunked = run(world, tmp_path / str(most), f"evaluation.max_chunk={most}")
        assert played(chunked) == played(single)
        for way in lines(chunked, "trajectories.jsonl"):
            places = [step.get("place", 0) for step in way["steps"]]
            assert places == [index % most for index in range(LENGTH + 1)]
            asked = [seconds > 0 for seconds in way["timing"]["latency"]]
            assert asked == [place == 0 for place in places]
            left = [] if (LENGTH + 1) % most == 0 else [{"action": "turn_left", "action_args": {}}]
            assert way["steps"][-1].get("dropped", []) == left
            assert not any("dropped" in step for step in way["steps"][:-1])


def test_a_replay_and_a_rescore_of_chunks_find_no_difference(world: list[str], tmp_path: Path) -> None:
    folder = run(world, tmp_path / "run", "evaluation.max_chunk=8", "evaluation.cut_at_collision=true")
    assert (replayed(folder), rescored(folder)[1]) == ((3, []), [])


def test_a_collision_drops_the_rest_where_the_rules_say_so(world: list[str], tmp_path: Path) -> None:
    rules = ("evaluation.max_chunk=6", "evaluation.max_steps=20", "simulator.motion.noise=null")
    kept = lines(run(world, tmp_path / "kept", *rules, agent="Ahead"), "trajectories.jsonl")
    rules = (*rules, "evaluation.cut_at_collision=true")
    cut = lines(run(world, tmp_path / "cut", *rules, agent="Ahead"), "trajectories.jsonl")
    assert [s.get("place", 0) for s in kept[0]["steps"]] == [index % 6 for index in range(20)]
    for way in cut:
        place = 0
        for index, step in enumerate(way["steps"]):
            last = index + 1 == 20
            assert step.get("place", 0) == place
            assert len(step.get("dropped", [])) == (5 - place if step["collided"] or last else 0)
            place = 0 if step["collided"] or place == 5 else place + 1
    assert any(step["collided"] for way in cut for step in way["steps"])


def test_an_agent_is_asked_once_for_a_chunk(world: list[str]) -> None:
    for most, asked in ((1, 40), (8, 5), (9, 5), (39, 2), (40, 1)):
        Ahead.asked = 0
        overrides = [*world, f"evaluation.max_chunk={most}", "dataset.limit=1"]
        results = evaluate("pointnav", agent=Ahead, overrides=overrides)
        assert (Ahead.asked, results.metrics["steps"]["mean"]) == (asked, 40)


def test_rules_that_nobody_uses_are_in_no_sum(world: list[str]) -> None:
    """The sum of r2r is that of the edition before there were chunks; a run of then can be resumed and compared."""
    assert rules_sum(benchmark_config("r2r")) == "f348e6ecd265a7521ea963ccbaf3b7b4fe2ff751af308dec97b764c79e10a31f"
    config = benchmark_config("pointnav", overrides=world)
    assert LATER.items() <= rules_of(config).items()
    before = public_config(config)
    for key in LATER:
        section, name = key.split(".")[:2]
        before[section].pop(name, None)
    assert config_differences(before, public_config(config)) == []
    for key, value in (("evaluation.max_chunk", 2), ("evaluation.cut_at_collision", True)):
        other = benchmark_config("pointnav", overrides=[*world, f"{key}={value}"])
        assert rules_sum(other) != rules_sum(config)
        assert config_differences(before, public_config(other)) == [f"{key} was {LATER[key]}, is {value}"]
    quicker = benchmark_config("pointnav", overrides=[*world, "simulator.renderer_threads=2"])
    assert config_differences(before, public_config(quicker)) == []
    assert config_sum(quicker) == config_sum(config)


class Watching(Scripted):
    """Keeps what it saw at every seventh action."""

    saw: ClassVar[list[Any]] = []

    def act(self, observation: dict[str, Any]) -> Any:
        if self.max_chunk > 1 or len(self.left) % 7 == (LENGTH + 2) % 7:
            self.saw.append(observation["depth"].copy())
        return super().act(observation)


def test_a_perturbation_that_remembers_shows_the_same_in_chunks(world: list[str]) -> None:
    seen = []
    for most in (1, 7):
        Watching.saw = []
        perturbed = ["perturbations=[{name: dropped_frames, severity: 3}]", f"evaluation.max_chunk={most}"]
        evaluate("pointnav", agent=Watching, overrides=[*world, *perturbed, "dataset.limit=6"])
        seen.append(Watching.saw)
    assert len(seen[0]) == len(seen[1]) > 20
    assert all((one == other).all() for one, other in zip(*seen, strict=True))
