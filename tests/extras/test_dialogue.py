"""Questions on the way: what an agent reaches that follows answers alone, on both wires, and what answers say."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nav_eval
from nav_eval import Action
from nav_eval.config.schema import GenerateConfig
from nav_eval.errors import ConfigError
from nav_eval.runs.generators import GENERATORS
from nav_eval_extras.dialogue.task import MAX_LENGTH
from nav_eval_extras.dialogue.words import FORMS, form_of
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.examples.asking import AskingAgent

ROOMS = {
    "kitchen": "厨房", "bedroom": "卧室", "bathroom": "浴室", "living room": "客厅", "dining room": "餐厅",
    "hallway": "走廊", "foyer": "门厅", "study": "书房", "laundry room": "洗衣房", "storage room": "储藏室",
}  # fmt: skip
BLIND = [f"~simulator.sensors.{name}" for name in ("rgb", "depth", "semantic", "objects", "gps", "compass")]


def records(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_who_follows_answers_alone_arrives(tmp_path: Path, protocol: Any) -> None:
    """The proof of turns, metres and "it is here": nothing else is seen or read, in English and in Chinese."""
    with start(AskingAgent, protocol=protocol, port=0) as agent:
        told = ("type=remote", f"endpoint={agent.endpoint}", f"protocol={protocol}")
        service = [f"agent_service.{one}" for one in told]
        results = nav_eval.evaluate("vln-ask-demo", overrides=[*service, *BLIND], out=tmp_path / "run")
    assert results.statuses == {"ok": 18}
    assert results.metrics["success"]["mean"] == 1.0
    assert results.metrics["spl"]["mean"] > 0.95
    for one in records(tmp_path / "run"):
        told = one["metrics"]
        assert told["questions"] > 1
        assert told["priced_success"] == pytest.approx(max(0.0, 1 - 0.05 * told["questions"]))


@pytest.fixture(scope="module")
def env() -> Any:
    return nav_eval.make_env("vln-ask-demo", overrides=BLIND)


def asked(env: Any, question: str) -> str:
    world = env.unwrapped.environment
    world.step(Action("ask", {"question": question}))
    return str(world.observe()["answer"])


def test_what_is_answered_is_true(env: Any) -> None:
    """By the navmesh's distances, the boxes of the rooms, and the agent's own pose."""
    for _ in range(18):
        env.reset()
        world = env.unwrapped.environment
        simulator = world.simulator
        state, (goal,) = simulator.get_agent_state(), simulator.episode.goals
        way = simulator.navmesh().geodesic_distance(state.position, goal.position)
        chinese = simulator.episode.instruction.language == "zh"
        assert world.observe()["answer"] == ""
        metres = re.search(r"[\d.]+", asked(env, "还有多远？" if chinese else "How far is it from here?"))
        assert metres
        assert float(metres[0]) == pytest.approx(way, abs=0.26)
        here = asked(env, "到了吗？" if chinese else "Am I there?")
        yes, no = ("对，就是这里。", "不，还没到。") if chinese else ("Yes, it is here.", "No, not yet.")
        assert here == (yes if way < 3 else no)
        inside = [
            region.category
            for region in simulator.scene().regions
            if all(region.low[k] <= goal.position[k] <= region.high[k] for k in (0, 2))
        ]
        room = asked(env, "在哪个房间？" if chinese else "Which room is it in?")
        assert any((ROOMS[category] if chinese else f"the {category}") in room for category in inside), (room, inside)
        assert simulator.get_agent_state() == state
        world.step(Action("turn_left"))
        assert world.observe()["answer"] == ""
        simulator.set_agent_state(replace(state, position=goal.position))
        assert asked(env, "here") == yes


def test_a_turn_is_told_from_where_one_looks(env: Any) -> None:
    """After so many degrees to the side that was told the way lies straight ahead."""
    turned = 0
    for _ in range(12):
        env.reset()
        told = asked(env, "where")
        degrees = re.search(r"(\d+) ?(degrees|度)", told)
        if degrees is None:
            continue
        turned += 1
        for _ in range(round(int(degrees[1]) / 15)):
            env.unwrapped.environment.step(Action("turn_left" if "left" in told or "左" in told else "turn_right"))
        assert re.match(r"Go straight|直走", asked(env, "where")), told
    assert turned >= 3


QUESTIONS = {
    "where": [
        "Where should I go now?", "which way do I take?", "Should I turn left or right?", "往哪边走？", "Where is it?",
        "Which way is it?", "Where should I go from here?", "Is it left or right?", "Should I turn left?",
        "What should I do next?", "Which door do I take?", "到了路口往哪走？", "是这个方向吗", "目标在哪？",
        "我该左转还是右转？",
    ],
    "which": ["What room is it in?", "目标在哪个房间？"],
    "here": ["Is it this one?", "就是这张桌子吗？", "Am I there yet?", "Have I arrived?"],
    "far": ["How many metres are left?", "还要走多少米？", "离得远吗"],
    "": [
        "How do I know when I have arrived?", "Is this the bedroom?", "How many doors?",
        "What is the meaning of life?", "\u0000\ud7ff",
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", QUESTIONS)
def test_a_question_is_understood(form: str) -> None:
    assert QUESTIONS.keys() == {*FORMS, ""}
    assert [asked for asked in (form, *QUESTIONS[form]) if form_of(asked) != form] == []


class Chatty(VLNAgent):
    def reset(self, episode: Any) -> None:
        pass

    def act(self, observation: Any) -> Any:
        return {"action": "ask", "action_args": {"question": "x" * (MAX_LENGTH + 1)}}


def test_a_question_of_a_book_s_length_is_the_agent_s_fault() -> None:
    results = nav_eval.evaluate("vln-ask-demo", agent=Chatty(), overrides=[*BLIND, "dataset.limit=1"])
    assert results.statuses == {"invalid_action": 1}


class OnlyAsks(Chatty):
    def act(self, observation: Any) -> Any:
        return {"action": "ask", "action_args": {"question": "What is the meaning of life?"}}


def test_questions_are_actions(tmp_path: Path) -> None:
    """They use up the steps, and who has asked for more than twenty gains nothing by arriving."""
    few = [*BLIND, "dataset.limit=1", "evaluation.max_steps=30"]
    results = nav_eval.evaluate("vln-ask-demo", agent=OnlyAsks(), overrides=few, out=tmp_path / "run")
    (one,) = records(tmp_path / "run")
    assert (one["steps"], one["metrics"]["questions"], one["metrics"]["priced_success"]) == (30, 30, 0.0)
    assert results.statuses == {"ok": 1}


def test_rooms_that_nobody_can_name_are_not_named(env: Any) -> None:
    plain = nav_eval.make_env("vln-ask-demo", overrides=[*BLIND, "simulator.sensors.answer.options.generator=null"])
    plain.reset()
    assert asked(plain, "which") in ("I do not know.", "我不知道。")
    assert re.search(r"\d", asked(plain, "far"))
    assert not re.search(r"into|进入", asked(plain, "where"))
    plain.close()


def test_a_scan_whose_rooms_have_other_names_is_answered(tmp_path: Path) -> None:
    """As in HM3D, where every room is unknown: all but the name of the room."""
    scenes, _ = GENERATORS.get("homes").make("vln", "val_unseen", GenerateConfig(task="vln"))
    shutil.copytree(scenes, tmp_path / "scenes")
    (told,) = (tmp_path / "scenes").glob("*.semantic.json")
    content = json.loads(told.read_text())
    for region in content["regions"]:
        region["category"] = "unknown"
    told.write_text(json.dumps(content))
    _, episodes = GENERATORS.get("homes").make("vln", "val_unseen", GenerateConfig(task="vln"))
    data = [f"dataset.data_path={episodes}/val_unseen.json.gz", f"simulator.scenes_dir={tmp_path}/scenes"]
    env = nav_eval.make_env("vln-ask-demo", overrides=[*BLIND, *data])
    env.reset()
    assert asked(env, "which") in ("I do not know.", "我不知道。")
    assert re.search(r"\d", asked(env, "where"))
    env.close()


def test_who_would_be_told_too_early_is_told_so() -> None:
    with pytest.raises(ConfigError, match=r"answer.options.within: is 3 m.*success_distance=1\)"):
        nav_eval.make_env("vln-ask-demo", overrides=[*BLIND, "evaluation.success_distance=1"])
    with pytest.raises(ConfigError, match=r"answer.options.generator: .*nobody.* With null rooms are not named"):
        nav_eval.make_env("vln-ask-demo", overrides=[*BLIND, "+simulator.sensors.answer.options.generator=nobody"])


def test_a_graph_has_no_oracle(released: Path) -> None:
    data = [
        f"dataset.data_path={released}/r2r/R2R_val_seen.json",
        f"simulator.connectivity_dir={released}/r2r/connectivity",
    ]
    with pytest.raises(ConfigError, match="answer"):
        nav_eval.evaluate("r2r", overrides=[*data, "task.type=vln_ask", "task.actions=[stop,move_to,ask]"])
