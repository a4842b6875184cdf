"""When a run was worked on: its first sitting and every --resume, for manifest.json.

A sitting is {"started": when, by the wall clock (UTC), "seconds": how long, by the monotonic one}; `seconds` is null
while it goes on, and stays null if the evaluator died. Setting the wall clock makes no sitting end before it began, or
begin before the one before has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Sitting = Mapping[str, Any]


def recorded(manifest: Mapping[str, Any]) -> list[Sitting]:
    """The sittings so far; what a manifest of an older version can tell."""
    return list(manifest.get("sittings") or [{"started": manifest["started"], "seconds": None}])


def begun(before: Sequence[Sitting]) -> list[Sitting]:
    """`before` and the sitting that begins now."""
    now = datetime.now(UTC).replace(microsecond=0)
    return [*before, {"started": max([now, *map(end, before)]).isoformat(), "seconds": None}]


def ended(sittings: Sequence[Sitting], seconds: float) -> list[Sitting]:
    """`sittings`, the last of which has taken so long."""
    return [*sittings[:-1], {**sittings[-1], "seconds": round(seconds, 3)}]


def end(sitting: Sitting) -> datetime:
    """When it ended, to the second; when it began, if nobody noted more."""
    return datetime.fromisoformat(sitting["started"]) + timedelta(seconds=int(sitting["seconds"] or 0))
