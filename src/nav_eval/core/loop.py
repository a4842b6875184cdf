"""The loop of one episode, and the limits that it is held to.

The loop knows nothing of files, progress bars or pictures: observers hang on it. A participant's failure ends its
episode and is recorded with its culprit. What no episode can be blamed for (a scene that is gone, a renderer that is
not installed, a full disk, an exhausted file table) is raised instead, so that the episode stays unfinished and can
be resumed.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nav_eval.core.chunks import Chunk
from nav_eval.core.deadline import Deadline
from nav_eval.core.environment import Environment
from nav_eval.core.interfaces import AgentClient, Observer
from nav_eval.core.types import OURS, AgentState, EpisodeResult, Status, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import (
    AgentTimeout,
    BudgetExceeded,
    ConfigError,
    NavEvalError,
    NavmeshError,
    ResourceExhausted,
    SceneError,
    ServiceError,
    as_reason,
    exhausted,
)
from nav_eval.geometry import total
from nav_eval.logging import get_logger
from nav_eval_sdk.protocol.usage import whole


@dataclass(frozen=True, slots=True)
class Policy:
    """How a run goes on. `episode_seconds`: the service's limit per episode; `episode_restarts`: how often an episode
    that the service lost is started again. The budget is the organiser's: `budget_seconds` and `budget_mb` (growth of
    the process after the scene is loaded) per episode, `budget_run` for the whole run.
    """

    seed: int = 0
    on_error: Literal["fail_episode", "stop"] = "fail_episode"
    episode_seconds: float | None = None
    episode_restarts: int = 2
    budget_seconds: float | None = None
    budget_mb: float | None = None
    budget_run: Deadline | None = None


class Stopped(Exception):
    """Raised between two steps when the run ends early; the episode stays unfinished."""


def episode_timeout(seconds: float) -> AgentTimeout:
    """What ends an episode that takes longer, be it between two answers or during one."""
    return AgentTimeout(f"the episode took longer than agent_service.deadlines.episode = {seconds:g} s.")


class Meter:
    """What one episode may use up."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._began = time.perf_counter()
        self._memory = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def loaded(self) -> None:
        """The scene is there: from now on memory counts."""
        if self._policy.budget_mb is not None:
            self._memory = resident_mb()

    def check(self) -> None:
        """Raises AgentTimeout or BudgetExceeded."""
        policy = self._policy
        if policy.episode_seconds is not None and self.seconds > policy.episode_seconds:
            raise episode_timeout(policy.episode_seconds)
        if policy.budget_seconds is not None and self.seconds > policy.budget_seconds:
            raise BudgetExceeded(f"evaluation.budget.episode_seconds = {policy.budget_seconds:g} is used up.")
        if policy.budget_run is not None and policy.budget_run.left < 0:
            raise BudgetExceeded("evaluation.budget.total_seconds is used up.")
        if policy.budget_mb is not None and self._memory and resident_mb() - self._memory > policy.budget_mb:
            raise BudgetExceeded(f"evaluation.budget.memory_mb = {policy.budget_mb:g} is used up.")


