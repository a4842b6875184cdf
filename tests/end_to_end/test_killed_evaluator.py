"""An evaluator killed by SIGKILL and the service that it leaves behind: who waits for whom when that is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from forked import Running
from graphs import write_r2r
from nav_eval_sdk import TestClient
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.protocol.messages import ActionSpec, TextSpec
from patience import until
from playing import remote

TESTS = Path(__file__).parents[1]
SOON = 5.0
"""Seconds: `docker stop` kills after ten."""


@contextmanager
def serving(protocol, seconds):
    """A service whose agent thinks so long, as its process and its endpoint."""
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "end_to_end.agents:Turner", "--port", "0"]
    with subprocess.Popen(
        [*command, "--protocol", protocol], cwd=TESTS, env=os.environ | {"SECONDS": str(seconds)},
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            line = process.stderr.readline()
            assert line.startswith("Serving at "), line
            endpoint = line.split()[-1].rstrip(".")
            until_says(protocol, endpoint, lambda health: health.status == "ready")
            yield process, endpoint
        finally:
            process.kill()


@contextmanager
def evaluating(folder, protocol, endpoint):
    """A run without end."""
    endless = ["evaluation.max_steps=1000000", "agent_service.timeout=300", "--quiet", "--out", folder / "run"]
    process = Running("run", "r2r", *write_r2r(folder), *remote(endpoint, protocol), *endless)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_says(protocol, endpoint, expected):
    """Until the service's health is as expected."""
    client = TestClient(endpoint, wire="rest-json" if protocol == "rest" else "grpc-unary")
    until(lambda: expected(client.health()), "the service's health")
    client.close()


@pytest.mark.parametrize("seconds", [0.01, 60], ids=["between two steps", "while the agent thinks"])
@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_does_not_wait_for_an_evaluator_that_was_killed(protocol, seconds, tmp_path):
    with serving(protocol, seconds) as (service, endpoint), evaluating(tmp_path, protocol, endpoint) as evaluator:
        until_says(protocol, endpoint, lambda health: health.detail.startswith("1 "))
        time.sleep(1)
        evaluator.kill()
        evaluator.wait()
        service.send_signal(signal.SIGTERM)
        assert service.wait(SOON) == 0


def played(client, pauses, *, keeps):
    """Act after each pause; whether the connection is kept meanwhile."""
    for pause in pauses:
        if not keeps:
            client.close()
        time.sleep(pause)
        assert client.act({"x": "a"}).action == "turn_left"


@pytest.mark.parametrize(
    ("wire", "keeps"), [("rest-json", True), ("grpc-stream", True), ("rest-json", False), ("grpc-unary", False)]
)
def test_an_evaluator_that_lives_is_waited_for(wire, keeps):
    """One that is slow and holds its connection, and one that is quick and opens one for each call."""
    with serving(wire.split("-")[0], 0) as (service, endpoint):
        client = TestClient(endpoint, wire=wire)
        client.reset(synthetic_episode({"x": TextSpec()}, {"turn_left": ActionSpec()}))
        played(client, [0], keeps=True)
        service.send_signal(signal.SIGTERM)
        played(client, [3] if keeps else [0.4] * 7, keeps=keeps)
        assert service.poll() is None
        client.end()
        client.close()
        assert service.wait(SOON) == 0
