"""Kitchen lines, refrigerators and what a break room has."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.made import Made, fronts
from nav_eval.worlds.furniture.small import bowl
from nav_eval.worlds.surfaces import Model


def kitchen_line(stream: Stream, w: float, low: bool = False) -> Made:
    """Base units with worktop, hob, oven and sink; unless `low` (for below windows) also tiles, wall units, hood."""
    d, top = 0.6, 0.9
    face, handle = stream.choice(("front", "white", "wood")), stream.choice(("metal", "dark"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.1, d / 2 - 0.06), "dark", skip="udb")
    m.box((-w / 2, 0.1, -d / 2), (w / 2, top - 0.04, d / 2 - 0.03), face, skip="ub")
    cook = -w / 2 + 0.35 + (w - 0.7) * stream.choice((25, 30)) / 100
    fronts(
        m,
        (-w / 2, 0.11),
        (cook - 0.3, top - 0.05),
        d / 2 - 0.03,
        1,
        max(1, int((cook - 0.3 + w / 2) / 0.4)),
        face,
        handle,
    )
    fronts(
        m,
        (cook + 0.3, 0.11),
        (w / 2, top - 0.05),
        d / 2 - 0.03,
        1,
        max(1, int((w / 2 - cook - 0.3) / 0.4)),
        face,
        handle,
    )
    m.box((cook - 0.29, 0.14, d / 2 - 0.03), (cook + 0.29, top - 0.06, d / 2 - 0.005), "dark", skip="b")
    m.box((cook - 0.24, 0.3, d / 2 - 0.006), (cook + 0.24, 0.62, d / 2 - 0.002), "glass", skip="b")
    m.tube([(cook - 0.22, 0.7, d / 2 + 0.02), (cook + 0.22, 0.7, d / 2 + 0.02)], 0.012, "metal", 5)
    m.box((-w / 2, top - 0.04, -d / 2), (w / 2, top, d / 2), "counter")
    if not low:
        _wall_units(m, w, cook, face, handle)
    m.box((cook - 0.28, top, -0.24), (cook + 0.28, top + 0.012, 0.24), "dark", skip="d")
    for x in (-0.13, 0.13):
        for z in (-0.11, 0.11):
            m.lathe([(0.08, top + 0.014), (0.085, top + 0.02), (0.0, top + 0.02)], "metal", (cook + x, z), 8)
    m.lathe(
        [(0.0, top + 0.02), (0.11, top + 0.02), (0.115, top + 0.15), (0.1, top + 0.16), (0.0, top + 0.17)],
        "metal",
        (cook - 0.13, -0.11),
        10,
    )
    sink_x = cook + (w / 2 - cook) * 0.5
    on = [(_basin(), sink_x, top, 0.0)]
    if w / 2 - sink_x > 0.7:
        on.append((bowl(stream), w / 2 - 0.2, top, 0.0))
    return Made("counter", m, (w, 0.96 if low else 2.5, d + 0.05), tuple(on))


def _wall_units(m: Model, w: float, cook: float, face: str, handle: str) -> None:
    d, top = 0.6, 0.9
    m.quad(
        [
            (-w / 2, top, -d / 2 + 0.005),
            (w / 2, top, -d / 2 + 0.005),
            (w / 2, 1.42, -d / 2 + 0.005),
            (-w / 2, 1.42, -d / 2 + 0.005),
        ],
        "wall_tile",
    )
    for x0, x1 in ((-w / 2, cook - 0.32), (cook + 0.32, w / 2)):
        if x1 - x0 > 0.3:
            m.box((x0, 1.42, -d / 2), (x1, 2.12, -d / 2 + 0.32), face, skip="b")
            fronts(m, (x0, 1.43), (x1, 2.11), -d / 2 + 0.32, 1, max(1, int((x1 - x0) / 0.4)), face, handle)
    m.box((cook - 0.3, 1.55, -d / 2), (cook + 0.3, 1.65, -d / 2 + 0.45), "metal", skip="b")
    m.box((cook - 0.14, 1.65, -d / 2), (cook + 0.14, 2.5, -d / 2 + 0.25), "metal", skip="db")


def _basin() -> Made:
    m = Model()
    m.box((-0.27, 0, -0.2), (0.27, 0.012, 0.2), "metal", skip="d")
    m.box((-0.22, 0.0, -0.15), (0.22, 0.014, 0.16), "basin", skip="d")
    m.tube([(0, 0.0, -0.17), (0, 0.24, -0.17), (0, 0.29, -0.1), (0, 0.24, -0.03)], 0.013, "metal", 6)
    return Made("sink", m, (0.54, 0.3, 0.4))


def fridge(stream: Stream) -> Made:
    w, d, h = 0.7, 0.68, stream.between(175, 190) / 100
    skin = stream.choice(("metal", "white"))
    m = Model()
    m.cushion((-w / 2, 0.03, -d / 2), (w / 2, h, d / 2 - 0.07), skin, 0.02)
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.1), "dark", skip="u")
    m.cushion((-w / 2, 0.05, d / 2 - 0.07), (w / 2, h * 0.36, d / 2), skin, 0.015)
    m.cushion((-w / 2, h * 0.365, d / 2 - 0.07), (w / 2, h, d / 2), skin, 0.015)
    for y0, y1 in ((0.2, h * 0.34), (h * 0.4, h * 0.75)):
        m.tube([(-w / 2 + 0.07, y0, d / 2 + 0.03), (-w / 2 + 0.07, y1, d / 2 + 0.03)], 0.012, "dark", 5)
    return Made("refrigerator", m, (w, h, d + 0.08))


def vending_machine(stream: Stream) -> Made:
    w, d, h = 0.9, 0.75, 1.85
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2), stream.choice(("fabric2", "dark", "front")), skip="d")
    m.box((-w / 2 + 0.06, 0.55, d / 2), (w / 2 - 0.24, h - 0.15, d / 2 + 0.01), "books", skip="b")
    m.box((-w / 2 + 0.08, 0.2, d / 2), (w / 2 - 0.26, 0.42, d / 2 + 0.01), "dark", skip="b")
    m.box((w / 2 - 0.2, 0.9, d / 2), (w / 2 - 0.05, 1.3, d / 2 + 0.015), "metal", skip="b")
    return Made("vending_machine", m, (w, h, d + 0.02))
