"""Instructions in English: three ways to say each step."""

from __future__ import annotations

from nav_eval.worlds.episodes.relations import Way
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ORDINALS, ROOM_NAMES, THINGS
from nav_eval.worlds.exact import Stream

_TURNS = {
    "left": ("turn left", "make a left", "take a left turn"),
    "right": ("turn right", "make a right", "take a right turn"),
    "around": ("turn around", "turn back", "turn around"),
    "straight": ("go straight ahead", "walk forward", "keep straight on"),
}
_STOPS = ("stop next to the {}", "stop beside the {}", "wait by the {}")
_PASSES = ("walk past the {} on your {}", "pass the {} on your {}", "go by the {} on the {}")
_LEAVES = (
    "walk out of the {0} into the {1}",
    "leave the {0} and enter the {1}",
    "exit the {0} into the {1}",
)
_LEAVES_BESIDE = (
    "walk out of the {0} through the {3} on your {2} into the {1}",
    "leave the {0} by the {3} on your {2} and enter the {1}",
    "exit the {0} through the {3} on the {2} into the {1}",
)
_OFF_STAIRS = (
    "step off the stairs into the {}",
    "leave the staircase and enter the {}",
    "from the stairs walk into the {}",
)
_ACROSS = (
    "go straight across the hallway into the {}",
    "cross the hallway and enter the {} opposite",
    "walk across the hallway into the {}",
)
_END = (
    "follow the hallway to its end into the {}",
    "walk to the end of the hallway and enter the {}",
    "go into the {} at the end of the hallway",
)
_SIDE = (
    "go through the {0} on the {1} into the {2}",
    "walk down the hallway and take the {0} on your {1} into the {2}",
    "enter the {2} through the {0} on the {1}",
)
_NEXT_HALLWAY = {
    "across": ("cross the hallway into the one opposite",) * 3,
    "end": (
        "follow the hallway to its end and enter the next hallway",
        "walk to the end of the hallway and into the next hallway",
        "go to the end of the hallway and on to the next hallway",
    ),
    "": (
        "take the {0} hallway on the {1}",
        "walk down the hallway and take the {0} hallway on your {1}",
        "go into the {0} hallway on your {1}",
    ),
}
_CLIMBS = {
    "across": (
        "cross the hallway to the stairs opposite and go {0}",
        "go straight across the hallway and {0} the stairs",
        "walk across the hallway and go {0} the stairs there",
    ),
    "end": ("follow the hallway to the stairs at its end and go {0}",) * 3,
    "": (
        "take the stairs on the {1} {0} to the {2} floor",
        "walk down the hallway to the stairs on your {1} and go {0}",
        "go {0} the stairs on your {1}",
    ),
    "here": ("take the stairs {0} to the {2} floor", "go {0} the stairs", "walk {0}stairs"),
}


def in_english(steps: list[Step], phrasing: int, stream: Stream) -> str:
    """One phrasing of the steps, a sentence each; `phrasing` (0, 1, 2) picks the style, `stream` the connectives."""
    sentences: list[str] = []
    for index, step in enumerate(steps):
        link = "" if index == 0 else stream.choice(("", "", "then "))
        text = link + _step(step, (phrasing + index * (1 + phrasing)) % 3)
        sentences.append(text[0].upper() + text[1:] + ".")
    return " ".join(sentences)


def _step(step: Step, style: int) -> str:
    if isinstance(step, Stop):
        turn = [_TURNS[step.turn][style]] if step.turn else []
        return _joined([*turn, _STOPS[style].format(THINGS[step.thing][0])])
    last = _climb(step, style) if isinstance(step, Climb) else _go(step, style)
    return _joined([*_turn(step, style, last), *_past(step.past, style), last])


def _turn(step: Go | Climb, style: int, last: str) -> list[str]:
    """Nothing where there is no other way than ahead, or where "walk down the hallway" says so already."""
    ahead = step.way.turn == "straight" and step.leave == "hallway" and last.startswith(("walk", "follow"))
    beside = step.leave != "hallway" and step.way.side
    return (
        [] if ahead or beside or step.way.side == "across" or step.leave == "stairs" else [_TURNS[step.way.turn][style]]
    )


def _past(past: Pass | None, style: int) -> list[str]:
    return [_PASSES[style].format(THINGS[past.thing][0], past.side)] if past else []


def _joined(parts: list[str]) -> str:
    """A, B and C; no second "and" where C has one."""
    *before, last = parts
    if not before:
        return last
    return ", ".join(before) + (", " if " and " in last else " and ") + last


def _climb(step: Climb, style: int) -> str:
    way = ("up", step.way.side, "upper") if step.up else ("down", step.way.side, "lower")
    kind = {"across": "across", "end": "end", "": "here"}.get(step.way.side, "")
    return _CLIMBS[kind][style].format(*way)


def _go(step: Go, style: int) -> str:
    target, way = ROOM_NAMES[step.enter], step.way
    if step.leave == "stairs":
        return _OFF_STAIRS[style].format(target)
    if step.leave != "hallway":
        doorway = f"{_ordinal(way)} doorway" if way.ordinal else "doorway"
        words = _LEAVES_BESIDE if way.side else _LEAVES
        return words[style].format(ROOM_NAMES[step.leave], target, way.side, doorway)
    if step.enter == "hallway":
        return _NEXT_HALLWAY.get(way.side, _NEXT_HALLWAY[""])[style].format(_ordinal(way), way.side)
    if way.side in ("across", "end"):
        return (_ACROSS if way.side == "across" else _END)[style].format(target)
    return _SIDE[style].format(f"{_ordinal(way)} door" if way.ordinal else "opening", way.side, target)


def _ordinal(way: Way) -> str:
    return ORDINALS[way.ordinal - 1]
