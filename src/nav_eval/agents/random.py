"""The field's two random agents, seeded by the episode's own seed.

In continuous space VLN-CE's: stop, forward, left, right with .02, .68, .15, .15. On a navigation graph R2R's
(Matterport3DSimulator tasks/R2R/agent.py): turn right k x 30 degrees, k uniform in 0 to 11, then five forward moves
to the viewpoint nearest to the view's centre within 40 degrees, turning right while there is none, then stop.
"""

from __future__ import annotations

import math
import random
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent

VIEW = math.radians(40.0)
MOVES = 5


class RandomAgent(VLNAgent):
    """Decides without looking, except for where it can go."""

    def reset(self, episode: dict[str, Any]) -> None:
        self._random = random.Random(episode["seed"])
        self._turns = self._random.randrange(12)
        self._moves = 0

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        if "navigable" not in observation:
            actions = ("stop", "move_forward", "turn_left", "turn_right")
            return self._random.choices(actions, (0.02, 0.68, 0.15, 0.15))[0]
        return self._on_graph(observation["navigable"])

    def _on_graph(self, navigable: list[dict[str, Any]]) -> dict[str, Any] | str:
        if self._moves == MOVES or not navigable:
            return "stop"
        if self._turns > 0:
            self._turns -= 1
            return "turn_right"
        ahead = [candidate for candidate in navigable if abs(candidate["heading"]) <= VIEW]
        if not ahead:
            return "turn_right"
        self._moves += 1
        nearest = min(ahead, key=lambda candidate: math.hypot(candidate["heading"], candidate["elevation"]))
        return {"action": "move_to", "action_args": {"viewpoint": nearest["viewpoint"]}}
