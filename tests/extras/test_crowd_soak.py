"""Forty scripted people at once on this machine: twenty play, twenty write and follow; kills, second tabs, cheats.

Five of those who play sit at pages of Chromium, one of each temperament; the others speak HTTP as the page does.
"""

from __future__ import annotations

import csv
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browsing import patient
from extras.playing import Client, hosted, lines, nav_eval

TEMPERAMENTS = ("good", "slow", "lost", "careless", "cheating")
PAUSE = {"good": 0.5, "slow": 1.5, "lost": 0.6, "careless": 0.2, "cheating": 0.05}
STEPS = {"good": 24, "slow": 8, "lost": 30, "careless": 12, "cheating": 6}
KEYS = {"move_forward": "ArrowUp", "turn_left": "ArrowLeft", "turn_right": "ArrowRight"}
TARGET_SECONDS = 0.25
TEXT = "Leave through the door, keep going and wait where the film ends, please."
SMALL = "simulator.sensors={rgb: {width: 64, height: 48, hfov: 90}}"
LIMIT_SECONDS = 240


def moves(temperament: str, chance: random.Random) -> Iterator[str]:
    """What somebody presses in an episode, to the stop."""
    for step in range(STEPS[temperament]):
        if temperament == "careless":
            yield "move_forward"
        elif temperament == "lost":
            yield "turn_left" if step % 9 else "move_forward"
        else:
            yield chance.choice(["move_forward", "move_forward", "turn_left", "turn_right"])
    yield "stop"


class Somebody(Client):
    """One who goes on whatever happens. `took`: seconds of each step from the key to its frame."""

    def __init__(self, link: str, number: int) -> None:
        super().__init__(link, page=f"page {number}")
        self.temperament, self.chance = TEMPERAMENTS[number % 5], random.Random(number)
        self.took: list[float] = []
        self.plan: Iterator[str] = iter(())
        self.refused: list[int] = []
        self.codes: set[str] = set()
        self.acted = 0.0
        self.leaves = False

    def live(self, end: float) -> None:
        shown: dict[str, Any] = {"version": -1}
        while time.monotonic() < end and not self.leaves and shown.get("phase") not in ("done", "withdrawn"):
            try:
                shown = self.next(shown)
            except (OSError, ValueError, IndexError):  # the server is being killed, or is not there yet
                time.sleep(0.3)
                shown, self.acted = {"version": -1}, 0.0

    def next(self, shown: dict[str, Any]) -> dict[str, Any]:
        if shown["version"] < 0:
            self.call("claim")
        status, news = self.call("wait", seen=shown["version"])
        if status != 200 or news is None:  # a second tab has it, or a kill came between head and body
            return {"version": -1}
        if news.get("code"):
            self.codes.add(news["code"])
        if self.acted and news["phase"] == "play" and news.get("turn") != shown.get("turn"):
            self.took.append(time.monotonic() - self.acted)
        self.acted = 0.0
        if news.get("turn") != shown.get("turn") or news["phase"] != shown.get("phase"):
            self.answer(news)
        return dict(news)

    def answer(self, shown: dict[str, Any]) -> None:
        time.sleep(PAUSE[self.temperament] * self.chance.uniform(0.5, 1.5))
        phase = shown["phase"]
        if self.temperament == "cheating" and "turn" in shown:
            self.cheat(shown)
        if phase == "ready":
            self.plan = moves(self.temperament, self.chance)
        choices = {"consent": "agree", "ready": "start", "note": "unclear" if self.temperament == "lost" else "clear"}
        if phase == "attention":
            choices["attention"] = "stop" if self.temperament == "careless" else shown["wanted"]
        if phase == "play":
            choices["play"] = next(self.plan, "stop")
        text = ""
        if phase == "write":
            choices["write"], text = ("send", TEXT) if shown["watched"] else (f"at:{shown['frames'] - 1}", "")
        if phase in choices:
            self.acted = time.monotonic()
            self.call("choose", turn=shown["turn"], choice=choices[phase], text=text)

    def cheat(self, shown: dict[str, Any]) -> None:
        """What must not work: foreign keys, things not asked, answers to other turns; and a second tab."""
        tries = [{"turn": shown["turn"] + 5, "choice": "stop"}, {"turn": shown["turn"], "choice": "goal"}]
        self.refused += [self.call("choose", **one)[0] for one in tries]
        self.refused.append(self.ask("POST", "/claim", b'{"page":"thief"}', key="x" * 32)[0])
        if self.chance.random() < 0.1:
            other = Client(f"http://{self.host}:{self.port}/#{self.key}", page="second tab")
            other.call("claim")
            self.call("claim")


