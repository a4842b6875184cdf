"""Straight ahead, then stop: the smallest agent that does something."""

from __future__ import annotations

from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent


class ForwardAgent(VLNAgent):
    """Walks `steps` steps ahead; on a graph it goes to the neighbour most nearly ahead."""

    name = "forward"
    version = "1"
    steps = 20
    moves = 5

    def reset(self, episode: dict[str, Any]) -> None:
        self._on_graph = "move_to" in episode["action_space"]
        self._left = self.moves if self._on_graph else self.steps

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        self._left -= 1
        if self._left < 0:
            return "stop"
        if not self._on_graph:
            return "move_forward"
        neighbours = observation.get("navigable") or []
        if not neighbours:
            return "stop"
        ahead = min(neighbours, key=lambda node: abs(node["heading"]))
        return {"action": "move_to", "action_args": {"viewpoint": ahead["viewpoint"]}}
