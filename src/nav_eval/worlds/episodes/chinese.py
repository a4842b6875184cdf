"""Instructions in Chinese: three ways to say each step."""

from __future__ import annotations

from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ORDINALS_ZH, ROOMS, THINGS
from nav_eval.worlds.exact import Stream

_TURNS = {
    "left": ("左转", "向左转", "往左拐"),
    "right": ("右转", "向右转", "往右拐"),
    "around": ("转身", "掉头", "向后转"),
    "straight": ("直走", "向前走", "一直往前"),
}
_SIDES = {"left": "左", "right": "右"}
_STOPS = ("停在{}旁边", "在{}前面停下", "到{}旁边等候")
_PASSES = ("经过{}边的{}", "从{}侧的{}旁走过", "路过{}手边的{}")


def in_chinese(steps: list[Step], phrasing: int, stream: Stream) -> str:
    """One phrasing of the steps; see english.in_english."""
    parts = []
    for index, step in enumerate(steps):
        link = "" if index == 0 else stream.choice(("", "然后", "接着"))
        parts.append(link + _step(step, (phrasing + index * (1 + phrasing)) % 3))
    return "，".join(parts) + "。"


def _step(step: Step, style: int) -> str:
    if isinstance(step, Climb):
        up, down = ("上楼", "沿楼梯走到楼上", "爬楼梯上去"), ("下楼", "沿楼梯走到楼下", "走楼梯下去")
        return (up if step.up else down)[style]
    if isinstance(step, Pass):
        return _PASSES[style].format(_SIDES[step.side], THINGS[step.thing][1])
    if isinstance(step, Stop):
        return _STOPS[style].format(THINGS[step.thing][1])
    return _go(step, style)


def _go(step: Go, style: int) -> str:
    room, target = ROOMS[step.leave], ROOMS[step.enter]
    turn, way = _TURNS[step.way.turn][style], step.way
    if step.leave == "hallway" and way.side:
        return _along(target, turn, way.side, way.ordinal, style)
    if step.leave == "stairs":
        return (f"离开楼梯间进入{target}", f"从楼梯间走进{target}", f"走出楼梯间到{target}")[style]
    return (f"{turn}离开{room}进入{target}", f"{turn}走出{room}到{target}", f"{turn}从{room}走进{target}")[style]


def _along(target: str, turn: str, side: str, ordinal: int, style: int) -> str:
    if side == "across":
        return (f"直接穿过走廊进入对面的{target}", f"横穿走廊走进对面的{target}", f"到走廊对面的{target}")[style]
    if side == "end":
        return (f"{turn}沿走廊走到尽头进入{target}", f"{turn}走到走廊尽头的{target}", f"{turn}走进走廊尽头的{target}")[
            style
        ]
    number, side = ORDINALS_ZH[min(ordinal, len(ORDINALS_ZH)) - 1], _SIDES[side]
    return (
        f"{turn}穿过{side}边{number}扇门进入{target}",
        f"{turn}沿走廊走，从{side}手边{number}扇门走进{target}",
        f"{turn}走进{side}侧{number}扇门，到{target}",
    )[style]
