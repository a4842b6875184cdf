"""PointNav episodes (Habitat's `PointNav-v1`): a start and a goal point; the main file may hold no episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import Fields, Origin
from nav_eval.dataset.goals import frame_record, goal_record, read_frame, read_goals


class PointNavDataset(FileDataset):
    """`data_path` is the main file; the files in `content/` beside it are read after it."""

    type: ClassVar[str] = "pointnav"
    has_content: ClassVar[bool] = True

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        return read_goals

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        yield Episode(**read_frame(record, "goals"), goals=goals(record))

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            yield frame_record(episode, goals=[goal_record(goal) for goal in episode.goals])
