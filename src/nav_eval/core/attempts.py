"""How often an agent was shown an episode, over all segments of a run, and why more than once.

An attempt begins when the agent is asked for its first action. It ends with a result, or is lost: the service forgot
the session. An attempt that did neither was cut short by the evaluator (killed, stopped, a worker that crashed), which
is not the participant's fault.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from nav_eval.core.interfaces import AgentClient, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.types import EpisodeResult, Observations
from nav_eval.dataset.episode import EpisodeKey
from nav_eval_sdk.protocol.usage import Usage, whole


@dataclass(frozen=True, slots=True)
class Attempt:
    """What befell an attempt at the episode `key`: it was shown to the agent, or the service lost it.

    `usage`: what the answers of a lost one had cost.
    """

    key: EpisodeKey
    event: Literal["shown", "lost"]
    usage: Usage | None = None


class Attempts:
    """Counts attempts. `past`: what earlier segments noted; `keep` is told of everything new, one at a time."""

    def __init__(self, past: Iterable[Attempt] = (), keep: Callable[[Attempt], None] = lambda _: None) -> None:
        self._lock = threading.Lock()
        self._keep = keep
        self._shown: Counter[EpisodeKey] = Counter()
        self._lost: Counter[EpisodeKey] = Counter()
        self._restarts: Counter[EpisodeKey] = Counter()
        self._usage: dict[EpisodeKey, Usage | None] = {}
        self._last: dict[EpisodeKey, str] = {}
        for each in past:
            self._count(each)

    def note(self, noted: Attempt) -> None:
        with self._lock:
            self._keep(noted)
            self._count(noted)

    def lost(self, keys: Iterable[EpisodeKey]) -> dict[EpisodeKey, int]:
        """How many attempts of these episodes the service lost; the others are left out."""
        return {key: self._lost[key] for key in keys if self._lost[key]}

    def marked(self, result: EpisodeResult) -> EpisodeResult:
        """`result`; under `timing` the attempts, unless it was one, and how many were restarts or resumes.

        Restarts came after a loss, resumes after the evaluator had cut an attempt short. What lost attempts cost is
        part of the episode's usage.
        """
        key = (result.scene_id, result.episode_id)
        attempts, restarts = self._shown[key], self._restarts[key]
        if key in self._usage:
            result = replace(result, usage=whole((self._usage[key], result.usage)))
        if attempts == 1:
            return result
        told = {"tries": attempts, "restarts": restarts, "resumes": max(0, attempts - 1 - restarts)}
        return replace(result, timing={**result.timing, **told})

    def _count(self, noted: Attempt) -> None:
        key = noted.key
        if noted.event == "shown":
            self._shown[key] += 1
            self._restarts[key] += self._last.get(key) == "lost"
        else:
            self._lost[key] += 1
            self._usage[key] = whole((self._usage.get(key), noted.usage))
        self._last[key] = noted.event


class Announced(AgentClient):
    """A client that says that its agent will be shown an episode, right before it is."""

    def __init__(self, client: AgentClient, say: Callable[[Attempt], None]) -> None:
        self._client = client
        self._say = say
        self._hidden: EpisodeKey | None = None

    def health_check(self) -> ServiceStatus:
        return self._client.health_check()

    def reset_episode(self, offer: EpisodeOffer) -> None:
        self._hidden = offer.episode.key
        self._client.reset_episode(offer)

    def get_action(self, observations: Observations) -> Decision:
        hidden, self._hidden = self._hidden, None
        if hidden is not None:
            self._say(Attempt(hidden, "shown"))
        return self._client.get_action(observations)

    def end_episode(self, reason: str) -> None:
        self._client.end_episode(reason)

    def close(self) -> None:
        self._client.close()
