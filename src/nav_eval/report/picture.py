"""The map of a storey as a picture, for videos, contact sheets and papers: the same as the page's, in Pillow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.geometry import Vec3
from nav_eval.report.fog import reveal
from nav_eval.report.fonts import default_font
from nav_eval.report.plan_painter import paint_plan
from nav_eval.report.storeys import storey_of
from nav_eval.report.topdown import GraphMap, GridMap, Map

WALL, GROUND, STAIRS, PAPER, INK = (139, 145, 156), (251, 251, 249), (228, 223, 207), (245, 246, 248), (26, 28, 32)
REFERENCE, GOAL, START, AGENT, UNSEEN = (130, 206, 166), (242, 194, 0), (42, 107, 214), (229, 33, 74), (44, 48, 56)
EARLY, MIDDLE, LATE = (42, 107, 214), (150, 90, 190), (232, 106, 23)
NICE = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
MARGIN = 1.0


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the world that a picture shows: left, top (x, z in metres) and pixels per metre."""

    left: float
    top: float
    scale: float
    size: int

    def pixel(self, x: float, z: float) -> tuple[float, float]:
        return ((x - self.left) * self.scale, (z - self.top) * self.scale)


@dataclass(frozen=True, slots=True)
class Walk:
    """What is drawn on the map. `yaws` in rad, one per point; `reference` and `goals` in metres."""

    points: Sequence[Vec3]
    yaws: Sequence[float]
    reference: Sequence[Vec3] = ()
    goals: Sequence[Vec3] = ()


def time_colour(share: float) -> tuple[int, int, int]:
    """Early is blue, late is orange."""
    a, b, u = (EARLY, MIDDLE, 2 * share) if share < 0.5 else (MIDDLE, LATE, 2 * share - 1)
    mixed = [round(p + (q - p) * u) for p, q in zip(a, b, strict=True)]
    return (mixed[0], mixed[1], mixed[2])


def window(maps: Sequence[Map], walk: Walk, size: int) -> Window:
    """A square window on the whole building, or on the walk where the building's size is unknown."""
    corners = [corner for one in maps for corner in _corners(one)]
    corners = corners or [(p[0], p[2]) for p in (*walk.points, *walk.reference, *walk.goals)] or [(0.0, 0.0)]
    low, high = np.min(corners, axis=0) - MARGIN, np.max(corners, axis=0) + MARGIN
    side = float(max(*(high - low), 4.0))
    left, top = (low + high - side) / 2
    return Window(float(left), float(top), size / side, size)


def _corners(storey: Map) -> list[tuple[float, float]]:
    if isinstance(storey, GridMap):
        if storey.plan is not None and storey.plan.boxes:
            return [
                corner
                for _, (left, top, right, bottom) in storey.plan.rooms
                for corner in ((left, top), (right, bottom))
            ]
        x, z = storey.origin
        rows, columns = storey.floor.shape
        return [(x, z), (x + columns * storey.meters_per_pixel, z + rows * storey.meters_per_pixel)]
    if isinstance(storey, GraphMap):
        return [(node[0] / 100, node[2] / 100) for node in storey.nodes]
    return []


