"""Episodes and results as columns of plain values; infinity is written as "inf", what is missing as null.

Whole numbers of a path stay arrays, a tenth of the memory of a list, until the page is packed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.report.cause import CAUSES, Cause
from nav_eval.report.figures import Numbers
from nav_eval.report.frames import VIDEOS, read_frames, stem
from nav_eval.report.outcome import OUTCOMES
from nav_eval.report.scenery import EpisodeFacts
from nav_eval.report.source import Run
from nav_eval.report.survey import UNKNOWN, Survey
from nav_eval.report.track import Track, deltas

DIGITS = 5


COMMON = {0.0: 0.0, 1.0: 1.0}
"""Rates are one of these in every episode: one object each is enough."""


def significant(value: float, digits: int = DIGITS) -> float | str:
    """`value` to so many significant digits; "inf" where it is not finite."""
    if value in COMMON:
        return COMMON[value]
    if not math.isfinite(value):
        return "inf"
    return float(f"{value:.{digits}g}")


K = TypeVar("K")
T = TypeVar("T")


class Column(Iterable[T]):
    """A value for each episode, made when the page is written: all of them at once are most of a report's memory."""

    def __init__(self, make: Callable[[K], T], rows: Iterable[K]) -> None:
        self._make, self._rows = make, rows

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._rows)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked in each of `keys`, all of it in `facts`; `shortest`: m, None where it is not known."""

    keys: Sequence[EpisodeKey]
    facts: Mapping[EpisodeKey, EpisodeFacts]
    shortest: list[float | None] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    categories: list[str | None] = field(default_factory=list)
    reference_kinds: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        same: dict[str | None, str | None] = {}
        for fact in (self.facts.get(key, UNKNOWN) for key in self.keys):
            self.shortest.append(fact.shortest)
            self.languages.append(sys.intern(fact.language))
            self.categories.append(same.setdefault(fact.category, fact.category))
            self.reference_kinds.append(sys.intern(fact.reference_kind))


def episode_columns(asked: Asked, scenes: Sequence[str]) -> dict[str, Any]:
    """What was asked, in the order of its keys."""
    index = {scene: i for i, scene in enumerate(scenes)}

    def column(tell: Callable[[EpisodeFacts], Any]) -> Column[Any]:
        return Column(lambda key: tell(asked.facts.get(key, UNKNOWN)), asked.keys)

    return {
        "scene": [index[scene] for scene, _ in asked.keys],
        "id": [episode_id for _, episode_id in asked.keys],
        "text": column(lambda fact: _printable(fact.text)),
        "language": asked.languages,
        "category": Column(_printable, asked.categories),
        "shortest": Column(lambda metres: None if metres is None else significant(metres), asked.shortest),
        "reference": column(lambda fact: deltas(fact.reference)),
        "reference_kind": asked.reference_kinds,
        "goals": column(lambda fact: deltas(fact.goals)),
        "parts": column(lambda fact: [[_printable(text), significant(share)] for text, share in fact.parts] or None),
    }


def _printable(text: str | None) -> str | None:
    """Half of a surrogate pair, which JSON may hold and UTF-8 may not, becomes a question mark."""
    return text if text is None or text.isascii() else text.encode(errors="replace").decode()


class FrameBudget:
    """Keeps the frames of a report within `most` bytes: of all recorded episodes only each `every`th is shown."""

    def __init__(self, runs: Sequence[Run], keys: Sequence[EpisodeKey], most: int) -> None:
        self._filmed = [run.path for run in runs if (run.path / VIDEOS).is_dir()]
        filmed = [run for run in runs if run.path in self._filmed]
        size = sum(path.stat().st_size for run in filmed for key in keys if (path := _recorded(run, key)).is_file())
        self.every = max(1, -(-size // most))

    def frames(self, run: Run, key: EpisodeKey) -> dict[str, Any] | None:
        """What the agent saw, as base64 JPEG by camera, and how many steps lie between two; None if unrecorded."""
        if run.path not in self._filmed:
            return None
        path = _recorded(run, key)
        return {"every": self.every, **read_frames(path, self.every)} if path.is_file() else None


class WordBudget:
    """Keeps what models said within `most` characters of a page: the episodes that come first have theirs."""

    def __init__(self, most: int) -> None:
        self._left = most

    def kept(self, track: Track) -> list[list[Any]]:
        """[index of the step, text] of each answer; none where there is no room left for all of them."""
        length = sum(len(text) for _, text in track.said)
        if length > self._left:
            return []
        self._left -= length
        return [[step, _printable(text)] for step, text in track.said]


def _recorded(run: Run, key: EpisodeKey) -> Path:
    return run.path / VIDEOS / f"{stem(key)}.frames.zip"


def run_columns(
    run: Run,
    keys: Sequence[EpisodeKey],
    seen: Survey,
    numbers: Numbers,
    budget: FrameBudget,
    words: WordBudget,
    *,
    paths: bool = True,
) -> dict[str, Any]:
    """What one run made of each episode; null where it has not got to it, or the page has no room for its `paths`."""
    said = {key: words.kept(run.tracks[key]) for key in seen.told} if paths else {}

    def column(tell: Callable[[EpisodeResult], Any]) -> Column[Any]:
        return Column(lambda key: (result := run.results.get(key)) and tell(result), keys)

    return {
        "status": column(lambda result: result.status),
        "outcome": [OUTCOMES.index(seen.outcomes[key]) if key in seen.outcomes else None for key in keys],
        "reason": column(lambda result: result.failure_reason),
        "steps": column(lambda result: result.steps),
        "usage": column(lambda result: result.usage and result.usage.amounts()),
        "wall": column(lambda result: _number(result.timing.get("wall"))),
        "values": {name: Column(_display_value, found) for name, found in numbers.items()},
        "tracks": Column(lambda key: _track(run.tracks.get(key), said.get(key)) if paths else None, keys),
        "frames": [budget.frames(run, key) if paths else None for key in keys],
    }


def median_and_most(values: npt.NDArray[np.float32]) -> tuple[float, float]:
    """Of at least one value, the same as np.percentile of 50 and 100 to the last bit, at a fiftieth of its cost."""
    ordered = np.sort(values)
    low, high = ordered[(len(values) - 1) // 2], ordered[len(values) // 2]
    return float(high) - float(high - low) / 2, float(ordered[-1])


def cause_columns(found: Mapping[EpisodeKey, Cause], keys: Sequence[EpisodeKey]) -> dict[str, Any]:
    """Why each episode failed, after which step that came and the room that was entered; null where it did not fail."""
    known = [found.get(key) for key in keys]
    return {
        "cause": [one and CAUSES.index(one.kind) for one in known],
        "cause_step": [one and one.step for one in known],
        "cause_room": [one and one.room for one in known],
    }


def _number(value: Any) -> float | str | None:
    return significant(float(value)) if isinstance(value, int | float) else None


def _display_value(number: np.float64) -> float | str | None:
    return None if np.isnan(number) else significant(float(number))


def _track(track: Track | None, said: list[list[Any]] | None) -> dict[str, Any] | None:
    if track is None:
        return None
    latency = [significant(q, 3) for q in median_and_most(track.latency)] if track.latency.size else None
    others: dict[str, Any] = {"people": [deltas(way) for way in track.people]} if track.people else {}
    others |= {"said": said} if said else {}
    return {
        "points": deltas(track.positions),
        "yaws": track.yaws,
        "actions": track.actions,
        "collided": track.collided,
        "latency": latency,
        **others,
    }
