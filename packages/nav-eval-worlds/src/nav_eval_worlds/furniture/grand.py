"""Large things that some homes have: mirrors, fireplaces, pianos, an aquarium, a pool table, what one trains on."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.bath import upright
from nav_eval_worlds.furniture.made import Family, Made, beam, both_sides, four_corners, fronts, legs, pegs, slope
from nav_eval_worlds.surfaces.parametric import WHOLE, Model
from nav_eval_worlds.surfaces.styles import Style


def fireplace(stream: Stream, style: Style, ceiling: float) -> Made:
    """In a room of a height in metres."""
    return FIREPLACES(stream, style, ceiling)


def framed_mirror(stream: Stream) -> Made:
    w, h, t = stream.choice((0.6, 0.7, 0.8)), stream.choice((1.6, 1.8)), 0.05
    frame = stream.choice(("wood", "metal2", "wood2", "white"))
    m = Model()
    m.box((-w / 2, 0, -0.03), (w / 2, t, 0.03), frame)
    m.box((-w / 2, h - t, -0.03), (w / 2, h, 0.03), frame)
    for x0, x1 in both_sides(w / 2, w / 2 - t):
        m.box((x0, t, -0.03), (x1, h - t, 0.03), frame, skip="ud")
    m.card(-w / 2 + t, t, w / 2 - t, h - t, 0.01, "mirror", WHOLE)
    m.card(w / 2 - t, t, -w / 2 + t, h - t, -0.02, "dark")
    return Made("mirror", m, (w, h, 0.06))


def cheval_mirror(stream: Stream) -> Made:
    """On its own feet."""
    w, h, wood = 0.6, 1.65, stream.choice(("wood", "wood2", "white"))
    m = Model()
    for x in (-w / 2 + 0.02, w / 2 - 0.02):
        m.box((x - 0.02, 0.06, -0.02), (x + 0.02, h * 0.75, 0.02), wood, skip="d")
        m.box((x - 0.02, 0, -0.22), (x + 0.02, 0.06, 0.22), wood)
    m.box((-w / 2 + 0.05, 0.12, -0.02), (w / 2 - 0.05, h, 0.02), wood)
    m.card(-w / 2 + 0.09, 0.16, w / 2 - 0.09, h - 0.04, 0.021, "mirror", WHOLE)
    return Made("mirror", m, (w, h, 0.44))


mirror = Family(framed_mirror, cheval_mirror)
"""A tall mirror that leans on a wall or stands before it."""


def _hearth(m: Model, w: float, h: float, z: float, back: float) -> None:
    """An opening with a fire in it: sides, back and logs."""
    m.card(-w / 2, 0.05, w / 2, h, back, "fire", WHOLE)
    m.quad([(-w / 2, 0.05, z), (-w / 2, 0.05, back), (-w / 2, h, back), (-w / 2, h, z)], "brick")
    m.quad([(w / 2, 0.05, back), (w / 2, 0.05, z), (w / 2, h, z), (w / 2, h, back)], "brick")
    for x in (-0.1, 0.08):
        m.tube([(x - 0.16, 0.1, back + 0.1), (x + 0.16, 0.12, back + 0.08)], 0.035, "wood2", 5)


def mantel_fireplace(stream: Stream, ceiling: float) -> Made:
    """A surround with a shelf, of painted wood or of stone."""
    w, d, h, skin = 1.4, 0.36, 1.18, stream.choice(("white", "marble", "wood"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.05, d / 2), "stone", skip="d")
    for s in (-1, 1):
        x0, x1 = sorted((s * (w / 2 - 0.06), s * 0.38))
        m.box((x0, 0.05, -d / 2), (x1, h - 0.06, 0.06), skin, skip="d")
        a, b = sorted((s * (w / 2 - 0.12), s * 0.46))
        m.box((a, 0.14, 0.06), (b, h - 0.22, 0.08), skin, skip="b")
    m.box((-0.38, 0.72, -d / 2), (0.38, h - 0.06, 0.06), skin)
    m.box((-w / 2, h - 0.06, -d / 2), (w / 2, h, 0.13), skin)
    _hearth(m, 0.76, 0.72, 0.06, -d / 2 + 0.05)
    return Made("fireplace", m, (w, h, d))


def chimney_fireplace(stream: Stream, ceiling: float) -> Made:
    """A breast of brick or stone up to the ceiling, a beam as shelf."""
    w, d, h, skin = 1.5, 0.44, ceiling - 0.005, stream.choice(("brick", "stone", "brick"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.05, d / 2), "stone", skip="d")
    for x0, x1 in both_sides(w / 2 - 0.05, 0.4):
        m.box((x0, 0.05, -d / 2), (x1, 0.8, 0.08), skin, skip="du")
    m.box((-w / 2 + 0.05, 0.8, -d / 2), (w / 2 - 0.05, h, 0.08), skin)
    m.box((-w / 2, 1.15, 0.08), (w / 2, 1.25, 0.22), "wood", skip="b")
    _hearth(m, 0.8, 0.8, 0.08, -d / 2 + 0.05)
    return Made("fireplace", m, (w, h, d))


def iron_stove(stream: Stream, ceiling: float) -> Made:
    """A stove on legs with its pipe."""
    m = Model()
    m.box((-0.45, 0, -0.3), (0.45, 0.015, 0.3), "metal", skip="d")
    part = Model()
    legs(part, 0.5, 0.4, 0.2, "lacquer", 0.04)
    m.add(part, (0.0, 0.015, -0.04))
    m.box((-0.27, 0.2, -0.26), (0.27, 0.85, 0.18), "lacquer")
    m.box((-0.3, 0.85, -0.28), (0.3, 0.88, 0.2), "dark")
    m.card(-0.19, 0.36, 0.19, 0.72, 0.182, "fire", WHOLE)
    m.box((0.2, 0.5, 0.18), (0.23, 0.62, 0.21), "metal2", skip="b")
    m.tube([(0, 0.88, -0.1), (0, ceiling - 0.01, -0.1)], 0.07, "lacquer", 8)
    m.lathe([(0.07, ceiling - 0.01), (0.0, ceiling - 0.005)], "lacquer", (0, -0.1), 8)
    return Made("fireplace", m, (0.9, ceiling - 0.005, 0.6))


FIREPLACES = Family(mantel_fireplace, chimney_fireplace, iron_stove)


def _keys(m: Model, x0: float, x1: float, y: float, z0: float, z1: float) -> None:
    m.flat(x0, z0, x1, z1, y, "ceramic")
    n = 18
    for k in range(n):
        if k % 7 not in (2, 6):
            x = x0 + (k + 1) * (x1 - x0) / n
            m.box((x - 0.008, y, z0), (x + 0.008, y + 0.008, z0 + (z1 - z0) * 0.6), "lacquer", skip="db")


def upright_piano(stream: Stream) -> Made:
    w, d, h, skin = 1.48, 0.6, 1.2, stream.choice(("lacquer", "wood2", "wood"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, -d / 2 + 0.34), skin, skip="d")
    m.box((-w / 2 - 0.01, h - 0.03, -d / 2), (w / 2 + 0.01, h, -d / 2 + 0.37), skin)
    m.box((-w / 2, 0.58, -d / 2 + 0.34), (w / 2, 0.7, d / 2), skin)
    _keys(m, -w / 2 + 0.06, w / 2 - 0.06, 0.705, -d / 2 + 0.36, d / 2 - 0.03)
    for x0, x1 in both_sides(w / 2, w / 2 - 0.05):
        m.box((x0, 0, d / 2 - 0.06), (x1, 0.58, d / 2 - 0.01), skin, skip="u")
        m.box((x0, 0.7, -d / 2 + 0.34), (x1, 0.76, d / 2), skin, skip="d")
    m.box((-0.25, 0.86, -d / 2 + 0.34), (0.25, 1.1, -d / 2 + 0.36), "sheet", skip="b")
    for x in (-0.08, 0.0, 0.08):
        m.box((x - 0.015, 0.05, -d / 2 + 0.34), (x + 0.015, 0.07, -d / 2 + 0.44), "metal2", skip="b")
    return Made("piano", m, (w + 0.02, h, d))


def grand_piano(stream: Stream) -> Made:
    """A wing on three legs, its lid open; the keys at the front (+z)."""
    w, d, skin = 1.46, 1.6, stream.choice(("lacquer", "lacquer", "wood2"))
    m = Model()
    for x, z in ((-0.6, 0.5), (0.6, 0.5), (-0.25, -0.6)):
        m.lathe([(0.03, 0.0), (0.05, 0.1), (0.035, 0.3), (0.065, 0.62)], skin, (x, z), 7)
    steps = ((-0.8, 0.2), (-0.55, 0.5), (-0.25, 0.9), (0.05, 1.3))
    for k, (z, wide) in enumerate(steps):
        z1 = steps[k + 1][0] if k < 3 else 0.5
        m.box((-w / 2, 0.6, z), (-w / 2 + wide + 0.16, 0.92, z1), skin)
    m.box((-w / 2, 0.6, 0.5), (w / 2, 0.76, 0.8), skin)
    for x0, x1 in both_sides(w / 2, w / 2 - 0.06):
        m.box((x0, 0.76, 0.5), (x1, 0.88, 0.8), skin, skip="d")
    _keys(m, -w / 2 + 0.08, w / 2 - 0.08, 0.77, 0.54, 0.76)
    m.box((-0.28, 0.92, 0.4), (0.28, 1.12, 0.43), skin, skip="d")
    lid = [(-w / 2, 0.93, 0.4), (-w / 2, 0.93, -0.8), (0.2, 1.52, -0.7), (0.5, 1.62, 0.38)]
    m.quad(lid[::-1], skin)
    m.quad([(x, y + 0.012, z) for x, y, z in lid], skin)
    beam(m, (0.5, 0.92, 0.1), (0.4, 1.52, 0.05), 0.02, skin)
    m.box((-0.08, 0.05, 0.55), (0.08, 0.07, 0.68), "metal2")
    m.box((-0.03, 0.07, 0.56), (0.03, 0.6, 0.6), skin, skip="ud")
    return Made("piano", m, (w, 1.64, d))


piano = Family(upright_piano, grand_piano)


def piano_stool(stream: Stream) -> Made:
    m = Model()
    pegs(m, 0.52, 0.34, 0.44, "lacquer", 0.01)
    m.cushion((-0.28, 0.42, -0.18), (0.28, 0.5, 0.18), "leather", 0.03, skip="")
    return Made("bench", m, (0.56, 0.5, 0.36), design="piano_bench")


def bench(stream: Stream, w: float = 1.1) -> Made:
    """A narrow seat: of wood, upholstered, or with a shelf for shoes."""
    kind, d, h = stream.below(3), 0.38, 0.46
    m = Model()
    if kind == 0:
        legs(m, w, d, h - 0.04, "wood", 0.05)
        m.box((-w / 2, h - 0.04, -d / 2), (w / 2, h, d / 2), "wood")
    elif kind == 1:
        pegs(m, w, d, h - 0.1, "wood2", 0.02)
        skin = stream.choice(("fabric0", "fabric2", "leather"))
        m.cushion((-w / 2, h - 0.12, -d / 2), (w / 2, h, d / 2), skin, 0.04, skip="")
    else:
        legs(m, w, d, h - 0.05, "wood", 0.04)
        for y in (0.12, 0.26):
            m.box((-w / 2 + 0.02, y, -d / 2 + 0.02), (w / 2 - 0.02, y + 0.02, d / 2 - 0.02), "wood")
        m.cushion((-w / 2, h - 0.06, -d / 2), (w / 2, h, d / 2), "fabric1", 0.025, skip="")
    return Made("bench", m, (w, h, d), design=("plank", "padded", "shoe")[kind] + "_bench")


def aquarium(stream: Stream) -> Made:
    """A tank on a cupboard, with fish and weeds."""
    w, d, wood = stream.choice((1.0, 1.2)), 0.45, stream.choice(("wood", "white", "dark"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.75, d / 2 - 0.02), wood, skip="d")
    fronts(m, (-w / 2 + 0.01, 0.06), (w / 2 - 0.01, 0.73), d / 2 - 0.02, 1, 2, wood, "metal2", "knob")
    low, high = (-w / 2 + 0.02, 0.75, -d / 2 + 0.02), (w / 2 - 0.02, 1.2, d / 2 - 0.04)
    m.box(low, high, "water", skip="udf")
    m.card(low[0], 0.75, high[0], 1.2, high[2], "water", [(0, 0.8), (w, 0.8), (w, 0), (0, 0)])
    m.box((-w / 2 + 0.01, 1.2, -d / 2 + 0.01), (w / 2 - 0.01, 1.26, d / 2 - 0.03), "lacquer")
    z = high[2] + 0.001
    for k in range(7):
        x, y, s = -w / 2 + 0.12 + k * (w - 0.24) / 6, 0.86 + stream.below(26) / 100, 0.03
        fish = [(x, y, z), (x + s, y - s * 0.6, z + 0.001), (x + 2.2 * s, y, z), (x + s, y + s * 0.6, z + 0.001)]
        m.quad(fish, stream.choice(("fruit", "fabric2", "metal2")))
    for _ in range(5):
        x = -w / 2 + 0.1 + stream.below(int(w * 80)) / 100
        top = 0.95 + stream.below(15) / 100
        m.quad([(x, 0.79, z), (x + 0.03, 0.79, z), (x + 0.045, top, z), (x + 0.03, 0.93, z)], "leaf")
    return Made("aquarium", m, (w, 1.26, d + 0.06), design="cupboard_aquarium")


def pool_table(stream: Stream) -> Made:
    w, d, wood = 2.2, 1.24, stream.choice(("wood", "wood2"))
    m = Model()
    for at in four_corners(0.85, 0.42):
        m.lathe([(0.07, 0.0), (0.05, 0.08), (0.09, 0.35), (0.06, 0.62)], wood, at, 8)
    m.box((-w / 2 + 0.06, 0.6, -d / 2 + 0.06), (w / 2 - 0.06, 0.78, d / 2 - 0.06), wood, skip="u")
    m.flat(-w / 2 + 0.1, -d / 2 + 0.1, w / 2 - 0.1, d / 2 - 0.1, 0.79, "felt")
    for s in (-1, 1):
        z0, z1 = sorted((s * d / 2, s * (d / 2 - 0.1)))
        m.box((-w / 2, 0.74, z0), (w / 2, 0.83, z1), wood)
        x0, x1 = sorted((s * w / 2, s * (w / 2 - 0.1)))
        m.box((x0, 0.74, -d / 2 + 0.1), (x1, 0.83, d / 2 - 0.1), wood)
    for x in (-w / 2 + 0.1, 0.0, w / 2 - 0.1):
        for z in (-d / 2 + 0.1, d / 2 - 0.1):
            m.lathe([(0.055, 0.834), (0.0, 0.834)], "lacquer", (x, z), 8)
    for k in range(9):
        x, z = 0.3 + (k % 3) * 0.062 + stream.below(3) / 100, (k // 3 - 1) * 0.064
        colour = stream.choice(("fruit", "fabric2", "fabric3", "ceramic", "lacquer"))
        m.lathe([(0.0, 0.79), (0.028, 0.818), (0.0, 0.846)], colour, (x, z), 6)
    beam(m, (-0.7, 0.85, -0.3), (0.2, 0.85, 0.4), 0.02, "wood")
    return Made("pool_table", m, (w, 0.86, d), design="pool_table")


def exercise_bike(stream: Stream) -> Made:
    """Points along x; stands with its side to the wall."""
    m = Model()
    for x in (-0.42, 0.4):
        m.box((x - 0.03, 0, -0.25), (x + 0.03, 0.05, 0.25), "dark", skip="d")
    beam(m, (-0.42, 0.04, 0), (0.4, 0.04, 0), 0.06, "dark")
    part = Model()
    part.lathe([(0.0, -0.04), (0.24, -0.04), (0.25, 0.0), (0.24, 0.04), (0.0, 0.04)], "metal2", least=14)
    wheel = Model()
    upright(wheel, part.grids[0], 0.32, 0.0)
    m.add(wheel, (0.26, 0.0, 0.0))
    beam(m, (-0.2, 0.06, 0), (-0.26, 0.82, 0), 0.06, "fabric2")
    beam(m, (0.1, 0.3, 0), (0.3, 1.05, 0), 0.06, "fabric2")
    beam(m, (-0.2, 0.3, 0), (0.12, 0.36, 0), 0.07, "dark")
    m.cushion((-0.4, 0.82, -0.1), (-0.14, 0.9, 0.1), "dark", 0.03, skip="")
    m.tube([(0.3, 1.04, -0.2), (0.28, 1.06, 0.0), (0.3, 1.04, 0.2)], 0.016, "dark", 5)
    m.box((0.3, 1.06, -0.08), (0.34, 1.2, 0.08), "screen")
    for s in (-1, 1):
        m.box((-0.06, 0.26 + s * 0.09, s * 0.14 - 0.04), (0.06, 0.29 + s * 0.09, s * 0.14 + 0.04), "dark")
        beam(m, (0.0, 0.33, s * 0.09), (0.0, 0.28 + s * 0.09, s * 0.12), 0.02, "metal")
    return Made("exercise_bike", m, (1.04, 1.2, 0.5), design="exercise_bike")


def treadmill(stream: Stream) -> Made:
    """Its runner faces the wall (-z)."""
    m = Model()
    m.box((-0.36, 0, -0.8), (0.36, 0.1, 0.8), "dark", skip="d")
    m.flat(-0.25, -0.6, 0.25, 0.78, 0.102, "lacquer")
    for s in (-1, 1):
        beam(m, (s * 0.33, 0.05, -0.5), (s * 0.33, 1.2, -0.7), 0.06, "metal")
        beam(m, (s * 0.33, 0.95, -0.66), (s * 0.33, 0.92, -0.15), 0.04, "dark")
    m.box((-0.36, 1.12, -0.76), (0.36, 1.3, -0.68), "dark")
    m.card(-0.18, 1.16, 0.18, 1.27, -0.679, "screen", WHOLE)
    return Made("treadmill", m, (0.72, 1.3, 1.62), design="treadmill")


def partition(stream: Stream, w: float) -> Made:
    """A fabric screen between desks."""
    cloth = stream.choice(("fabric0", "fabric1", "fabric2", "fabric3"))
    m = Model()
    for x in (-w / 2 + 0.1, w / 2 - 0.1):
        m.box((x - 0.03, 0, -0.2), (x + 0.03, 0.02, 0.2), "metal", skip="d")
        m.box((x - 0.02, 0.02, -0.02), (x + 0.02, 0.15, 0.02), "metal", skip="ud")
    m.box((-w / 2, 0.15, -0.03), (w / 2, 1.45, 0.03), cloth)
    m.box((-w / 2, 1.45, -0.035), (w / 2, 1.48, 0.035), "metal")
    return Made("partition", m, (w, 1.48, 0.4), design="fabric_partition")


def standing_board(stream: Stream) -> Made:
    """A whiteboard on wheels."""
    m = Model()
    for x in (-0.7, 0.7):
        m.box((x - 0.02, 0.04, -0.02), (x + 0.02, 1.9, 0.02), "metal", skip="d")
        m.box((x - 0.02, 0.03, -0.28), (x + 0.02, 0.07, 0.28), "metal")
        for z in (-0.26, 0.26):
            m.box((x - 0.02, 0, z - 0.03), (x + 0.02, 0.03, z + 0.02), "dark", skip="u")
    m.box((-0.7, 0.85, -0.015), (0.7, 1.85, 0.02), "metal")
    m.card(-0.67, 0.88, 0.67, 1.82, 0.021, "board", WHOLE)
    m.box((-0.3, 0.82, 0.02), (0.3, 0.85, 0.08), "metal")
    return Made("whiteboard", m, (1.46, 1.9, 0.6), design="standing_board")


def cupboard_door(stream: Stream) -> Made:
    """A closed door in a frame, as of a built-in cupboard; it reaches back over the gap to its wall."""
    kind, w, h = stream.choice(("panelled", "plain", "louvred", "double")), 0.86, 2.06
    wide = w * 2 - 0.1 if kind == "double" else w
    m = Model()
    for x0, x1 in both_sides(wide / 2, wide / 2 - 0.065):
        m.box((x0, 0, -0.02), (x1, h, 0.015), "frame", skip="bd")
    m.box((-wide / 2 + 0.065, h - 0.065, -0.02), (wide / 2 - 0.065, h, 0.015), "frame", skip="blr")
    leaves = 2 if kind == "double" else 1
    span = (wide - 0.13) / leaves
    for k in range(leaves):
        x0 = -wide / 2 + 0.065 + k * span
        _door_face(m, x0 + 0.003, x0 + span - 0.003, h - 0.068, kind)
        grip = x0 + span - 0.07 if k == 0 else x0 + 0.05
        m.box((grip, 1.0, 0.004), (grip + 0.02, 1.12, 0.04), "metal2", skip="b")
    flush = Model()
    flush.add(m, (0.0, 0.0, -0.0315))
    return Made("cupboard", flush, (wide, h, 0.08), design=f"{kind}_cupboard")


def _door_face(m: Model, x0: float, x1: float, top: float, kind: str) -> None:
    m.box((x0, 0.006, -0.02), (x1, top, 0.002), "door", skip="b")
    fields = ((0.16, 0.9), (1.06, top - 0.14)) if kind in ("panelled", "double") else ()
    for y0, y1 in fields:
        m.box((x0 + 0.12, y0, 0.002), (x1 - 0.12, y1, 0.01), "door", skip="b")
    if kind == "louvred":
        for k in range(18):
            y = 0.14 + k * (top - 0.28) / 18
            step = (top - 0.28) / 18
            slope(m, x0 + 0.1, x1 - 0.1, (y, 0.016), (y + step, 0.003), "door")
