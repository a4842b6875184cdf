"""What is fastened to walls, ceilings and windows. On walls: the back at -z, the origin at the lowest edge."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from nav_eval_worlds.exact import Stream, cos_turns, sin_turns
from nav_eval_worlds.furniture.made import Made, slope
from nav_eval_worlds.surfaces.parametric import WHOLE
from nav_eval_worlds.things.sketch import BRIGHTS, CALM, Shape, Sketch, extent, finished, tint


def _align_back(category: str, m: Sketch) -> Made:
    """Shifted so that the model's depth is centred: its back is then exactly at -d / 2."""
    low, high = extent(m)
    return finished(category, m.moved(z=-float(low[2] + high[2]) / 2))


def radiator(s: Shape, look: Stream) -> Made:
    w, form = s.of(0.9, 1.2, 0.6), s.of("panel", "columns")
    h = s.of(0.5, 0.6)
    m = Sketch()
    if form == "panel":
        m.block((0, 0), (w, h, 0.07), 0, "tint_white", skip="b", front="print_slats1")
        m.block((w / 2 + 0.02, 0), (0.04, 0.05, 0.04), 0.03, "tint_white", skip="")
    else:
        count = int(w / 0.1)
        for k in range(count):
            m.block(((k - (count - 1) / 2) * 0.1, 0), (0.06, h, 0.09), 0, "tint_white", skip="b")
        m.block((0, 0), (w - 0.06, 0.04, 0.05), 0.05, "tint_white", skip="lrb")
        m.block((0, 0), (w - 0.06, 0.04, 0.05), h - 0.09, "tint_white", skip="lrb")
    return _align_back("radiator", m)


def light_switch(s: Shape, look: Stream) -> Made:
    keys, form, plate = s.of(1, 2, 3), s.of("rocker", "round"), tint(look, ("white", "white", "cream", "silver"))
    m = Sketch()
    w = 0.085 if keys < 3 else 0.15
    m.block((0, 0), (w, 0.085, 0.01), 0, plate, skip="b")
    for k in range(keys):
        x = (k - (keys - 1) / 2) * (w - 0.03) / keys
        if form == "rocker":
            m.block((x, 0.007), ((w - 0.035) / keys, 0.055, 0.006), 0.015, "tint_white", skip="b")
        else:
            m.block((x, 0.01), (0.018, 0.018, 0.012), 0.033, "tint_grey", skip="b")
    return _align_back("light_switch", m)


def socket(s: Shape, look: Stream) -> Made:
    w, plug = s.of(0.085, 0.15), s.of(False, True)
    kind, deep = 0 if w < 0.1 else 1, s.of(0.012, 0.03)
    m = Sketch()
    m.block((0, 0), (w, 0.085, deep), 0, "tint_white", skip="b", front=f"print_socket{kind}")
    if plug:
        m.block((w * 0.2, 0.02), (0.035, 0.035, 0.03), 0.025, look.choice(("tint_black", "tint_white")), skip="b")
    return _align_back("socket", m)


def thermostat(s: Shape, look: Stream) -> Made:
    form, dial = s.of("box", "round"), look.below(2)
    k = s.of(0.1, 0.13)
    m = Sketch()
    if form == "box":
        m.block((0, 0), (k, k * 0.8, 0.025), 0, tint(look, ("white", "black")), skip="b")
        m.card(-k * 0.3, k * 0.2, k * 0.3, k * 0.6, 0.013, f"print_d{'ial' if dial else 'isplay'}{dial if dial else 1}")
    else:
        m.upright(k / 2, k / 2, 0.006, "tint_silver")
        m.block((0, 0), (k * 0.7, k * 0.7, 0.022), k * 0.15, "tint_white", skip="b", front=f"print_dial{dial}")
    return _align_back("thermostat", m)


def wall_clock(s: Shape, look: Stream) -> Made:
    r, form = s.of(0.14, 0.19), s.of("round", "square", "pendulum")
    frame = look.choice(("wood", "tint_black", "tint_white", "tint_red", "tint_gold", "tint_silver"))
    m, face = Sketch(), f"print_clock{look.below(6)}"
    if form == "round":
        m.dial(r, r + 0.002, 0.035, frame, face)
    elif form == "square":
        m.block((0, 0), (2 * r, 2 * r, 0.03), 0, frame, skip="b")
        m.card(-r * 0.9, r * 0.1, r * 0.9, r * 1.9, 0.0155, face)
    else:
        m.block((0, 0), (r * 1.6, r * 3.6, 0.09), 0, "wood2", skip="b")
        m.card(-r * 0.65, r * 2.1, r * 0.65, r * 3.4, 0.0455, face)
        m.card(-r * 0.55, r * 0.2, r * 0.55, r * 1.9, 0.0455, "tint_charcoal")
        m.card(-0.01, r * 0.7, 0.01, r * 1.8, 0.046, "tint_gold")
        m.upright(r * 0.22, r * 0.6, 0.047, "tint_gold")
    return _align_back("clock", m)


