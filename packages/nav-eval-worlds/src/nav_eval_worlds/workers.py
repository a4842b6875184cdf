"""Buildings, or their episodes, made side by side; the same bytes as one after the other, for none knows of another."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Protocol, TypeVar

from nav_eval.errors import SceneError
from nav_eval.parent import end_with_parent
from nav_eval.progress import ProgressCallback, share_of
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.shares import Assets
from nav_eval_worlds.world import generate_world

POLL_SECONDS = 0.2
SECONDS_TO_TIDY = 3.0
"""So long a process whose parent is gone may take to remove what it had half made."""
_MEMORY = {-3: 32 << 20, -1: 1 << 30}
"""glibc's M_MMAP_THRESHOLD and M_TRIM_THRESHOLD, in bytes: what one building leaves is the next one's, and is not
cleared page by page again."""
Made = TypeVar("Made", covariant=True)


class Job(Protocol[Made]):
    """Something to make, which a process can be sent."""

    def make(self, on_progress: ProgressCallback) -> Made: ...


@dataclass(frozen=True, slots=True)
class Order:
    """A building and where its files go; without a name they are called after kind and seed."""

    folder: Path
    seed: str
    rooms: int
    storeys: int
    kind: Kind
    detail: int
    assets: Assets
    name: str | None

    def make(self, on_progress: ProgressCallback) -> Path:
        """Writes the files; returns the GLB's path."""
        made = share_of(on_progress, 0.7)
        world = generate_world(self.seed, self.rooms, self.storeys, self.kind, self.detail, made, self.assets)
        path = (world if self.name is None else replace(world, name=self.name)).save(self.folder)
        on_progress(0.3)
        return path


def make_all(jobs: Sequence[Job[Made]], processes: int, on_progress: ProgressCallback) -> Iterator[Made]:
    """What each makes, in order. SceneError where one of several processes is killed."""
    if min(processes, len(jobs)) > 1:
        yield from _side_by_side(jobs, min(processes, len(jobs)), on_progress)
    else:
        for job in jobs:
            yield job.make(share_of(on_progress, 1 / len(jobs)))


def _side_by_side(jobs: Sequence[Job[Made]], processes: int, on_progress: ProgressCallback) -> Iterator[Made]:
    context = multiprocessing.get_context("spawn")
    done, others = context.Value("d", 0.0), set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, context, _begin, (done,))
    try:
        futures: list[Future[Made]] = [pool.submit(_make, job, 1 / len(jobs)) for job in jobs]
        told = 0.0
        for future in futures:
            while not wait([future], POLL_SECONDS).done:
                told = _pass_on(done, told, on_progress)
            yield future.result()
        _pass_on(done, told, on_progress)
    except BrokenProcessPool as error:
        raise SceneError(
            "a process that made a building or its episodes was killed, as happens where memory runs out: give fewer "
            f"than {processes} --processes, or cores (taskset). What is finished stays."
        ) from error
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _pass_on(done: Synchronized[float], told: float, on_progress: ProgressCallback) -> float:
    """Tells what the processes did since; returns what is told in all."""
    now = done.value
    on_progress(now - told)
    return now


def _begin(done: Synchronized[float]) -> None:
    """In a process of the pool: Ctrl-C is its parent's business, and what it does is counted in `done`."""
    global _done
    _done = done
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    end_with_parent(SECONDS_TO_TIDY)
    with suppress(AttributeError):  # where there is no glibc
        for parameter, value in _MEMORY.items():
            ctypes.CDLL(None).mallopt(parameter, value)


def _make(job: Job[Made], share: float) -> Made:
    try:
        return job.make(share_of(_count, share))
    except SystemExit:  # the pool would go on with the next job
        os._exit(1)


def _count(share: float) -> None:
    with _done.get_lock():
        _done.value += share


_done: Synchronized[float]
