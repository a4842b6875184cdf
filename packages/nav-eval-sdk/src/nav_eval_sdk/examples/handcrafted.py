"""VLN-CE's handcrafted agent: turn right by a random multiple of 15 degrees, walk 37 steps, stop."""

from __future__ import annotations

import random
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent

STEPS = 37


class HandcraftedAgent(VLNAgent):
    """Turns by a random multiple of 15 degrees, walks 37 steps (the average path length of R2R) and stops: VLN-CE's."""

    name = "handcrafted"
    version = "1"

    def reset(self, episode: dict[str, Any]) -> None:
        turns = random.Random(episode["seed"]).randint(0, 24)
        self._plan = ["stop", *["move_forward"] * STEPS, *["turn_right"] * turns]

    def act(self, observation: dict[str, Any]) -> str:
        return self._plan.pop()
