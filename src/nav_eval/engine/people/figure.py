"""A dressed body at rest, standing straight and facing -z, with the bones that move it: made once for each look.

All is cut for a body of 1.75 m, then scaled to the look's height.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from nav_eval.engine.people.bones import (
    ANKLE,
    ARM_L,
    ARM_R,
    CHEST,
    CHIN,
    ELBOW,
    FOOT_L,
    FOOT_R,
    FORE_L,
    FORE_R,
    HEAD,
    HIP,
    KNEE,
    NECK,
    PELVIS,
    SHIN_L,
    SHIN_R,
    SHOULDER,
    TALL,
    THIGH_L,
    THIGH_R,
    WAIST,
    WRIST,
)
from nav_eval.engine.people.head import head, small
from nav_eval.engine.people.kinds import Skin
from nav_eval.engine.people.looks import LOOKS, Look, dealt
from nav_eval.engine.people.solids import Cloth, Colour, Floats, Ring, Solid, joined, sewn, shade, shell, tube

AROUND = 28
"""Columns of a shirt; the first quarter of them is its front."""
STRIPE = 0.04
"""Width of a shirt's stripes, m."""


@dataclass(frozen=True, slots=True)
class Figure:
    """`solid` at rest, in metres; `joints`: (13, 3) where each bone turns, in the same frame; `scale`: of 1.75 m."""

    look: Look
    solid: Solid
    joints: Floats
    scale: float
    skin: Skin


@lru_cache(2 * LOOKS)
def figure(seed: int, every: int = 1) -> Figure:
    """The person of a seed; `every`: 2 has half the columns and no small parts of the face, 3 a third of the columns
    and half the rows of what does not bend, 4 a quarter of the columns and half the rows."""
    return dressed(dealt(seed), every)


def dressed(look: Look, every: int = 1) -> Figure:
    """A body with its clothes."""
    cloths = [*_legs(look), *_trunk(look), *_arms(look), *head(look), *([] if every > 1 else small(look))]
    solid = joined([sewn(cloth, every) for cloth in cloths])
    scale = look.height / TALL
    colours = np.clip(solid.colours * _wear(solid, look)[:, None], 0, 1)
    whole = replace(solid, points=solid.points * scale, colours=colours)
    return Figure(look, whole, _joints(look) * scale, scale, _skin(whole))


def _skin(solid: Solid) -> Skin:
    points, normals, colours, share = (
        np.ascontiguousarray(part, np.float32) for part in (solid.points, solid.normals, solid.colours, solid.share)
    )
    return Skin(points, normals, colours, solid.first, solid.second, share, solid.triangles)


def _hip(look: Look) -> float:
    return 0.088 + 0.01 * look.curve


def _shoulder(look: Look) -> float:
    return (0.180 - 0.024 * look.curve) * (0.7 + 0.3 * look.girth)


def _joints(look: Look) -> Floats:
    hip, arm = _hip(look), _shoulder(look)
    out = arm + 0.035
    return np.array(
        [
            (0, HIP, 0), (0, WAIST, 0.01), (0, NECK, 0.005),
            (-arm, SHOULDER, 0), (-out, ELBOW, 0), (arm, SHOULDER, 0), (out, ELBOW, 0),
            (-hip, HIP, 0), (-hip, KNEE, 0), (-hip, ANKLE, 0.02),
            (hip, HIP, 0), (hip, KNEE, 0), (hip, ANKLE, 0.02),
        ]
    )  # fmt: skip


