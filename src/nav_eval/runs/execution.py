"""Where the episodes of a run are played: in this process, in spawned workers, or on a Ray cluster.

A worker is sent the configuration and the run's secret, and makes of them what this process would: plug-ins, data set,
backend, service. It needs the same files at the same paths; on another machine that is made sure of first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any

from nav_eval.config.locations import absolute
from nav_eval.config.schema import Config
from nav_eval.core.attempts import Attempts
from nav_eval.core.interfaces import Observer
from nav_eval.core.loop import Policy
from nav_eval.core.orchestrator import BenchmarkRunner, Executor
from nav_eval.core.sessions import InProcess, Report, Sessions
from nav_eval.core.workers import Processes, Shard, Spread
from nav_eval.errors import ConfigError
from nav_eval.registry import import_plugins
from nav_eval.results.run_directory import config_sum
from nav_eval.runs.builder import Plan
from nav_eval.runs.machines import opened_alike
from nav_eval.runs.plan import opened


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """What a worker does with a shard. `facts`: what its machine must have, where that is another one."""

    config: Config
    secret: bytes
    policy: Policy
    facts: Mapping[str, Any] | None = None

    def __call__(self, shard: Shard, report: Report) -> None:
        import_plugins(self.config.plugins)
        with self._opened(shard) as plan, closing(plan.service(self.secret)) as service:
            sessions = Sessions(service, plan.environment, self.policy)
            sessions.play(plan.episodes.only(shard.keys), shard.sessions, report, shard.lost)

    def _opened(self, shard: Shard) -> AbstractContextManager[Plan]:
        if self.facts is None:
            return opened(self.config)
        return opened_alike(self.config, self.facts, dict.fromkeys(scene for scene, _ in shard.keys))


def make_runner(
    plan: Plan,
    open_observers: Callable[[], Sequence[Observer]] = tuple,
    secret: bytes | None = None,
    facts: Mapping[str, Any] | None = None,
    attempts: Attempts | None = None,
) -> BenchmarkRunner:
    """A runner over the plan's episodes. `attempts`: what is known of earlier segments, and told of this one.

    Workers need the `secret`, to make services of their own, and the run's `facts`, to know that they have its files.
    """
    parallel = plan.config.evaluation.parallel
    policy = plan.policy()
    here = InProcess(plan.episodes, plan.environment, policy, open_observers, attempts)
    executor = _executor(plan.config, here, policy, open_observers, secret, facts)
    return BenchmarkRunner(plan.episodes, executor, plan.aggregator(), parallel.workers * parallel.sessions)


def _executor(
    config: Config,
    here: InProcess,
    policy: Policy,
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
    if secret is None:
        raise ConfigError(
            "evaluation.parallel: an agent object cannot be sent to workers. Name it: agent_service.agent=MODULE:CLASS."
        )
    if open_observers is not tuple:
        raise ConfigError(
            "evaluation.parallel: --watch and output.video follow single steps and need them in this process. "
            "Set evaluation.parallel.workers=1; sessions may be many."
        )
    if parallel.executor == "local":
        return Spread(here, Processes(EvaluationJob(config, secret, policy)), parallel.workers)
    if facts is None:
        raise ConfigError("evaluation.parallel.executor: ray needs a run directory. Give evaluate the folder: out=...")
    from nav_eval.runs.cluster import RayWorkers

    there = absolute(config)  # whose rules name other paths than those of `facts`
    job = EvaluationJob(there, secret, policy, {**facts, "config_sha256": config_sum(there)})
    return Spread(here, RayWorkers(job, parallel.address), parallel.workers)
