"""Chairs at tables and desks, stools and benches."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Family, Made, beam, legs, pegs
from nav_eval_worlds.surfaces.parametric import Model

_W, _D = 0.46, 0.5


def _posts(m: Model, wood: str, top: float, thick: float = 0.04) -> None:
    """The two rear posts above the seat."""
    for s in (-1, 1):
        x, h = s * (_W / 2 - 0.03), thick / 2
        m.box((x - h, 0.44, -_D / 2), (x + h, top, -_D / 2 + thick), wood, skip="d")


def ladder_chair(stream: Stream) -> Made:
    """Rungs across the back."""
    wood, fabric = stream.choice(("wood", "wood2")), stream.choice(("fabric2", "fabric3", "leather"))
    m = Model()
    legs(m, _W, _D, 0.43, wood, 0.04, 0.01)
    m.box((-_W / 2, 0.4, -_D / 2), (_W / 2, 0.44, _D / 2), wood)
    m.cushion((-_W / 2 + 0.015, 0.43, -_D / 2 + 0.03), (_W / 2 - 0.015, 0.49, _D / 2 - 0.01), fabric, 0.025)
    _posts(m, wood, 0.94)
    for y in (0.62, 0.74, 0.86):
        m.box((-_W / 2 + 0.05, y, -_D / 2 + 0.005), (_W / 2 - 0.05, y + 0.07, -_D / 2 + 0.03), wood)
    return Made("chair", m, (_W, 0.94, _D))


def spindle_chair(stream: Stream) -> Made:
    """A saddle seat with spindles under a bent rail."""
    wood = stream.choice(("wood", "wood2", "dark"))
    m = Model()
    pegs(m, 0.46, 0.48, 0.44, wood, 0.06)
    m.cushion((-0.22, 0.42, -0.21), (0.22, 0.46, 0.23), wood, 0.02, skip="")
    for k in range(6):
        x = -0.17 + k * 0.068
        beam(m, (x, 0.45, -0.18), (x * 1.15, 0.84, -0.24), 0.014, wood)
    m.box((-0.22, 0.83, -0.25), (0.22, 0.9, -0.225), wood)
    return Made("chair", m, (_W, 0.9, _D))


def shell_chair(stream: Stream) -> Made:
    """A moulded shell on wooden pegs."""
    shell = stream.choice(("white", "fabric2", "dark", "fabric3"))
    m = Model()
    pegs(m, 0.46, 0.46, 0.42, "wood", 0.09)
    beam(m, (-0.16, 0.36, -0.15), (0.16, 0.36, 0.15), 0.012, "dark")
    beam(m, (0.16, 0.36, -0.15), (-0.16, 0.36, 0.15), 0.012, "dark")
    m.cushion((-0.22, 0.41, -0.2), (0.22, 0.455, 0.23), shell, 0.02, skip="")
    m.cushion((-0.21, 0.44, -0.245), (0.21, 0.82, -0.19), shell, 0.05, skip="")
    for s in (-1, 1):
        m.box((s * 0.21 - 0.015, 0.44, -0.22), (s * 0.21 + 0.015, 0.6, 0.02), shell)
    return Made("chair", m, (0.48, 0.82, _D))


def padded_dining_chair(stream: Stream) -> Made:
    """Upholstered all over."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2", "leather"))
    m = Model()
    pegs(m, _W, _D - 0.02, 0.42, stream.choice(("wood", "dark")), 0.02)
    m.cushion((-_W / 2, 0.38, -_D / 2 + 0.02), (_W / 2, 0.49, _D / 2), fabric, 0.04, skip="")
    m.cushion((-_W / 2 + 0.01, 0.46, -_D / 2), (_W / 2 - 0.01, 0.92, -_D / 2 + 0.09), fabric, 0.04, skip="")
    return Made("chair", m, (_W, 0.92, _D))


def wishbone_chair(stream: Stream) -> Made:
    """A bent rail on a Y-shaped splat, the seat of cord."""
    m = Model()
    wood = stream.choice(("wood", "dark", "wood2"))
    legs(m, _W, _D, 0.44, wood, 0.034, 0.01)
    m.box((-_W / 2 + 0.02, 0.4, -_D / 2 + 0.02), (_W / 2 - 0.02, 0.44, _D / 2 - 0.02), "basket", skip="d")
    _posts(m, wood, 0.74, 0.034)
    beam(m, (0, 0.44, -0.235), (0, 0.56, -0.235), 0.05, wood)
    for s in (-1, 1):
        beam(m, (0, 0.55, -0.235), (s * 0.08, 0.73, -0.235), 0.024, wood)
        beam(m, (s * 0.21, 0.735, -0.236), (s * 0.22, 0.7, 0.02), 0.032, wood)
        m.box((s * 0.22 - 0.015, 0.44, -0.01), (s * 0.22 + 0.009, 0.7, 0.02), wood, skip="ud")
    m.box((-_W / 2 + 0.01, 0.72, -_D / 2), (_W / 2 - 0.01, 0.755, -_D / 2 + 0.035), wood)
    return Made("chair", m, (_W, 0.76, _D))