def wall_mirror(s: Shape, look: Stream) -> Made:
    form, k = s.of("tall", "wide", "round", "arch"), s.of(1.0, 0.8)
    frame = look.choice(("wood", "wood2", "tint_black", "tint_gold", "tint_white"))
    w, h = {"tall": (0.5, 1.3), "wide": (0.9, 0.65), "round": (0.7, 0.7), "arch": (0.55, 0.95)}[form]
    w, h = w * k, h * k
    m = Sketch()
    if form == "round":
        m.upright(w / 2, w / 2, 0.012, frame, _CORNERS)
        _round_glass(m, w / 2 - 0.03, w / 2, 0.014)
        return _align_back("mirror", m)
    m.block((0, 0), (w, h, 0.025), 0, frame, skip="b")
    e = 0.03
    m.card(-w / 2 + e, e, w / 2 - e, h - e, 0.0135, "mirror", WHOLE)
    if form == "arch":
        _arch_filling(m, w / 2, h, 0.16 * k, 0.0125, frame)
        _arch_filling(m, w / 2 - e, h - e, 0.16 * k, 0.0136, "mirror")
    return _align_back("mirror", m)


def _arch_filling(m: Sketch, half: float, foot: float, rise: float, z: float, material: str) -> None:
    """What lies between a level line and half an ellipse over it."""
    strips = 12
    turns = sin_turns((np.arange(strips + 1) / strips - 0.5) / 2).tolist()
    tops = (cos_turns((np.arange(strips + 1) / strips - 0.5) / 2) * rise + foot + 0.002).tolist()
    for (a, low), (b, high) in pairwise(zip(turns, tops, strict=True)):
        corners = [(a * half, foot, z), (b * half, foot, z), (b * half, high, z), (a * half, low, z)]
        m.quad(corners, material, [(0.5 + a / 2, 0.2), (0.5 + b / 2, 0.2), (0.5 + b / 2, 0.0), (0.5 + a / 2, 0.0)])


_CORNERS = 20


def _round_glass(m: Sketch, r: float, y: float, z: float) -> None:
    """A round mirror, its reflection laid over the whole."""
    turn = (np.arange(_CORNERS) + 0.5) / _CORNERS
    rim = np.stack([cos_turns(turn), sin_turns(turn)], axis=1)
    for k in range(1, _CORNERS - 2, 2):
        found = rim[[0, k, k + 1, k + 2]]
        corners = [(x * r, y + up * r, z) for x, up in found.tolist()]
        m.quad(corners, "mirror", [(0.5 + x / 2, 0.5 - up / 2) for x, up in found.tolist()])


def wall_shelf(s: Shape, look: Stream) -> Made:
    """Boards on brackets; things may stand on them."""
    w, boards, form = s.of(0.6, 0.9), s.of(1, 2), s.of("board", "box")
    wood = look.choice(("wood", "wood2", "tint_white", "tint_black"))
    m = Sketch()
    for k in range(boards):
        y = 0.05 + k * 0.36
        m.block((0, 0), (w, 0.028, 0.2), y, wood, skip="b")
        for x in (-w * 0.36, w * 0.36):
            m.block((x, -0.09), (0.022, 0.05, 0.02), y - 0.05, "metal2", skip="b")
            m.block((x, -0.02), (0.022, 0.012, 0.12), y - 0.012, "metal2", skip="b")
    if form == "box":
        for x in (-w / 2 + 0.01, w / 2 - 0.01):
            m.block((x, 0), (0.02, 0.3, 0.2), 0.078, wood, skip="b")
    return _align_back("wall_shelf", m)


