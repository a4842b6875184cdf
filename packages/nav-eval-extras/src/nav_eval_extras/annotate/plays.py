"""Which episode of a benchmark goes to whom: each to so many people, and no path twice to the same one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any

from nav_eval_extras.annotate.journal import Given, Journal, Played
from nav_eval_extras.annotate.people import People
from nav_eval_extras.annotate.studio import PAUSE


class Plays(People):
    """`paths`: of each episode, in the order in which they are given out; `each`: people for each of them."""

    def __init__(self, journal: Journal, paths: Mapping[str, str], each: int) -> None:
        super().__init__(journal)
        self._paths, self._each = paths, each

    def take(self, person: int) -> Given | None:
        """The episode that the person was at, or the one that the fewest people have had."""
        with self._news:
            given: list[Given] = [one for one in self._journal.by(person, Given) if one.text in self._paths]
            played = {one.episode for one in self._journal.by(person, Played)}
            if unfinished := [one for one in given if one.text not in played]:
                return unfinished[0]
            seen, taken = {one.path for one in given}, self._play_counts()
            free = [one for one, path in self._paths.items() if path not in seen and taken[one] < self._each]
            episode = min(free, key=taken.__getitem__, default=None)
            if episode is None or not self._here(person):
                return None
            job = Given(person=person, path=self._paths[episode], language="", text=episode)
            return job if self.record(job) else None

    def _play_counts(self) -> Counter[str]:
        """How many people have played each episode, or are at it. Who has left one for long may still end it."""
        played = {(one.person, one.episode) for one in self._all(Played)}
        at_it = {(one.person, one.text) for one in self._all(Given) if not self._is_free(one.person)}
        return Counter(episode for _, episode in played | at_it if episode)

    def of(self, episode: str) -> list[Played]:
        """The plays of an episode that count, in the order in which they ended."""
        told = self._journal.of(self._paths[episode])
        return [one for one in told if isinstance(one, Played) and one.episode == episode][: self._each]

    @property
    def done(self) -> bool:
        with self._news:
            counts = Counter(one.episode for one in self._all(Played))
            return all(counts[episode] >= self._each for episode in self._paths)

    def share(self, person: int) -> dict[str, Any]:
        with self._news:
            mine = self._journal.by(person, Played)
            return self._shared(person, math.fsum(min(s, PAUSE) for one in mine for s in one.seconds), plays=len(mine))

    def progress(self) -> dict[str, Any]:
        """`median`: seconds of a decision."""
        with self._news:
            played = list(self._all(Played))
            people = sorted({one.person for one in self._all(Given)})
            return {
                "plays": {"all": len(self._paths) * self._each, "done": sum(len(self.of(one)) for one in self._paths)},
                "people": len(people),
                "median": median([s for one in played for s in one.seconds]) if played else None,
                "remarks": self.remarks(people),
            }
