"""nav-eval rank: a board of run directories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nav_eval.core.definitions import Definition
from nav_eval.errors import RunDirectoryError
from nav_eval.registry import nearest
from nav_eval.report.source import told_definitions
from nav_eval.report.verdict import few, verdict
from nav_eval.results.ranking import Place, Ranking, rank
from nav_eval.results.run_directory import RunDirectory
from nav_eval.results.seeds import grouped
from nav_eval.runs.comparison import run_records


def rank_runs(paths: Sequence[Path], by: str | None = None) -> Ranking:
    """The ranks of agents by one measure, whose better end the first run records; seeds of one agent count together.

    `by` None: the primary measure of the first one's benchmark. Raises RunDirectoryError for a measure that is no
    number or has no better end, runs by different rules, or episodes that not all have.
    """
    entries = grouped(run_records(paths))
    if not entries:
        raise RunDirectoryError("rank needs at least one run. Name a run directory.")
    by = by or RunDirectory(paths[0]).config().benchmark.primary
    known = {name for values in entries[0].episodes.values() for name in values}
    if by not in known:
        raise RunDirectoryError(f"rank: no episode of {paths[0]} has a measure {by!r}.{nearest(by, known)}")
    better = definition_of(paths[0], by).better
    if better is None:
        raise RunDirectoryError(
            f"rank: {by!r} has no better direction. Name a measure of which more, or less, is better."
        )
    return rank(entries, by, higher_is_better=better == "higher")


def definition_of(path: Path, metric: str) -> Definition:
    """What a run says of one of its metrics."""
    directory = RunDirectory(path)
    return told_definitions(directory.results() or {}, [metric], directory.config())[metric]


def headline(paths: Sequence[Path], language: str) -> list[str]:
    """Who is better by the benchmark's primary measure, in words; nothing where the runs have none that ranks."""
    by = RunDirectory(paths[0]).config().benchmark.primary
    measured = all(by in values for run in run_records(paths[:1]) for values in run.episodes.values())
    if not measured or definition_of(paths[0], by).better is None:
        return []
    return told(rank_runs(paths, by), definition_of(paths[0], by), language)


def told(ranking: Ranking, definition: Definition, language: str) -> list[str]:
    """The verdict in words, and what too few buildings leave unsaid."""
    return [*verdict(language, ranking, definition, {}), *filter(None, [few(language, ranking.n_buildings)])]


def ranking_table(ranking: Ranking) -> list[str]:
    """As lines of text, best first."""
    order = "higher" if ranking.higher_is_better else "lower"
    episodes, buildings = (
        f"{n} {name}{'s' * (n != 1)}"
        for n, name in ((ranking.n_episodes, "episode"), (ranking.n_buildings, "building"))
    )
    return [
        f"{ranking.metric} ({order} is better) on {episodes} in {buildings}",
        "rank  95 %         mean  left out  entry",
        *map(_line, ranking.places),
    ]


def _line(place: Place) -> str:
    low, high = place.rank_ci95
    within = f"{low}" if low == high else f"{low} to {high}"
    seeds = f", {place.n_seeds} seeds (spread {place.seed_spread:.4f})" if place.seed_spread is not None else ""
    return f"{place.rank:>4}  {within:<8}  {place.mean:>7.4f}  {place.left_out:>8}  {place.name}{seeds}"
