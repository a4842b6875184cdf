"""Goals as Habitat's files write them: points, objects with view points, objects with photographs.

PointNav and R2R-CE keep the goals in the episode; ObjectNav and InstanceImageNav keep them once per file in a table,
which `GoalTable` reads entry by entry when an episode asks, so that all its episodes share one tuple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nav_eval.dataset.episode import Episode, Goal, ImageGoal, ViewPoint
from nav_eval.dataset.fields import Fields, Origin, record_of

VIEW_TOLERANCE = 0.1
"""Habitat's own ObjectNav view points are up to 6 % off the unit length; nothing is scored by them."""


def read_goals(record: Fields) -> tuple[Goal, ...]:
    """The goals in the record itself."""
    return tuple(map(read_goal, record.children("goals")))


def read_goal(goal: Fields) -> Goal:
    return Goal(
        position=goal.vector("position"),
        radius=goal.optional_length("radius"),
        object_id=goal.identifier("object_id") if "object_id" in goal else None,
        category=goal.text("object_category") if "object_category" in goal else None,
        view_points=tuple(map(_read_view_point, goal.children("view_points"))),
        image_goals=tuple(map(_read_image_goal, goal.children("image_goals"))),
        extra=goal.rest("position", "radius", "object_id", "object_category", "view_points", "image_goals"),
    )


def goal_record(goal: Goal) -> dict[str, Any]:
    return record_of(
        goal.extra,
        position=goal.position,
        radius=goal.radius,
        object_id=goal.object_id,
        object_category=goal.category,
        view_points=[_view_point_record(point) for point in goal.view_points],
        image_goals=[_image_goal_record(image) for image in goal.image_goals],
    )


class GoalTable:
    """The goals of one file by key. An entry is a list of goals (ObjectNav) or a single goal (InstanceImageNav)."""

    def __init__(self, entries: Mapping[str, Any], origin: Origin, path: str) -> None:
        self._entries = entries
        self._origin = origin
        self._path = path
        self._read: dict[str, tuple[Goal, ...]] = {}

    @classmethod
    def member(cls, members: Mapping[str, Any], key: str, origin: Origin) -> GoalTable:
        """The table that is the file's member `key`."""
        return cls(Fields(members[key], origin, key).values, origin, key)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def find(self, key: str, record: Fields) -> tuple[Goal, ...]:
        """The goals under `key`; `record` is blamed when there are none."""
        if key not in self._entries:
            record.fault("", f"{self._path} holds no {key!r}")
            return ()
        if key not in self._read:
            self._read[key] = tuple(self._goals(key))
        return self._read[key]

    def _goals(self, key: str) -> Iterator[Goal]:
        entry = self._entries[key]
        path = f"{self._path}.{key}"
        if not isinstance(entry, list):
            yield read_goal(Fields(entry, self._origin, path))
            return
        for index, goal in enumerate(entry):
            yield read_goal(Fields(goal, self._origin, f"{path}[{index}]"))


def entries_of(members: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A copy of the table that is the member `key` of a header; empty if there is none, or another value."""
    table = members.get(key)
    return dict(table) if isinstance(table, dict) else {}


def read_frame(record: Fields, *taken: str) -> dict[str, Any]:
    """The arguments of Episode that every Habitat format shares; `taken` are keys that the format reads itself."""
    return {
        "episode_id": record.own_id("episode_id"),
        "scene_id": record.scene_id(),
        "start_position": record.vector("start_position"),
        "start_rotation": record.quaternion("start_rotation"),
        "info": record.mapping("info"),
        "extra": record.rest("episode_id", "scene_id", "start_position", "start_rotation", "info", *taken),
    }


def frame_record(episode: Episode, **more: Any) -> dict[str, Any]:
    """The record that `read_frame` read, with the format's own fields `more`."""
    return record_of(
        episode.extra,
        episode_id=episode.episode_id,
        scene_id=episode.scene_id,
        start_position=episode.start_position,
        start_rotation=episode.start_rotation,
        info=episode.info,
        **more,
    )


def _read_view_point(view: Fields) -> ViewPoint:
    state = view.child("agent_state")
    return ViewPoint(
        position=state.vector("position"),
        rotation=state.quaternion("rotation", VIEW_TOLERANCE) if "rotation" in state else None,
        iou=view.optional_number("iou"),
    )


def _view_point_record(point: ViewPoint) -> dict[str, Any]:
    state = record_of({}, position=point.position, rotation=point.rotation)
    return record_of({}, agent_state=state, iou=point.iou)


def _read_image_goal(image: Fields) -> ImageGoal:
    size = image.integers("image_dimensions")
    if len(size) != 2 or min(size) < 1:
        image.fault("image_dimensions", "expected [height, width] in pixels")
        size = (1, 1)
    return ImageGoal(
        position=image.vector("position"),
        rotation=image.quaternion("rotation"),
        hfov=image.number("hfov"),
        image_size=(size[0], size[1]),
        extra=image.rest("position", "rotation", "hfov", "image_dimensions"),
    )


def _image_goal_record(image: ImageGoal) -> dict[str, Any]:
    return record_of(
        image.extra,
        position=image.position,
        rotation=image.rotation,
        hfov=image.hfov,
        image_dimensions=image.image_size,
    )
