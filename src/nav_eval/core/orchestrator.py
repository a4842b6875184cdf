"""The evaluation's life cycle: initialise, run, settle; and the loop of one episode.

The loop knows nothing of files, progress bars or pictures: observers hang on it. A participant's failure ends its
episode, is recorded with its culprit, and the run goes on (or stops, if the organiser said so).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

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
            self._abandon(episode, status, reason)
        except Exception as error:  # noqa: BLE001 - one fault of ours must not lose a night's run
            status, reason = "evaluator_error", f"{type(error).__name__}: {error}"
            get_logger(__name__).debug("episode %s of %s", *reversed(episode.key), exc_info=True)
            self._abandon(episode, status, reason)
        result = self._result(episode, status, reason, start, steps, time.perf_counter() - began)
        for observer in self._observers:
            observer.episode_ended(episode, result)
        return result

    def _offer(self, episode: Episode) -> EpisodeOffer:
        environment = self._environment
        return EpisodeOffer(
            episode=episode,
            observation_spec=environment.observation_spec,
            action_space=environment.action_space,
            task=environment.task.name,
            max_steps=environment.rules.max_steps,
            seed=derived_seed(self._policy.seed, *episode.key),
            expert=environment.expert_action,
        )

    def _check_time(self, began: float) -> None:
        limit = self._policy.episode_seconds
        if limit is not None and time.perf_counter() - began > limit:
            raise AgentTimeout(f"the episode took longer than agent_service.deadlines.episode = {limit:g} s.")

    def _abandon(self, episode: Episode, status: str, reason: str) -> None:
        get_logger(__name__).warning("episode %s of %s: %s: %s", *reversed(episode.key), status, reason)
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


class ResultStore(Protocol):
    """Where finished episodes go: the journal of a run directory, or memory."""

    def add(self, result: EpisodeResult) -> None:
        """Keep one result for good. Called from one thread at a time."""

    def finished(self) -> Collection[EpisodeKey]:
        """Keys that need not be run again."""

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterable[EpisodeResult]:
        """Finished results in the order of `keys`."""


class MemoryStore:
    """Results of a run that leaves no files, trajectories included."""

    def __init__(self) -> None:
        self.results: dict[EpisodeKey, EpisodeResult] = {}

    def add(self, result: EpisodeResult) -> None:
        self.results[result.scene_id, result.episode_id] = result

    def finished(self) -> Collection[EpisodeKey]:
        return self.results.keys()

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterable[EpisodeResult]:
        return (self.results[key] for key in keys if key in self.results)


class BenchmarkRunner:
    """Runs a selection of episodes against a service with several sessions in this process.

    `open_environment` makes an independent session's environment; `open_observers` makes a session's observers,
    because each is called in its session's own thread.
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

    def run_evaluation(self, service: AgentService, store: ResultStore) -> EvaluationResults:
        """Initialise (wait for the service), run what `store` has not finished, settle (aggregate in file order).

        Raises ServiceUnavailable when the service never becomes ready, RunStopped under on_error=stop; what was
        finished by then is in the store.
        """
        finished = store.finished()
        missing = [key for key in self._episodes.keys if key not in finished]
        if missing:
            self.run(service, missing, store)
        return self._aggregator.aggregate_metrics(store.in_order(self._episodes.keys))

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        """One episode in a session of its own."""
        with self._session(service) as loop:
            return loop.run_episode(episode)

    def run(self, service: AgentService, keys: Sequence[EpisodeKey], store: ResultStore) -> None:
        """Play the episodes with these keys in as many sessions as the policy and the service allow."""
        status = service.health_check()
        count = max(1, min(self._policy.sessions, status.max_sessions, len(keys)))
        turn = _Turn(self._episodes.only(keys), store)
        threads = [
            threading.Thread(target=self._serve, args=(service, turn), name=f"session-{i}", daemon=True)
            for i in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt as stop:
            turn.fail(stop)
            raise
        turn.raise_first()

    def _serve(self, service: AgentService, turn: _Turn) -> None:
        try:
            with self._session(service) as loop:
                while (episode := turn.next_episode()) is not None:
                    result = loop.run_episode(episode)
                    turn.deliver(result)
                    self._stop_at_failure(result)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
            turn.fail(error)

    def _stop_at_failure(self, result: EpisodeResult) -> None:
        if result.status != "ok" and self._policy.on_error == "stop":
            raise RunStopped(
                f"stopped at episode {result.episode_id} of {result.scene_id} ({result.status}: "
                f"{result.failure_reason}), as agent_service.on_error=stop says. --resume continues."
            )

    @contextmanager
    def _session(self, service: AgentService) -> Iterator[EpisodeLoop]:
        environment, client = self._open_environment(), service.open_session()
        try:
            yield EpisodeLoop(environment, client, self._open_observers(), self._policy)
        finally:
            client.close()
            environment.simulator.close()


class _Turn:
    """What the session threads share: the next episode, the store, and the first error, which stops them all."""

    def __init__(self, episodes: Iterator[Episode], store: ResultStore) -> None:
        self._episodes = episodes
        self._store = store
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    def next_episode(self) -> Episode | None:
        with self._lock:
            return None if self._error else next(self._episodes, None)

    def deliver(self, result: EpisodeResult) -> None:
        with self._lock:
            self._store.add(result)

    def fail(self, error: BaseException) -> None:
        with self._lock:
            self._error = self._error or error

    def raise_first(self) -> None:
        if self._error is not None:
            raise self._error
