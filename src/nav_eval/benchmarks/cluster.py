"""Workers on a Ray cluster: the same shards, the same reports, on as many machines as the cluster has.

Each shard is a task that streams its reports back. Ray itself retries nothing: what a lost machine costs is decided
where it is decided for processes. Data set and scenes must lie at the same paths on every machine.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from nav_eval.core.workers import Job, Launcher, Message, Mouthpiece, Shard, WorkerLost, received
from nav_eval.errors import ConfigError, NavEvalError


class RayWorkers(Launcher):
    """`address`: the cluster's; None lets Ray find one, or begin one on this machine."""

    def __init__(self, job: Job, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise ConfigError(
                "evaluation.parallel.executor=ray: Ray is not installed. pip install 'nav-eval[ray]'."
            ) from None
        self._ray: Any = ray
        self._job = job
        self._address = address
        self._lock = threading.Lock()
        self._running: set[Any] = set()
        self._begun_by_us = False

    def messages(self, shard: Shard) -> Iterator[Message]:
        generator = self._begin(shard)
        try:
            yield from received(self._ray.get(reference) for reference in generator)
        except self._ray.exceptions.RayTaskError as error:
            raise NavEvalError(f"a Ray task failed: {str(error).strip().splitlines()[-1][:300]}") from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(str(error).strip().splitlines()[0][:200]) from None
        finally:
            with self._lock:
                self._running.discard(generator)
            self._ray.cancel(generator, force=True)

    def stop(self) -> None:
        with self._lock:
            for generator in self._running:
                self._ray.cancel(generator, force=True)

    def _begin(self, shard: Shard) -> Any:
        with self._lock:
            if not self._ray.is_initialized():
                self._ray.init(address=self._address, log_to_driver=False, include_dashboard=False)
            task = self._ray.remote(_work).options(num_returns="streaming", max_retries=0, num_cpus=1)
            generator = task.remote(self._job, shard)
            self._running.add(generator)
            return generator


def _work(job: Job, shard: Shard) -> Iterator[Any]:
    """A Ray task: the job in a thread of its own, its reports as they come."""
    reports: queue.SimpleQueue[Any] = queue.SimpleQueue()
    done = object()

    def work() -> None:
        Mouthpiece(reports.put).work(job, shard)
        reports.put(done)

    threading.Thread(target=work, daemon=True).start()
    for report in iter(reports.get, done):  # noqa: UP028 - Ray sends into the generator, which an iterator cannot take
        yield report
