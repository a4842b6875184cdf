"""nav-eval compare: paired statistics of run directories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, TypeAlias

from nav_eval.core.numbers import numbers_of
from nav_eval.core.types import EpisodeResult
from nav_eval.errors import RunDirectoryError, one_line
from nav_eval.logging import get_logger
from nav_eval.report.source import told_definitions
from nav_eval.results.compare import RunRecords, compare
from nav_eval.results.facts import changed
from nav_eval.results.rules import BY_CONVENTION, rules_of
from nav_eval.results.run_directory import RunDirectory
from nav_eval.results.seeds import grouped, played_by

MUST_AGREE = ("benchmark", "profile", "renderer", "dataset_sha256", "assets_sha256")
"""Keys of the manifest that runs must share."""
RULES = "run_rules_sha256"
Reader: TypeAlias = Callable[[Path], RunRecords]


def read_records(path: Path) -> RunRecords:
    """Of one run directory."""
    with RunDirectory(path) as directory:
        directory.open_for_reading()
        manifest, config = directory.manifest(), directory.config()
        journal = directory.journal
        results = list(journal.in_order(list(journal.recorded)))
        measured = (result for result in results if result.metrics or result.unmeasured)
        episodes = {(result.scene_id, result.episode_id): numbers_of(result.metrics) for result in measured}
        shared = (
            {"reference": _reference(path, results)}
            | {name: manifest.get(name) for name in MUST_AGREE}
            | rules_of(config)
            | {RULES: (manifest.get("nav_eval"), manifest.get(RULES))}
        )
        summary = directory.results() or {}
        values = dict.fromkeys(name for values in episodes.values() for name in values)
        printed = [name for name in summary.get("metrics", ()) if name in values]
        names = dict.fromkeys((*printed, *values))
        told = told_definitions(summary, names, config)
        well = sum(result.status == "ok" for result in results)
        return RunRecords(
            str(path),
            episodes,
            shared,
            told,
            played_well=well,
            agent=played_by(manifest),
            plugins=manifest.get("plugins", {}),
        )


def compare_runs(paths: Sequence[Path], read: Reader = read_records, *, mix: bool = False) -> list[dict[str, Any]]:
    """One row per metric and pair of `entries`.

    Raises RunDirectoryError naming what two runs differ in.
    """
    if len(paths) < 2:
        raise RunDirectoryError("compare needs two or more run directories.")
    runs = entries(paths, read, mix=mix)
    if len(runs) < 2:
        raise RunDirectoryError(f"compare: these are all runs of one agent, {runs[0].name}. Name a run of another.")
    every = [values for run in runs for values in run.episodes.values()]
    names = dict.fromkeys((*runs[0].definitions, *(name for values in every for name in values)))
    shared = [name for name in names if all(name in values for values in every)]
    rows = compare(runs, shared)  # first, for it says why runs cannot be compared at all
    for name in names.keys() - set(shared):
        lacking = sum(name not in values for values in every)
        get_logger(__name__).warning(
            "%s is not compared: %d of the episodes have no value of it.", one_line(name), lacking
        )
    return [asdict(row) for row in rows]


def entries(paths: Sequence[Path], read: Reader = read_records, *, mix: bool = False) -> list[RunRecords]:
    """One for each agent, whose runs with different seeds count together (results/seeds.py).

    `mix`: they may be scored by different conventions, and a warning says in what these differ.
    """
    found = grouped(run_records(paths, read))
    return _mixed(found) if mix else found


def _mixed(runs: Sequence[RunRecords]) -> list[RunRecords]:
    free = [key for key in (*sorted(BY_CONVENTION), "reference") if len({run.metadata[key] for run in runs}) > 1]
    if free:
        told = "; ".join(f"{key}: {', '.join(f'{run.metadata[key]} ({run.name})' for run in runs)}" for key in free)
        get_logger(__name__).warning("These are scored by different rules: %s.", one_line(told))
    freed = dict.fromkeys([*free, RULES] if free else [])
    return [replace(run, metadata={**run.metadata, **freed}) for run in runs]


def warn_of_other_plugins(runs: Sequence[RunRecords]) -> None:
    """One line about the plug-ins that runs share by name only: what these define may be two things."""
    if names := {name for one, other in combinations(runs, 2) for name in changed(one.plugins, other.plugins)}:
        get_logger(__name__).warning(
            "The runs were made with different versions of the plug-in %s, so what it defines may not be one thing in "
            "all. Play those of the older version anew.",
            one_line(", ".join(sorted(names))),
        )


def run_records(paths: Sequence[Path], read: Reader = read_records) -> list[RunRecords]:
    """What the runs' episodes came to, with what they must share; none that a fault of ours ended.

    `read`: `read_records`, where somebody keeps what it returned.
    """
    return _with_sums_of_one_edition([read(path) for path in paths])


def _with_sums_of_one_edition(runs: Sequence[RunRecords]) -> list[RunRecords]:
    """Sums of rules that two versions of nav_eval made may cover other keys: then the keys alone must agree."""
    sums = [run.metadata[RULES] for run in runs]
    one_edition = len({edition for edition, _ in sums}) == 1 and all(value is not None for _, value in sums)
    kept = [value if one_edition else None for _, value in sums]
    return [replace(run, metadata={**run.metadata, RULES: value}) for run, value in zip(runs, kept, strict=True)]


def _reference(path: Path, results: Iterable[EpisodeResult]) -> str | None:
    """What the run's dtw and coverage compare with. Raises RunDirectoryError where it is not one and the same."""
    found = Counter(result.reference for result in results if result.reference not in (None, "none"))
    if len(found) > 1:
        told = " and ".join(f"{name} in {count}" for name, count in sorted(found.items(), key=str))
        raise RunDirectoryError(
            f"{path}: cannot be compared: the reference of its episodes is {told}. Give all of them a path in the _gt "
            "file (dataset.gt_path), or none."
        )
    return next(iter(found), None)


MIN_P = 0.0001
"""No table says of a difference that it cannot be chance."""


def comparison_table(rows: Sequence[dict[str, Any]]) -> str:
    """Rows of compare_runs as text."""
    lines: list[str] = []
    for (first, second), group in groupby(rows, key=lambda row: (row["first"], row["second"])):
        lines.append(f"{second} minus {first}")
        lines += map(_line, group)
    return "\n".join(map(one_line, lines)) + "\n"


def _line(row: dict[str, Any]) -> str:
    if row["difference"] is None:
        return f"  {row['metric']:<28} nothing to compare"
    ci = row["ci95"]
    whole = f" ({row['p_adjusted']:.4g} for {row['pairs']} pairs)" if row["pairs"] > 1 else ""
    told = f"p {row['p']:.4g}" if row["p"] >= MIN_P else f"p < {MIN_P}"
    chance = f"{told}{whole} {row['test']}"
    means = f"{row['mean_first']:9.4f} -> {row['mean_second']:9.4f}  {row['difference']:+.4f}"
    row_of_means = f"  {row['metric']:<28} {means}"
    if ci is None:
        return f"{row_of_means}  no interval  {chance}"
    return f"{row_of_means}  95% [{ci[0]:+.4f}, {ci[1]:+.4f}]  {chance}"
