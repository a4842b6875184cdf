"""Throughput of many sessions against one: a service of 100 ms a step, and one with an accelerator that batches.

The service runs in a process of its own. CPU is the evaluator's process alone, children not counted.
    python benchmarks/concurrency.py [--quick]
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from worlds_of_graphs import Batched, Paced, Sleeping, Unbatched, write_world

from nav_eval.core.orchestrator import MemoryStore
from nav_eval.core.types import EpisodeResult
from nav_eval.runs.execution import make_runner
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start


@dataclass(frozen=True)
class Measured:
    steps: int
    wall: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.steps / self.wall


class Noting(MemoryStore):
    """Notes when results come: wall clock and this process's CPU, s."""

    def __init__(self, ends: list[tuple[float, float]]) -> None:
        super().__init__()
        self._ends = ends

    def add(self, result: EpisodeResult) -> None:
        super().add(result)
        self._ends.append((time.perf_counter(), time.process_time()))


def serve(agent: type[Paced], protocol: str, sessions: int, batch: int, pipe: Connection) -> None:
    with start(agent, protocol=protocol, port=0, max_sessions=sessions, max_batch=batch) as server:
        server.wait_loaded()
        pipe.send(server.endpoint)
        pipe.recv()


def measure(agent: type[Paced], protocol: str, sessions: int, episodes: int, batch: int = 1) -> Measured:
    """Steady state: from the end of the first round of episodes (one per session) to the last one's end."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(agent, protocol, sessions, batch, there))
    process.start()
    with tempfile.TemporaryDirectory() as folder:
        remote = ["agent_service.type=remote", f"agent_service.protocol={protocol}"]
        parallel = [f"evaluation.parallel.sessions={sessions}", f"agent_service.endpoint={here.recv()}"]
        overrides = [*write_world(Path(folder), episodes), *remote, *parallel, "agent_service.timeout=60"]
        config = benchmark_config("r2r", overrides=overrides)
        ends: list[tuple[float, float]] = []
        with opened(config) as plan, closing(plan.service(b"secret")) as service:
            service.health_check()
            results = make_runner(plan).run_evaluation(service, Noting(ends))
        assert results.statuses == {"ok": episodes}
    here.send(None)
    process.join()
    (begun, spent), (ended, spent_at_last) = ends[sessions - 1], ends[-1]
    return Measured((episodes - sessions) * Paced.STEPS, ended - begun, spent_at_last - spent)


def main() -> None:
    rounds = 2 if "--quick" in sys.argv else 6
    print("A service of 100 ms per step, 20 steps per episode")
    print("protocol  sessions  steps/s   ratio  evaluator CPU (cores)  (ms per step)")
    for protocol in ("rest", "grpc"):
        alone = measure(Sleeping, protocol, 1, rounds)
        for sessions, found in ((1, alone), (32, measure(Sleeping, protocol, 32, 32 * rounds))):
            ratio, cores, each = found.rate / alone.rate, found.cpu / found.wall, 1e3 * found.cpu / found.steps
            print(f"{protocol:8}  {sessions:8}  {found.rate:7.1f}  {ratio:5.1f}x  {cores:21.2f}  {each:13.2f}")
    print("\nAn accelerator of 10 ms + 1 ms per item, 32 sessions")
    print("protocol  act_batch  steps/s   ratio  evaluator CPU (cores)")
    for protocol in ("rest", "grpc"):
        single = measure(Unbatched, protocol, 32, 16 * rounds)
        for name, found in (("no", single), ("yes", measure(Batched, protocol, 32, 32 * rounds, batch=32))):
            cores = found.cpu / found.wall
            print(f"{protocol:8}  {name:>9}  {found.rate:7.1f}  {found.rate / single.rate:5.1f}x  {cores:21.2f}")


if __name__ == "__main__":
    main()
