"""The worker's process: claims submissions of a server and plays them, some at a time.

It needs neither database nor web framework: an address, a token and the data of the evaluation. One process works in a
folder; when it is killed its evaluators die with it, and the next one says so to the server.
"""

from __future__ import annotations

import fcntl
import secrets
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from nav_eval.errors import ConfigError, InputError
from nav_eval.logging import get_logger
from nav_eval_sdk.signals import join
from nav_eval_server.disk import has_room, is_full
from nav_eval_server.evaluator import COMMAND
from nav_eval_server.images.container import sweep
from nav_eval_server.images.engine import EngineError
from nav_eval_server.images.loading import IMAGES
from nav_eval_server.queue.client import Away, Fenced, Server
from nav_eval_server.queue.play import Play

LOG = get_logger("nav_eval.competition")
TICK = 2.0
"""Seconds between two questions for work, and between two words about a run."""
NO_ENGINE_SECONDS = 600.0
"""So long a worker whose engine runs no image takes none."""
FULL_SECONDS = 60.0
"""So long a worker whose disk is full takes nothing."""


class Worker:
    """`work`: where runs are kept until the server has them; `data`: what paths of the evaluation are relative to."""

    def __init__(
        self,
        server: Server,
        *,
        work: Path,
        data: Path,
        jobs: int = 1,
        command: Sequence[str] = COMMAND,
        tick: float = TICK,
    ) -> None:
        self._server, self._data, self._jobs, self._command, self._tick = server, data, jobs, command, tick
        self._work = work.resolve()
        self.stop = threading.Event()
        self._takes_from = self._images_from = 0.0

    def run(self) -> None:
        """Until `stop` is set, and what runs then has come to an end. Raises InputError if the folder is in use."""
        self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._work / ".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{self._work}: another worker works here. Give this one a folder of its own."
                ) from None
            instance = self._instance()
            if (self._work / IMAGES).exists():
                sweep(instance)
            self._greet(instance)
            threads = [threading.Thread(target=self._work_off, args=(instance,)) for _ in range(self._jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                join(thread)

    def _instance(self) -> str:
        path = self._work / "instance"
        if not path.exists():
            path.write_text(secrets.token_hex(16))
        return path.read_text()

    def _greet(self, instance: str) -> None:
        while not self.stop.is_set():
            try:
                self._server.hello(instance)
                return
            except Away:
                self.stop.wait(self._tick)

    def _work_off(self, instance: str) -> None:
        while not self.stop.is_set():
            claim = self._claimed(instance)
            if claim is None:
                self.stop.wait(self._tick)
            else:
                self._play(claim)

    def _claimed(self, instance: str) -> dict[str, Any] | None:
        if time.monotonic() < self._takes_from:
            return None
        if not has_room(self._work):
            LOG.warning("%s is full: nothing is taken for now.", self._work)
            self._takes_from = time.monotonic() + FULL_SECONDS
            return None
        try:
            return self._server.claim(instance, images=time.monotonic() >= self._images_from)
        except (Away, InputError) as error:
            LOG.warning("No work: %s", error)
            return None

    def _play(self, claim: dict[str, Any]) -> None:
        play = Play(
            self._server,
            claim,
            work=self._work,
            data=self._data,
            command=self._command,
            stop=self.stop,
            tick=self._tick,
        )
        try:
            play.play()
        except ConfigError as error:  # of the engine here
            LOG.warning("No images for now: %s", error)
            self._images_from = time.monotonic() + NO_ENGINE_SECONDS
            self._give_up(claim, "unable", error)
        except EngineError as error:
            LOG.warning("%s cannot be run here: %s", claim["submission"], error)
            self._give_up(claim, "unable", error)
        except Exception as error:  # one submission's trouble must not end the worker
            LOG.exception("%s broke off", claim["submission"])
            if is_full(error):
                self._takes_from = time.monotonic() + FULL_SECONDS
            self._give_up(claim, "unable" if is_full(error) else "played", error)

    def _give_up(self, claim: dict[str, Any], outcome: str, error: Exception) -> None:
        """Unable: it is this machine's trouble, and costs the submission nothing."""
        told = {"outcome": outcome, "message": f"{type(error).__name__}: {error}"}
        with suppress(Away, Fenced):
            self._server.finish(claim["attempt"], {"fence": claim["fence"], **told})


def work(server: Server, *, work: Path, data: Path, jobs: int, **options: Any) -> None:
    """A worker until SIGTERM or SIGINT, which let running episodes end."""
    worker = Worker(server, work=work, data=data, jobs=jobs, **options)

    def leave(number: int, frame: FrameType | None) -> None:
        worker.stop.set()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    worker.run()


def main(url: str, token_file: str, data: str, folder: str, jobs: str) -> None:
    """As the supervisor starts it."""
    server = Server(url, Path(token_file).read_text(encoding="ascii").strip())
    work(server, work=Path(folder), data=Path(data), jobs=int(jobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
