"""What people leave lying: thrown clothes, used dishes, letters, chargers, parcels, scattered bricks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nav_eval_worlds.exact import Stream, sin_turns
from nav_eval_worlds.furniture.cloth import heap
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, finished, tint

_CLOTH = ("fabric1", "fabric2", "fabric3", "sheet", "tint_navy", "tint_slate", "tint_olive", "tint_rust", "tint_cream")


def garment(s: Shape, look: Stream) -> Made:
    """One piece as it fell: a shirt with its sleeves, trousers, or a crumpled jumper."""
    form, k, cloth = s.of("shirt", "trousers", "jumper", "dress"), s.of(1.0, 0.84), look.choice(_CLOTH)
    spread = s.of(0.0, 0.06)
    m, size = Sketch(), (0.62 * k, 0.11, 0.5 * k)
    if form == "shirt":
        m.grids.append(heap((0.0, 0.0, 0.02), (0.42 * k, 0.09, 0.44 * k), cloth, s.number, spread))
        for side in (-1, 1):
            at = (side * 0.16 * k, 0.0, (-0.06 + side * spread) * k)
            m.grids.append(heap(at, (0.3 * k, 0.07, 0.15 * k), cloth, s.number + 5, side * 0.06, 5))
    elif form == "trousers":
        for side in (-1, 1):
            at = (side * (0.09 + spread) * k, 0.0, 0.02 * side * k)
            m.grids.append(heap(at, (0.17 * k, 0.08, 0.46 * k), cloth, s.number + side, side * 0.04))
        m.grids.append(heap((0.0, 0.0, -0.13 * k), (0.42 * k, 0.11, 0.24 * k), cloth, s.number + 3, 0.0, 6))
    else:
        h, wide = (0.15, 0.4) if form == "jumper" else (0.09, 0.58)
        m.grids.append(heap((0.0, 0.0, 0.0), (wide * k, h, (0.36 + spread) * k), cloth, s.number, 0.0, 9))
        size = (wide * k, h, (0.36 + spread) * k)
    return replace(finished("clothing", m), size=size)


def clothes_heap(s: Shape, look: Stream) -> Made:
    """A day's washing on the floor."""
    count, k = s.of(3, 5), s.of(1.0, 1.2)
    places = ((0.0, 0.0), (-0.13, 0.07), (0.14, 0.04), (0.03, -0.11), (-0.02, 0.13))
    flat = s.of(1.0, 0.7)
    m = Sketch()
    for n, (x, z) in enumerate(places[:count]):
        h, cloth = (0.2 if n == 0 else 0.13) * flat, look.choice(_CLOTH)
        m.grids.append(heap((x * k, 0.0, z * k), (0.36 * k, h, 0.3 * k), cloth, s.number + n * 7, 0.1 * n))
    return replace(finished("laundry", m), size=(0.66 * k, 0.2, 0.6 * k))


def dishes(s: Shape, look: Stream) -> Made:
    """After a meal: plates on each other, a bowl or a fork on top."""
    count, top, r = s.of(1, 2, 4), s.of("fork", "bowl", "crumbs"), s.of(0.125, 0.11)
    m, colour = Sketch(), tint(look, ("white", "cream", "sky", "clay", "slate"))
    for n in range(count):
        x, y = (0.0, 0.006, -0.005, 0.004)[n], 0.016 * n
        rings = [(r * 0.6, y), (r, y + 0.016), (r * 0.95, y + 0.017), (r * 0.6, y + 0.007)]
        m.drum(rings, colour, (x, x * 0.7), 8)
    y = 0.016 * (count - 1) + 0.008
    if top == "bowl":
        m.drum([(0.035, y), (0.075, y + 0.055), (0.07, y + 0.055), (0.04, y + 0.02)], tint(look, CALM), sides=8,
               top="tint_straw")  # fmt: skip
    else:
        m.ball((0.02, y + 0.012, 0.015), 0.03 if top == "crumbs" else 0.02, "tint_rust", 0.5, 6)
        m.bar((-0.07, y + 0.012, 0.03), (0.1, y + 0.016, -0.02), 0.008, "tint_silver")
    return finished("dishes", m)


