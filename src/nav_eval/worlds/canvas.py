"""What exteriors are painted on: one side of a cube of pictures, with things that stand at a distance and face us.

A thing at `distance` m fills columns and rows by its metres: x to the right of the side's middle, y above the ground.
Edges are blended by the share of a texel that they cover, so that far rows of windows do not flicker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nav_eval.worlds.exact import Floats
from nav_eval.worlds.foliage import Plant
from nav_eval.worlds.noise import Colour

SIDE = 768
STEPS: Floats = (np.arange(SIDE) * 2 + 1) / SIDE - 1.0
"""The middles of texels, -1 to 1."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """`image` (SIDE, SIDE, 3), 0 to 255; `eye`: metres above the ground.

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

    def seen(self, colour: Colour | Floats, distance: float) -> Floats:
        """A colour in this light, behind that much air."""
        share = distance / (distance + self.clear)
        return np.asarray(colour, np.float64) * self.light * (1 - share) + self.haze * share

    def box(self, distance: float, x0: float, x1: float, y0: float, y1: float) -> tuple[slice, slice, Floats]:
        """Rows, columns and the coverage of a rectangle's texels."""
        columns = _reach((x0 / distance + 1) / 2, (x1 / distance + 1) / 2)
        rows = _reach(((self.eye - y1) / distance + 1) / 2, ((self.eye - y0) / distance + 1) / 2)
        foot = 2 * distance / SIDE
        x, y = STEPS[columns] * distance, self.eye - STEPS[rows] * distance
        return rows, columns, covered(y, y0, y1, foot)[:, None] * covered(x, x0, x1, foot)

    def put(self, area: tuple[slice, slice, Floats], colour: Floats) -> None:
        """Blend a colour, (3,) or one for each texel, over an area."""
        rows, columns, share = area
        part = self.image[rows, columns]
        part += (colour - part) * share[..., None]

    def rectangle(
        self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour | Floats, rough: float = 0.0
    ) -> None:
        """`rough`: how much the grain changes the brightness."""
        area = self.box(distance, x0, x1, y0, y1)
        tone = 1 - rough / 2 + rough * self.grain[area[0], area[1]]
        self.put(area, self.seen(colour, distance) * tone[..., None] if rough else self.seen(colour, distance))

    def glow(self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour) -> None:
        """A rectangle that shines by itself."""
        self.put(self.box(distance, x0, x1, y0, y1), np.asarray(colour, np.float64))

    def panes(
        self, distance: float, x0: float, x1: float, top: float, cell: tuple[float, float], colours: Floats
    ) -> None:
        """A grid of windows from x0 to x1 and from the ground to `top`, one to a cell (wide, high).

        `colours` (rows, columns, 3) as they are seen, from the ground up.
        """
        rows, columns, share = self.box(distance, x0, x1, 0.0, top)
        u = (STEPS[columns] * distance - x0) / cell[0]
        v = (self.eye - STEPS[rows] * distance) / cell[1]
        i = np.clip(np.floor(u), 0, colours.shape[1] - 1).astype(np.int64)
        j = np.clip(np.floor(v), 0, colours.shape[0] - 1).astype(np.int64)
        foot = 2 * distance / SIDE
        across, up = covered(u - i, 0.2, 0.8, foot / cell[0]), covered(v - j, 0.3, 0.8, foot / cell[1])
        self.put((rows, columns, share * up[:, None] * across), colours[j][:, i])

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
        """A trapezium or triangle from x of `below` at its foot to x of `above`; `courses` m: rows of tiles."""
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
            seen = seen * tone[..., None]
        elif rough:
            seen = seen * (1 - rough / 2 + rough * self.grain[rows, columns])[..., None]
        self.put((rows, columns, share), seen)

    def flank(self, x: float, near: float, far: float, y0: float, y1: float, colour: Colour | Floats) -> None:
        """A wall that goes away from us at x, from a distance to one further off."""
        columns = _reach((min(x / near, x / far) + 1) / 2, (max(x / near, x / far) + 1) / 2)
        at = STEPS[columns]
        if abs(x) < 0.5 or not at.size:
            return
        away = np.clip(x / np.where(at * x > 0, at, x), near, far)
        rows = _reach((min((self.eye - y1) / near, (self.eye - y1) / far) + 1) / 2, ((self.eye - y0) / near + 1) / 2)
        share = covered(self.eye - STEPS[rows][:, None] * away, y0, y1, 2 / SIDE * away)
        edge = covered(at, min(x / near, x / far), max(x / near, x / far), 2 / SIDE)
        tone = 0.94 + 0.12 * self.grain[rows, columns]
        self.put((rows, columns, share * edge), self.seen(colour, near) * tone[..., None])

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
        self.image[rows, columns] *= (1 - share)[..., None]

    def plant(self, distance: float, x: float, high: float, plant: Plant, leaves: Colour, bark: Colour) -> None:
        """A tree or bush whose foot is at x; as it was drawn, in colours of its own."""
        half = high / 2
        rows, columns, _ = self.box(distance, x - half, x + half, 0.0, high)
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return
        u = (STEPS[columns] * distance - x) / high + 0.5
        v = 1 - (self.eye - STEPS[rows] * distance) / high
        share, tone, wood = plant.at(u, v, 2 * distance / SIDE / high)
        ours = self.seen(leaves, distance)
        colours = (ours + (self.seen(bark, distance) - ours) * wood[..., None]) * tone[..., None]
        self.put((rows, columns, share), colours)

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
        self.put((rows, slice(0, SIDE), share), self.seen(colour, distance) * tone[..., None])


def covered(at: Floats, low: float, high: float, foot: float | Floats) -> Floats:
    """The share of a texel of width `foot` that lies between low and high."""
    return np.clip(np.minimum(at - low, high - at) / foot + 0.5, 0.0, 1.0)


def _reach(low: float, high: float) -> slice:
    """The texels that 0 to 1 of a side touches between low and high, and one more on each side."""
    first, last = int(max(low, 0.0) * SIDE) - 1, int(min(max(high, 0.0), 1.0) * SIDE) + 2
    return slice(min(max(first, 0), SIDE), min(max(last, 0), SIDE))
