"""Books, music, games, keepsakes and soft things: what people have around them where they live."""

from __future__ import annotations

from dataclasses import replace

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.cloth import heap
from nav_eval_worlds.furniture.made import Made, four_corners, slope
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, finished, tint

_SOFT = ("fabric0", "fabric1", "fabric2", "fabric3", "print_cloth0", "print_cloth1", "print_cloth2")


def book(s: Shape, look: Stream) -> Made:
    """One lying, an open one, or a pile whose books lie a little askew."""
    count, w, d = s.of(1, 2, 4), *s.of((0.15, 0.22), (0.21, 0.28))
    skew = s.of(0.02, -0.05)
    m = Sketch()
    for k in range(count):
        own, thick = Sketch(), (0.022, 0.035, 0.018, 0.028)[k]
        cover = tint(look, (*BRIGHTS, "black", "cream", "brown"))
        own.block((0, 0), (w - 0.015 * k, thick, d - 0.012 * k), 0, cover, top=f"print_cover{look.below(14)}")
        m.spun(own, skew * (k * 1.7 - 0.6), (0.006 * (k % 2), sum((0.022, 0.035, 0.018, 0.028)[:k]), 0.0))
    return finished("book", m)


def open_book(s: Shape, look: Stream) -> Made:
    w, d = s.of((0.15, 0.22), (0.2, 0.27))
    tilt = s.of(0.012, 0.02)
    m = Sketch()
    page, turn = f"print_paper{look.below(2)}", s.of(0.03, -0.06)
    own = Sketch()
    own.block((0, 0), (2 * w, 0.006, d), 0, tint(look))
    own.quad([(-w, 0.012, d / 2), (0, tilt + 0.006, d / 2), (0, tilt + 0.006, -d / 2), (-w, 0.012, -d / 2)], page)
    own.quad([(0, tilt + 0.006, d / 2), (w, 0.012, d / 2), (w, 0.012, -d / 2), (0, tilt + 0.006, -d / 2)], page)
    m.spun(own, turn)
    return finished("book", m)


def standing_books(s: Shape, look: Stream) -> Made:
    """A short row of books, between ends or leaning."""
    count, ends = s.of(4, 6, 9), s.of("wood", "")
    ends = ends and look.choice(("wood", "metal", "tint_black"))
    m, x = Sketch(), -0.02 * count
    for k in range(count):
        thick, high = (24, 32, 40)[(k * 7 + count) % 3] / 1000, (20, 23, 26, 21)[(k * 5) % 4] / 100
        m.block((x + thick / 2, 0), (thick - 0.002, high, 0.15), 0, tint(look, BRIGHTS + CALM), front="")
        x += thick
    if ends:
        for at in (-0.02 * count - 0.01, x + 0.01):
            m.block((at, 0), (0.018, 0.16, 0.12), 0, ends)
    return finished("book", m.moved(0.02 * count - (x + 0.02 * count) / 2))


def magazine(s: Shape, look: Stream) -> Made:
    count, spread = s.of(1, 3), s.of(0.05, 0.12, -0.09)
    m = Sketch()
    for k in range(count):
        own = Sketch()
        own.block((0, 0), (0.21, 0.006, 0.28), 0, "tint_white", top=f"print_cover{look.below(14)}")
        m.spun(own, spread * (k + 1), (0.012 * k, 0.006 * k, -0.01 * k))
    return finished("magazine", m)


def remote_control(s: Shape, look: Stream) -> Made:
    w, d, turn = s.of(0.042, 0.055), s.of(0.16, 0.22), s.of(0.03, -0.07)
    own, m = Sketch(), Sketch()
    own.block((0, 0), (w, 0.02, d), 0, "tint_black", top="print_pad0")
    m.spun(own, turn)
    return finished("remote_control", m)


