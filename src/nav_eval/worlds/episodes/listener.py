"""The reference listener: follows an instruction with nothing but the text, a semantic map and the start pose.

It exists to measure instructions. It reads either language with its own grammar (patterns over words, not the
speaker's templates) into steps, then walks them on the map from door to door. It never sees a path or a goal.
"""

from __future__ import annotations

import re
from dataclasses import replace

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Vec3, rotate
from nav_eval.worlds.episodes.relations import Walker, Way, choices, pass_door, resolve
from nav_eval.worlds.episodes.rooms_map import Flat, RoomsMap
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ORDINALS, ORDINALS_ZH, ROOM_NAMES, ROOMS, THINGS

_TURNS_EN = {
    "left": r"\bleft\b",
    "right": r"\bright\b",
    "around": r"\b(around|back|u-turn)\b",
    "straight": r"straight|forward",
}
_TURNS_ZH = {"left": "左转|左拐", "right": "右转|右拐", "around": "转身|掉头|后转", "straight": "直走|向前|往前"}


def follow(rooms: RoomsMap, start: Vec3, rotation: tuple[float, float, float, float], text: str) -> Vec3 | None:
    """Where the listener ends up: beside the thing that the text ends at; None if it is lost."""
    forward = rotate(rotation, (0.0, 0.0, -1.0))
    room = rooms.room_at(*start)
    if room == 0:
        return None
    walker = Walker(room, (start[0], start[2]), (forward[0], forward[2]))
    for step in understand(text):
        if isinstance(step, Go):
            door = resolve(rooms, walker, step.enter, step.way)
            if door is None:
                continue
            walker = pass_door(rooms, walker, door)
        elif isinstance(step, Climb):
            walker = _climb(rooms, walker)
        elif isinstance(step, Stop):
            return _beside(rooms, walker, step.thing)
    return _beside(rooms, walker, "")


def understand(text: str) -> list[Step]:
    """The steps that a text in English or Chinese tells."""
    if re.search("[\u4e00-\u9fff]", text):
        return [step for clause in _chinese_clauses(text) if (step := _read_zh(clause))]
    clauses = re.split(r"[.;]\s*", text.lower())
    return [step for clause in clauses if clause.strip() and (step := _read_en(clause))]


def _read_en(clause: str) -> Step | None:
    thing = _named(clause, {name[0].lower(): key for key, name in THINGS.items()})
    if re.search(r"upstairs|up the stairs|climb", clause):
        return Climb(True)
    if re.search(r"downstairs|down the stairs|lower floor", clause):
        return Climb(False)
    if thing and re.search(r"\b(stop|wait|halt)\b", clause):
        return Stop(thing)
    if thing and re.search(r"\b(past|pass|by)\b", clause):
        return Pass(thing, "left" if re.search(r"\bleft\b", clause) else "right")
    mentions = _mentions(clause, {name: key for key, name in ROOM_NAMES.items()} | {"stairs": "stairs"})
    if not mentions:
        return None
    left = mentions[0] if len(mentions) > 1 or "hallway" in clause else ""
    return Go(left, _goal_room_en(clause, mentions), _way_en(clause))


def _goal_room_en(clause: str, mentions: list[str]) -> str:
    """The room after "into", "enter" or "to"; else the last one named."""
    pairs = "|".join(sorted((re.escape(name) for name in ROOM_NAMES.values()), key=len, reverse=True))
    found = re.findall(rf"(?:into|enter|hallway to) the ({pairs})", clause)
    names = {name: key for key, name in ROOM_NAMES.items()}
    return names[found[-1]] if found else mentions[-1]


def _way_en(clause: str) -> Way:
    door = re.search(rf"\b({'|'.join(ORDINALS)}) door on (?:the|your) (left|right)", clause)
    before = clause[: door.start()] if door else clause
    turn = next((t for t, pattern in _TURNS_EN.items() if re.search(pattern, before)), "straight")
    if re.search(r"across|cross the|opposite", clause):
        return Way("straight", "across")
    if re.search(r"\bend\b", clause):
        return Way(turn, "end")
    return Way(turn, door[2], ORDINALS.index(door[1]) + 1) if door else Way(turn)


def _chinese_clauses(text: str) -> list[str]:
    """Clauses at commas; one that only continues the last ("..., 到卧室") is joined to it."""
    out: list[str] = []
    for clause in re.split("[，。；]", text):
        part = re.sub("^(然后|接着)", "", clause.strip())
        if not part:
            continue
        goes_on = out and (re.fullmatch(f"到({'|'.join(ROOMS.values())})", part) or out[-1].endswith("沿走廊走"))
        if goes_on:
            out[-1] += "，" + part
        else:
            out.append(part)
    return out


