"""Agents that answer with a list, for tests that run them as MODULE:CLASS."""

from __future__ import annotations

import random
import time
from typing import Any, ClassVar

from nav_eval_sdk import VLNAgent

WALK = ("move_forward", "move_forward", "turn_left", "turn_right")
LENGTH = 33


class Scripted(VLNAgent):
    """Plays a script drawn from the episode's seed, as many actions at once as it may, and stops at its end."""

    def reset(self, episode: dict[str, Any]) -> None:
        rng = random.Random(episode["seed"])
        self.left: list[Any] = [*(rng.choice(WALK) for _ in range(LENGTH)), {"action": "stop"}, "turn_left"]

    def act(self, observation: dict[str, Any]) -> Any:
        chunk, self.left = self.left[: self.max_chunk], self.left[self.max_chunk :]
        return chunk if self.max_chunk > 1 else chunk[0]


class Ahead(VLNAgent):
    """Walks straight on, as far at once as it may; counts how often it was asked."""

    asked = 0

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> Any:
        type(self).asked += 1
        return {"actions": ["move_forward"] * self.max_chunk}


class Driver(VLNAgent):
    """Drives one arc and never stops; answers at once."""

    args: ClassVar[dict[str, float]] = {"linear": 0.2, "angular": -0.3, "duration": 1.0}

    def reset(self, episode: dict[str, Any]) -> None:
        self.told = episode["limits"].get("step_seconds")

    def act(self, observation: dict[str, Any]) -> Any:
        return {"action": "velocity", "action_args": self.args}


class Thinker(Scripted):
    """Takes 0.12 s for every second answer."""

    def act(self, observation: dict[str, Any]) -> Any:
        if len(self.left) % 2:
            time.sleep(0.12)
        return super().act(observation)
