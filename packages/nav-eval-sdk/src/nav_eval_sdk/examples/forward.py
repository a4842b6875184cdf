"""Straight ahead: the smallest agents that do something."""

from __future__ import annotations

from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent


class OnwardAgent(VLNAgent):
    """Walks straight ahead and never stops; on a graph to the viewpoint nearest to straight ahead."""

    name = "forward"
    version = "2"

    def reset(self, episode: dict[str, Any]) -> None:
        self._on_graph = "move_to" in episode["action_space"]

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        return _ahead(observation) if self._on_graph else "move_forward"


class ForwardAgent(OnwardAgent):
    """Walks straight ahead for 20 steps, on a graph five, and stops."""

    version = "1"
    steps = 20
    moves = 5

    def reset(self, episode: dict[str, Any]) -> None:
        super().reset(episode)
        self._left = self.moves if self._on_graph else self.steps

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        self._left -= 1
        return "stop" if self._left < 0 else super().act(observation)


def _ahead(observation: dict[str, Any]) -> dict[str, Any] | str:
    neighbours = observation.get("navigable") or []
    if not neighbours:
        return "stop"
    ahead = min(neighbours, key=lambda node: abs(node["heading"]))
    return {"action": "move_to", "action_args": {"viewpoint": ahead["viewpoint"]}}
