"""Wardrobes, shelves, chests and cabinets; their backs stand against the wall (-z)."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.lamps import table_lamp
from nav_eval.worlds.furniture.made import Made, fronts
from nav_eval.worlds.furniture.small import book_row, television, vase
from nav_eval.worlds.surfaces import Model


def wardrobe(stream: Stream) -> Made:
    doors = stream.choice((2, 3, 4))
    w, d, h = doors * 0.48, 0.58, stream.between(200, 220) / 100
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), wood, skip="d")
    m.box((-w / 2 - 0.01, h - 0.05, -d / 2), (w / 2 + 0.01, h, d / 2), wood)
    fronts(m, (-w / 2 + 0.01, 0.08), (w / 2 - 0.01, h - 0.06), d / 2 - 0.02, 1, doors, wood, "metal")
    return Made("wardrobe", m, (w + 0.02, h, d + 0.05))


def _case(m: Model, w: float, h: float, d: float, shelves: int, material: str) -> list[float]:
    """An open case; returns the heights of its shelves."""
    t = 0.025
    for s in (-1, 1):
        x = s * (w / 2 - t / 2)
        m.box((x - t / 2, 0, -d / 2), (x + t / 2, h, d / 2), material, skip="d")
    m.quad(
        [(-w / 2, 0, -d / 2 + 0.01), (w / 2, 0, -d / 2 + 0.01), (w / 2, h, -d / 2 + 0.01), (-w / 2, h, -d / 2 + 0.01)],
        material,
    )
    m.quad([(w / 2, 0, -d / 2), (-w / 2, 0, -d / 2), (-w / 2, h, -d / 2), (w / 2, h, -d / 2)], material)
    heights = [0.05 + k * (h - 0.08) / shelves for k in range(shelves + 1)]
    for y in heights:
        m.box((-w / 2 + t, y, -d / 2 + 0.01), (w / 2 - t, y + t, d / 2 - 0.005), material, skip="lrb")
    return [y + t for y in heights[:-1]]


def bookshelf(stream: Stream) -> Made:
    w, d, h = stream.between(80, 120) / 100, 0.32, stream.between(180, 210) / 100
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    for y in _case(m, w, h, d, 5, wood):
        split = w * stream.between(-20, 40) / 100
        book_row(m, -w / 2 + 0.03, min(split, w / 2 - 0.03), y, d / 2 - 0.04, stream)
        if split < w / 2 - 0.25:
            m.box(
                (split + 0.06, y, -d / 2 + 0.06),
                (w / 2 - 0.06, y + 0.18, d / 2 - 0.05),
                stream.choice(("basket", "cardboard", "pot")),
                skip="db",
            )
    return Made("bookshelf", m, (w, h, d))


def storage_shelf(stream: Stream) -> Made:
    """A metal rack with boxes."""
    w, d, h = stream.between(90, 130) / 100, 0.42, 1.85
    m = Model()
    for sx in (-1, 1):
        for sz in (-1, 1):
            x, z = sx * (w / 2 - 0.02), sz * (d / 2 - 0.02)
            m.box((x - 0.02, 0, z - 0.02), (x + 0.02, h, z + 0.02), "metal", skip="d")
    for k in range(4):
        y = 0.12 + k * 0.56
        m.box((-w / 2, y, -d / 2), (w / 2, y + 0.03, d / 2), "metal")
        x = -w / 2 + 0.06
        while x < w / 2 - 0.3:
            wide, high = stream.between(22, 40) / 100, stream.between(16, 36) / 100
            wide = min(wide, w / 2 - 0.05 - x)
            if stream.chance(80):
                m.box(
                    (x, y + 0.03, -d / 2 + 0.04),
                    (x + wide, y + 0.03 + high, d / 2 - 0.03),
                    stream.choice(("cardboard", "basket", "white", "cardboard")),
                    skip="d",
                )
            x += wide + 0.04
    return Made("shelf", m, (w, h + 0.02, d))


def dresser(stream: Stream) -> Made:
    w, d, h = stream.between(90, 120) / 100, 0.45, 0.85
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), wood, skip="d")
    fronts(m, (-w / 2 + 0.01, 0.08), (w / 2 - 0.01, h - 0.04), d / 2 - 0.02, 4, 2, wood, "metal")
    return Made("chest_of_drawers", m, (w, h, d + 0.05), ((stream.choice((vase, table_lamp))(stream), 0.2, h, 0.0),))


def sideboard(stream: Stream) -> Made:
    w, d, h = stream.between(130, 170) / 100, 0.45, 0.8
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.1, d / 2 - 0.06), "dark", skip="ud")
    m.box((-w / 2, 0.1, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    fronts(m, (-w / 2 + 0.01, 0.11), (w / 2 - 0.01, h - 0.03), d / 2 - 0.02, 1, 3, wood, "metal")
    return Made("cabinet", m, (w, h, d + 0.05), ((vase(stream), -0.35, h, 0.0),))


def tv_stand(stream: Stream) -> Made:
    w, d, h = stream.between(140, 180) / 100, 0.42, 0.5
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    m.box((-w / 2, 0.06, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    m.box((-w / 2 + 0.04, 0, -d / 2 + 0.04), (w / 2 - 0.04, 0.06, d / 2 - 0.08), "dark", skip="ud")
    fronts(m, (-w / 2 + 0.01, 0.07), (w / 2 - 0.01, h - 0.02), d / 2 - 0.02, 1, 3, wood, "metal")
    return Made("cabinet", m, (w, h, d + 0.05), ((television(stream), 0.0, h, -0.02),))


def filing_cabinet(stream: Stream) -> Made:
    w, d, h = 0.82, 0.45, stream.choice((1.1, 1.95))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), "metal", skip="d")
    fronts(
        m,
        (-w / 2 + 0.01, 0.05),
        (w / 2 - 0.01, h - 0.02),
        d / 2 - 0.02,
        4 if h < 1.5 else 1,
        1 if h < 1.5 else 2,
        "metal",
        "dark",
    )
    return Made("cabinet", m, (w, h, d + 0.05))
