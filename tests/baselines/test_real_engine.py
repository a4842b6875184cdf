"""The agent `vlm` beside a real OpenAI-compatible engine (`transformers serve`) with a tiny model of random weights."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nav_eval
from chat_server import Act, chatting
from patience import PATIENCE, until
from served import free_port

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def engine(engine_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """(its address, the model's name there)."""
    model = tmp_path_factory.mktemp("model") / "tiny"
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    maker = Path(__file__).with_name("tiny_vision_model.py")
    subprocess.run([engine_python, maker, model], env=environment, check=True)
    port = free_port()
    words = ["serve", str(model), "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([engine_python.with_name("transformers"), *words], env=environment)
    with socket.socket() as probe:
        until(lambda: process.poll() is not None or not probe.connect_ex(("127.0.0.1", port)), "an engine")
    assert process.poll() is None
    yield f"http://127.0.0.1:{port}/v1/chat/completions", str(model)
    process.terminate()
    process.wait(PATIENCE)


def asked(url: str, body: dict[str, Any]) -> Act:
    """The engine's own answer, with what it says that it cost."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        told = json.load(response)
    (choice,) = told["choices"]
    return Act(message=choice["message"], finish=choice["finish_reason"], usage=told["usage"])


def test_ten_episodes_are_played_and_every_request_and_token_is_counted(
    engine: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wanders. What stands between counts what the engine sends, and gives a 429 and a 500 of its own."""
    address, model = engine
    with chatting() as between:
        between.default = lambda body: asked(address, body)
        between.plan = [Act(status=429, text="slow down", headers={"Retry-After": "0.1"}), Act(status=500, text="!")]
        monkeypatch.setenv("VLM_URL", between.url)
        monkeypatch.setenv("VLM_MODEL", model)
        log = tmp_path / "log"
        monkeypatch.setenv("VLM_OPTIONS", f"--picture-side 64 --temperature 1 --max-tokens 4 --log {log}")
        few = ["dataset.limit=10", "evaluation.max_steps=12", "evaluation.parallel.sessions=2"]
        results = nav_eval.evaluate(
            "vln-demo", overrides=[*few, "agent_service.agent=vlm", "agent_service.timeout=120"]
        )
        assert dict(results.statuses) == {"ok": 10}
        assert sorted(between.statuses) == [200] * between.paid + [429, 500]
        assert results.usage is not None
        spent, told = results.usage
        assert (spent.input_tokens, spent.output_tokens, spent.requests, told) == (
            between.input_tokens, between.output_tokens, between.paid, 10,
        )  # fmt: skip
    lines = [json.loads(line) for file in log.iterdir() for line in file.read_text().splitlines()]
    assert len({line["answer"] for line in lines}) > 3
