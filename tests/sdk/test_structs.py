"""msgspec has seen every structure by the time its module is imported, and threads share one set of protobuf classes.

Two threads that show msgspec a structure for the first time together can end the process (see protocol/structs.py).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
