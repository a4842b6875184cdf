"""msgspec has seen every structure by the time its module is imported, and threads share one set of protobuf classes.

Two threads that show msgspec a structure for the first time together can end the process (see protocol/structs.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from nav_eval_sdk.client import TestClient, synthetic_episode
from nav_eval_sdk.protocol.messages import ActionSpec, Argument, TensorSpec, TextSpec
from patience import PATIENCE, until
from served import served

ROOT = Path(__file__).parents[2]
UNSEEN = """
import importlib, pathlib, sys
import msgspec, msgspec._utils
look = msgspec._utils.get_class_annotations.__code__
looks = 0

def watch(frame, event, _):
    global looks
    looks += event == "call" and frame.f_code is look

def below(kind):
    for one in kind.__subclasses__():
        yield one
        yield from below(one)

def first_seen(kind):
    global looks
    looks = 0
    sys.setprofile(watch)
    msgspec.json.Decoder(kind)
    sys.setprofile(None)
    return looks > 0

class Fresh(msgspec.Struct):
    number: int

assert first_seen(Fresh) and not first_seen(Fresh)
for source in sys.argv[1:]:
    for file in sorted(pathlib.Path(source).rglob("*.py")):
        if "msgspec" in file.read_text():
            importlib.import_module(".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__"))
kinds = [kind for kind in below(msgspec.Struct) if kind.__module__.startswith("nav_eval")]
print(len(kinds), *(kind.__qualname__ for kind in kinds if first_seen(kind)))
"""
TOGETHER = """
import sys, threading
sys.setswitchinterval(1e-6)
import google.protobuf.descriptor_pb2, google.protobuf.message_factory
from nav_eval_sdk.protocol.grpc import dump_action
from nav_eval_sdk.protocol.messages import Action, Problem
begin, made = threading.Barrier(32), []

def work():
    begin.wait()
    made.append(dump_action(Action("velocity", {"linear": 1.0, "angular": "x"}), Problem("busy")))

threads = [threading.Thread(target=work) for _ in range(32)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(made))
"""


def said(program: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_a_module_shows_its_structures_to_msgspec() -> None:
    sources = (str(ROOT / "src"), str(ROOT / "packages" / "nav-eval-sdk" / "src"))
    count, *unseen = said(UNSEEN, *sources)
    assert unseen == []
    assert int(count) > 60


def test_threads_that_begin_together_make_messages_that_fit() -> None:
    assert [said(TOGETHER) for _ in range(2)] == [["32"]] * 2


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
    until(lambda: TestClient(endpoint, wire=wire).health().status == "ready")
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
    """Sessions that begin together on a service that has seen nothing yet."""
    (tmp_path / "fresh.py").write_text(AGENT)
    for number in range(SERVICES):
        wire, protocol = (("rest-json", "rest"), ("grpc-unary", "grpc"), ("grpc-stream", "grpc"))[number % 3]
        options = ["--protocol", protocol, "--port", "0", "--max-sessions", str(SESSIONS)]
        command = [sys.executable, "-m", "nav_eval_sdk", "serve", "fresh:Fresh", *options]
        with served(command, tmp_path, os.environ) as endpoint:
            assert sessions_at_once(endpoint, wire) == [], f"service {number}"
