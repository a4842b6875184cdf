"""When a run was worked on: its first segment and every --resume, for manifest.json.

A segment is {"started": when, by the wall clock (UTC), "seconds": how long, by the monotonic one}; `seconds` is null
while it goes on, and stays null if the evaluator died. Setting the wall clock makes no segment end before it began, or
begin before the one before has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Segment = Mapping[str, Any]


def read(manifest: Mapping[str, Any]) -> list[Segment]:
    """The segments so far; what a manifest of an older version can tell."""
    return list(manifest.get("sittings") or [{"started": manifest["started"], "seconds": None}])


def begin(before: Sequence[Segment]) -> list[Segment]:
    """`before` and the segment that begins now."""
    now = datetime.now(UTC).replace(microsecond=0)
    return [*before, {"started": max([now, *map(end_of, before)]).isoformat(), "seconds": None}]


def finish(segments: Sequence[Segment], seconds: float) -> list[Segment]:
    """`segments`, the last of which has taken so long."""
    return [*segments[:-1], {**segments[-1], "seconds": round(seconds, 3)}]


def end_of(segment: Segment) -> datetime:
    """When it ended, to the second; when it began, if nobody noted more."""
    return datetime.fromisoformat(segment["started"]) + timedelta(seconds=int(segment["seconds"] or 0))
