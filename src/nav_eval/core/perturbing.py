"""Perturbations at work: the instruction of an episode reworded, and what the sensors show changed on its way out.

Every draw depends on (run seed, episode, step, perturbation) alone, never on the agent, the session or the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nav_eval.core.environment import derived_seed
from nav_eval.core.interfaces import Dataset, Perturbation
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Episode, EpisodeKey, Instruction
from nav_eval.dataset.tokens import tokenize
from nav_eval.renamed import old_names

PathKey: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SeededRngSource:
    """The RngSource of one perturbation at one step of one episode."""

    seed: int
    episode: EpisodeKey
    perturbation: str
    step: int = 0

    def of_episode(self, *what: str) -> np.random.Generator:
        return self._generator("episode", *what)

    def of_step(self, *what: str) -> np.random.Generator:
        return self._generator(str(self.step), *what)

    def _generator(self, *what: str) -> np.random.Generator:
        return np.random.default_rng(derived_seed(self.seed, *self.episode, "perturbation", self.perturbation, *what))


class PerturbedSensors:
    """What lies between the sensors of one session and its agent. `kinds`: the type of each sensor, by its name."""

    def __init__(self, perturbations: Mapping[str, Perturbation], kinds: Mapping[str, str], seed: int) -> None:
        self._layers = [
            (name, one, [sensor for sensor, kind in kinds.items() if kind in one.sensors])
            for name, one in perturbations.items()
        ]
        self._kinds = kinds
        self._seed = seed
        self._episode: EpisodeKey = ("", "")

    def begin(self, episode: Episode) -> None:
        self._episode = episode.key
        for _, perturbation, _ in self._layers:
            perturbation.begin()

    def apply(self, observations: Observations, step: int) -> Observations:
        """What the agent is shown of them; an absent reading stays absent."""
        seen = dict(observations)
        for name, perturbation, sensors in self._layers:
            rng = SeededRngSource(self._seed, self._episode, name, step)
            for sensor in sensors:
                if seen.get(sensor) is not None:
                    seen[sensor] = perturbation.reading(sensor, self._kinds[sensor], seen[sensor], rng)
        return seen


class RewordedDataset(Dataset):
    """A data set whose instructions are reworded. `every`: the same without its filters, for the other wordings."""

    def __init__(
        self, dataset: Dataset, every: Callable[[], Dataset], perturbations: Mapping[str, Perturbation], seed: int
    ) -> None:
        self._dataset = dataset
        self._every = every
        self._perturbations = perturbations
        self._seed = seed
        self._wordings: dict[str, dict[PathKey, list[Instruction]]] | None = None

    @property
    def files(self) -> Sequence[str]:
        return self._dataset.files

    def __iter__(self) -> Iterator[Episode]:
        return map(self._reword, self._dataset)

    def _reword(self, episode: Episode) -> Episode:
        given = episode.instruction
        if given is None:
            return episode
        told = given
        for name, perturbation in self._perturbations.items():
            others = self._others(episode, given, perturbation.others_of)
            told = perturbation.instruction(told, others, SeededRngSource(self._seed, episode.key, name))
        if told is given:
            return episode
        fresh = replace(told, tokens=tokenize(told.text), vocabulary_ids=None)
        return replace(episode, instruction=fresh)

    def _others(self, episode: Episode, given: Instruction, of: str) -> list[Instruction]:
        paths, own = self._wordings_by_scene()[episode.scene_id], _path(episode)
        if of == "path":
            return [other for other in paths[own] if other.text != given.text]
        return [one for path, wordings in paths.items() if path != own for one in wordings]

    def _wordings_by_scene(self) -> Mapping[str, Mapping[PathKey, Sequence[Instruction]]]:
        if self._wordings is None:
            self._wordings = {}
            for episode in self._every():
                if episode.instruction is not None:
                    paths = self._wordings.setdefault(episode.scene_id, {})
                    paths.setdefault(_path(episode), []).append(episode.instruction)
        return self._wordings


def _path(episode: Episode) -> PathKey:
    """What the wordings of one path of a scene have in common: where it begins, leads and ends."""
    return (
        episode.start_position,
        episode.start_rotation,
        episode.start_node,
        episode.reference_path,
        episode.reference_nodes,
        tuple((goal.position, goal.node) for goal in episode.goals),
    )


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, {"Draws": "SeededRngSource", "Veil": "PerturbedSensors"})
