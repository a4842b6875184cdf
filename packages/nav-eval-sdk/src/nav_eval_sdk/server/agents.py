"""Where agent objects live: one thread for each, or one thread for all where the class answers in batches.

Every call to an agent object comes from the same thread, because deep-learning libraries keep state per thread
(torch's grad mode, CUDA contexts, event loops).
"""

from __future__ import annotations

import logging
import queue
import statistics
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval_sdk.agent_interface import Agent, begin
from nav_eval_sdk.errors import ServiceProblem
from nav_eval_sdk.protocol.messages import EpisodeData
from nav_eval_sdk.protocol.text import line

log = logging.getLogger(__name__)
MISSED_GAPS = 8
"""After so many times the usual time between two acts nobody is expected any more."""
HITCH = 0.25
"""Of a batch's time, so long an evaluator may hesitate between two acts that are due."""
LEARNING = 0.2
"""Weight of the last batch in the mean of what a batch takes."""
AgentFactory = Callable[[], Agent]


@dataclass(frozen=True)
class Job:
    """Something to do in an agent's thread; `slot` is set if it is an act that may join a batch."""

    run: Callable[[], Any]
    future: Future[Any]
    slot: AgentSlot | None = None
    observation: dict[str, Any] | None = None


class AgentThread:
    """Runs jobs one after the other, in one thread. With `max_batch` > 1, acts that wait together become one call."""

    def __init__(self, max_batch: int = 1, max_wait: float = 0.0) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._max_batch = max_batch
        self._max_wait = max_wait
        self._lock = threading.Lock()
        self._batch_seconds, self._came = 0.0, time.monotonic()
        self._gaps: deque[float] = deque(maxlen=max(1, max_batch))
        self.busy_slots = 0
        self._thread = threading.Thread(target=self._work, name="agent", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> Future[Any]:
        if job.slot is not None:
            with self._lock:
                now = time.monotonic()
                self._gaps.append(now - self._came)
                self._came = now
        self._jobs.put(job)
        return job.future

    def stop(self) -> None:
        """After the jobs that wait already."""
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.slot is None or self._max_batch < 2:
                _finish([job])
                continue
            batch, later = self._gather(job)
            begun = time.monotonic()
            _finish(batch, _act_batch)
            self._batch_seconds += LEARNING * (time.monotonic() - begun - self._batch_seconds)
            for other in later:
                if other is None:
                    return
                _finish([other])

    def _gather(self, first: Job) -> tuple[list[Job], list[Job | None]]:
        """Acts for one batch; it closes when it is full, when everybody waits, or when waiting costs too much."""
        batch: list[Job] = [first]
        later: list[Job | None] = []
        end = time.monotonic() + max(self._max_wait, self._batch_seconds)
        while len(batch) < min(self._max_batch, self.busy_slots) and not later:
            try:
                job = self._jobs.get(timeout=max(0.0, min(self.patience(len(batch)), end - time.monotonic())))
            except queue.Empty:
                break
            if job is not None and job.slot is not None:
                batch.append(job)
            else:
                later.append(job)
        return batch, later

    def patience(self, waiting: int) -> float:
        """Seconds that the next act is worth to so many that wait.

        Where all acts come within the time of a batch, one batch of all is faster than two halves in turns; each that
        waits loses the wait, and each that comes is spared a batch. Else the model and the evaluator work in turns.
        """
        with self._lock:
            gap = statistics.median(self._gaps) if self._gaps else 0.0
        if self.busy_slots * gap >= self._batch_seconds:
            return self._max_wait
        missing = max(1, min(self._max_batch, self.busy_slots) - waiting)
        expected = max(MISSED_GAPS * gap, HITCH * self._batch_seconds)
        return max(self._max_wait, min(expected, self._batch_seconds * missing / waiting))


class AgentSlot:
    """One agent object and the thread it lives in."""

    def __init__(self, thread: AgentThread, factory: AgentFactory) -> None:
        self.thread = thread
        self._factory = factory
        self.agent: Any = None

    def open(self) -> Future[Any]:
        return self._call(self._make)

    def reset(self, data: EpisodeData) -> Future[Any]:
        return self._call(lambda: begin(self.agent, data))

    def act(self, observation: dict[str, Any]) -> Future[Any]:
        """Ends in (answer, seconds of thinking)."""
        return self.thread.submit(Job(lambda: _measure_time(self.agent.act, observation), Future(), self, observation))

    def close(self) -> Future[Any]:
        close = getattr(self.agent, "close", None)
        return self._call(close or (lambda: None))

    def _call(self, run: Callable[[], Any]) -> Future[Any]:
        return self.thread.submit(Job(run, Future()))

    def _make(self) -> None:
        self.agent = self._factory()


def make_slots(factory: AgentFactory, count: int, max_batch: int, max_wait: float) -> list[AgentSlot]:
    """`count` slots; they share a thread if acts are batched."""
    if max_batch < 2:
        return [AgentSlot(AgentThread(), factory) for _ in range(count)]
    shared = AgentThread(max_batch, max_wait)
    return [AgentSlot(shared, factory) for _ in range(count)]


def _measure_time(call: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    begun = time.perf_counter()
    return call(*args), time.perf_counter() - begun


def _act_batch(batch: Sequence[Job]) -> list[Any]:
    agents = [job.slot.agent for job in batch if job.slot]
    observations = [job.observation for job in batch]
    kind = type(agents[0])
    begun = time.perf_counter()
    answers = list(_batch_call(kind, agents, observations))
    if len(answers) != len(batch):
        raise ValueError(f"{kind.__name__}.act_batch returned {len(answers)} actions for {len(batch)} observations.")
    took = time.perf_counter() - begun
    return [(answer, took) for answer in answers]


def _batch_call(kind: type, agents: Sequence[Any], observations: Sequence[Any]) -> Any:
    shared = any(isinstance(base.__dict__.get("act_batch"), classmethod | staticmethod) for base in kind.__mro__)
    if shared:
        return kind.act_batch(agents, observations)  # type: ignore[attr-defined]
    return agents[0].act_batch(observations)


def _run(jobs: Sequence[Job]) -> list[Any]:
    return [job.run() for job in jobs]


def _finish(jobs: Sequence[Job], work: Callable[[Sequence[Job]], list[Any]] = _run) -> None:
    try:
        answers = work(jobs)
    except (Exception, SystemExit) as error:
        log.exception("The agent failed.")
        problem = ServiceProblem("agent_error", fault(error))
        for job in jobs:
            job.future.set_exception(problem)
        return
    for job, answer in zip(jobs, answers):
        job.future.set_result(answer)


def fault(error: BaseException) -> str:
    """What an agent raised, in a line that ends with the place: "ValueError: no such word (agent.py, line 12)"."""
    frames = traceback.extract_tb(error.__traceback__)
    place = line(f"({Path(frames[-1].filename).name}, line {frames[-1].lineno})", 80) if frames else ""
    said = line(f"{type(error).__name__}: {error}", 200)
    return f"{said} {place}".rstrip()
