"""VLNVerse, and VLN-PE in Kujiale's houses: continuous episodes in Isaac Sim's frame, each told in several manners.

A record has the scan's name, a start and a reference path in metres with z up, a rotation [w, x, y, z] whose yaw 0
looks along +x, and an instruction whose text may be an object: manner (formal, casual, ...) -> text. Of the rotation
the yaw counts, for a robot stands upright. A hidden test split has no path. Scenes are USD; a copy as .glb, which is
y up, is what is played in here. VLN-PE in Matterport3D is R2R-CE's own form.
Source: sihaoevery/vlnverse_emr (scripts/process_final_splits.py) and InternRobotics/InternNav (dataset_utils.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.dataset.fields import Fields
from nav_eval.dataset.tokens import tokenize
from nav_eval.geometry import Quaternion, Vec3, yaw_rotation


class VLNVerseDataset(FileDataset):
    """An episode is called by its `episode_id`; where it is told in several manners, `<episode_id>_<manner>`."""

    type: ClassVar[str] = "vlnverse"
    scene_key: ClassVar[str] = "scan"

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        name = record.own_id("episode_id")
        path = tuple(map(_y_up, record.vectors("reference_path"))) if record.values.get("reference_path") else ()
        for manner, told in _instructions(record.child("instruction")):
            yield Episode(
                episode_id=f"{name}_{manner}" if manner else name,
                scene_id=record.scene_id("scan"),
                start_position=_y_up(record.vector("start_position")),
                start_rotation=_yaw_alone(record.quaternion("start_rotation")),
                instruction=told,
                goals=tuple(Goal(position=end) for end in path[-1:]),
                reference_path=path,
                info=record.mapping("info"),
                extra=dict(record.values),
            )

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        """As they were read: a frame that was turned twice would not be the same to the bit."""
        for episode in episodes:
            text = episode.extra["instruction"]["instruction_text"]
            if not isinstance(text, Mapping) or _manner(episode) == next(iter(text)):
                yield dict(episode.extra)


def _manner(episode: Episode) -> str | None:
    return episode.instruction.extra.get("manner") if episode.instruction else None


def _instructions(instruction: Fields) -> Iterator[tuple[str, Instruction]]:
    """Each with its manner, which is "" where there is but one text."""
    text = instruction.values.get("instruction_text")
    manners = instruction.child("instruction_text") if isinstance(text, dict) else None
    if manners is not None and not manners.values:
        instruction.fault("instruction_text", "there is no instruction")
    for manner in manners.values if manners else ("",):
        told = manners.text(manner) if manners else instruction.text("instruction_text")
        yield manner, Instruction(text=told, tokens=tokenize(told), extra={"manner": manner} if manner else {})


def _y_up(point: Vec3) -> Vec3:
    x, y, z = point
    return (x, z, -y)


def _yaw_alone(rotation: Quaternion) -> Quaternion:
    w, x, y, z = rotation
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return yaw_rotation(yaw - math.pi / 2)
