"""nav-eval rank: a board of run directories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nav_eval.errors import RunDirectoryError
from nav_eval.registry import nearest
from nav_eval.report.verdict import sentences
from nav_eval.results.ranking import Place, Ranking, rank, shared_episodes
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.comparison import Reader, entries, read_records, run_records


def rank_runs(
    paths: Sequence[Path], by: str | None = None, read: Reader = read_records, *, mix: bool = False
) -> Ranking:
    """The ranks of agents (`comparison.entries`) by one measure, whose better end the first run records.

    `by` None: the primary measure of the first one's benchmark. Raises RunDirectoryError for a measure that is no
    number or has no better end, runs by different rules, or episodes that not all have.
    """
    found = entries(paths, read, mix=mix)
    if not found:
        raise RunDirectoryError("rank needs at least one run. Name a run directory.")
    by = by or primary(paths[0])
    known = {name for values in found[0].episodes.values() for name in values}
    if by not in known:
        raise RunDirectoryError(f"rank: no episode of {paths[0]} has a measure {by!r}.{nearest(by, known)}")
    better = found[0].definitions[by].better
    if better is None:
        raise RunDirectoryError(
            f"rank: {by!r} has no better direction. Name a measure of which more, or less, is better."
        )
    return rank(found, by, higher_is_better=better == "higher")


def primary(path: Path) -> str:
    """The measure by which the benchmark of a run ranks."""
    return RunDirectory(path).config().benchmark.primary


def headline(paths: Sequence[Path], language: str, read: Reader = read_records, *, mix: bool = False) -> list[str]:
    """Who is better by the benchmark's primary measure, in words; nothing where no measure or no episode ranks them."""
    by = primary(paths[0])
    definition = read(paths[0]).definitions.get(by)
    if definition is None or definition.better is None or not shared_episodes(run_records(paths, read), by):
        return []
    return sentences(language, rank_runs(paths, by, read, mix=mix), definition, {})


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
    within = f"{low}" if low == high else f"{low}-{high}"
    seeds = f", {place.n_seeds} seeds (spread {place.seed_spread:.4f})" if place.seed_spread is not None else ""
    return f"{place.rank:>4}  {within:<8}  {place.mean:>7.4f}  {place.left_out:>8}  {place.name}{seeds}"
