"""Follows direction words on a navigation graph, with no model and no image: what words alone are worth.

"Turn left", "go right", "turn around", "upstairs" become wishes for a direction, each due when the share of the walk
that lies behind equals its place in the text. Otherwise the agent keeps its direction, goes nowhere twice if it can,
and stops after about ten metres, the usual length of a path in Room-to-Room.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from nav_eval_sdk.agent_interface import VLNAgent

WALK = 10.0
"""Metres, the average path of R2R (Anderson et al., 2018)."""
EARLY = 0.12
LOOK_AHEAD = 0.1
"""Shares of the walk: stop that much before its end; heed a word that much before its place."""
MAX_MOVES = 9
VERTICAL = 2.0
FLAT = 0.5
SEEN = 3.0
"""Weights beside the direction's cosine: climbing when told to, staying level when not, and not going back."""

MOVING = frozenset(["turn", "take", "make", "go", "veer", "bear", "hang", "head", "walk", "exit", "enter", "turning"])
SLIGHT = frozenset(["slight", "slightly", "veer", "bear"])
STAIRS = frozenset(["stairs", "steps", "staircase", "stairway"])


@dataclass(frozen=True)
class Cue:
    """A wish: `turn` rad (positive = left), `climb` +1 up or -1 down; `place` is its share of the text."""

    place: float
    turn: float = 0.0
    climb: int = 0


def read_cues(text: str) -> list[Cue]:
    """The direction words of an English instruction, in order."""
    words = re.findall(r"[a-z]+", text.lower())
    cues = []
    for index, word in enumerate(words):
        cue = _cue(word, words[max(0, index - 4) : index], words[index : index + 4])
        if cue is not None:
            cues.append(Cue(index / len(words), *cue))
    return cues


def _cue(word: str, before: list[str], after: list[str]) -> tuple[float, int] | None:
    """(turn, climb) of one word, or None; "on the left" names a landmark and is no turn."""
    if word in ("left", "right"):
        if "on" in before[-2:]:
            return None
        angle = 45 if SLIGHT & set(before) else 90 if MOVING & set(before) else 60
        return math.radians(angle if word == "left" else -angle), 0
    if word == "around" and before[-1:] in (["turn"], ["turning"], ["all"]):
        return math.pi, 0
    stairs = bool(STAIRS & set(after))
    if word in ("upstairs", "ascend", "climb") or (word == "up" and stairs):
        return 0.0, 1
    if word in ("downstairs", "descend") or (word == "down" and stairs):
        return 0.0, -1
    return None


class GraphHeuristicAgent(VLNAgent):
    """Follows direction words on a navigation graph, without a model or an image."""

    name = "graph_heuristic"
    version = "1"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"viewpoint": (0, 0), "navigable": (0, 0)}
    action_space = ("stop", "move_to")

    def reset(self, episode: dict[str, Any]) -> None:
        self._cues = read_cues((episode["instruction"] or {}).get("text", ""))
        self._travel = 0.0
        self._walked = 0.0
        self._moves = 0
        self._seen: set[str] = set()
        self._climb, self._climbing = 0, 0

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        self._seen.add(observation["viewpoint"])
        nodes = observation["navigable"]
        if not nodes or self._walked >= (1 - EARLY) * WALK or self._moves == MAX_MOVES:
            return "stop"
        turn = self._heed()
        best = max(nodes, key=lambda node: self._liking(node, turn))
        self._note(best)
        return {"action": "move_to", "action_args": {"viewpoint": best["viewpoint"]}}

    def _heed(self) -> float:
        """The turn that is due now, rad; a climb that is due lasts for some moves."""
        turn = 0.0
        while self._cues and self._cues[0].place <= self._walked / WALK + LOOK_AHEAD:
            cue = self._cues.pop(0)
            if cue.climb:
                self._climb, self._climbing = cue.climb, 2
            else:
                turn = cue.turn
        return turn

    def _liking(self, node: dict[str, Any], turn: float) -> float:
        """Headings are relative to where the agent looks, which moving does not change; so is its travel."""
        ahead = math.cos(node["heading"] - self._travel - turn)
        slope = math.sin(node["elevation"])
        level = VERTICAL * self._climb * slope if self._climbing else -FLAT * abs(slope)
        return ahead + level - SEEN * (node["viewpoint"] in self._seen)

    def _note(self, node: dict[str, Any]) -> None:
        if self._climbing:
            self._climbing = 3 if node["elevation"] * self._climb > 0.1 else self._climbing - 1
        self._travel = node["heading"]
        self._walked += node["distance"]
        self._moves += 1
