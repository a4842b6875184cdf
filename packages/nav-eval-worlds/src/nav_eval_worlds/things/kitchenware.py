"""What stands on worktops and is laid on tables."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, finished, tint

_WARE = ("white", "cream", "sky", "clay", "slate", "mint", "navy")


def mug(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.034, 0.0), (0.04, 0.095)], [(0.04, 0.0), (0.04, 0.08)], [(0.026, 0.0), (0.046, 0.04), (0.048, 0.075)],
        [(0.036, 0.0), (0.042, 0.03), (0.034, 0.11)],
    )  # fmt: skip
    saucer, colour = s.of(False, True), tint(look, _WARE + BRIGHTS)
    m = Sketch()
    foot = 0.008 if saucer else 0.0
    (r, y), rim = rings[-1], rings[-1][1] + foot
    m.drum([*((q, high + foot) for q, high in rings), (r * 0.86, rim), (r * 0.8, rim - 0.014)], colour, sides=8,
           top="tint_brown")  # fmt: skip
    for high in (0.25, 0.78):
        m.bar((r * 0.9, foot + y * high, 0), (0.066, foot + y * high, 0), 0.01, colour)
    m.bar((0.064, foot + y * 0.22, 0), (0.064, foot + y * 0.8, 0), 0.01, colour)
    if saucer:
        m.drum([(0.04, 0.0), (0.078, 0.011), (0.074, 0.012), (0.045, 0.007)], "tint_white", sides=8)
    return finished("mug", m)


def plate(s: Shape, look: Stream) -> Made:
    r, sides, deep = s.of(0.13, 0.1), s.of(8, 4), s.of(0.012, 0.035)
    colour, rim = tint(look, _WARE), tint(look, _WARE)
    m = Sketch()
    m.drum([(r * 0.6, 0.0), (r, deep + 0.004), (r * 0.92, deep + 0.005), (r * 0.62, 0.006)], colour, sides=sides)
    m.drum([(r * 0.93, deep + 0.0051), (r * 0.84, deep + 0.0015)], rim, sides=sides, top=colour)
    return finished("plate", m)


def drinking_glass(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.028, 0.0), (0.036, 0.11)], [(0.036, 0.0), (0.036, 0.085)], [(0.03, 0.0), (0.03, 0.15)],
        [(0.035, 0.0), (0.006, 0.006), (0.006, 0.08), (0.036, 0.12), (0.03, 0.18)],
        [(0.034, 0.0), (0.006, 0.006), (0.005, 0.1), (0.022, 0.13), (0.025, 0.21)],
    )  # fmt: skip
    m = Sketch()
    m.drum(rings, "tint_glass", sides=6, top=look.choice(("tint_sky", "tint_glass", "tint_amber", "tint_red")))
    return finished("drinking_glass", m)


def cutlery(s: Shape, look: Stream) -> Made:
    metal, napkin = look.choice(("tint_silver", "tint_gold")), tint(look, CALM)
    m = Sketch()
    if s.of(True, False):
        m.block((0, 0), (0.07, 0.006, 0.2), 0, napkin)
    for x in s.of((-0.015, 0.015), (-0.02, 0.0, 0.02)):
        m.block((x, 0.02), (0.009, 0.004, 0.14), 0.006, metal, skip="")
        m.block((x, -0.075), (0.02, 0.004, 0.05), 0.006, metal, skip="")
    if not m.quads[0].corners[:, 1].min() < 0.005:
        m = m.moved(y=-0.006)
    return finished("cutlery", m)


def kettle(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.085, 0.02), (0.08, 0.12), (0.06, 0.2)], [(0.1, 0.02), (0.1, 0.08), (0.05, 0.14)],
        [(0.075, 0.02), (0.075, 0.22)],
    )  # fmt: skip
    colour, high = look.choice(("metal", "tint_white", "tint_black", "tint_red", "tint_mint")), rings[-1][1]
    m = Sketch()
    m.drum([(0.09, 0.0), (0.09, 0.02)], "tint_black", sides=8)
    m.drum(rings, colour, sides=8)
    m.drum([(0.014, high), (0.016, high + 0.025)], "tint_black")
    if s.of(True, False):
        m.bar((0.06, high - 0.01, 0), (0.125, high - 0.01, 0), 0.02, "tint_black")
        m.bar((0.12, 0.05, 0), (0.12, high, 0), 0.02, "tint_black")
    else:
        m.bar((-0.05, high - 0.02, 0), (-0.06, high + 0.08, 0), 0.012, "tint_black")
        m.bar((0.05, high - 0.02, 0), (0.06, high + 0.08, 0), 0.012, "tint_black")
        m.bar((-0.065, high + 0.08, 0), (0.065, high + 0.08, 0), 0.016, "tint_black")
    m.bar((-0.05, high * 0.6, 0), (-0.12, high * 0.85, 0), 0.024, colour)
    return finished("kettle", m)


def toaster(s: Shape, look: Stream) -> Made:
    w, d, colour = s.of(0.28, 0.38), s.of(0.17, 0.26), look.choice(("metal", "tint_white", "tint_red", "tint_sky"))
    m = Sketch()
    m.block((0, 0), (w, 0.02, d), 0, "tint_black")
    m.block((0, 0), (w, 0.15, d), 0.02, colour)
    m.block((0, 0), (w - 0.03, 0.02, d - 0.03), 0.17, colour)
    for k in range(2 if d > 0.2 else 1):
        z = 0.0 if d < 0.2 else (k - 0.5) * 0.1
        m.flat(-w / 2 + 0.05, z - 0.016, w / 2 - 0.05, z + 0.016, 0.1905, "tint_black")
    m.block((w / 2 + 0.01, 0), (0.02, 0.02, 0.04), 0.12, "tint_black")
    return finished("toaster", m)


def microwave(s: Shape, look: Stream) -> Made:
    w, colour = s.of(0.46, 0.52), look.choice(("tint_silver", "tint_white", "tint_black"))
    h, side = s.of(0.26, 0.3), s.of(1, -1)
    m = Sketch()
    m.block((0, 0), (w, h, 0.34), 0.01, colour, skip="")
    m.block((0, 0), (w - 0.06, 0.01, 0.3), 0, "tint_black", skip="u")
    x = -side * 0.06
    m.block((x, 0.175), (w - 0.16, h - 0.06, 0.012), 0.04, "tint_charcoal", skip="b")
    m.block((x + side * (w / 2 - 0.1), 0.19), (0.018, h - 0.1, 0.02), 0.06, "metal", skip="b")
    m.card(side * (w / 2 - 0.05) - 0.035, 0.1, side * (w / 2 - 0.05) + 0.035, h - 0.03, 0.171, "print_pad0")
    return finished("microwave", m)


def coffee_machine(s: Shape, look: Stream) -> Made:
    colour, form = look.choice(("tint_black", "metal", "tint_red", "tint_white")), s.of("filter", "espresso")
    w = s.of(0.2, 0.26)
    m = Sketch()
    m.block((0, 0), (w, 0.04, 0.24), 0, "tint_black")
    m.block((0, -0.07), (w, 0.26, 0.1), 0.04, colour)
    m.block((0, 0), (w, 0.07, 0.24), 0.28, colour, skip="")
    if form == "filter":
        m.drum([(0.05, 0.04), (0.065, 0.1), (0.045, 0.17)], "tint_bottle", (0, 0.045), 8)
    else:
        m.drum([(0.03, 0.24), (0.03, 0.28)], "metal", (0, 0.05))
        m.bar((0, 0.255, 0.05), (0, 0.255, 0.17), 0.018, "tint_black")
        m.drum([(0.03, 0.04), (0.038, 0.1)], "tint_white", (0, 0.05))
    return finished("coffee_machine", m)


def teapot(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.05, 0.0), (0.085, 0.05), (0.07, 0.1), (0.03, 0.125)], [(0.07, 0.0), (0.06, 0.14)],
        [(0.06, 0.0), (0.1, 0.04), (0.05, 0.08)],
    )  # fmt: skip
    colour, high = tint(look, (*_WARE, "rust", "teal")), rings[-1][1]
    m = Sketch()
    m.drum(rings, colour, sides=8)
    m.drum([(0.012, high), (0.015, high + 0.025)], colour)
    m.bar((0.05, high * 0.45, 0), (0.14, high * 0.9, 0), 0.022, colour)
    m.bar((-0.06, high * 0.8, 0), (-0.125, high * 0.8, 0), 0.014, colour)
    m.bar((-0.12, high * 0.25, 0), (-0.12, high * 0.84, 0), 0.014, colour)
    return finished("teapot", m)


def knife_block(s: Shape, look: Stream) -> Made:
    wide, knives, wood = s.of(0.1, 0.16), s.of(3, 5), look.choice(("wood", "wood2", "tint_black"))
    m = Sketch()
    m.block((0, 0), (wide, 0.2, 0.14), 0, wood)
    for k in range(knives):
        x = ((k % 3) - 1) * wide * 0.3
        m.bar((x, 0.2, 0.03 - 0.05 * (k // 3)), (x, 0.29, 0.04 - 0.05 * (k // 3)), 0.018, "tint_black")
    return finished("knife_block", m)


def cutting_board(s: Shape, look: Stream) -> Made:
    w, d, extra = s.of(0.42, 0.3), s.of(0.26, 0.2), s.of("bread", "plain", "vegetables")
    m = Sketch()
    m.block((0, 0), (w, 0.022, d), 0, look.choice(("wood", "wood2", "tint_birch")))
    if extra == "bread":
        m.ball((-0.04, 0.07, 0.0), 0.09, "tint_rust", 0.55, 10)
        m.block((w / 2 - 0.07, 0), (0.012, 0.008, 0.2), 0.022, "tint_silver")
    elif extra == "vegetables":
        for x, z, colour in ((-0.06, 0.03, "red"), (0.0, -0.04, "red"), (0.06, 0.03, "leaf")):
            m.ball((x, 0.054, z), 0.034, f"tint_{colour}", 0.9, 7)
    return finished("cutting_board", m)


def pan(s: Shape, look: Stream) -> Made:
    r, h, lid = s.of(0.12, 0.15), s.of(0.05, 0.11, 0.17), s.of(True, False)
    colour = look.choice(("tint_black", "metal", "tint_red", "tint_teal"))
    m = Sketch()
    m.drum([(r * 0.9, 0.0), (r, h), (r * 0.94, h), (r * 0.85, 0.01)], colour, sides=8, top="tint_charcoal")
    if h < 0.1:
        m.bar((r * 0.9, h - 0.012, 0), (r + 0.19, h + 0.01, 0), 0.022, "tint_black")
    else:
        for side in (-1, 1):
            m.bar((side * r * 0.9, h * 0.8, 0), (side * (r + 0.04), h * 0.8, 0), 0.018, "tint_black")
    if lid:
        m.drum([(r * 1.0, h), (r * 0.6, h + 0.025)], "tint_glass", sides=8)
        m.drum([(0.014, h + 0.025), (0.02, h + 0.05)], "tint_black")
    return finished("pan", m)


def jar(s: Shape, look: Stream) -> Made:
    r, h, lid = s.of(0.045, 0.06), s.of(0.1, 0.16, 0.22), look.choice(("tint_birch", "tint_silver", "tint_black"))
    body = look.choice(("tint_glass", "tint_straw", "tint_brown", "tint_cream", "tint_olive", "tint_clay"))
    m = Sketch()
    m.drum([(r, 0.0), (r, h * 0.85), (r * 0.8, h)], body, sides=8)
    m.drum([(r * 0.85, h), (r * 0.85, h + 0.025)], lid, sides=8)
    return finished("jar", m)


def bottle(s: Shape, look: Stream) -> Made:
    rings = s.of(
        [(0.036, 0.0), (0.037, 0.2), (0.014, 0.25), (0.014, 0.31)],
        [(0.04, 0.0), (0.04, 0.16), (0.016, 0.22), (0.014, 0.26)],
        [(0.03, 0.0), (0.033, 0.12), (0.012, 0.2), (0.014, 0.24)],
        [(0.045, 0.0), (0.05, 0.1), (0.045, 0.2), (0.018, 0.27), (0.018, 0.3)],
    )  # fmt: skip
    labelled = s.of(True, False)
    m = Sketch()
    m.drum(rings, f"tint_{look.choice(('bottle', 'amber', 'glass', 'leaf', 'sky', 'charcoal'))}", sides=8)
    r, top = rings[0][0], rings[-1][1]
    m.drum([(0.016, top - 0.03), (0.016, top + 0.004)], tint(look, (*BRIGHTS, "black", "gold")))
    if labelled:
        m.card(-r * 0.7, 0.05, r * 0.7, 0.14, r * 1.03, f"print_label{look.below(6)}")
        m.card(r * 0.7, 0.05, -r * 0.7, 0.14, -r * 1.03, f"print_label{look.below(6)}")
    return finished("bottle", m)


def fruit(s: Shape, look: Stream) -> Made:
    kind = s.of("apples", "bananas", "melon", "lemons")
    m = Sketch()
    if kind == "bananas":
        for k in range(4):
            z = (k - 1.5) * 0.028
            m.bar((-0.09, 0.03, z), (-0.02, 0.014, z), 0.03, "tint_yellow")
            m.bar((-0.02, 0.014, z), (0.08, 0.04, z * 0.4), 0.03, "tint_yellow")
        return finished("fruit", m.set_down())
    if kind == "melon":
        m.ball((0.0, 0.095, 0.0), 0.1, "tint_green", 0.95, 12)
        return finished("fruit", m)
    colours = ("red", "leaf", "red", "rust") if kind == "apples" else ("yellow", "yellow", "olive", "yellow")
    m.drum([(0.07, 0.0), (0.13, 0.06), (0.12, 0.06), (0.07, 0.015)], tint(look, _WARE), sides=8)
    spots = ((-0.05, 0.0), (0.05, 0.01), (0.0, 0.05), (0.0, -0.05))[: 4 if kind == "apples" else 3]
    for (x, z), colour in zip(spots, colours, strict=False):
        m.ball((x, 0.058, z), 0.038, f"tint_{colour}")
        m.bar((x, 0.09, z), (x + 0.004, 0.108, z), 0.005, "tint_brown")
    return finished("fruit", m)


def utensils(s: Shape, look: Stream) -> Made:
    r, form = s.of(0.05, 0.065), s.of("spoons", "whisk")
    m = Sketch()
    m.drum([(r * 0.9, 0.0), (r, 0.15)], tint(look, (*_WARE, "silver")), sides=8, top="tint_black")
    count = s.of(3, 5)
    for k in range(count):
        x, z = ((k % 3) - 1) * r * 0.5, ((k // 3) - 0.5) * r * 0.7
        m.bar((x, 0.15, z), (x * 2.2, 0.27, z * 2), 0.012, look.choice(("wood", "tint_birch", "tint_silver")))
        if form == "spoons":
            m.block((x * 2.2, z * 2), (0.04, 0.06, 0.012), 0.26, "tint_birch", skip="")
        else:
            m.drum([(0.012, 0.26), (0.028, 0.3), (0.01, 0.35)], "tint_silver", (x * 2.2, z * 2))
    return finished("utensils", m)


def dish_rack(s: Shape, look: Stream) -> Made:
    w, plates = s.of(0.34, 0.44), s.of(3, 6)
    m = Sketch()
    m.block((0, 0), (w, 0.015, 0.3), 0, tint(look, ("white", "grey", "black", "silver")))
    for z in (-0.13, 0.13):
        m.bar((-w / 2, 0.09, z), (w / 2, 0.09, z), 0.01, "tint_silver")
        for x in (-w / 2 + 0.01, w / 2 - 0.01):
            m.bar((x, 0.015, z), (x, 0.09, z), 0.01, "tint_silver")
    for k in range(plates):
        x = -w / 2 + 0.06 + k * 0.045
        m.block((x, 0.0), (0.012, 0.19, 0.2), 0.015, tint(look, _WARE), skip="d")
    if s.of(True, False):
        m.drum([(0.05, 0.015), (0.06, 0.1)], "tint_glass", (w / 2 - 0.08, 0), 6)
    return finished("dish_rack", m)


def paper_towel(s: Shape, look: Stream) -> Made:
    r, h = s.of(0.05, 0.065), s.of(0.22, 0.26)
    m = Sketch()
    m.drum([(r + 0.02, 0.0), (r + 0.02, 0.012)], look.choice(("wood", "tint_silver", "tint_black")), sides=8)
    m.drum([(r, 0.012), (r, h)], "tint_white", sides=8)
    m.drum([(0.01, h), (0.01, h + 0.05)], "tint_silver")
    return finished("paper_towel", m)


def food_box(s: Shape, look: Stream) -> Made:
    w, h, d = s.of((0.19, 0.29, 0.07), (0.14, 0.2, 0.06), (0.09, 0.17, 0.09), (0.16, 0.12, 0.1))
    lean = s.of(0.0, 0.04)
    colour, own = tint(look), Sketch()
    own.block((0, 0), (w, h, d), 0, colour, front=f"print_food{look.below(6)}")
    m = Sketch()
    m.spun(own, lean)
    return finished("food_box", m)


def blender(s: Shape, look: Stream) -> Made:
    colour = look.choice(("tint_black", "tint_white", "tint_red", "metal"))
    foot, high, sides = s.of([(0.085, 0.0), (0.06, 0.13)], [(0.08, 0.0), (0.08, 0.1)]), s.of(0.33, 0.27), s.of(8, 4)
    m = Sketch()
    m.drum(foot, colour, sides=8)
    m.drum([(0.045, 0.1), (0.07, high)], "tint_glass", sides=sides)
    m.drum([(0.07, high), (0.06, high + 0.03)], "tint_black", sides=8)
    return finished("blender", m)


def tray(s: Shape, look: Stream) -> Made:
    w, d, rim = s.of(0.42, 0.3), s.of(0.28, 0.2), s.of(True, False)
    material = look.choice(("wood", "wood2", "tint_white", "basket", "tint_teal"))
    m = Sketch()
    m.block((0, 0), (w, 0.012, d), 0, material)
    if rim:
        for z in (-d / 2 + 0.006, d / 2 - 0.006):
            m.block((0, z), (w, 0.035, 0.012), 0.012, material)
        for x in (-w / 2 + 0.006, w / 2 - 0.006):
            m.block((x, 0), (0.012, 0.035, d), 0.012, material)
    return finished("tray", m)
