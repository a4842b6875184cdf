"""Episodes spread over worker processes: fixed shards, one writer, and what a lost worker costs.

Shards are blocks of episodes in the order of their scenes, so that each worker loads few scenes, and they are fixed
before the first episode starts. Workers only report; this process alone keeps the results. When a worker is lost, a
fresh one goes on with what had not begun; what was in its hands is tried once more, each episode alone, so that the
one that kills workers is found and the others do not suffer for it.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from nav_eval.core.attempts import Attempt, Attempts
from nav_eval.core.interfaces import AgentService
from nav_eval.core.sessions import InProcess, Report
from nav_eval.core.stopping import (
    DRAINS,
    SECONDS_OF_A_WORKER,
    Attended,
    Draining,
    Terminated,
    deaf_to_ctrl_c,
    heed_as_worker,
    wait_for,
)
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import NavEvalError, exhausted
from nav_eval.logging import get_logger
from nav_eval.parent import end_with_parent

FRUITLESS = 3
"""Workers in a row that may be lost before they begin an episode."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Episodes of one worker, how many of them it plays side by side, and how often the service lost them before."""

    keys: tuple[EpisodeKey, ...]
    sessions: int
    lost: Mapping[EpisodeKey, int] = field(default_factory=dict)


Job: TypeAlias = Callable[[Shard, Report], None]
"""Plays a shard in the process that it is called in; can be pickled."""
Message: TypeAlias = EpisodeKey | Attempt | EpisodeResult
"""What a worker reports: an episode begins, is shown or lost, has ended."""


class WorkerLost(NavEvalError):
    """A worker went away without a word: killed, crashed, or its machine is gone."""


class Launcher(ABC):
    """Where workers run. Called from several threads."""

    @abstractmethod
    def messages(self, shard: Shard) -> Iterator[Message]:
        """Play a shard in a new worker. Raises what the job raised, or WorkerLost; closing it ends the worker."""

    def drain(self) -> None:
        """Let workers finish the episodes that run, and begin no others; `messages` then ends or raises WorkerLost."""

    def stop(self) -> None:
        """Tell all workers to end their sessions and themselves; `messages` then ends or raises."""

    def kill(self) -> None:
        """End what does not end by itself."""