def game_console(s: Shape, look: Stream) -> Made:
    form, colour = s.of("flat", "tower", "cube"), tint(look, ("black", "white", "charcoal"))
    m = Sketch()
    if form == "flat":
        m.block((0, 0), (0.32, 0.06, 0.24), 0, colour, skip="")
        m.block((-0.05, 0.121), (0.16, 0.008, 0.002), 0.028, "tint_sky")
    elif form == "tower":
        m.block((0, 0), (0.09, 0.36, 0.24), 0, colour, skip="")
        m.block((0.02, 0.121), (0.006, 0.3, 0.002), 0.03, "tint_blue")
    else:
        m.block((0, 0), (0.15, 0.28, 0.15), 0, colour, top="tint_green")
    for k in range(s.of(0, 2)):
        x = 0.24 + k * 0.02
        m.block((x, -0.05 + 0.13 * k), (0.14, 0.04, 0.07), 0, "tint_charcoal")
    return finished("game_console", m)


def speaker(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.17, 0.28), (0.21, 0.36), (0.11, 0.16))
    body, cones = look.choice(("wood", "wood2", "tint_black", "tint_white")), s.of(1, 2)
    m = Sketch()
    m.block((0, 0), (w, h, w * 0.9), 0, body, front="tint_charcoal")
    m.upright(w * 0.36, h * 0.35, w * 0.451, "tint_slate")
    if cones == 2:
        m.upright(w * 0.18, h * 0.76, w * 0.451, "tint_silver")
    return finished("speaker", m)


def radio(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.28, 0.16), (0.22, 0.13))
    body = look.choice(("wood", "tint_red", "tint_mint", "tint_cream"))
    dial, aerial = s.of(True, False), s.of(True, False)
    m = Sketch()
    m.block((0, 0), (w, h, 0.1), 0, body)
    m.card(-w / 2 + 0.02, 0.03, w / 2 - 0.02, h - 0.03, 0.051, "print_slats0")
    if dial:
        m.upright(0.03, h * 0.5, 0.052, "tint_gold")
    if aerial:
        m.bar((w * 0.4, h, 0), (w * 0.2, h + 0.2, 0), 0.006, "tint_silver")
    return finished("radio", m)


def record_player(s: Shape, look: Stream) -> Made:
    w, wood, lid = s.of(0.42, 0.36), look.choice(("wood", "wood2", "tint_black")), s.of(True, False)
    m = Sketch()
    m.block((0, 0), (w, 0.1, 0.34), 0.01, wood, skip="")
    m.drum([(0.15, 0.11), (0.15, 0.118)], "tint_black", (-0.03, 0), 8)
    m.drum([(0.04, 0.119), (0.04, 0.12)], tint(look), (-0.03, 0), 6)
    m.bar((w / 2 - 0.04, 0.13, -0.12), (w / 2 - 0.07, 0.13, 0.08), 0.01, "tint_silver")
    for x in (-w / 2 + 0.03, w / 2 - 0.03):
        m.block((x, 0), (0.03, 0.01, 0.3), 0, "tint_black", skip="u")
    if lid:
        slope(m, -w / 2, w / 2, (0.11, -0.17), (0.4, -0.21), "tint_glass")
        slope(m, w / 2, -w / 2, (0.11, -0.172), (0.4, -0.212), "tint_glass")
    return finished("record_player", m)


def candle(s: Shape, look: Stream) -> Made:
    form, wax = s.of("pillar", "stick", "jar"), tint(look, ("cream", "white", "red", "olive", "clay", "pink"))
    count, thick = s.of(1, 3), 0.026 if form == "pillar" else 0.038
    m = Sketch()
    for k in range(count):
        x, z, h = ((0.0, 0.0, 0.16), (0.09, 0.03, 0.11), (-0.08, 0.05, 0.08))[k]
        if form == "stick":
            m.drum([(0.04, 0.0), (0.03, 0.012), (0.01, 0.02), (0.014, h)], "tint_gold", (x, z))
            m.drum([(0.011, h), (0.011, h + 0.16)], wax, (x, z))
            m.bar((x, h + 0.16, z), (x, h + 0.175, z), 0.004, "tint_black")
        else:
            m.drum([(thick, 0.0), (thick, h)], wax if form == "pillar" else "tint_glass", (x, z), 6, top=wax)
            m.bar((x, h, z), (x, h + 0.015, z), 0.004, "tint_black")
    return finished("candle", m)


