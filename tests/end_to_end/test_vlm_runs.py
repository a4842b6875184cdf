"""The agent `vlm` in whole runs: killed and resumed, in every kind of action, and from behind a turned connection."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_server import Act, ChatServer, chatting
from forked import Running, nav_eval
from nav_eval_sdk import TestClient
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.protocol.messages import ActionSpec
from patience import PATIENCE, until
from playing import lines
from rooms import write_room
from server.joining import ground

SESSIONS = 2


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatServer]:
    monkeypatch.setenv("VLM_MODEL", "m")
    monkeypatch.setenv("VLM_OPTIONS", f"--cache {tmp_path / 'cache.sqlite'} --pictures depth --history 1")
    with chatting() as server:
        monkeypatch.setenv("VLM_URL", server.url)
        yield server


@pytest.fixture
def room(tmp_path: Path) -> list[str]:
    return [*write_room(tmp_path / "data"), "agent_service.agent=vlm", "evaluation.max_steps=6", "dataset.limit=4"]


def test_a_run_that_was_killed_and_resumed_pays_nothing_twice(
    chat: ChatServer, room: list[str], tmp_path: Path
) -> None:
    """But for the answers that were on their way when it was killed: nobody had them."""
    chat.default = lambda body: Act('{"action": 1}', delay=0.05)
    options = [*room, f"evaluation.parallel.sessions={SESSIONS}", "--quiet", "--out", str(tmp_path / "run")]
    run = Running("run", "pointnav", *options)
    until(lambda: chat.paid >= 9, "the third episode")
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    until(lambda: chat.in_flight == 0, "nobody waits any more")
    paid = chat.paid
    assert paid < 4 * 6
    assert nav_eval("run", "pointnav", *options, "--resume", cwd=tmp_path).returncode == 0
    assert [line["status"] for line in lines(tmp_path / "run")] == ["ok"] * 4
    asked = Counter(json.dumps(body, sort_keys=True) for body in chat.asked)
    assert len(asked) == 4 * 6
    assert chat.paid <= 4 * 6 + SESSIONS
    assert max(asked.values()) <= 2


@pytest.mark.parametrize(
    ("kind", "numbers", "wrong"),
    [
        ("velocity", {"linear": 0.25, "angular": 0.1, "duration": 0.5}, {"duration": -1}),
        ("waypoint", {"range": 0.4, "heading": -0.5}, {"heading": 99}),
    ],
)
def test_velocities_and_waypoints_are_played(
    chat: ChatServer, room: list[str], tmp_path: Path, kind: str, numbers: dict[str, float], wrong: dict[str, float]
) -> None:
    """A number out of its bounds is asked for again; then it stops."""
    right, out_of_bounds = ({"action": 1, **numbers, **more} for more in ({}, wrong))
    chat.plan = [Act(json.dumps(one)) for one in (right, right, out_of_bounds, right, {"action": 0})]
    overrides = [*room, f"task.actions=[stop,{kind}]", "dataset.limit=1", "--out", "run"]
    assert nav_eval("run", "pointnav", *overrides, "--quiet", cwd=tmp_path).returncode == 0
    (played,) = lines(tmp_path / "run", "trajectories.jsonl")
    steps = [(step["action"], step["action_args"]) for step in played["steps"]]
    assert steps == [(kind, numbers)] * 3 + [("stop", {})]
    (told,) = lines(tmp_path / "run")
    assert (told["status"], told["usage"]["requests"], chat.paid) == ("ok", 5, 5)
    assert told["metrics"]["path_length"] > 0
    (name,) = wrong
    assert f"{name} must be from" in chat.asked[3]["messages"][-1]["content"]
    schema = json.dumps(chat.asked[0]["response_format"]["json_schema"]["schema"])
    assert all(f'"{name}"' in schema for name in numbers)


def test_who_joins_a_competition_may_be_a_language_model(chat: ChatServer, tmp_path: Path) -> None:
    """The participant's command with the agent's own options; the key is shown to the model's server alone."""
    chat.plan = [Act('{"action": 2}'), Act("no idea"), Act("Action: 1"), Act("0")]
    (tmp_path / "token").write_text("aurora\n")
    (tmp_path / "token").chmod(0o600)
    options = ["--model", "own", "--base-url", chat.url, "--pictures", "rgb", "--log", str(tmp_path / "said")]
    with ground() as here:
        command = [sys.executable, "-m", "nav_eval_sdk", "join", here.url, "vlm", "--token-file", tmp_path / "token"]
        environment = {**os.environ, "OPENAI_API_KEY": "very-secret", "VLM_OPTIONS": ""}
        team = subprocess.Popen([*map(str, command), *options], stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert team.stderr is not None
            assert re.fullmatch(r"Joined 127.0.0.1:\d+\.\n", next(line for line in team.stderr if "https" not in line))
            client = TestClient(here.joined, token="ticket")
            spaces = {name: ActionSpec() for name in ("stop", "move_forward", "turn_left")}
            client.reset(synthetic_episode({}, spaces))
            answers = [client.act({}) for _ in range(3)]
            client.end()
            client.close()
            team.send_signal(signal.SIGTERM)
            assert team.wait(PATIENCE) == 0
        finally:
            team.kill()
            team.communicate()
    assert [answer.action for answer in answers] == ["turn_left", "move_forward", "stop"]
    assert [answer.usage.requests for answer in answers if answer.usage] == [1, 2, 1]
    assert {body["model"] for body in chat.asked} == {"own"}
    assert {body["key"] for body in chat.asked} == {"Bearer very-secret"}
    assert len([*(tmp_path / "said").iterdir()]) == 1
