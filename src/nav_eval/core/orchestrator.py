"""The evaluation's life cycle: initialise (wait for the service), run what is missing, settle (aggregate in order)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from nav_eval.core.aggregate import EvaluationResults, MetricsAggregator
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.interfaces import AgentService, Observer, ServiceStatus
from nav_eval.core.types import OURS, EpisodeResult
from nav_eval.dataset.episode import Episode, EpisodeKey


class ResultStore(Protocol):
    """Where finished episodes go: the journal of a run directory, or memory."""

    def add(self, result: EpisodeResult) -> None:
        """Keep one result for good. Called from one thread at a time."""

    def finished(self) -> Collection[EpisodeKey]:
        """Keys that need not be run again: neither missing nor lost through our own fault."""

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterable[EpisodeResult]:
        """The results that there are, lost ones included, in the order of `keys`."""


class MemoryStore:
    """Results of a run that leaves no files, trajectories included."""

    def __init__(self) -> None:
        self.results: dict[EpisodeKey, EpisodeResult] = {}

    def add(self, result: EpisodeResult) -> None:
        self.results[result.scene_id, result.episode_id] = result

    def finished(self) -> Collection[EpisodeKey]:
        return [key for key, result in self.results.items() if result.status not in OURS]

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterator[EpisodeResult]:
        return (self.results[key] for key in keys if key in self.results)


class Watcher:
    """Somebody who follows a run, such as a progress bar; told in the run's own process, by one thread at a time.

    `observers`: makes those that follow single steps of a session in this process; None for who needs none.
    """

    observers: Callable[[], Sequence[Observer]] | None = None

    def begin(self, keys: Sequence[EpisodeKey], store: ResultStore) -> None:
        """The episodes of the run; `store` knows what earlier segments finished."""

    def take(self, result: EpisodeResult) -> None:
        """A result that is in the store now."""

    def notes(self) -> Sequence[str]:
        """What a reader of the results must know, asked when all episodes are finished."""
        return ()


class Executor(Protocol):
    """Plays episodes: in this process, in others, on other machines."""

    def play(
        self,
        service: AgentService,
        keys: Sequence[EpisodeKey],
        in_flight: int,
        deliver: Callable[[EpisodeResult], None],
    ) -> None:
        """Play the episodes with these keys, at most `in_flight` at a time; `deliver` is called one at a time."""

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        """Play one episode in this process."""


class BenchmarkRunner:
    """Runs a selection of episodes. `in_flight`: how many at a time, as far as the service allows."""

    def __init__(
        self, episodes: EpisodeManager, executor: Executor, aggregator: MetricsAggregator, in_flight: int = 1
    ) -> None:
        self._episodes = episodes
        self._executor = executor
        self._aggregator = aggregator
        self._in_flight = in_flight
        self.service_status: ServiceStatus | None = None
        """What the service said of itself, once it was asked."""

    def run_evaluation(
        self, service: AgentService, store: ResultStore, watchers: Sequence[Watcher] = ()
    ) -> EvaluationResults:
        """Initialise, run what `store` has not finished, settle.

        Raises ServiceUnavailable when the service never becomes ready or goes away for good, RunStopped under
        on_error=stop; what was finished by then is in the store.
        """
        for watcher in watchers:
            watcher.begin(self._episodes.keys, store)
        finished = store.finished()
        missing = [key for key in self._episodes.keys if key not in finished]
        if missing:
            self.run(service, missing, partial(_deliver, store, watchers))
        return self._aggregator.aggregate_metrics(store.in_order(self._episodes.keys))

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        """One episode in a session of its own."""
        return self._executor.run_episode(service, episode)

    def run(self, service: AgentService, keys: Sequence[EpisodeKey], deliver: Callable[[EpisodeResult], None]) -> None:
        """Play the episodes with these keys, as many at a time as the configuration and the service allow."""
        self.service_status = status = service.health_check()
        in_flight = max(1, min(self._in_flight, status.max_sessions, len(keys)))
        self._executor.play(service, keys, in_flight, deliver)


def _deliver(store: ResultStore, watchers: Sequence[Watcher], result: EpisodeResult) -> None:
    store.add(result)
    for watcher in watchers:
        watcher.take(result)