def photo_frame(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.13, 0.18), (0.2, 0.15), (0.22, 0.28))
    frame = look.choice(("wood", "wood2", "tint_silver", "tint_gold", "tint_black", "tint_white"))
    pair = s.of(False, True)
    m = Sketch()
    for k in range(2 if pair else 1):
        x = 0.0 if not pair else (k - 0.5) * (w + 0.015)
        z, back = 0.03, 0.06
        top = z - back * h * 3
        corners = [(x - w / 2, 0, z), (x + w / 2, 0, z), (x + w / 2, h, top), (x - w / 2, h, top)]
        m.quad(corners, frame)
        m.quad([(a, b, c - 0.012) for a, b, c in corners[::-1]], frame)
        e, step = 0.018, -back * 3
        inner = [(x - w / 2 + e, e), (x + w / 2 - e, e), (x + w / 2 - e, h - e), (x - w / 2 + e, h - e)]
        m.quad([(a, b, z + step * b + 0.002) for a, b in inner], f"print_photo{look.below(6)}")
        m.flat(x - w / 2, z + step * h - 0.012, x + w / 2, z + step * h, h, frame)
        m.bar((x, 0.0, z - 0.1), (x, h * 0.7, z + step * h * 0.7 - 0.01), 0.02, frame)
    return finished("photo_frame", m.grounded())


def figurine(s: Shape, look: Stream) -> Made:
    form = s.of("bust", "bird", "knot", "obelisk", "cat", "sphere")
    colour = look.choice(("tint_bronze", "tint_white", "tint_black", "tint_gold", "wood2", "tint_clay"))
    m = Sketch()
    m.block((0, 0), (0.09, 0.025, 0.09), 0, look.choice(("wood", "tint_black", "tint_white")))
    if form == "bust":
        m.drum([(0.05, 0.025), (0.06, 0.07), (0.02, 0.1), (0.022, 0.115)], colour, sides=6, squash=0.7)
        m.drum([(0.025, 0.11), (0.042, 0.145), (0.036, 0.18), (0.015, 0.2)], colour)
    elif form == "bird":
        m.bar((0, 0.02, 0), (0, 0.08, 0), 0.012, colour)
        m.drum([(0.02, 0.08), (0.04, 0.11), (0.03, 0.15), (0.012, 0.19)], colour, squash=1.6)
    elif form == "knot":
        for a, b in (
            ((-0.05, 0.03, 0), (0.05, 0.16, 0)),
            ((0.05, 0.03, 0.02), (-0.05, 0.16, 0.02)),
            ((-0.06, 0.16, 0.01), (0.06, 0.16, 0.01)),
        ):
            m.bar(a, b, 0.026, colour)
    elif form == "obelisk":
        m.drum([(0.04, 0.025), (0.024, 0.24), (0.004, 0.28)], colour, sides=4)
    elif form == "cat":
        m.drum([(0.045, 0.025), (0.04, 0.08), (0.022, 0.13)], colour)
        m.drum([(0.02, 0.12), (0.032, 0.145), (0.02, 0.17)], colour, (0, 0.02))
        for x in (-0.016, 0.016):
            m.drum([(0.01, 0.165), (0.002, 0.19)], colour, (x, 0.02), 4)
    else:
        m.lathe([(0.0, 0.025), (0.055, 0.055), (0.055, 0.1), (0.0, 0.135)], colour, least=8)
    return finished("figurine", m)


def globe(s: Shape, look: Stream) -> Made:
    r, foot = s.of(0.11, 0.14), look.choice(("wood", "tint_gold", "tint_black"))
    foot_wide = s.of(0.6, 0.85)
    ring = s.of(True, False)
    m = Sketch()
    m.drum([(r * foot_wide, 0.0), (r * 0.5, 0.02), (0.012, 0.03), (0.012, 0.09)], foot, sides=8)
    y = 0.08 + r
    m.lathe(
        [(0.0, y - r), (r * 0.7, y - r * 0.7), (r, y), (r * 0.7, y + r * 0.7), (0.0, y + r)], "print_globe0", least=12
    )
    if ring:
        m.bar((r * 1.05, y - r * 0.7, 0), (r * 1.05, y + r * 0.7, 0), 0.012, "tint_gold")
        m.bar((0.0, y - r - 0.01, 0), (r * 1.05, y - r * 0.7, 0), 0.012, "tint_gold")
    return finished("globe", m)


