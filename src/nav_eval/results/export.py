"""results.json and results.csv: what a run came to, for programs and for spreadsheets."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.config.schema import Config
from nav_eval.core.aggregate import EvaluationResults
from nav_eval.core.definitions import Definition
from nav_eval.core.numbers import numbers_of
from nav_eval.core.types import EpisodeResult
from nav_eval.errors import RunDirectoryError
from nav_eval.results.files import write_atomically
from nav_eval.results.sensor_class import sensor_class
from nav_eval_sdk.protocol.usage import Usage

RESULTS_SCHEMA = 1
ONCE = {"tries": 1, "restarts": 0, "resumes": 0}
"""How often an agent was shown an episode, as it usually is."""

ORACLE = "The agent is an oracle: it has access to the simulator. Its figures are an upper bound, not a result."
"""The note of a run whose agent may see the simulator."""


def results_document(config: Config, results: EvaluationResults, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The content of results.json; `notes` say what was not scored or what a reader must know."""
    document = {
        "schema": RESULTS_SCHEMA,
        "benchmark": config.title,
        "profile": {"name": config.benchmark.profile, "version": config.benchmark.version},
        "convention": config.task.convention,
        "split": config.dataset.split,
        "sensor_class": sensor_class(config.simulator.sensors),
        "n_episodes": results.n_episodes,
        "n_failed": results.n_failed,
        "n_not_scored": results.not_scored,
        "n_over_budget": results.over_budget,
        "n_lost": results.lost,
        "n_restarted": results.restarted,
        "n_resumed": results.resumed,
        "metric_faults": {name: dict(fault) for name, fault in results.metric_faults.items()},
        "references": dict(results.references),
        "statuses": dict(results.statuses),
        "metrics": {name: dict(summary) for name, summary in results.metrics.items()},
        "definitions": {name: asdict(definition) for name, definition in results.definitions.items()},
        "timing": dict(results.timing),
        "notes": [*notes, *_notes(results)],
    }
    return document | ({"usage": _usage(*results.usage)} if results.usage else {})


def _usage(spent: Usage, episodes: int) -> dict[str, Any]:
    """The totals, and what an episode cost in the mean, of those whose agent told it."""
    return {**msgspec.structs.asdict(spent), "n_episodes": episodes, "per_episode": _per_episode(spent, episodes)}


def _per_episode(spent: Usage, episodes: int) -> dict[str, float]:
    return {name: amount / episodes for name, amount in spent.amounts().items()}


def recorded_definitions(document: Mapping[str, Any]) -> dict[str, Definition]:
    """What the metrics of results.json say of themselves; none in a document from before it held that.

    Raises RunDirectoryError where it is damaged.
    """
    try:
        return msgspec.convert(document.get("definitions", {}), dict[str, Definition])
    except msgspec.ValidationError as error:
        raise RunDirectoryError(f"results.json: the definitions of its metrics are damaged ({error}).") from None


def _notes(results: EvaluationResults) -> list[str]:
    """What of a run is missing, mostly through the evaluator's own fault, and how to get it."""
    notes = []
    if results.restarted:
        notes.append(
            f"Shown to the agent again after its service had lost them, as agent_service.episode_restarts allows: "
            f"{results.restarted} of {results.n_episodes} episodes. results.csv says which."
        )
    if results.lost:
        notes.append(
            f"Left out of the means, because an evaluator error ended them: {results.lost} of {results.n_episodes} "
            "episodes. Do not rank by these results: --resume plays them again; a changed plug-in needs another --out."
        )
    if results.metric_faults:
        notes.append(
            f"{', '.join(results.metric_faults)}: without a value in some episodes because of an error in the metric; "
            "the other metrics stand. Fix it or leave it out of task.measurements, then `nav-eval rescore`."
        )
    for name, parts in results.unsummed.items():
        shown = ", ".join(parts[:5]) + f" and {len(parts) - 5} more" * (len(parts) > 5)
        notes.append(f"{name}: no figure and no column for {shown}, no number; episodes.jsonl holds each episode's.")
    return notes


def export_csv(path: Path, episodes: Iterable[EpisodeResult], results: EvaluationResults) -> None:
    """One row per episode and a last one of their means, as in results.json; a number that is not finite is empty."""
    names = [name for name in results.measured if name != "steps"]  # every row has them, measured or not
    costs = [*results.usage[0].amounts()] if results.usage else []
    fixed = ["scene_id", "episode_id", "status", "failure_reason", "unmeasured", "steps", "reference"]
    columns = [*fixed, *names, *ONCE, *costs]

    def write(fresh: Path) -> None:
        with fresh.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([*_row(result, names), *_spent(result.usage, costs)] for result in episodes)
            writer.writerow(
                [*_means(results, names), *(_per_episode(*results.usage).values() if results.usage else ())]
            )

    write_atomically(path, write)


def _spent(usage: Usage | None, costs: Sequence[str]) -> list[Any]:
    return ["" if usage is None else usage.amounts().get(name, 0) for name in costs]


def _means(results: EvaluationResults, names: Sequence[str]) -> list[Any]:
    means = {name: summary["mean"] for name, summary in results.metrics.items()}
    fixed = ["all", "mean", "", "", "", _number(means, "steps"), " and ".join(results.references)]
    return [*fixed, *(_number(means, name) for name in names), *("" for _ in ONCE)]


def _row(result: EpisodeResult, names: Sequence[str]) -> list[Any]:
    metrics = numbers_of(result.metrics)
    unmeasured = "; ".join(f"{name}: {reason}" for name, reason in result.unmeasured.items())
    told = [result.scene_id, result.episode_id, result.status, result.failure_reason or "", unmeasured, result.steps]
    fixed = [*told, result.reference or ""]
    attempts = [int(result.timing.get(name, usual)) for name, usual in ONCE.items()]
    return [*map(spreadsheet_cell, fixed), *(_number(metrics, name) for name in names), *attempts]


def spreadsheet_cell(value: Any) -> Any:
    """A text that begins like a formula, made plain, for a spreadsheet would run it; ids and messages are others'."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _number(metrics: Mapping[str, Any], name: str) -> Any:
    value = metrics.get(name)
    return value if isinstance(value, int | float) and math.isfinite(value) else ""