def calendar(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.3, 0.42), (0.24, 0.3), (0.42, 0.3))
    ring = s.of(True, False)
    m = Sketch()
    m.block((0, 0), (w, h, 0.008), 0, "tint_white", skip="b", front=f"print_calendar{look.below(2)}")
    if ring:
        m.block((0, 0.002), (w * 0.8, 0.015, 0.012), h - 0.008, "tint_black", skip="b")
    return _align_back("calendar", m)


def poster(s: Shape, look: Stream) -> Made:
    """Unframed, or between two rails."""
    w, h = s.of((0.5, 0.7), (0.6, 0.9), (0.7, 0.5))
    rails = s.of(True, False)
    m = Sketch()
    m.block((0, 0), (w, h, 0.004), 0, "tint_white", skip="bf")
    m.card(-w / 2, 0, w / 2, h, 0.002, "art0", WHOLE)
    if rails:
        for y in (0.0, h - 0.025):
            m.block((0, 0.004), (w + 0.02, 0.025, 0.014), y, "wood", skip="b")
    return _align_back("picture", m)


def pin_board(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.9, 0.6), (0.6, 0.45), (0.45, 0.7))
    kind = look.below(2)
    m = Sketch()
    m.block((0, 0), (w, h, 0.02), 0, look.choice(("wood", "tint_black", "metal")), skip="b")
    m.card(-w / 2 + 0.02, 0.02, w / 2 - 0.02, h - 0.02, 0.0105, f"print_notes{kind}")
    return _align_back("pin_board", m)


def wall_hanging(s: Shape, look: Stream) -> Made:
    w, long, form = s.of(0.45, 0.7, 1.0), s.of(0.6, 0.95), s.of("cloth", "plates")
    m = Sketch()
    if form == "cloth":
        m.block((0, 0), (w, long, 0.012), 0.06, f"print_cloth{look.below(3)}", skip="b")
        m.block((0, 0), (w + 0.08, 0.025, 0.025), 0.06 + long, "wood", skip="")
        for k in range(4):
            m.card((k - 2) * w / 4 + 0.02, 0.0, (k - 1) * w / 4 - 0.02, 0.06, 0.005, tint(look, CALM))
        return _align_back("wall_hanging", m)
    for k in range(3):
        r, x, y = (0.14, 0.11, 0.12)[k], (0.0, -0.4, 0.38)[k] * w, (long * 0.7, long * 0.4, long * 0.35)[k]
        for rr, z, colour in ((r, 0.01, tint(look)), (r * 0.7, 0.013, tint(look, CALM))):
            own = Sketch()
            own.upright(rr, y, z, colour)
            m.add(own, (x, 0, 0))
    return _align_back("wall_hanging", m.set_down())


def gallery(s: Shape, look: Stream) -> Made:
    """Framed pictures hung together, near each other and not in line."""
    spots = s.of(
        ((0.0, 0.0, 0.5, 0.36), (0.56, -0.03, 0.34, 0.44), (0.06, 0.42, 0.34, 0.44), (0.46, 0.46, 0.46, 0.34)),
        ((0.0, 0.0, 0.3, 0.4), (0.36, 0.0, 0.3, 0.4), (0.72, 0.0, 0.3, 0.4)),
        ((0.0, 0.1, 0.52, 0.68), (0.58, 0.44, 0.3, 0.36), (0.58, 0.02, 0.3, 0.36)),
        ((0.0, 0.0, 0.4, 0.3), (0.0, 0.36, 0.4, 0.3), (0.46, 0.0, 0.4, 0.3), (0.46, 0.36, 0.4, 0.3)),
    )
    k, same = s.of(1.0, 1.2), look.chance(60)
    edge, mount = look.choice((0.013, 0.02, 0.03)), look.chance(50)
    m, frames = Sketch(), ("wood", "wood2", "tint_black", "tint_white", "tint_gold")
    wide, frame = max(x + w for x, _, w, _ in spots), look.choice(frames)
    foot = min(y for _, y, _, _ in spots)
    for x, y, w, h in spots:
        x0, y0, x1, y1 = (x - wide / 2) * k, (y - foot) * k, (x - wide / 2 + w) * k, (y - foot + h) * k
        own = frame if same else look.choice(frames)
        m.block(((x0 + x1) / 2, 0), (x1 - x0, y1 - y0, 0.022), y0, own, skip="bd")
        e = edge * k
        if mount:
            m.card(x0 + e, y0 + e, x1 - e, y1 - e, 0.0113, "tint_white")
            e += 0.13 * k * min(w, h)
        inner = [(x0 + e, y0 + e), (x1 - e, y0 + e), (x1 - e, y1 - e), (x0 + e, y1 - e)]
        m.quad([(a, b, 0.0125) for a, b in inner], "art0", WHOLE)
    return _align_back("picture", m)


