"""One room while it is furnished: what is taken, what must stay free, and whether all doors still reach each other.

Everything is in millimetres. A spot is accepted only if its box overlaps no other furniture, keeps the zones in front
of doors and of other furniture free, hides no window, and leaves the room's doors connected for a walker of
`CLEARANCE` mm radius (checked on a grid of 50 mm cells).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.mesh.item import Item, Support
from nav_eval_worlds.plan.floor_plan import KNEE, SIDES, TURN_OF, Kind, Plan, Rect, Room, wall_line
from nav_eval_worlds.shell.structure import leaf_rect, openings
from nav_eval_worlds.shell.windows import curtain_foot, curtain_spans
from nav_eval_worlds.surfaces.styles import Style

CLEARANCE = 250
"""A walker's radius of 180 mm, and what a navmesh's cells of 50 mm may add to it."""
CELL = 50
_HEAD = 1600
"""Millimetres: what hangs higher is over the heads of all who walk there."""
_INSIDE = 550
"""From a door to where one has come in, clear of leaves that stand open beside it."""
WALK = 900
"""Of a walkway round what stands in the middle of a room."""
_GAP = 12
_CASING = 70
"""What frames a door or window reaches so far above it."""
_BEHIND_A_LEAF = 150
"""Millimetres: nothing hangs between an open leaf and the wall that it stands open to."""
_OVER = 350
"""What stands on tall things, under a sloping ceiling."""
_SHARED = ("hallway", "bathroom", "stairs")
"""Rooms of homes and of offices, which are not furnished alike."""


def use_of(kind: Kind, room_type: str) -> str:
    """What a room is furnished as: an office's hallway is not a home's, and a foyer is a hallway."""
    use = "hallway" if room_type == "foyer" else room_type
    return f"office {use}" if kind == "office" and use in _SHARED else use


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an object stands: the middle of its footprint, its turn, and the wall it stands at (or "")."""

    made: Made
    x: int
    z: int
    turn: int
    side: str = ""

    @property
    def rect(self) -> Rect:
        w, d = _mm(self.made.size[0]), _mm(self.made.size[2])
        if self.turn % 2:
            w, d = d, w
        return Rect(self.x - w // 2, self.z - d // 2, self.x + (w + 1) // 2, self.z + (d + 1) // 2)

    def point(self, left: int = 0, ahead: int = 0) -> tuple[int, int]:
        """A point to the object's own left (+x of its frame) of its middle, and in front of it."""
        dx, dz = ((left, ahead), (ahead, -left), (-left, -ahead), (-ahead, left))[self.turn % 4]
        return self.x + dx, self.z + dz


@dataclass(slots=True)
class Space:
    """A room and what has been put into it."""

    plan: Plan
    room: Room
    stream: Stream
    style: Style
    items: list[Item] = field(default_factory=list)
    taken: list[Rect] = field(default_factory=list)
    reserved: list[Rect] = field(default_factory=list)
    hung: list[tuple[str, int, int, int, int]] = field(default_factory=list)
    _doors: list[tuple[int, int]] = field(default_factory=list)
    _standing: list[tuple[Rect, int]] = field(default_factory=list)
    _jutting: list[Rect] = field(default_factory=list)
    """What hung things take of the way below them."""

    def __post_init__(self) -> None:
        for side in SIDES:
            for low, high, bottom, top in openings(self.plan, self.room, side):
                self.hung.append((side, low - 110, high + 110, bottom, top + _CASING))
                if bottom == 0:
                    self.reserved.append(self.strip(side, low - 60, high + 60, 850))
                    self._doors.append(self._inside(side, (low + high) // 2))
        for window in self.plan.windows:
            if window.room == self.room.id:
                for low, high in curtain_spans(self.room, window):
                    self.hung.append((window.side, low, high, curtain_foot(window), window.top + 120))
        self._hang_slope()
        for sign in self.plan.signs:
            if sign.room == self.room.id:
                self.hung.append((sign.side, sign.low - 30, sign.high + 30, sign.bottom, sign.top))
        for column in self.plan.columns:
            if column.room == self.room.id:
                self.taken.append(column.rect)
                self._standing.append((column.rect, self.room.ceiling))
        for door in self.plan.doors_of(self.room.id):
            leaf = leaf_rect(self.plan, door) if door.b == self.room.id else None
            if leaf:
                self.taken.append(leaf)
                self._standing.append((leaf.grown(_BEHIND_A_LEAF), 2030))

    def _hang_slope(self) -> None:
        """Nothing hangs where a ceiling slopes."""
        under = self.room.slope
        for side in SIDES if under else ():
            assert under is not None
            low, high = (under.x0, under.x1) if side in "ns" else (under.z0, under.z1)
            if side == self.room.eaves or (side in "ns") != (self.room.eaves in ("n", "s")):
                self.hung.append((side, low, high, KNEE - 20, 9000))

    @property
    def rect(self) -> Rect:
        return self.room.clear

    def strip(self, side: str, low: int, high: int, deep: int) -> Rect:
        """The rectangle along a wall between two positions, `deep` mm into the room."""
        r = self.rect
        return {
            "n": Rect(low, r.z0, high, r.z0 + deep),
            "s": Rect(low, r.z1 - deep, high, r.z1),
            "w": Rect(r.x0, low, r.x0 + deep, high),
            "e": Rect(r.x1 - deep, low, r.x1, high),
        }[side]

    def _inside(self, side: str, along: int) -> tuple[int, int]:
        return self.strip(side, along, along, 2 * _INSIDE).centre

    @property
    def use(self) -> str:
        """What the room is furnished as."""
        return use_of(self.plan.kind, self.room.type)

    def against_wall(
        self, make: Made, sides: str = "", front: int = 600, where: str = "any", tries: int = 40
    ) -> Spot | None:
        """Stands `make` with its back to a wall; `where` = "middle" of the wall, "corner" or "any"."""
        order = self.stream.shuffled(sides or "nesw")
        for side in order:
            for along in self._positions(side, make, where)[:tries]:
                spot = self.spot_at(make, side, along)
                if self.fits(spot, front):
                    return self.put(spot, front)
        return None

    def spot_at(self, made: Made, side: str, along: int) -> Spot:
        """With its back to the wall on `side`, its middle at `along`."""
        return Spot(made, *self._at_wall(made, side, along, _GAP), TURN_OF[side], side)

    def _at_wall(self, made: Made, side: str, along: int, gap: int) -> tuple[int, int]:
        """The middle of what has its back so far from a wall."""
        line, _, _ = wall_line(self.rect, side)  # type: ignore[arg-type]
        half = (_mm(made.size[2]) + 1) // 2 + gap
        line += half if side in "nw" else -half
        return (along, line) if side in "ns" else (line, along)

    def _positions(self, side: str, made: Made, where: str) -> list[int]:
        _, low, high = wall_line(self.rect, side)  # type: ignore[arg-type]
        half = (_mm(made.size[0]) + 1) // 2 + _GAP + 3
        low, high = low + half, high - half
        if high < low:
            return []
        grid = [low + k for k in range(0, high - low + 1, 100)] + [high]
        middle = (low + high) // 2
        if where == "middle":
            return sorted([middle, *grid], key=lambda at: abs(at - middle))
        if where == "corner":
            return sorted(grid, key=lambda at: min(at - low, high - at))
        return self.stream.shuffled(grid)

    def stand(self, made: Made, x: int, z: int, turn: int, front: int = 0, under: Spot | None = None) -> Spot | None:
        """Stands an object freely, if it fits there; it may reach `under` a table."""
        spot = Spot(made, x, z, turn)
        return self.put(spot, front) if self.fits(spot, front, under) else None

    def in_middle(self, made: Made, turn: int, front: int = 0) -> Spot | None:
        """Stands an object as near to the room's middle as it fits."""
        tried = (self.stand(made, x, z, turn, front) for x, z in self._from_middle(1500, 1500, 250))
        return next((spot for spot in tried if spot), None)

    def amid(self, made: Made, turn: int, walk: int = WALK) -> Spot | None:
        """Stands an object in the open with a walkway of `walk` mm all round, as near to the middle as there is one."""
        inside = self.rect.grown(-walk)
        for x, z in self._from_middle(self.rect.width // 400 * 200, self.rect.depth // 400 * 200, 200):
            spot = Spot(made, x, z, turn)
            r = spot.rect
            if r.x0 < inside.x0 or r.z0 < inside.z0 or r.x1 > inside.x1 or r.z1 > inside.z1:
                continue
            round_it = r.grown(walk)
            if not any(round_it.overlaps(other) for other in self.taken) and self.fits(spot):
                return self.put(spot)
        return None

    def _from_middle(self, across: int, deep: int, step: int) -> list[tuple[int, int]]:
        """A grid of points round the room's middle, the nearest first."""
        cx, cz = self.rect.centre
        grid = [(dx, dz) for dx in range(-across, across + 1, step) for dz in range(-deep, deep + 1, step)]
        return [(cx + dx, cz + dz) for dx, dz in sorted(grid, key=lambda p: p[0] ** 2 + p[1] ** 2)]

    def front_of(self, spot: Spot, deep: int) -> Rect:
        """The zone in front of an object that must stay free for its use."""
        r = spot.rect
        return {
            0: Rect(r.x0, r.z1, r.x1, r.z1 + deep),
            1: Rect(r.x1, r.z0, r.x1 + deep, r.z1),
            2: Rect(r.x0, r.z0 - deep, r.x1, r.z0),
            3: Rect(r.x0 - deep, r.z0, r.x0, r.z1),
        }[spot.turn % 4]

    def fits(self, spot: Spot, front: int = 0, under: Spot | None = None) -> bool:
        r, clear = spot.rect, self.rect
        if r.x0 < clear.x0 + 5 or r.z0 < clear.z0 + 5 or r.x1 > clear.x1 - 5 or r.z1 > clear.z1 - 5:
            return False
        height = _mm(spot.made.size[1])
        over = _OVER if self.room.eaves and height > KNEE - _OVER else 2
        if height + over > self.room.headroom(r):
            return False
        padded = r.grown(_GAP)
        table = under.rect if under else None
        if any(padded.overlaps(other) for other in self.taken if other != table) or any(
            r.overlaps(other) for other in self.reserved
        ):
            return False
        zone = self.front_of(spot, front) if front else None
        if zone and any(zone.overlaps(other) for other in self.taken):
            return False
        return not self._hides(spot) and self._is_connected([*self.taken, r])

    def _hides(self, spot: Spot) -> bool:
        """True if it would stand before a window or another hung thing, higher than that begins."""
        height = _mm(spot.made.size[1])
        r = spot.rect.grown(30)
        for side, low, high, bottom, _ in self.hung:
            if height > bottom and bottom > 0 and r.overlaps(self.strip(side, low, high, 160)):
                return True
        return False

    def _is_connected(self, taken: list[Rect]) -> bool:
        """All doors reach each other and most of the free floor, with furniture grown by a walker's radius."""
        free = self.free_cells([*taken, *self._jutting])
        import scipy.ndimage

        labels, _ = scipy.ndimage.label(free)
        seen = {int(labels[self._cell(free, x, z)]) for x, z in self._doors}
        if not seen:
            return bool(free.any())
        reached = int((labels == min(seen)).sum())
        return len(seen) == 1 and 0 not in seen and 10 * reached >= 9 * int(free.sum())

    def free_cells(self, taken: list[Rect]) -> NDArray[np.bool_]:
        """(D, W) cells where a thing may stand that keeps its distance from walls and `taken`."""
        clear = self.rect
        free = np.ones((max(1, clear.depth // CELL), max(1, clear.width // CELL)), dtype=bool)
        edge = CLEARANCE // CELL
        free[:edge], free[-edge:], free[:, :edge], free[:, -edge:] = False, False, False, False
        for r in taken:
            x0, x1 = (r.x0 - CLEARANCE - clear.x0) // CELL, (r.x1 + CLEARANCE - clear.x0) // CELL + 1
            z0, z1 = (r.z0 - CLEARANCE - clear.z0) // CELL, (r.z1 + CLEARANCE - clear.z0) // CELL + 1
            free[max(z0, 0) : max(z1, 0), max(x0, 0) : max(x1, 0)] = False
        return free

    def _cell(self, free: NDArray[np.bool_], x: int, z: int) -> tuple[int, int]:
        row = min(max((z - self.rect.z0) // CELL, 0), free.shape[0] - 1)
        column = min(max((x - self.rect.x0) // CELL, 0), free.shape[1] - 1)
        return row, column

    def put(self, spot: Spot, front: int = 0) -> Spot:
        """Takes the spot without asking."""
        self.taken.append(spot.rect)
        self._standing.append((spot.rect, _mm(spot.made.size[1])))
        if front:
            self.reserved.append(self.front_of(spot, min(front, 500)))
        if spot.side:
            r = spot.rect
            low, high = (r.x0, r.x1) if spot.side in "ns" else (r.z0, r.z1)
            self.hung.append((spot.side, low, high, 0, _mm(spot.made.size[1])))
        self.add(spot.made, (spot.x, self.room.base, spot.z), spot.turn, "floor")
        return spot

    def add(self, made: Made, at: tuple[int, int, int], turn: int, support: Support, on: int = -1) -> None:
        """An object and what stands on it."""
        index = len(self.items)
        item = Item(made.category, self.room.id, made.model, at, turn, made.size, support, on)
        self.items.append(replace(item, variant=made.variant, design=made.design))
        for top, x, y, z in made.on:
            for _ in range(turn % 4):
                x, z = z, -x
            self.add(top, (at[0] + _mm(x), at[1] + _mm(y), at[2] + _mm(z)), turn, "item", index)

    def hang(self, made: Made, bottom: int, sides: str = "", near: Spot | None = None) -> bool:
        """Hangs something on a free stretch of wall, `bottom` mm above the floor; above `near` if given."""
        half, top, deep = _mm(made.size[0]) // 2 + 20, bottom + _mm(made.size[1]), _mm(made.size[2]) + 30
        off = max(50, deep)
        if top > self.room.ceiling - 20 or (near and not near.side):  # what stands free has no wall above it
            return False
        for side in [near.side] if near else self.stream.shuffled(sides or "nesw"):
            _, low, high = wall_line(self.rect, side)  # type: ignore[arg-type]
            middle = (low + high) // 2
            if near:
                middle = near.x if side in "ns" else near.z
            span = range(1) if near else range(0, (high - low) // 2, 150)
            for along in [middle + sign * step for step in span for sign in (1, -1)]:
                if (
                    along - half >= low + off
                    and along + half <= high - off
                    and self.bare(side, along - half, along + half, bottom, top, deep)
                    and self.leaves_way(made, side, along, bottom)
                ):
                    self.nail(made, side, along, bottom)
                    return True
        return False

    def passable(self, zone: Rect) -> bool:
        """Whether the way stays free if something takes `zone` too."""
        return not any(zone.overlaps(other) for other in (*self.taken, *self.reserved)) and self._is_connected(
            [*self.taken, zone]
        )

    def stands(self, rect: Rect, height: int) -> None:
        """Remembers what stands on something else: nothing is hung behind it lower than `height` above the floor."""
        self._standing.append((rect, height))

    def bare(self, side: str, low: int, high: int, bottom: int, top: int, deep: int = 80) -> bool:
        """Whether nothing hangs on a piece of wall, stands within `deep` mm before it or opens there."""
        free_wall = not any(
            s == side and low < h and high > other and bottom < t and top > b for s, other, h, b, t in self.hung
        )
        zone = self.strip(side, low, high, max(deep, 80))
        return free_wall and not any(zone.overlaps(rect) for rect, height in self._standing if height > bottom)

    def leaves_way(self, made: Made, side: str, along: int, bottom: int) -> bool:
        """Whether one still walks past a thing that is fastened to a wall there."""
        under = self._under(made, side, along, bottom)
        return not under or self._is_connected([*self.taken, *under])

    def _under(self, made: Made, side: str, along: int, bottom: int) -> list[Rect]:
        """What a hung thing takes of the way; nothing if it is flat or hangs over the heads."""
        half, deep = _mm(made.size[0]) // 2, _mm(made.size[2])
        return [self.strip(side, along - half, along + half, deep)] if deep > CELL and bottom < _HEAD else []

    def nail(self, made: Made, side: str, along: int, bottom: int) -> None:
        """Fastens a thing to a wall without asking."""
        x, z = self._at_wall(made, side, along, 1)
        half = _mm(made.size[0]) // 2
        self.hung.append((side, along - half, along + half, bottom, bottom + _mm(made.size[1])))
        self._jutting += self._under(made, side, along, bottom)
        self.add(made, (x, self.room.base + bottom, z), TURN_OF[side], "wall")

    def lay(self, made: Made, x: int, z: int, turn: int) -> bool:
        """Lays a rug, cut off at nothing: it must lie inside the room, away from other rugs."""
        r = Spot(made, x, z, turn).rect
        inside = self.rect.grown(-40)
        if r.x0 < inside.x0 or r.z0 < inside.z0 or r.x1 > inside.x1 or r.z1 > inside.z1:
            return False
        self.add(made, (x, self.room.base, z), turn, "floor")
        return True

    def ceiling(self, made: Made, x: int, z: int, turn: int = 0) -> None:
        half = _mm(max(made.size[0], made.size[2])) // 2
        if self.room.headroom(Rect(x - half, z - half, x + half, z + half)) == self.room.ceiling:
            self.add(made, (x, self.room.base + self.room.ceiling, z), turn, "ceiling")


def _mm(metres: float) -> int:
    return int(np.floor(metres * 1000 + 0.5))