class EpisodeLoop:
    """Plays episodes in one session, one after the other. `stopped` is asked between steps."""

    def __init__(
        self,
        environment: Environment,
        client: AgentClient,
        observers: Sequence[Observer],
        policy: Policy,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._environment = environment
        self._client = client
        self._observers = observers
        self._policy = policy
        self._stopped = stopped

    def run_episode(self, episode: Episode) -> EpisodeResult:
        """Play one episode to its end. A failure of the service or of the evaluator becomes the result's status.

        Raises SceneError, NavmeshError and ResourceExhausted (nobody could have played it), and Stopped.
        """
        meter = Meter(self._policy)
        steps: list[StepRecord] = []
        start: AgentState | None = None
        status: Status = "ok"
        reason: str | None = None
        metrics: Mapping[str, Any] | None = None
        shown = False
        asked: float | None = None
        chunk = Chunk()
        unanswered = 0.0
        try:
            meter.check()
            observations = self._environment.reset(episode)
            start = self._environment.simulator.get_agent_state()
            self._environment.require_goal()
            meter.loaded()
            for observer in self._observers:
                observer.episode_started(episode, observations)
            self._client.reset_episode(self._environment.offer(episode, self._policy.seed))
            while not self._environment.over:
                if self._stopped():
                    raise Stopped
                meter.check()
                if chunk.done:
                    shown, asked = True, time.perf_counter()
                    decision = self._client.get_action(observations)
                    asked = None
                    chunk = Chunk(decision, self._environment.rules, steps[-1].action if steps else None)
                steps.append(chunk.carry_on(self._environment))
                if self._observers or self._environment.perturbed or (chunk.done and not self._environment.over):
                    observations = self._environment.observe()
                for observer in self._observers:
                    observer.step_taken(episode, steps[-1], observations)
            metrics = self._environment.metrics
            self._client.end_episode("stop" if steps[-1].action.name == "stop" else "limit")
        except Exception as error:  # noqa: BLE001 - one fault of ours must not lose a night's run
            if asked is not None:
                unanswered = time.perf_counter() - asked
            status, reason = self._blame(error, episode)
        if status != "ok" or metrics is None:
            metrics = self._metrics_of_a_failure(episode, status, begun=start is not None)
        unmeasured = self._failed_metrics(status, metrics) if start is not None else {}
        timing = {"wall": meter.seconds, "agent": unanswered + total(step.latency for step in steps)}
        result = EpisodeResult(
            scene_id=episode.scene_id,
            episode_id=episode.episode_id,
            status=status,
            failure_reason=reason,
            metrics=metrics,
            steps=len(steps),
            timing=timing,
            start=start,
            trajectory=tuple(steps),
            unmeasured=unmeasured,
            reference=None if start is None else self._environment.reference,
            usage=whole(step.usage for step in steps),
            shown=shown,
        )
        for observer in self._observers:
            observer.episode_ended(episode, result)
        return result

    def _blame(self, error: Exception, episode: Episode) -> tuple[Status, str]:
        """Status and reason of an episode that ended with `error`; raises what it cannot be blamed for."""
        if self._stopped():
            error = Stopped()  # whatever it says: the service was told that the episode is over
        if isinstance(error, NavEvalError):
            status: Status = error.status  # type: ignore[assignment]
        else:
            status = "evaluator_error"
            get_logger(__name__).debug("episode %s of %s", *reversed(episode.key), exc_info=True)
        reason = as_reason(error)
        stopped = isinstance(error, Stopped)
        self._end("stopped" if stopped else status)
        if stopped or isinstance(error, ConfigError | SceneError | NavmeshError | ResourceExhausted):
            raise error
        if lacking := exhausted(error):
            raise lacking from error
        get_logger(__name__).warning("episode %s of %s failed, %s: %s", *reversed(episode.key), status, reason)
        return status, reason

    def _end(self, why: str) -> None:
        try:
            self._client.end_episode(why)
        except ServiceError as error:
            get_logger(__name__).debug("end_episode after a failure: %s", error)

    def _failed_metrics(self, status: Status, metrics: Mapping[str, Any]) -> Mapping[str, str]:
        """The metrics that failed, without those that know what a participant's failure counts as."""
        if status in ("budget_exceeded", *OURS):
            return {}
        return {name: why for name, why in self._environment.metric_faults.items() if name not in metrics}

    def _metrics_of_a_failure(self, episode: Episode, status: Status, *, begun: bool) -> dict[str, Any]:
        """What was measured until then, and what a participant's failure counts as; any other says nothing of it."""
        if status in ("budget_exceeded", *OURS):
            return {}
        try:
            measured = dict(self._environment.metrics) if begun else {}
        except NavEvalError:  # the simulator went down with the participant
            measured = {}
        return {**measured, **self._environment.measurements.failure_values} if episode.has_goal else measured


def resident_mb() -> float:
    """MB of memory that this process holds; where /proc is missing, the most that it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return pages * resource.getpagesize() / 1e6