def letters(s: Shape, look: Stream) -> Made:
    """Envelopes and papers fanned out."""
    count, step = s.of(2, 3, 5), s.of(0.03, -0.045)
    m = Sketch()
    for n in range(count):
        own, paper = Sketch(), n % 2 == look.below(2)
        size = (0.21, 0.003, 0.29) if paper and s.number % 2 else (0.22, 0.003, 0.11)
        top = f"print_paper{look.below(3)}" if paper else tint(look, ("white", "cream", "tan"))
        own.block((0, 0), size, 0, "tint_white", top=top)
        m.spun(own, step * (n - 1), (0.02 * n - 0.02, 0.0035 * n, 0.012 * (n % 3)))
    return finished("letter", m)


def charger(s: Shape, look: Stream) -> Made:
    """A plug with its cable in loops."""
    bends, k, colour = s.of(2, 4), s.of(1.0, 1.3), tint(look, ("white", "black", "white"))
    m = Sketch()
    m.block((-0.14 * k, 0.02), (0.045, 0.03, 0.05), 0, colour)
    waves = [
        (n / 6, float(sin_turns(np.asarray(n / 6))), float(sin_turns(np.asarray(n / 6 + 0.25))))
        for n in range(6 * bends)
    ]
    line = [((-0.12 + t * 0.22 / bends + 0.02 * sway) * k, 0.004, 0.05 * swing * k) for t, sway, swing in waves]
    m.tube(line, 0.004, colour, 4)
    return replace(finished("charger", m), size=(0.34 * k, 0.03, 0.13 * k))


def parcel(s: Shape, look: Stream) -> Made:
    """Closed with tape, or open with its flaps up."""
    (w, h, d), form = s.of((0.42, 0.26, 0.32), (0.3, 0.2, 0.24), (0.52, 0.34, 0.38)), s.of("closed", "open")
    m, label = Sketch(), f"print_paper{look.below(3)}"
    if form == "closed":
        m.block((0, 0), (w, h, d), 0, "cardboard")
        m.flat(-0.025, -d / 2, 0.025, d / 2, h + 0.001, "tint_tan")
        m.flat(w * 0.15, -d * 0.3, w * 0.42, d * 0.05, h + 0.001, label)
        return finished("box", m)
    m.block((0, 0), (w, h, d), 0, "cardboard", top="tint_brown")
    for side in (-1, 1):
        x0, x1, y1 = side * w / 2, side * (w / 2 + 0.09), h + 0.08
        flap = [(x0, h, d / 2), (x1, y1, d / 2), (x1, y1, -d / 2), (x0, h, -d / 2)]
        m.quad(flap, "cardboard")
        m.quad(flap[::-1], "cardboard")
    m.grids.append(heap((0.0, h - 0.03, 0.0), (w * 0.9, 0.09, d * 0.9), "tint_cream", s.number))
    return finished("box", m)


def bricks(s: Shape, look: Stream) -> Made:
    """Toy bricks where a child left them."""
    count, k = s.of(9, 14), s.of(1.0, 1.3)
    m = Sketch()
    for n in range(count):
        own = Sketch()
        long = 0.03 * k * (1 + n % 3)
        own.block((0, 0), (long, 0.022 * k, 0.03 * k), 0, tint(look, BRIGHTS))
        x, z = (n * 618 % 1000) / 1000 - 0.5, (n * 277 % 1000) / 1000 - 0.5
        m.spun(own, (n * 381 % 1000) / 1000, (x * 0.5 * k, 0.022 * k if n % 5 == 4 else 0.0, z * 0.36 * k))
    return finished("toy", m)


def laptop(s: Shape, look: Stream) -> Made:
    """Open, or shut."""
    w, form = s.of(0.34, 0.3), s.of("open", "shut", "wide open")
    body, d = tint(look, ("silver", "slate", "charcoal")), 0.235
    m = Sketch()
    m.block((0, 0), (w, 0.016, d), 0, body, skip="")
    if form == "shut":
        m.block((0, 0), (w - 0.006, 0.009, d - 0.006), 0.017, body)
        return finished("laptop", m)
    back, high = (0.05, 0.21) if form == "open" else (0.1, 0.19)
    z = -d / 2
    m.flat(-w / 2 + 0.025, -0.085, w / 2 - 0.025, 0.025, 0.0165, "print_keys0")
    face = [(-w / 2, 0.016, z), (w / 2, 0.016, z), (w / 2, high, z - back), (-w / 2, high, z - back)]
    m.quad([(x, y, z + 0.004) for x, y, z in face], "print_display0")
    m.quad([(x, y, z - 0.004) for x, y, z in (face[1], face[0], face[3], face[2])], body)
    return finished("laptop", m)