def bathrobe(s: Shape, look: Stream) -> Made:
    """On a peg."""
    long, wide, belt = s.of(1.1, 0.95), s.of(0.24, 0.28), s.of(True, False)
    cloth = look.choice(("fabric2", "fabric3", "sheet", "towel"))
    m = Sketch()
    m.bar((0, long, -0.06), (0, long + 0.02, 0.02), 0.014, "tint_silver")
    m.drape(
        [(wide * 0.95, 0.0, 0.045), (wide * 0.78, long * 0.55, 0.055), (wide * 0.72, long - 0.16, 0.065),
         (0.05, long, -0.015)], -0.055, cloth, 5,
    )  # fmt: skip
    for side in (-1, 1):
        m.bar((side * (wide + 0.01), long * 0.38, 0.01), (side * wide * 0.72, long - 0.18, 0.01), 0.1, cloth)
    m.block((0, 0.05), (0.1, 0.2, 0.05), long - 0.22, "tint_white", skip="b")
    m.card(-0.008, 0.03, 0.008, long - 0.2, 0.09, "tint_slate")
    if belt:
        m.block((0, 0.02), (wide * 1.66, 0.05, 0.12), long * 0.53, cloth, skip="b")
    return _align_back("bathrobe", m)


def key_rack(s: Shape, look: Stream) -> Made:
    w, hooks, shelf = s.of(0.25, 0.36), s.of(3, 5), s.of(False, True)
    m = Sketch()
    m.block((0, 0), (w, 0.08, 0.018), 0.09, look.choice(("wood", "wood2", "tint_white", "tint_black")), skip="b")
    for k in range(hooks):
        x = ((k + 0.5) / hooks - 0.5) * w * 0.9
        m.bar((x, 0.1, 0.01), (x, 0.1, 0.035), 0.008, "tint_bronze")
        if k % 2 == 0:
            short = 0.02 * (k % 3)
            m.block((x, 0.028), (0.025, 0.09 - short, 0.006), short, tint(look, (*BRIGHTS, "silver")), skip="")
    if shelf:
        m.block((0, 0.03), (w, 0.015, 0.08), 0.165, "wood", skip="b")
    return _align_back("key_rack", m)


def vent(s: Shape, look: Stream) -> Made:
    w, h = s.of((0.3, 0.18), (0.2, 0.2), (0.4, 0.14))
    frame = s.of(0.012, 0.025)
    m = Sketch()
    m.block((0, 0), (w, h, 0.014), 0, "tint_white", skip="b")
    m.card(-w / 2 + frame, frame, w / 2 - frame, h - frame, 0.0075, "print_slats0")
    return _align_back("vent", m)


def intercom(s: Shape, look: Stream) -> Made:
    form, h = s.of("handset", "screen", "keypad"), s.of(0.2, 0.16)
    m = Sketch()
    m.block((0, 0), (0.12, h, 0.03), 0, tint(look, ("white", "black", "silver")), skip="b")
    if form == "handset":
        m.block((-0.03, 0.03), (0.045, h * 0.95, 0.03), 0.005, "tint_white", skip="")
    elif form == "screen":
        m.card(-0.045, h * 0.4, 0.045, h * 0.9, 0.0155, "print_display0")
    else:
        m.card(-0.04, 0.02, 0.04, h - 0.02, 0.0155, "print_pad0")
    return _align_back("intercom", m)


def fire_extinguisher(s: Shape, look: Stream) -> Made:
    r, h, form = s.of(0.07, 0.085), s.of(0.4, 0.5), s.of("hose", "plain")
    m = Sketch()
    m.block((0, -r - 0.01), (0.1, h * 0.6, 0.02), h * 0.2, "tint_silver", skip="b")
    m.drum([(r, 0.0), (r, h * 0.8), (0.02, h * 0.95)], "tint_red", sides=8)
    m.bar((0, h * 0.94, 0), (0, h + 0.04, 0), 0.035, "tint_black")
    m.bar((0, h + 0.02, -0.02), (0, h + 0.05, 0.09), 0.022, "tint_black")
    m.card(-r * 0.5, h * 0.3, r * 0.5, h * 0.6, r * 1.0, f"print_label{look.below(6)}")
    if form == "hose":
        m.bar((r + 0.015, h * 0.2, 0), (r + 0.015, h * 0.9, 0), 0.022, "tint_black")
        m.bar((0.02, h * 0.92, 0), (r + 0.015, h * 0.9, 0), 0.02, "tint_black")
    return _align_back("fire_extinguisher", m)


