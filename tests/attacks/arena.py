"""Where attacks are carried out: a small graph, an honest team, services to attack, and evaluators that start quickly.

Every attack gets a sandbox of its own: the folders that a process might write to besides its run directory (working
directory, home, temporary files) are empty before it and must be empty after it.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks import judge
from attacks.attack import Attack, Expectation, Outcome
from graphs import default_items, write_r2r
from nav_eval.jit import cache_home
from served import served

QUICK = ("connect=1", "ready=1.5", "reset=1.5", "act=1")
"""Seconds, for services that do not answer; the others may take their time on a busy machine."""
PATIENT = ("connect=10", "ready=20", "reset=20", "act=20")
BOUND = 120.0
"""Seconds for a whole command on a busy machine: the deadlines of QUICK come to 8 for an episode."""
MEGABYTES = 600.0
TOKEN = "a-long-token"
TESTS = Path(__file__).parents[1]
PYTHONPATH = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
"""Of the processes that are started: these modules, and whatever this process was given."""
ENVIRONMENT = os.environ | {"PYTHONPATH": PYTHONPATH}


@dataclass(frozen=True, slots=True)
class Target:
    """A participant's service in a process of its own, to be attacked."""

    endpoint: str
    process: int
    log: Path

    @property
    def megabytes(self) -> float:
        """The most that it ever held."""
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

    def connect(self) -> socket.socket:
        host, _, port = self.endpoint.rpartition(":")
        return socket.create_connection((host, int(port)), BOUND)


@dataclass(frozen=True, slots=True)
class World:
    """What all attacks share. By protocol: `honest`, endpoints of an honest team; `targets`, services under attack."""

    root: Path
    data: tuple[str, ...]
    honest: dict[str, str]
    targets: dict[str, Target]


@contextmanager
def world(root: Path) -> Iterator[World]:
    data = write_r2r(root / "data", items=default_items())
    options = ("--max-sessions", "16", "--idle-timeout", "2")
    with ExitStack() as stack:
        honest = {
            protocol: stack.enter_context(served(_serve(protocol, *options), TESTS, ENVIRONMENT))
            for protocol in ("rest", "grpc")
        }
        targets = {protocol: stack.enter_context(_target(protocol, root / f"{protocol}.log")) for protocol in honest}
        yield World(root, (*data, "dataset.limit=1"), honest, targets)


def _serve(protocol: str, *options: str) -> list[str]:
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "attacks.honest:Honest"]
    return [*command, "--port", "0", "--protocol", protocol, *options]


@contextmanager
def _target(protocol: str, log: Path) -> Iterator[Target]:
    """Its log goes to a file: a full pipe would stop it."""
    command = _serve(protocol, "--token", TOKEN, "--max-sessions", "8", "--idle-timeout", "0")
    with log.open("w") as out, subprocess.Popen(command, stderr=out, env=ENVIRONMENT) as process:
        while not (told := re.search(r"Serving at (\S+)\.\n", log.read_text())):
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)
        try:
            yield Target(told[1], process.pid, log)
        finally:
            process.kill()  # attacks leave sessions behind, and a signal would wait for their end


@dataclass(slots=True)
class Trial:
    """What was run, what came of each command (exit code, seconds, MB) and how the process ended."""

    sandbox: Path
    commands: list[Sequence[str]]
    told: list[dict[str, Any]]
    ended: dict[str, Any]

    def log(self, number: int) -> str:
        """stdout and stderr of a command; bytes that are no UTF-8 as surrogates."""
        path = Path(f"{self.sandbox}/log.{number}")
        return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


