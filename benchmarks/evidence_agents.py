"""Agents that differ, to be ranked in one place and in another: `learned` and `grounded` with something taken away.

What is taken away is taken from the agent, not from the world, so that one name is one agent wherever it plays.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.grounded import GroundedAgent
from nav_eval_baselines.learned import LearnedAgent
from nav_eval_baselines.learned.surroundings import Surroundings
from nav_eval_baselines.learned.tried import Tried
from nav_eval_sdk import VLNAgent
from nav_eval_sdk.examples.graph_heuristic import LOOK_AHEAD, WALK, read_cues

FIRST = Path(__file__).parents[1] / "examples" / "first_vln_model"
TURN = math.radians(15)
STRIDE = 0.25
PATIENCE = 120
"""Steps after which one who follows turns stops, wherever it is."""


class Depthless(LearnedAgent):
    """`learned` without depth: all is as far as can be."""

    def act(self, observation: dict[str, Any]) -> str:
        return super().act(observation | {"depth": np.zeros_like(observation["depth"])})


class Colourless(LearnedAgent):
    """`learned` without colours: all is grey, and depth is all that it sees."""

    def act(self, observation: dict[str, Any]) -> str:
        return super().act(observation | {"rgb": np.full_like(observation["rgb"], 128)})


class Forgetful(LearnedAgent):
    """`learned` without history: each step is its first, but for the rule on what was tried."""

    def act(self, observation: dict[str, Any]) -> str:
        self._memory = self._network.begin()
        self._surroundings = Surroundings(self._network.kinds)
        return super().act(observation)


class Untried(LearnedAgent):
    """`learned` without the rule on what was tried: what the network would do, again and again."""

    def act(self, observation: dict[str, Any]) -> str:
        self._tried = Tried()
        return super().act(observation)


class Nameless(GroundedAgent):
    """`grounded` where nothing has a name: it looks round every corner and never knows where to stop."""

    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"depth": (0, 0), "gps": (0, 0), "compass": (0, 0)}

    def act(self, observation: dict[str, Any]) -> str:
        unnamed = np.zeros(observation["depth"].shape[:2], np.int32)
        return super().act(observation | {"semantic": unnamed, "objects": []})


class Turns(VLNAgent):
    """`graph_heuristic` on its feet: English direction words and a walk of ten metres, no picture.

    Where a wall stops it, it turns away to the side of its last turn.
    """

    name = "turns"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"gps": (0, 0), "compass": (0, 0)}
    action_space = ("stop", "move_forward", "turn_left", "turn_right")

    def reset(self, episode: dict[str, Any]) -> None:
        self._cues = read_cues((episode["instruction"] or {}).get("text", ""))
        self._walked, self._steps, self._due, self._side = 0.0, 0, 0, 1
        self._before: tuple[float, float] | None = None

    def act(self, observation: dict[str, Any]) -> str:
        here = float(observation["gps"][0]), float(observation["gps"][1])
        if self._before is not None:
            moved = math.dist(here, self._before)
            self._walked += moved
            self._due += self._side * (moved < STRIDE / 2)
        self._before, self._steps = None, self._steps + 1
        self._heed()
        if self._walked >= WALK or self._steps > PATIENCE:
            return "stop"
        if self._due:
            side = 1 if self._due > 0 else -1
            self._due -= side
            return "turn_left" if side > 0 else "turn_right"
        self._before = here
        return "move_forward"

    def _heed(self) -> None:
        while self._cues and self._cues[0].place <= self._walked / WALK + LOOK_AHEAD:
            self._due += round(self._cues.pop(0).turn / TURN)
            self._side = self._side if not self._due else int(math.copysign(1, self._due))


@dataclass(frozen=True)
class Entry:
    """`agent`: as agent_service.agent has it; `perturbation`: what is done to what it is told or shown, of
    `nav-eval sweep suite=controls`, or nothing; `model`: the file that examples/first_vln_model wrote.
    """

    agent: str
    perturbation: str = ""
    model: str = ""

    def load(self) -> None:
        """Where the agent finds its network."""
        os.environ["FIRST_MODEL"] = self.model


FLOOR = ("handcrafted", "forward", "random")
"""Those that see and read nothing."""
ROOMS = {
    "oracle": Entry("shortest_path"),
    "grounded": Entry("grounded"),
    "grounded, no text": Entry("grounded", "no_text"),
    "grounded, other text": Entry("grounded", "other_path"),
    "grounded, blind": Entry("grounded", "no_pictures"),
    "grounded, no names": Entry("evidence_agents:Nameless"),
    "learned": Entry("learned"),
    "learned, no text": Entry("learned", "no_text"),
    "learned, other text": Entry("learned", "other_path"),
    "learned, blind": Entry("learned", "no_pictures"),
    "learned, no depth": Entry("evidence_agents:Depthless"),
    "learned, no colour": Entry("evidence_agents:Colourless"),
    "learned, no history": Entry("evidence_agents:Forgetful"),
    "learned, no rule": Entry("evidence_agents:Untried"),
    "turns": Entry("evidence_agents:Turns"),
    "turns, no text": Entry("evidence_agents:Turns", "no_text"),
    "turns, other text": Entry("evidence_agents:Turns", "other_path"),
    **{name: Entry(name) for name in FLOOR},
}
"""What tables call each agent that walks through rooms."""
LABELS = tuple(name for name in ROOMS if name.startswith("grounded"))
"""Those that live on names of things: where nothing has one, all of them are `grounded`."""
UNNAMED = {name: entry for name, entry in ROOMS.items() if name not in LABELS[1:]}
"""Those that play where the text or the scene names nothing."""
GRAPH = {
    "oracle": Entry("shortest_path"),
    "turns": Entry("graph_heuristic"),
    "turns, no text": Entry("graph_heuristic", "no_text"),
    "turns, other text": Entry("graph_heuristic", "other_path"),
    "forward": Entry("forward"),
    "random": Entry("random"),
}
"""Those of them that have a likeness on a navigation graph."""


def models(folder: Path | None) -> dict[str, Entry]:
    """The networks of evidence_transfer.py, by how many homes they were trained on."""
    files = [] if folder is None else sorted(folder.glob("first-*.pt"), key=lambda file: int(file.stem[6:]))
    sys.path += [str(FIRST)] * bool(files)
    return {f"first, {file.stem[6:]} homes": Entry("agent:First", model=str(file.resolve())) for file in files}
