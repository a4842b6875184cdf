"""What stands around a building: streets, facades, gardens, woods, suburbs, towers, fields and the sea.

Each painter draws one side of the view from far to near; `turn` is 0 for the side that its site calls its front, and
counts on to the left. What is lit in the evening shines by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.outside.buildings import Form, house, row
from nav_eval_worlds.outside.canvas import Canvas
from nav_eval_worlds.outside.grounds import Ground, city, crops, forest_floor, lawn, meadow, shore, street_ground, yard
from nav_eval_worlds.outside.outdoors import (
    GREENS,
    bushes,
    cars,
    fence,
    flowers,
    hedge,
    hills,
    lamp,
    pickets,
    posts,
    shed,
    tree,
    treeline,
    trees,
)
from nav_eval_worlds.outside.towers import tower

Site = Callable[[Canvas, Stream, int], None]
"""(canvas, stream of the side, turn)."""
_FORMS: tuple[Form, ...] = ("eaves", "eaves", "gable")


def _neighbours(c: Canvas, s: Stream, distance: float, floors: tuple[int, int]) -> None:
    """Houses with gardens between them, the outermost first."""
    x = -distance - s.between(0, 600) / 100
    plots: list[tuple[float, float]] = []
    while x < distance:
        wide = s.between(620, 1050) / 100
        plots.append((x, x + wide))
        x += wide + s.between(300, 1100) / 100
    for x0, x1 in sorted(plots, key=lambda plot: -abs(plot[0] + plot[1])):
        house(c, s, (distance, x0, x1), s.between(*floors), "eaves" if x1 - x0 > 8.5 else s.choice(_FORMS))


def _border(c: Canvas, s: Stream, distance: float) -> None:
    """Where a garden ends."""
    if s.chance(50):
        fence(c, s, distance)
        bushes(c, s, distance - 0.7, s.between(3, 8))
    else:
        hedge(c, s, distance, s.between(110, 190) / 100)


def street(c: Canvas, s: Stream, turn: int) -> None:
    treeline(c, s, 90.0, 9.0, GREENS[3])
    if turn == 0:
        row(c, s, 19.0, (2, 3), False, 30)
        bushes(c, s, 18.4, 4)
        trees(c, s, 17.0, 2, 0)
        cars(c, s, 14.6)
        for x in (-9.0, 5.0):
            lamp(c, 15.8, x)
        c.soften()
        if s.chance(60):
            pickets(c, s, 6.8, -6.8, -1.2)
            pickets(c, s, 6.8, 0.6, 6.8)
        bushes(c, s, 6.4, 2)
        return
    trees(c, s, 44.0, 5)
    _neighbours(c, s, 34.0 if turn == 2 else 24.0, (1, 2))
    trees(c, s, 20.0, 4)
    c.soften()
    _border(c, s, 13.5)
    if turn == 2:
        shed(c, s, 12.4, s.between(-80, 80) / 10)
        flowers(c, s, 9.0, 1.0, 4.5)
    trees(c, s, 11.0, s.below(2))
    bushes(c, s, 9.0, 2)


def facade(c: Canvas, s: Stream, turn: int) -> None:
    """Blocks of flats close by, as round a yard."""
    distance = (12.0, 18.0, 14.0, 21.0)[turn]
    row(c, s, distance, (4, 6), True, 25)
    bushes(c, s, distance - 0.8, 5)
    c.soften()
    if turn % 2:
        cars(c, s, distance - 2.6)
        lamp(c, distance - 4.0, s.between(-60, 60) / 10)
        trees(c, s, 9.5, 1, 0)
    else:
        trees(c, s, distance - 2.5, 2, 0)
        lamp(c, distance - 3.0, s.between(-60, 60) / 10)
        bushes(c, s, 7.0, 3)


def garden(c: Canvas, s: Stream, turn: int) -> None:
    treeline(c, s, 60.0, 9.0, GREENS[1])
    if turn % 2 == 0:
        _neighbours(c, s, 36.0, (1, 2))
    trees(c, s, 18.0, s.between(4, 8))
    c.soften()
    _border(c, s, 11.0)
    if turn % 2:
        shed(c, s, 10.2, s.between(-70, 70) / 10)
    bushes(c, s, 9.4, 4)
    start = s.between(-60, 20) / 10
    flowers(c, s, 7.6, start, start + 3.5)
    trees(c, s, 7.0, s.between(0, 1), 0)


def woods(c: Canvas, s: Stream, turn: int) -> None:
    treeline(c, s, 70.0, 15.0, GREENS[3])
    treeline(c, s, 48.0, 10.0, GREENS[1])
    for distance, count in ((38.0, 14), (27.0, 14), (18.0, 9)):
        trees(c, s, distance, count, 40)
        bushes(c, s, distance - 2, 6)
        c.soften()
    bushes(c, s, 13.0, 8)
    trees(c, s, 11.0, s.between(1, 3), 40)
    bushes(c, s, 8.0, 3)


def suburb(c: Canvas, s: Stream, turn: int) -> None:
    treeline(c, s, 80.0, 8.0, GREENS[2])
    trees(c, s, 44.0, 7)
    _neighbours(c, s, 23.0, (1, 2))
    bushes(c, s, 22.0, 7)
    trees(c, s, 18.0, 3)
    c.soften()
    if turn == 0:
        cars(c, s, 14.0)
        lamp(c, 12.6, s.between(-90, 90) / 10)
        pickets(c, s, 7.0, -7.0, 1.0)
    else:
        _border(c, s, 11.0)
        flowers(c, s, 9.6, -3.0, 1.0)
    bushes(c, s, 8.0, 2)


def towers(c: Canvas, s: Stream, turn: int) -> None:
    """A skyline that fades, the roofs of lower blocks before it, and some tall neighbours."""
    for distance, count, high in ((1500.0, 30, 170), (1000.0, 30, 120), (640.0, 24, 60), (430.0, 22, 95),
                                  (300.0, 22, 26), (215.0, 13, 60), (150.0, 13, 20), (112.0, 8, 34),
                                  (84.0, 6, 16), (62.0, 4, 11)):  # fmt: skip
        starts = sorted((s.between(-105, 100) / 100 * distance for _ in range(count)), key=lambda x: -abs(x))
        for x in starts:
            tower(c, s, distance, x, s.between(14, 34), high * s.between(35, 125) / 100)
        if distance > 250:
            c.soften()
        elif distance < 220:
            for _ in range(9):
                tree(c, s, distance * 0.93, s.between(-98, 98) / 100 * distance, 0)


def fields(c: Canvas, s: Stream, turn: int) -> None:
    hills(c, s, 900.0, 110.0, (112, 130, 112))
    hills(c, s, 420.0, 44.0, (120, 138, 94))
    treeline(c, s, 190.0, 9.0, GREENS[1])
    if turn % 2:
        house(c, s, (120.0, 10.0, 22.0), 2, "eaves")
        house(c, s, (112.0, -6.0, 1.0), 1, "gable")
    trees(c, s, 70.0, s.between(3, 9))
    trees(c, s, 45.0, s.between(1, 4))
    c.soften()
    bushes(c, s, 30.0, 8)
    posts(c, 13.0)
    trees(c, s, 12.0, s.between(0, 1))
    bushes(c, s, 12.6, 4)


def coast(c: Canvas, s: Stream, turn: int) -> None:
    if turn == 0:
        hills(c, s, 2500.0, 60.0, (120, 132, 142))
    elif turn == 2:
        treeline(c, s, 60.0, 7.0, GREENS[2])
        _neighbours(c, s, 34.0, (1, 2))
    else:
        treeline(c, s, 110.0, 6.0, GREENS[2])
        trees(c, s, 30.0, 4)
        bushes(c, s, 20.0, 8)
    c.soften()
    bushes(c, s, 16.0, 6)
    if turn != 0:
        bushes(c, s, 12.0, 5)
    posts(c, 9.0)


SITES: dict[str, tuple[Site, Ground]] = {
    "street": (street, street_ground),
    "facade": (facade, yard),
    "garden": (garden, lawn),
    "woods": (woods, forest_floor),
    "suburb": (suburb, meadow),
    "towers": (towers, city),
    "fields": (fields, crops),
    "coast": (coast, shore),
}
"""Painter of a side, and the ground, by the site's name."""
