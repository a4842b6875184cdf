"""What exteriors are painted on: one side of a cube of pictures, with things that stand at a distance and face us.

A thing at `distance` m fills columns and rows by its metres: x to the right of the side's middle, y above the ground.
Edges are blended by the share of a texel that they cover, so that far rows of windows do not flicker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.outside.foliage import Plant
from nav_eval_worlds.surfaces.noise import Colour

SIDE = 768
STEPS: Floats = (np.arange(SIDE) * 2 + 1) / SIDE - 1.0
"""The middles of texels, -1 to 1."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """`image` (3, SIDE, SIDE), 0 to 255; `eye`: metres above the ground.

    `grain` and `fine` (SIDE, SIDE) are noise, 0 to 1, of a few texels' and of one texel's size.

    `light` (3,) falls on what faces us on this side, `haze` (3,) is the horizon's colour, which distance mixes in.
    """

    image: Floats
    eye: float
    grain: Floats
    fine: Floats
    light: Floats
    haze: Floats
    clear: float
    """Metres at which half of a colour is haze."""
    plants: tuple[Plant, ...]
    evening: bool
    """Whether lamps are on."""
    cast: tuple[float, float]
    """Metres to the right and away from us that the sun's shadow of one metre's height reaches; 0, 0 without sun."""

    def soften(self) -> None:
        """What has been painted so far lies far away: the lens draws it less sharply than what comes."""
        rows = slice(SIDE // 5, SIDE * 9 // 16)
        blur(self.image[:, rows], (np.clip((0.1 - STEPS[rows]) * 10, 0, 1) * 0.2)[:, None])

    def seen(self, colour: Colour | Floats, distance: float) -> Floats:
        """A colour in this light, behind that much air. (3, 1, 1), 0 to 255."""
        share = distance / (distance + self.clear)
        return planes(np.asarray(colour, np.float64) * self.light * (1 - share) + self.haze * share)

    def box(self, distance: float, x0: float, x1: float, y0: float, y1: float) -> tuple[slice, slice, Floats]:
        """Rows, columns and the coverage of a rectangle's texels. Coverage: (R, C), 0 to 1."""
        columns = _reach((x0 / distance + 1) / 2, (x1 / distance + 1) / 2)
        rows = _reach(((self.eye - y1) / distance + 1) / 2, ((self.eye - y0) / distance + 1) / 2)
        foot = 2 * distance / SIDE
        x, y = STEPS[columns] * distance, self.eye - STEPS[rows] * distance
        return rows, columns, covered(y, y0, y1, foot)[:, None] * covered(x, x0, x1, foot)

    def put(self, area: tuple[slice, slice, Floats], colour: Floats) -> None:
        """Blend a colour, (3, 1, 1) or one for each texel, over an area."""
        rows, columns, share = area
        part = self.image[:, rows, columns]
        part += (colour - part) * share

    def rectangle(
        self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour | Floats, rough: float = 0.0
    ) -> None:
        """`rough`: how much the grain changes the brightness. colour: (3,), 0 to 255; lengths in metres."""
        area = self.box(distance, x0, x1, y0, y1)
        seen = self.seen(colour, distance)
        self.put(area, seen * (1 - rough / 2 + rough * self.grain[area[0], area[1]]) if rough else seen)

    def wall(
        self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour | Floats, brick: bool
    ) -> None:
        """Plaster, stained by the weather, or courses of bricks of which no two are alike.

        colour: (3,), 0 to 255; lengths in metres.
        """
        rows, columns, share = self.box(distance, x0, x1, y0, y1)
        y = (self.eye - STEPS[rows] * distance)[:, None]
        tone = 0.9 + 0.14 * self.grain[rows, columns]
        tone = tone + 0.1 * np.clip((y - y0) / (y1 - y0), 0, 1) - 0.16 * np.clip(1 - (y - y0) / 1.2, 0, 1)
        if brick:
            coarse = np.arange(columns.start, columns.stop) // 4
            tone = tone * (0.8 + 0.32 * self.fine[rows][:, coarse])
        self.put((rows, columns, share), self.seen(colour, distance) * tone)

    def veil(
        self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour | Floats, share: float
    ) -> None:
        """A rectangle that lets through what was there: a net, a shadow's soft end, a reflection.

        colour: (3,), 0 to 255; lengths in metres.
        """
        rows, columns, covers = self.box(distance, x0, x1, y0, y1)
        self.put((rows, columns, covers * share), self.seen(colour, distance))

    def glass(self, distance: float, x0: float, x1: float, y0: float, y1: float, sky: float) -> None:
        """A pane by day: a dark room, and the sky that its upper part mirrors, more or less."""
        rows, columns, share = self.box(distance, x0, x1, y0, y1)
        up = ((self.eye - STEPS[rows] * distance - y0) / (y1 - y0))[:, None]
        mirrored = np.clip(sky * (0.25 + 0.75 * up) + 0.9 * (self.grain[rows, columns] - 0.5), 0, 0.85)
        room = planes(np.asarray((38.0, 44.0, 50.0)) * self.light)
        self.put((rows, columns, share), room + (planes(self.haze * 0.8) - room) * mirrored)

    def glow(self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour) -> None:
        """A rectangle that shines by itself, more above than below."""
        rows, columns, share = self.box(distance, x0, x1, y0, y1)
        up = np.clip((self.eye - STEPS[rows] * distance - y0) / (y1 - y0), 0, 1)[:, None]
        tone = 0.66 + 0.34 * up + 0.14 * (self.grain[rows, columns] - 0.5)
        self.put((rows, columns, share), planes(colour) * tone)

    def halo(self, distance: float, x: float, y: float, radius: float, colour: Colour) -> None:
        """Light in the air round a lamp."""
        rows, columns, _ = self.box(distance, x - radius, x + radius, y - radius, y + radius)
        dx, dy = STEPS[columns] * distance - x, (self.eye - STEPS[rows] * distance - y)[:, None]
        near = np.clip(1 - (dx * dx + dy * dy) / (radius * radius), 0, 1)
        self.image[:, rows, columns] += near * near * near * planes(colour)

    def pool(self, distance: float, x: float, radius: float, colour: Colour) -> None:
        """Light on the ground under a lamp."""
        rows = _reach((self.eye / (distance + radius) + 1) / 2, (self.eye / max(distance - radius, 1.0) + 1) / 2)
        away = self.eye / np.maximum(STEPS[rows], 1e-3)[:, None]
        dx, dz = STEPS * away - x, away - distance
        near = np.clip(1 - (dx * dx + dz * dz) / (radius * radius), 0, 1)
        self.image[:, rows] += near * near * planes(colour)

    def panes(
        self,
        distance: float,
        x0: float,
        x1: float,
        top: float,
        cell: tuple[float, float],
        colours: Floats,
        bars: tuple[float, float] = (0.2, 0.3),
    ) -> None:
        """A grid of windows from x0 to x1 and from the ground to `top`, one to a cell (wide, high).

        `colours` (3, rows, columns) as they are seen, from the ground up; `bars`: shares of a cell that are wall, on
        either side and below.
        """
        rows, columns, share = self.box(distance, x0, x1, 0.0, top)
        u = (STEPS[columns] * distance - x0) / cell[0]
        v = (self.eye - STEPS[rows] * distance) / cell[1]
        self._cells((rows, columns, share), u[None], v[:, None], 2 * distance / SIDE, cell, colours, bars)

    def _cells(
        self,
        area: tuple[slice, slice, Floats],
        u: Floats,
        v: Floats,
        foot: float | Floats,
        cell: tuple[float, float],
        colours: Floats,
        bars: tuple[float, float],
    ) -> None:
        _, high, wide = colours.shape
        i = np.clip(np.floor(u), 0, wide - 1).astype(np.int64)
        j = np.clip(np.floor(v), 0, high - 1).astype(np.int64)
        across = covered(u - i, bars[0], 1 - bars[0], foot / cell[0])
        up = covered(v - j, bars[1], 1 - bars[0], foot / cell[1])
        self.put((area[0], area[1], area[2] * up * across), colours.reshape(3, -1).take(j * wide + i, axis=1))

    def top(self, distance: float, far: float, x0: float, x1: float, y: float, colour: Colour | Floats) -> None:
        """A flat roof below the eye. colour: (3,), 0 to 255; lengths in metres."""
        if y >= self.eye - 0.2:
            return
        down = self.eye - y
        rows = _reach((down / far + 1) / 2, (down / distance + 1) / 2)
        away = down / np.maximum(STEPS[rows], 1e-3)[:, None]
        columns = _reach((min(x0 / distance, x0 / far) + 1) / 2, (max(x1 / distance, x1 / far) + 1) / 2)
        x = STEPS[columns] * away
        share = covered(x, x0, x1, 2 * away / SIDE) * ((away > distance) & (away < far))
        tone = 0.88 + 0.24 * self.grain[rows, columns]
        self.put((rows, columns, share), self.seen(colour, distance) * tone)

    def slope(
        self,
        distance: float,
        heights: tuple[float, float],
        below: tuple[float, float],
        above: tuple[float, float],
        colour: Colour | Floats,
        courses: float = 0.0,
        rough: float = 0.0,
    ) -> None:
        """A trapezium or triangle from x of `below` at its foot to x of `above`; `courses` m: rows of tiles.

        colour: (3,), 0 to 255; lengths in metres.
        """
        (y0, y1), (x0, x1), (x2, x3) = heights, below, above
        rows, columns, _ = self.box(distance, min(x0, x2), max(x1, x3), y0, y1)
        x, y = STEPS[columns] * distance, (self.eye - STEPS[rows] * distance)[:, None]
        foot = 2 * distance / SIDE
        up = (y - y0) / (y1 - y0)
        left, right = x0 + (x2 - x0) * up, x1 + (x3 - x1) * up
        share = np.clip(np.minimum(x - left, right - x) / foot + 0.5, 0, 1) * covered(y, y0, y1, foot)
        seen = self.seen(colour, distance)
        if courses:
            at = (y - y0) / courses
            tone = 0.9 + 0.2 * self.grain[rows, columns]
            if foot < courses:
                tone = tone - 0.3 * covered(at - np.floor(at), 0.0, 0.22, foot / courses)
            seen = seen * tone
        elif rough:
            seen = seen * (1 - rough / 2 + rough * self.grain[rows, columns])
        self.put((rows, columns, share), seen)

    def flank(
        self,
        x: float,
        near: float,
        far: float,
        y0: float,
        y1: float,
        colour: Colour | Floats,
        cell: tuple[float, float] | None = None,
        colours: Floats | None = None,
    ) -> None:
        """A wall that goes away from us at x, from a distance to one further off; with windows as `panes` has them.

        colour: (3,), 0 to 255; lengths in metres.
        """
        columns = _reach((min(x / near, x / far) + 1) / 2, (max(x / near, x / far) + 1) / 2)
        at = STEPS[columns]
        if abs(x) < 0.5 or not at.size:
            return
        away = np.clip(x / np.where(at * x > 0, at, x), near, far)
        rows = _reach((min((self.eye - y1) / near, (self.eye - y1) / far) + 1) / 2, ((self.eye - y0) / near + 1) / 2)
        y = self.eye - STEPS[rows][:, None] * away
        share = covered(y, y0, y1, 2 / SIDE * away) * covered(
            at, min(x / near, x / far), max(x / near, x / far), 2 / SIDE
        )
        tone = 0.94 + 0.12 * self.grain[rows, columns]
        self.put((rows, columns, share), self.seen(colour, near) * tone)
        if cell is not None and colours is not None:
            foot = 2 / SIDE * away
            wide = foot * away / abs(x)
            u, v = ((away - near) / cell[0])[None], y / cell[1]
            self._cells(
                (rows, columns, share), u, v, np.maximum(foot, np.minimum(wide, cell[0])), cell, colours, (0.2, 0.3)
            )

    def disc(self, distance: float, x: float, y: float, radius: float, colour: Colour) -> None:
        rows, columns, _ = self.box(distance, x - radius, x + radius, y - radius, y + radius)
        dx, dy = STEPS[columns] * distance - x, (self.eye - STEPS[rows] * distance - y)[:, None]
        share = np.clip((radius - np.sqrt(dx * dx + dy * dy)) * SIDE / (2 * distance) + 0.5, 0, 1)
        self.put((rows, columns, share), self.seen(colour, distance))

    def shadow(self, distance: float, x: float, radius: float, deep: float, dark: float) -> None:
        """On the ground round what stands there: `radius` m across, `deep` m to the back and the front."""
        near, far = max(distance - deep, 1.0), distance + deep
        rows = _reach((self.eye / far + 1) / 2, (self.eye / near + 1) / 2)
        columns = _reach(((x - radius) / distance + 1) / 2, ((x + radius) / distance + 1) / 2)
        dx = (STEPS[columns] * distance - x) / radius
        dz = ((self.eye / np.maximum(STEPS[rows], 1e-3) - distance) / deep)[:, None]
        share = np.clip(1.15 - dx * dx - dz * dz, 0, 1) * dark
        self.image[:, rows, columns] *= 1 - share

    def shade(self, distance: float, x: float, radius: float, high: float, dark: float) -> None:
        """What a thing `high` m high and `radius` m wide at its top keeps the sun from, and its foot the sky."""
        self.shadow(distance, x, radius * 0.8, radius * 0.6, dark * 0.7)
        right, away = self.cast
        length = right * right + away * away
        if not length:
            return
        near = max(distance + min(away * high, 0.0) - radius, 2.0)
        far = distance + max(away * high, 0.0) + radius
        rows = _reach((self.eye / far + 1) / 2, (self.eye / near + 1) / 2)
        left, end = x + min(right * high, 0.0) - radius, x + max(right * high, 0.0) + radius
        columns = _reach((min(left / near, left / far) + 1) / 2, (max(end / near, end / far) + 1) / 2)
        z = self.eye / np.maximum(STEPS[rows], 1e-3)[:, None]
        dx, dz = STEPS[columns] * z - x, z - distance
        along = np.clip((dx * right + dz * away) / (length * high), 0, 1)
        dx, dz = dx - along * right * high, dz - along * away * high
        reach = radius * (0.12 + 1.1 * np.clip(along * 2.6 - 0.9, 0, 1) * (1.2 - 0.5 * along))
        share = np.clip(
            (1.1 + 0.9 * (self.grain[rows, columns] - 0.5) - (dx * dx + dz * dz) / (reach * reach)) * 2.5, 0, 1
        )
        self.image[:, rows, columns] *= 1 - share * planes(dark * np.asarray((1.0, 0.94, 0.84)))

    def shade_wall(self, distance: float, x0: float, x1: float, high: float, dark: float) -> None:
        """What a front from x0 to x1 keeps the sun from, on this side of it."""
        self.shadow(distance, (x0 + x1) / 2, (x1 - x0) * 0.58, 1.4, dark)
        right, away = self.cast
        if away > -0.05:
            return
        rows = _reach((self.eye / distance + 1) / 2, (self.eye / max(distance + away * high, 1.0) + 1) / 2)
        z = self.eye / np.maximum(STEPS[rows], 1e-3)[:, None]
        up = (z - distance) / away
        x = STEPS * z - right * up
        share = covered(x, x0, x1, 0.05) * covered(up, 0.0, high, 0.2)
        self.image[:, rows] *= 1 - share * planes(0.46 * np.asarray((1.0, 0.94, 0.84)))

    def plant(self, distance: float, x: float, high: float, plant: Plant, leaves: Colour, bark: Colour) -> None:
        """A tree or bush whose foot is at x; as it was drawn, in colours of its own, lit from where the sun is."""
        half = high / 2
        rows, columns, _ = self.box(distance, x - half, x + half, 0.0, high)
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return
        u = (STEPS[columns] * distance - x) / high
        v = 1 - (self.eye - STEPS[rows] * distance) / high
        share, tone, wood = plant.at(0.5 + (u if self.cast[0] >= 0 else -u), v, 2 * distance / SIDE / high)
        ours = self.seen(leaves, distance)
        colours = ours + (self.seen(bark, distance) - ours) * wood
        warm = 1 + (tone - 0.8) * planes((0.3, 0.1, -0.25))
        haze = planes(self.haze * (distance / (distance + self.clear)))
        self.put((rows, columns, share), (colours - haze) * tone * warm + haze)

    def under(
        self,
        distance: float,
        x0: float,
        x1: float,
        low: float,
        curve: Callable[[Floats], Floats],
        colour: Colour | Floats,
    ) -> None:
        """What lies between a height and a curve of heights over x. colour: (3,), 0 to 255; lengths in metres."""
        columns = _reach((x0 / distance + 1) / 2, (x1 / distance + 1) / 2)
        x = STEPS[columns] * distance
        high = curve(x)
        if not x.size:
            return
        rows, _, _ = self.box(distance, x0, x1, low, float(high.max()))
        y, foot = (self.eye - STEPS[rows] * distance)[:, None], 2 * distance / SIDE
        share = np.clip(np.minimum(high - y, y - low) / foot + 0.5, 0, 1) * covered(x, x0, x1, foot)
        self.put((rows, columns, share), self.seen(colour, distance))

    def ridge(self, distance: float, heights: Floats, colour: Colour, rough: float = 0.25) -> None:
        """Everything below `heights` (SIDE,), metres above the eye's ground, down to the ground."""
        foot = 2 * distance / SIDE
        top = int(np.clip((self.eye - float(heights.max())) / distance * SIDE / 2 + SIDE / 2 - 1, 0, SIDE))
        end = int(np.clip(self.eye / distance * SIDE / 2 + SIDE / 2 + 1, 0, SIDE))
        rows = slice(top, end)
        y = (self.eye - STEPS[rows] * distance)[:, None]
        share = np.clip((heights[None] - y) / foot + 0.5, 0, 1)
        tone = 1 - rough / 2 + rough * (0.6 * self.grain[rows] + 0.4 * self.fine[rows])
        if rough > 0.5:
            tone = tone * (0.62 + 0.5 * np.clip(y / np.maximum(heights[None], 0.1), 0, 1))
        self.put((rows, slice(0, SIDE), share), self.seen(colour, distance) * tone)


def planes(colour: Floats | tuple[float, float, float]) -> Floats:
    """A colour (3,) beside pictures, whose channels are planes of their own. (3, 1, 1)."""
    return np.asarray(colour, np.float64)[:, None, None]


def blur(image: Floats, amount: Floats) -> None:
    """Brings each texel nearer to its neighbours across, then to those above and below. (3, R, C); amount: (R, 1)."""
    for part in image:
        part[:, 1:-1] += (part[:, :-2] + part[:, 2:] - 2 * part[:, 1:-1]) * amount
        part[1:-1] += (part[:-2] + part[2:] - 2 * part[1:-1]) * amount[1:-1]


def covered(at: Floats, low: float, high: float, foot: float | Floats) -> Floats:
    """The share of a texel of width `foot` that lies between low and high. at, foot: of one shape."""
    return (np.minimum(at - low, high - at) / foot + 0.5).clip(0.0, 1.0)


def _reach(low: float, high: float) -> slice:
    """The texels that 0 to 1 of a side touches between low and high, and one more on each side."""
    first, last = int(max(low, 0.0) * SIDE) - 1, int(min(max(high, 0.0), 1.0) * SIDE) + 2
    return slice(min(max(first, 0), SIDE), min(max(last, 0), SIDE))
