"""Sessions that begin together on a service that has seen nothing yet: 200 fresh services, 64 sessions each."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from nav_eval_sdk.client import TestClient, synthetic_episode
from nav_eval_sdk.protocol.messages import ActionSpec, Argument, TensorSpec, TextSpec
from patience import PATIENCE
from served import served

SERVICES = int(os.environ.get("NAV_EVAL_FRESH_SERVICES", "200"))
SESSIONS = 64
SPECS = {"rgb": TensorSpec(shape=(8, 8, 3), dtype="uint8"), "instruction": TextSpec()}
ACTIONS = {"stop": ActionSpec(), "velocity": ActionSpec({"linear": Argument(), "angular": Argument()})}
AGENT = """
import sys
from nav_eval_sdk import VLNAgent

sys.setswitchinterval(1e-5)  # threads change places 500 times as often as by default

class Fresh(VLNAgent):
    def reset(self, episode):
        pass

    def act(self, observation):
        return {"action": "velocity", "action_args": {"linear": 0.5, "angular": 0.1}}
"""


def sessions_at_once(endpoint: str, wire: str) -> list[str]:
    """What went wrong in each of SESSIONS episodes that begin at the same time."""
    while TestClient(endpoint, wire=wire).health().status != "ready":
        time.sleep(0.01)
    begin, faults = threading.Barrier(SESSIONS), []
    observation = {"rgb": np.zeros((8, 8, 3), np.uint8), "instruction": "go"}

    def play() -> None:
        client = TestClient(endpoint, wire=wire, timeout=PATIENCE)
        begin.wait()
        try:
            client.reset(synthetic_episode(SPECS, ACTIONS))
            assert client.act(observation).action == "velocity"
            client.end()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            faults.append(repr(error))
        client.close()

    threads = [threading.Thread(target=play) for _ in range(SESSIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


@pytest.mark.soak
def test_no_fresh_service_dies(tmp_path: Path) -> None:
    (tmp_path / "fresh.py").write_text(AGENT)
    for number in range(SERVICES):
        wire, protocol = (("rest-json", "rest"), ("grpc-unary", "grpc"), ("grpc-stream", "grpc"))[number % 3]
        options = ["--protocol", protocol, "--port", "0", "--max-sessions", str(SESSIONS)]
        command = [sys.executable, "-m", "nav_eval_sdk", "serve", "fresh:Fresh", *options]
        with served(command, tmp_path, os.environ) as endpoint:
            assert sessions_at_once(endpoint, wire) == [], f"service {number}"
