"""A person who plays: `nav-eval human` in a process of its own, a bare client that keeps every byte, and a browser."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from browsing import patient
from forked import Running
from nav_eval.cli import make_app
from patience import PATIENCE, until
from rooms import write_room

HUMAN = ("human", "--progress", "none")
AXE = "axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id))"
BUTTON, FRAME = "#notice-button:visible", "#view img"


class Hosted:
    """A game that goes on in a process. `links`: what it printed."""

    def __init__(self, arguments: Sequence[object], said: Path, links: int) -> None:
        self._said, self.process = said, Running(*arguments, said=said)
        until(lambda: len(self.links) >= links or self.process.poll() is not None, "everybody's link")
        assert self.process.poll() is None, said.read_text()

    @property
    def links(self) -> list[str]:
        """Those whose line is whole."""
        return re.findall(r"(http://\S+)\n", self.said)

    @property
    def link(self) -> str:
        return self.links[0]

    @property
    def said(self) -> str:
        return self._said.read_text()

    def end(self, number: int | None = None) -> int:
        """Its exit code, after a signal or by itself."""
        if number is not None:
            os.killpg(self.process.pid, number)
        return self.process.wait(PATIENCE)


@contextmanager
def hosted(
    *arguments: object,
    out: Path | None = None,
    people: int = 0,
    port: int = 0,
    said: Path | None = None,
    command: Sequence[str] = HUMAN,
) -> Iterator[Hosted]:
    """A game in the folder `out`, beside which is written what it says; all links of the `people` are there."""
    words = [*command, *arguments]
    if out:
        words += ["--out", out, "--port", port, *(["--people", people] if people else [])]
        said = said or out.with_name(f"{out.name}.said")
    assert said
    game = Hosted(words, said, 1 + people)
    try:
        yield game
    finally:
        if game.process.poll() is None:
            game.end(signal.SIGKILL)


def nav_eval(*arguments: object) -> int:
    """The command in this process."""
    return int(make_app()([str(argument) for argument in arguments]) or 0)


def small_room(folder: Path, episodes: int) -> list[str]:
    """Where to play PointNav with pictures that are soon sent."""
    sensors = "simulator.sensors={rgb: {width: 32, height: 24, hfov: 90}, pointgoal: {}, gps: {}}"
    return ["pointnav", *write_room(folder), sensors, f"dataset.limit={episodes}"]


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


class Window:
    """A browser's tab, and everything that went wrong in it."""

    def __init__(self, browser: Any, link: str, *, locale: str = "en-US", width: int = 1280) -> None:
        self.page = patient(
            browser, locale=locale, viewport={"width": width, "height": 740}, has_touch=width < 600
        ).new_page()
        self.wrong: list[str] = []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.wrong.append(m.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        base = link.partition("#")[0]
        self.page.on("request", lambda r: r.url.startswith((base, "data:")) or self.wrong.append(r.url))
        self.page.goto(link)

    def press(self, key: str) -> None:
        """A key, until its frame is there."""
        before = self.page.inner_text("#steps")
        self.page.keyboard.press(key)
        self.page.wait_for_function("t => document.getElementById('steps').textContent !== t", arg=before)

    def start(self, key: str = "Enter") -> None:
        """By the key alone: the button has the focus."""
        self.page.wait_for_selector(BUTTON)
        self.page.keyboard.press(key)
        self.page.wait_for_selector(FRAME)

    def stop(self, key: str = "Space") -> None:
        self.page.keyboard.press(key)
        self.page.wait_for_selector("#confirm[open]")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#view", state="hidden")


WIDTHS = (1280, 360)
"""Of a screen and of a telephone."""


def looks(window: Window, axe: str, said: dict[str, tuple[str, str]] | None = None) -> None:
    """At every width and in both languages the page fits, its buttons a finger, and axe finds nothing serious.

    `said`: what an element says in English and in Chinese. A window of a telephone is left as it was.
    """
    page = window.page
    devtools = page.context.new_cdp_session(page)
    devtools.send("Runtime.evaluate", {"expression": axe})
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        for _ in range(2):
            page.evaluate("at('language').click()")
            _looks_now(page, devtools, width)
            for selector, words in (said or {}).items():
                assert words[page.evaluate("language") == "zh"] in page.inner_text(selector)
    devtools.detach()


def _looks_now(page: Any, devtools: Any, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.lang !== at('language').lang"), "the button leads to the other"
    sizes = page.evaluate("[...document.querySelectorAll('button')].map(b => b.offsetHeight).filter(h => h > 0)")
    assert all(size >= 44 for size in sizes)
    asked = {"expression": AXE, "awaitPromise": True, "returnByValue": True}
    violations = devtools.send("Runtime.evaluate", asked)["result"]["value"]
    assert violations == [], violations


class Person(Client):
    """Somebody who speaks to the server without a browser."""

    attends = True
    answered = 0
    """The last question that was answered."""

    def __init__(self, link: str) -> None:
        super().__init__(link)
        self.call("claim")

    def call(self, name: str, **content: Any) -> tuple[int, Any]:
        """Checks of attention are passed on the way, unless they are to be seen."""
        status, answer = super().call(name, **content)
        if status != 200 or answer["phase"] != "attention" or not self.attends:
            return status, answer
        super().call("choose", turn=answer["turn"], choice=answer["wanted"])
        return self.call(name, **content | {"seen": answer["version"]})

    def agree(self) -> None:
        self.state("consent")
        self.press("agree")

    def send(self, choice: str, text: str = "") -> int:
        self.answered = self.call("wait", seen=-1)[1]["turn"]
        return self.call("choose", turn=self.answered, choice=choice, text=text)[0]

    def work(self, ways: dict[str, list[str]]) -> None:
        """Whatever is asked for, to the end. `ways`: the actions of the path that each text is of."""
        shown = self.call("wait", seen=-1)[1]
        while shown["phase"] != "done":
            if shown["turn"] <= self.answered:
                pass  # nothing new is asked yet
            elif shown["phase"] == "consent":
                self.send("agree")
            elif shown["phase"] == "write":
                text = f"The text for the way number {secrets.token_hex(8)}, which is to be followed."
                ways[text] = self.watch()
                self.send("send", text)
            elif shown["phase"] == "ready":
                self.play(ways[shown["instruction"]["text"]])
                self.state("note")
                self.send("clear")
            shown = self.call("wait", seen=shown["version"])[1]

    def play_on(self, moves: Sequence[str]) -> Any:
        """Every episode that is offered, to the end; what is told there."""
        shown = self.call("wait", seen=-1)[1]
        while shown["phase"] != "done":
            if shown["phase"] == "ready":
                self.play(moves)
            elif shown["phase"] == "consent":
                self.send("agree")
            shown = self.call("wait", seen=shown["version"])[1]
        return shown

    def watch(self) -> list[str]:
        """The film to its end; the actions that it shows."""
        shown = self.state("write")
        seen = [shown["next"]]
        for place in range(1, shown["frames"]):
            self.send(f"at:{place}")
            shown = self.state("write", shown["turn"])
            seen.append(shown["next"])
        return seen

    def write(self, text: str) -> None:
        shown = self.state("write")
        assert self.send(f"at:{shown['frames'] - 1}") == 204
        self.state("write", shown["turn"])
        assert self.send("send", text) == 204


def all_at_once(links: Sequence[str], act: Callable[[Person], Any]) -> list[Any]:
    """What all of these people do at the same time, to the end."""
    with ThreadPoolExecutor(len(links)) as pool:
        return [done.result(PATIENCE) for done in [pool.submit(act, Person(link)) for link in links]]


def annotate_all(links: Sequence[str]) -> None:
    """All of these people write and follow until everything is done."""
    ways: dict[str, list[str]] = {}
    all_at_once(links, lambda person: person.work(ways))


def play_all(links: Sequence[str], moves: Sequence[str]) -> None:
    """All of these people play each episode by the same moves until everything is done."""
    all_at_once(links, lambda person: person.play_on(moves))


def said(words: Path | Traversable, chinese: str, indent: int) -> list[dict[str, str]]:
    """The words of a page by key, English and Chinese; `chinese`: how these begin."""
    parts = words.read_text(encoding="utf-8").split(chinese)
    return [dict(re.findall(rf'^ {{{indent}}}(\w+): "(.*)",$', part, re.MULTILINE)) for part in parts]


def same_words(english: dict[str, str], chinese: dict[str, str]) -> None:
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", chinese[key])), key


def asked(script: Traversable, page: Traversable) -> set[str]:
    """The keys of the words that a page asks for by name."""
    own = re.findall(r'(?:word|halt|trouble)\("(\w+)"', script.read_text(encoding="utf-8"))
    return {*own, *re.findall(r'data-(?:word|label)="(\w+)"', page.read_text(encoding="utf-8"))}


def image(url: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as picture:
        assert picture.format == "JPEG"
        return np.asarray(picture.convert("RGB"))


def middle(picture: np.ndarray) -> float:
    """R2R's heading (degrees, to the right) of the middle of a picture that shows all around."""
    height, width, _ = picture.shape
    x, _, z = picture[height // 2 - 1 : height // 2 + 1, width // 2 - 1 : width // 2 + 1].mean(axis=(0, 1)) - 128.0
    return float(np.degrees(np.arctan2(x, -z)))


def lines(path: Path) -> list[dict[str, Any]]:
    """What is written whole: who reads beside the writer may meet half of a last line."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def actions(run: Path) -> list[list[str]]:
    """The names of the actions of each episode, as the trajectories have them."""
    return [[step["action"] for step in line["steps"]] for line in lines(run / "trajectories.jsonl")]
