"""An agent that reads and looks at nothing: it asks, and does what it is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent

_DEGREES, _METRES = re.compile(r"(\d+) ?(degrees|度)"), re.compile(r"([\d.]+) ?(metres?|米)")
_TURN, _STEP = 15, 0.25
"""Degrees and metres of an action, as in the benchmarks of ours."""


class AskingAgent(VLNAgent):
    """Asks where to go, goes there, asks whether it is there, and again: what answers alone are worth."""

    name = "asking"

    def reset(self, episode: Mapping[str, Any]) -> None:
        if "ask" not in episode["action_space"]:
            raise ValueError("asking: the task has no action `ask`. Use a benchmark of the task vln_ask.")
        self._planned: list[str] = []
        self._asked = ""

    def act(self, observation: Mapping[str, Any]) -> Any:
        if self._planned:
            return self._planned.pop(0)
        said, asked = observation["answer"], self._asked
        if asked == "here" and said.startswith(("Yes", "对")):
            return "stop"
        if asked == "where":
            self._asked, self._planned = "", self._plan(said)
            return self._planned.pop(0)
        self._asked = "where" if asked == "here" else "here"
        return {"action": "ask", "action_args": {"question": self._asked}}

    def _plan(self, said: str) -> list[str]:
        degrees, metres = _DEGREES.search(said), _METRES.search(said)
        turns = round(int(degrees[1]) / _TURN) if degrees else 12 * ("around" in said or "转过身" in said)
        turn = "turn_left" if "left" in said or "左" in said else "turn_right"
        return [turn] * turns + ["move_forward"] * round(float(metres[1]) / _STEP if metres else 1)
