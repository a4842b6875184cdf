"""Which material of a world looks how: each building draws its own from its style's ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.surfaces.artworks import ARTISTS, rug
from nav_eval_worlds.surfaces.detail import detailed
from nav_eval_worlds.surfaces.noise import Colour, to_texels
from nav_eval_worlds.surfaces.prints import SHEETS
from nav_eval_worlds.surfaces.repertoire import art_of, artwork
from nav_eval_worlds.surfaces.styles import Style
from nav_eval_worlds.surfaces.textures import PAINTERS, SCALES

CARPETS: tuple[Colour, ...] = ((172, 160, 142), (132, 136, 142), (150, 130, 112), (110, 120, 138), (186, 176, 160))
OFFICE_CARPETS: tuple[Colour, ...] = ((112, 116, 122), (88, 98, 112), (126, 120, 112), (98, 108, 102), (104, 96, 100))
GLOWING = frozenset(("glow", "shade", "facade", "facade_trim", "roof", "screen", "fire", "net", "pane"))
"""Materials that no baked light falls on: they shine by themselves, or stand outside."""
REFLECTION = "reflection"
"""Of the materials that show a picture of their room, before the number."""
_WALLS = 6
"""Numbers of wall materials: the last is the accent that one or two rooms have."""
_TINTED = 60
"""Percent of a home's further wall colours that are the stronger one of two."""
_PAPERS = ("stripes", "circles", "diamonds", "damask", "leaves", "botanic", "grasscloth", "blossoms", "trellis")
"""Kinds of a home's second wallpaper."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A texture by its painter, colour and metres per repeat (0 = its coordinates run from 0 to 1 already)."""

    painter: str
    colour: Colour = (255, 255, 255)
    scale: float = 0.0
    number: int = 0


def _paint(painter: str, colour: Colour, number: int = 0) -> Paint:
    return Paint(painter, colour, SCALES[painter], number)


def _facade(stream: Stream) -> Paint:
    """Brick, boards, or render."""
    kind = stream.below(3)
    if kind == 0:
        return _paint("brick", stream.choice(((158, 88, 68), (176, 120, 88), (140, 84, 70), (196, 184, 164))))
    if kind == 1:
        return _paint("boards", stream.choice(((196, 200, 198), (124, 96, 72), (112, 130, 138), (150, 66, 54))))
    return _paint("render", stream.choice(((220, 204, 172), (204, 172, 134), (206, 206, 200), (176, 188, 180))))


def _board(colour: Colour) -> Paint:
    """Veneer; white wood is painted."""
    return _paint("smooth" if min(colour) > 210 else "wood", colour)