def shards(keys: Sequence[EpisodeKey], count: int, sessions: int) -> list[Shard]:
    """`count` shards with `sessions` among them: disjoint, complete, scene by scene, the same whenever asked for."""
    count = min(count, sessions, len(keys))
    return [
        Shard(block, sessions // count + (index < sessions % count))
        for index, block in enumerate(scene_blocks(keys, count))
    ]


def scene_blocks(keys: Sequence[EpisodeKey], count: int) -> list[tuple[EpisodeKey, ...]]:
    """`count` blocks of nearly equal length: disjoint, complete, scene by scene, the same whenever asked for."""
    by_scene = sorted(keys, key=lambda key: key[0])
    bounds = [len(keys) * index // count for index in range(count + 1)]
    return [tuple(by_scene[start:end]) for start, end in pairwise(bounds)]


class WorkerPool:
    """`lost` makes the result of an episode that its worker did not survive twice, from its key and the reason."""

    def __init__(
        self, launcher: Launcher, lost: Callable[[EpisodeKey, str], EpisodeResult], attempts: Attempts | None = None
    ) -> None:
        self._launcher = launcher
        self._attempts = attempts or Attempts()
        self._lost = lost
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []
        self._wish: Draining | None = None
        self._missing = 0
        self._deliver: Callable[[EpisodeResult], None] = lambda result: None

    def play(self, parts: Sequence[Shard], deliver: Callable[[EpisodeResult], None]) -> None:
        """Play all shards; `deliver` is called by one thread at a time. Raises a worker's first error, or Draining."""
        self._deliver, self._errors = deliver, []
        self._missing = sum(len(part.keys) for part in parts)
        supervisors = [Attended(self._supervise, args=(part,)) for part in parts]
        try:
            try:
                for supervisor in supervisors:
                    supervisor.start()
                wait_for(supervisors)
            except Draining as wish:
                self._wish = wish
                self._launcher.drain()
                wait_for(supervisors)
        except KeyboardInterrupt as stop:
            self._fail(stop)
            wait_for(supervisors, SECONDS_OF_A_WORKER)
            self._launcher.kill()
            raise
        if self._errors:
            raise self._errors[0]
        if self._wish is not None and self._missing:
            raise self._wish

    @property
    def _ending(self) -> bool:
        return bool(self._errors) or self._wish is not None

    def _supervise(self, shard: Shard) -> None:
        try:
            suspects = self._together(shard)
            self._one_by_one(suspects)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
            self._fail(error)

    def _together(self, shard: Shard) -> list[EpisodeKey]:
        """Play a shard with as many workers as it takes; what lost workers had in hand."""
        suspects: list[EpisodeKey] = []
        keys, fruitless = shard.keys, 0
        while keys and not self._ending:
            lost = self._attempt(Shard(keys, shard.sessions))
            fruitless = 0 if len(lost.untouched) < len(keys) else fruitless + 1
            if fruitless == FRUITLESS:
                raise WorkerLost(f"{FRUITLESS} workers ended before their first episode: {lost.reason}. Is it memory?")
            suspects += lost.in_hand
            keys = lost.untouched
        return suspects

    def _one_by_one(self, suspects: Sequence[EpisodeKey]) -> None:
        keys = tuple(suspects)
        while keys and not self._ending:
            lost = self._attempt(Shard(keys, 1))
            if self._ending:
                return
            for key in lost.in_hand:
                self._keep(self._lost(key, f"its worker did not survive it, twice: {lost.reason}."))
            keys = lost.untouched

    def _attempt(self, shard: Shard) -> Remains:
        """What is left when a worker has ended; nothing if it ended well."""
        left = dict.fromkeys(shard.keys, False)
        messages = self._launcher.messages(replace(shard, lost=self._attempts.lost(shard.keys)))
        try:
            for message in messages:
                if isinstance(message, EpisodeResult):
                    self._keep(message)
                    left.pop((message.scene_id, message.episode_id), None)
                elif isinstance(message, Attempt):
                    self._attempts.note(message)
                else:
                    left[message] = True
        except WorkerLost as error:
            if not self._ending:
                get_logger(__name__).warning("a worker is lost (%s); another one takes over.", error)
            return Remains.of(left, str(error))
        return Remains.of({}, "")

    def _keep(self, result: EpisodeResult) -> None:
        with self._lock:
            if not self._errors:
                self._deliver(self._attempts.marked(result))
                self._missing -= 1

    def _fail(self, error: BaseException) -> None:
        self._errors.append(error)
        self._launcher.stop()


class Spread:
    """The executor that plays episodes in `workers` workers; `here` plays single ones."""

    def __init__(self, here: InProcess, launcher: Launcher, workers: int) -> None:
        self._here = here
        self._launcher = launcher
        self._workers = workers

    def play(
        self,
        service: AgentService,
        keys: Sequence[EpisodeKey],
        in_flight: int,
        deliver: Callable[[EpisodeResult], None],
    ) -> None:
        WorkerPool(self._launcher, _crash_result, self._here.attempts).play(
            shards(keys, self._workers, in_flight), deliver
        )

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        return self._here.run_episode(service, episode)


def _crash_result(key: EpisodeKey, reason: str) -> EpisodeResult:
    timing = {"wall": 0.0, "agent": 0.0}
    return EpisodeResult(*key, "worker_crash", reason, metrics={}, steps=0, timing=timing)


@dataclass(frozen=True, slots=True)
class Remains:
    """What a lost worker left behind."""

    in_hand: tuple[EpisodeKey, ...]
    untouched: tuple[EpisodeKey, ...]
    reason: str

    @classmethod
    def of(cls, left: dict[EpisodeKey, bool], reason: str) -> Remains:
        """`left`: key -> whether it had begun."""
        begun = tuple(key for key, started in left.items() if started)
        return cls(begun, tuple(key for key, started in left.items() if not started), reason)


class Processes(Launcher):
    """Workers on this machine: spawned, never forked, because threads, gRPC and CUDA do not survive a fork."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._running: set[BaseProcess] = set()
        self._ending = False

    def messages(self, shard: Shard) -> Iterator[Message]:
        yield from received(self.raw(shard))

    def raw(self, shard: Shard) -> Iterator[Any]:
        """What the worker's WorkerReporter says, as it comes."""
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._begin(shard, sender)
        try:
            while (said := receiver.recv()) is not None:  # no iterator: Ray sends into generators
                yield said
        except (EOFError, OSError):
            process.join()
            raise WorkerLost(_cause(process.exitcode)) from None
        finally:
            self._end(process)
            receiver.close()

    def drain(self) -> None:
        self._tell(DRAINS)

    def stop(self) -> None:
        self._tell(signal.SIGTERM)

    def kill(self) -> None:
        self._tell(signal.SIGKILL)

    def _tell(self, number: signal.Signals) -> None:
        with self._lock:
            self._ending = True
            for process in self._running:
                if process.pid is not None and process.is_alive():
                    os.kill(process.pid, number)

    def _begin(self, shard: Shard, sender: Connection) -> BaseProcess:
        process = self._context.Process(target=_work, args=(self._job, shard, sender), name="nav-eval-worker")
        with self._lock:
            if self._ending:
                raise WorkerLost("the run is being ended")
            with deaf_to_ctrl_c():
                process.start()
            self._running.add(process)
        sender.close()
        return process

    def _end(self, process: BaseProcess) -> None:
        if process.is_alive():
            process.terminate()
        process.join(SECONDS_OF_A_WORKER)
        process.kill()
        process.join()
        with self._lock:
            self._running.discard(process)


def received(raw: Iterator[Any]) -> Iterator[Message]:
    """Messages out of what a WorkerReporter sent: log records go to this process's log, errors are raised."""
    for item in raw:
        if isinstance(item, logging.LogRecord):
            logging.getLogger(item.name).handle(item)
        elif isinstance(item, BaseException):
            raise item
        else:
            yield item


class WorkerReporter(logging.Handler):
    """A worker's voice: its reports, its log and its last error, through one `send`."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        super().__init__()
        self._send = send
        self._one_at_a_time = threading.Lock()

    def on_start(self, key: EpisodeKey) -> None:
        self.say(key)

    def on_attempt(self, noted: Attempt) -> None:
        self.say(noted)

    def on_result(self, result: EpisodeResult) -> None:
        self.say(result)

    def emit(self, record: logging.LogRecord) -> None:
        plain = logging.makeLogRecord(record.__dict__ | {"msg": record.getMessage(), "args": None, "exc_info": None})
        self.say(plain)

    def say(self, message: Any) -> None:
        with self._one_at_a_time:
            self._send(message)

    def work(self, job: Job, shard: Shard) -> None:
        """Do the job; what it raises is said too."""
        logger = logging.getLogger("nav_eval")
        logger.addHandler(self)
        logger.propagate = False
        try:
            job(shard, self)
        except Exception as error:  # noqa: BLE001 - said to the process that waits, which raises it
            known = error if isinstance(error, NavEvalError) else None
            self.say(exhausted(error) or known or NavEvalError(f"a worker failed: {type(error).__name__}: {error}"))


def _work(job: Job, shard: Shard, sender: Connection) -> None:
    heed_as_worker()
    end_with_parent(SECONDS_OF_A_WORKER)
    mouth = WorkerReporter(sender.send)
    try:
        with suppress(Draining):
            mouth.work(job, shard)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    except Terminated:
        os._exit(128 + signal.SIGTERM)
    mouth.say(None)


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