def cross_chair(stream: Stream) -> Made:
    """A café chair whose back is crossed."""
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    legs(m, _W, _D, 0.43, wood, 0.035, 0.01)
    m.box((-_W / 2 + 0.01, 0.4, -_D / 2 + 0.01), (_W / 2 - 0.01, 0.435, _D / 2 - 0.01), wood)
    m.box((-_W / 2 + 0.03, 0.435, -_D / 2 + 0.04), (_W / 2 - 0.03, 0.45, _D / 2 - 0.02), "basket", skip="d")
    _posts(m, wood, 0.88, 0.035)
    m.box((-_W / 2 + 0.01, 0.85, -_D / 2), (_W / 2 - 0.01, 0.9, -_D / 2 + 0.035), wood)
    for s in (-1, 1):
        z = -_D / 2 + 0.018 + 0.002 * s
        beam(m, (s * 0.19, 0.48, z), (-s * 0.19, 0.85, z), 0.024, wood)
    return Made("chair", m, (_W, 0.9, _D))


def carved_chair(stream: Stream) -> Made:
    """Dark wood, a tall splat, a padded seat."""
    wood = "wood2" if stream.chance(60) else "wood"
    m = Model()
    legs(m, _W, _D, 0.43, wood, 0.045, 0.005)
    m.box((-_W / 2, 0.38, -_D / 2), (_W / 2, 0.44, _D / 2), wood)
    m.cushion((-_W / 2 + 0.01, 0.43, -_D / 2 + 0.04), (_W / 2 - 0.01, 0.5, _D / 2 - 0.01), "fabric2", 0.03)
    _posts(m, wood, 1.02, 0.045)
    m.cushion((-_W / 2, 0.97, -_D / 2), (_W / 2, 1.06, -_D / 2 + 0.045), wood, 0.02, skip="")
    m.box((-0.08, 0.5, -_D / 2 + 0.01), (0.08, 0.98, -_D / 2 + 0.035), wood, skip="ud")
    return Made("chair", m, (_W, 1.06, _D))


def metal_chair(stream: Stream) -> Made:
    """Pressed sheet metal, as in a workshop."""
    skin = stream.choice(("metal2", "metal", "dark"))
    m = Model()
    pegs(m, _W, _D, 0.44, skin, 0.06)
    m.cushion((-0.18, 0.42, -0.18), (0.18, 0.455, 0.2), skin, 0.015, skip="")
    for s in (-1, 1):
        beam(m, (s * 0.17, 0.44, -0.16), (s * 0.16, 0.84, -0.22), 0.026, skin)
    m.box((-0.17, 0.78, -0.235), (0.17, 0.85, -0.215), skin)
    m.box((-0.05, 0.46, -0.225), (0.05, 0.8, -0.21), skin, skip="ud")
    return Made("chair", m, (_W, 0.86, _D))


def cantilever_chair(stream: Stream) -> Made:
    """A bent steel tube carries the seat and the back."""
    cloth = stream.choice(("leather", "dark", "basket"))
    m = Model()
    for x in (-0.21, 0.21):
        m.tube([(x, 0.013, -0.2), (x, 0.013, 0.2), (x, 0.06, 0.23), (x, 0.4, 0.22), (x, 0.44, 0.18), (x, 0.43, -0.16),
                (x, 0.5, -0.21), (x, 0.84, -0.235)], 0.013, "metal", 5)  # fmt: skip
    m.box((-0.21, 0.0, -0.21), (0.21, 0.026, -0.19), "metal", skip="d")
    m.cushion((-0.22, 0.43, -0.17), (0.22, 0.47, 0.2), cloth, 0.015, skip="")
    m.cushion((-0.22, 0.58, -0.245), (0.22, 0.83, -0.2), cloth, 0.015, skip="")
    return Made("chair", m, (_W, 0.84, _D))


dining_chair = Family(
    ladder_chair, spindle_chair, shell_chair, padded_dining_chair, wishbone_chair, cross_chair, carved_chair,
    metal_chair, cantilever_chair,
)  # fmt: skip


