"""What twenty people who play at once wait for: s from a choice to its frame, by HTTP over loopback as the page does.

Run: python benchmarks/human_crowd.py [BENCHMARK key=value ...]
Each chooses half a second (0.25 to 0.75) after a frame. Requests, simulator, sensors and JPEG are in it, a browser is
not (human_latency.py). Target: p95 of 0.25 s at most. CPU per step is the server's, whatever else the machine does.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from machine import machine

PEOPLE, WARM_SECONDS, SECONDS = 20, 30.0, 60.0
MOVES = ("move_forward", "move_forward", "turn_left", "turn_right")
COMMAND = [sys.executable, "-c", "from nav_eval.cli import main; main()", "human"]
TICK = os.sysconf("SC_CLK_TCK")


class Player:
    def __init__(self, link: str, number: int) -> None:
        self.address = urlsplit(link)
        self.connection = HTTPConnection(self.address.hostname or "", self.address.port)
        self.chance = random.Random(number)

    def call(self, name: str, **content: Any) -> Any:
        body = json.dumps({"page": "page", **content})
        self.connection.request("POST", f"/{name}", body, {"Authorization": f"Bearer {self.address.fragment}"})
        answer = self.connection.getresponse().read()
        return json.loads(answer) if answer else None

    def play(self, begin: float, end: float) -> list[float]:
        """Seconds of each step that began between two moments."""
        self.call("claim")
        took: list[float] = []
        shown, asked = self.call("wait", seen=-1), 0.0
        while time.monotonic() < end:
            if asked > begin and shown["phase"] == "play":
                took.append(time.monotonic() - asked)
            choice = {"consent": "agree", "ready": "start"}.get(shown["phase"])
            if shown["phase"] == "play":
                time.sleep(self.chance.uniform(0.25, 0.75))
                choice = self.chance.choice(MOVES)
            asked = time.monotonic() if shown["phase"] == "play" else 0.0
            if choice:
                self.call("choose", turn=shown["turn"], choice=choice)
            shown = self.call("wait", seen=shown["version"])
        return took


def used(process: int) -> float:
    """CPU seconds so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def links_of(process: subprocess.Popen[str]) -> list[str]:
    """Of all people, as soon as they are told."""
    assert process.stderr is not None
    links: list[str] = []
    while len(links) < PEOPLE:
        links += re.findall(r"person \d+: (http\S+)", process.stderr.readline())
    return links


def main() -> None:
    options = [*(sys.argv[1:] or ["vln-demo"]), f"--people={PEOPLE}", "--each=2", "--port=0"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(PEOPLE) as pool:
        process = subprocess.Popen([*COMMAND, *options, f"--out={folder}/study"], stderr=subprocess.PIPE, text=True)
        players = [Player(link, number) for number, link in enumerate(links_of(process))]
        begin = time.monotonic() + WARM_SECONDS
        lives = [pool.submit(one.play, begin, begin + SECONDS) for one in players]
        time.sleep(WARM_SECONDS)
        before = used(process.pid)
        time.sleep(SECONDS)
        spent = used(process.pid) - before
        took = [one for life in lives for one in life.result()]
        process.kill()
        process.wait()
    p50, p95, longest = np.quantile(took, (0.5, 0.95, 1.0))
    print(machine())
    print(f"{PEOPLE} people, {len(took)} steps: p50 {p50:.3f} s, p95 {p95:.3f} s, longest {longest:.3f} s")
    print(f"the server used {1000 * spent / len(took):.1f} ms of CPU for a step")


if __name__ == "__main__":
    main()
