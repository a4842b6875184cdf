"""nav-eval rank: a board of run directories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nav_eval.errors import RunDirectoryError
from nav_eval.registry import nearest
from nav_eval.report.source import told_definitions
from nav_eval.results.ranking import Place, Ranking, rank
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.comparison import run_records


def rank_runs(paths: Sequence[Path], by: str | None = None, *, seed: int = 0) -> Ranking:
    """The ranks of run directories by one measure, whose better end the first of them records.

    `by` None: the primary measure of the first one's benchmark. Raises RunDirectoryError for a measure that is no
    number or has no better end, runs by different rules, or episodes that not all have.
    """
    entries = run_records(paths)
    if not entries:
        raise RunDirectoryError("rank needs at least one run. Name a run directory.")
    directory = RunDirectory(paths[0])
    by = by or directory.config().benchmark.primary
    known = {name for values in entries[0].episodes.values() for name in values}
    if by not in known:
        raise RunDirectoryError(f"rank: no episode of {paths[0]} has a measure {by!r}.{nearest(by, known)}")
    better = told_definitions(directory.results() or {}, [by], directory.config())[by].better
    if better is None:
        raise RunDirectoryError(
            f"rank: {by!r} has no better direction. Name a measure of which more, or less, is better."
        )
    return rank(entries, by, higher_is_better=better == "higher", seed=seed)


def ranking_table(ranking: Ranking) -> list[str]:
    """As lines of text, best first."""
    order = "higher" if ranking.higher_is_better else "lower"
    episodes, buildings = (
        f"{n} {name}{'s' * (n != 1)}"
        for n, name in ((ranking.n_episodes, "episode"), (ranking.n_buildings, "building"))
    )
    lines = [
        f"{ranking.metric} ({order} is better) on {episodes} in {buildings}",
        "rank  95 %         mean  left out  entry",
        *map(_line, ranking.places),
    ]
    if ranking.n_buildings < 2:
        lines.append(
            "One building: its episodes are taken as independent, and the ranks say nothing about other buildings."
        )
    return lines


def _line(place: Place) -> str:
    low, high = place.rank_ci95
    within = f"{low}" if low == high else f"{low} to {high}"
    return f"{place.rank:>4}  {within:<8}  {place.mean:>7.4f}  {place.left_out:>8}  {place.name}"
