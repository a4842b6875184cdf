"""The ground round a building: lawns, streets, yards, woods, a city's blocks, fields and the shore.

A ground gives a colour to each place that a pixel of the view meets, finer where a texel covers less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.outside.canvas import planes
from nav_eval_worlds.surfaces.noise import Colour


@dataclass(frozen=True, slots=True)
class Spot:
    """Places on the ground: x and z in metres, z backwards from the front.

    `grain` is noise of the ground's, `fine` of the picture's texels, 0 to 1; `foot` m: what a texel covers. `variety`,
    0 to 3, is the same for the whole site.
    """

    x: Floats
    z: Floats
    grain: Floats
    fine: Floats
    foot: Floats
    variety: int


Ground = Callable[[Spot], Floats]
"""Colours (3, ...)."""


def _mixed(a: Colour, b: Colour, share: Floats) -> Floats:
    return np.stack([low + (high - low) * share for low, high in zip(a, b, strict=True)])


def _band(at: Floats, low: float, high: float, foot: Floats) -> Floats:
    """The share of a texel between low and high."""
    inside = np.minimum(np.minimum(at - low, high - at) / foot + 0.5, (high - low) / foot)
    return np.clip(inside, 0.0, 1.0)


def _blend(colours: Floats, other: Floats | Colour, share: Floats) -> None:
    """Over what lies below: a colour, or one for each place."""
    for before, new in zip(colours, other, strict=True):
        before += (new - before) * share


def _blend_two(colours: Floats, a: Colour, b: Colour, tone: Floats, share: Floats) -> None:
    """Over what lies below: `a` where tone is 0, `b` where it is 1."""
    _blend(colours, _mixed(a, b, tone), share)


def _grass(p: Spot, dry: Colour, lush: Colour, blades: float = 0.5) -> Floats:
    """Patches of two tones; blades where a texel is no larger than a tuft."""
    colours = _mixed(dry, lush, p.grain)
    amount = blades * np.clip(0.09 / p.foot, 0.16, 1)
    return np.asarray(colours * (1 - amount / 2 + amount * p.fine))


def lawn(p: Spot) -> Floats:
    """Grass with daisies; a path of slabs or of gravel leads over it, or a terrace lies before the house.

    (3, ...), 0 to 255.
    """
    colours = _grass(p, (112, 116, 76), (76, 98, 54))
    np.copyto(colours, planes((214, 214, 196)), where=(p.fine > 0.985) & (p.foot < 0.08))
    soft = np.minimum(p.foot, 0.1 + 0.02 * np.abs(p.z))
    if p.variety == 0:
        path = _band(p.x, 0.2, 1.4, soft)
        along = p.z / 0.6 - np.floor(p.z / 0.6)
        _blend(colours, (102, 100, 80), path)
        _blend_two(colours, (150, 146, 138), (176, 172, 164), _worn(p), path * ((along > 0.1) | (p.foot > 0.4)))
    elif p.variety == 1:
        bend = p.x - 1.0 + 0.8 * (p.grain - 0.5) + p.z * p.z * 0.004
        _blend_two(colours, (152, 142, 124), (184, 174, 156), p.fine, _band(bend, -0.7, 0.7, np.maximum(p.foot, 0.1)))
    elif p.variety == 2:
        terrace = np.minimum(np.clip((3.4 - np.abs(p.x)) / p.foot, 0, 1), np.clip((3.1 - np.abs(p.z)) / p.foot, 0, 1))
        u, v = p.x / 0.5 - np.floor(p.x / 0.5), p.z / 0.5 - np.floor(p.z / 0.5)
        joints = np.where(((u < 0.05) | (v < 0.05)) & (p.foot < 0.3), 0.6, 0.0)
        _blend_two(colours, (142, 132, 120), (180, 170, 156), np.clip(_worn(p) - joints, 0, 1), terrace)
    return colours


def _worn(p: Spot) -> Floats:
    """The tone of stone: stains more than grains."""
    amount = 0.5 * np.clip(0.06 / p.foot, 0.2, 1)
    return np.asarray((1 - amount) * p.grain + amount * p.fine)


def street_ground(p: Spot) -> Floats:
    """A front garden, pavements and a road along x before the front. (3, ...), 0 to 255."""
    colours = lawn(p)
    slabs = p.x / 0.9 - np.floor(p.x / 0.9)
    joints = np.where((slabs < 0.04) & (p.foot < 0.6), 0.8, 1.0)
    mix = _worn(p)
    _blend_two(colours, (120, 116, 110), (184, 180, 170), mix * joints, _band(p.z, -17.5, -7.0, p.foot))
    _blend(colours, (196, 194, 188), _band(p.z, -15.7, -8.8, p.foot))
    _blend_two(colours, (72, 72, 76), (102, 102, 106), _worn(p), _band(p.z, -15.5, -9.0, p.foot))
    dashes = p.x / 4 - np.floor(p.x / 4) < 0.5
    _blend(colours, (214, 212, 204), _band(p.z, -12.34, -12.16, p.foot) * dashes)
    return colours


def yard(p: Spot) -> Floats:
    """Paving with beds of grass, or grass with a path. (3, ...), 0 to 255."""
    if p.variety > 1:
        return lawn(p)
    size = 0.5 + 0.3 * p.variety
    i, j = np.floor(p.x / size), np.floor(p.z / size)
    u, v = p.x / size - i, p.z / size - j
    number = i * 37 + j * 59
    tone = (number - np.floor(number / 16) * 16) / 16
    colours = _mixed((128, 124, 118), (162, 157, 149), 0.7 * _worn(p) + 0.3 * tone)
    colours *= np.where(((u < 0.05) | (v < 0.05)) & (p.foot < 0.3), 0.84, 1.0)
    beds = np.minimum(np.abs(p.x) - 5, np.abs(p.z) - 5)
    _blend(colours, (188, 184, 176), np.clip((beds + 0.15) / p.foot + 0.5, 0, 1))
    _blend(colours, _grass(p, (88, 104, 60), (112, 126, 76)), np.clip(beds / p.foot + 0.5, 0, 1))
    return colours


def forest_floor(p: Spot) -> Floats:
    """Moss, needles and fallen leaves, and a trodden path. (3, ...), 0 to 255."""
    colours = _grass(p, (74, 84, 54), (112, 112, 72), 0.6)
    np.copyto(colours, planes((150, 106, 62)), where=(p.fine > 0.93) & (p.foot < 0.2))
    bend = p.x - 1.2 + 2.2 * (p.grain - 0.5)
    _blend_two(colours, (134, 116, 90), (160, 142, 114), p.fine, _band(bend, -0.8, 0.8, np.maximum(p.foot, 0.3)) * 0.85)
    return colours


def meadow(p: Spot) -> Floats:
    """A suburb's lawns, with a road before its front. (3, ...), 0 to 255."""
    colours = lawn(p)
    _blend(colours, (178, 174, 166), _band(p.z, -16.6, -11.6, p.foot))
    _blend_two(colours, (76, 76, 80), (104, 104, 108), _worn(p), _band(p.z, -16.4, -12.9, p.foot))
    return colours


