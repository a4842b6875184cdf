"""Which episodes nobody could play fairly: found before the first action, by `validate` and by a run alike.

Backends tell what they can without rendering (start, goals, path), scene by scene, so that each scene is loaded once.
An episode without a goal is a fault where others have one; where none has, the split is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nav_eval.core.interfaces import SimulatorBackend, Task
from nav_eval.dataset.episode import MAX_INSTRUCTION, Episode, EpisodeKey
from nav_eval.dataset.fields import Fault, Fields


@dataclass(frozen=True, slots=True)
class Unplayable:
    """An episode and why it cannot be played."""

    key: EpisodeKey
    fault: Fault


@dataclass(frozen=True, slots=True)
class _Asked:
    file: str
    path: str
    episode: Episode
    instruction_size: int


class Preflight:
    """Takes every episode of a data set, then says which cannot be played. Without a backend: by the data alone.

    `within`: the distance to a goal, m, below which success counts.
    """

    def __init__(self, backend: SimulatorBackend | None, task: Task, within: float) -> None:
        self._backend = backend
        self._task = task
        self._within = within
        self.has_goals = False
        """Whether an episode that was taken has a goal: only one without is a fault then."""
        self._by_scene: dict[str, list[_Asked]] = {}

    def take(self, record: Fields, episode: Episode, *, wanted: bool = True) -> None:
        """One episode and the record that it came from; one that is not `wanted` is not looked at itself."""
        self.has_goals = self.has_goals or episode.has_goal
        if wanted:
            size = episode.instruction.size if episode.instruction else 0
            asked = _Asked(record.origin.file, record.path, replace(episode.lighter(), gt_locations=None), size)
            self._by_scene.setdefault(episode.scene_id, []).append(asked)

    def unplayable(self) -> Iterator[Unplayable]:
        """Each fault of each episode that was taken, scene by scene."""
        for scene in self._by_scene.values():
            for asked in scene:
                for key, message in self._faults(asked.episode, asked.instruction_size):
                    path = ".".join(part for part in (asked.path, key) if part)
                    fault = Fault(asked.file, asked.episode.episode_id, path, message)
                    yield Unplayable(asked.episode.key, fault)

    def _faults(self, episode: Episode, instruction_size: int) -> Iterator[tuple[str, str]]:
        if instruction_size > MAX_INSTRUCTION:
            yield "", f"the instruction has {instruction_size} characters or tokens, and may have {MAX_INSTRUCTION}"
        if self.has_goals and not episode.has_goal:
            key = "goals" if episode.start_node is None else "path"
            yield key, "there is no goal, but other episodes have one, so this is not a hidden split"
        if self._backend is not None:
            self._task.begin(episode)
            goals = self._task.goals(episode)
            if episode.has_goal and not goals:
                yield "", f"the task {self._task.name} finds no goal in it; task.goal_rule says where goals are"
            yield from self._backend.faults(episode, goals)
            yield from self._backend.out_of_reach(episode, goals, self._within)
