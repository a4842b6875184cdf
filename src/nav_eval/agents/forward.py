"""Walks straight ahead until the steps are used up; on a graph, to the viewpoint nearest to straight ahead."""

from __future__ import annotations

from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent


class ForwardAgent(VLNAgent):
    """Never stops."""

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing to prepare."""

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        if "navigable" not in observation:
            return "move_forward"
        ahead = min(observation["navigable"], key=lambda candidate: abs(candidate["heading"]), default=None)
        if ahead is None:
            return "stop"
        return {"action": "move_to", "action_args": {"viewpoint": ahead["viewpoint"]}}
