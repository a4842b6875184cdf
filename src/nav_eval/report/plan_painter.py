"""A floor plan painted with Pillow: for `nav-eval scene view --kind plan` and for videos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from nav_eval.report.fonts import font_for
from nav_eval.report.plan import Box, Plan
from nav_eval.report.words import named

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Colour = tuple[int, int, int]
Place = Callable[[float, float], tuple[float, float]]
"""Pixel of a point's x and z (metres)."""

PAPER: Colour = (250, 248, 244)
FLOOR: Colour = (255, 255, 255)
INK: Colour = (40, 40, 44)
_WALL: Colour = (70, 66, 62)
_STAIRS: Colour = (228, 222, 207)
_RIM = 0.12
"""Metres: how thick a wall is drawn beside a room."""
_TINTS: dict[str, Colour] = {
    "living room": (250, 232, 206), "kitchen": (222, 238, 222), "dining room": (246, 224, 214),
    "bedroom": (222, 230, 246), "bathroom": (212, 238, 242), "study": (238, 230, 214), "hallway": (240, 240, 238),
    "foyer": (244, 242, 226),
    "stairs": (228, 222, 216), "laundry room": (226, 236, 240), "storage room": (232, 226, 220),
}  # fmt: skip


def paint_plan(draw: ImageDraw, plan: Plan, place: Place, scale: float, language: str = "en") -> None:
    """Rooms with their names, doors, windows and furniture, or the floor with its walls; `scale`: pixels per metre."""
    if plan.boxes:
        _rooms(draw, plan, place)
    else:
        _floors(draw, plan, place, scale)
    for room, box in plan.rooms:
        left, top, right, bottom = _pixels(box, place)
        name, size = named(language, "room", room), max(9, round(scale / 4))
        if draw.textlength(name, font=font_for(name, size)[0]) < right - left + size:
            label(draw, ((left + right) / 2, (top + bottom) / 2), name, size, centred=True)


def label(draw: ImageDraw, at: tuple[float, float], text: str, size: int, centred: bool = False) -> None:
    """Words with a pale rim."""
    anchor = "mm" if centred else "la"
    draw.text(at, text, fill=INK, font=font_for(text, size)[0], anchor=anchor, stroke_width=2, stroke_fill=FLOOR)


def _rooms(draw: ImageDraw, plan: Plan, place: Place) -> None:
    for _, box in plan.rooms:
        draw.rectangle(_pixels(box, place, _RIM), fill=_WALL)
    for kind, box in plan.things:
        if kind == "door":  # below the rooms: its box holds the leaf, too, however far it stands open
            draw.rectangle(_pixels(box, place), fill=FLOOR)
    for name, box in plan.rooms:
        draw.rectangle(_pixels(box, place), fill=_TINTS.get(name, FLOOR))
    for kind, box in plan.things:
        if kind != "door":
            _thing(draw, kind, _pixels(box, place))


def _pixels(box: Box, place: Place, grow: float = 0.0) -> Box:
    left, top, right, bottom = box
    return *place(left - grow, top - grow), *place(right + grow, bottom + grow)


def _thing(draw: ImageDraw, kind: str, area: Box) -> None:
    if kind == "window":
        draw.rectangle(area, fill=(150, 200, 232))
    elif kind == "rug":
        draw.rectangle(area, outline=(190, 160, 130))
    elif kind == "plant":
        draw.ellipse(area, fill=(150, 190, 140), outline=(90, 130, 80))
    else:
        draw.rectangle(area, fill=(226, 214, 196), outline=(140, 124, 104))


def _floors(draw: ImageDraw, plan: Plan, place: Place, scale: float) -> None:
    """Polygons grown by the agent's radius; the walls are a rim round all of them."""
    _draw_wide(draw, [*plan.floor, *plan.stairs], place, (plan.radius + _RIM) * scale, _WALL)
    _draw_wide(draw, plan.stairs, place, plan.radius * scale, _STAIRS)
    _draw_wide(draw, plan.floor, place, plan.radius * scale, FLOOR)


def _draw_wide(draw: ImageDraw, polygons: Sequence[npt.NDArray[Any]], place: Place, by: float, colour: Colour) -> None:
    for polygon in polygons:
        corners = [place(float(x), float(z)) for x, z in polygon]
        draw.polygon(corners, fill=colour)
        draw.line([*corners, corners[0], corners[1]], fill=colour, width=max(1, round(2 * by)), joint="curve")
