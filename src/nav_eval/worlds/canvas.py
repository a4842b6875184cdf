"""What exteriors are painted on: one side of a cube of pictures, with things that stand at a distance and face us.

A thing at `distance` m fills columns and rows by its metres: x to the right of the side's middle, y above the ground.
Edges are blended by the share of a texel that they cover, so that far rows of windows do not flicker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nav_eval.worlds.exact import Floats
from nav_eval.worlds.noise import Colour

SIDE = 512
STEPS: Floats = (np.arange(SIDE) * 2 + 1) / SIDE - 1.0
"""The middles of texels, -1 to 1."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """`image` (SIDE, SIDE, 3), 0 to 255; `eye`: metres above the ground; `grain` (SIDE, SIDE) noise, 0 to 1.

    `light` (3,) falls on what faces us on this side, `haze` (3,) is the horizon's colour, which distance mixes in.
    """

    image: Floats
    eye: float
    grain: Floats
    light: Floats
    haze: Floats
    clear: float
    """Metres at which half of a colour is haze."""

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

    def gable(self, distance: float, x0: float, x1: float, y0: float, y1: float, colour: Colour) -> None:
        """A triangle on the base y0 with its tip at y1."""
        rows, columns, _ = self.box(distance, x0, x1, y0, y1)
        x, y = STEPS[columns] * distance, self.eye - STEPS[rows] * distance
        foot = 2 * distance / SIDE
        half = ((x1 - x0) / 2 * (y1 - y) / (y1 - y0))[:, None]
        share = np.clip((half - np.abs(x - (x0 + x1) / 2)) / foot + 0.5, 0, 1) * covered(y, y0, y1, foot)[:, None]
        self.put((rows, columns, share), self.seen(colour, distance))

    def crown(self, distance: float, x: float, y: float, wide: float, high: float, colour: Colour) -> None:
        """A tree's leaves round (x, y): a ragged ellipse, brighter above."""
        rows, columns, _ = self.box(distance, x - wide, x + wide, y - high, y + high)
        dx, dy = (STEPS[columns] * distance - x) / wide, (self.eye - STEPS[rows] * distance - y)[:, None] / high
        grain = self.grain[rows, columns]
        share = np.clip((1.25 - (dx * dx + dy * dy) - grain * 1.1) * 5, 0, 1)
        tone = 0.55 + 0.75 * self.grain.T[rows, columns] + 0.22 * dy
        self.put((rows, columns, share), self.seen(colour, distance) * tone[..., None])

    def ridge(self, distance: float, heights: Floats, colour: Colour, rough: float = 0.25) -> None:
        """Everything below `heights` (SIDE,), metres above the eye's ground, down to the ground."""
        foot = 2 * distance / SIDE
        top = int(np.clip((self.eye - float(heights.max())) / distance * SIDE / 2 + SIDE / 2 - 1, 0, SIDE))
        end = int(np.clip(self.eye / distance * SIDE / 2 + SIDE / 2 + 1, 0, SIDE))
        rows = slice(top, end)
        y = (self.eye - STEPS[rows] * distance)[:, None]
        share = np.clip((heights[None] - y) / foot + 0.5, 0, 1)
        tone = 1 - rough / 2 + rough * self.grain[rows]
        self.put((rows, slice(0, SIDE), share), self.seen(colour, distance) * tone[..., None])


def covered(at: Floats, low: float, high: float, foot: float) -> Floats:
    """The share of a texel of width `foot` that lies between low and high."""
    return np.clip(np.minimum(at - low, high - at) / foot + 0.5, 0.0, 1.0)


def _reach(low: float, high: float) -> slice:
    """The texels that 0 to 1 of a side touches between low and high, and one more on each side."""
    first, last = int(max(low, 0.0) * SIDE) - 1, int(min(max(high, 0.0), 1.0) * SIDE) + 2
    return slice(min(max(first, 0), SIDE), min(max(last, 0), SIDE))
