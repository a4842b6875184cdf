"""Stands still: the row that shows what a metric gives for nothing."""

from __future__ import annotations

from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent


class StopAgent(VLNAgent):
    """Stops at once: what a metric gives for nothing."""

    name = "stop"
    version = "1"

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing to prepare."""

    def act(self, observation: dict[str, Any]) -> str:
        return "stop"
