"""What lies and hangs in rooms with water, and what one cleans with."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.cloth import over_bar
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, finished, tint

_CLOTHS = ("fabric2", "fabric3", "sheet", "towel")


def soap_dispenser(s: Shape, look: Stream) -> Made:
    r, h, sides = s.of(0.03, 0.038), s.of(0.11, 0.16), s.of(6, 4)
    m = Sketch()
    m.drum([(r, 0.0), (r, h)], tint(look, CALM + BRIGHTS), sides=sides)
    m.drum([(0.008, h), (0.008, h + 0.04)], "tint_silver", sides=4)
    m.bar((0, h + 0.04, -0.01), (0, h + 0.04, 0.045), 0.012, "tint_silver")
    return finished("soap_dispenser", m)


def soap(s: Shape, look: Stream) -> Made:
    w, sides = s.of(0.11, 0.13), s.of(4, 8)
    m = Sketch()
    m.drum([(w / 2, 0.0), (w / 2 + 0.01, 0.012)], tint(look, CALM), sides=sides, squash=0.7)
    m.block((0, 0), (0.07, 0.025, 0.045), 0.012, tint(look, ("cream", "pink", "mint", "straw", "purple")))
    return finished("soap", m)


def toothbrush_cup(s: Shape, look: Stream) -> Made:
    rings, brushes = s.of([(0.03, 0.0), (0.037, 0.1)], [(0.036, 0.0), (0.036, 0.09)]), s.of(1, 2, 3)
    m = Sketch()
    m.drum(rings, tint(look, (*CALM, "glass")), sides=8, top="tint_slate")
    for k in range(brushes):
        x, z = (-0.015, 0.015, 0.0)[k], (0.01, 0.0, -0.012)[k]
        m.bar((x, 0.09, z), (x * 2, 0.19, z * 2), 0.009, tint(look))
        m.block((x * 2, z * 2 + 0.005), (0.012, 0.025, 0.018), 0.185, "tint_white", skip="")
    return finished("toothbrush", m)


def toiletry(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.035, 0.0), (0.035, 0.17)], [(0.03, 0.0), (0.042, 0.06), (0.03, 0.19)], [(0.045, 0.0), (0.045, 0.06)],
        [(0.022, 0.0), (0.022, 0.13)],
    )  # fmt: skip
    sides, squash = s.of(6, 4), s.of(1.0, 0.55)
    m = Sketch()
    top, r = rings[-1][1], rings[-1][0]
    m.drum(rings, tint(look, CALM + BRIGHTS), sides=sides, squash=squash)
    m.drum([(r * 0.6, top), (r * 0.55, top + 0.03)], tint(look, ("white", "black", "silver", "gold")), squash=squash)
    return finished("toiletry", m)


def toilet_paper(s: Shape, look: Stream) -> Made:
    """A roll on its holder at the wall."""
    form = s.of("arm", "box", "bar")
    m = Sketch()
    if form == "box":
        m.block((0, -0.01), (0.13, 0.13, 0.12), 0, "tint_silver")
        m.card(-0.05, -0.05, 0.05, 0.01, 0.04, "tint_white")
        return finished("toilet_paper", m.moved(y=0.05))
    m.block((0, -0.055), (0.06, 0.06, 0.01), 0.09, "tint_silver", skip="b")
    m.bar((0, 0.12, -0.05), (0, 0.12, 0.0), 0.012, "tint_silver")
    m.bar((-0.07, 0.12, 0.0), (0.07, 0.12, 0.0), 0.012, "tint_silver")
    for k in range(6):
        _roll_side(m, k)
    m.card(-0.05, 0.0, 0.05, 0.12, 0.056, "tint_white")
    if form == "bar":
        m.block((0, -0.01), (0.15, 0.008, 0.1), 0.19, "wood", skip="")
    return finished("toilet_paper", m)


_HEX = ((1.0, 0.0), (0.5, 0.866), (-0.5, 0.866), (-1.0, 0.0), (-0.5, -0.866), (0.5, -0.866))


def _roll_side(m: Sketch, k: int) -> None:
    (z0, y0), (z1, y1) = _HEX[k], _HEX[(k + 1) % 6]
    r = 0.055
    m.quad([(-0.05, 0.12 + y0 * r, z0 * r), (-0.05, 0.12 + y1 * r, z1 * r), (0.05, 0.12 + y1 * r, z1 * r),
            (0.05, 0.12 + y0 * r, z0 * r)], "tint_white")  # fmt: skip


def toilet_brush(s: Shape, look: Stream) -> Made:
    rings, h = s.of([(0.05, 0.0), (0.04, 0.14)], [(0.045, 0.0), (0.055, 0.11)]), s.of(0.38, 0.45)
    m = Sketch()
    m.drum(rings, tint(look, ("white", "black", "silver", "slate")), sides=s.of(8, 4))
    m.bar((0, 0.1, 0), (0, h, 0), 0.014, "tint_silver")
    return finished("toilet_brush", m)


def scale(s: Shape, look: Stream) -> Made:
    w, sides, kind = s.of(0.3, 0.34), s.of(4, 8), look.below(2)
    colour = tint(look, ("white", "glass", "black", "slate"))
    m = Sketch()
    if sides == 4:
        m.block((0, 0), (w, 0.028, w), 0, colour)
    else:
        m.drum([(w / 2, 0.0), (w / 2, 0.028)], colour, sides=8)
    m.flat(-0.05, -w / 2 + 0.03, 0.05, -w / 2 + 0.13, 0.0285, f"print_dial{kind}")
    return finished("scale", m)


def folded_towel(s: Shape, look: Stream) -> Made:
    w, layers, rolled = s.of(0.34, 0.26), s.of(1, 2, 3), s.of(False, True)
    m = Sketch()
    for k in range(layers):
        colour = look.choice(_CLOTHS)
        if rolled:
            x = (k - (layers - 1) / 2) * 0.095
            for i in range(6):
                (x0, y0), (x1, y1) = _HEX[i], _HEX[(i + 1) % 6]
                m.quad([(x + x0 * 0.045, 0.039 + y0 * 0.045, w / 2), (x + x1 * 0.045, 0.039 + y1 * 0.045, w / 2),
                        (x + x1 * 0.045, 0.039 + y1 * 0.045, -w / 2),
                            (x + x0 * 0.045, 0.039 + y0 * 0.045, -w / 2)][::-1],
                       colour)  # fmt: skip
            ends = [(x + a * 0.045, 0.039 + b * 0.045, w / 2) for a, b in _HEX]
            m.quad([ends[0], ends[1], ends[2], ends[3]], colour)
            m.quad([ends[0], ends[3], ends[4], ends[5]], colour)
        else:
            m.block(((k % 2) * 0.008, 0), (w, 0.05, 0.22), k * 0.052, colour)
    return finished("towel", m)


def hung_towel(s: Shape, look: Stream) -> Made:
    """On a ring or a peg at the wall."""
    form, long = s.of("ring", "peg"), s.of(0.42, 0.6, 0.34)
    colour = look.choice(_CLOTHS)
    m = Sketch()
    top = long + 0.04
    m.block((0, -0.035), (0.05, 0.05, 0.012), top, "tint_silver", skip="b")
    if form == "ring":
        m.bar((-0.11, top - 0.02, 0.0), (0.11, top - 0.02, 0.0), 0.01, "tint_silver")
        m.bar((0, top + 0.02, -0.03), (0, top + 0.02, 0.0), 0.012, "tint_silver")
        for x in (-0.11, 0.11):
            m.bar((x, top - 0.02, 0.0), (x * 0.3, top + 0.025, 0.0), 0.01, "tint_silver")
        m.grids += over_bar(0.095, (0.0, top - 0.02, 0.0), 0.011, (top - 0.02, long * 0.8), colour, s.number)
    else:
        m.bar((0, top + 0.02, -0.03), (0, top + 0.03, 0.03), 0.012, "tint_silver")
        m.drape([(0.12, 0.0, 0.03), (0.06, top - 0.08, 0.02), (0.012, top + 0.02, 0.022)], -0.03, colour, 4)
    return finished("towel", m)


def tissue_box(s: Shape, look: Stream) -> Made:
    w, h, d = s.of((0.23, 0.07, 0.12), (0.12, 0.13, 0.12))
    m = Sketch()
    m.block((0, 0), (w, h, d), 0, tint(look, CALM + BRIGHTS), front=f"print_cloth{look.below(3)}")
    if s.of(True, False):
        m.quad([(-0.03, h, 0), (0.03, h, 0), (0.045, h + 0.05, 0.01), (-0.02, h + 0.06, 0.01)], "tint_white")
        m.quad([(0.03, h, 0), (-0.03, h, 0), (-0.02, h + 0.06, 0.01), (0.045, h + 0.05, 0.01)], "tint_white")
    return finished("tissue_box", m)


def hair_dryer(s: Shape, look: Stream) -> Made:
    colour, long, stand = tint(look, ("black", "white", "pink", "slate", "red")), s.of(0.18, 0.24), look.chance(50)
    handle = s.of(0.02, 0.05)
    m = Sketch()
    m.bar((-long / 2, 0.04, 0), (long / 2, 0.04, 0), 0.08, colour)
    m.quad(
        [(-long / 2, 0, -0.04), (-long / 2, 0, 0.04), (-long / 2, 0.08, 0.04), (-long / 2, 0.08, -0.04)], "tint_black"
    )
    m.quad([(long / 2, 0, 0.04), (long / 2, 0, -0.04), (long / 2, 0.08, -0.04), (long / 2, 0.08, 0.04)], "tint_black")
    m.bar((-long * 0.2, 0.02, 0.03), (-long * 0.1, 0.02, 0.12 + handle), 0.035, "tint_black" if stand else colour)
    return finished("hair_dryer", m.set_down())


def vacuum_cleaner(s: Shape, look: Stream) -> Made:
    form, colour = s.of("upright", "canister"), tint(look, ("red", "teal", "purple", "slate", "blue", "orange"))
    tall = s.of(1.05, 1.18)
    m = Sketch()
    if form == "upright":
        m.block((0, 0.06), (0.28, 0.09, 0.26), 0, "tint_charcoal")
        m.block((0, 0.0), (0.2, 0.45, 0.16), 0.09, colour)
        m.drum([(0.07, 0.2), (0.07, 0.5)], "tint_glass", (0, 0.09), 8)
        m.bar((0, 0.54, -0.02), (0, tall, -0.09), 0.035, "tint_silver")
        m.bar((0, tall - 0.02, -0.1), (0, tall, 0.02), 0.04, "tint_black")
    else:
        m.drum([(0.14, 0.02), (0.17, 0.12), (0.12, 0.28)], colour, (0.05, 0.04), 8, squash=0.8)
        m.drum([(0.16, 0.0), (0.16, 0.03)], "tint_black", (0.05, 0.04), 8, squash=0.8)
        m.block((-0.2, 0.06), (0.26, 0.04, 0.1), 0, "tint_black")
        m.bar((-0.2, 0.04, 0.05), (-0.2, tall - 0.1, -0.03), 0.03, "tint_silver")
        m.bar((-0.2, tall - 0.12, -0.02), (0.05, 0.26, 0.02), 0.035, "tint_charcoal")
    return finished("vacuum_cleaner", m)


def ironing_board(s: Shape, look: Stream) -> Made:
    """Folded away: it leans upright against a wall."""
    tall, wide, cloth = s.of(1.4, 1.28), s.of(0.38, 0.33), f"print_cloth{look.below(3)}"
    foot = s.of(0.1, 0.16)
    m = Sketch()
    m.block((0, 0.02), (wide, tall - 0.25, 0.035), 0.03, cloth, skip="")
    w = wide / 2
    m.quad(
        [(-w, tall - 0.22, 0.0375), (w, tall - 0.22, 0.0375), (w * 0.3, tall, 0.0375), (-w * 0.3, tall, 0.0375)], cloth
    )
    m.quad(
        [(w, tall - 0.22, 0.0025), (-w, tall - 0.22, 0.0025), (-w * 0.3, tall, 0.0025), (w * 0.3, tall, 0.0025)], cloth
    )
    for x in (-w * 0.6, w * 0.6):
        m.bar((x, 0.0, -0.02), (x * 0.4, tall - 0.3, -0.02), 0.02, "tint_silver")
    m.bar((-w - foot / 2, 0.012, -0.02), (w + foot / 2, 0.012, -0.02), 0.024, "tint_black")
    return finished("ironing_board", m)


def broom(s: Shape, look: Stream) -> Made:
    tall, head = s.of(1.3, 1.42), s.of("brush", "mop", "squeegee")
    m = Sketch()
    if head == "brush":
        m.block((0, 0), (0.3, 0.05, 0.06), 0.09, "wood")
        m.block((0, 0), (0.28, 0.09, 0.05), 0, "tint_straw")
    elif head == "mop":
        m.drum([(0.11, 0.0), (0.05, 0.14)], "tint_cream", sides=8, squash=0.5)
    else:
        m.block((0, 0), (0.34, 0.04, 0.1), 0, "tint_blue")
    m.bar((0, 0.03, 0), (0, tall, -0.04), 0.024, look.choice(("wood", "tint_blue", "tint_red")))
    return finished("broom", m)


def bucket(s: Shape, look: Stream) -> Made:
    r, h, sides, cloth = s.of(0.13, 0.16), s.of(0.24, 0.3), s.of(8, 4), tint(look)
    m = Sketch()
    m.drum([(r * 0.78, 0.0), (r, h), (r * 0.94, h), (r * 0.9, h - 0.05)], tint(look), sides=sides, top="tint_sky")
    m.block((r * 0.7, r * 0.5), (0.12, 0.012, 0.1), h, cloth, skip="")
    return finished("bucket", m)


def detergent(s: Shape, look: Stream) -> Made:
    form, h = s.of("bottle", "box", "spray"), s.of(0.24, 0.3)
    colour = tint(look, ("blue", "green", "orange", "purple", "white", "yellow"))
    m = Sketch()
    if form == "box":
        m.block((0, 0), (0.17, h * 0.8, 0.08), 0, colour, front=f"print_label{look.below(6)}")
        return finished("detergent", m)
    m.block((0, 0), (0.13 if form == "bottle" else 0.09, h * 0.7, 0.07), 0, colour, front=f"print_label{look.below(6)}")
    m.drum([(0.02, h * 0.7), (0.02, h)], tint(look), sides=4)
    if form == "spray":
        m.bar((0, h, -0.02), (0, h, 0.06), 0.03, "tint_white")
    return finished("detergent", m)


def iron(s: Shape, look: Stream) -> Made:
    long, colour = s.of(0.24, 0.28), tint(look, ("blue", "teal", "purple", "white", "red"))
    upright = s.of(True, False)
    m = Sketch()
    m.block((0, 0), (long, 0.014, 0.11), 0, "tint_silver")
    m.block((-0.02, 0), (long - 0.06, 0.05, 0.09), 0.014, colour)
    m.bar((-long * 0.35, 0.11 if upright else 0.12, 0), (long * 0.25, 0.11, 0), 0.03, "tint_black")
    m.bar((-long * 0.33, 0.06, 0), (-long * 0.33, 0.11, 0), 0.03, "tint_black")
    m.bar((long * 0.22, 0.06, 0), (long * 0.22, 0.11, 0), 0.03, colour)
    return finished("iron", m)


def laundry(s: Shape, look: Stream) -> Made:
    """Folded clothes in a pile, or a heap in a tub."""
    form, layers = s.of("pile", "tub"), s.of(3, 5)
    m = Sketch()
    if form == "pile":
        for k in range(layers):
            w = 0.3 - 0.02 * (k % 3)
            m.block(((k % 2) * 0.012, 0), (w, 0.035, 0.24), k * 0.036, look.choice((*_CLOTHS, "fabric0", "fabric1")))
        return finished("laundry", m)
    m.drum([(0.2, 0.0), (0.27, 0.24), (0.25, 0.24), (0.24, 0.18)], tint(look, CALM), sides=8, squash=0.7, top="sheet")
    for k in range(layers):
        x, z = ((-0.08, 0.02), (0.07, -0.03), (0.0, 0.05), (0.1, 0.05), (-0.1, -0.05))[k]
        m.drum([(0.1, 0.19), (0.09, 0.25), (0.04, 0.28)], look.choice(_CLOTHS), (x, z), 4)
    return finished("laundry", m)
