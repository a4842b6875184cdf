"""The agent `vlm` against a real server of ours that behaves, and misbehaves, as chat endpoints do."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import re
import threading
import time
from collections.abc import Iterator
from configparser import ConfigParser
from email.utils import formatdate
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import nav_eval
from chat_server import Act, ChatServer, chatting
from nav_eval.errors import ConfigError
from nav_eval_baselines.vlm import Choice, NoAnswer, Options, Unreadable, VlmAgent, endpoint
from nav_eval_baselines.vlm.answers import read_answer
from nav_eval_baselines.vlm.pictures import History
from nav_eval_baselines.vlm.prompt import texts_of
from nav_eval_sdk import cli
from nav_eval_sdk.protocol.usage import Usage, whole

DISCRETE = {name: {"arguments": {}} for name in ("stop", "move_forward", "turn_left", "turn_right")}
GRAPH = {"stop": {"arguments": {}}, "move_to": {"arguments": {"viewpoint": {"kind": "node"}}}}
WAYPOINT = {
    "stop": {"arguments": {}},
    "waypoint": {"arguments": {"range": {"low": 0.0, "high": 3.0, "unit": "m"}, "heading": {"low": -3.2, "high": 3.2}}},
}
RGB = np.full((48, 64, 3), 200, np.uint8)


def episode(text: str = "Walk to the door.", space: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "instruction": {"text": text, "language": "en"},
        "action_space": space or DISCRETE,
        "seed": 0,
        "limits": {"act_timeout": 30.0},
        "episode_id": "e/1",
        "scene_id": "s",
        **more,
    }


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    with chatting() as server:
        yield server


def agent(chat: ChatServer, offer: dict[str, Any] | None = None, chunk: int = 1, **options: Any) -> VlmAgent:
    made = VlmAgent(Options(model="model-x", base_url=chat.url, **options))
    made.max_chunk = chunk
    made.reset(offer or episode())
    return made


def moved(player: VlmAgent, observation: dict[str, Any]) -> dict[str, Any]:
    """What it did, without what that cost and what was said."""
    answer = player.act(observation)
    return {key: answer[key] for key in ("action", "action_args")}


def test_it_shows_pictures_and_history_and_takes_the_action(chat: ChatServer) -> None:
    chat.plan = [Act('{"action": 2}'), Act("Action: 1"), Act("0")]
    player = agent(chat, episode("Walk to the 门."))
    names = [player.act({"rgb": RGB, "depth": np.ones((48, 64, 1), np.float32)})["action"] for _ in range(3)]
    assert names == ["turn_left", "move_forward", "stop"]
    first, second, third = chat.asked
    assert (first["path"], first["key"], first["model"]) == ("/v1/chat/completions", "Bearer very-secret", "model-x")
    assert first["response_format"]["json_schema"]["schema"]["properties"]["action"]["enum"] == [0, 1, 2, 3]
    pictures = [[p for p in one["messages"][1]["content"] if p["type"] == "image_url"] for one in chat.asked]
    assert [len(found) for found in pictures] == [1, 2, 3]
    data = base64.b64decode(pictures[0][0]["image_url"]["url"].partition("base64,")[2])
    assert Image.open(io.BytesIO(data)).size == (64, 48)
    assert "Walk to the 门." in first["messages"][1]["content"][-1]["text"]
    assert "Done so far: turn left\n" in second["messages"][1]["content"][-1]["text"]
    assert "Done so far: turn left; move forward\n" in third["messages"][1]["content"][-1]["text"]


def test_depth_is_a_picture_by_option_and_pictures_are_made_smaller(chat: ChatServer) -> None:
    player = agent(chat, pictures="rgb,depth", picture_side=32, history=0)
    player.act({"rgb": RGB, "depth": np.linspace(0, 20, 48 * 64, dtype=np.float32).reshape(48, 64, 1)})
    urls = [p["image_url"]["url"] for p in chat.asked[0]["messages"][1]["content"] if p["type"] == "image_url"]
    rgb, depth = (Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2]))) for url in urls)
    assert rgb.size == depth.size == (32, 24)
    assert depth.getpixel((5, 0)) > 230
    assert depth.getpixel((5, 23)) < 20


def test_frames_are_the_last_or_spread_evenly() -> None:
    for how, shown in (("last", [b"7", b"8", b"9"]), ("even", [b"0", b"4", b"9"])):
        history = History(3, how)
        for index in range(10):
            history.add(b"%d" % index)
        assert history.shown() == shown
    nothing = History(0, "last")
    nothing.add(b"x")
    assert nothing.shown() == []


def test_on_a_graph_it_moves_to_what_is_listed(chat: ChatServer) -> None:
    nodes = [{"viewpoint": f"n{i}", "heading": 0.5 - i, "elevation": 0.0, "distance": 2.0} for i in range(2)]
    chat.plan = [Act('{"action": 2}')]
    player = agent(chat, episode(space=GRAPH), chunk=5)
    assert moved(player, {"navigable": nodes}) == {"action": "move_to", "action_args": {"viewpoint": "n1"}}
    assert "1: go 2.0 m, 29 degrees to the left\n" in chat.asked[0]["messages"][1]["content"][-1]["text"]
    assert player.done == ["go 2.0 m, 29 degrees to the right"]


def test_chunks_are_answered_up_to_the_rules(chat: ChatServer) -> None:
    chat.plan = [Act('{"actions": [1, 1, 2]}'), Act('{"actions": [1, 1, 1, 1]}'), Act('{"actions": [3]}')]
    player = agent(chat, chunk=3)
    assert [one["action"] for one in player.act({})["actions"]] == ["move_forward", "move_forward", "turn_left"]
    assert player.act({})["action"] == "turn_right"
    assert "1 to 3" in chat.asked[2]["messages"][-1]["content"]


def test_waypoints_are_numbers_within_bounds(chat: ChatServer) -> None:
    chat.plan = [
        Act('{"action": 1, "range": 2.5, "heading": -1}'),
        Act('{"action": 1, "range": 9, "heading": 0}'),
        Act('{"action": "waypoint", "action_args": {"range": 3, "heading": 0}}'),
        Act("1"),
        Act('{"action": 1, "range": "2", "heading": 0}'),
    ]
    player = agent(chat, episode(space=WAYPOINT))
    assert moved(player, {}) == {"action": "waypoint", "action_args": {"range": 2.5, "heading": -1.0}}
    assert moved(player, {}) == {"action": "waypoint", "action_args": {"range": 3.0, "heading": 0.0}}
    assert "range must be from 0 to 3, not 9" in chat.asked[2]["messages"][-1]["content"]
    assert moved(player, {}) == {"action": "waypoint", "action_args": {"range": 0.0, "heading": 0.0}}
    assert player.usage.unreadable == 1


def test_an_action_may_be_named_in_either_language(chat: ChatServer) -> None:
    said = ["停止", "前进", '{"action": "左转"}', "动作：右转", "move forward", '{"action": "turn left"}']
    meant = ["stop", "move_forward", "turn_left", "turn_right", "move_forward", "turn_left"]
    for language in ("en", "zh"):
        chat.plan = [Act(answer) for answer in said]
        player = agent(chat, episode(instruction={"text": "Walk.", "language": language}))
        assert [player.act({})["action"] for _ in said] == meant
        assert player.usage.unreadable == 0


UNREADABLE = [
    Act("I see 3 doors."),
    Act(""),
    Act("99"),
    Act(None, {"content": None, "reasoning_content": "Action: 2"}),
    Act(None, {"content": None, "refusal": "I cannot help with 2."}),
    Act("<think>Action 2", finish="length"),
    Act("1", finish="length"),
    Act("2", finish="content_filter"),
]


@pytest.mark.parametrize("act", UNREADABLE, ids=lambda act: str(act.content or act.message)[:30])
def test_what_cannot_be_read_is_asked_again_then_counted(chat: ChatServer, act: Act) -> None:
    chat.plan = [act, Act('{"action": 3}'), act, act, act, act]
    player = agent(chat)
    assert player.act({})["action"] == "turn_right"
    assert "could not be read" in chat.asked[1]["messages"][-1]["content"]
    assert player.act({})["action"] == "turn_left"
    assert player.usage.unreadable == 1
    stopping = agent(chat, on_unreadable="stop")
    assert stopping.act({})["action"] == "stop"


def test_called_tools_and_parts_are_answers(chat: ChatServer) -> None:
    call = {"type": "function", "function": {"name": "act", "arguments": '{"action": 3}'}}
    named = {"type": "function", "function": {"name": "move_forward", "arguments": "{}"}}
    chat.plan = [
        Act(None, {"content": None, "tool_calls": [call]}),
        Act(None, {"content": None, "tool_calls": [named]}),
        Act([{"type": "text", "text": '{"action": 2}'}]),
        Act('{"action": 3, "why": "the end is', finish="length"),
        Act('{"action": 0}'),
    ]
    player = agent(chat)
    assert [player.act({})["action"] for _ in range(4)] == ["turn_right", "move_forward", "turn_left", "stop"]


def test_passing_faults_are_retried_and_cost_no_answer(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PAUSE", 0.01)
    soon = formatdate(time.time() + 1, usegmt=True)
    chat.plan = [
        Act(status=429, headers={"Retry-After": "0"}),
        Act(status=429, headers={"Retry-After": soon}),
        *(Act(status=status) for status in (500, 503)),
        Act('{"action": 2}', cut=10),
        Act(status=200, message={"x": 1}),
    ]
    player = agent(chat)
    assert player.act({})["action"] == "move_forward"
    assert chat.statuses == [429, 429, 500, 503, 200, 200, 200]
    assert player.usage.unreadable == 0


def test_a_slow_first_token_and_a_timeout_stay_within_the_time(chat: ChatServer) -> None:
    chat.plan = [Act('{"action": 2}', delay=2.0), Act('{"action": 3}', delay=0.2)]
    assert agent(chat, timeout=0.8).act({})["action"] == "turn_right"
    chat.plan = [Act(status=503)] * 50
    begun = time.monotonic()
    with pytest.raises(NoAnswer, match="no answer in time"):
        agent(chat, answer_within=1.0).act({})
    assert time.monotonic() - begun < 5
    chat.plan = [Act(status=429, headers={"Retry-After": "60"})]
    with pytest.raises(NoAnswer, match="429"):
        agent(chat).act({})


@pytest.mark.parametrize(("status", "told"), [(401, "OPENAI_API_KEY"), (403, "may not"), (404, "--base-url")])
def test_a_lasting_refusal_is_not_retried_and_says_what_to_do(chat: ChatServer, status: int, told: str) -> None:
    chat.plan = [Act(status=status, text="wrong key very-secret")]
    with pytest.raises(NoAnswer, match=told) as raised:
        agent(chat).act({})
    assert len(chat.asked) == 1
    assert "very-secret" not in str(raised.value)


def test_a_server_without_schemas_is_asked_without_once_and_for_all(chat: ChatServer) -> None:
    def strict(body: dict[str, Any]) -> Act:
        if "max_tokens" in body:
            return Act(status=400, text="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
        refused = "response_format" in body
        return Act(status=400, text="json_schema is not supported") if refused else Act('{"action": 1}')

    chat.default = strict
    for _ in range(2):
        player = agent(chat)
        assert [player.act({})["action"] for _ in range(2)] == ["move_forward"] * 2
    assert chat.statuses == [400, 400, 200, 200, 200, 200]
    assert chat.asked[-1]["max_completion_tokens"] == 1024


def test_tokens_and_cost_are_the_servers_own_count_and_a_cached_answer_is_free(
    chat: ChatServer, tmp_path: Path
) -> None:
    settings = {"cache": str(tmp_path / "c.sqlite"), "price_in": 2.0, "price_out": 10.0, "log": str(tmp_path / "log")}
    first = agent(chat, **settings)
    answers = [first.act({"rgb": RGB}) for _ in range(3)]
    assert (first.usage.input_tokens, first.usage.output_tokens) == (chat.input_tokens, chat.output_tokens)
    assert first.usage.requests == chat.paid == 3
    assert first.usage.cost == {"USD": pytest.approx((chat.input_tokens * 2 + chat.output_tokens * 10) / 1e6)}
    assert whole(answer["usage"] for answer in answers) == first.usage
    assert [answer["said"] for answer in answers] == ['{"action": 1}'] * 3
    again = agent(chat, **settings)
    for _ in range(3):
        again.act({"rgb": RGB})
    assert chat.paid == 3
    assert again.usage == Usage()
    (file,) = (tmp_path / "log").iterdir()
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [(line["step"], line["cached"], len(line["pictures"])) for line in lines] == [
        (0, True, 1),
        (1, True, 2),
        (2, True, 3),
    ]
    assert "Walk to the door." in lines[0]["prompt"]
    assert not re.search("very-secret|base64", file.read_text("utf-8"))


def test_sessions_share_the_limit_of_requests(chat: ChatServer) -> None:
    chat.default = lambda body: Act('{"action": 1}', delay=0.05)
    players = [agent(chat, max_requests=3) for _ in range(8)]
    threads = [threading.Thread(target=player.act, args=({},)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert chat.most_in_flight <= 3
    assert chat.paid == 8


def test_eight_sessions_against_a_limit_of_four_lose_no_episode_and_a_resumed_run_pays_nothing(
    chat: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat.limit = 4
    chat.default = lambda body: Act('{"action": 1}' if "nothing" in body["messages"][1]["content"][-1]["text"] else "0")
    monkeypatch.setenv("VLM_URL", chat.url)
    monkeypatch.setenv("VLM_MODEL", "m")
    monkeypatch.setenv("VLM_OPTIONS", f"--cache {tmp_path / 'cache'} --picture-side 64")
    few = ["dataset.limit=8", "evaluation.parallel.sessions=8", "agent_service.agent=vlm"]
    results = nav_eval.evaluate("vln-demo", overrides=few)
    assert dict(results.statuses) == {"ok": 8}
    paid = chat.paid
    assert paid > 0
    spent, told = results.usage
    assert told == 8
    assert (spent.input_tokens, spent.output_tokens, spent.requests) == (chat.input_tokens, chat.output_tokens, paid)
    again = nav_eval.evaluate("vln-demo", overrides=few)
    assert dict(again.statuses) == {"ok": 8}
    assert again.usage == (Usage(), 8)
    assert chat.paid == paid


def test_without_a_model_one_message_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VLM_MODEL", raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "vlm"])
    assert ended.value.code == 2
    assert "Give --model NAME, or set VLM_MODEL." in capsys.readouterr().err
    with pytest.raises(ConfigError, match="no model is named"):
        nav_eval.evaluate("vln-demo", overrides=["agent_service.agent=vlm"])


def test_help_lists_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["serve", "vlm", "--help"])
    shown = capsys.readouterr().out
    for name in (one.name for one in dataclasses.fields(Options)):
        assert f"--{name.replace('_', '-')}" in shown


def test_both_prompts_have_the_same_parts_and_places() -> None:
    def parts(language: str) -> dict[str, list[str]]:
        file = ConfigParser(interpolation=None, delimiters=("=",))
        file.read_string((files("nav_eval_baselines.vlm") / "prompts" / f"{language}.ini").read_text("utf-8"))
        return {
            f"{section}.{key}": sorted(re.findall(r"\$\w+", value))
            for section in file.sections()
            for key, value in file[section].items()
        }

    assert parts("en") == parts("zh")
    assert len(parts("en")) > 20


def test_a_prompt_of_ones_own_replaces_what_it_names_and_the_language_follows(chat: ChatServer, tmp_path: Path) -> None:
    own = tmp_path / "mine.ini"
    own.write_text("[prompt]\nsystem = Be quick.\n", "utf-8")
    player = agent(chat, prompt=str(own))
    player.act({})
    assert chat.asked[0]["messages"][0]["content"] == "Be quick."
    player.reset(episode(instruction={"text": "走到厨房。", "language": "zh"}))
    player.act({})
    assert "指令：走到厨房。" in chat.asked[1]["messages"][1]["content"][-1]["text"]
    own.write_text("[prompt]\nsystem = Be $quick.\n", "utf-8")
    with pytest.raises(ValueError, match="quick"):
        agent(chat, prompt=str(own)).act({})


class Own(VlmAgent):
    """The three seams."""

    def choices(self, observation: Any) -> list[Choice]:
        return [Choice("halt", "stop"), Choice("walk", "move_forward")]

    def messages(self, observation: Any, choices: Any) -> list[dict[str, Any]]:
        return [{"role": "user", "content": f"{self.instruction} {[one.text for one in choices]}"}]

    def read(self, text: str, choices: Any) -> list[dict[str, Any]]:
        return super().read(text.replace("W", "walk"), choices)


def test_a_subclass_asks_and_reads_as_it_likes(chat: ChatServer) -> None:
    chat.plan = [Act("W"), Act("halt")]
    player = Own(Options(model="m", base_url=chat.url))
    player.reset(episode())
    assert [player.act({})["action"] for _ in range(2)] == ["move_forward", "stop"]
    assert chat.asked[0]["messages"] == [{"role": "user", "content": "Walk to the door. ['halt', 'walk']"}]


def lines_of_answers() -> set[tuple[str, str]]:
    """(expected, answer) of each line of answers.txt."""
    lines = (Path(__file__).parent / "answers.txt").read_text("utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))
    return {(expected, answer.replace("\\n", "\n")) for expected, answer in pairs}


def recorded() -> list[tuple[str, str]]:
    """The same; one with <N> stands for four."""
    told = sorted(lines_of_answers())
    numbered = [(str(n), answer.replace("<N>", str(n))) for want, answer in told if want == "N" for n in range(4)]
    return numbered + [(want, answer) for want, answer in told if want != "N"]


def test_no_recorded_answer_is_misread() -> None:
    names = ["stop", "move_forward", "turn_left", "turn_right"]
    texts = ["stop: the instruction is fulfilled", "move forward: one step", "turn left", "turn right"]
    choices = [Choice(text, name, also=texts_of(name)) for text, name in zip(texts, names, strict=True)]
    assert len({answer for _, answer in recorded()}) > 800
    assert len(lines_of_answers()) > 630  # a line that stands for four counts once
    wrong = []
    for expected, answer in recorded():
        try:
            found = str(names.index(read_answer(answer, choices)[0]["action"]))
        except Unreadable:
            found = "?"
        wrong += [(answer, expected, found)] if found not in set(expected) else []
    assert wrong == []
