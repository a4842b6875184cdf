"""What one works with at a desk, and small machines."""

from __future__ import annotations

import itertools

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made, slope
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, finished, tint


def keyboard(s: Shape, look: Stream) -> Made:
    w, kind, back = s.of(0.44, 0.3), look.below(2), s.of(0.02, 0.034)
    colour = ("tint_black", "tint_silver")[kind]
    m = Sketch()
    m.block((0, 0), (w, 0.01, 0.14), 0, colour, skip="du")
    slope(m, -w / 2, w / 2, (0.01, 0.07), (back, -0.07), f"print_keys{kind}")
    m.card(w / 2, 0, -w / 2, back, -0.07, colour)
    return finished("keyboard", m)


def mouse(s: Shape, look: Stream) -> Made:
    w, d, pad = s.of(0.06, 0.07), s.of(0.11, 0.1), s.of(True, False)
    m = Sketch()
    if pad:
        m.block((0, 0), (0.22, 0.004, 0.2), 0, tint(look, ("charcoal", "navy", "slate", "teal", "rust")))
    rings = [(w / 2, 0.004 if pad else 0.0), (w / 2, 0.02), (w / 4, 0.036)]
    m.drum(rings, tint(look, ("black", "white", "silver")), squash=d / w)
    return finished("mouse", m)


def headphones(s: Shape, look: Stream) -> Made:
    form, colour = s.of("stand", "lying"), tint(look, ("black", "white", "red", "slate", "cream"))
    r = s.of(0.08, 0.095)
    m = Sketch()
    y = 0.2 if form == "stand" else 0.0
    if form == "stand":
        m.drum([(0.06, 0.0), (0.06, 0.012)], "tint_black", sides=8)
        m.bar((0, 0.01, 0), (0, y + r + 0.02, 0), 0.016, "tint_silver")
        arc = [(-r, y), (-r * 0.7, y + r * 0.75), (0.0, y + r), (r * 0.7, y + r * 0.75), (r, y)]
        for (x0, y0), (x1, y1) in itertools.pairwise(arc):
            m.bar((x0, y0, 0), (x1, y1, 0), 0.02, colour)
        for x in (-r, r):
            m.block((x, 0), (0.035, 0.075, 0.07), y - 0.04, colour, skip="")
        return finished("headphones", m)
    arc = [(-r, 0.04), (-r * 0.7, -r * 0.6), (0.0, -r), (r * 0.7, -r * 0.6), (r, 0.04)]
    for (x0, z0), (x1, z1) in itertools.pairwise(arc):
        m.bar((x0, 0.02, z0), (x1, 0.02, z1), 0.02, colour)
    for x in (-r, r):
        m.drum([(0.04, 0.0), (0.035, 0.04)], colour, (x, 0.04), 8)
    return finished("headphones", m)


def phone(s: Shape, look: Stream) -> Made:
    w, d, turn = s.of(0.072, 0.08), s.of(0.15, 0.16), s.of(0.04, -0.08)
    own, m = Sketch(), Sketch()
    own.block((0, 0), (w, 0.009, d), 0, tint(look, ("black", "white", "red", "sky")), top="print_display0")
    m.spun(own, turn)
    return finished("phone", m)


def tablet(s: Shape, look: Stream) -> Made:
    (wide, deep), form = s.of((0.25, 0.18), (0.2, 0.14)), s.of("lying", "stand")
    m = Sketch()
    if form == "lying":
        m.block((0, 0), (wide, 0.009, deep), 0, "tint_black", top="print_display0")
    else:
        slope(m, -wide / 2, wide / 2, (0, 0.05), (deep, -0.02), "print_display0")
        slope(m, wide / 2, -wide / 2, (0, 0.04), (deep, -0.03), "tint_slate")
        slope(m, wide / 4, -wide / 4, (0, -0.08), (deep * 0.8, -0.02), "tint_slate")
    return finished("tablet", m)


def telephone(s: Shape, look: Stream) -> Made:
    colour, form, turn = tint(look, ("black", "grey", "cream", "white")), s.of("wide", "narrow"), s.of(0.02, -0.05)
    w = 0.2 if form == "wide" else 0.13
    own, m = Sketch(), Sketch()
    own.block((0, 0), (w, 0.03, 0.2), 0, colour, skip="du")
    slope(own, -w / 2, w / 2, (0.03, 0.1), (0.07, -0.1), colour)
    own.card(w / 2, 0, -w / 2, 0.07, -0.1, colour)
    slope(own, 0.0, w / 2 - 0.01, (0.036, 0.085), (0.062, -0.04), "print_pad0")
    own.block((-w / 2 + 0.03, 0.0), (0.045, 0.03, 0.19), 0.062, colour, skip="")
    m.spun(own, turn)
    return finished("telephone", m)


