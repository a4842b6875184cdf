"""ImageNav: PointNav's files, with a view from the goal as the instruction; also a bare list of episodes.

The files say where the goal view is taken, not which way it looks. Habitat draws the yaw with Python's `hash`, which
differs in each process; ours comes from the SHA-256 of the episode's key, so that every run shows the same picture.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from nav_eval.dataset.dataset import GoalSource
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.dataset.fields import Fields
from nav_eval.dataset.pointnav import PointNavDataset
from nav_eval.geometry import Quaternion, yaw_rotation


class ImageNavDataset(PointNavDataset):
    """Each goal's `extra["yaw"]` (rad) is where its picture looks."""

    type: ClassVar[str] = "imagenav"

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        for episode in super().read(record, goals):
            yaw = goal_yaw(episode.scene_id, episode.episode_id)
            facing = tuple(replace(goal, extra={"yaw": yaw, **goal.extra}) for goal in episode.goals)
            yield replace(episode, goals=facing)

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        return super().records(map(_without_yaw, episodes), members)


def goal_yaw(scene_id: str, episode_id: str) -> float:
    """Yaw (rad, [0, 2 pi)) of an episode's goal view: the first 8 bytes of the key's SHA-256 as a share of a turn."""
    digest = hashlib.sha256(f"{scene_id}/{episode_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 * 2 * math.pi


def goal_rotation(episode: Episode, goal: Goal) -> Quaternion:
    """Rotation of the goal view: the file's own if it has one, else a turn by the yaw."""
    rotation = goal.extra.get("rotation")
    if isinstance(rotation, list | tuple) and len(rotation) == 4:
        x, y, z, w = map(float, rotation)
        return (x, y, z, w)
    yaw = goal.extra.get("yaw")
    return yaw_rotation(goal_yaw(*episode.key) if yaw is None else float(yaw))


def _without_yaw(episode: Episode) -> Episode:
    """The file holds only what cannot be computed from the key."""
    yaw = goal_yaw(*episode.key)
    return replace(
        episode,
        goals=tuple(
            replace(goal, extra={k: v for k, v in goal.extra.items() if k != "yaw" or v != yaw})
            for goal in episode.goals
        ),
    )
