"""Why an episode failed, as far as the records tell: what went wrong first, read off the recorded path.

Nothing is known of what an agent thought. Told is where it first did what the reference does not: it entered another
room, left the path, went on from the goal or never said stop there, or pushed against something; and if it did none
of these, how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import get_args

import numpy as np
import numpy.typing as npt

from nav_eval.core.types import Status
from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval.report.outcome import NO_FAILURE, STUCK_RADIUS_CM, STUCK_STEPS
from nav_eval.report.scenery import EpisodeFacts
from nav_eval.report.track import Ints, Track

CAUSES = (
    "aborted",
    "no_move",
    "wrong_room",
    "left_path",
    "passed_goal",
    "not_stopped",
    "blocked",
    "short_in_room",
    "short_on_path",
    "endless",
    "untold",
)
UNPLACED = ("aborted", "untold")
"""Those that no place of the path shows."""
ABORTED = get_args(Status)[1:]
MIN_OFF = 1.0
"""Metres from the reference path at which an agent has left it, where the success distance is smaller."""
DOORWAY_CM = 30
"""Who stands that near to the side of a room's box may be in its door."""
PACE_CM = 25
LEVEL_CM = 50
"""A floor may lie that much below the box of its room."""

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cause:
    """One of CAUSES, after which step it came, and the category of the room that was entered."""

    kind: str
    step: int | None = None
    room: str | None = None


def cause(
    outcome: str, track: Track | None, facts: EpisodeFacts, rooms: Sequence[SemanticRegion], radius: float
) -> Cause | None:
    """Of an episode that ended so; None for one that did not fail. `radius`: the success distance (m)."""
    if outcome in NO_FAILURE:
        return None
    if outcome in ABORTED:
        return Cause("aborted")
    if track is None or (outcome == "other" and len(facts.reference) < 2):
        return Cause("untold")
    if outcome == "no_move":
        return Cause("no_move")
    events = [*_events(outcome, track, facts, rooms, radius)]
    return min(events, key=lambda event: event.step or 0) if events else _ending(track, facts, rooms)


def _events(
    outcome: str, track: Track, facts: EpisodeFacts, rooms: Sequence[SemanticRegion], radius: float
) -> Iterator[Cause]:
    """The first of each kind; of two at the same step the one that says more comes first."""
    if len(facts.reference) > 1:
        allowed = inside(rooms, _sample(facts.reference), DOORWAY_CM).any(axis=0)
        entered = inside(rooms, track.positions, -DOORWAY_CM)
        lost = entered.any(axis=1) & ~(entered & allowed).any(axis=1)
        if lost.any():
            step = int(lost.argmax())
            yield Cause("wrong_room", step, rooms[int(entered[step].argmax())].category)
        off = to_path(track.positions, facts.reference) > 100 * max(radius, MIN_OFF)
        if off.any():
            yield Cause("left_path", int(off.argmax()))
    if outcome in ("passed_goal", "not_stopped") and len(facts.goals):
        near = _to_points(track.positions, facts.goals) <= 100 * radius
        yield Cause(outcome, int(near.argmax()) if near.any() else None)
    pushing = _pushing(track)
    if pushing is not None:
        yield Cause("blocked", pushing)


def _ending(track: Track, facts: EpisodeFacts, rooms: Sequence[SemanticRegion]) -> Cause:
    last = len(track.actions)
    if not track.stopped:
        return Cause("endless", last)
    if len(facts.goals) and (inside(rooms, track.positions[-1:]) & inside(rooms, facts.goals).any(axis=0)).any():
        return Cause("short_in_room", last)
    return Cause("short_on_path", last) if len(facts.reference) > 1 else Cause("untold", last)


def inside(rooms: Sequence[SemanticRegion], points: Ints, grown: int = 0) -> Mask:
    """(N, R): whether each of (N, 3) points (cm) lies over the floor of each room, whose sides are `grown` (cm)."""
    low = 100 * np.array([room.low for room in rooms], np.float64).reshape(-1, 3) - (grown, LEVEL_CM, grown)
    high = 100 * np.array([room.high for room in rooms], np.float64).reshape(-1, 3) + (grown, 0, grown)
    return np.asarray(((points[:, None] >= low) & (points[:, None] <= high)).all(axis=2), np.bool_)


def to_path(points: Ints, path: Ints) -> Floats:
    """(N,) cm from each point to the nearest place of a path of straight lines."""
    start, along = path[:-1].astype(np.float64), np.diff(path, axis=0).astype(np.float64)
    rest = points[:, None] - start
    share = (rest * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-9)
    nearest = rest - np.clip(share, 0, 1)[..., None] * along
    found: Floats = np.linalg.norm(nearest, axis=2).min(axis=1)
    return found


def _to_points(points: Ints, others: Ints) -> Floats:
    found: Floats = np.linalg.norm((points[:, None] - others).astype(np.float64), axis=2).min(axis=1)
    return found


def _sample(path: Ints) -> Ints:
    """Places of a path of straight lines that lie a quarter of a metre apart at the most."""
    pieces = [np.linspace(a, b, int(np.ceil(np.linalg.norm(b - a) / PACE_CM)) + 1) for a, b in pairwise(path)]
    found: Ints = np.rint(np.concatenate(pieces)).astype(np.int32)
    return found


def _pushing(track: Track) -> int | None:
    """The first step of ten after which the agent was within half a metre, and half of which touched something."""
    touched = np.zeros(len(track.actions) + 1)
    touched[[step + 1 for step in track.collided]] = 1
    sums = touched.cumsum()
    for step in track.collided:
        end = step + STUCK_STEPS
        if end >= len(track.positions) or sums[end] - sums[step] < STUCK_STEPS / 2:
            continue
        if np.linalg.norm(track.positions[step : end + 1] - track.positions[step], axis=1).max() <= STUCK_RADIUS_CM:
            return step + 1
    return None
