"""A person who plays: `nav-eval human` in a process of its own, a bare client that keeps every byte, and a browser."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from patience import PATIENCE, until

HUMAN = """
from dataclasses import replace
from nav_eval.cli import main
from nav_eval.cli.commands import EVALUATING
EVALUATING["human"] = replace(EVALUATING["human"], target="nav_eval_extras.human.command:human")
main()
"""
"""The command, also where the package was installed before it had it."""


class Hosted:
    """A game that goes on in a process. `link`: what it printed."""

    def __init__(self, arguments: Sequence[object], said: Path) -> None:
        self._said = said
        command = [sys.executable, "-c", HUMAN, "human", *map(str, arguments), "--progress", "none"]
        with said.open("w") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        until(lambda: self._found() or self.process.poll() is not None, "a link")
        assert self.process.poll() is None, said.read_text()
        self.link = str(self._found())

    def _found(self) -> str | None:
        found = re.search(r"http://\S+", self._said.read_text())
        return found and found[0]

    @property
    def said(self) -> str:
        return self._said.read_text()

    def end(self, number: int | None = None) -> int:
        """Its exit code, after a signal or by itself."""
        if number is not None:
            os.killpg(self.process.pid, number)
        return self.process.wait(PATIENCE)


@contextmanager
def hosted(*arguments: object, said: Path) -> Iterator[Hosted]:
    game = Hosted(arguments, said)
    try:
        yield game
    finally:
        if game.process.poll() is None:
            game.end(signal.SIGKILL)


class Client:
    """Speaks HTTP with a socket of its own for each request. `heard`: every byte that came."""

    def __init__(self, link: str, page: str = "client") -> None:
        self.host, self.port = str(urlsplit(link).hostname), int(urlsplit(link).port or 0)
        self.key, self.page = urlsplit(link).fragment, page
        self.heard = bytearray()

    def ask(
        self, method: str, path: str, body: bytes = b"", *, key: str | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Status and body."""
        given = {
            "Host": f"{self.host}:{self.port}",
            "Authorization": f"Bearer {self.key if key is None else key}",
            "Content-Length": str(len(body)),
            "Connection": "close",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as connection:
            connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        self.heard += answer
        top, _, content = answer.partition(b"\r\n\r\n")
        return int(top.split()[1]), content

    def call(self, name: str, **content: Any) -> tuple[int, Any]:
        status, body = self.ask("POST", f"/{name}", json.dumps({"page": self.page, **content}).encode())
        return status, json.loads(body) if body else None

    def state(self, phase: str, beyond: int = -1) -> dict[str, Any]:
        """What is shown as soon as it is of this phase, and of a question after `beyond`."""
        found: dict[str, Any] = {"version": -1}
        while found.get("phase") != phase or found["turn"] <= beyond:
            status, found = self.call("wait", seen=found["version"])
            assert status == 200, found
        return found

    def press(self, choice: str) -> None:
        """Answer what is asked now."""
        _, shown = self.call("wait", seen=-1)
        assert self.call("choose", turn=shown["turn"], choice=choice)[0] == 204

    def play(self, choices: Sequence[str]) -> list[np.ndarray]:
        """Start an episode and make these choices; the frame before each."""
        frames = []
        turn = self.state("ready")["turn"]
        self.press("start")
        for choice in choices:
            shown = self.state("play", turn)
            turn = shown["turn"]
            frames += [image(one["data"]) for one in shown["pictures"] if one["name"] == "rgb"]
            self.press(choice)
        return frames


def image(url: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as picture:
        assert picture.format == "JPEG"
        return np.asarray(picture.convert("RGB"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def actions(run: Path) -> list[list[str]]:
    """The names of the actions of each episode, as the trajectories have them."""
    return [[step["action"] for step in line["steps"]] for line in lines(run / "trajectories.jsonl")]