def alarm_clock(s: Shape, look: Stream) -> Made:
    form, feet = s.of("round", "box", "digital"), s.of(True, False)
    colour = tint(look)
    m = Sketch()
    y = 0.015 if feet else 0.0
    if form == "digital":
        m.block((0, 0), (0.16, 0.07, 0.06), y, "tint_black", front="print_display1", skip="")
    elif form == "box":
        m.block((0, 0), (0.09, 0.1, 0.05), y, colour, front=f"print_clock{look.below(6)}", skip="")
    else:
        m.dial(0.0545, y + 0.055, 0.04, colour, f"print_clock{look.below(6)}")
        m.bar((-0.03, y + 0.115, 0), (0.03, y + 0.115, 0), 0.02, "tint_silver")
    if feet:
        for x in (-0.03, 0.03):
            m.block((x, 0), (0.014, 0.02, 0.03), 0, "tint_black", skip="u")
    return finished("alarm_clock", m)


def cactus(s: Shape, look: Stream) -> Made:
    form, r = s.of("column", "ball", "arms"), s.of(0.06, 0.08)
    m = Sketch()
    m.drum(
        [(r * 0.75, 0.0), (r, 0.1), (r * 0.9, 0.1), (r * 0.85, 0.08)], tint(look, (*CALM, "rust")), sides=8, top="soil"
    )
    if form == "ball":
        m.drum([(r * 0.4, 0.08), (r * 0.8, 0.12), (r * 0.75, 0.17), (r * 0.3, 0.2)], "tint_green", sides=8)
    else:
        m.drum([(r * 0.42, 0.08), (r * 0.48, 0.24), (r * 0.2, 0.29)], "tint_green")
    if form == "arms":
        for side in (-1, 1):
            m.bar((0, 0.15, 0), (side * r, 0.16, 0), 0.026, "tint_green")
            m.bar((side * r, 0.15, 0), (side * r, 0.22, 0), 0.026, "tint_green")
    return finished("cactus", m)


def board_game(s: Shape, look: Stream) -> Made:
    count, w = s.of(1, 2, 3), s.of(0.38, 0.27)
    m = Sketch()
    for k in range(count):
        own = Sketch()
        own.block((0, 0), (w - 0.03 * k, 0.055, 0.27 - 0.02 * k), 0, tint(look), top=f"print_game{look.below(3)}")
        m.spun(own, 0.02 * k, (0.0, 0.055 * k, 0.0))
    return finished("board_game", m)


def guitar(s: Shape, look: Stream) -> Made:
    """On a stand."""
    form, colour = s.of("acoustic", "electric"), look.choice(("wood", "wood2", "tint_red", "tint_black", "tint_tan"))
    tall = s.of(1.0, 1.08, 0.8)
    m = Sketch()
    for r, y in ((0.19, 0.26), (0.14, 0.52)):
        _slab(m, r, y, 0.1 if form == "acoustic" else 0.045, colour)
    m.upright(0.05, 0.44, 0.052 if form == "acoustic" else 0.024, "tint_black")
    m.block((0, 0.02 if form == "electric" else 0.045), (0.05, tall - 0.6, 0.022), 0.5, "tint_brown", skip="")
    m.block((0, 0.02 if form == "electric" else 0.045), (0.075, 0.16, 0.02), tall - 0.1, "tint_black", skip="")
    for x in (-0.14, 0.14):
        m.bar((x, 0.0, 0.12), (x * 0.4, 0.16, 0.0), 0.02, "tint_black")
    m.bar((0, 0.0, -0.16), (0, 0.5, -0.06), 0.02, "tint_black")
    return finished("guitar", m.grounded())


def _slab(m: Sketch, r: float, y: float, deep: float, material: str) -> None:
    """An octagonal plate that faces the front."""
    m.upright(r, y, deep / 2, material)
    half = [(0.92, 0.38), (0.38, 0.92), (-0.38, 0.92), (-0.92, 0.38)]
    ring = [*half, *((-x, -y) for x, y in half)]
    for k in range(8):
        (x0, y0), (x1, y1) = ring[k], ring[(k + 1) % 8]
        m.quad([(x0 * r, y + y0 * r, deep / 2), (x0 * r, y + y0 * r, -deep / 2), (x1 * r, y + y1 * r, -deep / 2),
                (x1 * r, y + y1 * r, deep / 2)], material)  # fmt: skip


