"""Jobs of workers, apart from their tests: a worker imports neither pytest nor hypothesis."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from nav_eval.core.types import EpisodeResult
from nav_eval.errors import SceneError
from nav_eval.logging import get_logger


def result(key, status="ok", reason=None):
    return EpisodeResult(*key, status, reason, {}, steps=0, timing={})


@dataclass(frozen=True)
class Deadly:
    """A job: episodes named in `poison` kill the process, those in `unlucky` only while others play beside them."""

    poison: tuple[str, ...] = ()
    unlucky: tuple[str, ...] = ()

    def __call__(self, shard, report):
        for place in range(0, len(shard.keys), shard.sessions):
            together = shard.keys[place : place + shard.sessions]
            for key in together:
                report.on_start(key)
            for key in together:
                if key[1] in self.poison or (key[1] in self.unlucky and shard.sessions > 1):
                    os.kill(os.getpid(), signal.SIGKILL)
                get_logger("job").warning("played %s", key[1])
                report.on_result(result(key))


def failing(shard, report):
    report.on_start(shard.keys[0])
    report.on_result(result(shard.keys[0]))
    raise SceneError("house.glb: is gone.")


def surprised(shard, report):
    raise ValueError("what?")


def unborn(shard, report):
    os._exit(3)