def _wear(solid: Solid, look: Look) -> Floats:
    """(V,) how light each vertex is: the shade that limbs cast on each other, and the uneven cloth."""
    x, y, z = solid.points.T
    shade = np.ones(len(x))
    inner = np.isin(solid.first, (THIGH_L, THIGH_R, SHIN_L, SHIN_R)) & (np.abs(x) < 0.075)
    shade -= 0.30 * inner * np.clip((y - 0.35) / 0.5, 0, 1)
    arms = np.isin(solid.first, (ARM_L, ARM_R, FORE_L, FORE_R))
    toward = -np.sign(x) * solid.normals[:, 0]
    shade -= 0.22 * arms * np.clip(toward, 0, 1) * np.clip((y - 0.9) / 0.4, 0, 1)
    trunk = np.isin(solid.first, (CHEST, PELVIS))
    shade -= 0.20 * trunk * np.clip(np.abs(solid.normals[:, 0]) - 0.35, 0, 1) * (y < 1.38) * (y > 0.95)
    neck = (solid.first == HEAD) & (y < CHIN + 0.005)
    shade -= 0.28 * neck
    cloth = solid.first != HEAD
    wave = np.sin(38 * y + 9 * x + look.folds) * np.sin(23 * x - 17 * z + 2 * look.folds)
    wave += 0.6 * np.sin(71 * y - 31 * z + look.folds)
    return np.where(cloth, shade * (1 + 0.035 * wave), shade)


# --- legs ---------------------------------------------------------------------------------------------------------


def _legs(look: Look) -> list[Cloth]:
    return [part for side in (-1, 1) for part in (*_leg(look, side), *_shoe(look, side))]


def _leg(look: Look, side: int) -> list[Cloth]:
    """Bare where the cloth ends."""
    thigh, shin, foot = (THIGH_L, SHIN_L, FOOT_L) if side < 0 else (THIGH_R, SHIN_R, FOOT_R)
    x, g = side * _hip(look), look.girth
    loose = {"trousers": 1.08, "jeans": 1.0, "leggings": 0.9, "shorts": 1.14, "skirt": 0.9}[look.legs]
    fat = (0.6 + 0.4 * g) * (1 + 0.05 * look.curve)
    cloth, skin = look.bottom, look.skin
    profile = [  # y, half width, half depth, z, bone, other, share
        (0.915, 0.066, 0.092, 0.010, thigh, PELVIS, 0.80),
        (0.860, 0.082, 0.103, 0.009, thigh, PELVIS, 0.50),
        (0.790, 0.088, 0.099, 0.004, thigh, PELVIS, 0.15),
        (0.690, 0.080, 0.089, 0.000, thigh, shin, 0.0),
        (0.600, 0.069, 0.076, -0.002, thigh, shin, 0.05),
        (0.545, 0.062, 0.067, -0.006, thigh, shin, 0.22),
        (0.505, 0.058, 0.063, -0.007, thigh, shin, 0.50),
        (0.465, 0.056, 0.060, 0.000, thigh, shin, 0.80),
        (0.400, 0.056, 0.061, 0.010, shin, foot, 0.0),
        (0.330, 0.055, 0.060, 0.013, shin, foot, 0.0),
        (0.230, 0.048, 0.051, 0.014, shin, foot, 0.0),
        (0.140, 0.042, 0.046, 0.016, shin, foot, 0.0),
        (0.095, 0.041, 0.047, 0.018, shin, foot, 0.12),
    ]
    wide_leg = {"trousers": 1.25, "jeans": 1.12}.get(look.legs, 1.0)
    ends = {"shorts": 0.53, "skirt": 0.80}.get(look.legs, 0.0)
    bare, dressed = [], []
    for y, wide, deep, z, bone, other, share in profile:
        low = max(0.0, (0.5 - y) / 0.4) * (wide_leg - 1.0)
        into = 0.010 * max(0.0, (y - 0.7) / 0.2)
        if y > ends:
            dressed.append(
                Ring(
                    (x - side * into, y, z),
                    wide * fat * (1 + (loose - 1) * min(1.0, (0.94 - y) / 0.2) + low),
                    deep * fat * (1 + (loose - 1) * min(1.0, (0.94 - y) / 0.2) + low),
                    cloth,
                    bone,
                    other,
                    share,
                )
            )
        if y <= ends + 0.1 and ends:
            tone = skin if look.legs == "shorts" or look.folds < 3.1 else shade(look.bottom, 0.55)
            bare.append(Ring((x, y, z), wide * fat * 0.88, deep * fat * 0.88, tone, bone, other, share))
    hem = dressed[-1]
    if not ends:
        dressed.append(replace(hem, middle=(x, 0.072, 0.016), wide=hem.wide * 1.04, deep=hem.deep * 1.12, share=0.3))
        dressed.append(replace(dressed[-1], middle=(x, 0.066, 0.016), wide=hem.wide * 0.9, colour=shade(cloth, 0.5)))
    else:
        dressed.append(
            replace(hem, middle=(x, hem.middle[1] - 0.04, hem.middle[2]), wide=hem.wide * 1.06, deep=hem.deep * 1.06)
        )
    if look.legs == "jeans":
        dressed[-1] = replace(dressed[-1], colour=shade(cloth, 0.8))
    made = [tube(list(reversed(dressed)), 14, top=True, bottom=True)]
    if bare:
        socks = [replace(ring, colour=(0.85, 0.85, 0.84)) if ring.middle[1] < 0.13 else ring for ring in bare]
        made.append(tube(list(reversed(socks)), 12))
    return made


