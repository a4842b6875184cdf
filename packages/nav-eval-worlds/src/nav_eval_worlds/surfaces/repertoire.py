"""All kinds of artwork, which of them hang in homes and in offices, and what they are called as materials."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.surfaces import graphics, paintings, photographs
from nav_eval_worlds.surfaces.easel import Easel
from nav_eval_worlds.surfaces.noise import Colour

KINDS: tuple[Callable[[Easel], None], ...] = (
    paintings.hills, paintings.mountains, paintings.sea, paintings.woods, paintings.street, paintings.portrait,
    paintings.flowers, paintings.fruit, paintings.botanical, paintings.chart_map, paintings.lettering,
    paintings.arches, paintings.shapes, paintings.fields, paintings.strokes, paintings.line_art, paintings.crayons,
    paintings.family_photo, paintings.bird, graphics.calligraphy, graphics.city_map, graphics.contours,
    graphics.floor_plan, graphics.marbling, graphics.pattern, graphics.travel_poster, photographs.villa,
    photographs.street_photo, photographs.towers, photographs.colonnade, photographs.room_photo,
    photographs.still_photo,
)  # fmt: skip
HOMELY = frozenset(
    (paintings.portrait, paintings.flowers, paintings.fruit, paintings.crayons, paintings.family_photo, paintings.bird)
)
"""No office hangs these: faces, still lifes, children's drawings."""


def kinds_of(building: Kind) -> tuple[int, ...]:
    """The numbers of the kinds that hang in a home or an office."""
    return tuple(k for k, kind in enumerate(KINDS) if building == "home" or kind not in HOMELY)


def artwork(stream: Stream, kind: int, upright: bool, colours: Sequence[Colour]) -> Floats:
    """(H, W, 3), 0 to 255, of an artwork of a kind, standing or lying, in the home's colours."""
    easel = Easel(stream, upright, colours)
    KINDS[kind](easel)
    return easel.image


def art_name(serial: int, kind: int, upright: bool) -> str:
    """The material of a building's artwork: `serial` counts them."""
    return f"art{(serial * len(KINDS) + kind) * 2 + upright}"


def art_of(number: int) -> tuple[int, bool]:
    """Kind and whether it stands, of the number in a material's name."""
    return number // 2 % len(KINDS), number % 2 == 1
