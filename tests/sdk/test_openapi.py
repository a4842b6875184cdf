"""The OpenAPI document is valid, says what the structures say, and the scaffold keeps it under random requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.errors import UnsupportedSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance, unsupported_method

from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.protocol import openapi

MEANING = [unsupported_method, positive_data_acceptance, not_a_server_error]
"""Checks that no schema can decide here: an observation must also be what reset declared, and the
agent's `stop` is a fault of its own where a random reset allows no such action."""
POSITIVE, NEGATIVE = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
TOKEN = "a-long-token"
EXAMPLES = int(os.environ.get("NAV_EVAL_SOAK_EXAMPLES", "500"))
GROWTH_MB = 60
CALLS = [(path, method) for path, calls in openapi.document()["paths"].items() for method in calls]
ASKED = [(path, method, mode) for path, method in CALLS for mode in (POSITIVE, NEGATIVE)[: 1 + (method != "get")]]
"""A GET has nothing to spoil."""


class Agent(VLNAgent):
    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing."""

    def act(self, observation: dict[str, Any]) -> str:
        return "stop"


def committed() -> str:
    return (files("nav_eval_sdk.protocol") / "openapi.json").read_text("utf-8")


def test_the_committed_document_is_what_the_messages_say() -> None:
    assert committed() == openapi.text()


def test_the_document_is_valid_openapi_with_the_specifications_three_addresses() -> None:
    schemathesis.openapi.from_dict(json.loads(committed())).validate()
    paths = json.loads(committed())["paths"]
    assert {"/api/v1/episode/reset", "/api/v1/agent/act", "/api/v1/episode/validate"} <= set(paths)


def schema_at(endpoint: str) -> Any:
    schema = schemathesis.openapi.from_dict(json.loads(committed()))
    schema.config.update(base_url=f"http://{endpoint}")
    return schema


def ask(operation: Any, mode: Any, examples: int) -> int:
    """How many requests were sent, each answered as the document says."""
    asked = 0

    @given(st.data())
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def holds(data: st.DataObject) -> None:
        nonlocal asked
        try:
            case: Any = data.draw(operation.as_strategy(generation_mode=mode))
        except UnsupportedSchema:
            reject()  # a spoilt schema that schemathesis itself cannot fill
        asked += 1
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {TOKEN}"}
        response = case.call_and_validate(excluded_checks=MEANING)
        assert response.status_code != 401
        assert b'"internal"' not in response.content
        assert b"Traceback" not in response.content

    holds()
    return asked


@pytest.fixture(scope="module")
def api_schema() -> Iterator[Any]:
    with start(Agent, port=0, token=TOKEN, max_sessions=4, idle_timeout=0.0).wait_loaded() as server:
        yield schema_at(server.endpoint)


@pytest.mark.parametrize(("path", "method", "mode"), ASKED)
def test_the_scaffold_keeps_the_document(api_schema: Any, path: str, method: str, mode: Any) -> None:
    assert ask(api_schema[path][method], mode, 12)


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """(host:port, process id) of `nav-eval-agent serve`. Its log goes to a file: a full pipe would stop it."""
    log = tmp_path_factory.mktemp("scaffold") / "log.txt"
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "random", "--port", "0"]
    options = ["--token", TOKEN, "--max-sessions", "4", "--idle-timeout", "0"]
    with log.open("w") as out, subprocess.Popen([*command, *options], stderr=out) as process:
        while not (started := log.read_text()).startswith("Serving at ") or "\n" not in started:
            assert process.poll() is None, started
            time.sleep(0.1)
        yield started.splitlines()[0].split()[-1].rstrip("."), process.pid
        assert process.poll() is None, "the scaffold ended"
        process.terminate()
    assert "A request failed." not in log.read_text()  # what the example agent makes of nonsense is its own affair


@pytest.mark.soak
def test_the_scaffold_survives_thousands_of_random_requests(scaffold: tuple[str, int]) -> None:
    """It then still works, and is no bigger."""
    endpoint, process = scaffold
    schema = schema_at(endpoint)
    for path, method in CALLS:
        ask(schema[path][method], POSITIVE, 20)  # what is loaded on first use is no growth
    before = megabytes(process)
    assert sum(ask(schema[path][method], mode, EXAMPLES) for path, method, mode in ASKED) > EXAMPLES * len(CALLS)
    assert megabytes(process) - before < GROWTH_MB
    check = [sys.executable, "-m", "nav_eval_sdk", "check", endpoint, "--token", TOKEN]
    assert subprocess.run(check, check=False).returncode == 0


def megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
