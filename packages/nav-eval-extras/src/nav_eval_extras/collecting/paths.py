"""What is walked: each path once, however many instructions describe it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from nav_eval.dataset.episode import Episode, EpisodeKey, Instruction
from nav_eval.geometry import Vec3
from nav_eval_extras.collecting.clauses import UNCUT, Clauses


@dataclass(frozen=True)
class Wording:
    """One instruction of a path, and the episode that has it. `clauses`: its text cut, empty where nobody knows how."""

    text: str
    language: str
    episode_id: str
    clauses: tuple[str, ...] = ()


@dataclass
class Route:
    """Episodes that differ in their instruction alone. `episode`: the first of them, which is the one walked.

    `ends`: where each clause of an instruction is done, m; empty where nobody knows.
    """

    episode: Episode
    wordings: list[Wording] = field(default_factory=list)
    ends: tuple[Vec3, ...] = ()

    @property
    def key(self) -> EpisodeKey:
        return self.episode.key


def routes(episodes: Iterable[Episode], clauses: Mapping[str, Clauses] | None = None) -> list[Route]:
    """Building by building, so that each is loaded once; otherwise in the data set's order."""
    found: dict[str, dict[Any, Route]] = {}
    for episode in episodes:
        of_scene = found.setdefault(episode.scene_id, {})
        route = of_scene.setdefault(_way(episode), Route(episode))
        told = episode.instruction or _instruction(episode)
        cut = clauses.get(episode.episode_id, UNCUT) if clauses else UNCUT
        cut = cut if "".join(cut.texts) == told.text else UNCUT  # rewording leaves an episode its id
        route.wordings.append(Wording(told.text, told.language, episode.episode_id, cut.texts))
        route.ends = route.ends or cut.ends
    return list(chain.from_iterable(one.values() for one in found.values()))


def _instruction(episode: Episode) -> Instruction:
    """Formats have a text for each episode: of ObjectNav the category, else a sentence."""
    category = next((goal.category for goal in episode.goals if goal.category), None)
    return Instruction(text="Go to the goal." if category is None else f"Find: {category}.")


def _way(episode: Episode) -> Any:
    """The same for episodes that the oracle walks alike; one without an instruction is a route of its own."""
    if episode.instruction is None:
        return episode.episode_id
    goals = tuple((goal.position, goal.node, goal.object_id, goal.radius) for goal in episode.goals)
    start = (episode.start_position, episode.start_rotation, episode.start_node)
    return (start, goals, episode.reference_path, episode.reference_nodes)
