"""Instructions in Chinese: three ways to say each step."""

from __future__ import annotations

from nav_eval.worlds.episodes.relations import Way
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ORDINALS_ZH, ROOMS, THINGS
from nav_eval.worlds.exact import Stream

_TURNS = {
    "left": ("左转", "向左转", "往左拐"),
    "right": ("右转", "向右转", "往右拐"),
    "around": ("转身", "掉头", "转过身来"),
    "straight": ("一直往前走", "向前走", "直走"),
}
_SIDES = {"left": "左", "right": "右"}
_STOPS = ("停在{}旁边", "在{}旁边停下", "走到{}旁边停下")
_PASSES = ("从{}手边的{}旁走过", "经过{}边的{}", "路过{}侧的{}")
_LEAVES = ("走出{0}，来到{1}", "离开{0}，进入{1}", "从{0}走进{1}")
_LEAVES_BESIDE = (
    "从{2}边{3}门口走出{0}，来到{1}",
    "从{2}手边{3}门口离开{0}，进入{1}",
    "从{2}侧{3}门口走出{0}，进入{1}",
)
_ACROSS = ("直接穿过走廊，进入对面的{}", "横穿走廊，走进对面的{}", "穿过走廊，到对面的{}")
_END = ("沿走廊走到尽头，进入{}", "走到走廊尽头的{}", "走进走廊尽头的{}")
_DOOR = ("走进{0}边{1}扇门，到{2}", "沿走廊走，从{0}手边{1}扇门进入{2}", "从{0}侧{1}扇门走进{2}")
_OPENING = ("从{0}边的门洞走进{2}", "沿走廊走，从{0}手边的门洞进入{2}", "穿过{0}侧的门洞，到{2}")
_NEXT_HALLWAY = {
    "across": ("穿过走廊，进入对面的走廊",) * 3,
    "end": ("沿走廊走到尽头，来到另一条走廊", "走到走廊尽头，进入另一条走廊", "走到尽头，拐进另一条走廊"),
    "": ("走进{0}边{1}条走廊", "沿走廊走，拐进{0}手边{1}条走廊", "进入{0}侧{1}条走廊"),
}
_CLIMBS = {
    "across": ("穿过走廊，从对面的楼梯{1}楼", "横穿走廊，走对面的楼梯{1}楼", "走到走廊对面的楼梯，{1}楼"),
    "end": ("走到走廊尽头的楼梯，{1}楼",) * 3,
    "": ("走到{0}边的楼梯，{1}楼", "沿走廊走到{0}手边的楼梯，{1}楼", "从{0}侧的楼梯{1}楼"),
    "here": ("沿楼梯{1}楼", "走楼梯{1}楼", "从楼梯{1}楼"),
}


def in_chinese(steps: list[Step], phrasing: int, stream: Stream) -> str:
    """One phrasing of the steps; see english.in_english."""
    sentences = []
    for index, step in enumerate(steps):
        link = "" if index == 0 else stream.choice(("", "然后", "接着"))
        sentences.append(link + _step(step, (phrasing + index * (1 + phrasing)) % 3) + "。")
    return "".join(sentences)


def _step(step: Step, style: int) -> str:
    if isinstance(step, Stop):
        turn = [_TURNS[step.turn][style]] if step.turn else []
        return "，".join([*turn, _STOPS[style].format(THINGS[step.thing][1])])
    last = _climb(step, style) if isinstance(step, Climb) else _go(step, style)
    return "，".join([*_turn(step, style, last), *_past(step.past, style), last])


def _turn(step: Go | Climb, style: int, last: str) -> list[str]:
    """Nothing where there is no other way than ahead, or where "沿走廊走" says so already."""
    ahead = step.way.turn == "straight" and step.leave == "hallway" and last.startswith(("沿", "走到"))
    beside = step.leave != "hallway" and step.way.side
    return (
        [] if ahead or beside or step.way.side == "across" or step.leave == "stairs" else [_TURNS[step.way.turn][style]]
    )


def _past(past: Pass | None, style: int) -> list[str]:
    return [_PASSES[style].format(_SIDES[past.side], THINGS[past.thing][1])] if past else []


def _climb(step: Climb, style: int) -> str:
    kind = {"across": "across", "end": "end", "": "here"}.get(step.way.side, "")
    return _CLIMBS[kind][style].format(_SIDES.get(step.way.side, ""), "上" if step.up else "下")


def _go(step: Go, style: int) -> str:
    target, way = ROOMS[step.enter], step.way
    side = _SIDES.get(way.side, "")
    if step.leave != "hallway":
        number = f"{_ordinal(way)}个" if way.ordinal else "的"
        return (_LEAVES_BESIDE if side else _LEAVES)[style].format(ROOMS[step.leave], target, side, number)
    if step.enter == "hallway":
        return _NEXT_HALLWAY.get(way.side, _NEXT_HALLWAY[""])[style].format(side, _ordinal(way))
    if way.side in ("across", "end"):
        return (_ACROSS if way.side == "across" else _END)[style].format(target)
    return (_DOOR if way.ordinal else _OPENING)[style].format(side, _ordinal(way), target)


def _ordinal(way: Way) -> str:
    return ORDINALS_ZH[way.ordinal - 1]
