"""A progress bar with n/N, failures and time left, hung on a run's result store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from nav_eval.benchmarks.evaluation import Watch
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.interfaces import Observer
from nav_eval.core.orchestrator import ResultStore
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey


class _CountingStore:
    """A ResultStore that tells somebody of each result."""

    def __init__(self, store: ResultStore, tell: Callable[[EpisodeResult], None]) -> None:
        self._store = store
        self._tell = tell

    def add(self, result: EpisodeResult) -> None:
        self._store.add(result)
        self._tell(result)

    def finished(self) -> Collection[EpisodeKey]:
        return self._store.finished()

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterable[EpisodeResult]:
        return self._store.in_order(keys)


@contextmanager
def progress_bar(*, show: bool) -> Iterator[Watch]:
    """Yields the `watch` argument of run_benchmark."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not show) as progress:

        def watch(episodes: EpisodeManager, store: ResultStore) -> tuple[ResultStore, Callable[[], Sequence[Observer]]]:
            failed = 0
            task = progress.add_task("episodes", total=len(episodes), completed=len(store.finished()), failed=0)

            def tell(result: EpisodeResult) -> None:
                nonlocal failed
                failed += result.status != "ok"
                progress.update(task, advance=1, failed=failed)

            return _CountingStore(store, tell), tuple

        yield watch
