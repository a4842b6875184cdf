"""Which episode an environment plays next, and which share of them is its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import ConfigError

Order: TypeAlias = Literal["random", "shuffled", "scenes", "fixed"]
"""random: each drawn by itself. The others are epochs, in which each episode comes once: shuffled anew; shuffled scene
by scene, so that a building is loaded once an epoch; or in the data set's order."""
ORDERS = ("random", "shuffled", "scenes", "fixed")


class Upcoming:
    """Episodes without end, in one of the orders."""

    def __init__(self, keys: Sequence[EpisodeKey], order: Order) -> None:
        if order not in ORDERS:
            raise ConfigError(f"order: there is no {order!r}; choose from {', '.join(ORDERS)}.")
        self._keys = list(keys)
        self._order = order
        self._left: list[EpisodeKey] = []

    def restart(self) -> None:
        """Begin a new epoch."""
        self._left = []

    def next(self, rng: np.random.Generator) -> EpisodeKey:
        if self._order == "random":
            return self._keys[int(rng.integers(len(self._keys)))]
        if not self._left:
            self._left = self._epoch(rng)[::-1]
        return self._left.pop()

    def _epoch(self, rng: np.random.Generator) -> list[EpisodeKey]:
        if self._order == "fixed":
            return self._keys
        shuffled = [self._keys[place] for place in rng.permutation(len(self._keys))]
        if self._order == "shuffled":
            return shuffled
        scenes = list(dict.fromkeys(scene for scene, _ in self._keys))
        rank = dict(zip(scenes, rng.permutation(len(scenes)).tolist(), strict=True))
        return sorted(shuffled, key=lambda key: rank[key[0]])


def share(keys: Sequence[EpisodeKey], part: tuple[int, int] | None) -> Sequence[EpisodeKey]:
    """Every n-th of them from the k-th on, `part` = (k, n) and k from 0. Raises ConfigError where none is left."""
    k, n = part or (0, 1)
    if not 0 <= k < n:
        raise ConfigError(f"shard: {part} is no part of {n}; in (k, n), k is from 0 to n - 1.")
    if len(keys) < n:
        raise ConfigError(
            f"shard: {len(keys)} episodes are too few for {n} parts, one for each environment. "
            'Take fewer environments, more episodes, or order="random", where they share all.'
        )
    return keys[k::n]


def shares(part: tuple[int, int] | None, environments: int, order: Order) -> list[tuple[int, int]]:
    """The parts of environments side by side: all of `part` for each that draws at random, else a share of its own."""
    k, n = part or (0, 1)
    if order == "random":
        return [(k, n)] * environments
    return [(k * environments + place, n * environments) for place in range(environments)]


def vocabulary(episodes: Iterable[Episode]) -> list[str]:
    """The words of their instructions, sorted: what `make_env(vocabulary=...)` numbers tokens by."""
    return sorted({word for episode in episodes if episode.instruction for word in episode.instruction.tokens})
