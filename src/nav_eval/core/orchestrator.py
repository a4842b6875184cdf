"""The evaluation's life cycle: initialise, run, settle; and the loop of one episode.

The loop knows nothing of files, progress bars or pictures: observers hang on it. A participant's failure ends its
episode, is recorded with its culprit, and the run goes on (or stops, if the organiser said so).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nav_eval.core.aggregate import EvaluationResults, MetricsAggregator
from nav_eval.core.environment import Environment, derived_seed
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.interfaces import AgentClient, AgentService, EpisodeOffer, Observer
from nav_eval.core.types import AgentState, EpisodeResult, Status, StepRecord
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import AgentTimeout, NavEvalError, ServiceError
from nav_eval.logging import get_logger


@dataclass(frozen=True, slots=True)
class Policy:
    """How a run goes on. `sessions`: episodes in flight; `episode_seconds`: the service's limit per episode."""

    seed: int = 0
    sessions: int = 1
    on_error: Literal["fail_episode", "stop"] = "fail_episode"
    episode_seconds: float | None = None


class EpisodeLoop:
    """Plays episodes in one session, one after the other."""

    def __init__(self, environment: Environment, client: AgentClient, observers: Sequence[Observer], policy: Policy):
        self._environment = environment
        self._client = client
        self._observers = observers
        self._policy = policy

    def run_episode(self, episode: Episode) -> EpisodeResult:
        """Play one episode to its end. A failure of the service or of the evaluator becomes the result's status."""
        began = time.perf_counter()
        steps: list[StepRecord] = []
        start: AgentState | None = None
        status: Status = "ok"
        reason: str | None = None
        try:
            observations = self._environment.reset(episode)
            start = self._environment.simulator.get_agent_state()
            for observer in self._observers:
                observer.episode_started(episode)
            self._client.reset_episode(self._offer(episode))
            while not self._environment.over:
                self._check_time(began)
                decision = self._client.get_action(observations)
                steps.append(self._environment.step(decision.action, decision.latency))
                if not self._environment.over or self._observers:
                    observations = self._environment.observe()
                for observer in self._observers:
                    observer.step_taken(episode, steps[-1], observations)
            self._client.end_episode("stop" if steps[-1].action.name == "stop" else "limit")
        except NavEvalError as error:
            status, reason = _status_of(error), str(error)
            get_logger(__name__).warning("episode %s of %s: %s", episode.episode_id, episode.scene_id, reason)
            self._abandon(status)
        return self._result(episode, status, reason, start, steps, time.perf_counter() - began)

    def _offer(self, episode: Episode) -> EpisodeOffer:
        environment = self._environment
        return EpisodeOffer(
            episode=episode,
            observation_spec=environment.observation_spec,
            action_space=environment.action_space,
            task=environment.task.name,
            max_steps=environment.rules.max_steps,
            seed=derived_seed(self._policy.seed, *episode.key),
            expert=lambda: environment.simulator.expert_action(environment.task.goals(episode)),
        )

    def _check_time(self, began: float) -> None:
        limit = self._policy.episode_seconds
        if limit is not None and time.perf_counter() - began > limit:
            raise AgentTimeout(f"the episode took longer than agent_service.deadlines.episode = {limit:g} s.")

    def _abandon(self, status: str) -> None:
        try:
            self._client.end_episode(status)
        except ServiceError as error:
            get_logger(__name__).debug("end_episode after a failure: %s", error)

    def _result(
        self,
        episode: Episode,
        status: Status,
        reason: str | None,
        start: AgentState | None,
        steps: list[StepRecord],
        wall: float,
    ) -> EpisodeResult:
        measurements = self._environment.measurements
        metrics: dict[str, Any] = dict(self._environment.metrics) if start is not None else {}
        if status != "ok" and episode.has_goal:
            metrics |= measurements.failure_values
        return EpisodeResult(
            scene_id=episode.scene_id,
            episode_id=episode.episode_id,
            status=status,
            failure_reason=reason,
            metrics=metrics,
            steps=len(steps),
            timing={"wall": wall, "agent": sum(step.latency for step in steps)},
            start=start,
            trajectory=tuple(steps),
        )


def _status_of(error: NavEvalError) -> Status:
    status: Status = error.status  # type: ignore[assignment]
    return status


class RunStopped(NavEvalError):
    """The policy on_error=stop ended the run at a participant's failure."""

    exit_code = 3