class Arena:
    """One evaluator at a time; used by one thread at a time."""

    def __init__(self, shared: World, name: str) -> None:
        self.world = shared
        self._folder = shared.root / name
        self._count = 0
        sandbox = self.sandbox("warm")
        warm_up = self._folder / "warm.json"
        job = self._job(sandbox, [self._honest("rest", sandbox)], 300) | {"modules": f"{sandbox}/modules"}
        warm_up.write_text(json.dumps(job))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "attacks.evaluator", str(warm_up)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT | {"NAV_EVAL_CACHE": str(cache_home())},  # the user's own: HOME is another in a sandbox
            text=True,
        )
        self._baseline()

    def _baseline(self) -> None:
        trial = self.run([])
        if not trial.told:
            raise RuntimeError(f"an honest run fails: {trial.log(0)}")
        self.good_run = trial.sandbox / "honest"
        self.records = judge.records(self.good_run)
        self.megabytes = trial.told[0]["mb"]
        if [record["status"] for record in self.records] != ["ok"]:
            raise RuntimeError(f"an honest team fails: {self.records}")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def sandbox(self, name: str) -> Path:
        self._count += 1
        folder = self._folder / f"{self._count:04}-{re.sub(r'[^a-z0-9]+', '-', name.lower())[:80]}"
        for part in ("cwd", "home", "tmp"):
            (folder / part).mkdir(parents=True)
        return folder

    def run(
        self,
        commands: Sequence[Sequence[str]],
        *,
        protocol: str = "rest",
        sandbox: Path | None = None,
        bound: float = BOUND,
        meanwhile: Callable[[Path], None] | None = None,
    ) -> Trial:
        """The commands and then an honest team's run, in one process. `meanwhile` is told the file of its id."""
        sandbox = sandbox or self.sandbox("honest")
        job = self._job(sandbox, [*commands, self._honest(protocol, sandbox)], bound * max(1, len(commands)) + 10)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        result = Path(job["result"])
        if meanwhile is not None:
            threading.Thread(target=meanwhile, args=(Path(f"{result}.pid"),), daemon=True).start()
        ended = json.loads(self._process.stdout.readline())
        told = json.loads(result.read_text()) if result.exists() else []
        return Trial(sandbox, list(commands), told, ended)

    def _job(self, sandbox: Path, commands: Sequence[Sequence[str]], limit: float) -> dict[str, Any]:
        places = {"HOME": f"{sandbox}/home", "TMPDIR": f"{sandbox}/tmp"}
        return {
            "commands": commands,
            "cwd": f"{sandbox}/cwd",
            "environment": places | {"SECRET_OF_THE_ORGANISER": judge.SECRET},
            "out": f"{sandbox}/log",
            "result": f"{sandbox}/result",
            "limit": limit,
        }

    def _honest(self, protocol: str, sandbox: Path) -> list[str]:
        where = [f"agent_service.protocol={protocol}", f"agent_service.endpoint={self.world.honest[protocol]}"]
        return self.command(where, sandbox / "honest", PATIENT)

    def command(self, overrides: Sequence[str], out: Path, deadlines: Sequence[str]) -> list[str]:
        limits = [f"agent_service.deadlines.{text}" for text in deadlines]
        remote = ["agent_service.type=remote", "agent_service.secret=fixed"]
        return ["run", "r2r", *self.world.data, *remote, *limits, *overrides, "--out", str(out)]

    def judged(self, trial: Trial, expected: Expectation, *, bound: float = BOUND, runs: int | None = None) -> Outcome:
        """Everything that must hold whatever the attack was, and the expectation of the first `runs` commands (all);
        those after them read what a run left and must succeed."""
        findings = judge.process(trial.told, trial.ended, len(trial.commands) + 1, bound, self.megabytes + MEGABYTES)
        for number, _ in enumerate(trial.commands):
            findings += judge.log(trial.log(number))
        findings += judge.strays(trial.sandbox)
        records: list[Any] = []
        directory = trial.sandbox / "run"
        if runs is not None and directory.is_dir():
            records, faults = judge.run_directory(directory)
            findings += faults
        codes = [told["code"] for told in trial.told[: len(trial.commands)]]
        findings += judge.expectation(expected, codes[:runs], records)
        findings += [f"exit {code} of what reads the run" for code in codes[runs or len(codes) :] if code]
        if len(trial.told) > len(trial.commands):
            findings += judge.honest(trial.sandbox / "honest", trial.told[-1]["code"], self.records)
        return Outcome(judge.summary(codes, records), findings, evidence=trial.sandbox)


def campaign(attacks: Sequence[Attack], folder: Path, jobs: int = 4) -> Iterator[tuple[Attack, Outcome]]:
    """Each attack and what came of it, as they end; `jobs` evaluators side by side."""
    free: queue.SimpleQueue[Arena] = queue.SimpleQueue()

    def carry_out(attack: Attack) -> tuple[Attack, Outcome]:
        arena = free.get()
        try:
            return attack, _carried_out(attack, arena)
        finally:
            free.put(arena)

    with world(folder) as shared, ThreadPoolExecutor(jobs) as threads:
        for arena in threads.map(lambda number: Arena(shared, f"arena{number}"), range(jobs)):
            free.put(arena)
        try:
            yield from (done.result() for done in as_completed([threads.submit(carry_out, one) for one in attacks]))
        finally:
            threads.shutdown(cancel_futures=True)
            while not free.empty():
                free.get().close()


def _carried_out(attack: Attack, arena: Arena) -> Outcome:
    begun = time.monotonic()
    try:
        outcome = attack.carry_out(arena)
    except Exception as error:  # noqa: BLE001 - an attack that fails has found something, if only its own fault
        outcome = Outcome("the attack failed", [f"{type(error).__name__}: {error}"])
    outcome.seconds = time.monotonic() - begun
    if outcome.evidence is not None and not outcome.findings:
        shutil.rmtree(outcome.evidence, ignore_errors=True)
    return outcome
