"""One episode of any data set of the field, in one frozen shape.

The key of an episode is (scene_id, episode_id), both strings, because ObjectNav numbers its episodes anew in each
scene. What the evaluator does not use is kept in `extra`, so that a data set can be written back as it was read.
Nothing here is sent to a participant as it stands: nav_eval.api.disclosure decides that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from nav_eval.errors import ConfigError
from nav_eval.frozen import FrozenDict, frozen
from nav_eval.geometry import IDENTITY, Quaternion, Vec3

EpisodeKey: TypeAlias = tuple[str, str]
"""(scene_id, episode_id): an episode's id alone may stand in several scenes."""


def name_with_scene(key: EpisodeKey) -> str:
    """How a submission file names an episode whose id stands in several scenes."""
    return ":".join(key)


def _freeze(record: Any, *names: str) -> None:
    """Make what these fields of a frozen record hold as unchangeable as it is."""
    for name in names:
        if type(held := getattr(record, name)) is not FrozenDict:
            object.__setattr__(record, name, frozen(held))


def require(kind: type, given: object, what: str) -> None:
    """Raises ConfigError where a caller from Python gives something else, such as the dict of a data set's file."""
    if not isinstance(given, kind):
        raise ConfigError(
            f"{what}: a {type(given).__name__} is no nav_eval.{kind.__name__}. Write nav_eval.{kind.__name__}(...), or "
            "read the file: next(iter(nav_eval.load_dataset(TYPE, FILE)))"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """What the agent is told. `tokens` are filled from the text by the evaluator (conventions 1).

    `vocabulary_ids` are the data set's own integer tokens: kept for writing back, never sent.

    >>> Instruction(text="Walk past the sofa.").language
    'en'
    """

    text: str
    tokens: tuple[str, ...] = ()
    language: str = "en"
    instruction_id: str | None = None
    vocabulary_ids: tuple[int, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        _freeze(self, "extra")

    @property
    def primary_language(self) -> str:
        """The tag without region or script: en of en-US."""
        return self.language.partition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewPoint:
    """A place from which a goal object is seen; `iou` is the share of the frame rule's overlap, if the file has it."""

    position: Vec3
    rotation: Quaternion | None = None
    iou: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageGoal:
    """A photograph that describes the goal: camera pose (metres, xyzw), hfov (deg), (height, width) in pixels."""

    position: Vec3
    rotation: Quaternion
    hfov: float
    image_size: tuple[int, int]
    extra: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        _freeze(self, "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Where the episode ends: a point, a graph node, or an object with the places it is seen from.

    `description`: the words that tell it (GOAT-Bench), which sensor `descriptiongoal` shows.

    >>> Goal(position=(2.0, 0.0, 0.0), radius=0.2).radius
    0.2
    """

    position: Vec3 | None = None
    radius: float | None = None
    node: str | None = None
    object_id: str | None = None
    category: str | None = None
    view_points: tuple[ViewPoint, ...] = ()
    image_goals: tuple[ImageGoal, ...] = ()
    description: str | None = None
    extra: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        _freeze(self, "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A start, a task and (unless it is a hidden test split) what success means.

    Positions: metres, y up. Rotations: [x, y, z, w]. On a navigation graph `start_node`, `reference_nodes` and
    `Goal.node` hold viewpoint ids and the positions may be absent. `gt_locations` are the expert's own positions,
    one per step, where a `_gt` file gives them.

    >>> goal = Goal(position=(2.0, 0.0, 0.0))
    >>> Episode(episode_id="7", scene_id="home.glb", start_position=(0.0, 0.0, 0.0), goals=(goal,)).has_goal
    True
    """

    episode_id: str
    scene_id: str
    start_position: Vec3 | None = None
    start_rotation: Quaternion = IDENTITY
    start_node: str | None = None
    instruction: Instruction | None = None
    goals: tuple[Goal, ...] = ()
    reference_path: tuple[Vec3, ...] = ()
    reference_nodes: tuple[str, ...] = ()
    gt_locations: tuple[Vec3, ...] | None = None
    gt_actions: tuple[str, ...] | None = None
    info: Mapping[str, Any] = field(default_factory=FrozenDict)
    extra: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        _freeze(self, "info", "extra")
        if self.instruction is not None:
            require(Instruction, self.instruction, "Episode.instruction")
        for goal in self.goals:
            require(Goal, goal, "Episode.goals")

    @property
    def key(self) -> EpisodeKey:
        return (self.scene_id, self.episode_id)

    @property
    def has_goal(self) -> bool:
        """False for a hidden test split: it can be run, not scored."""
        return bool(self.goals)

    def lighter(self) -> Episode:
        """The same without the instruction's tokens and the expert's actions, most of its memory: for many at once."""
        instruction = self.instruction and replace(self.instruction, tokens=())
        return replace(self, instruction=instruction, gt_actions=None)