def first_aid_kit(s: Shape, look: Stream) -> Made:
    w, h, back = *s.of((0.3, 0.3), (0.36, 0.24), (0.26, 0.36)), look.choice(("white", "green"))
    other = "green" if back == "white" else "white"
    m = Sketch()
    m.block((0, 0), (w, h, 0.12), 0, f"tint_{back}", skip="b")
    for a, b in ((0.12, 0.036), (0.036, 0.12)):
        m.card(-a / 2, h / 2 - b / 2, a / 2, h / 2 + b / 2, 0.061, f"tint_{other}")
    return _align_back("first_aid_kit", m)


def smoke_detector(s: Shape, look: Stream) -> Made:
    """Under the ceiling, from y = 0 downwards."""
    r, h, sides = s.of(0.055, 0.07), s.of(0.035, 0.05), s.of(8, 4)
    m = Sketch()
    m.drum([(r * 0.6, -h), (r, -h * 0.5), (r, 0.0)], "tint_white", sides=sides)
    m.lathe([(0.0, -h), (r * 0.6, -h)], "tint_white", least=sides)
    m.flat(-0.006, -0.006, 0.006, 0.006, 0.0, "tint_red")
    return finished("smoke_detector", m)


def ceiling_vent(s: Shape, look: Stream) -> Made:
    w, d, rim = s.of(0.3, 0.45), s.of(0.3, 0.15), s.of(0.01, 0.02)
    m = Sketch()
    m.box((-w / 2, -rim, -d / 2), (w / 2, 0.0, d / 2), "tint_white", skip="u")
    e = 0.02
    m.flat(-w / 2 + e, d / 2 - e, w / 2 - e, -d / 2 + e, -rim - 0.001, "print_slats0")
    return finished("vent", m)


def sprinkler(s: Shape, look: Stream) -> Made:
    r, h, metal = s.of(0.03, 0.04), s.of(0.05, 0.07), look.choice(("tint_silver", "tint_gold", "tint_white"))
    disc = s.of(8, 4)
    m = Sketch()
    m.drum([(r, -0.01), (r, 0.0)], metal, sides=disc)
    m.bar((0, -h, 0), (0, -0.005, 0), 0.014, metal)
    m.box((-r * 0.7, -h - 0.006, -r * 0.7), (r * 0.7, -h, r * 0.7), metal)
    return finished("sprinkler", m)


def blind(s: Shape, look: Stream) -> Made:
    """Sized by its window later: one metre wide, hanging from its upper edge; see `blind_for`."""
    return blind_for(s, look, 1.0, 0.5)


def blind_for(s: Shape, look: Stream, w: float, drop: float, variant: str = "") -> Made:
    """A blind `w` metres wide that hangs `drop` metres down."""
    form, cassette = s.of("roller", "slats", "roman"), s.of(0.06, 0.09)
    cloth = look.choice(("sheet", "fabric2", "tint_cream", "tint_sky", "tint_grey", "tint_olive"))
    m = Sketch()
    m.block((0, 0), (w, cassette, 0.06), drop - cassette, "tint_white", skip="b")
    if form == "slats":
        count = max(3, int((drop - cassette) / 0.06))
        for k in range(count):
            y = (k + 0.5) * (drop - cassette) / count
            slope(m, -w / 2, w / 2, (y - 0.012, 0.02), (y + 0.012, -0.02), "tint_white")
            slope(m, w / 2, -w / 2, (y - 0.013, 0.02), (y + 0.011, -0.02), "tint_white")
        m.block((0, 0), (w, 0.015, 0.04), 0, "tint_white", skip="")
    elif form == "roller":
        m.block((0, 0), (w - 0.03, drop - cassette, 0.006), 0, cloth, skip="u")
        m.block((0, 0), (w - 0.03, 0.02, 0.016), 0, "tint_white", skip="")
    else:
        for k in range(3):
            high = (drop - cassette) / 3
            m.block((0, 0.008 * (k % 2)), (w - 0.02, high, 0.016), k * high, cloth, skip="")
    return replace(_align_back("blind", m), variant=variant)