def fan(s: Shape, look: Stream) -> Made:
    form, colour = s.of("pedestal", "tower", "box"), tint(look, ("white", "black", "silver", "slate"))
    tall = s.of(1.1, 0.9)
    m = Sketch()
    if form == "tower":
        m.drum([(0.14, 0.0), (0.14, 0.02)], colour, sides=8)
        m.block((0, 0), (0.16, tall - 0.2, 0.16), 0.02, colour)
        m.card(-0.06, 0.15, 0.06, tall - 0.25, 0.081, "print_slats0")
    elif form == "box":
        m.block((0, 0), (0.45, 0.45 * tall, 0.16), 0, colour, front="print_slats0")
    else:
        m.drum([(0.2, 0.0), (0.19, 0.02), (0.02, 0.03)], colour, sides=8)
        m.bar((0, 0.02, 0), (0, tall - 0.15, 0), 0.03, "tint_silver")
        _slab(m, 0.2, tall - 0.15, 0.08, colour)
        m.upright(0.17, tall - 0.15, 0.042, "tint_grey")
        m.upright(0.04, tall - 0.15, 0.045, colour)
    return finished("fan", m)


def cushion(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.42, 0.42), (0.5, 0.32), (0.34, 0.34))
    turn, thick = s.of(0.03, 0.95), s.of(0.13, 0.18)
    m = Sketch()
    m.pillow((0, thick / 2, 0), (w, h, thick), look.choice(_SOFT), turn=turn)
    return finished("cushion", m)


def blanket(s: Shape, look: Stream) -> Made:
    """Folded in soft layers, or thrown down."""
    w, d = s.of((0.9, 0.34), (0.5, 0.4), (1.2, 0.45))
    form, cloth = s.of("folded", "thrown", "crumpled"), look.choice(_SOFT[:4])
    m = Sketch()
    if form == "folded":
        for k in range(2):
            low, high = (-w / 2 + 0.012 * k, 0.04 * k, -d / 2 + 0.01 * k), (w / 2, 0.04 * k + 0.045, d / 2 - 0.008 * k)
            m.cushion(low, high, cloth, 0.02, least=3)
        return finished("blanket", m)
    h = 0.06 if form == "thrown" else 0.1
    m.grids.append(heap((0.0, 0.0, 0.0), (w * (1.0 if h < 0.1 else 0.7), h, d), cloth, s.number, 0.0, 10))
    return replace(finished("blanket", m), size=(w, h, d))


def teddy_bear(s: Shape, look: Stream) -> Made:
    """It sits."""
    k, colour = s.of(1.0, 1.4), look.choice(("tint_tan", "tint_brown", "tint_cream", "tint_pink", "tint_grey"))
    ears = s.of("bear", "rabbit", "elephant")
    m = Sketch()
    m.ball((0.0, 0.08 * k, 0.0), 0.075 * k, colour, 1.05)
    m.ball((0.0, 0.2 * k, 0.012 * k), 0.06 * k, colour)
    m.ball((0.0, 0.19 * k, 0.058 * k), 0.026 * k, "tint_cream", 0.8, 6)
    m.ball((0.0, 0.2 * k, 0.082 * k), 0.008 * k, "tint_black", 1.0, 5)
    for side in (-1, 1):
        m.ball((side * 0.023 * k, 0.222 * k, 0.064 * k), 0.007 * k, "tint_black", 1.0, 5)
        m.ball((side * 0.055 * k, 0.033 * k, 0.085 * k), 0.034 * k, colour, 0.95, 7)
        m.tube([(side * 0.06 * k, 0.13 * k, 0.0), (side * 0.1 * k, 0.09 * k, 0.03 * k),
                (side * 0.105 * k, 0.06 * k, 0.055 * k)], 0.024 * k, colour, 6)  # fmt: skip
        r, tall = {"bear": (0.024, 1.0), "rabbit": (0.018, 3.0), "elephant": (0.04, 0.9)}[ears]
        off, up = (0.078, 0.21) if ears == "elephant" else (0.045, 0.25 + 0.018 * (tall - 1))
        m.ball((side * off * k, up * k, 0.0), r * k, colour, tall, 7)
    return finished("teddy_bear", m)


