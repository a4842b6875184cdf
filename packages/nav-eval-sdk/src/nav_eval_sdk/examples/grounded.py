"""A language-grounded baseline: reads where the instruction ends, explores with depth, walks to what it names.

It keeps a grid of free and blocked floor from the depth image, and the places of objects from the semantic image and
the list of objects in view. Until the last landmark of the instruction is seen it walks to the nearest border of the
unknown; then it walks there and stops. It knows English and Chinese names. No learning, no map, nothing but the
observations: depth, semantic, objects, gps, compass, instruction.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np

from nav_eval_sdk.agent_interface import VLNAgent

CELL = 0.125
SIZE = 384
COARSE = 2
"""Every second pixel of every second row is looked at: enough for cells of this size."""
CAMERA = 1.25
STOP_WITHIN = 1.2
NEAR_ENOUGH = 2.0
"""Where no free floor leads nearer."""
SAME_ROOM = 3.0
TURN = math.radians(15)
FREE, BLOCKED = 1, 2
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))

LEAVING = (
    "out of",
    "leave",
    "exit",
    " into ",
    "enter",
    "walk through",
    "go through",
    " to the ",
    " door",
    "出",
    "离开",
    "进",
    "到",
    "门",
)
"""Words after which the landmark to stop at is not in the room of the start."""
CLAUSES = (". ", "; ", "then ", "。", "；", "然后", "接着", "接下来", "随后")
"""After the last of these the landmark to stop at is named: first in English, where others that tell its place follow
it, last in Chinese, where they come before it."""
NAMES: Mapping[str, tuple[str, ...]] = {
    "sofa": ("couch", "settee", "沙发"),
    "bed": ("床",),
    "table": ("桌子", "餐桌", "茶几"),
    "desk": ("书桌", "写字台"),
    "plant": ("potted plant", "houseplant", "盆栽", "植物", "绿植"),
    "tv_monitor": ("tv", "television", "电视"),
    "wardrobe": ("closet", "衣柜", "衣橱"),
    "bookshelf": ("bookcase", "bookshelves", "书架", "书柜"),
    "toilet": ("马桶", "坐便器"),
    "bathtub": ("bath", "tub", "浴缸"),
    "shower": ("淋浴",),
    "sink": ("washbasin", "洗手池", "洗手盆", "水槽", "水池"),
    "refrigerator": ("fridge", "冰箱"),
    "counter": ("worktop", "台面", "操作台"),
    "washing_machine": ("washer", "洗衣机"),
    "cabinet": ("cupboard", "柜子", "橱柜"),
    "chest_of_drawers": ("dresser", "五斗柜", "斗柜"),
    "nightstand": ("bedside table", "床头柜"),
    "picture": ("painting", "artwork", "挂画", "装饰画"),
    "shelf": ("storage rack", "shelving unit", "储物架", "置物架"),
    "whiteboard": ("白板",),
    "printer": ("copier", "打印机", "复印机"),
    "vending_machine": ("snack machine", "售货机"),
    "clothes": ("coat rack", "coat stand", "row of coats", "衣帽架", "挂衣架"),
    "towel": ("毛巾",),
    "box": ("cardboard box", "纸箱"),
    "chair": ("seat", "椅子"),
    "lamp": ("灯",),
    "guitar": ("吉他",),
    "cat_tree": ("cat tower", "猫爬架"),
    "ironing_board": ("熨衣板",),
    "vacuum_cleaner": ("hoover", "吸尘器"),
    "water_dispenser": ("water cooler", "饮水机"),
    "umbrella_stand": ("伞架", "雨伞架"),
    "shoe_rack": ("鞋架",),
    "bench": ("长凳", "换鞋凳"),
    "fan": ("electric fan", "电风扇", "风扇"),
    "towel_rack": ("towel ladder", "毛巾架"),
    "fire_extinguisher": ("灭火器",),
    "step_ladder": ("stepladder", "人字梯", "折叠梯"),
    "pet_bed": ("dog bed", "宠物窝"),
    "suitcase": ("行李箱", "旅行箱"),
    "toy_chest": ("toy box", "玩具箱"),
    "pin_board": ("pinboard", "noticeboard", "软木板", "公告板"),
    "radiator": ("heater", "暖气片"),
    "backpack": ("rucksack", "背包", "双肩包"),
    "bathrobe": ("dressing gown", "浴袍"),
    "crate": ("收纳箱",),
    "pouf": ("footstool", "脚凳", "软凳"),
    "microwave": ("microwave oven", "微波炉"),
}
"""Other words for a category, English and Chinese."""


class GroundedAgent(VLNAgent):
    """Explores until it sees the landmark at which it is told to stop."""

    name = "grounded"
    version = "1"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {
        "depth": (0, 0),
        "semantic": (0, 0),
        "objects": (0, 0),
        "gps": (0, 0),
        "compass": (0, 0),
    }
    action_space = ("stop", "move_forward", "turn_left", "turn_right")

    def reset(self, episode: dict[str, Any]) -> None:
        instruction = episode["instruction"] or {"text": ""}
        self._text = instruction["text"].lower()
        self._grid = np.zeros((SIZE, SIZE), np.uint8)
        self._seen: dict[int, tuple[str, float, float, float]] = {}
        self._leaves = any(word in self._text for word in LEAVING)
        self._at_start: set[int] = set()
        self._here = (0.0, 0.0)
        self._moved = False
        self._turned = ""
        self._step = _cell(0.0, 0.0)
        self._look_around = round(2 * math.pi / TURN)
        self._last: tuple[float, float] | None = None
        self._assume_free(_cell(0.0, 0.0), 1.3)

    def act(self, observation: dict[str, Any]) -> str:
        forward, right = (float(v) for v in observation["gps"])
        heading = float(observation["compass"][0])
        self._here = (forward, right)
        self._remember(observation, forward, right, heading)
        self._feel(forward, right, heading)
        if self._look_around > 0:
            self._look_around -= 1
            if self._leaves and not self._moved:
                self._at_start.update(self._seen)
            return "turn_left"
        self._moved = True
        goal = self._goal()
        away = math.inf if goal is None else math.dist(goal, self._here)
        if away < STOP_WITHIN:
            return "stop"
        if self._turned:
            return self._towards(self._step, forward, right, heading)
        here = _cell(forward, right)
        step = self._next_cell(here, _cell(*goal)) if goal is not None else None
        if step is None and away < NEAR_ENOUGH:
            return "stop"
        if step is None:
            step = self._next_cell(here, None)
        if step is None:
            return "stop" if goal is not None else self._stuck()
        self._step = step
        return self._towards(step, forward, right, heading)

    def _remember(self, observation: dict[str, Any], forward: float, right: float, heading: float) -> None:
        """Enter the depth image into the grid, and the objects in view into the list."""
        depth, semantic = (observation[name][::COARSE, ::COARSE] for name in ("depth", "semantic"))
        depth = depth[:, :, 0]
        height, width = depth.shape
        focal = width / 2
        across = (np.arange(width) + 0.5 - width / 2) / focal
        down = (np.arange(height) + 0.5 - height / 2) / focal
        level = CAMERA - depth * down[:, None]
        ahead, side = depth, depth * across[None, :]
        north = forward + ahead * math.cos(heading) + side * math.sin(heading)
        east = right - ahead * math.sin(heading) + side * math.cos(heading)
        near = (depth > 0.05) & (depth < 6.0)
        self._mark(north[near & (level < 0.08)], east[near & (level < 0.08)], FREE)
        solid = near & (level > 0.25) & (level < 1.4)
        self._mark(north[solid], east[solid], BLOCKED)
        for thing in observation["objects"]:
            here = semantic == thing["id"]
            if thing["pixels"] >= 40 and (here & near).any():
                place = (float(np.median(north[here & near])), float(np.median(east[here & near])))
                self._note(int(thing["id"]), thing["category"].lower(), place, math.dist(place, (forward, right)))

    def _note(self, number: int, category: str, place: tuple[float, float], distance: float) -> None:
        """Keep the place that was seen from nearest."""
        if number not in self._seen or distance < self._seen[number][3] - 0.3:
            self._seen[number] = (category, *place, distance)

    def _mark(self, north: Any, east: Any, value: int) -> None:
        rows = np.clip((north / CELL + SIZE / 2).astype(int), 0, SIZE - 1)
        columns = np.clip((east / CELL + SIZE / 2).astype(int), 0, SIZE - 1)
        self._grid[rows, columns] = value

    def _feel(self, forward: float, right: float, heading: float) -> None:
        """A step that did not get anywhere met something that the camera does not see."""
        here = (forward, right)
        if self._last is not None and math.dist(self._last, here) < 0.05:
            self._grid[_cell(forward + 0.25 * math.cos(heading), right - 0.25 * math.sin(heading))] = BLOCKED
        self._last = None
        self._assume_free(_cell(forward, right), 0.6)

    def _assume_free(self, cell: tuple[int, int], radius: float) -> None:
        """The camera does not see the floor at the agent's feet: what is unknown there counts as free."""
        reach = int(radius / CELL)
        rows, columns = (slice(max(index - reach, 0), index + reach + 1) for index in cell)
        near = self._grid[rows, columns]
        near[near == 0] = FREE

    def _goal(self) -> tuple[float, float] | None:
        """Place of the nearest known object of the kind at which the text says to stop."""
        wanted = landmark(self._text, frozenset(category for category, *_ in self._seen.values()))
        found = [
            (north, east)
            for number, (category, north, east, _) in self._seen.items()
            if category == wanted and (number not in self._at_start or math.hypot(north, east) > SAME_ROOM)
        ]
        return min(found, key=lambda place: math.dist(place, self._here), default=None)

    def _next_cell(self, start: tuple[int, int], goal: tuple[int, int] | None) -> tuple[int, int] | None:
        """A cell some steps along the shortest way over free floor to the goal, or to the border of the unknown."""
        open_floor = (self._grid == FREE) & ~_grown(self._grid == BLOCKED, 2)
        came: dict[tuple[int, int], tuple[int, int]] = {start: start}
        queue, nearest, least = deque([start]), None, math.inf
        while queue:
            cell = queue.popleft()
            if goal is None and cell != start and self._borders_unknown(cell):
                nearest = cell
                break
            if goal is not None and math.dist(cell, goal) < least - 0.5:
                nearest, least = cell, math.dist(cell, goal)
            for row, column in AROUND:
                other = (cell[0] + row, cell[1] + column)
                inside = 0 < other[0] < SIZE - 1 and 0 < other[1] < SIZE - 1
                if inside and other not in came and (open_floor[other] or math.dist(other, start) < 2.5):
                    if self._grid[other] == BLOCKED:
                        continue
                    came[other] = cell
                    queue.append(other)
        if nearest is None or nearest == start:
            return None
        return _early(came, nearest, start)

    def _borders_unknown(self, cell: tuple[int, int]) -> bool:
        return any(self._grid[cell[0] + row, cell[1] + column] == 0 for row, column in AROUND)

    def _stuck(self) -> str:
        """Nothing left to explore: look around once more."""
        self._look_around = round(2 * math.pi / TURN)
        return "turn_left"

    def _towards(self, cell: tuple[int, int], forward: float, right: float, heading: float) -> str:
        north, east = ((index - SIZE / 2 + 0.5) * CELL for index in cell)
        bearing = math.atan2(-(east - right), north - forward)
        turn = (bearing - heading + math.pi) % (2 * math.pi) - math.pi
        side = "turn_left" if turn > 0 else "turn_right"
        if abs(turn) > TURN * 0.6 and self._turned in ("", side):  # never back: two views may disagree for ever
            self._turned = side
            return side
        self._turned = ""
        self._last = (forward, right)
        return "move_forward"


