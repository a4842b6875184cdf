"""Which material of a world looks how: each home draws its woods, wall colours and fabrics from its seed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.worlds.artworks import ARTISTS
from nav_eval.worlds.exact import Stream
from nav_eval.worlds.noise import Colour, to_texels
from nav_eval.worlds.prints import SHEETS
from nav_eval.worlds.textures import PAINTERS, SCALES

WOODS: tuple[Colour, ...] = (
    (206, 164, 116),
    (128, 86, 56),
    (222, 188, 140),
    (178, 140, 104),
    (164, 100, 64),
    (92, 64, 48),
)
FLOORS: tuple[Colour, ...] = ((196, 150, 102), (150, 104, 68), (214, 178, 132), (176, 146, 112), (122, 84, 58))
WALLS: tuple[Colour, ...] = (
    (238, 230, 214), (232, 224, 208), (222, 226, 214), (226, 216, 200), (212, 222, 226), (240, 222, 196),
    (228, 208, 196), (206, 214, 196), (236, 232, 226),
)  # fmt: skip
FABRICS: tuple[Colour, ...] = (
    (206, 196, 178), (132, 134, 140), (62, 78, 110), (134, 150, 120), (184, 104, 76), (202, 160, 74), (66, 114, 118),
    (204, 158, 146), (92, 84, 80), (168, 178, 188), (150, 70, 70),
)  # fmt: skip
TILES: tuple[Colour, ...] = ((214, 206, 192), (190, 186, 180), (224, 220, 212), (170, 160, 148))
CARPETS: tuple[Colour, ...] = ((172, 160, 142), (132, 136, 142), (150, 130, 112), (110, 120, 138), (186, 176, 160))
FRONTS: tuple[Colour, ...] = ((232, 228, 220), (116, 136, 124), (84, 100, 122), (206, 190, 164), (96, 98, 100))
GLOWING = frozenset(("glow", "shade", "facade", "roof", "screen"))
"""Materials that no baked light falls on: they shine by themselves, or stand outside."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A texture by its painter, colour and metres per repeat (0 = its coordinates run from 0 to 1 already)."""

    painter: str
    colour: Colour = (255, 255, 255)
    scale: float = 0.0
    number: int = 0


def _paint(painter: str, colour: Colour, number: int = 0) -> Paint:
    return Paint(painter, colour, SCALES[painter], number)


class Palette:
    """Materials by name. `paint(name)` is the same whatever was asked before."""

    def __init__(self, seed: str, kind: str) -> None:
        stream = Stream("world", seed, kind, "palette")
        self._stream = stream
        woods, fabrics = stream.shuffled(WOODS), stream.shuffled(FABRICS)
        self._fixed: dict[str, Paint] = {
            "wood": _paint("wood", woods[0]),
            "wood2": _paint("wood", woods[1]),
            "white": _paint("smooth", (236, 234, 228)),
            "front": _paint("smooth", stream.choice(FRONTS)),
            "metal": _paint("metal", (190, 192, 194)),
            "dark": _paint("smooth", (52, 52, 56)),
            "ceramic": _paint("smooth", (243, 243, 240)),
            "basin": _paint("smooth", (214, 216, 216)),
            "glass": _paint("smooth", (178, 200, 204)),
            "counter": _paint(
                "stone", stream.choice(((206, 200, 190), (74, 74, 78), (150, 144, 136), (226, 222, 214)))
            ),
            "leather": _paint("leather", stream.choice(((112, 70, 48), (60, 52, 50), (176, 134, 96)))),
            "sheet": _paint("fabric", (240, 236, 228)),
            "curtain": _paint("fabric", stream.choice(((226, 216, 198), *FABRICS[:4], (230, 226, 220)))),
            "leaf": _paint("leaf", stream.choice(((78, 128, 66), (60, 110, 70), (104, 140, 70)))),
            "soil": _paint("rough", (70, 52, 40)),
            "pot": _paint("rough", stream.choice(((184, 106, 74), (110, 112, 116), (220, 212, 200)))),
            "fruit": _paint("rough", stream.choice(((214, 120, 40), (196, 60, 44), (150, 176, 60)))),
            "cardboard": _paint("rough", (190, 152, 108)),
            "basket": _paint("basket", (202, 168, 120)),
            "frame": _paint("smooth", (240, 238, 232)),
            "door": _paint("wood", woods[0]) if stream.chance(50) else _paint("smooth", (238, 234, 226)),
            "ceiling": _paint("plaster", (246, 244, 238)),
            "wall_tile": _paint(
                "wall_tiles", stream.choice(((236, 238, 236), (206, 222, 222), (226, 216, 202), (190, 206, 196)))
            ),
            "wall_tile2": _paint("wall_tiles", stream.choice(((120, 150, 156), (230, 230, 226), (150, 160, 150)))),
            "floor_wood": _paint(stream.choice(("planks", "planks", "parquet")), stream.choice(FLOORS)),
            "floor_tile": _paint(stream.choice(("floor_tiles", "checker_tiles")), stream.choice(TILES)),
            "floor_tile2": _paint("floor_tiles", stream.choice(TILES)),
            "floor_carpet": _paint("carpet", stream.choice(CARPETS)),
            "floor_stair": _paint("wood", woods[0]),
            "facade": _paint("plaster", stream.child("facade").choice(WALLS)),
            "roof": _paint("rough", stream.child("roof").choice(((150, 84, 66), (104, 100, 102), (126, 82, 66)))),
            "screen": Paint("screen"),
            "books": Paint("books"),
            "mirror": Paint("mirror"),
            "board": Paint("board"),
            "glow": Paint("glow", scale=0.5),
            "shade": Paint("lampshade", scale=0.4),
            "frosted": _paint("smooth", (212, 226, 228)),
            "digits": Paint("digits"),
            "tints": Paint("tints"),
            "prints": Paint("prints"),
        }
        for k in range(4):
            self._fixed[f"fabric{k}"] = _paint("fabric", fabrics[k])
        self._walls = stream.shuffled(WALLS)

    def paint(self, name: str) -> Paint:
        """KeyError for a name that no palette has."""
        numbered = re.fullmatch(r"(art|rug|wall|paper)(\d+)", name)
        if numbered is None:
            return self._fixed[name]
        family, number = numbered[1], int(numbered[2])
        if family in ("wall", "paper"):
            return _paint(
                "plaster" if family == "wall" else "wallpaper", self._walls[number % len(self._walls)], number
            )
        return Paint("picture" if family == "art" else "rug", number=number)

    def texels(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) uint8 of a material's texture."""
        paint = self.paint(name)
        stream = self._stream.child("texture", name)
        artist = ARTISTS.get(paint.painter) or SHEETS.get(paint.painter)
        if artist:
            return to_texels(artist(stream))
        return to_texels(PAINTERS[paint.painter](stream, paint.colour))
