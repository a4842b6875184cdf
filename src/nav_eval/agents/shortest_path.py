"""The oracle: walks a shortest way to the nearest goal.

It is allowed to see the simulator, so it is no VLNAgent but a service of its own, and every result of it says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from nav_eval.core.actions import Action
from nav_eval.core.interfaces import AgentClient, AgentService, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.types import Observations

MANY = 4096


class ShortestPathService(AgentService):
    """The oracle, for `run` only: a shortest way to the nearest goal, which the simulator tells it."""

    name = "shortest_path"
    privileged = True

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(ready=True, name=self.name, max_sessions=MANY)

    def open_session(self) -> AgentClient:
        return ExpertClient()


class ExpertClient(AgentClient):
    """One session."""

    def __init__(self) -> None:
        self._expert: Callable[[], Action] | None = None

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(ready=True)

    def reset_episode(self, offer: EpisodeOffer) -> None:
        self._expert = offer.expert

    def get_action(self, observations: Observations) -> Decision:
        assert self._expert is not None, "reset_episode comes first"
        began = time.perf_counter()
        return Decision(self._expert(), time.perf_counter() - began)

    def end_episode(self, reason: str) -> None:
        self._expert = None
