"""MultiON (Habitat's `MultiNav-v1`): objects to be reached one after the other, in the order of the episode's goals.

Its rotations are not of unit length; they are normalised, with one notice. The objects are coloured cylinders that
MultiON puts into the scene when it plays; here they are places, and no camera sees them. Source: saimwani/multiON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

from nav_eval.dataset.dataset import GoalSource
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import UNIT_TOLERANCE, Fault, Fields
from nav_eval.dataset.pointnav import PointNavDataset


class MultiONDataset(PointNavDataset):
    """For the task `multi_objectnav`: each goal has its `category`, and their order is that of the file."""

    type: ClassVar[str] = "multion"
    _drawn_noticed = False
    _turned_noticed = False

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        placed = not any("view_points" in goal for goal in record.children("goals"))
        if placed and record.children("goals") and not self._drawn_noticed:
            self._drawn_noticed = True
            _notice(record, "goals", "MultiON puts these objects into the scene; here they are places, and not drawn")
        turned = _normalise(record.values.get("start_rotation"))
        if turned is not None:
            if not self._turned_noticed:
                self._turned_noticed = True
                _notice(record, "start_rotation", "rotations are not of unit length; they are normalised")
            record = Fields({**record.values, "start_rotation": turned}, record.origin, record.path)
        for goal in record.children("goals"):
            goal.text("object_category")
        yield from super().read(record, goals)


def _notice(record: Fields, path: str, told: str) -> None:
    record.origin.report(Fault(record.origin.file, "", path, told, notice=True))


def _normalise(rotation: Any) -> list[float] | None:
    """Of unit length, where `rotation` is four numbers of another one; None where there is nothing to do."""
    if not isinstance(rotation, list) or len(rotation) != 4 or not all(type(n) in (int, float) for n in rotation):
        return None
    length = math.hypot(*rotation)
    if not 0 < length < math.inf or abs(length - 1) <= UNIT_TOLERANCE:
        return None
    return [n / length for n in rotation]