def toy(s: Shape, look: Stream) -> Made:
    form, k = s.of("blocks", "car", "train", "rings", "robot", "castle"), s.of(1.0, 1.35)
    a, b, c = (tint(look) for _ in range(3))
    m = Sketch()
    if form == "blocks":
        for n, (x, y, z) in enumerate(((0, 0, 0), (0.07, 0, 0.02), (-0.06, 0, 0.05), (0.03, 0.06, 0.01))):
            own = Sketch()
            own.block((0, 0), (0.06 * k, 0.06 * k, 0.06 * k), 0, (a, b, c, a)[n])
            m.spun(own, 0.06 * n, (x * k, y * k, z * k))
    elif form == "car":
        m.block((0, 0), (0.11 * k, 0.05 * k, 0.24 * k), 0.025 * k, a, skip="")
        m.block((0, -0.02), (0.095 * k, 0.045 * k, 0.12 * k), 0.075 * k, "tint_glass", top=a)
        for at in four_corners(0.055 * k, 0.07 * k):
            m.block(at, (0.02, 0.05 * k, 0.05 * k), 0, "tint_black", skip="")
    elif form == "train":
        for n, z in enumerate((-0.17, 0.0, 0.17)):
            m.block((0, z * k), (0.07 * k, 0.05 * k, 0.14 * k), 0.02, (a, b, c)[n], skip="")
            m.block((0, z * k), (0.075 * k, 0.02, 0.1 * k), 0, "tint_black", skip="u")
        m.drum([(0.02 * k, 0.06 * k), (0.026 * k, 0.12 * k)], "tint_black", (0, 0.2 * k))
    elif form == "rings":
        for n in range(4):
            r, y = 0.07 * k - 0.012 * n, 0.03 * n * k
            m.drum([(r, y), (r, y + 0.028)], (a, b, c, a)[n], sides=8)
        m.drum([(0.02, 0.118 * k), (0.012, 0.15 * k)], c)
    elif form == "robot":
        m.block((0, 0), (0.1 * k, 0.1 * k, 0.07 * k), 0.07 * k, a, front="print_pad0", skip="")
        m.block((0, 0), (0.07 * k, 0.06 * k, 0.06 * k), 0.17 * k, b)
        for x in (-0.03, 0.03):
            m.block((x * k, 0.01), (0.035 * k, 0.07 * k, 0.06 * k), 0, c)
            m.bar((x * 2 * k, 0.08 * k, 0.0), (x * 2 * k, 0.16 * k, 0.0), 0.025, c)
    else:
        m.block((0, 0), (0.2 * k, 0.1 * k, 0.16 * k), 0, a)
        for x in (-0.1, 0.1):
            m.drum([(0.035 * k, 0.0), (0.035 * k, 0.16 * k), (0.002, 0.22 * k)], b, (x * k, 0.05 * k))
        m.block((0, 0.082 * k), (0.05 * k, 0.07 * k, 0.005), 0, "tint_brown")
    return finished("toy", m)


def ball(s: Shape, look: Stream) -> Made:
    r, tall = s.of(0.11, 0.05, 0.14), s.of(1.0, 1.35)
    m = Sketch()
    m.ball((0.0, r * tall, 0.0), r, look.choice((tint(look), "print_cloth0", "tint_orange")), tall, 12)
    return finished("ball", m)


def toy_chest(s: Shape, look: Stream) -> Made:
    w, full, form = s.of(0.6, 0.45), s.of(True, False), s.of("chest", "bin")
    body = look.choice(("wood", "wood2", tint(look), "tint_white"))
    m = Sketch()
    h = 0.36 if form == "chest" else 0.3
    m.block((0, 0), (w, h, 0.36), 0, body, top="tint_charcoal" if full else body)
    if full:
        for n, (x, z) in enumerate(((-0.12, 0.03), (0.05, -0.05), (0.14, 0.06))):
            m.drum([(0.07, h - 0.02), (0.07, h + 0.05), (0.03, h + 0.09 - 0.02 * n)], tint(look), (x * w * 1.6, z), 6)
    elif form == "chest":
        m.block((0, 0), (w + 0.02, 0.035, 0.38), h, body)
    return finished("toy_chest", m)
