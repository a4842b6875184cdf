"""Which episodes are run and in which order: decided before the first one starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nav_eval.core.interfaces import Dataset
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import DatasetError


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters, applied in this order: scenes, languages, episode ids, sample (seeded), limit.

    `filtered`: the data set itself was asked for some scenes or languages only.
    """

    scenes: Collection[str] | None = None
    languages: Collection[str] | None = None
    episodes: Collection[str] | None = None
    sample: int | None = None
    limit: int | None = None
    seed: int = 0
    filtered: bool = False

    @property
    def takes_all(self) -> bool:
        """Whether no episode is left out by what it is."""
        return self.scenes is self.languages is self.episodes is None and not self.filtered

    def admits(self, episode: Episode) -> bool:
        return (
            (self.scenes is None or scene_matches(episode.scene_id, self.scenes))
            and (self.languages is None or _language(episode) in self.languages)
            and (self.episodes is None or episode.episode_id in self.episodes)
        )


def scene_matches(scene_id: str, names: Collection[str]) -> bool:
    """Whether a scene is named by its id, its file name, or the file name without endings."""
    file = scene_id.rsplit("/", 1)[-1]
    return scene_id in names or file in names or file.split(".", 1)[0] in names


def _language(episode: Episode) -> str:
    return episode.instruction.language if episode.instruction else ""


class EpisodeManager:
    """A data set and a selection. The order is the file's; iterating reads the data set as a stream."""

    def __init__(self, dataset: Dataset, selection: Selection | None = None) -> None:
        self.dataset = dataset
        self._selection = selection or Selection()
        self._keys: list[EpisodeKey] | None = None

    @property
    def keys(self) -> list[EpisodeKey]:
        """Keys of the selected episodes in order. Raises DatasetError for a repeated key or an empty selection."""
        if self._keys is None:
            self._keys = self._choose()
        return self._keys

    def _choose(self) -> list[EpisodeKey]:
        keys = [episode.key for episode in self.dataset if self._selection.admits(episode)]
        counts = Counter(keys)
        if len(counts) != len(keys):
            twice = next(key for key, count in counts.items() if count > 1)
            raise DatasetError(
                f"{', '.join(self.dataset.files)}: episode {twice[1]!r} of scene {twice[0]!r} appears twice. "
                "`nav-eval validate` lists all repeated ids."
            )
        if not keys and self._selection.takes_all:
            raise DatasetError(
                f"{', '.join(self.dataset.files)}: there is no episode in it. Give another file in dataset.data_path, "
                "or unpack the whole archive."
            )
        if not keys:
            raise DatasetError(
                f"{', '.join(self.dataset.files)}: no episode is left after the filters. "
                "Check dataset.scenes, dataset.languages and dataset.episodes; quote ids such as '5593_0'."
            )
        return self._sample(keys)[: self._selection.limit]

    def _sample(self, keys: list[EpisodeKey]) -> list[EpisodeKey]:
        count = self._selection.sample
        if count is None or count >= len(keys):
            return keys
        drawn = np.random.Generator(np.random.PCG64(self._selection.seed)).choice(len(keys), count, replace=False)
        return [keys[index] for index in sorted(drawn)]

    def narrowed(self, keys: Sequence[EpisodeKey]) -> EpisodeManager:
        """The same data set with these of its episodes only, in its order."""
        wanted, fewer = set(keys), EpisodeManager(self.dataset, self._selection)
        fewer._keys = [key for key in self.keys if key in wanted]
        return fewer

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Episode]:
        return self.only(self.keys)

    def only(self, keys: Collection[EpisodeKey]) -> Iterator[Episode]:
        """The episodes with these keys, in the data set's order."""
        wanted = set(keys)
        for episode in self.dataset:
            if episode.key in wanted:
                yield episode
                wanted.discard(episode.key)
                if not wanted:
                    return