def wood_stool(stream: Stream) -> Made:
    m = Model()
    pegs(m, 0.4, 0.4, 0.64, stream.choice(("wood", "wood2")), 0.06)
    for z in (-0.16, 0.16):
        beam(m, (-0.16, 0.22, z), (0.16, 0.22, z), 0.02, "wood")
    m.lathe([(0.0, 0.63), (0.17, 0.63), (0.175, 0.65), (0.16, 0.67), (0.0, 0.665)], "wood", least=10)
    return Made("stool", m, (0.4, 0.67, 0.4))


def metal_stool(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.2, 0.0), (0.2, 0.015), (0.03, 0.03), (0.022, 0.3), (0.022, 0.6)], "metal2", least=10)
    m.lathe([(0.13, 0.24), (0.14, 0.25), (0.13, 0.26)], "metal2", least=8)
    m.lathe(
        [(0.0, 0.6), (0.17, 0.6), (0.18, 0.65), (0.16, 0.68), (0.0, 0.69)], stream.choice(("leather", "wood")), least=10
    )
    return Made("stool", m, (0.4, 0.69, 0.4))


def back_stool(stream: Stream) -> Made:
    """An upholstered seat with a low back on thin legs."""
    fabric = stream.choice(("fabric0", "fabric2", "leather"))
    m = Model()
    pegs(m, 0.42, 0.42, 0.6, stream.choice(("dark", "wood")), 0.04)
    m.box((-0.17, 0.2, 0.15), (0.17, 0.22, 0.17), "metal2")
    m.cushion((-0.2, 0.58, -0.2), (0.2, 0.68, 0.2), fabric, 0.04, skip="")
    m.cushion((-0.2, 0.64, -0.21), (0.2, 0.92, -0.15), fabric, 0.025, skip="")
    return Made("stool", m, (0.42, 0.92, 0.42))


stool = Family(wood_stool, metal_stool, back_stool)


def task_chair(stream: Stream) -> Made:
    """A swivel chair on a five-armed foot."""
    fabric = stream.choice(("dark", "fabric1", "leather"))
    m = Model()
    _star(m, "dark")
    m.cushion((-0.25, 0.44, -0.24), (0.25, 0.54, 0.26), fabric, 0.05, skip="")
    m.box((-0.05, 0.46, -0.28), (0.05, 0.75, -0.25), "dark")
    m.cushion((-0.23, 0.62, -0.3), (0.23, 1.08, -0.22), fabric, 0.04, skip="")
    for s in (-1, 1):
        m.tube([(s * 0.27, 0.5, 0.0), (s * 0.29, 0.7, 0.0)], 0.015, "dark")
        m.box((s * 0.29 - 0.03, 0.69, -0.14), (s * 0.29 + 0.03, 0.72, 0.14), "dark")
    return Made("chair", m, (0.66, 1.08, 0.66))


def _star(m: Model, arms: str) -> None:
    for x, z in ((0.3, 0.0), (0.09, 0.28), (-0.24, 0.18), (-0.24, -0.18), (0.09, -0.28)):
        beam(m, (x, 0.07, z), (0, 0.1, 0), 0.036, arms)
        m.box((x - 0.025, 0, z - 0.025), (x + 0.025, 0.06, z + 0.025), "dark", skip="d")
    m.tube([(0, 0.08, 0), (0, 0.46, 0)], 0.03, "metal", 6)


def executive_chair(stream: Stream) -> Made:
    """High, quilted leather with padded arms."""
    m = Model()
    _star(m, "metal")
    m.cushion((-0.27, 0.42, -0.24), (0.27, 0.55, 0.27), "leather", 0.06, skip="")
    for y in (0.56, 0.76, 0.96):
        m.cushion((-0.26, y - 0.02, -0.31), (0.26, y + 0.2, -0.19), "leather", 0.055, skip="")
    for s in (-1, 1):
        m.cushion((s * 0.29 - 0.035, 0.66, -0.22), (s * 0.29 + 0.035, 0.72, 0.14), "leather", 0.03, skip="")
        m.box((s * 0.29 - 0.015, 0.46, -0.1), (s * 0.29 + 0.015, 0.67, -0.06), "metal", skip="ud")
    return Made("chair", m, (0.66, 1.16, 0.66))


def shell_office_chair(stream: Stream) -> Made:
    """A thin shell on a star of metal."""
    shell = stream.choice(("white", "fabric1", "dark"))
    m = Model()
    _star(m, "metal")
    m.cushion((-0.23, 0.45, -0.22), (0.23, 0.5, 0.24), shell, 0.025, skip="")
    m.cushion((-0.23, 0.5, -0.27), (0.23, 0.92, -0.22), shell, 0.03, skip="")
    return Made("chair", m, (0.66, 0.92, 0.66))


office_chair = Family(task_chair, executive_chair, shell_office_chair)
