"""The oracle with manners: it walks a shortest way, and waits while its cameras show somebody close ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval.agents.shortest_path import ExpertClient, ShortestPathService
from nav_eval.core.clock import WAIT
from nav_eval.core.interfaces import AgentClient, Decision, EpisodeOffer
from nav_eval.core.types import Observations
from nav_eval.errors import ConfigError

SENSORS = ("depth", "objects", "semantic")
CLOSE = 1.2
"""Nearer than this somebody is waited for, m."""
PATIENCE = 12
"""Waits in a row; then it takes a step all the same, for both might wait for ever."""


class WaitingService(ShortestPathService):
    """The oracle, for `run` only, which waits while its cameras show somebody close ahead."""

    name = "waiting"

    def open_session(self) -> AgentClient:
        return _WaitingClient()


class _WaitingClient(ExpertClient):
    def reset_episode(self, offer: EpisodeOffer) -> None:
        super().reset_episode(offer)
        lacking = [name for name in SENSORS if name not in offer.observation_spec]
        if lacking or WAIT.name not in offer.action_space.actions:
            what = f"sensors {', '.join(lacking)}" if lacking else "the action wait"
            raise ConfigError(f"agent_service.agent: waiting needs {what}. Use a benchmark such as socialnav-demo.")
        self._waited = 0

    def get_action(self, observations: Observations) -> Decision:
        if self._waited < PATIENCE and _close(observations):
            self._waited += 1
            return Decision(WAIT)
        self._waited = 0
        return super().get_action(observations)


def _close(seen: Observations) -> bool:
    """Whether a person stands before the middle of the picture, nearer than CLOSE."""
    people = [one["id"] for one in seen["objects"] if one["category"] == "person"]
    if not people:
        return False
    ids, depth = _middle(seen["semantic"]), _middle(seen["depth"][..., 0])
    return bool((depth[np.isin(ids, people)] < CLOSE).any())


def _middle(picture: Any) -> Any:
    """The two quarters of the columns in the middle."""
    quarter = picture.shape[1] // 4
    return picture[:, quarter : 3 * quarter]