def _shoe(look: Look, side: int) -> list[Cloth]:
    """A sole and an upper, drawn along z from the heel to the toes as rows of a shell."""
    x, bone = side * (_hip(look) + 0.004), FOOT_L if side < 0 else FOOT_R
    small = 1.0 - 0.08 * look.curve
    # z of the section, half width, height of the instep
    sections = [
        (0.075, 0.020, 0.040), (0.066, 0.033, 0.072), (0.035, 0.037, 0.094), (-0.010, 0.037, 0.092),
        (-0.055, 0.041, 0.074), (-0.105, 0.046, 0.060), (-0.150, 0.044, 0.050), (-0.182, 0.031, 0.038),
        (-0.194, 0.014, 0.024),
    ]  # fmt: skip
    around = 12
    turn = np.arange(around) / around * 2 * np.pi
    rows, colours = [], []
    sole = shade(look.shoes, 0.55) if sum(look.shoes) > 1.0 else (0.10, 0.10, 0.10)
    if look.legs in ("jeans", "leggings", "shorts"):
        sole = (0.86, 0.86, 0.84)
    for z, wide, high in sections:
        c, s = np.cos(turn), np.sin(turn)
        lift = 0.012 * max(0.0, (-z - 0.13) / 0.06) ** 2
        across = np.sign(c) * np.abs(c) ** 0.7 * wide * np.where(s > 0, 1.0 - 0.35 * s**2, 1.0)
        up = np.where(s >= 0, 0.02 + s * (high - 0.02), 0.02 + np.sign(s) * np.abs(s) ** 0.4 * 0.02)
        rows.append(np.stack([x + across * small, up + lift, np.full(around, z * small)], axis=1))
        colours.append(np.where((s < 0.1)[:, None], np.array(sole), np.array(look.shoes)))
    return [shell(np.array(rows)[:, ::-1][:, :, :], np.array(colours)[:, ::-1], bone)]


# --- trunk --------------------------------------------------------------------------------------------------------