def paper_stack(s: Shape, look: Stream) -> Made:
    count, step, skew = s.of(1, 2, 3), s.of(0.008, 0.03), s.of(0.02, -0.05)
    m = Sketch()
    for k in range(count):
        own = Sketch()
        own.block((0, 0), (0.21, step, 0.297), 0, "tint_white", top=f"print_paper{(k + look.below(2)) % 2}")
        m.spun(own, skew * (k * 1.6 + 0.4), (0.004 * k, step * k, 0))
    return finished("paper_stack", m)


def paper_tray(s: Shape, look: Stream) -> Made:
    levels, colour = s.of(2, 3), tint(look, ("black", "silver", "white", "slate"))
    front = s.of(0.0, 0.03)
    m = Sketch()
    for k in range(levels):
        y = k * 0.075
        m.block((0, 0), (0.26, 0.008, 0.34), y, colour, skip="")
        m.block((0, front), (0.21, 0.02, 0.297), y + 0.008, "tint_white", top="print_paper0")
    for x in (-0.126, 0.126):
        for z in (-0.16, 0.13):
            m.block((x, z), (0.008, levels * 0.075, 0.02), 0, colour)
    return finished("paper_tray", m)


def folder(s: Shape, look: Stream) -> Made:
    """Ring binders in a row, or one lying."""
    count, kind = s.of(1, 2, 4), look.below(2)
    lying, tall = s.of(False, True), s.of(0.32, 0.26)
    m = Sketch()
    if lying:
        for k in range(min(count, 3)):
            own = Sketch()
            own.block((0, 0), (0.29, 0.05, tall), 0, tint(look), front="tint_white")
            m.spun(own, 0.02 * k - 0.01, (0, 0.05 * k, 0))
    else:
        w = 0.07 * count
        m.block((0, 0), (w, tall, 0.24), 0, tint(look, ("charcoal", "navy", "slate")), skip="df")
        for k in range(count):
            x0 = -w / 2 + 0.07 * k
            m.card(x0, 0, x0 + 0.07, tall, 0.12, tint(look, (*BRIGHTS, "black")))
            m.card(x0 + 0.015, tall * 0.5, x0 + 0.055, tall * 0.85, 0.1205, f"print_paper{kind}")
    return finished("folder", m)