def city(p: Spot) -> Floats:
    """Blocks of roofs and squares between streets, from above. (3, ...), 0 to 255."""
    block = 46.0
    i, j = np.floor(p.x / block), np.floor(p.z / block)
    u, v = p.x / block - i, p.z / block - j
    number = i * 7 + j * 13
    lot = np.floor(u * 4) + 4 * np.floor(v * 5) + number
    tone = (lot * 37 - np.floor(lot * 37 / 64) * 64) / 64
    colours = _mixed((112, 110, 108), (136, 132, 126), 0.4 * tone + 0.6 * p.grain)
    green = number - np.floor(number / 5) * 5 == 0
    np.copyto(colours, _grass(p, (84, 98, 66), (108, 120, 82)), where=green)
    foot = p.foot / block
    lanes = np.maximum(_band(u, -1.0, 0.26, foot), _band(v, -1.0, 0.26, foot))
    _blend(colours, (150, 148, 144), lanes)
    road = np.maximum(_band(u, 0.04, 0.22, foot), _band(v, 0.04, 0.22, foot))
    _blend_two(colours, (88, 88, 92), (108, 108, 110), p.grain, road)
    return np.asarray(colours * (0.9 + 0.14 * p.grain + 0.06 * p.fine))


def crops(p: Spot) -> Floats:
    """Meadow close by; beyond, fields of grass and of corn in rows. (3, ...), 0 to 255."""
    number = np.floor(p.x / 70 + 0.4) * 5 + np.floor(p.z / 50 + 0.3) * 3
    share = (number - np.floor(number / 4) * 4) / 3
    colours = _mixed((116, 132, 76), (192, 174, 118), share) * (0.78 + 0.24 * p.grain + 0.2 * p.fine)
    near = np.clip((14.0 - np.maximum(np.abs(p.x), np.abs(p.z))) / p.foot + 0.5, 0, 1)
    _blend(colours, lawn(p), near)
    return colours


def shore(p: Spot) -> Floats:
    """Dunes, sand, and the sea before the front. (3, ...), 0 to 255."""
    colours = _mixed((186, 172, 134), (218, 202, 166), _worn(p))
    dunes = np.clip((p.z + 14.0 + 4 * (p.grain - 0.5)) / np.maximum(p.foot, 0.5) + 0.5, 0, 1)
    _blend(colours, _grass(p, (100, 110, 70), (146, 144, 106)), dunes)
    line = p.z + 3 * (p.grain - 0.5)
    soft = np.maximum(p.foot * 1.5, 0.5)
    _blend(colours, (158, 144, 114), _band(line, -33.0, -28.5, soft) * 0.7)
    deep = np.clip(-p.z / 900, 0, 1)
    waves = 0.86 + 0.16 * p.grain + 0.12 * p.fine
    sea = _mixed((84, 132, 142), (62, 104, 138), np.sqrt(deep)) * waves
    _blend(colours, sea, np.clip((-31.0 - line) / soft + 0.5, 0, 1))
    _blend(colours, (228, 232, 230), _band(line, -32.2, -30.6, soft) * 0.8)
    _blend(colours, (214, 222, 222), _band(line, -37.6, -36.4, soft) * 0.45)
    return colours