def _profile(look: Look) -> Floats:
    """(R, 4) height, half width, half depth and z of the trunk from the crotch to the neck."""
    man = np.array([
        (0.800, 0.110, 0.090, 0.004), (0.840, 0.158, 0.112, 0.006), (0.900, 0.172, 0.122, 0.010),
        (0.960, 0.164, 0.115, 0.008), (1.020, 0.153, 0.108, 0.002), (1.080, 0.148, 0.105, -0.002),
        (1.150, 0.154, 0.110, -0.002), (1.230, 0.166, 0.119, 0.000), (1.300, 0.175, 0.123, 0.002),
        (1.360, 0.181, 0.117, 0.006), (1.400, 0.182, 0.103, 0.010), (1.430, 0.165, 0.089, 0.013),
        (1.455, 0.122, 0.076, 0.013), (1.480, 0.085, 0.066, 0.010), (1.492, 0.064, 0.062, 0.008),
    ])  # fmt: skip
    woman = np.array([
        (0.800, 0.112, 0.092, 0.004), (0.840, 0.168, 0.120, 0.010), (0.900, 0.184, 0.132, 0.016),
        (0.960, 0.170, 0.118, 0.012), (1.020, 0.146, 0.101, 0.004), (1.080, 0.131, 0.093, -0.001),
        (1.150, 0.136, 0.097, -0.006), (1.230, 0.150, 0.122, -0.018), (1.285, 0.156, 0.129, -0.018),
        (1.345, 0.158, 0.108, -0.002), (1.395, 0.160, 0.091, 0.008), (1.426, 0.146, 0.079, 0.012),
        (1.453, 0.106, 0.068, 0.012), (1.480, 0.074, 0.058, 0.010), (1.492, 0.056, 0.054, 0.008),
    ])  # fmt: skip
    mixed = man + (woman - man) * look.curve
    heavy = 1 + (look.girth - 1) * np.clip((1.45 - mixed[:, 0]) / 0.25, 0.15, 1)
    mixed[:, 1] *= heavy
    belly = 1 + (look.girth - 1) * 1.8 * np.exp(-(((mixed[:, 0] - 1.06) / 0.14) ** 2))
    mixed[:, 2] *= heavy * belly
    mixed[:, 3] -= 0.05 * (belly - 1)
    return np.asarray(mixed)


def _trunk(look: Look) -> list[Cloth]:
    profile = _profile(look)
    parts = [_hips(look, profile), _upper(look, profile)]
    if look.legs == "skirt":
        parts.append(_skirt(look, profile))
    if look.style == "hoodie":
        hood = [
            (1.425, 0.085, 0.055, 0.075),
            (1.455, 0.105, 0.070, 0.070),
            (1.490, 0.098, 0.062, 0.068),
            (1.505, 0.07, 0.04, 0.062),
        ]
        parts.append(tube([Ring((0, y, z), w, d, look.top, CHEST) for y, w, d, z in hood], 14, top=True, bottom=True))
    if look.style in ("jacket", "shirt"):
        collar = [(1.468, 0.086, 0.074, 0.008), (1.492, 0.076, 0.070, 0.008), (1.512, 0.070, 0.066, 0.012)]
        tone = shade(look.top, 0.92)
        parts.append(tube([Ring((0, y, z), w, d, tone, CHEST) for y, w, d, z in collar], 16))
    return parts


def _spine(y: float) -> tuple[int, int, float]:
    """Bones of the trunk at a height: pelvis below, chest above, both between."""
    return (PELVIS, CHEST, float(np.clip((y - 0.96) / 0.22, 0, 1)))


def _hips(look: Look, profile: Floats) -> Cloth:
    rings = []
    for y, wide, deep, z in profile[:6]:
        bone, other, share = _spine(y)
        rings.append(Ring((0, y, z), wide * 0.985, deep * 0.985, look.bottom, bone, other, share, 2.3))
    return tube(rings, 18, bottom=True)


def _upper(look: Look, profile: Floats) -> Cloth:
    """Shirt, sweater or jacket, from its hem to the collar."""
    hem = {"tshirt": 0.885, "sweater": 0.875, "stripes": 0.89, "jacket": 0.83, "shirt": 0.865, "hoodie": 0.87}[
        look.style
    ]
    tucked = look.legs == "skirt" and look.style in ("tshirt", "stripes", "shirt")
    hem = 1.035 if tucked else hem
    loose = {"tshirt": 1.05, "sweater": 1.07, "stripes": 1.03, "jacket": 1.11, "shirt": 1.05, "hoodie": 1.10}[
        look.style
    ]
    body = _stripes(hem) if look.style == "stripes" else list(np.linspace(hem + 0.06, 1.40, 13))
    heights = [hem, hem + 0.008, hem + 0.03, *body, 1.425, 1.445, 1.462, 1.478, 1.490]
    rings = []
    for index, y in enumerate(heights):
        wide, deep, z = (float(np.interp(y, profile[:, 0], profile[:, k])) for k in (1, 2, 3))
        bone, other, share = _spine(y)
        ease = loose if y < 1.36 else 1 + (loose - 1) * max(0.0, (1.49 - y) / 0.13)
        drape = 0.006 * np.exp(-(((y - hem - 0.05) / 0.03) ** 2)) if not tucked else 0.0
        if not tucked:  # hangs from the chest, and wide enough for the hips
            low = float(np.clip((1.28 - y) / 0.2, 0, 1))
            wide += low * max(0.0, (0.96 - 0.06 * look.curve) * float(profile[6:9, 1].max()) - wide)
            deep += low * max(0.0, 0.95 * float(profile[:9, 2].max()) - deep)
        tone = shade(look.top, 0.62) if index == 0 else look.top
        rings.append(Ring((0, y, z), wide * ease + drape, deep * ease + drape, tone, bone, other, share, 2.45))
    solid = tube(rings, AROUND)
    return replace(solid, colours=_pattern(look, solid))


