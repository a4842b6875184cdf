"""What another evaluator wrote of the same episodes: its file read, and where its values differ from ours.

Read are the forms that the field's evaluators write, one value of each measure for each episode: an object by id
(VLN-CE's stats_ep), a row for each episode (StreamVLN's result.json, InternNav's progress.json, any JSON list), an
object of columns with a column of ids (DUET, HAMT), and CSV.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import PredictionsError, one_line
from nav_eval.reading import read
from nav_eval.results.predictions import IDS, MAX_BYTES

TABLE_IDS = (*IDS, "episode", "id")
MEANS = {"mean", "average", "all", "total"}
"""What the row of means is called at the end of a table, ours too."""
SCENES = ("scene_id", "scene", "scan")
NAMES = {
    "sr": "success", "success_rate": "success", "os": "oracle_success", "osr": "oracle_success",
    "oracle_sr": "oracle_success", "oracle_rate": "oracle_success", "oracle_success_rate": "oracle_success",
    "ne": "navigation_error", "nav_error": "navigation_error", "nav_err": "navigation_error",
    "oracle_error": "oracle_navigation_error", "oracle_nav_error": "oracle_navigation_error",
    "tl": "path_length", "pl": "path_length", "lengths": "path_length", "trajectory_lengths": "path_length",
    "trajectory_length": "path_length", "steps_taken": "steps", "softspl": "soft_spl", "gp": "goal_progress",
    "distance_to_goal": "navigation_error",
}  # fmt: skip
"""What others call our metrics, in small letters."""
NEAR = 1e-5
"""Relative above 1, else absolute: VLN-CE adds up paths in float32, off by up to 3.9e-6 m."""


@dataclass(frozen=True, slots=True)
class Row:
    """One episode of their file: values by their names."""

    episode: str
    scene: str | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric on the episodes of both. `largest`: the largest difference, in `episode`; NaN where both are equal.

    `different`: the episodes whose values differ; `rounded`: theirs are ours with so many decimals.
    """

    name: str
    theirs: str
    n: int
    different: Sequence[EpisodeKey]
    mean: float
    mean_theirs: float
    largest: float
    episode: EpisodeKey | None
    rounded: int | None


@dataclass(frozen=True, slots=True)
class Matched:
    """Their rows by our episodes, and the episodes that one side alone has."""

    rows: Mapping[EpisodeKey, Row]
    only_ours: Sequence[EpisodeKey]
    only_theirs: Sequence[str]