class BenchmarkRunner:
    """Runs a selection of episodes against a service with several sessions in this process.

    `open_environment` makes an independent session's environment; `observers` are made per session by
    `open_observers`, because each is called in its session's own thread.
    """

    def __init__(
        self,
        episodes: EpisodeManager,
        open_environment: Callable[[], Environment],
        aggregator: MetricsAggregator,
        policy: Policy,
        open_observers: Callable[[], Sequence[Observer]] = tuple,
    ) -> None:
        self._episodes = episodes
        self._open_environment = open_environment
        self._aggregator = aggregator
        self._policy = policy
        self._open_observers = open_observers

    def run_evaluation(
        self, service: AgentService, on_result: Callable[[EpisodeResult], None] | None = None
    ) -> EvaluationResults:
        """Initialise (wait for the service), run every selected episode, settle (aggregate in fixed order)."""
        results: dict[EpisodeKey, EpisodeResult] = {}

        def keep(result: EpisodeResult) -> None:
            results[result.scene_id, result.episode_id] = result
            if on_result is not None:
                on_result(result)

        self.run(service, self._episodes.keys, keep)
        return self.settle(results[key] for key in self._episodes.keys)

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        """One episode in a session of its own."""
        return _with_session(self._open_environment(), service, self._open_observers(), self._policy, episode)

    def settle(self, results: Iterable[EpisodeResult]) -> EvaluationResults:
        """Aggregate finished episodes."""
        return self._aggregator.aggregate_metrics(results)

    def run(
        self, service: AgentService, keys: Sequence[EpisodeKey], on_result: Callable[[EpisodeResult], None]
    ) -> None:
        """Play the episodes with these keys; `on_result` is called once for each, never by two threads at a time.

        Raises ServiceUnavailable when the service never becomes ready, RunStopped under on_error=stop.
        """
        status = service.health_check()
        count = max(1, min(self._policy.sessions, status.max_sessions, len(keys)))
        pending: queue.Queue[Episode | None] = queue.Queue(maxsize=2 * count)
        outcome = _Outcome(on_result)
        threads = [
            threading.Thread(target=self._serve, args=(service, pending, outcome), name=f"session-{i}", daemon=True)
            for i in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            for episode in self._episodes.only(keys):
                if not _offer(pending, episode, outcome):
                    break
        finally:
            for thread in threads:
                _offer(pending, None, outcome)
            for thread in threads:
                thread.join()
        outcome.raise_first()

    def _serve(self, service: AgentService, pending: queue.Queue[Episode | None], outcome: _Outcome) -> None:
        try:
            environment, observers = self._open_environment(), self._open_observers()
            client = service.open_session()
            try:
                loop = EpisodeLoop(environment, client, observers, self._policy)
                while not outcome.stopped and (episode := pending.get()) is not None:
                    result = loop.run_episode(episode)
                    outcome.deliver(result, observers, episode)
                    if result.status != "ok" and self._policy.on_error == "stop":
                        raise RunStopped(
                            f"stopped at episode {episode.episode_id} of {episode.scene_id} ({result.status}: "
                            f"{result.failure_reason}), as agent_service.on_error=stop says. --resume continues."
                        )
            finally:
                client.close()
                environment.simulator.close()
        except BaseException as error:  # noqa: BLE001 - handed to the calling thread, which raises it
            outcome.fail(error)


def _with_session(
    environment: Environment,
    service: AgentService,
    observers: Sequence[Observer],
    policy: Policy,
    episode: Episode,
) -> EpisodeResult:
    client = service.open_session()
    try:
        return EpisodeLoop(environment, client, observers, policy).run_episode(episode)
    finally:
        client.close()
        environment.simulator.close()


class _Outcome:
    """What the session threads tell the thread that started them."""

    def __init__(self, on_result: Callable[[EpisodeResult], None]) -> None:
        self._on_result = on_result
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    @property
    def stopped(self) -> bool:
        return self._error is not None

    def deliver(self, result: EpisodeResult, observers: Sequence[Observer], episode: Episode) -> None:
        for observer in observers:
            observer.episode_ended(episode, result)
        with self._lock:
            self._on_result(result)

    def fail(self, error: BaseException) -> None:
        with self._lock:
            self._error = self._error or error

    def raise_first(self) -> None:
        if self._error is not None:
            raise self._error


def _offer(pending: queue.Queue[Episode | None], episode: Episode | None, outcome: _Outcome) -> bool:
    """Put into the queue unless the run has stopped; False then."""
    while not outcome.stopped:
        try:
            pending.put(episode, timeout=0.1)
        except queue.Full:
            continue
        return True
    return False
