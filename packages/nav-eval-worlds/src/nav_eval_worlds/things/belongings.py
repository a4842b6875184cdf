"""What stands on the floor and hangs by the door: clothes, bags, pets' things, sport."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.cloth import heap, over_bar
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.surfaces.parametric import WHOLE
from nav_eval_worlds.things.sketch import BRIGHTS, Point, Shape, Sketch, finished, tint

_CLOTH = ("fabric1", "fabric2", "fabric3", "tint_navy", "tint_black", "tint_olive", "tint_rust", "tint_tan")


def shoes(s: Shape, look: Stream) -> Made:
    """A pair, side by side, one a little askew."""
    form, k, gap = s.of("sneaker", "boot", "slipper", "loafer", "wellington"), s.of(1.0, 0.8), s.of(0.11, 0.14)
    colour, sole = tint(look, (*BRIGHTS, "black", "white", "brown", "tan")), look.choice(("tint_white", "tint_black"))
    m = Sketch()
    for side, turn in ((-1, 0.0), (1, 0.03)):
        own = Sketch()
        own.block((0, 0), (0.095 * k, 0.022, 0.28 * k), 0, sole)
        own.block((0, 0.06 * k), (0.085 * k, 0.045 * k, 0.14 * k), 0.022, colour)
        high = {"sneaker": 0.09, "boot": 0.17, "slipper": 0.03, "loafer": 0.065, "wellington": 0.3}[form] * k
        if form != "slipper":
            own.block((0, -0.07 * k), (0.08 * k, high, 0.13 * k), 0.022, colour, top="tint_charcoal")
        if form == "sneaker":
            own.block((0, 0.02 * k), (0.04 * k, 0.012, 0.08 * k), 0.067 * k, "tint_white")
        m.spun(own, turn, (side * gap * k / 2, 0.0, 0.01 * side))
    return finished("shoes", m)


def backpack(s: Shape, look: Stream) -> Made:
    w, h, pocket = *s.of((0.3, 0.44), (0.26, 0.36), (0.34, 0.6)), s.of(True, False)
    a, b = tint(look, (*BRIGHTS, "black", "slate")), tint(look, (*BRIGHTS, "black", "tan"))
    m = Sketch()
    m.block((0, 0), (w, h * 0.8, 0.17), 0, a)
    m.drum([(w * 0.62, h * 0.8), (w * 0.42, h)], a, sides=4, squash=0.17 / w * 1.1)
    if pocket:
        m.block((0, 0.11), (w * 0.75, h * 0.4, 0.06), 0.03, b)
    for x in (-w * 0.28, w * 0.28):
        m.bar((x, h * 0.2, -0.1), (x, h * 0.8, -0.1), 0.04, b)
    m.bar((-0.05, h + 0.01, 0), (0.05, h + 0.01, 0), 0.02, b)
    return finished("backpack", m)


def bag(s: Shape, look: Stream) -> Made:
    form, k = s.of("tote", "handbag", "sports", "paper"), s.of(1.0, 1.2)
    colour = look.choice(("leather", "tint_black", "tint_tan", "tint_red", "tint_teal", "tint_cream"))
    m = Sketch()
    if form == "sports":
        m.block((0, 0), (0.5 * k, 0.2 * k, 0.24 * k), 0, colour)
        m.drum([(0.17 * k, 0.2 * k), (0.11 * k, 0.25 * k)], colour, sides=4, squash=0.6)
        m.block((0, 0.12 * k), (0.3 * k, 0.1 * k, 0.012), 0.05, "tint_black", skip="b")
    else:
        w, h = {"tote": (0.36, 0.34), "handbag": (0.28, 0.2), "paper": (0.24, 0.3)}[form]
        own = "tint_tan" if form == "paper" else colour
        m.block((0, 0), (w * k, h * k, 0.12), 0, own, top="tint_charcoal")
        if form == "paper":
            m.card(-0.06, 0.08, 0.06, 0.18, 0.061, f"print_label{look.below(6)}")
        for z in (-0.04, 0.04):
            y = h * k + 0.12
            m.bar((-0.08, h * k - 0.02, z), (-0.06, y, z), 0.014, own)
            m.bar((0.08, h * k - 0.02, z), (0.06, y, z), 0.014, own)
            m.bar((-0.065, y, z), (0.065, y, z), 0.014, own)
    return finished("bag", m)


def suitcase(s: Shape, look: Stream) -> Made:
    w, h, d = s.of((0.42, 0.62, 0.26), (0.36, 0.5, 0.22), (0.5, 0.72, 0.3))
    colour, ribs = tint(look, (*BRIGHTS, "black", "silver", "slate")), s.of(True, False)
    m = Sketch()
    m.cushion((-w / 2, 0.05, -d / 2), (w / 2, h, d / 2), colour, 0.03, skip="")
    if ribs:
        for k in range(4):
            x = (k - 1.5) * w * 0.2
            m.block((x, d / 2 + 0.003), (0.02, h - 0.16, 0.006), 0.12, colour, skip="b")
    for x in (-w / 2 + 0.05, w / 2 - 0.05):
        m.block((x, 0), (0.04, 0.06, d * 0.8), 0, "tint_black", skip="u")
        m.bar((x * 0.5, h - 0.01, -d / 3), (x * 0.5, h + 0.3, -d / 3), 0.018, "tint_silver")
    m.bar((-w * 0.2, h + 0.3, -d / 3), (w * 0.2, h + 0.3, -d / 3), 0.026, "tint_black")
    return finished("suitcase", m)


def umbrella_stand(s: Shape, look: Stream) -> Made:
    r, h, sides, count = s.of(0.11, 0.13), s.of(0.5, 0.4), s.of(8, 4), look.between(1, 3)
    m = Sketch()
    m.drum([(r, 0.0), (r, h), (r * 0.9, h),
        (r * 0.88, h - 0.08)], look.choice(("tint_bronze", "tint_white", "basket", "tint_slate")),
           sides=sides, top="tint_black")  # fmt: skip
    for k in range(count):
        x, z = ((-0.04, 0.02), (0.045, -0.01), (0.0, -0.05))[k]
        m.drum([(0.012, h - 0.1), (0.034, h + 0.12), (0.012, h + 0.3)], tint(look, (*BRIGHTS, "black")), (x, z), 6)
        m.bar((x, h + 0.3, z), (x, h + 0.4, z), 0.022, look.choice(("wood", "tint_black")))
    return finished("umbrella_stand", m)


def umbrella(s: Shape, look: Stream) -> Made:
    """Closed; it leans against the wall behind it."""
    long, handle = s.of(0.85, 0.95), s.of("hook", "knob")
    colour, lean = tint(look, (*BRIGHTS, "black")), s.of(0.1, 0.06)
    m = Sketch()
    m.bar((0, 0.0, lean / 2), (0, 0.12, lean * 0.4), 0.014, "tint_silver")
    for k in range(2):
        y0, y1 = (0.12, long * 0.5) if k == 0 else (long * 0.5, long * 0.82)
        w0, w1 = (0.02, 0.07) if k == 0 else (0.07, 0.025)
        z0, z1 = lean * (0.5 - y0 / long), lean * (0.5 - y1 / long)
        for side in (1, -1):
            corners = [(-w0 / 2 * side, y0, z0 + 0.01 * side), (w0 / 2 * side, y0, z0 + 0.01 * side),
                       (w1 / 2 * side, y1, z1 + 0.01 * side), (-w1 / 2 * side, y1, z1 + 0.01 * side)]  # fmt: skip
            m.quad(corners, colour)
    m.bar((0, long * 0.8, lean * -0.3), (0, long, -lean / 2), 0.02, "wood")
    if handle == "hook":
        m.bar((0, long, -lean / 2), (0.07, long, -lean / 2), 0.022, "wood")
    return finished("umbrella", m)


def doormat(s: Shape, look: Stream) -> Made:
    w, d, kind = s.of(0.75, 0.6, 0.9), s.of(0.45, 0.4), look.below(3)
    m = Sketch()
    m.block((0, 0), (w, 0.013, d), 0, "tint_brown", top=f"print_mat{kind}")
    return finished("doormat", m)


def hat(s: Shape, look: Stream) -> Made:
    form, r = s.of("brimmed", "cap", "beanie"), s.of(0.085, 0.1)
    colour = look.choice((*_CLOTH, "tint_straw"))
    m = Sketch()
    if form == "brimmed":
        m.drum([(r * 1.8, 0.0), (r * 1.8, 0.008)], colour, sides=8)
        m.drum([(r, 0.008), (r * 0.9, 0.1)], colour, sides=8)
        m.drum([(r * 1.03, 0.009), (r * 1.01, 0.03)], "tint_black", sides=8)
    else:
        m.drum([(r, 0.0), (r, 0.05), (r * 0.6, 0.12)], colour, sides=8)
        if form == "cap":
            m.block((0, r * 1.3), (0.15, 0.012, 0.1), 0.0, colour, skip="")
        else:
            m.drum([(0.01, 0.115), (0.03, 0.14), (0.01, 0.165)], tint(look))
    return finished("hat", m)


def pet_bed(s: Shape, look: Stream) -> Made:
    form, k = s.of("round", "basket", "mat"), s.of(1.0, 1.3)
    cloth, rim = look.choice(("fabric0", "fabric2", "sheet")), look.choice(("fabric1", "fabric3", "basket"))
    m = Sketch()
    if form == "mat":
        m.cushion((-0.4 * k, 0.0, -0.28 * k), (0.4 * k, 0.1, 0.28 * k), cloth, 0.05, skip="")
    else:
        sides = 8 if form == "round" else 4
        m.drum([(0.32 * k, 0.0), (0.35 * k, 0.1), (0.32 * k, 0.17), (0.26 * k, 0.15),
            (0.24 * k, 0.07)], rim if form == "round" else "basket",
               sides=sides, top=cloth)  # fmt: skip
    return finished("pet_bed", m)


def pet_bowl(s: Shape, look: Stream) -> Made:
    count, r, stand = s.of(1, 2), s.of(0.075, 0.1), s.of(0.0, 0.08)
    m = Sketch()
    if stand:
        m.block((0, 0), (0.26 * count + 0.02, stand, 0.24), 0, look.choice(("wood", "tint_black")))
    for k in range(count):
        x = (k - (count - 1) / 2) * 0.25
        m.drum([(r * 1.15, stand), (r, stand + 0.055),
            (r * 0.85, stand + 0.055)], tint(look, (*BRIGHTS, "silver")), (x, 0), 8,
               top=("tint_brown", "tint_sky")[k])  # fmt: skip
    return finished("pet_bowl", m)


def cat_tree(s: Shape, look: Stream) -> Made:
    tall, form = s.of(1.1, 0.75, 1.4), s.of("house", "decks")
    cloth = look.choice(("tint_cream", "tint_grey", "tint_tan", "fabric0"))
    m = Sketch()
    m.block((0, 0), (0.5, 0.05, 0.42), 0, cloth)
    m.drum([(0.05, 0.05), (0.05, tall - 0.05)], "tint_straw", (-0.14, -0.1), 6)
    m.block((-0.08, -0.04), (0.34, 0.05, 0.3), tall - 0.05, cloth, skip="")
    if form == "house":
        m.block((0.08, 0.02), (0.3, 0.3, 0.32), 0.05, cloth)
        hole = Sketch()
        hole.upright(0.09, 0.19, 0.1815, "tint_charcoal")
        m.add(hole, (0.08, 0.0, 0.0))
    else:
        m.drum([(0.04, 0.05), (0.04, tall * 0.55)], "tint_straw", (0.15, 0.1), 6)
        m.block((0.1, 0.05), (0.3, 0.04, 0.28), tall * 0.55, cloth, skip="")
        m.bar((0.2, tall * 0.55, 0.1), (0.2, tall * 0.4, 0.1), 0.012, "tint_red")
    return finished("cat_tree", m)


def scratching_post(s: Shape, look: Stream) -> Made:
    h, sides = s.of(0.5, 0.65), s.of(4, 8)
    top = s.of("flat", "ball")
    m = Sketch()
    m.block((0, 0), (0.36, 0.04, 0.36), 0, look.choice(("tint_cream", "tint_grey", "tint_tan")))
    m.drum([(0.05, 0.04), (0.05, h)], "tint_straw", sides=sides)
    if top == "flat":
        m.block((0, 0), (0.24, 0.03, 0.24), h, "tint_tan", skip="")
    else:
        m.drum([(0.03, h), (0.07, h + 0.07), (0.03, h + 0.14)], "tint_tan")
    return finished("scratching_post", m)


def dumbbell(s: Shape, look: Stream) -> Made:
    r, count, colour = s.of(0.05, 0.07), s.of(1, 2), tint(look, ("black", "slate", "blue", "pink"))
    disc = s.of(0.04, 0.06)
    m = Sketch()
    for n in range(count):
        z = (n - (count - 1) / 2) * 0.18
        for x in (-0.08, 0.08):
            m.block((x, z), (disc, 2 * r, 2 * r), 0, colour, skip="")
        m.bar((-0.08, r, z), (0.08, r, z), 0.028, "tint_silver")
    return finished("dumbbell", m)


def yoga_mat(s: Shape, look: Stream) -> Made:
    """Rolled, standing or lying."""
    r, long, standing = s.of(0.06, 0.08), s.of(0.62, 0.75), s.of(True, False)
    colour = tint(look, ("purple", "teal", "pink", "blue", "green", "slate"))
    m = Sketch()
    if standing:
        m.drum([(r, 0.0), (r, long)], colour, sides=8)
        m.drum([(r * 1.03, long * 0.4), (r * 1.03, long * 0.5)], "tint_black", sides=8)
    else:
        m.bar((-long / 2, r, 0), (long / 2, r, 0), r * 2, colour)
        m.block((0, 0), (0.04, r * 2 + 0.004, r * 2 + 0.006), 0, "tint_black")
    return finished("yoga_mat", m)


def pouf(s: Shape, look: Stream) -> Made:
    form, k = s.of("drum", "cube", "bean"), s.of(1.0, 1.2)
    cloth = look.choice(("fabric1", "fabric2", "fabric3", "leather", "print_cloth1"))
    m = Sketch()
    if form == "cube":
        m.cushion((-0.21 * k, 0.0, -0.21 * k), (0.21 * k, 0.4, 0.21 * k), cloth, 0.04, skip="")
    elif form == "drum":
        m.drum([(0.22 * k, 0.0), (0.25 * k, 0.12), (0.25 * k, 0.3), (0.2 * k, 0.36)], cloth, sides=8)
    else:
        m.lathe([(0.3 * k, 0.0), (0.38 * k, 0.14), (0.25 * k, 0.42), (0.08 * k, 0.58), (0.0, 0.6)], cloth, least=8)
    return finished("pouf", m)


def step_ladder(s: Shape, look: Stream) -> Made:
    steps, w, colour = s.of(2, 3, 4), s.of(0.42, 0.36), look.choice(("tint_silver", "wood", "tint_red"))
    m = Sketch()
    top = 0.24 * steps
    for x in (-w / 2, w / 2):
        m.bar((x, 0.0, 0.05 + 0.06 * steps), (x, top, 0.0), 0.03, colour)
        m.bar((x, 0.0, -0.05 - 0.04 * steps), (x, top, -0.03), 0.025, colour)
    for k in range(steps):
        y = 0.24 * (k + 1)
        size = (w, 0.03, 0.12 if k < steps - 1 else 0.2)
        m.block((0, (0.05 + 0.06 * steps) * (1 - y / top)), size, y - 0.03, colour, skip="")
    return finished("step_ladder", m)


def paint_can(s: Shape, look: Stream) -> Made:
    r, count, lid = s.of(0.085, 0.11), s.of(1, 2, 3), tint(look)
    m = Sketch()
    for k in range(count):
        x, y = ((0.0, 0.0), (r * 2.1, 0.0), (r * 0.1, r * 2.1))[k]
        m.drum(
            [(r, y), (r, y + r * 2)], "tint_silver", (x - r * (count > 1), 0), 8, top=lid if k != 1 else "tint_silver"
        )
        m.drum([(r * 1.01, y + r * 0.5), (r * 1.01, y + r * 1.4)], tint(look), (x - r * (count > 1), 0), 8)
    return finished("paint_can", m)


def toolbox(s: Shape, look: Stream) -> Made:
    w, lid, colour = s.of(0.42, 0.52), s.of(0.05, 0.1), tint(look, ("red", "blue", "slate", "orange", "green"))
    form = s.of("flat", "sloped")
    m = Sketch()
    m.block((0, 0), (w, 0.16, 0.22), 0, colour)
    if form == "flat":
        m.block((0, 0), (w + 0.01, lid, 0.23), 0.16, "tint_black")
    else:
        m.drum([(w * 0.7, 0.16), (w * 0.5, 0.16 + lid)], colour, sides=4, squash=0.5)
    y = 0.16 + lid
    m.bar((-0.08, y + 0.03, 0), (0.08, y + 0.03, 0), 0.022, "tint_silver")
    for x in (-0.08, 0.08):
        m.bar((x, y - 0.005, 0), (x, y + 0.035, 0), 0.02, "tint_silver")
    return finished("toolbox", m)


def crate(s: Shape, look: Stream) -> Made:
    w, h, what = s.of(0.4, 0.5), s.of(0.22, 0.3), s.of("bottles", "plain", "cloth")
    m = Sketch()
    body = look.choice(("wood", "tint_birch", "tint_blue", "tint_red", "tint_grey"))
    m.block((0, 0), (w, h, 0.3), 0, body, top="tint_charcoal")
    if what == "bottles":
        for k in range(4):
            x, z = (k % 2 - 0.5) * w * 0.4, (k // 2 - 0.5) * 0.14
            m.drum([(0.035, h - 0.02), (0.034, h + 0.03), (0.013, h + 0.09)], "tint_bottle", (x, z), 6)
    elif what == "cloth":
        m.pillow((0, h, 0), (w * 0.8, 0.22, 0.1), look.choice(_CLOTH))
    return finished("crate", m)


def coat_hooks(s: Shape, look: Stream) -> Made:
    """A board on the wall with coats, a scarf or a bag; the origin is the middle of the lowest edge."""
    hooks, full, w = s.of(3, 5), s.of(1, 2, 3), s.of(0.16, 0.2)
    board = look.choice(("wood", "wood2", "tint_white", "tint_black"))
    wide, top = hooks * w, 1.0
    m = Sketch()
    m.block((0, -0.09), (wide, 0.1, 0.02), top - 0.06, board, skip="b")
    for k in range(hooks):
        x = (k + 0.5) * w - wide / 2
        m.bar((x, top - 0.03, -0.09), (x, top, -0.03), 0.014, "tint_bronze")
    for n in range(full):
        x = ((0, hooks - 1, hooks // 2)[n] + 0.5) * w - wide / 2
        m.add(_coat((0.95, 0.7, 0.82)[n], look.choice(_CLOTH), n), (x, top, 0.0))
    return finished("coat_hooks", m.set_down())


def _coat(long: float, cloth: str, number: int) -> Sketch:
    """A coat on a peg at y = 0: narrow there, sloping shoulders, folds down to the hem, a sleeve on each side."""
    m, wide = Sketch(), 0.16 + 0.015 * number
    rows = [
        (wide, -long, 0.05), (wide * 0.92, -long * 0.55, 0.05), (wide * 0.9, -0.2, 0.055), (wide * 0.72, -0.1, 0.04),
        (0.03, -0.01, -0.02),
    ]  # fmt: skip
    m.drape(rows, -0.085, cloth, 2)
    for side in (-1, 1):
        shoulder, elbow = (side * wide * 0.5, -0.12, -0.04), (side * wide * 0.86, -0.24, -0.02)
        m.tube(
            [shoulder, elbow, (side * wide * 0.98, -0.42, -0.01), (side * wide * 0.95, -0.64, 0.02)], 0.045, cloth, 8
        )
        m.quad([(side * 0.012, -0.05, 0.028), (side * 0.075, -0.13, 0.03), (side * 0.05, -0.3, 0.041),
                (side * 0.012, -0.32, 0.041)][::side], cloth)  # fmt: skip
    return m


def shoe_rack(s: Shape, look: Stream) -> Made:
    """Boards with pairs of shoes on them."""
    w, levels, pairs = s.of(0.7, 0.9), s.of(2, 3), s.of(2, 3)
    wood = look.choice(("wood", "wood2", "metal", "tint_white"))
    m, h = Sketch(), 0.2
    for x in (-w / 2 + 0.012, w / 2 - 0.012):
        m.block((x, 0), (0.024, levels * h + 0.04, 0.3), 0, wood)
    for k in range(levels):
        y = 0.05 + k * h
        m.block((0, 0), (w - 0.05, 0.018, 0.29), y, wood, skip="lr")
        for n in range(pairs - k % 2):
            colour, x = tint(look, (*BRIGHTS, "black", "white", "brown", "tan")), (n - (pairs - 1) / 2) * 0.25
            for side in (-0.055, 0.055):
                m.block((x + side, 0), (0.085, 0.05, 0.25), y + 0.018, colour, skip="db")
                m.block((x + side, -0.06), (0.075, 0.05, 0.12), y + 0.068, colour, skip="db", top="tint_charcoal")
    return finished("shoe_rack", m)


def bench(s: Shape, look: Stream) -> Made:
    """To sit on while one puts on shoes; a cushion or a basket with it."""
    w, h, form = s.of(0.9, 1.15), s.of(0.42, 0.46), s.of("cushion", "plain", "baskets")
    wood, cloth = look.choice(("wood", "wood2", "tint_white")), look.choice(_CLOTH)
    m = Sketch()
    m.block((0, 0), (w, 0.04, 0.34), h - 0.04, wood, skip="")
    for x in (-w / 2 + 0.03, w / 2 - 0.03):
        m.block((x, 0), (0.04, h - 0.04, 0.32), 0, wood, skip="ud")
    if form == "cushion":
        m.block((0, 0), (w - 0.06, 0.05, 0.32), h, cloth)
    elif form == "baskets":
        for x in (-w / 4, w / 4):
            m.block((x, 0), (w / 2 - 0.1, h * 0.6, 0.28), 0, "basket", top="tint_charcoal")
    return finished("bench", m)


def floor_mirror(s: Shape, look: Stream) -> Made:
    """Tall, leaning at the wall."""
    w, h = s.of(0.5, 0.65), s.of(1.6, 1.75)
    frame = look.choice(("wood", "wood2", "tint_black", "tint_gold", "tint_white"))
    lean, e = s.of(0.16, 0.22), 0.045
    m = Sketch()

    def at(x: float, y: float, out: float) -> Point:
        return x, y, lean * (0.5 - y / h) + out

    corners = [(-w / 2, 0.0), (w / 2, 0.0), (w / 2, h), (-w / 2, h)]
    m.quad([at(x, y, 0.015) for x, y in corners], frame)
    m.quad([at(x, y, -0.015) for x, y in corners[::-1]], frame)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        m.quad([at(x0, y0, -0.015), at(x1, y1, -0.015), at(x1, y1, 0.015), at(x0, y0, 0.015)], frame)
    inner = [(-w / 2 + e, e), (w / 2 - e, e), (w / 2 - e, h - e), (-w / 2 + e, h - e)]
    m.quad([at(x, y, 0.017) for x, y in inner], "mirror", WHOLE)
    return finished("mirror", m)


def towel_rack(s: Shape, look: Stream) -> Made:
    """A ladder at the wall with towels on its rungs."""
    w, h, towels = s.of(0.48, 0.6), s.of(1.6, 1.75), s.of(2, 3)
    lean, wood = 0.22, look.choice(("wood", "wood2", "metal", "tint_white"))
    m = Sketch()

    def back(y: float) -> float:
        return lean * (0.5 - y / h)

    for x in (-w / 2, w / 2):
        m.bar((x, 0.0, back(0)), (x, h, back(h)), 0.04, wood)
    for k in range(5):
        y = 0.3 + k * (h - 0.45) / 4
        m.bar((-w / 2, y, back(y)), (w / 2, y, back(y)), 0.028, wood)
        if k in (2, 4, 0)[:towels]:
            cloth, long = (look.choice(("fabric2", "fabric3", "sheet", "towel")), min(0.45, y - 0.05))
            half, z = w * 0.39, back(y)
            m.grids += over_bar(half, (0.0, y, z), 0.021, (long, long * 0.7), cloth, k, lean / h)
    return finished("towel_rack", m.grounded())


def basket_(s: Shape, look: Stream) -> Made:
    """An open one, with cloth, toys or logs in it."""
    r, h, what = s.of(0.2, 0.24), s.of(0.26, 0.34), s.of("cloth", "logs")
    m = Sketch()
    m.drum([(r * 0.85, 0.0), (r, h), (r * 0.93, h), (r * 0.9, h - 0.06)], "basket", sides=8, top="tint_charcoal")
    if what == "cloth":
        m.grids.append(heap((0.0, h - 0.06, 0.0), (r * 1.8, 0.16, r * 1.8), look.choice(_CLOTH), s.number))
    else:
        for k in range(4):
            z = (k - 1.5) * 0.08
            m.bar((-r * 0.6, h - 0.02 + 0.04 * (k % 2), z), (r * 0.6, h + 0.03, z), 0.07, "tint_brown")
    return finished("basket", m)
