"""Instructions in English: three ways to say each step."""

from __future__ import annotations

from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ORDINALS, ROOM_NAMES, THINGS
from nav_eval.worlds.exact import Stream

_TURNS = {
    "left": ("turn left", "make a left", "take a left turn"),
    "right": ("turn right", "make a right", "take a right turn"),
    "around": ("turn around", "turn back", "make a U-turn"),
    "straight": ("go straight ahead", "walk forward", "keep straight"),
}
_STOPS = ("Stop next to the {}.", "Stop in front of the {}.", "Wait by the {}.")
_PASSES = ("walk past the {} on your {}", "pass the {} on your {}", "go by the {} on the {}")


def in_english(steps: list[Step], phrasing: int, stream: Stream) -> str:
    """One phrasing of the steps; `phrasing` (0, 1, 2) picks the style, `stream` the connectives."""
    parts: list[str] = []
    for index, step in enumerate(steps):
        link = "" if index == 0 else stream.choice(("", "", "then "))
        parts.append(_sentence(link + _step(step, (phrasing + index * (1 + phrasing)) % 3)))
    return " ".join(parts)


def _sentence(text: str) -> str:
    text = text.strip()
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _step(step: Step, style: int) -> str:
    if isinstance(step, Climb):
        up = ("go up the stairs", "climb the stairs to the upper floor", "walk upstairs")
        down = ("go down the stairs", "take the stairs to the lower floor", "walk downstairs")
        return (up if step.up else down)[style]
    if isinstance(step, Pass):
        return _PASSES[style].format(THINGS[step.thing][0], step.side)
    if isinstance(step, Stop):
        text = _STOPS[style].format(THINGS[step.thing][0])
        return text[0].lower() + text[1:]
    return _go(step, style)


def _go(step: Go, style: int) -> str:
    room, target = ROOM_NAMES[step.leave], ROOM_NAMES[step.enter]
    turn, way = _TURNS[step.way.turn][style], step.way
    if step.leave == "hallway" and way.side:
        return _along(target, turn, way.side, way.ordinal, style)
    if step.leave == "stairs":
        return (
            f"step off the stairs into the {target}",
            f"leave the staircase and enter the {target}",
            f"from the stairs walk into the {target}",
        )[style]
    return (
        f"{turn} and leave the {room} into the {target}",
        f"{turn} and walk out of the {room} into the {target}",
        f"{turn}, exit the {room} and enter the {target}",
    )[style]


def _along(target: str, turn: str, side: str, ordinal: int, style: int) -> str:
    if side == "across":
        return (
            f"go straight across the hallway into the {target}",
            f"cross the hallway and enter the {target} opposite",
            f"walk across the hallway to the {target}",
        )[style]
    if side == "end":
        return (
            f"{turn} and follow the hallway to its end into the {target}",
            f"{turn}, walk to the end of the hallway and enter the {target}",
            f"{turn} and go into the {target} at the end of the hallway",
        )[style]
    number = ORDINALS[min(ordinal, len(ORDINALS)) - 1]
    return (
        f"{turn} and go through the {number} door on the {side} into the {target}",
        f"{turn}, walk down the hallway and take the {number} door on your {side} into the {target}",
        f"{turn} and enter the {target} through the {number} door on the {side}",
    )[style]
