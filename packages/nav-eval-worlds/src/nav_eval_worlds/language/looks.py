"""How things look: colour, material and size in words, where they are certain; else no word.

A colour is read from the textures that the scene really has, texel by texel: a thing is called brown if most of its
surface is covered with textures that are nearly all brown. Light that is baked into a scene does not count. Sums are
of integers, so that the words are the same on every machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Material, Scene, SemanticObject
from nav_eval_worlds.language.kinds import having, size_word

MATERIALS: Mapping[str, str] = {
    "wood": "wooden", "leather": "leather", "metal": "metal", "basket": "wicker",
}  # fmt: skip
"""Of a scene's materials, without their numbers."""
PATTERNED, _OUTLINED, _UPRIGHT = map(having, ("patterned", "outlined", "upright"))
_OF_WOOD = frozenset(("", "dark brown", "brown", "light brown", "beige", "orange", "yellow"))
_TEXELS, _SURFACE = 0.7, 0.6
"""Shares of a texture and of a thing's surface above which one colour names the whole."""

_TOP = 0.05
"""Metres of a table that are its top."""
_WITHIN, _BULGE = 1.1, 1.3
"""Of an outline in its box, from -1 to 1 along both sides: squares of the corners of a circle, at most, and how far it
reaches towards the box's corners, at least: a circle's 1.41, a lozenge's 1."""

_HUES = (
    ("dark brown", (8, 42), (0.3, 1.0), (0.2, 0.44)),
    ("brown", (8, 42), (0.3, 1.0), (0.46, 0.72)),
    ("light brown", (18, 42), (0.3, 0.58), (0.74, 0.92)),
    ("beige", (24, 50), (0.09, 0.27), (0.66, 0.95)),
    ("yellow", (37, 65), (0.6, 1.0), (0.74, 1.0)),
    ("orange", (14, 34), (0.66, 1.0), (0.78, 1.0)),
    ("green", (72, 165), (0.17, 1.0), (0.2, 0.95)),
    ("teal", (172, 194), (0.3, 1.0), (0.25, 0.9)),
    ("blue", (200, 250), (0.24, 1.0), (0.2, 0.95)),
    ("pink", (0, 14), (0.2, 0.42), (0.72, 1.0)),
    ("red", (0, 9), (0.48, 1.0), (0.4, 0.95)),
    ("white", (0, 360), (0.0, 0.085), (0.87, 1.01)),
    ("grey", (0, 360), (0.0, 0.12), (0.38, 0.82)),
    ("black", (0, 360), (0.0, 0.2), (0.0, 0.26)),
)
"""Names with hue in degrees, saturation and value; what lies between two names has none."""


@dataclass(frozen=True, slots=True)
class Look:
    """ "" where no word is certain."""

    size: str = ""
    colour: str = ""
    material: str = ""
    shape: str = ""


@dataclass(frozen=True)
class Looks:
    """How the things of a scene look."""

    scene: Scene

    def of(self, thing: SemanticObject) -> Look:
        size = size_word(thing)
        if self.scene.object_ids is None:
            return Look(size)
        shape = self._shape(thing)
        if thing.category in PATTERNED:
            return Look(size, shape=shape)
        areas = self._areas.get(thing.id, Counter())
        colour = _most(areas, dict(enumerate(self._colours)))
        made = _most(areas, {k: _made_of(material) for k, material in enumerate(self.scene.materials)})
        if made == "wooden" and colour not in _OF_WOOD:
            made = ""  # painted: nobody calls a white desk wooden
        return Look(size, colour, made, shape)

    def _shape(self, thing: SemanticObject) -> str:
        """round or oval for a top, a rug or a thing on a wall whose outline is plainly that."""
        if thing.category not in _OUTLINED:
            return ""
        assert self.scene.object_ids is not None
        corners = self.scene.positions[self.scene.triangles[self.scene.object_ids == thing.id].ravel()].astype(float)
        upright = thing.category in _UPRIGHT
        across = 1 if upright else 0 if thing.size[0] <= thing.size[2] else 2
        longer = (0 if thing.size[0] > thing.size[2] else 2) if upright else 2 - across
        top = corners if upright else corners[corners[:, 1] > corners[:, 1].max() - _TOP]
        return _outline(top[:, longer], top[:, across])

    @cached_property
    def _colours(self) -> list[str]:
        """Of each material."""
        return [_colour_of(self.scene, material) for material in self.scene.materials]

    @cached_property
    def _areas(self) -> dict[int, Counter[int]]:
        """Of each object, square millimetres per material."""
        corners = self.scene.positions[self.scene.triangles].astype(np.float64)
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sizes = (np.sqrt((across * across)[:, 0] + (across * across)[:, 1] + (across * across)[:, 2]) * 5e5).astype(int)
        assert self.scene.object_ids is not None
        out: dict[int, Counter[int]] = {}
        rows = zip(self.scene.object_ids.tolist(), self.scene.material_ids.tolist(), sizes.tolist(), strict=True)
        for number, material, size in rows:
            out.setdefault(number, Counter())[material] += size
        return out


