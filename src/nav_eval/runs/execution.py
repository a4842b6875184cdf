"""Where the episodes of a run are played: in this process, in spawned workers, or on a Ray cluster.

A worker is sent the configuration and the run's secret, and makes of them what this process would: plug-ins, data set,
backend, service. It needs the same files at the same paths; on another machine that is made sure of first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nav_eval.config.locations import absolute
from nav_eval.config.schema import Config
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.interfaces import Observer, SimulatorBackend
from nav_eval.core.loop import Policy
from nav_eval.core.orchestrator import BenchmarkRunner, Executor
from nav_eval.core.sessions import InProcess, Report, Sessions
from nav_eval.core.tries import Tries
from nav_eval.core.workers import Processes, Shard, Spread
from nav_eval.errors import ConfigError
from nav_eval.registry import import_plugins
from nav_eval.runs import builder


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """What a worker does with a shard."""

    config: Config
    secret: bytes
    policy: Policy

    def __call__(self, shard: Shard, report: Report) -> None:
        import_plugins(self.config.plugins)
        episodes = builder.make_episodes(self.config)
        backend = builder.make_backend(self.config)
        service = builder.make_service(self.config, self.secret)
        try:
            open_environment = partial(builder.make_environment, self.config, backend)
            sessions = Sessions(service, open_environment, self.policy)
            sessions.play(episodes.only(shard.keys), shard.sessions, report, shard.lost)
        finally:
            service.close()
            backend.close()


def make_runner(
    config: Config,
    backend: SimulatorBackend,
    episodes: EpisodeManager,
    open_observers: Callable[[], Sequence[Observer]] = tuple,
    secret: bytes | None = None,
    facts: Mapping[str, Any] | None = None,
    tries: Tries | None = None,
) -> BenchmarkRunner:
    """A runner over episodes that were chosen before. `tries`: what is known of earlier sittings, and told of this one.

    Workers need the `secret`, to make services of their own, and the run's `facts`, to know that they have its files.
    """
    parallel = config.evaluation.parallel
    environment = partial(builder.make_environment, config, backend)
    here = InProcess(episodes, environment, builder.make_policy(config), open_observers, tries)
    executor = _executor(config, here, open_observers, secret, facts)
    return BenchmarkRunner(episodes, executor, builder.make_aggregator(config), parallel.workers * parallel.sessions)


def _executor(
    config: Config,
    here: InProcess,
    open_observers: Callable[[], Sequence[Observer]],
    secret: bytes | None,
    facts: Mapping[str, Any] | None,
) -> Executor:
    """Raises ConfigError where workers are asked for and agent (`secret` is None) or observers cannot be sent there.

    `facts`: the run's, by which other machines are checked.
    """
    parallel = config.evaluation.parallel
    if parallel.workers == 1 and parallel.executor == "local":
        return here
    if secret is None or facts is None:
        raise ConfigError(
            "evaluation.parallel: an agent object cannot be sent to workers. Name it: agent_service.agent=MODULE:CLASS."
        )
    if open_observers is not tuple:
        raise ConfigError(
            "evaluation.parallel: whoever watches single steps (--watch, output.video) sits in this process. "
            "Set evaluation.parallel.workers=1; sessions may be many."
        )
    policy = builder.make_policy(config)
    if parallel.executor == "local":
        return Spread(here, Processes(EvaluationJob(config, secret, policy)), parallel.workers)
    from nav_eval.runs.cluster import RayWorkers
    from nav_eval.runs.machines import CheckedJob

    there = absolute(config)
    job = CheckedJob.of(EvaluationJob(there, secret, policy), there, facts)
    return Spread(here, RayWorkers(job, parallel.address), parallel.workers)
