"""What a measurement is compared with: the product of a named commit, played in turns with this tree's in one run.

A ratio holds for one machine and one run only. So each side is a process of its own that runs the same script; each
question is put to both, one after the other, and each says what CPU seconds its answer took and what the answer was.
A ratio is the median of those of such pairs, which a busy machine hardly changes. The commit's files are kept in
nav_eval's cache: its kernels are compiled once, as numba knows them by the paths and times of their files.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from machine import machine

from nav_eval.jit import cache_home

COMMIT = "222b46c"
ROOT = Path(__file__).parents[1]
PACKAGES = ("src", "packages/nav-eval-sdk/src")
ROUNDS = 25


@dataclass(frozen=True)
class Pairs:
    """Seconds of either side; yardstick / ours: its median and middle half; whether all answers were the same.

    `calm`: yardstick / ours of the fastest third of either side's answers, which others' work disturbed least.
    """

    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    same: bool
    calm: float

    def __str__(self) -> str:
        answers = "identical" if self.same else "DIFFERENT"
        return f"{self.ratio:6.2f}  ({self.low:.2f} to {self.high:.2f})  {answers}"


def environment(tree: Path | None) -> dict[str, str]:
    """Of a process that imports the product of this tree, or of another that is given."""
    if tree is None:
        return dict(os.environ)
    path = os.pathsep.join(str(tree / package) for package in PACKAGES)
    return dict(os.environ) | {"PYTHONPATH": path, "NAV_EVAL_CACHE": str(tree / "cache")}


class Side:
    """A process that answers questions: of this tree, or of another that is given."""

    def __init__(self, script: str, arguments: list[str], tree: Path | None = None) -> None:
        command = [sys.executable, script, "--side", *arguments]
        self._process = subprocess.Popen(
            command, env=environment(tree), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, question: str) -> tuple[float, str]:
        """Seconds and a sum of the answer; SystemExit where the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{question}\n")
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"one side ended at {question!r}; its message is above")
        seconds, answer = json.loads(line)
        return seconds, answer

    def close(self) -> None:
        self._process.communicate()


@contextmanager
def both(
    script: str,
    arguments: list[str],
    questions: Collection[str],
    *,
    commit: str = COMMIT,
    rounds: int = ROUNDS,
    clock: str = "CPU time",
) -> Iterator[tuple[Side, Side]]:
    """This tree's side and the yardstick's, which answer `questions`.

    Each is put once to processes that end: one that has compiled its kernels makes Python's calls up to 1.6 times as
    slowly as one that read them.
    """
    theirs = tree(commit)
    for warming in (Side(script, arguments), Side(script, arguments, theirs)):
        for question in questions:
            warming.ask(question)
        warming.close()
    print(f"{machine()}; {clock} of commit {commit} and this tree in turns;")
    print(f"medians of {rounds} pairs; ratio: yardstick / ours, above 1 ours is faster; in brackets its middle half")
    sides = Side(script, arguments), Side(script, arguments, theirs)
    try:
        yield sides
    finally:
        for side in sides:
            side.close()


def in_turns(sides: tuple[Side, Side], question: str, rounds: int = ROUNDS) -> Pairs:
    """Put one question to both sides, once to fill the caches and then `rounds` times."""
    answers = {side.ask(question)[1] for side in sides}
    seconds: tuple[list[float], list[float]] = ([], [])
    for round_ in range(rounds):
        for k in (0, 1) if round_ % 2 else (1, 0):
            taken, answer = sides[k].ask(question)
            seconds[k].append(taken)
            answers.add(answer)
    ratios = [theirs / ours for ours, theirs in zip(*seconds)]
    low, ratio, high = statistics.quantiles(ratios, n=4)
    calm = fastest(seconds[1]) / fastest(seconds[0])
    return Pairs(*map(statistics.median, seconds), ratio, low, high, len(answers) == 1, calm)


def fastest(seconds: list[float]) -> float:
    """Mean of the fastest third."""
    return statistics.mean(sorted(seconds)[: max(1, len(seconds) // 3)])


def answer(questions: Mapping[str, Callable[[], object]], clock: Callable[[], float] = time.process_time) -> None:
    """What a side does: answers each question that stands on a line of stdin."""
    for line in sys.stdin:
        begun = clock()
        result = questions[line.strip()]()
        seconds = clock() - begun
        print(json.dumps((seconds, hashlib.sha256(repr(_plain(result)).encode()).hexdigest())), flush=True)


def _plain(result: Any) -> Any:
    """Numbers to the last bit, whatever class of either side holds them."""
    if isinstance(result, list):
        return [_plain(one) for one in result]
    if hasattr(result, "points"):
        return _plain(result.points), result.length
    return hashlib.sha256(result.tobytes()).digest() if hasattr(result, "tobytes") else result


def tree(commit: str = COMMIT, repository: Path = ROOT) -> Path:
    """Where a commit's packages stand in nav_eval's cache; SystemExit where git does not know it."""
    kept = cache_home() / "yardstick" / commit
    if not kept.exists():
        command = ["git", "-C", str(repository), "archive", commit, "src", "packages"]
        archive = subprocess.run(command, capture_output=True)
        if archive.returncode:
            raise SystemExit(f"git gives no commit {commit}: fetch the whole history (git fetch --unshallow)")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=kept.parent) as folder,
            tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar,
        ):
            tar.extractall(Path(folder) / commit, filter="data")
            (Path(folder) / commit).rename(kept)
    return kept


def module(*homes: str) -> Any:
    """The first of these modules that this side has: the product's parts have moved since the commit."""
    return import_module(next(home for home in homes if _exists(home)))


def _exists(home: str) -> bool:
    try:
        return find_spec(home) is not None
    except ModuleNotFoundError:
        return False
