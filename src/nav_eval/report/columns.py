"""Episodes and results as columns of plain values; infinity is written as "inf", what is missing as null.

Whole numbers of a path stay arrays, a tenth of the memory of a list, until the page is packed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.dataset.episode import EpisodeKey
from nav_eval.report.cause import CAUSES, Cause
from nav_eval.report.frames import VIDEOS, read_frames, stem
from nav_eval.report.outcome import OUTCOMES
from nav_eval.report.scenery import EpisodeFacts
from nav_eval.report.source import Run
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


def episode_columns(
    keys: Sequence[EpisodeKey], scenes: Sequence[str], facts: Mapping[EpisodeKey, EpisodeFacts]
) -> dict[str, Any]:
    """What was asked, in the order of `keys`."""
    known = [facts.get(key, EpisodeFacts()) for key in keys]
    index = {scene: i for i, scene in enumerate(scenes)}
    return {
        "scene": [index[scene] for scene, _ in keys],
        "id": [episode_id for _, episode_id in keys],
        "text": [_printable(fact.text) for fact in known],
        "language": [fact.language for fact in known],
        "category": [_printable(fact.category) for fact in known],
        "shortest": [None if fact.shortest is None else significant(fact.shortest) for fact in known],
        "reference": [deltas(fact.reference) for fact in known],
        "reference_kind": [fact.reference_kind for fact in known],
        "goals": [deltas(fact.goals) for fact in known],
        "parts": [[[_printable(text), significant(share)] for text, share in fact.parts] or None for fact in known],
    }


def _printable(text: str | None) -> str | None:
    """Half of a surrogate pair, which JSON may hold and UTF-8 may not, becomes a question mark."""
    return text if text is None or text.isascii() else text.encode(errors="replace").decode()


class FrameBudget:
    """Keeps the frames of a report within `most` bytes: of all recorded episodes only each `every`th is shown."""

    def __init__(self, runs: Sequence[Run], keys: Sequence[EpisodeKey], most: int) -> None:
        size = sum(path.stat().st_size for run in runs for key in keys if (path := _recorded(run, key)).is_file())
        self.every = max(1, -(-size // most))

    def frames(self, run: Run, key: EpisodeKey) -> dict[str, Any] | None:
        """What the agent saw, as base64 JPEG by camera, and how many steps lie between two; None if unrecorded."""
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
    outcomes: Mapping[EpisodeKey, str],
    names: Sequence[str],
    budget: FrameBudget,
    words: WordBudget,
    *,
    paths: bool = True,
) -> dict[str, Any]:
    """What one run made of each episode; null where it has not got to it, or the page has no room for its `paths`."""
    results = [run.results.get(key) for key in keys]
    return {
        "status": [result and result.status for result in results],
        "outcome": [OUTCOMES.index(outcomes[key]) if key in outcomes else None for key in keys],
        "reason": [result and result.failure_reason for result in results],
        "steps": [result and result.steps for result in results],
        "usage": [result and result.usage and result.usage.amounts() for result in results],
        "wall": [result and _number(result.timing.get("wall")) for result in results],
        "values": {name: [result and _number(result.metrics.get(name)) for result in results] for name in names},
        "tracks": [_track(run.tracks.get(key), words) if paths else None for key in keys],
        "frames": [budget.frames(run, key) if paths else None for key in keys],
    }


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


def _track(track: Track | None, words: WordBudget) -> dict[str, Any] | None:
    if track is None:
        return None
    latency = (
        [significant(float(q), 3) for q in np.percentile(track.latency, (50, 100))] if track.latency.size else None
    )
    others: dict[str, Any] = {"people": [deltas(way) for way in track.people]} if track.people else {}
    others |= {"said": said} if (said := words.kept(track)) else {}
    return {
        "points": deltas(track.positions),
        "yaws": track.yaws,
        "actions": track.actions,
        "collided": track.collided,
        "latency": latency,
        **others,
    }
