"""A figure's head: skull, skin, eyes, ears and hair, of 1.75 m of body, and the neck that it stands on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nav_eval.engine.people.bones import CHEST, HEAD
from nav_eval.engine.people.looks import Look
from nav_eval.engine.people.solids import Cloth, Floats, Ring, ball, shade, shell, tube

HEAD_AT = np.array([0.0, 1.640, -0.014])
"""Middle of the skull."""


def _skull(turn: Floats, rise: Floats, look: Look) -> Floats:
    """Points of the head in directions: `turn` about y from +x over -z, `rise` above the horizontal, rad."""
    c, s = np.cos(rise), np.sin(rise)
    x, y, z = c * np.cos(turn), s, -c * np.sin(turn)
    face = np.clip(-z, 0, 1)
    low = np.clip(-y, 0, 1)
    wide = 0.077 * (1 - 0.30 * low**1.5) * (1 - 0.04 * look.curve)
    deep = np.where(z > 0, 0.101 * (1 - 0.22 * low), 0.097 * (1 - 0.06 * low))
    high = np.where(y > 0, 0.110, 0.116)
    px, py, pz = x * wide, y * high, z * deep
    pz = pz - 0.004 * low * face
    pz = pz + 0.006 * np.clip(face - 0.75, 0, 1) * np.exp(-(((y - 0.08) / 0.16) ** 2))
    nose = np.exp(
        -((x / 0.11) ** 2) - (np.clip(-y - 0.22, 0, 1) / 0.07) ** 2 - (np.clip(y + 0.22, 0, 1) / 0.22) ** 2
    ) * (z < 0)
    pz = pz - 0.020 * nose
    lips = np.exp(-((x / 0.22) ** 2) - ((y + 0.52) / 0.09) ** 2) * (z < 0)
    pz = pz - 0.005 * lips
    chin = np.exp(-((x / 0.25) ** 2) - ((y + 0.85) / 0.12) ** 2) * (z < 0)
    pz = pz - 0.008 * chin
    return np.asarray(np.stack([px, py, pz], axis=-1) + HEAD_AT)


def head(look: Look) -> list[Cloth]:
    """With its neck and hair."""
    rows, around = 22, 28
    rise = np.linspace(-np.pi / 2 * 0.97, np.pi / 2 * 0.97, rows)[:, None]
    turn = (np.arange(around) / around * 2 * np.pi + np.pi / 2)[None]
    turn, rise = np.broadcast_arrays(turn, rise)
    points = _skull(turn, rise, look)
    return [shell(points, _complexion(look, turn, rise), HEAD), *_neck(look), *_eyes(look), *_ears(look), *_hair(look)]


def _complexion(look: Look, turn: Floats, rise: Floats) -> Floats:
    c, y = np.cos(rise), np.sin(rise)
    x, z = c * np.cos(turn), -c * np.sin(turn)
    colours = np.broadcast_to(np.array(look.skin), (*turn.shape, 3)).copy()
    front = z < -0.1
    cheek = np.exp(-(((np.abs(x) - 0.5) / 0.2) ** 2) - ((y + 0.30) / 0.18) ** 2) * front
    colours *= 1 + cheek[..., None] * np.array([0.03, -0.06, -0.05])
    socket = np.exp(-(((np.abs(x) - 0.36) / 0.17) ** 2) - ((y - 0.06) / 0.12) ** 2) * front
    colours *= 1 - 0.20 * socket[..., None]
    below = np.exp(-((x / 0.16) ** 2) - ((y + 0.36) / 0.05) ** 2) * front
    colours *= 1 - 0.08 * below[..., None]
    lip = np.exp(-((x / 0.24) ** 4) - ((y + 0.53) / 0.065) ** 2) * front
    colours = colours * (1 - lip[..., None]) + lip[..., None] * np.array(look.skin) * np.array([0.86, 0.62, 0.60])
    if look.beard:
        jaw = (y < -0.30) & (z < 0.35)
        mask = np.clip((-0.28 - y) / 0.18, 0, 1) * jaw * (1 - np.clip(lip * 1.6, 0, 1))
        colours = colours * (1 - 0.85 * mask[..., None]) + 0.85 * mask[..., None] * np.array(look.hair)
    scalp = y > 0.62
    if look.cut in ("crop", "bald"):
        grey = np.clip((y - 0.45 + 0.55 * (z > 0)) / 0.2, 0, 1) * (0.30 if look.cut == "bald" else 0.75)
        colours = colours * (1 - grey[..., None]) + grey[..., None] * np.array(look.hair)
    elif scalp.any():
        colours[scalp] = look.hair
    return np.asarray(colours)


def _neck(look: Look) -> list[Cloth]:
    thin = 1 - 0.14 * look.curve
    rings = [
        (1.455, 0.070, 0.060, 0.012, CHEST, 0.0), (1.49, 0.058, 0.058, 0.010, CHEST, 0.3),
        (1.53, 0.053, 0.056, 0.006, CHEST, 0.7), (1.60, 0.053, 0.058, 0.010, HEAD, 0.0),
    ]  # fmt: skip
    return [tube([Ring((0, y, z), w * thin, d * thin, look.skin, b, HEAD, s) for y, w, d, z, b, s in rings], 14)]


def _at(look: Look, turn: float, rise: float, out: float = 0.0) -> Floats:
    """A point `out` metres before the face: turn from straight ahead to the right, rad."""
    point = _skull(np.array([np.pi / 2 - turn]), np.array([rise]), look)[0]
    away = point - HEAD_AT
    return np.asarray(point + away / np.linalg.norm(away) * out)


def _eyes(look: Look) -> list[Cloth]:
    brow = shade(look.hair, 0.8) if sum(look.hair) < 1.4 else shade(look.skin, 0.62)
    parts = []
    for side in (-1, 1):
        eye = _eye(look, side)
        parts.append(ball(eye, (0.0145, 0.0062, 0.008), (0.90, 0.89, 0.87), HEAD, 5, 10))
        parts.append(
            ball(eye + np.array([0, -0.0003, -0.0045]), (0.0060, 0.0058, 0.005), (0.16, 0.11, 0.08), HEAD, 5, 8)
        )
        parts.append(
            ball(_at(look, side * 0.39, 0.225, 0.0005), (0.0195, 0.0036, 0.0065), brow, HEAD, 4, 8, -side * 0.10)
        )
    return parts


def _eye(look: Look, side: int) -> Floats:
    return _at(look, side * 0.375, 0.055, -0.006)


def small(look: Look) -> list[Cloth]:
    """What shows from near only: lids and glasses."""
    parts = []
    for side in (-1, 1):
        eye = _eye(look, side)
        parts.append(
            ball(eye + np.array([0, 0.0058, -0.001]), (0.0158, 0.0030, 0.0085), shade(look.skin, 0.55), HEAD, 4, 10)
        )
        if look.glasses:
            parts.extend(_lens(eye + np.array([side * 0.001, -0.001, -0.013])))
    if look.glasses:
        parts.append(ball(_at(look, 0.0, 0.04, 0.004), (0.012, 0.0022, 0.002), (0.08, 0.08, 0.09), HEAD, 3, 6))
    return parts


def _lens(middle: Floats) -> list[Cloth]:
    """A frame round an eye."""
    turn = np.arange(12) / 12 * 2 * np.pi
    made = []
    for angle in turn.tolist():
        at = middle + np.array([0.0235 * np.cos(angle), 0.0165 * np.sin(angle), 0.0])
        made.append(
            ball(
                at,
                (0.0062, 0.0022, 0.002),
                (0.08, 0.08, 0.09),
                HEAD,
                3,
                4,
                float(np.arctan2(0.0165 * np.cos(angle), -0.0235 * np.sin(angle))),
            )
        )
    return made


def _ears(look: Look) -> list[Cloth]:
    if look.cut in ("bob", "long"):
        return []
    tone = shade(look.skin, 0.93)
    return [
        ball(HEAD_AT + np.array([side * 0.0745, -0.006, 0.012]), (0.009, 0.031, 0.018), tone, HEAD, 6, 8, side * -0.12)
        for side in (-1, 1)
    ]


def _hair(look: Look) -> list[Cloth]:
    if look.cut in ("bald", "crop"):
        return []
    parts = [_cap(look)]
    if look.cut == "bun":
        parts.append(
            ball(HEAD_AT + np.array([0, 0.06, 0.105]), (0.042, 0.040, 0.038), shade(look.hair, 0.95), HEAD, 7, 12)
        )
    if look.cut in ("long", "bob"):
        parts.append(_fall(look))
    return parts


def _cap(look: Look) -> Cloth:
    """Over the skull from the crown down to the hairline."""
    rows, around = 12, 32
    turn = np.arange(around) / around * 2 * np.pi + np.pi / 2
    ahead = np.cos(turn - np.pi / 2)  # 1 in front, -1 behind
    sides = np.abs(np.sin(turn - np.pi / 2))
    line = np.where(ahead > 0, 0.20 + 0.46 * np.clip(ahead, 0, 1) ** 0.7, 0.20 + 0.85 * ahead)
    if look.cut == "short":
        line = line + 0.04 * np.sin(5 * turn + look.folds) * (ahead > 0.3)
    else:
        line = line - 0.45 * sides * (ahead < 0.75) * (ahead > -0.2)
    share = np.linspace(0.0, 1.0, rows)[:, None]
    rise = line[None] + (np.pi / 2 * 0.97 - line[None]) * share
    thick = {"short": 0.017, "bob": 0.020, "long": 0.018, "bun": 0.010}[look.cut]
    out = thick * np.clip(share * 5 + 0.12, 0, 1) ** 0.6 * (1 + 0.10 * np.sin(9 * turn + look.folds)[None])
    points = _skull(np.broadcast_to(turn, rise.shape), rise, look)
    away = points - HEAD_AT
    points = points + away / np.linalg.norm(away, axis=2, keepdims=True) * out[..., None]
    strands = 1 + 0.16 * np.sin(13 * turn + look.folds)[None] * np.sin(7 * rise + 2 * turn) - 0.18 * (1 - share)
    return shell(points, np.array(look.hair) * strands[..., None], HEAD, bottom=False)


def _fall(look: Look) -> Cloth:
    """Hair that hangs: a curtain round the back of the head, thick at the edge."""
    end = 1.545 if look.cut == "bob" else 1.36
    heights = np.linspace(end, 1.70, 9)
    open_ = 2.15 if look.cut == "bob" else 1.95  # rad from behind to each front edge
    half = np.linspace(-open_, open_, 15)
    rows, colours = [], []
    for y in heights:
        drop = np.clip((1.62 - y) / 0.25, 0, 1)
        wide, deep = 0.094 + 0.010 * drop, 0.110 - 0.016 * drop
        back = 0.004 + 0.016 * drop
        outer = np.stack([np.sin(half) * wide, np.full(15, y), np.cos(half) * deep + HEAD_AT[2] + back], axis=1)
        inner = np.stack(
            [np.sin(half) * (wide - 0.022), np.full(15, y), np.cos(half) * (deep - 0.022) + HEAD_AT[2] + back], axis=1
        )
        rows.append(np.concatenate([outer, inner[::-1]]))
        strand = 1 + 0.14 * np.sin(11 * half + look.folds) - 0.10 * drop
        both = np.concatenate([strand, strand[::-1] * 0.7])
        colours.append(np.array(look.hair) * both[:, None])
    solid = shell(np.array(rows), np.array(colours), HEAD, top=False)
    share = np.clip((1.56 - solid.points[..., 1]) / 0.15, 0, 0.85)
    return replace(solid, second=np.full(share.shape, CHEST), share=share)