def name_colours(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(N, 3) sRGB -> (N,) index into the names of colours, -1 where none is certain."""
    rgb = pixels.astype(np.float64) / 255
    value, low = rgb.max(axis=1), rgb.min(axis=1)
    span = value - low
    safe = np.where(span > 0, span, 1.0)
    red, green, blue = (rgb[:, k] for k in range(3))
    sixth = np.where(
        value == red, (green - blue) / safe, np.where(value == green, 2 + (blue - red) / safe, 4 + (red - green) / safe)
    )
    hue = np.where(span > 0, (sixth * 60 + 360) % 360, 0.0)
    saturation = span / np.where(value > 0, value, 1.0)
    out = np.full(len(pixels), -1)
    for k, (_, hues, saturations, values) in enumerate(_HUES):
        inside = [
            (low <= x) & (x < high) for x, (low, high) in ((hue, hues), (saturation, saturations), (value, values))
        ]
        out[inside[0] & inside[1] & inside[2] & (out < 0)] = k
    return out


def _colour_of(scene: Scene, material: Material) -> str:
    """The name of nearly all texels of a material, "" if there is none."""
    if material.texture < 0:
        texels = (np.asarray(material.base_color[:3])[None] * 255).astype(np.uint8)
    else:
        texels = scene.textures[material.texture][::4, ::4, :3].reshape(-1, 3)
        if material.base_color[:3] != (1.0, 1.0, 1.0):
            return ""
    counts = np.bincount(name_colours(texels) + 1, minlength=len(_HUES) + 1)[1:]
    best = int(counts.argmax())
    return _HUES[best][0] if counts[best] >= _TEXELS * len(texels) else ""


def _made_of(material: Material) -> str:
    return MATERIALS.get(re.sub(r"\d+$", "", material.name), "")


def _most(areas: Counter[int], words: Mapping[int, str]) -> str:
    """The word that covers most of a surface, "" if none does."""
    shares: Counter[str] = Counter()
    for material, area in areas.items():
        shares[words[material]] += area
    word, area = shares.most_common(1)[0] if shares else ("", 0)
    return word if area > _SURFACE * sum(shares.values()) else ""


def _outline(longer: NDArray[np.float64], shorter: NDArray[np.float64]) -> str:
    """What one calls an outline whose points all lie within the ellipse of its box, and come near to it all round."""
    low, high = (np.array([side(longer), side(shorter)]) for side in (np.min, np.max))
    half = (high - low) / 2
    if half.min() <= 0:
        return ""
    u, v = (
        (values - middle) / reach for values, middle, reach in zip((longer, shorter), low + half, half, strict=True)
    )
    bulges = min((i * u + k * v).max() for i in (-1, 1) for k in (-1, 1))
    if (u * u + v * v).max() > _WITHIN or bulges < _BULGE:
        return ""
    return "round" if half[0] < 1.1 * half[1] else "oval"
