"""The other team: turns once and stops."""

from __future__ import annotations

from typing import Any

from nav_eval_sdk import VLNAgent


class Honest(VLNAgent):
    def reset(self, episode: dict[str, Any]) -> None:
        self._turned = False

    def act(self, observation: dict[str, Any]) -> str:
        turned, self._turned = self._turned, True
        return "stop" if turned else "turn_left"
