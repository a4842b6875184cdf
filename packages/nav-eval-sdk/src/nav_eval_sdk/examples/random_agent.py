"""The field's two random agents: the floor that every agent should be above. All draws come from the episode's seed.

In continuous space VLN-CE's: stop, forward, left, right with .02, .68, .15, .15. On a navigation graph R2R's
(Matterport3DSimulator tasks/R2R/agent.py): turn right k x 30 degrees, k uniform in 0 to 11, then five forward moves
to the viewpoint nearest to the view's centre within 40 degrees, turning right while there is none, then stop.
"""

from __future__ import annotations

import math
import random
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent

WEIGHTS = {"stop": 0.02, "move_forward": 0.68, "turn_left": 0.15, "turn_right": 0.15}
VIEW = math.radians(40.0)
MOVES = 5


class RandomAgent(VLNAgent):
    """Moves at random: by VLN-CE's shares, on a graph as R2R's does."""

    name = "random"
    version = "2"

    def reset(self, episode: dict[str, Any]) -> None:
        self._random = random.Random(episode["seed"])
        self._names = [name for name in WEIGHTS if name in episode["action_space"]]
        self._on_graph = "move_to" in episode["action_space"]
        self._turns = self._random.randrange(12) if self._on_graph else 0
        self._moves = 0

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        if not self._on_graph:
            return self._random.choices(self._names, [WEIGHTS[name] for name in self._names])[0]
        navigable = observation.get("navigable") or []
        if self._moves == MOVES or not navigable:
            return "stop"
        viewpoint = self._ahead(navigable) if "turn_right" in self._names else self._random.choice(navigable)
        if viewpoint is None:
            return "turn_right"
        self._moves += 1
        return {"action": "move_to", "action_args": {"viewpoint": viewpoint["viewpoint"]}}

    def _ahead(self, navigable: list[dict[str, Any]]) -> dict[str, Any] | None:
        """None while it turns."""
        if self._turns > 0:
            self._turns -= 1
            return None
        ahead = [candidate for candidate in navigable if abs(candidate["heading"]) <= VIEW]
        return min(ahead, key=lambda one: math.hypot(one["heading"], one["elevation"]), default=None)
