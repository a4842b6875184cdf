"""An agent that says what it was shown beside the sensors, in a process of its own, too."""

from __future__ import annotations

import ast
from typing import Any

from nav_eval_sdk import agent_interface


class Witness:
    def __init__(self) -> None:
        agent_interface.WIRE_ONLY = ()

    def reset(self, episode: dict[str, Any]) -> None:
        self._sensors = set(episode["observation_spec"])

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        beside = {name: value for name, value in observation.items() if name not in self._sensors}
        return {"action": "stop", "said": repr(beside)}


def read_back(said: Any) -> Any:
    return ast.literal_eval(said)
