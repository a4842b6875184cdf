"""Which episode an environment plays next, and which share of them is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import ConfigError

Order: TypeAlias = Literal["random", "shuffled", "scenes", "fixed"]
"""random: each drawn by itself. The others are epochs, in which each episode comes once: shuffled anew, within a window
of buildings that stay loaded; shuffled scene by scene; or in the data set's order."""
ORDERS = ("random", "shuffled", "scenes", "fixed")


class Upcoming:
    """Episodes without end, in one of the orders; environments that share one share the episodes out.

    `window`: of how many scenes "shuffled" mixes the episodes at a time; None: of all. `prepare` is called with a scene
    that comes soon, once the scene before it has come.
    """

    def __init__(
        self,
        keys: Sequence[EpisodeKey],
        order: Order,
        window: int | None = None,
        prepare: Callable[[str], object] = lambda scene: None,
    ) -> None:
        if order not in ORDERS:
            raise ConfigError(f"order: there is no {order!r}; choose from {', '.join(ORDERS)}.")
        self._keys = list(keys)
        self._order = order
        self._window = window
        self._prepare = prepare
        self._left: list[EpisodeKey] = []
        self._coming: list[str] = []
        """Scenes of the epoch that did not come yet, the next one last."""

    def restart(self) -> None:
        """Begin a new epoch."""
        self._left = []

    def next(self, rng: np.random.Generator) -> EpisodeKey:
        if self._order == "random":
            return self._keys[int(rng.integers(len(self._keys)))]
        if not self._left:
            self._left = self._epoch(rng)[::-1]
            self._coming = list(dict.fromkeys(scene for scene, _ in reversed(self._left)))[::-1]
        key = self._left.pop()
        self._look_ahead(key[0])
        return key

    def _look_ahead(self, scene: str) -> None:
        if self._coming and scene == self._coming[-1]:
            self._coming.pop()
            for following in self._coming[-1:]:
                self._prepare(following)

    def _epoch(self, rng: np.random.Generator) -> list[EpisodeKey]:
        if self._order == "fixed":
            return self._keys
        scenes = list(dict.fromkeys(scene for scene, _ in self._keys))
        place = dict(zip(scenes, rng.permutation(len(scenes)).tolist(), strict=True))
        window = 1 if self._order == "scenes" else min(self._window or len(scenes), len(scenes))
        when = _spread(np.array([place[scene] for scene, _ in self._keys]), len(scenes), window, rng)
        return [self._keys[number] for number in np.argsort(when)]


def _spread(place: NDArray[np.int64], scenes: int, window: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(episodes,) when each comes, by the place of its scene among `scenes`; `window` scenes are mixed at a time."""
    begins = np.maximum(place - window + 1, 0)
    ends = np.minimum(place + 1, scenes - window + 1)
    return begins + (ends - begins) * rng.random(len(place))


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


@contextmanager
def queue(keys: Sequence[EpisodeKey], order: Order, backend: SimulatorBackend) -> Iterator[Upcoming]:
    """Upcoming episodes, with a thread that loads the building that comes next.

    The window leaves two of the buildings that the backend keeps for that one and the one that was left last.
    """
    window = None if backend.scenes_kept is None else max(backend.scenes_kept - 2, 1)
    with ThreadPoolExecutor(1, "nav_eval-next-building") as thread:
        # What goes wrong there is told by the episode that begins in that building.
        yield Upcoming(keys, order, window, lambda scene: thread.submit(backend.prepare, scene))


def shares(part: tuple[int, int] | None, environments: int, order: Order) -> list[tuple[int, int]]:
    """The parts of environments side by side: all of `part` for each that draws at random, else a share of its own."""
    k, n = part or (0, 1)
    if order == "random":
        return [(k, n)] * environments
    return [(k * environments + place, n * environments) for place in range(environments)]


def vocabulary(episodes: Iterable[Episode]) -> list[str]:
    """The words of their instructions, sorted: what `make_env(vocabulary=...)` numbers tokens by."""
    return sorted({word for episode in episodes if episode.instruction for word in episode.instruction.tokens})
