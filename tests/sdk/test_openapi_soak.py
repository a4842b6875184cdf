"""Thousands of random requests against a scaffold in a process of its own, which then still works and is no bigger."""

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

TOKEN = "a-long-token"
EXAMPLES = int(os.environ.get("NAV_EVAL_SOAK_EXAMPLES", "500"))
GROWTH_MB = 60
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
MEANING = [unsupported_method, positive_data_acceptance, not_a_server_error]
"""As in test_openapi: what no schema can decide."""


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """(host:port, process id) of `nav-eval-agent serve`. Its log goes to a file: a full pipe would stop it."""
    log = tmp_path_factory.mktemp("scaffold") / "log.txt"
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "nav_eval_sdk.examples.random_agent:RandomAgent"]
    options = ["--port", "0", "--token", TOKEN, "--max-sessions", "4", "--idle-timeout", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with log.open("w") as out, subprocess.Popen([*command, *options], stderr=out, env=environment) as process:
        while not (started := log.read_text()).startswith("Serving at ") or "\n" not in started:
            assert process.poll() is None, started
            time.sleep(0.1)
        yield started.splitlines()[0].split()[-1].rstrip("."), process.pid
        assert process.poll() is None, "the scaffold ended"
        process.terminate()
    assert "A request failed." not in log.read_text()  # what the example agent makes of nonsense is its own affair


@pytest.mark.soak
def test_the_scaffold_survives_random_requests(scaffold: tuple[str, int]) -> None:
    endpoint, process = scaffold
    schema = schemathesis.openapi.from_dict(json.loads((files("nav_eval_sdk.protocol") / "openapi.json").read_text()))
    schema.config.update(base_url=f"http://{endpoint}")
    calls = [operation.ok() for operation in schema.get_all_operations()]
    for call in calls:
        _ask(call, MODES[0], 20)  # what is loaded on first use is no growth
    before, asked = _megabytes(process), 0
    for call in calls:
        for mode in MODES if call.method != "get" else MODES[:1]:
            asked += _ask(call, mode, EXAMPLES)
    assert asked > EXAMPLES * len(calls)
    assert _megabytes(process) - before < GROWTH_MB
    check = [sys.executable, "-m", "nav_eval_sdk", "check", endpoint, "--token", TOKEN]
    assert subprocess.run(check, check=False).returncode == 0


def _ask(operation: Any, mode: Any, examples: int) -> int:
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


def _megabytes(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")
