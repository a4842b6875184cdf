"""A submission scored beside a third party's own table of it: which measure differs, where, and the likely reason.

The reason is found by scoring the submission again under the other conventions of the field: what makes all values
equal, or at least nine in ten of those that differ, is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import name_with_scene
from nav_eval.errors import NavEvalError
from nav_eval.results.third_party import Matched, Measure, compare, match, read_rows

CONVENTIONS: tuple[tuple[str, Any], ...] = (
    ("dtw", "fastdtw"), ("dtw", "exact"), ("repeats", "keep"), ("repeats", "drop"),
    ("spl_length", "reference"), ("spl_length", "shortest"),
    ("reference", "given"), ("reference", "densified"), ("reference", "gt"),
    ("success_rule", "final"), ("success_rule", "stop"), ("success_rule", "nodes"), ("success_rule", "seen"),
    ("goal_rule", "position"), ("goal_rule", "view_points"), ("goal_rule", "reference_end"),
)  # fmt: skip
"""Of `task`: keys and values under which the same paths get other numbers."""
EXPLAINED = 0.9
Scorer = Callable[[Config], Sequence[EpisodeResult]]


def against(config: Config, table: Path, results: Sequence[EpisodeResult], score: Scorer) -> dict[str, Any]:
    """The comparison as a JSON document. `score`: the submission's results under another configuration.

    Raises PredictionsError for a table that cannot be read, or whose episodes cannot be told apart.
    """
    matched = match(read_rows(table), [(result.scene_id, result.episode_id) for result in results])
    measures = compare(matched, results)
    unexplained = {one.name: len(one.different) for one in measures if one.different and one.rounded is None}
    others = _others(config, _radius(measures, matched, results)) if unexplained else ()
    reasons = _reasons(unexplained, matched, others, score)
    return {
        "file": table.name,
        "episodes": len(matched.rows),
        "only_here": [name_with_scene(key) for key in matched.only_ours],
        "only_there": list(matched.only_theirs),
        "measures": {one.name: _document(one) | reasons.get(one.name, {}) for one in measures},
    }


def agrees(document: Mapping[str, Any]) -> bool:
    """Whether both have the same episodes with the same values."""
    measures = document["measures"].values()
    alone = document["only_here"] or document["only_there"]
    return bool(measures) and not alone and all(one["n_different"] == 0 for one in measures)


def _document(one: Measure) -> dict[str, Any]:
    numbers = {name: getattr(one, name) for name in ("mean", "mean_theirs", "largest")}
    return {
        "theirs": one.theirs,
        "n": one.n,
        "n_different": len(one.different),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        "episode": None if one.episode is None else name_with_scene(one.episode),
        "rounded": one.rounded,
    }


def _others(config: Config, radius: float | None) -> Iterator[tuple[str, Config]]:
    """The same rules but for one convention each, by how it is written."""
    task, evaluation = config.task, config.evaluation
    for key, value in CONVENTIONS:
        if getattr(task, key) != value:
            yield f"task.{key}={value}", config.model_copy(update={"task": task.model_copy(update={key: value})})
    if radius is not None:
        other = evaluation.model_copy(update={"success_distance": radius})
        yield f"evaluation.success_distance={radius:g}", config.model_copy(update={"evaluation": other})


def _reasons(
    unexplained: Mapping[str, int], matched: Matched, others: Iterable[tuple[str, Config]], score: Scorer
) -> dict[str, dict[str, Any]]:
    """For each measure, and in how many values it differs, the convention under which the fewest do, and how many."""
    best = {name: (count, "") for name, count in unexplained.items()}
    for key, config in others:
        try:
            results = score(config)
        except NavEvalError:  # these data cannot be judged so: no gt file, no view points
            continue
        for one in compare(matched, results):
            if one.name in best and one.n:
                best[one.name] = min(best[one.name], (len(one.different), key))
    return {
        name: {"convention": key, "n_different_with_it": left}
        for name, (left, key) in best.items()
        if key and left <= (1 - EXPLAINED) * unexplained[name]
    }


def _radius(measures: Sequence[Measure], matched: Matched, results: Sequence[EpisodeResult]) -> float | None:
    """The distance below which they call an episode a success, in as few decimals as tell; None where none does."""
    called = next((one.theirs for one in measures if one.name == "success" and one.different), None)
    told = [
        (float(one.metrics["navigation_error"]), matched.rows[key].values[called] > 0.5)
        for one in results
        if called and (key := (one.scene_id, one.episode_id)) in matched.rows
        if called in matched.rows[key].values and "navigation_error" in one.metrics
    ]
    farthest = max((distance for distance, won in told if won), default=math.nan)
    nearest = min((distance for distance, won in told if not won), default=math.nan)
    rounded = (math.floor(nearest * 10**n) / 10**n for n in range(4)) if farthest < nearest < math.inf else ()
    return next((radius for radius in rounded if radius > farthest), None)