def _stripes(hem: float) -> list[float]:
    """Heights of rings in pairs, at which stripes begin and end."""
    return [edge + gap for edge in np.arange(hem + 0.06, 1.40, STRIPE) for gap in (-0.0015, 0.0015)]


def _pattern(look: Look, shirt: Cloth) -> Floats:
    colours = shirt.colours.copy()
    x, y, z = (shirt.points[..., k] for k in range(3))
    if look.style == "stripes":
        light = (np.floor((y - y.min() - 0.06) / STRIPE).astype(int) % 2 == 0) & (y > y.min() + 0.05) & (y < 1.41)
        colours[light] = np.array(look.under) * 0.4 + 0.55
    front = z < -0.02
    if look.style == "jacket":
        column = np.broadcast_to(np.arange(AROUND), x.shape)
        colours[np.isin(column, (AROUND // 4 - 1, AROUND // 4, AROUND // 4 + 1)) & (y > y.min() + 0.02)] = (
            np.array(look.under) * 0.8 + 0.15
        )
        colours[np.isin(column, (AROUND // 4 - 2, AROUND // 4 + 2))] *= 0.82
    if look.style == "shirt":
        placket = front & (np.abs(x) < 0.012)
        colours[placket] *= 0.86
    if look.style == "hoodie":
        pocket = front & (np.abs(x) < 0.12) & (y > 0.96) & (y < 1.08)
        colours[pocket] *= 0.9
    return colours


def _skirt(look: Look, profile: Floats) -> Cloth:
    rings = []
    for y, share in (
        (0.50, 0.0),
        (0.508, 0.0),
        (0.58, 0.0),
        (0.68, 0.0),
        (0.78, 0.0),
        (0.86, 0.0),
        (0.94, 0.0),
        (1.00, 0.0),
        (1.05, 0.0),
    ):
        wide, deep, z = (float(np.interp(max(y, 0.88), profile[:, 0], profile[:, k])) for k in (1, 2, 3))
        flare = 1.03 + 0.34 * max(0.0, (0.92 - y) / 0.4)
        tone = shade(look.bottom, 0.6) if y == 0.50 else look.bottom
        rings.append(Ring((0, y, z), wide * flare, deep * flare * 1.1, tone, PELVIS, PELVIS, share))
    solid = tube(rings, 22)
    across, up = solid.points[..., 0], solid.points[..., 1]
    pull = np.clip((0.95 - up) / 0.33, 0, 1) * np.clip(np.abs(across) / 0.10, 0.5, 1.0) * 0.9
    return replace(solid, second=np.where(across < 0, THIGH_L, THIGH_R), share=pull)


# --- arms ---------------------------------------------------------------------------------------------------------


def _arms(look: Look) -> list[Cloth]:
    return [part for side in (-1, 1) for part in _arm(look, side)]


def _arm(look: Look, side: int) -> list[Cloth]:
    upper, fore = (ARM_L, FORE_L) if side < 0 else (ARM_R, FORE_R)
    root, g = _shoulder(look), (0.55 + 0.45 * look.girth) * (1 - 0.12 * look.curve)

    def ring(y: float, radius: float, tone: Colour, deep: float = 1.0) -> Ring:
        down = (SHOULDER - y) / (SHOULDER - WRIST)
        x = side * (root + 0.004 + 0.066 * down - 0.03 * max(0.0, (y - 1.38) / 0.06))
        z = -0.012 * max(0.0, down - 0.5)
        bend = float(np.clip((ELBOW + 0.045 - y) / 0.09, 0, 1))
        if y > SHOULDER - 0.02:
            return Ring(
                (x, y, z),
                radius,
                radius * deep,
                tone,
                upper,
                CHEST,
                float(np.clip((y - SHOULDER + 0.02) / 0.06, 0, 0.8)),
            )
        return Ring((x, y, z), radius, radius * deep, tone, upper, fore, bend)

    ends = {"tshirt": 1.235, "shirt": 0.885}.get(look.style, 0.872)
    bare = [
        ring(y, r * g, look.skin)
        for y, r in (
            (0.872, 0.0245),
            (0.90, 0.027),
            (0.96, 0.034),
            (1.03, 0.040),
            (1.09, 0.039),
            (1.125, 0.039),
            (1.18, 0.043),
            (1.27, 0.046),
            (1.33, 0.048),
        )
    ]
    ease = {"tshirt": 1.16, "sweater": 1.20, "stripes": 1.13, "jacket": 1.30, "shirt": 1.16, "hoodie": 1.28}[look.style]
    sleeve = [
        (y, r)
        for y, r in (
            (0.885, 0.031),
            (0.94, 0.035),
            (1.0, 0.039),
            (1.06, 0.041),
            (1.10, 0.041),
            (1.13, 0.0415),
            (1.17, 0.043),
            (1.235, 0.046),
            (1.30, 0.050),
            (1.355, 0.053),
            (1.392, 0.052),
            (1.418, 0.044),
            (1.436, 0.030),
        )
        if y > ends
    ]
    tone = look.top
    rings = [
        ring(ends, sleeve[0][1] * g * ease * 0.97, shade(tone, 0.55)),
        ring(ends + 0.002, sleeve[0][1] * g * ease * 1.03, shade(tone, 0.9)),
    ]
    if look.style in ("sweater", "hoodie"):
        rings.append(ring(ends + 0.03, sleeve[0][1] * g * ease * 0.96, tone))
    for y, r in sleeve:
        rings.append(ring(y, r * g * (1 + (ease - 1) * min(1.0, max(0.0, 1.40 - y) / 0.12 + 0.15)), tone, 1.10))
    return [tube(bare[: 2 if ends < 0.9 else 8], 10), tube(rings, 12, top=True), *_hand(look, side, fore, g)]


def _hand(look: Look, side: int, bone: int, girth: float) -> list[Cloth]:
    x = side * (_shoulder(look) + 0.072)
    skin, deep = look.skin, shade(look.skin, 0.86)
    rings = [
        (0.712, 0.0095, 0.020, -0.030, deep), (0.722, 0.012, 0.029, -0.028, skin), (0.755, 0.0135, 0.036, -0.020, skin),
        (0.790, 0.016, 0.041, -0.013, skin), (0.820, 0.0175, 0.040, -0.010, skin), (0.850, 0.020, 0.031, -0.008, skin),
        (0.880, 0.024, 0.027, -0.007, skin),
    ]  # fmt: skip
    palm = tube([Ring((x, y, z), w * girth, d * girth, tone, bone) for y, w, d, z, tone in rings], 10, bottom=True)
    thumb = tube(
        [
            Ring((x - side * 0.010, 0.772, -0.068), 0.008, 0.009, skin, bone),
            Ring((x - side * 0.009, 0.795, -0.060), 0.011, 0.012, skin, bone),
            Ring((x - side * 0.006, 0.832, -0.036), 0.013, 0.015, skin, bone),
        ],
        7,
        bottom=True,
    )
    return [palm, thumb]