class Page:
    """One who sits at Chromium, by keys and clicks; `tick` does what is next, if its time has come."""

    def __init__(self, browser: Any, link: str, temperament: str) -> None:
        self.browser, self.link, self.temperament, self.chance = browser, link, temperament, random.Random(link)
        self.wrong: list[str] = []
        self.plan: Iterator[str] = iter(())
        self.due, self.turn, self.over = 0.0, -1, False
        self.page = self.open()

    def open(self) -> Any:
        page = patient(self.browser).new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto(self.link)
        return page

    def tick(self) -> None:
        if self.over or time.monotonic() < self.due:
            return
        phase, turn, busy = self.page.evaluate("[halted || state.phase, state.turn ?? -1, busy]")
        self.over = phase in ("done", "withdrawn")
        self.due = time.monotonic() + PAUSE[self.temperament]
        if phase == "elsewhere":
            self.page.click("#notice-button")
            self.page.wait_for_function("state.version >= 0")
        elif turn == self.turn or busy or self.page.evaluate("Boolean(at('trouble').textContent)"):
            return
        elif phase == "consent":
            self.page.click("#agree")
        elif phase == "ready":
            self.plan = moves(self.temperament, self.chance)
            if self.temperament == "cheating":  # a second tab takes the game
                self.page.context.close()
                self.open()
                self.page = self.open()
                self.page.wait_for_selector("#notice-button:visible")
            self.page.click("#notice-button")
        elif phase == "attention":
            wanted = "stop" if self.temperament == "careless" else self.page.evaluate("state.wanted")
            self.page.click(f"#attention-choices button[value={wanted}]")
        elif phase == "play":
            move = next(self.plan, "stop")
            self.page.keyboard.press(KEYS.get(move, "Space"))
            if move == "stop":
                self.page.keyboard.press("Enter")
        self.turn = turn


@pytest.mark.soak
def test_forty_people_of_five_temperaments_play_and_write_at_once(browser: Any, tmp_path: Path) -> None:
    study, texts = tmp_path / "study", tmp_path / "texts"
    play: Any = partial(hosted, "vln-demo", "--each", 3, out=study, people=20)
    write: Any = partial(
        hosted, "vln-demo", "dataset.generate.scenes=3", SMALL, out=texts, people=20, command=("annotate",)
    )
    end = time.monotonic() + LIMIT_SECONDS
    with (
        ThreadPoolExecutor(40) as pool,
        write() as writing,
        play() as playing,
    ):
        players = [Somebody(link, number) for number, link in enumerate(playing.links[6:])]
        writers = [Somebody(link, number) for number, link in enumerate(writing.links[1:])]
        pages = [Page(browser, link, one) for link, one in zip(playing.links[1:6], TEMPERAMENTS)]
        lives = [pool.submit(one.live, end) for one in (*players, *writers)]

        def go_on(seconds: float) -> None:
            until_then = min(end, time.monotonic() + seconds)
            while time.monotonic() < until_then and not all(one.over for one in pages):
                for one in pages:
                    one.tick()
                time.sleep(0.01)

        go_on(25)
        playing.end(signal.SIGKILL)
        with play(port=players[0].port) as playing:
            go_on(15)
            writing.end(signal.SIGKILL)
            with write(port=writers[0].port) as writing:
                go_on(LIMIT_SECONDS)
                assert playing.end() == 0
                for life in lives[: len(players)]:
                    life.result()
                for one in writers:
                    one.leaves = True
                for life in lives[len(players) :]:
                    life.result()
    told = np.array([took for one in players for took in one.took])
    p50, p95, longest = np.quantile(told, (0.5, 0.95, 1.0))
    report = f"{len(told)} steps: p50 {p50:.3f} s, p95 {p95:.3f} s, longest {longest:.3f} s"
    getLogger(__name__).info(report)
    for out in (study, texts):
        given = [
            (event["person"], event["path"]) for event in lines(out / "annotations.jsonl") if event["type"] == "Given"
        ]
        assert len(set(given)) == len(given), "nobody is given a path twice"
    plays = Counter(event["episode"] for event in lines(study / "annotations.jsonl") if event["type"] == "Played")
    assert (len(plays), set(plays.values())) == (18, {3})
    for number in range(1, 4):
        results = json.loads((study / f"run-{number}" / "results.json").read_text())
        assert (results["n_episodes"], results["n_failed"]) == (18, 0)
    assert nav_eval("replay", study / "run-1") == 0
    with (study / "codes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    shown = [one.codes for one in players]
    assert all(codes <= {rows[number]["code"]} for number, codes in enumerate(shown, 5))
    careless = [rows[place + 5] for place, one in enumerate(players) if one.temperament == "careless"]
    assert all(row["only_forward"] == row["plays"] for row in careless)
    assert {status for one in (*players, *writers) for status in one.refused} <= {400, 401, 409}
    assert not [wrong for one in pages for wrong in one.wrong]
    assert p95 <= TARGET_SECONDS, report
