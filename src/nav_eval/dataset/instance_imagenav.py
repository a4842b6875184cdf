"""InstanceImageNav (Habitat's `InstanceImageNav-v1`): go to the very object in a photograph.

Each file keeps its objects in `goals` {"<scene>_<object id>": {view_points, image_goals}}; an episode names the
object (`goal_object_id`) and which of its photographs is shown (`goal_image_id`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource, scene_name
from nav_eval.dataset.episode import Episode, Goal, ImageGoal
from nav_eval.dataset.fields import Fields, Origin
from nav_eval.dataset.goals import GoalTable, entries_of, frame_record, goal_record, read_frame
from nav_eval.errors import DatasetError


class InstanceImageNavDataset(FileDataset):
    """`extra` holds goal_object_id, goal_image_id and object_category; `goal_image` finds the photograph."""

    type: ClassVar[str] = "instance-imagenav"
    has_content: ClassVar[bool] = True
    table_key: ClassVar[str | None] = "goals"

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        if "goals" not in members:
            return lambda record: ()
        table = GoalTable.member(members, "goals", origin)
        return lambda record: table.find(_goals_key(record.scene_id(), record.identifier("goal_object_id")), record)

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        found = goals(record)
        image = record.integer("goal_image_id")
        if found and not 0 <= image < len(found[0].image_goals):
            record.fault("goal_image_id", f"there is no image {image}: the goal has {len(found[0].image_goals)}")
        yield Episode(**read_frame(record, "goals"), goals=found)

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        table = members["goals"] = entries_of(members, "goals")
        for episode in episodes:
            if episode.goals:
                goal = episode.goals[0]
                object_id = str(episode.extra.get("goal_object_id", goal.object_id))
                table[_goals_key(episode.scene_id, object_id)] = goal_record(goal)
            yield frame_record(episode) | {"goals": []}


def goal_image(episode: Episode, goal: Goal) -> ImageGoal:
    """The photograph of `goal` that is shown. Raises DatasetError if there is none (a hidden test split)."""
    images = goal.image_goals
    number = int(episode.extra.get("goal_image_id", 0))
    if not 0 <= number < len(images):
        raise DatasetError(f"episode {episode.episode_id}: there is no goal image {number}. Use a split with goals.")
    return images[number]


def _goals_key(scene_id: str, object_id: str) -> str:
    return f"{scene_name(scene_id)}_{object_id}"
