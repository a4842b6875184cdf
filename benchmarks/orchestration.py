"""What the evaluation loop itself costs per step: wall time minus the time inside simulator and client calls.

A local agent on a navigation graph, 10,000 steps and more, with the journal, trajectories and metrics of a real run.
    python benchmarks/orchestration.py
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from worlds_of_graphs import Paced, write_world

from nav_eval.core.environment import Environment
from nav_eval.core.interfaces import AgentClient, AgentService
from nav_eval.core.sessions import InProcess
from nav_eval.results.journal import Journal
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective
from nav_eval.runs.registry import benchmark_config

EPISODES = 600
SIMULATOR_CALLS = ("start", "advance", "observe", "get_agent_state", "distance_to", "locate")
CLIENT_CALLS = ("reset_episode", "get_action", "end_episode")


class Clock:
    """Time inside wrapped calls, nested ones counted once."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = threading.local()

    def wrap(self, owner: Any, names: tuple[str, ...], kind: str) -> None:
        for name in names:
            setattr(owner, name, self._timed(getattr(owner, name), kind))

    def _timed(self, call: Callable[..., Any], kind: str) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            if getattr(self._inside, "now", False):
                return call(*args)
            self._inside.now, begun = True, time.perf_counter()
            try:
                return call(*args)
            finally:
                self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - begun
                self._inside.now = False

        return timed


class TimedService(AgentService):
    def __init__(self, inner: AgentService, clock: Clock) -> None:
        self._inner, self._clock = inner, clock

    def health_check(self) -> Any:
        return self._inner.health_check()

    def open_session(self) -> AgentClient:
        client = self._inner.open_session()
        self._clock.wrap(client, CLIENT_CALLS, "client")
        return client


def timed_environment(open_environment: Callable[[], Environment], clock: Clock) -> Environment:
    environment = open_environment()
    clock.wrap(environment.simulator, SIMULATOR_CALLS, "simulator")
    clock.wrap(environment.measurements, ("reset", "update"), "metrics")
    return environment


def run(folder: Path, *, files: bool) -> tuple[float, int, dict[str, float]]:
    """(wall s, steps, seconds by kind)."""
    config = benchmark_config("r2r", overrides=write_world(folder, EPISODES))
    clock, effective = Clock(), Effective.of(config)
    plan = builder.Plan.of(effective, builder.make_backend(effective), builder.make_episodes(effective))
    service = TimedService(builder.local_service(config, Paced, b"secret"), clock)
    open_environment = partial(timed_environment, plan.environment, clock)
    here = InProcess(plan.episodes, open_environment, plan.policy())
    store: Any = Journal(folder, trajectories=True) if files else None
    steps = 0

    def deliver(result: Any) -> None:
        nonlocal steps
        steps += result.steps
        if store is not None:
            store.add(result)

    keys = plan.episodes.keys
    begun = time.perf_counter()
    here.play(service, keys, 1, deliver)
    return time.perf_counter() - begun, steps, clock.seconds


def main() -> None:
    print(
        f"{EPISODES} episodes of {Paced.STEPS} steps, one session, local agent, nav graph, metrics of r2r; ms per step"
    )
    print("journal   steps   wall  simulator  client  metrics  loop and journal")
    for files in (False, True):
        best: tuple[float, ...] | None = None
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                wall, steps, seconds = run(Path(folder), files=files)
            each = [1e3 * value / steps for value in (wall, *(seconds[k] for k in ("simulator", "client", "metrics")))]
            row = (*each, each[0] - sum(each[1:]))
            best = row if best is None or row[-1] < best[-1] else best
        assert best is not None
        cells = (f"{best[0]:5.3f}", f"{best[1]:9.3f}", f"{best[2]:6.3f}", f"{best[3]:7.3f}", f"{best[4]:16.3f}")
        print(f"{'yes' if files else 'no':7}  {steps:6}  {'  '.join(cells)}")


if __name__ == "__main__":
    main()