def _read_zh(clause: str) -> Step | None:
    thing = _named(clause, {name[1]: key for key, name in THINGS.items()})
    if re.search("上楼|楼上|楼梯上去", clause):
        return Climb(True)
    if re.search("下楼|楼下|楼梯下去", clause):
        return Climb(False)
    if thing and re.search("停|等", clause):
        return Stop(thing)
    if thing and re.search("经过|走过|路过", clause):
        return Pass(thing, "left" if "左" in clause else "right")
    mentions = _mentions(clause, {name: key for key, name in ROOMS.items()})
    return Go(mentions[0] if len(mentions) > 1 else "", mentions[-1], _way_zh(clause)) if mentions else None


def _way_zh(clause: str) -> Way:
    door = re.search(f"([左右])(?:边|侧|手边)({'|'.join(ORDINALS_ZH)})扇门", clause)
    turn = next((t for t, pattern in _TURNS_ZH.items() if re.search(pattern, clause)), "straight")
    if "对面" in clause:
        return Way("straight", "across")
    if "尽头" in clause:
        return Way(turn, "end")
    return Way(turn, {"左": "left", "右": "right"}[door[1]], ORDINALS_ZH.index(door[2]) + 1) if door else Way(turn)


def _mentions(clause: str, names: dict[str, str]) -> list[str]:
    """Keys of the names in a clause, in the order of their places; longer names win over those inside them."""
    pattern = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    return [names[found] for found in re.findall(pattern, clause)]


def _named(clause: str, names: dict[str, str]) -> str:
    found = _mentions(clause, names)
    return found[-1] if found else ""


def _climb(rooms: RoomsMap, walker: Walker) -> Walker:
    """To the other storey: by the stair at hand, else by the one behind the next door."""
    if rooms.rooms[walker.room].category != "stairs":
        ways = choices(rooms, walker, "stairs")
        if not ways:
            return walker
        walker = pass_door(rooms, walker, ways[0])
    stair = next((door for door in rooms.doors_of(walker.room) if door.id < 0), None)
    return replace(pass_door(rooms, walker, stair), entered=stair) if stair else walker


def _beside(rooms: RoomsMap, walker: Walker, thing: str) -> Vec3:
    """A place in the room in front of the thing, or its middle where nothing of the kind stands there."""
    region = rooms.rooms[walker.room]
    found = rooms.things_in(walker.room, thing) if thing else []
    if not found:
        return (region.low[0] + region.high[0]) / 2, region.low[1], (region.low[2] + region.high[2]) / 2
    near = min(found, key=lambda o: (o.center[0] - walker.at[0]) ** 2 + (o.center[2] - walker.at[1]) ** 2)
    spots: list[Flat] = []
    for off in (0.4, 0.7, 1.1):
        spots = spots or [spot for spot in _around(near, off) if _free(rooms, walker.room, spot)]
    spots = spots or [walker.at]
    x, z = min(spots, key=lambda p: (p[0] - walker.at[0]) ** 2 + (p[1] - walker.at[1]) ** 2)
    return x, region.low[1], z


def _around(thing: SemanticObject, off: float) -> list[Flat]:
    """Eight places `off` metres from a thing's box."""
    x, z = thing.center[0], thing.center[2]
    dx, dz = thing.size[0] / 2 + off, thing.size[2] / 2 + off
    return [(x + i * dx, z + k * dz) for i in (-1, 0, 1) for k in (-1, 0, 1) if i or k]


def _free(rooms: RoomsMap, room: int, spot: Flat) -> bool:
    """Inside the room and in no thing's box; what hangs above the head or lies flat is no hindrance."""
    region = rooms.rooms[room]
    if not (
        region.low[0] + 0.2 < spot[0] < region.high[0] - 0.2 and region.low[2] + 0.2 < spot[1] < region.high[2] - 0.2
    ):
        return False
    for thing in rooms.things_in(room):
        bottom = thing.center[1] - thing.size[1] / 2 - region.low[1]
        dx, dz = abs(spot[0] - thing.center[0]), abs(spot[1] - thing.center[2])
        near = dx < thing.size[0] / 2 + 0.15 and dz < thing.size[2] / 2 + 0.15
        if near and bottom < 1.2 and thing.size[1] > 0.1:
            return False
    return True
