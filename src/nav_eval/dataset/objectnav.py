"""ObjectNav (Habitat's `ObjectNav-v1` and v2): find any object of a category; success is at one of its view points.

Each file, usually one per scene in `content/`, keeps the goals once, in `goals_by_category`
{"<scene file>_<category>": [...]}. Episode ids repeat between scenes; the key is (scene_id, episode_id).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.dataset.fields import Fields, Origin
from nav_eval.dataset.goals import GoalTable, entries_of, frame_record, goal_record, read_frame, read_goals


class ObjectNavDataset(FileDataset):
    """`extra["object_category"]` is what to look for, on hidden test splits too."""

    type: ClassVar[str] = "objectnav"
    has_content: ClassVar[bool] = True
    table_key: ClassVar[str | None] = "goals_by_category"

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        if "goals_by_category" not in members:
            return read_goals  # the first releases repeat the goals in each episode
        table = GoalTable.member(members, "goals_by_category", origin)
        return lambda record: read_goals(record) if "goals" in record else _goals_by_category(table, record)

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        found = goals(record)
        frame = read_frame(record, "goals")
        if "object_category" not in record and found and found[0].category:
            frame["extra"]["object_category"] = found[0].category
        else:
            record.text("object_category")
        yield Episode(**frame, goals=found)

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        anew = not members
        table = members["goals_by_category"] = entries_of(members, "goals_by_category")
        written: dict[str, tuple[Goal, ...]] = {}
        for episode in episodes:
            category = object_category(episode)
            key = _goals_key(episode.scene_id, category)
            gathered = key in table and bool(episode.extra.get("children_object_categories"))  # from other entries, too
            if written.get(key) is not episode.goals and episode.goals and not gathered:
                table[key] = [goal_record(goal) for goal in episode.goals]
                written[key] = episode.goals
            yield frame_record(episode, object_category=category) | {"goals": []}
        if anew:
            _name_categories(members, table)


def _goals_by_category(table: GoalTable, record: Fields) -> tuple[Goal, ...]:
    """In HM3D-OVON an episode names the kinds of its category."""
    kinds = record.texts("children_object_categories")
    return goals_of_category(table, record, record.text("object_category"), kinds)


def goals_of_category(table: GoalTable, record: Fields, category: str, kinds: Iterable[str] | None) -> tuple[Goal, ...]:
    """The category's goals and those of `kinds`, the categories that are kinds of it: what the first goal says if None.

    `record` is blamed where the table has none.
    """
    scene = record.scene_id()
    found = table.find(_goals_key(scene, category), record)
    if kinds is None:
        told = found[0].extra.get("children_object_categories") if found else None
        kinds = [kind for kind in told if isinstance(kind, str)] if isinstance(told, list | tuple) else ()
    keys = (_goals_key(scene, kind) for kind in kinds)
    return sum((table.find(key, record) for key in keys if key in table), start=found)


def object_category(episode: Episode) -> str:
    """What to look for: from the episode, else from its goals; "" if neither says."""
    named = episode.extra.get("object_category")
    if isinstance(named, str):
        return named
    return (episode.goals[0].category or "") if episode.goals else ""


def _goals_key(scene_id: str, category: str) -> str:
    return f"{scene_id.rsplit('/', 1)[-1]}_{category}"


def _name_categories(members: dict[str, Any], table: Mapping[str, Any]) -> None:
    """Habitat insists on these maps in a file that is made anew."""
    goals = [goal for entry in table.values() for goal in entry]
    categories = sorted({name for goal in goals if isinstance(name := goal.get("object_category"), str)})
    ids = {category: number for number, category in enumerate(categories)}
    members["category_to_task_category_id"] = ids
    members["category_to_scene_annotation_category_id"] = ids