def read_rows(path: Path) -> list[Row]:
    """Raises PredictionsError for what is no table of episodes, or has an episode twice with other values."""
    try:
        text = read(path, MAX_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        raise PredictionsError(f"{path}: there is no such file.") from None
    except (OSError, ValueError) as error:
        raise PredictionsError(f"{path}: cannot be read ({error}). Write it again.") from None
    rows = [_row(record) for record in _records(path, text)]
    found = [row for row in rows if row is not None and row.values]
    if not found:
        raise PredictionsError(
            f"{path}: holds no values of episodes. Give a JSON object by episode id, JSON rows or a CSV with a column "
            "episode_id or instr_id."
        )
    _refuse_contradictions(path, found)
    return list({(row.scene, row.episode): row for row in found}.values())


def match(rows: Iterable[Row], episodes: Sequence[EpisodeKey]) -> Matched:
    """Their rows to our episodes, by id, and by scene where one is given; raises PredictionsError where neither can."""
    ours: dict[str, list[EpisodeKey]] = {}
    for key in episodes:
        for name in {key[1], ":".join(key)}:
            ours.setdefault(name, []).append(key)
    found: dict[EpisodeKey, Row] = {}
    only_theirs = []
    for row in rows:
        candidates = [key for key in ours.get(row.episode, ()) if row.scene is None or _is_scene(row.scene, key[0])]
        if len(candidates) > 1:
            raise PredictionsError(
                f"{len(candidates)} scenes have an episode {one_line(row.episode)}: add a column scene_id to the table."
            )
        if candidates:
            found[candidates[0]] = row
        else:
            only_theirs.append(row.episode if row.scene is None else f"{row.scene}:{row.episode}")
    return Matched(found, [key for key in episodes if key not in found], only_theirs)


def compare(matched: Matched, results: Iterable[EpisodeResult]) -> list[Measure]:
    """Every measure that both have, in the order of our metrics."""
    measured = {(result.scene_id, result.episode_id): result.metrics for result in results}
    ours = {key: metrics for key, metrics in measured.items() if key in matched.rows}
    theirs = Counter(name for row in matched.rows.values() for name in row.values)
    known = {name for values in ours.values() for name, value in values.items() if isinstance(value, int | float)}
    pairs = {own: name for name in theirs if (own := _own_name(name, known)) is not None}
    return [_measure(own, pairs[own], matched, ours) for own in sorted(pairs)]


def is_near(a: float, b: float) -> bool:
    """Whether two values are one; two that are not finite are."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return not math.isfinite(a) and not math.isfinite(b)
    return abs(a - b) <= NEAR * max(1.0, abs(b))


def rounded_to(pairs: Sequence[tuple[float, float]]) -> int | None:
    """The decimals to which `theirs` are `ours` rounded, of (ours, theirs); None if they are no such thing."""
    for decimals in range(1, 6):
        if all(abs(a - b) <= 0.5001 * 10**-decimals and round(b, decimals) == b for a, b in pairs):
            return decimals
    return None


def _own_name(name: str, known: Container[str]) -> str | None:
    small = name.lower().replace("-", "_")
    return next((one for one in (small, NAMES.get(small)) if one in known), None)


def _measure(name: str, called: str, matched: Matched, ours: Mapping[EpisodeKey, Mapping[str, Any]]) -> Measure:
    pairs = {
        key: (float(ours[key][name]), row.values[called])
        for key, row in matched.rows.items()
        if called in row.values and key in ours and name in ours[key]
    }
    different = [key for key, (a, b) in pairs.items() if not is_near(a, b)]
    gaps = {key: _gap(*pairs[key]) for key in different}
    worst = max(gaps, key=gaps.__getitem__, default=None)
    mean, mean_theirs = (_mean([pair[side] for pair in pairs.values()]) for side in (0, 1))
    rounded = rounded_to(list(pairs.values())) if different else None
    return Measure(
        name,
        called,
        len(pairs),
        different,
        mean,
        mean_theirs,
        math.nan if worst is None else gaps[worst],
        worst,
        rounded,
    )


def _gap(a: float, b: float) -> float:
    return abs(a - b) if math.isfinite(a) and math.isfinite(b) else math.inf


def _mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _is_scene(theirs: str, ours: str) -> bool:
    """Whether `theirs` is our scene id or a folder or file name of it (2azQ1b91cZZ)."""
    parts = ours.split("/")
    return theirs in (ours, *parts, parts[-1].split(".")[0])


def _records(path: Path, text: str) -> list[Mapping[str, Any]]:
    if path.suffix == ".csv":
        try:
            return list(csv.DictReader(text.splitlines()))
        except csv.Error as error:
            raise PredictionsError(f"{path}: cannot be read ({error}). Write it again.") from None
    try:
        content = json.loads(text)
    except ValueError:
        try:  # rows without a list around them, whatever the file is called
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise PredictionsError(f"{path}: is neither JSON nor JSON Lines ({error}). Write it again.") from None
    except RecursionError as error:
        raise PredictionsError(f"{path}: cannot be read as JSON ({error}). Write it again.") from None
    if isinstance(content, Mapping):
        content = _of_object(path, content)
    return [record for record in content if isinstance(record, Mapping)] if isinstance(content, list) else []


def _of_object(path: Path, content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Rows of an object by id, or of an object of columns, or of one row."""
    if any(name in content and isinstance(content[name], list) for name in TABLE_IDS):
        columns = {name: values for name, values in content.items() if isinstance(values, list)}
        if len({len(values) for values in columns.values()}) > 1:
            lengths = ", ".join(f"{name} {len(values)}" for name, values in columns.items())
            raise PredictionsError(f"{path}: its columns have not one length ({lengths}). Write it again.")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if any(isinstance(value, Mapping) for value in content.values()):
        return [{"episode_id": name, **value} for name, value in content.items() if isinstance(value, Mapping)]
    return [content]


def _row(record: Mapping[str, Any]) -> Row | None:
    """None for a line without an episode's id, such as the means at the end."""
    identity = next((record[name] for name in TABLE_IDS if isinstance(record.get(name), str | int)), None)
    if identity is None or str(identity).lower() in MEANS:
        return None
    scene = next((str(record[name]) for name in SCENES if record.get(name)), None)
    numbers = {name: _number(value) for name, value in record.items() if name not in (*TABLE_IDS, *SCENES)}
    return Row(str(identity), scene, {name: value for name, value in numbers.items() if value is not None})


def _number(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _refuse_contradictions(path: Path, rows: Iterable[Row]) -> None:
    """An episode may stand twice, as after a resumed run, if both say the same."""
    seen: dict[tuple[str | None, str], Row] = {}
    for row in rows:
        before = seen.setdefault((row.scene, row.episode), row)
        if before.values.keys() != row.values.keys() or not all(
            is_near(before.values[name], value) for name, value in row.values.items()
        ):
            raise PredictionsError(
                f"{path}: episode {one_line(row.episode)} stands twice with other values. Keep the one that counts."
            )