class MapPainter:
    """Draws one episode's map at any of its steps; what was seen is kept from step to step."""

    def __init__(
        self, maps: Sequence[Map], size: int, *, fog: bool = False, hfov: float = 90.0, language: str = "en"
    ) -> None:
        self._maps = maps
        self._language = language
        self._heights = [one.height for one in maps]
        self._size = size
        self._hfov = hfov
        self._drawn: dict[int, Any] = {}
        self._seen = [np.zeros(m.floor.shape, np.bool_) for m in maps if isinstance(m, GridMap)] if fog else []

    def paint(self, walk: Walk) -> Any:
        """A Pillow image of the storey on which the walk ends, `size` pixels square."""
        from PIL import ImageDraw

        height = walk.points[-1][1] if walk.points else 0.0
        level = storey_of(height, self._heights)
        view = window(self._maps, walk, self._size)
        if level not in self._drawn or self._seen or not self._maps:
            self._drawn[level] = self._building(level, view, walk)
        image = self._drawn[level].copy()
        draw = ImageDraw.Draw(image)
        self._lines(draw, view, walk, level)
        _marks(draw, view, walk)
        for goal in walk.goals:
            if self._here(goal, level):
                _star(draw, view.pixel(goal[0], goal[2]), 6)
        _scale_bar(draw, view)
        return image

    def _here(self, point: Vec3, level: int) -> bool:
        return not self._maps or storey_of(point[1], self._heights) == level

    def _building(self, level: int, view: Window, walk: Walk) -> Any:
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (self._size, self._size), PAPER)
        storey = self._maps[level] if self._maps else None
        if isinstance(storey, GridMap) and storey.plan is not None and not self._seen:
            paint_plan(ImageDraw.Draw(image), storey.plan, view.pixel, view.scale, self._language)
        elif isinstance(storey, GridMap):
            pixels = grid_pixels(storey)
            if self._seen and walk.points:
                self._look(level, storey, walk)
                pixels[~self._seen[level]] = UNSEEN
            _paste(image, storey, pixels, view)
        if isinstance(storey, GraphMap):
            draw = ImageDraw.Draw(image)
            places = [view.pixel(node[0] / 100, node[2] / 100) for node in storey.nodes]
            for a, b in storey.edges:
                draw.line([places[a], places[b]], WALL, 1)
            for x, y in places:
                draw.ellipse([x - 2, y - 2, x + 2, y + 2], WALL)
        return image

    def _look(self, level: int, storey: GridMap, walk: Walk) -> None:
        x, _, z = walk.points[-1]
        reveal(storey, self._seen[level], x, z, walk.yaws[-1], self._hfov)

    def _lines(self, draw: Any, view: Window, walk: Walk, level: int) -> None:
        reference = [view.pixel(p[0], p[2]) for p in walk.reference if self._here(p, level)]
        if len(reference) > 1:
            draw.line(reference, REFERENCE, 9, joint="curve")
        last = max(1, len(walk.points) - 1)
        for i in range(1, len(walk.points)):
            a, b = walk.points[i - 1], walk.points[i]
            if a != b and (self._here(a, level) or self._here(b, level)):
                draw.line([view.pixel(a[0], a[2]), view.pixel(b[0], b[2])], time_colour(i / last), 4)


def grid_pixels(storey: GridMap) -> npt.NDArray[np.uint8]:
    """(rows, columns, 3): wall, stairs and ground of a grid map, one pixel per cell."""
    pixels = np.full((*storey.floor.shape, 3), WALL, np.uint8)
    pixels[storey.stairs] = STAIRS
    pixels[storey.floor] = GROUND
    return pixels


def _paste(image: Any, storey: GridMap, pixels: npt.NDArray[np.uint8], view: Window) -> None:
    from PIL import Image

    x, y = view.pixel(*storey.origin)
    rows, columns = storey.floor.shape
    size = [max(1, round(cells * storey.meters_per_pixel * view.scale)) for cells in (columns, rows)]
    image.paste(Image.fromarray(pixels).resize((size[0], size[1]), Image.Resampling.NEAREST), (round(x), round(y)))


def _marks(draw: Any, view: Window, walk: Walk) -> None:
    if not walk.points:
        return
    _dot(draw, view.pixel(walk.points[0][0], walk.points[0][2]), 5, START)
    x, y = view.pixel(walk.points[-1][0], walk.points[-1][2])
    yaw = walk.yaws[-1]
    ahead, side = (-math.sin(yaw), -math.cos(yaw)), (math.cos(yaw), -math.sin(yaw))
    draw.ellipse([x - 8, y - 8, x + 8, y + 8], outline=AGENT, width=3)  # a ring: a goal shows in it
    tip = (x + 16 * ahead[0], y + 16 * ahead[1])
    wings = [(x + 8 * ahead[0] + k * side[0], y + 8 * ahead[1] + k * side[1]) for k in (5, -5)]
    draw.polygon([tip, *wings], AGENT)


def _star(draw: Any, place: tuple[float, float], size: float) -> None:
    corners = []
    for i in range(10):
        reach, angle = size * (0.45 if i % 2 else 1), i * math.pi / 5
        corners.append((place[0] + reach * math.sin(angle), place[1] - reach * math.cos(angle)))
    draw.polygon(corners, GOAL, (74, 59, 0))


def _dot(draw: Any, place: tuple[float, float], radius: int, colour: tuple[int, int, int]) -> None:
    x, y = place
    draw.ellipse([x - radius, y - radius, x + radius, y + radius], colour, (255, 255, 255))


def scale_length(view: Window) -> float:
    """Metres of the scale bar: the greatest round number that takes at most a third of the picture."""
    return max((metres for metres in NICE if metres * view.scale <= view.size / 3), default=NICE[0])


def _scale_bar(draw: Any, view: Window) -> None:
    metres = scale_length(view)
    y = view.size - 10
    draw.line([(10, y), (10 + metres * view.scale, y)], INK, 3)
    draw.text((12, y - 18), f"{metres:g} m", INK, default_font(13), stroke_width=2, stroke_fill=PAPER)
