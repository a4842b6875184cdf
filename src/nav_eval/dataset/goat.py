"""GOAT-Bench (`Goat-v1`): goals one after the other, each told by a category, a photograph or a description.

A content file keeps the objects of its scene in `goals` {"<scene file>_<category>": [...]}; an episode names its
sub-tasks, [category, "object" | "image" | "description", object id, ..., number of the photograph].
Source: Ram81/goat-bench.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal, ViewPoint
from nav_eval.dataset.fields import Fault, Fields, Origin
from nav_eval.dataset.goals import GoalTable, frame_record, read_frame
from nav_eval.dataset.objectnav import goals_of_category
from nav_eval.errors import DatasetError

MAX_WORDS = 55
"""Sub-tasks with a longer description are left out, as GOAT-Bench's own loader does."""
_KINDS = ("object", "image", "description")


class GoatDataset(FileDataset):
    """For the task `goat`: a goal for each sub-task, which holds what the agent is told and where it counts."""

    type: ClassVar[str] = "goat"
    has_content: ClassVar[bool] = True
    table_key: ClassVar[str | None] = "goals"

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        if "goals" not in members:
            return lambda record: ()
        source = partial(_sub_tasks, GoalTable.member(members, "goals", origin))
        return lambda record: tuple(source(record))

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        if "tasks" not in record:
            record.fault("tasks", "missing: expected a list")
        yield Episode(**read_frame(record, "goals"), goals=goals(record))

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            if episode.goals and "goals" not in members:
                raise DatasetError(
                    "goat: a file of it needs the table `goals` of another one. Give that file's header."
                )
            yield frame_record(episode, goals=None) | {"goals": []}


def _sub_tasks(table: GoalTable, record: Fields) -> Iterator[Goal]:
    for number, task in enumerate(record.items("tasks")):
        path = f"tasks[{number}]"
        if not _well_formed(task):
            record.fault(path, f"expected [category, one of {', '.join(_KINDS)}, object id, ...], got {task!r:.60}")
            continue
        objects = goals_of_category(table, record, task[0], None)
        if task[1] == "object":
            yield Goal(category=task[0], view_points=_view_points(objects))
        elif meant := [one for one in objects if one.object_id == str(task[2])]:
            yield from _instance(record, path, task, meant)
        elif objects:
            record.fault(path, f"there is no object {task[2]!r} of the category {task[0]!r}")


def _instance(record: Fields, path: str, task: list[Any], meant: list[Goal]) -> Iterator[Goal]:
    """The one object, without its category and position, which the agent is not told."""
    told: dict[str, Any] = {"object_id": meant[0].object_id, "view_points": _view_points(meant)}
    if task[1] == "image":
        images, number = meant[0].image_goals, task[-1]
        if type(number) is int and 0 <= number < len(images):
            yield Goal(**told, image_goals=(images[number],))
        else:
            record.fault(path, f"there is no image {number!r}: the object has {len(images)}")
        return
    text = meant[0].extra.get("lang_desc")
    if not isinstance(text, str):
        record.fault(path, f"the object {task[2]!r} has no lang_desc")
    elif len(text.split(" ")) > MAX_WORDS:
        why = f"left out, as in GOAT-Bench: its description has more than {MAX_WORDS} words"
        record.origin.report(Fault(record.origin.file, record.label("episode_id"), path, why, notice=True))
    else:
        yield Goal(**told, description=text)


def _view_points(objects: Iterable[Goal]) -> tuple[ViewPoint, ...]:
    return tuple(point for one in objects for point in one.view_points)


def _well_formed(task: Any) -> bool:
    return (
        isinstance(task, list)
        and len(task) > 2
        and isinstance(task[0], str)
        and task[1] in _KINDS
        and isinstance(task[2], str | int | None)
    )
