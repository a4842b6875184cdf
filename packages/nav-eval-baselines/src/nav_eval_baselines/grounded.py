"""A language-grounded baseline: reads where the instruction ends, explores with depth, walks to what it names.

It keeps a grid of free and blocked floor from the depth image, and the places of objects from the semantic image and
the list of objects in view. A room is one piece of floor in the semantic image; what stands in it tells its kind. Until
the last landmark of the instruction is seen in a room of the kind that is entered last, it walks to the nearest border
of the unknown; then it walks there and stops. It knows English and Chinese names. No learning, no map, nothing but the
observations: depth, semantic, objects, gps, compass, instruction.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nav_eval_baselines.reading import LEAVING, destination, kind_of_room, landmark
from nav_eval_sdk.agent_interface import VLNAgent

CELL = 0.125
SIZE = 384
COARSE = 2
"""Every second pixel of every second row is looked at: enough for cells of this size."""
CAMERA = 1.25
CLIMB = 0.2
"""What is lower is walked over."""
MARGIN = 2
"""Cells that are kept away from what is in the way, while there is another way."""
STOP_WITHIN = 1.2
NEAR_ENOUGH = 2.0
"""Where no free floor leads nearer."""
BORDER = 8
"""Unknown cells of the 25 around one that make it worth a look."""
DETOUR = 40
"""Cells that a room of another kind than the wanted one counts as further off."""
PATIENCE = 60
"""Steps that are spent on the way to one cell."""
BESIDE = 12
"""Cells from which a thing is reached, such as across the bed on which it lies."""
SAME_ROOM = 3.0
ON_WALL = 0.3
"""A thing on a wall belongs to the floor that lies so much nearer to who sees it."""
SLID = 0.15
"""Metres: a step forward that is shorter met something."""
TURN = math.radians(15)
FREE, BLOCKED = 1, 2
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Thing(NamedTuple):
    """An object that was seen: where, from how near, and the id of the floor it stands on (0: not seen)."""

    category: str
    north: float
    east: float
    distance: float
    floor: int


class GroundedAgent(VLNAgent):
    """Rules without learning: explores with depth until it sees the landmark at which the instruction ends."""

    name = "grounded"
    version = "2"
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
        self._felt = np.zeros((SIZE, SIZE), np.bool_)
        self._given_up = np.zeros((SIZE, SIZE), np.bool_)
        self._margin = MARGIN
        self._tries: Counter[tuple[int, int]] = Counter()
        self._floors = np.zeros((SIZE, SIZE), np.int32)
        self._seen: dict[int, Thing] = {}
        self._room = destination(self._text)
        self._leaves = any(word in self._text for word in LEAVING)
        self._here = (0.0, 0.0)
        self._turned = ""
        self._step = self._target = _cell(0.0, 0.0)
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
            return "turn_left"
        goal = self._goal()
        away = math.inf if goal is None else math.dist(goal, self._here)
        if away < STOP_WITHIN:
            return "stop"
        if self._turned:
            return self._towards(self._step, forward, right, heading)
        step = self._next_cell(None if goal is None else _cell(*goal))
        if step is None and away < NEAR_ENOUGH:
            return "stop"
        step = step or self._next_cell(None)
        if step is None:
            return self._settle()
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
        low = near & (level < CLIMB)
        _mark(self._grid, north[low], east[low], FREE)
        solid = near & (level > CLIMB) & (level < 1.4)
        _mark(self._grid, north[solid], east[solid], BLOCKED)
        for thing in sorted(observation["objects"], key=lambda one: one["category"].lower() != "floor"):
            here, category = (semantic == thing["id"]) & near, thing["category"].lower()
            if category == "floor":
                _mark(self._floors, north[here & low], east[here & low], int(thing["id"]))
            elif thing["pixels"] >= 40 and here.any():
                self._note(int(thing["id"]), category, (float(np.median(north[here])), float(np.median(east[here]))))

    def _note(self, number: int, category: str, place: tuple[float, float]) -> None:
        """Keep the place that was seen from nearest."""
        distance = math.dist(place, self._here)
        known = self._seen.get(number)
        if known is None or distance < known.distance - 0.3 or not known.floor:
            nearer = (p + (h - p) * min(ON_WALL / max(distance, ON_WALL), 1.0) for p, h in zip(place, self._here))
            self._seen[number] = Thing(category, *place, distance, self._floor_at(*nearer))

    def _floor_at(self, north: float, east: float) -> int:
        """Id of the floor seen nearest to a place, 0 if there is none within a metre."""
        row, column = _cell(north, east)
        reach = int(1 / CELL)
        top, left = max(row - reach, 0), max(column - reach, 0)
        near = self._floors[top : row + reach + 1, left : column + reach + 1]
        rows, columns = np.nonzero(near)
        if not rows.size:
            return 0
        nearest = np.argmin((rows + top - row) ** 2 + (columns + left - column) ** 2)
        return int(near[rows[nearest], columns[nearest]])

    def _feel(self, forward: float, right: float, heading: float) -> None:
        """A step that did not get anywhere met something that the camera does not see."""
        here = (forward, right)
        if self._last is not None and math.dist(self._last, here) < SLID:
            self._felt[_cell(forward + 0.25 * math.cos(heading), right - 0.25 * math.sin(heading))] = True
        self._last = None
        self._assume_free(_cell(forward, right), 0.6)

    def _assume_free(self, cell: tuple[int, int], radius: float) -> None:
        """The camera does not see the floor at the agent's feet: what is unknown there counts as free."""
        reach = int(radius / CELL)
        rows, columns = (slice(max(index - reach, 0), index + reach + 1) for index in cell)
        near = self._grid[rows, columns]
        near[near == 0] = FREE

    def _goal(self) -> tuple[float, float] | None:
        """Place of the nearest known object of the kind, in a room of the kind, at which the text says to stop."""
        return self._nearest(one for one in self._candidates() if self._room in ("", self._kind(one.floor)))

    def _candidates(self) -> list[Thing]:
        wanted = landmark(self._text, frozenset(one.category for one in self._seen.values()))
        start = self._floor_at(0.0, 0.0)
        found = (one for one in self._seen.values() if one.category == wanted)
        return [one for one in found if not (self._leaves and _at_start(one, start))]

    def _kind(self, floor: int) -> str:
        """What the things on this floor make of the room."""
        return kind_of_room({one.category for one in self._seen.values() if one.floor == floor}) if floor else ""

    def _nearest(self, things: Iterable[Thing]) -> tuple[float, float] | None:
        return min(
            ((one.north, one.east) for one in things), key=lambda place: math.dist(place, self._here), default=None
        )

    def _next_cell(self, goal: tuple[int, int] | None) -> tuple[int, int] | None:
        """A cell some steps along the shortest way over free floor to the goal, or to the border of the unknown."""
        start = _cell(*self._here)
        blocked = (self._grid == BLOCKED) | self._felt
        came, steps = _flood(start, (self._grid == FREE) & ~_dilate(blocked, self._margin), blocked)
        end = self._border(start, steps) if goal is None else min(came, key=lambda cell: math.dist(cell, goal))
        self._tries[end] += 1
        if end == start or (goal is not None and (math.dist(end, goal) > BESIDE or self._tries[end] > PATIENCE)):
            return None
        return _early(came, end, start)

    def _border(self, start: tuple[int, int], steps: Mapping[tuple[int, int], int]) -> tuple[int, int]:
        """The cell at which to look into the unknown: the last one until it is reached, then the nearest other."""
        if math.dist(self._target, start) < 3 or self._tries[self._target] > PATIENCE:
            self._given_up |= _disc(self._target)
        unknown = _around((self._grid == 0) & ~self._given_up)
        if self._target not in steps or unknown[self._target] < BORDER:
            borders = {cell: int(self._floors[cell]) for cell in steps if unknown[cell] >= BORDER}
            detours = {floor: self._detour(floor) for floor in set(borders.values())}
            self._target = min(borders, key=lambda cell: steps[cell] + detours[borders[cell]], default=start)
        return self._target

    def _detour(self, floor: int) -> int:
        """Cells that one would rather walk than look further round a room of a kind that is not wanted."""
        kind = self._kind(floor)
        return 0 if kind in ("", self._room) or not self._room else DETOUR

    def _settle(self) -> str:
        """Nothing left to explore: squeeze through; then any room will do; then look again."""
        if self._margin:
            self._margin -= 1
        elif self._room and self._candidates():
            self._room = ""
        else:
            self._given_up[:] = False
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


