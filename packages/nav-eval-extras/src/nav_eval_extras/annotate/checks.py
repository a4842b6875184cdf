"""What is said of a text while it is written: faults, which must go before it is sent, and questions, which need not.

Each is plain JSON for the page, with the `key` of its words there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import degrees
from typing import Any, Literal

from nav_eval.core.types import AgentState
from nav_eval.dataset.tokens import UNSPACED, tokenize
from nav_eval.geometry import euclidean, wrap_angle, yaw_of

Language = Literal["en", "zh"]
Names = Mapping[str, Sequence[str]]
"""Category -> what things of it are called."""
LEAST, MOST = 6, 300
"""Tokens of a text."""
TURN, ABOUT, STRAIGHT = 40.0, 150.0, 1.0
"""Degrees that make a turn, or one about; metres straight on that end it."""
TURNS = {
    "en": re.compile(r"\b(?:turn|go|bear|veer|head|take|make)s?\b(?:\s+(?!left|right)[\w']+){0,3}\s+(left|right)\b"),
    "zh": re.compile(r"(左|右)(?:边|侧|手边)?(?:转|拐)|(?:转|拐)(?:向|到|去)?(左|右)"),
}
SIDES = {"left": "left", "right": "right", "左": "left", "右": "right"}


def faults(text: str, language: Language) -> list[dict[str, Any]]:
    tokens = tokenize(text)
    found: list[dict[str, Any]] = []
    if len(tokens) < LEAST:
        found.append({"key": "too_short", "least": LEAST})
    if len(tokens) > MOST:
        found.append({"key": "too_long", "most": MOST})
    unspaced, letters = len(re.findall(f"[{UNSPACED}]", text)), len(re.findall(r"[A-Za-z]", text))
    if text.strip() and (unspaced > 0 or letters == 0 if language == "en" else unspaced <= letters):
        found.append({"key": f"not_{language}"})
    return found


def questions(
    text: str, language: Language, turns: Sequence[str], names: Names, seen: set[str]
) -> list[dict[str, Any]]:
    """`turns`: of the path; `seen`: the categories in view along it."""
    return [*_of_turns(text, language, turns), *_of_things(text, language, names, seen)]


def turns_of(states: Sequence[AgentState]) -> list[str]:
    """The sides to which a walk turns, in its order: left, right, or both for a turn about.

    A turn ends where the walk goes straight on for long, or turns as much to the other side.
    """
    sides: list[str] = []
    turned = most = straight = 0.0
    for before, after in pairwise(states):
        turn = degrees(wrap_angle(yaw_of(after.rotation) - yaw_of(before.rotation)))
        straight = 0.0 if turn else straight + euclidean(before.position, after.position)
        if straight > STRAIGHT:
            sides, turned, most = [*sides, *_side(most)], 0.0, 0.0
        turned += turn
        if abs(turned) > abs(most):
            most = turned
        elif abs(most - turned) >= TURN and abs(most) >= TURN:
            sides, turned = [*sides, *_side(most)], turned - most
            most = turned
    return [*sides, *_side(most)]


def _side(turned: float) -> list[str]:
    if abs(turned) < TURN:
        return []
    return ["both" if abs(turned) > ABOUT else "left" if turned > 0 else "right"]


def _of_turns(text: str, language: Language, turns: Sequence[str]) -> list[dict[str, Any]]:
    """The first turn of the text that the path does not take, if those before it are left in their order."""
    left = iter(turns)
    for match in TURNS[language].finditer(text.lower()):
        side = SIDES[next(filter(None, match.groups()))]
        if not any(turn in (side, "both") for turn in left):
            return [{"key": f"turns_{side}", "words": match.group()}]
    return []


def _of_things(text: str, language: Language, names: Names, seen: set[str]) -> list[dict[str, Any]]:
    """Things that the text names and nobody on the path has in view. The longest name that fits counts.

    A word that ends the name of something in view may mean that: a table, a coffee table.
    """
    called: dict[str, set[str]] = {}
    for category, words in names.items():
        for word in words:
            called.setdefault(word.lower(), set()).add(category)
    any_name = "|".join(re.escape(word) for word in sorted(called, key=len, reverse=True))
    if not any_name or not seen:
        return []
    before = " " if language == "en" else ""
    pattern = rf"\b({any_name})(?:e?s)?\b" if language == "en" else f"({any_name})"
    in_view = [before + name for name, things in called.items() if things & seen]
    said = dict.fromkeys(re.findall(pattern, text.lower()))
    return [
        {"key": "unseen", "name": word} for word in said if not any(name.endswith(before + word) for name in in_view)
    ]
