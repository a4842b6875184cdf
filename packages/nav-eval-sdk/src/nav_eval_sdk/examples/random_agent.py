"""Random choices, the floor that every agent should be above."""

from __future__ import annotations

import random
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent

WEIGHTS = {"stop": 0.02, "move_forward": 0.68, "turn_left": 0.15, "turn_right": 0.15}


class RandomAgent(VLNAgent):
    """Where there are discrete moves: VLN-CE's shares (.02/.68/.15/.15). On a graph: a random neighbour, ten percent
    stop. All draws come from the episode's seed."""

    name = "random"
    version = "1"

    def reset(self, episode: dict[str, Any]) -> None:
        self._random = random.Random(episode["seed"])
        self._names = [name for name in WEIGHTS if name in episode["action_space"]]
        self._on_graph = "move_to" in episode["action_space"]

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        neighbours = observation.get("navigable") or []
        if self._on_graph:
            if not neighbours or self._random.random() < 0.1:
                return "stop"
            return {"action": "move_to", "action_args": {"viewpoint": self._random.choice(neighbours)["viewpoint"]}}
        return self._random.choices(self._names, [WEIGHTS[name] for name in self._names])[0]