def _at_start(one: Thing, start: int) -> bool:
    """Whether it is in the room of the start, whose floor has the id `start`."""
    return one.floor == start if one.floor and start else math.hypot(one.north, one.east) < SAME_ROOM


def _mark(grid: Any, north: Any, east: Any, value: int) -> None:
    rows = np.clip((north / CELL + SIZE / 2).astype(int), 0, SIZE - 1)
    columns = np.clip((east / CELL + SIZE / 2).astype(int), 0, SIZE - 1)
    grid[rows, columns] = value


def _cell(north: float, east: float) -> tuple[int, int]:
    row, column = (min(max(int(value / CELL + SIZE / 2), 1), SIZE - 2) for value in (north, east))
    return row, column


def _dilate(mask: Any, cells: int) -> Any:
    """`mask` and what lies within `cells` of it."""
    for _ in range(cells):
        wider = mask.copy()
        wider[1:] |= mask[:-1]
        wider[:-1] |= mask[1:]
        wider[:, 1:] |= mask[:, :-1]
        wider[:, :-1] |= mask[:, 1:]
        mask = wider
    return mask


def _disc(cell: tuple[int, int]) -> Any:
    """The cells within 4 of one."""
    rows, columns = np.ogrid[:SIZE, :SIZE]
    return (rows - cell[0]) ** 2 + (columns - cell[1]) ** 2 <= 16


def _around(mask: Any) -> Any:
    """How many of the 25 cells around each are in `mask`."""
    count = mask.astype(np.uint8)
    for axis in (0, 1):
        count = sum(np.roll(count, shift, axis) for shift in range(-2, 3))
    return count


def _flood(start: tuple[int, int], free: Any, blocked: Any) -> tuple[dict[Any, Any], dict[Any, int]]:
    """From which cell each free cell is reached first, and after how many; near the start all but what is blocked."""
    came, steps, queue = {start: start}, {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for row, column in AROUND:
            other = (cell[0] + row, cell[1] + column)
            inside = 2 < other[0] < SIZE - 3 and 2 < other[1] < SIZE - 3
            if inside and other not in came and not blocked[other] and (free[other] or math.dist(other, start) < 2.5):
                came[other], steps[other] = cell, steps[cell] + 1
                queue.append(other)
    return came, steps


def _early(
    came: dict[tuple[int, int], tuple[int, int]], end: tuple[int, int], start: tuple[int, int]
) -> tuple[int, int]:
    """The cell about 0.5 m along the way from start to end."""
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[max(len(way) - 1 - 4, 0)]
