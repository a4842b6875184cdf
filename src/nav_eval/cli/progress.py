"""Live progress of a run, told of its results, on stderr: a bar or sentences for people, JSON lines for programs.

n of N, how many failed, time passed and left, and the agent's latency per step (p50 and p95, to 3 %).
Other long work shows what share of it is done, and the time left.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TextIO

import numpy as np

from nav_eval.cli.chinese import spoken
from nav_eval.core.orchestrator import ResultStore, Watcher
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.progress import ProgressCallback, progress_lines

Style = Literal["auto", "bar", "json", "none"]
SECONDS_BETWEEN_LINES, SECONDS_BETWEEN_SENTENCES = 1.0, 10.0


class Latencies:
    """Quantiles of any number of durations in fixed memory: a histogram with bins 3 % wide, from 1 us to 10^5 s."""

    LOW, RATIO, BINS = 1e-6, 1.03, 860

    def __init__(self) -> None:
        self._counts = np.zeros(self.BINS, np.int64)

    def add(self, seconds: Sequence[float]) -> None:
        places = np.log(np.maximum(seconds, self.LOW) / self.LOW) / np.log(self.RATIO)
        np.add.at(self._counts, np.minimum(places.astype(np.int64), self.BINS - 1), 1)

    def quantile(self, share: float) -> float | None:
        """Seconds below which `share` of the durations lie; None without any."""
        total = int(self._counts.sum())
        if not total:
            return None
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return float(self.LOW * self.RATIO ** (place + 0.5))


class Progress(Watcher):
    """The figures. `done` counts episodes of earlier segments too, the time left those of this one."""

    def __init__(self, show: Callable[[Progress], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.total = self.done = self._before = self.failed = 0
        self._show = show
        self._latencies = Latencies()
        self._clock = clock
        self._began = clock()

    def begin(self, keys: Sequence[EpisodeKey], store: ResultStore) -> None:
        self.total, self.failed, self._latencies, self._began = len(keys), 0, Latencies(), self._clock()
        self.done = self._before = len(store.finished())
        self._show(self)

    def take(self, result: EpisodeResult) -> None:
        self.done += 1
        self.failed += result.status != "ok"
        self._latencies.add([step.latency for step in result.trajectory if step.asked])
        self._show(self)

    @property
    def figures(self) -> dict[str, Any]:
        """Numbers as they stand; seconds."""
        elapsed = self._clock() - self._began
        played = self.done - self._before
        eta = elapsed / played * (self.total - self.done) if played else None
        return {
            "done": self.done,
            "total": self.total,
            "failed": self.failed,
            "elapsed": round(elapsed, 1),
            "eta": None if eta is None else round(eta, 1),
            "latency_p50": self._latencies.quantile(0.50),
            "latency_p95": self._latencies.quantile(0.95),
        }


@contextmanager
def show_progress(style: Style, out: TextIO | None = None) -> Iterator[Watcher]:
    """Yields what follows one run after the other, on stderr; auto is a bar on a terminal, sentences elsewhere."""
    out = out or sys.stderr
    if style == "bar" or (style == "auto" and out.isatty()):
        shown = _bar(out)
    else:
        shown = _sentences(out) if style == "auto" else _lines(out if style == "json" else None)
    with shown as show:
        yield Progress(show)


@contextmanager
def _lines(out: TextIO | None) -> Iterator[Callable[[Progress], None]]:
    """A JSON line at the beginning, at the end, and once a second at most; nothing without `out`."""
    import msgspec

    told = -SECONDS_BETWEEN_LINES

    def show(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if out is not None and (now - told >= SECONDS_BETWEEN_LINES or progress.done == progress.total):
            told = now
            out.write(msgspec.json.encode({"progress": progress.figures}).decode() + "\n")
            out.flush()

    yield show


@contextmanager
def _sentences(out: TextIO) -> Iterator[Callable[[Progress], None]]:
    """One each ten seconds; none of a run that ends before."""
    told = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal told
        if time.monotonic() - told >= SECONDS_BETWEEN_SENTENCES and progress.done < progress.total:
            told = time.monotonic()
            print(spoken(_sentence(progress)), file=out, flush=True)

    yield show


def _sentence(progress: Progress) -> str:
    eta = progress.figures["eta"] or 0.0
    return f"{progress.done} of {progress.total} episodes, {progress.failed} failed, about {eta:.0f} s left"


@contextmanager
def _bar(out: TextIO) -> Iterator[Callable[[Progress], None]]:
    with counting(spoken("episodes"), out) as show:
        yield lambda progress: show(progress.done, progress.total, _about(progress))


@contextmanager
def counting(what: str, out: TextIO) -> Iterator[Callable[[int, int, str], None]]:
    """A bar of so many `what`, in the user's language; it is told done, total, and a word beside them."""
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("{task.fields[about]}"),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(file=out)) as bar:
        task = bar.add_task(what, total=None, about="")
        yield lambda done, total, about: bar.update(task, total=total, completed=done, about=about)


def _about(progress: Progress) -> str:
    figures = progress.figures
    parts = [f"{progress.failed} failed"]
    if figures["latency_p50"] is not None:
        parts.append(f"agent {1e3 * figures['latency_p50']:.3g}/{1e3 * figures['latency_p95']:.3g} ms")
    return ", ".join(map(spoken, parts))


@contextmanager
def worked(
    what: str, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[ProgressCallback]:
    """Yields what is told of each share of some work as it is done: a bar on a terminal, elsewhere now and then a line.

    Work that ends within seconds leaves no trace in either.
    """
    out = out or sys.stderr
    if out.isatty():
        with _share_bar(what, out) as on_progress:
            yield on_progress
    else:
        yield progress_lines(what, lambda line: print(spoken(line), file=out, flush=True), clock)


@contextmanager
def _share_bar(what: str, out: TextIO) -> Iterator[ProgressCallback]:
    from rich import progress as rich
    from rich.console import Console

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.TaskProgressColumn())
    times = (rich.TimeElapsedColumn(), rich.TimeRemainingColumn())
    with rich.Progress(*columns, *times, console=Console(file=out), transient=True) as bar:
        task = bar.add_task(spoken(what), total=1.0)
        yield lambda share: bar.update(task, advance=share)