def pen_pot(s: Shape, look: Stream) -> Made:
    r, sides, pens = s.of(0.035, 0.045), s.of(6, 4), s.of(3, 5)
    m = Sketch()
    m.drum([(r, 0.0), (r, 0.1)], tint(look, (*CALM, "black", "silver", "rust")), sides=sides, top="tint_charcoal")
    for k in range(pens):
        x, z = ((k % 3) - 1) * r * 0.45, ((k // 3) - 0.4) * r * 0.6
        m.bar((x, 0.09, z), (x * 1.8, 0.16 + 0.008 * k, z * 1.8), 0.008, tint(look))
    return finished("pen_pot", m)


def notebook(s: Shape, look: Stream) -> Made:
    w, d, pen = s.of(0.15, 0.21), s.of(0.21, 0.28), s.of(True, False)
    own, m = Sketch(), Sketch()
    own.block((0, 0), (w, 0.014, d), 0, tint(look, (*BRIGHTS, "black", "tan")))
    if pen:
        own.block((w * 0.2, 0), (0.009, 0.009, 0.14), 0.014, tint(look))
    m.spun(own, 0.03)
    return finished("notebook", m)


def calculator(s: Shape, look: Stream) -> Made:
    w, d, turn = s.of(0.09, 0.14), s.of(0.15, 0.18), s.of(0.03, -0.04)
    own, m = Sketch(), Sketch()
    own.block((0, 0), (w, 0.02, d), 0, tint(look, ("black", "silver", "white")), skip="d", top="print_pad0")
    own.flat(-w / 2 + 0.01, -d / 2 + 0.008, w / 2 - 0.01, -d / 2 + 0.035, 0.0205, "print_display1")
    m.spun(own, turn)
    return finished("calculator", m)


def stapler(s: Shape, look: Stream) -> Made:
    kind, long, turn = s.of("stapler", "tape"), s.of(0.14, 0.17), s.of(0.05, -0.1)
    own, m, colour = Sketch(), Sketch(), tint(look, ("black", "red", "slate", "blue"))
    own.block((0, 0), (0.04, 0.015, long), 0, "tint_black")
    if kind == "stapler":
        own.block((0, -0.01), (0.035, 0.03, long - 0.02), 0.02, colour, skip="")
    else:
        own.block((0, 0), (0.03, 0.06, 0.07), 0.015, colour)
    m.spun(own, turn)
    return finished("stapler", m)


def desk_printer(s: Shape, look: Stream) -> Made:
    w, h, tray_up = s.of(0.42, 0.46), s.of(0.18, 0.26), s.of(True, False)
    colour = tint(look, ("white", "black", "silver"))
    m = Sketch()
    m.block((0, 0), (w, h, 0.34), 0, colour, skip="d")
    m.block((0, 0.2), (w * 0.55, 0.012, 0.1), 0.05, "tint_slate", skip="")
    m.block((0, 0.171), (w * 0.6, 0.05, 0.006), 0.07, "tint_charcoal", skip="b")
    m.flat(w * 0.25, 0.06, w * 0.42, 0.14, h + 0.001, "print_display1")
    if tray_up:
        slope(m, -0.11, 0.11, (h, -0.1), (h + 0.16, -0.16), "tint_white")
        slope(m, 0.11, -0.11, (h, -0.102), (h + 0.16, -0.162), "tint_slate")
    return finished("printer", m)


def router(s: Shape, look: Stream) -> Made:
    w, aerials, colour = s.of(0.22, 0.14), s.of(2, 0), tint(look, ("white", "black"))
    upright = s.of(False, True)
    m = Sketch()
    m.block((0, 0), (w, 0.2 if upright else 0.035, 0.05 if upright else 0.14), 0, colour)
    top = 0.2 if upright else 0.035
    for k in range(aerials):
        m.bar(((k - 0.5) * w * 0.8, top - 0.01, -0.01), ((k - 0.5) * w * 0.9, top + 0.12, -0.01), 0.012, colour)
    m.block((0, 0.026 if upright else 0.071), (w * 0.5, 0.006, 0.002), 0.02, "tint_leaf", skip="")
    return finished("router", m)


def bin_(s: Shape, look: Stream) -> Made:
    form = s.of("basket", "pedal", "square", "swing", "mesh", "recycling")
    k, colour = s.of(1.0, 1.25), tint(look, ("white", "black", "silver", "slate", "cream", "teal"))
    m = Sketch()
    if form == "basket":
        rings = [(0.11 * k, 0.0), (0.14 * k, 0.28 * k), (0.13 * k, 0.28 * k), (0.12 * k, 0.2 * k)]
        m.drum(rings, "basket", sides=8, top="tint_charcoal")
    elif form == "pedal":
        m.drum([(0.125 * k, 0.0), (0.125 * k, 0.36 * k)], "metal", sides=8)
        m.drum([(0.13 * k, 0.36 * k), (0.1 * k, 0.41 * k)], "tint_black", sides=8)
        m.block((0, 0.14 * k), (0.06, 0.015, 0.05), 0.01, "tint_black", skip="")
    elif form == "square":
        m.drum([(0.13 * k, 0.0), (0.16 * k, 0.3 * k)], colour, sides=4, top="tint_charcoal")
    elif form == "swing":
        m.block((0, 0), (0.26 * k, 0.45 * k, 0.22 * k), 0, colour)
        m.drum([(0.16 * k, 0.45 * k), (0.08 * k, 0.55 * k)], "tint_slate", sides=4, squash=0.85)
    elif form == "mesh":
        rings = [(0.12 * k, 0.0), (0.135 * k, 0.3 * k), (0.13 * k, 0.3 * k), (0.12 * k, 0.24 * k)]
        m.drum(rings, "tint_charcoal", top="tint_white")
    else:
        for x, own in ((-0.13, "tint_green"), (0.13, "tint_blue")):
            m.block((x * k, 0), (0.24 * k, 0.42 * k, 0.28 * k), 0, "tint_slate", top=own)
    return finished("bin", m)


def water_dispenser(s: Shape, look: Stream) -> Made:
    h, colour, form = s.of(0.98, 1.05), tint(look, ("white", "silver", "slate")), s.of("bottle", "plain")
    w = s.of(0.32, 0.36)
    m = Sketch()
    m.block((0, 0), (w, h, 0.34), 0, colour, front="")
    m.block((0, 0.171), (w - 0.08, 0.22, 0.004), h - 0.32, "tint_charcoal", skip="b")
    for x, tap in ((-0.05, "tint_blue"), (0.05, "tint_red")):
        m.block((x, 0.19), (0.03, 0.04, 0.04), h - 0.16, tap, skip="b")
    if form == "bottle":
        m.drum([(0.06, h), (0.135, h + 0.08), (0.135, h + 0.33), (0.12, h + 0.36)], "tint_sky", sides=8)
    return finished("water_dispenser", m)