def _pale(colour: Colour) -> Colour:
    """Paint with a little of a colour in it."""
    red, green, blue = (176 + 62 * channel // 255 for channel in colour)
    return red, green, blue


def _muted(colour: Colour) -> Colour:
    """Paint that one sees is of a colour."""
    red, green, blue = (126 + 96 * channel // 255 for channel in colour)
    return red, green, blue


def _deep(colour: Colour) -> Colour:
    """Dark paint, as a study has."""
    red, green, blue = (34 + 128 * channel // 255 for channel in colour)
    return red, green, blue


def glows(material: str) -> bool:
    """Whether no baked light falls on a material."""
    return material in GLOWING or material.startswith(REFLECTION)


class Palette:
    """Materials by name. `paint(name)` is the same whatever was asked before."""

    def __init__(self, seed: str, kind: str, style: Style) -> None:
        stream = Stream("world", seed, kind, "palette")
        self._stream, self.style = stream, style
        main, second = stream.choice(style.woods)
        self._fixed: dict[str, Paint] = {
            "wood": _board(main),
            "wood2": _board(second),
            "white": _paint("smooth", (236, 234, 228)),
            "front": _paint("smooth", stream.choice(style.fronts)),
            "metal": _paint("metal", (190, 192, 194)),
            "metal2": _paint("metal", stream.choice(style.metals)),
            "dark": _paint("smooth", (52, 52, 56)),
            "seal": _paint("smooth", (58, 62, 64)),
            "lacquer": _paint("smooth", (24, 24, 26)),
            "ceramic": _paint("smooth", (243, 243, 240)),
            "basin": _paint("smooth", (214, 216, 216)),
            "glass": _paint("smooth", (178, 200, 204)),
            "water": _paint("water", (46, 120, 150)),
            "counter": _paint(*stream.choice(style.counters)),
            "stone": _paint("stone", stream.choice(style.stones)),
            "marble": _paint("marble", stream.choice(((236, 234, 230), (62, 64, 66), (206, 196, 184)))),
            "brick": _paint("brick", stream.choice(((168, 96, 74), (206, 200, 190), (120, 92, 80)))),
            "leather": _paint("leather", stream.choice(style.leathers)),
            "sheet": _paint("linen", stream.choice(((240, 237, 230), (236, 234, 230), (226, 222, 212)))),
            "towel": _paint("terry", stream.child("towel").choice(((240, 238, 232), *style.accents))),
            "curtain": _paint("drapery", stream.choice(style.curtains)),
            "felt": _paint("smooth", stream.choice(((36, 110, 74), (40, 84, 130)))),
            "leaf": _paint("leaf", stream.choice(((78, 122, 62), (58, 104, 64), (98, 132, 66)))),
            "leaf2": _paint("leaf", stream.choice(((92, 118, 84), (120, 144, 84), (64, 96, 74)))),
            "soil": _paint("rough", (70, 52, 40)),
            "pot": _paint("rough", stream.choice(((184, 106, 74), (110, 112, 116), (220, 212, 200), (64, 62, 62)))),
            "fruit": _paint("rough", stream.choice(((214, 120, 40), (196, 60, 44), (150, 176, 60)))),
            "cardboard": _paint("rough", (190, 152, 108)),
            "basket": _paint("basket", stream.choice(((202, 168, 120), (178, 138, 92), (214, 190, 152)))),
            "frame": _paint("smooth", (240, 238, 232)),
            "door": _paint("smooth", (238, 234, 226)) if stream.chance(style.painted_doors) else _board(main),
            "ceiling": _paint("plaster", (246, 244, 238)),
            "wall_tile": _paint(
                stream.choice(("wall_tiles", "square_tiles", "wall_tiles", "zellige")),
                stream.choice(((236, 238, 236), (214, 224, 222), (228, 220, 208), (196, 210, 202), *style.stones)),
            ),
            "wall_tile2": _paint(stream.choice(("wall_tiles", "zellige", "hex_tiles")), stream.choice(style.accents)),
            "floor_wood": _paint(stream.choice(style.floors), stream.choice(style.boards)),
            "floor_tile": _paint(stream.choice(style.tiles), stream.choice(style.stones)),
            "floor_tile2": _paint(stream.choice(("floor_tiles", *style.tiles)), stream.choice(style.stones)),
            "floor_carpet": _paint("carpet_tiles", stream.choice(OFFICE_CARPETS))
            if kind == "office"
            else _paint("carpet", stream.choice(CARPETS)),
            "floor_stair": _board(main),
            "facade": _facade(stream.child("facade")),
            "facade_trim": _paint("render", (244, 242, 236)),
            "roof": _paint("rough", stream.child("roof").choice(((150, 84, 66), (104, 100, 102), (126, 82, 66)))),
            "screen": Paint("screen"),
            "books": Paint("books"),
            "mirror": Paint("mirror"),
            "board": Paint("board"),
            "fire": Paint("fire"),
            "glow": Paint("glow", scale=0.5),
            "shade": Paint("lampshade", scale=0.4),
            "net": _paint("sheer", (246, 245, 241)),
            "pane": _paint("rough", (222, 227, 228)),
            "frosted": _paint("smooth", (212, 226, 228)),
            "digits": Paint("digits"),
            "tints": Paint("tints"),
            "prints": Paint("prints"),
        }
        fabrics, accents = stream.shuffled(style.fabrics), stream.shuffled(style.accents)
        weaves = [stream.choice(("fabric", "fabric", "boucle", "velvet", "linen")) for _ in range(4)]
        for k, colour in enumerate((*fabrics[:2], *accents[:2])):
            self._fixed[f"fabric{k}"] = _paint(weaves[k], colour)
        self._fixed["throw"] = _paint(stream.choice(("knit", "plaid", "ticking")), accents[-1])
        walls = stream.shuffled(style.walls)
        painter, colours = stream.choice(style.features)
        accent = _paint(painter, stream.choice(colours), _WALLS - 1)
        tone = stream.child("paints")
        first, second, third = tone.shuffled(style.accents)[:3]
        tints = (_pale(first), walls[1]), (_muted(second), _pale(second)), (_deep(third), _muted(third))
        one, two, three = (pair[not tone.chance(_TINTED)] for pair in tints)
        plain = [_paint("plaster", colour, k) for k, colour in enumerate((walls[0], one, walls[1], two, three))]
        self._walls = [*plain, accent]
        panel = tone.choice((walls[1], (238, 236, 230), (238, 236, 230), one, two, three))
        self._fixed["wainscot"] = _paint(tone.choice(("wainscot", "wainscot", "beadboard")), panel)
        self._fixed["panel"] = _paint("smooth", panel)
        grounds = (walls[0], one, stream.choice(style.fabrics)), (walls[1], _pale(third), _muted(first))
        self._papers = [
            _paint(tone.choice(names), tone.choice(ground), k)
            for k, (names, ground) in enumerate(zip((style.papers, _PAPERS), grounds, strict=True))
        ]

    def paint(self, name: str) -> Paint:
        """KeyError for a name that no palette has."""
        if name.startswith(REFLECTION):
            return self._fixed["mirror"]
        numbered = re.fullmatch(r"(art|rug|wall|paper)(\d+)", name)
        if numbered is None:
            return self._fixed[name]
        family, number = numbered[1], int(numbered[2])
        if family == "wall":
            return self._walls[number % _WALLS]
        if family == "paper":
            return self._papers[number % 2]
        return Paint("picture" if family == "art" else "rug", number=number)

    @cached_property
    def _mirror(self) -> NDArray[np.uint8]:
        """What each reflection is before it has a picture. Not to be changed."""
        return self.texels("mirror")

    def texels(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) uint8 sRGB of a material's texture."""
        paint = self.paint(name)
        if name.startswith(REFLECTION):
            return self._mirror
        stream = self._stream.child("texture", name)
        if paint.painter == "rug":
            kinds = self.style.rugs
            colours = (*self.style.accents, *self.style.fabrics)
            return to_texels(rug(stream, kinds[paint.number % len(kinds)], colours))
        if paint.painter == "picture":
            return to_texels(artwork(stream, *art_of(paint.number), (*self.style.accents, *self.style.fabrics)))
        artist = ARTISTS.get(paint.painter) or SHEETS.get(paint.painter)
        if artist:
            return to_texels(artist(stream))
        return detailed(PAINTERS[paint.painter](stream, paint.colour), paint.painter, paint.scale)
