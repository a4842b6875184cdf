"""What is photographed: villas, streets, towers, colonnades, rooms with the sun in them, things on a table.

Each scene is built of boxes (boxes.py) and taken from a place of its own; one print in three is black and white.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from nav_eval_worlds.exact import Floats, cos_turns, sin_turns
from nav_eval_worlds.surfaces.boxes import Boxes, Point
from nav_eval_worlds.surfaces.easel import SHORT, Easel
from nav_eval_worlds.surfaces.noise import Colour

_STONES: tuple[Colour, ...] = ((226, 220, 208), (206, 196, 180), (176, 172, 168), (196, 150, 116), (150, 152, 156))
_GLASS: Colour = (58, 74, 90)
_LAWNS: tuple[Colour, ...] = ((104, 128, 72), (126, 138, 84), (150, 146, 130), (176, 166, 140))
_FLOORS: tuple[Colour, ...] = ((190, 152, 108), (150, 112, 80), (206, 198, 188), (120, 92, 70))


def villa(e: Easel) -> None:
    """A flat-roofed house of two or three volumes on a lawn, a wall or a pool before it."""
    scene = Boxes(_sun(e))
    scene.add((-200, -1, -200), (200, 0, 200), e.stream.choice(_LAWNS), _grass)
    wall, wood = e.stream.choice(_STONES), e.stream.choice(((140, 96, 64), (92, 80, 74), (176, 128, 84)))
    wide, deep, out = e.part(900, 1500), e.part(500, 800), e.part(-300, 300)
    scene.add((-wide / 2, 0, -deep), (wide / 2, 3.1, 0), wall)
    scene.add((-wide / 2 - 0.9, 3.1, -deep), (wide / 2 + 0.9, 3.45, 1.6), (236, 234, 230))
    upper = e.part(450, 750)
    scene.add((out - upper / 2, 3.45, -deep + 0.5), (out + upper / 2, 6.3, -0.6), wood, _boarded)
    scene.add((out - upper / 2 - 0.5, 6.3, -deep), (out + upper / 2 + 0.5, 6.6, 0.2), (236, 234, 230))
    for k in range(e.stream.between(2, 4)):
        x = -wide / 2 + 1.1 + 2.9 * k
        scene.add((x, 0.3 * (k % 2), 0), (x + 2.3, 2.7, 0.04), _GLASS, partial(_panes, 0.77, 9.0))
    scene.add((out - upper / 3, 4.2, -0.6), (out + upper / 4, 5.7, -0.55), _GLASS, partial(_panes, 0.9, 9.0))
    if e.stream.chance(50):
        scene.add((-wide / 3, 0.0, 3.0), (wide / 3, 0.03, 7.0), (70, 140, 160))
    else:
        scene.add((-wide, 0, 4.5), (e.part(-300, 100), 0.8, 4.8), wall)
    for x in (e.part(-1300, -900), e.part(850, 1300), e.part(1400, 2000)):
        _tree(scene, e, x, e.part(-900, 100))
    eye = (e.part(-900, 900), e.part(150, 260), e.part(1300, 1900))
    _print(e, scene, eye, (out * 0.4, e.part(230, 330), 0.0), e.part(150, 230))


def street_photo(e: Easel) -> None:
    """Fronts on both sides of a street that runs away, sun on one of them."""
    scene = Boxes(_sun(e))
    scene.add((-400, -1, -400), (400, 0, 40), (118, 116, 114), partial(_uneven, 0.6))
    half = e.part(350, 700)
    for side in (-1.0, 1.0):
        z = 3.0
        while z > -140:
            wide, tall, step = e.part(600, 1400), e.part(700, 1900), e.part(0, 90)
            x0, x1 = sorted((side * (half + step), side * (half + 14)))
            paint = partial(_fronted, e.part(220, 330), e.part(280, 340))
            scene.add((x0, 0, z - wide), (x1, tall, z - 0.15), e.stream.choice((*_STONES, e.any())), paint)
            scene.add((x0 - 0.25, tall, z - wide), (x1 + 0.25, tall + 0.4, z - 0.15), (214, 208, 198))
            z -= wide
        x0, x1 = sorted((side * (half - 1.8), side * half))
        scene.add((x0, 0, -200), (x1, 0.14, 6), (170, 166, 160))
    for k in range(e.stream.between(2, 5)):
        side = e.stream.choice((-1.0, 1.0))
        _car(scene, e, side * (half - 2.8), -5.0 - 8.5 * k)
    _print(e, scene, (e.part(-150, 150), 1.7, 6.0), (e.part(-250, 250), e.part(250, 480), -30.0), e.part(110, 170))


def towers(e: Easel) -> None:
    """High houses of glass and stone from below, or a skyline across water."""
    scene = Boxes(_sun(e))
    far = e.stream.chance(50)
    scene.add((-900, -1, -900), (900, 0, 900), (84, 112, 130) if far else (130, 128, 124), _rippled if far else None)
    for _ in range(26 if far else 10):
        x, z = e.part(-17000, 17000) if far else e.part(-4500, 4500), e.part(-22000, -13000)
        z = z if far else z / 3.5
        wide, tall = e.part(1100, 2400), e.part(2500, 12000)
        tone = e.stream.choice((*_STONES, (120, 140, 156), (96, 108, 124)))
        paint = e.stream.choice((partial(_fronted, 3.2, 3.6), partial(_panes, 3.0, 3.4), partial(_panes, 1.6, 30.0)))
        scene.add((x, 0, z - wide), (x + wide, tall, z), tone, paint)
    if far:
        _print(e, scene, (0.0, 8.0, 40.0), (e.part(-2500, 2500), 45.0, -150.0), e.part(190, 280))
    else:
        _print(e, scene, (0.0, 1.7, 0.0), (e.part(-1500, 1500), e.part(2400, 3600), -40.0), e.part(80, 110))


def colonnade(e: Easel) -> None:
    """Piers and their long shadows on a floor of stone."""
    scene = Boxes(_sun(e))
    stone, step, thick = e.stream.choice(_STONES), e.part(260, 420), e.part(50, 110)
    scene.add((-60, -1, -120), (60, 0, 20), stone, partial(_paved, e.part(90, 180)))
    scene.add((-9.0, 0, -120), (-6.5, 9.0, 20), stone, partial(_paved, 1.3))
    for k in range(22):
        scene.add((2.2, 0, 4.0 - step * k), (2.2 + thick, 5.6, 4.0 - step * k + thick), stone)
    scene.add((1.9, 5.6, -120), (2.5 + thick, 6.6, 8.0), stone)
    if e.stream.chance(60):
        scene.add((-6.5, 6.6, -120), (2.5 + thick, 7.0, 8.0), stone)
    x, z = e.part(-350, 100), e.part(-1600, -500)
    _person(scene, e, x, z)
    _print(e, scene, (e.part(-400, -50), 1.6, 8.0), (e.part(-200, 150), e.part(180, 300), -16.0), e.part(115, 190))


def room_photo(e: Easel) -> None:
    """A corner of a room: the sun falls through a window onto a seat, a low table and a rug."""
    angle, up = e.part(-60, 60), e.part(35, 75)
    scene = Boxes((angle, up, 1.0), (2.0, 1.75, 1.35), (0.42, 0.44, 0.46), 0.84)
    wall, floor = e.stream.choice((*_STONES[:3], e.any())), e.stream.choice(_FLOORS)
    scene.add((-6, -0.2, -4), (6, 0, 9), floor, partial(_laid, e.part(12, 20)))
    scene.add((-6, 0, -4.3), (6, 3.2, -4), wall)
    scene.add((-4.4, 0, -4), (-4.1, 3.2, 9), wall)
    left, wide, sill = e.part(-250, 0), e.part(150, 260), e.part(20, 90)
    for low, high in (
        ((-6.0, 0.0, 3.6), (left, 3.2, 3.9)), ((left + wide, 0.0, 3.6), (6.0, 3.2, 3.9)),
        ((left, 0.0, 3.6), (left + wide, sill, 3.9)), ((left, 2.5, 3.6), (left + wide, 3.2, 3.9)),
        ((left + wide / 2 - 0.04, sill, 3.65), (left + wide / 2 + 0.04, 2.5, 3.75)),
        ((left, 1.7, 3.66), (left + wide, 1.77, 3.74)), ((-6.0, 3.2, -4.0), (6.0, 3.4, 3.9)),
    ):  # fmt: skip
        scene.add(low, high, (240, 238, 234))
    cloth, x = e.any(), e.part(-200, 60)
    _seat(scene, x, -3.2, e.part(150, 230), cloth, e.any())
    scene.add((x - 0.2, 0, -2.3), (x + 2.4, 0.02, 0.2), e.any(), _woven)
    scene.add((x + 0.4, 0.36, -1.6), (x + 1.5, 0.4, -0.9), e.stream.choice(_FLOORS))
    for a, b in ((x + 0.45, -1.55), (x + 1.4, -1.55), (x + 0.45, -0.98), (x + 1.4, -0.98)):
        scene.add((a, 0, b), (a + 0.05, 0.36, b + 0.05), (70, 58, 50))
    scene.add((x + 0.7, 0.4, -1.4), (x + 0.85, 0.62, -1.25), e.any())
    scene.add((x + 0.3, 1.5, -4.0), (x + 1.3, 2.2, -3.96), e.any(), _woven)
    _plant(scene, e, -3.7 if e.stream.chance(60) else 2.6, -3.5)
    _print(e, scene, (e.part(0, 220), 1.45, 3.3), (x + 0.7, e.part(80, 120), -3.5), e.part(180, 270))


def still_photo(e: Easel) -> None:
    """Plain solids on a table in raking light, close up."""
    scene = Boxes((e.part(-90, 90), e.part(35, 80), e.part(20, 90)))
    scene.add((-3, -0.3, -3), (3, 0, 3), e.stream.choice((*_FLOORS, *_STONES)), partial(_uneven, 14.0))
    scene.add((-3, -0.3, -2.2), (3, 4, -2.0), e.any())
    z = 0.2
    for k in range(e.stream.between(4, 7)):
        x, w, tall = e.part(-85, 75), e.part(14, 34), e.part(12, 95)
        scene.add((x, 0, z - w), (x + w, tall, z), e.any() if k % 2 else e.stream.choice(_STONES))
        if e.stream.chance(40):
            scene.add((x - 0.06, tall, z - w), (x + w + 0.06, tall + 0.07, z), e.any())
        z -= 0.16
    _print(e, scene, (e.part(-80, 80), e.part(70, 130), 2.6), (0.0, e.part(34, 50), -0.4), e.part(260, 360))


def _print(e: Easel, scene: Boxes, eye: Point, at: Point, zoom: float) -> None:
    """Takes the picture and prints it: in colour, warm or grey, with a border or without."""
    e.image = scene.taken(eye, at, zoom, (e.image.shape[0], e.image.shape[1]))
    look = e.stream.below(6)
    if look < 2:
        grey = e.image[..., :1] * 0.3 + e.image[..., 1:2] * 0.59 + e.image[..., 2:] * 0.11
        e.image = grey * np.asarray(((1.0, 1.0, 1.0), (1.05, 0.97, 0.84))[look])
    e.image = e.image * (0.97 + 0.06 * e.grain(SHORT, 1))[..., None]
    if e.stream.chance(50):
        e.matted(0.06)


def _sun(e: Easel) -> Point:
    """From a side, before what is seen; low or high."""
    return (e.stream.choice((-1.0, 1.0)) * e.part(35, 120), e.part(35, 130), e.part(25, 110))


def _tree(scene: Boxes, e: Easel, x: float, z: float) -> None:
    """A stem, and leaves in clumps."""
    tall, green = e.part(350, 650), e.stream.choice(((70, 96, 52), (92, 112, 60), (58, 82, 58)))
    scene.add((x - 0.15, 0, z - 0.15), (x + 0.15, tall, z + 0.15), (84, 70, 58))
    for k in range(9):
        r, a = e.part(60, 110), k / 9
        dx, dz = (float(turn(np.asarray([a]))[0]) * e.part(30, 130) for turn in (cos_turns, sin_turns))
        y = tall + e.part(-120, 160)
        scene.add((x + dx - r, y - r * 0.7, z + dz - r), (x + dx + r, y + r * 0.7, z + dz + r), green, _leafy)


def _car(scene: Boxes, e: Easel, x: float, z: float) -> None:
    tone = e.stream.choice(((150, 40, 40), (60, 70, 90), (220, 220, 218), (40, 42, 46), (120, 140, 120)))
    scene.add((x - 0.85, 0.3, z - 4.2), (x + 0.85, 0.85, z), tone)
    scene.add((x - 0.7, 0.85, z - 3.4), (x + 0.7, 1.4, z - 0.9), _GLASS)
    scene.add((x - 0.7, 1.4, z - 3.3), (x + 0.7, 1.46, z - 1.0), tone)
    for b in (z - 3.5, z - 1.2):
        scene.add((x - 0.88, 0.0, b), (x + 0.88, 0.6, b + 0.6), (30, 30, 32))


def _person(scene: Boxes, e: Easel, x: float, z: float) -> None:
    coat = e.any()
    for side in (-0.14, 0.03):
        scene.add((x + side, 0, z), (x + side + 0.12, 0.85, z + 0.15), (44, 46, 54))
    scene.add((x - 0.22, 0.8, z - 0.03), (x + 0.22, 1.45, z + 0.2), coat)
    scene.add((x - 0.1, 1.5, z), (x + 0.1, 1.75, z + 0.18), (120, 88, 66))


def _seat(scene: Boxes, x: float, z: float, wide: float, cloth: Colour, other: Colour) -> None:
    """A sofa of cushions, its back to -z."""
    scene.add((x, 0.12, z - 0.45), (x + wide, 0.38, z + 0.42), cloth)
    scene.add((x, 0.38, z - 0.45), (x + wide, 0.85, z - 0.22), cloth)
    for side in (x, x + wide - 0.16):
        scene.add((side, 0.12, z - 0.45), (side + 0.16, 0.62, z + 0.42), cloth)
    for k in range(2):
        a = x + 0.18 + (wide - 0.34) / 2 * k
        scene.add((a, 0.38, z - 0.22), (a + (wide - 0.38) / 2, 0.5, z + 0.4), cloth)
    scene.add((x + 0.25, 0.5, z - 0.2), (x + 0.65, 0.88, z - 0.08), other, _woven)


def _plant(scene: Boxes, e: Easel, x: float, z: float) -> None:
    scene.add((x - 0.18, 0, z - 0.18), (x + 0.18, 0.36, z + 0.18), e.stream.choice(_STONES))
    for _ in range(16):
        a, y, b = x + e.part(-34, 34), e.part(45, 150), z + e.part(-30, 30)
        scene.add((a - 0.12, y, b - 0.02), (a + 0.1, y + 0.16, b + 0.03), (70, 104, 62), _leafy)
    scene.add((x - 0.02, 0.36, z - 0.02), (x + 0.02, 1.3, z + 0.02), (84, 70, 50))


def _wave(values: Floats) -> Floats:
    return np.asarray(sin_turns(values - np.floor(values)))


def _uneven(fine: float, at: Floats, normals: Floats) -> Floats:
    """As asphalt or wood is; `fine`: bumps a metre."""
    return np.asarray(
        1
        + 0.05 * _wave(at[:, 0] * fine * 0.31 + 0.2 * _wave(at[:, 2] * fine))
        + 0.04 * _wave(at[:, 2] * fine * 0.7 + at[:, 0] * 0.13)
    )


def _grass(at: Floats, normals: Floats) -> Floats:
    return np.asarray(1 + 0.06 * _wave(at[:, 0] * 0.37 + 0.7 * _wave(at[:, 2] * 0.29)) + 0.05 * _wave(at[:, 2] * 0.11))


def _rippled(at: Floats, normals: Floats) -> Floats:
    return np.asarray(1 + 0.16 * _wave(at[:, 2] * 0.09 + 0.3 * _wave(at[:, 0] * 0.013)) + 0.08 * _wave(at[:, 2] * 0.31))


def _leafy(at: Floats, normals: Floats) -> Floats:
    return np.asarray(1 + 0.3 * _wave(at[:, 0] * 2.9 + at[:, 1] * 2.1) * _wave(at[:, 1] * 3.7 - at[:, 2] * 2.3))


def _woven(at: Floats, normals: Floats) -> Floats:
    return np.asarray(1 + 0.16 * np.where((at[:, 0] * 3 - np.floor(at[:, 0] * 3)) < 0.3, -1.0, 0.6))


def _boarded(at: Floats, normals: Floats) -> Floats:
    return np.where((at[:, 1] * 7 - np.floor(at[:, 1] * 7)) < 0.14, 0.6, 1.0)


def _along(at: Floats, normals: Floats) -> Floats:
    """Metres along a wall."""
    return np.where(np.abs(normals[:, 0]) > 0.5, at[:, 2], at[:, 0])


def _laid(wide: float, at: Floats, normals: Floats) -> Floats:
    """Boards that run to the back."""
    x = at[:, 0] / wide
    board = np.floor(x)
    return np.where(x - board < 0.05, 0.6, 0.9 + 0.14 * _wave(board * 0.37))


def _paved(wide: float, at: Floats, normals: Floats) -> Floats:
    """Slabs with joints."""
    u = _along(at, normals) / wide
    v = np.where(np.abs(normals[:, 1]) > 0.5, at[:, 2], at[:, 1]) / wide
    joint = np.minimum(u - np.floor(u), v - np.floor(v)) < 0.02
    return np.where(joint, 0.7, 0.95 + 0.07 * _wave(np.floor(u) * 0.37 + np.floor(v) * 0.23))


def _fronted(wide: float, high: float, at: Floats, normals: Floats) -> Floats:
    """A front with windows, a sill below each, some of them lit by the sky."""
    u, v = _along(at, normals) / wide, at[:, 1] / high
    a, b = u - np.floor(u), v - np.floor(v)
    pane = (a > 0.3) & (a < 0.7) & (b > 0.28) & (b < 0.82) & (np.abs(normals[:, 1]) < 0.5)
    bar = np.abs(a - 0.5) < 0.02
    shine = 0.22 + 0.16 * _wave(np.floor(u) * 0.37 + np.floor(v) * 0.61)
    sill = (a > 0.26) & (a < 0.74) & (b > 0.23) & (b <= 0.28)
    return np.where(pane & ~bar, shine, np.where(sill, 1.25, 1.0))


def _panes(wide: float, high: float, at: Floats, normals: Floats) -> Floats:
    """Glass in bars."""
    u, v = _along(at, normals) / wide, at[:, 1] / high
    bar = np.minimum(u - np.floor(u), v - np.floor(v)) < 0.08
    return np.where(bar, 2.2, 0.8 + 0.5 * _wave(np.floor(u) * 0.31 + np.floor(v) * 0.17))