@cache
def landmark(text: str, categories: frozenset[str] = frozenset()) -> str:
    """The category of the thing at which a text (in small letters) says to stop, "" if it names none."""
    text = text.rstrip(" .。")
    last = text[max(text.rfind(mark) for mark in CLAUSES) + 1 :]
    english = text.isascii()
    for part, index in ((last, 0 if english else -1), (text, -1)):
        if found := _named(part, categories | NAMES.keys()):
            return found[index][2]
    return ""


def _named(text: str, categories: frozenset[str]) -> list[tuple[int, int, str]]:
    """Things named in a text in order, as (start, end, category); a name within a longer one does not count."""
    spans = [
        (match.start(), match.end(), category)
        for category in categories
        for name in (category.replace("_", " "), *NAMES.get(category, ()))
        for match in re.finditer(rf"\b{re.escape(name)}\b" if name.isascii() else name, text)
    ]
    return sorted(a for a in spans if not any(b[0] <= a[0] and a[1] <= b[1] and a[:2] != b[:2] for b in spans))


def _cell(north: float, east: float) -> tuple[int, int]:
    row, column = (min(max(int(value / CELL + SIZE / 2), 1), SIZE - 2) for value in (north, east))
    return row, column


def _grown(mask: Any, cells: int) -> Any:
    """`mask` and what lies within `cells` of it."""
    for _ in range(cells):
        wider = mask.copy()
        wider[1:] |= mask[:-1]
        wider[:-1] |= mask[1:]
        wider[:, 1:] |= mask[:, :-1]
        wider[:, :-1] |= mask[:, 1:]
        mask = wider
    return mask


def _early(
    came: dict[tuple[int, int], tuple[int, int]], end: tuple[int, int], start: tuple[int, int]
) -> tuple[int, int]:
    """The cell about 0.5 m along the way from start to end."""
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[max(len(way) - 1 - 4, 0)]
