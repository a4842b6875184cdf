"""Beds: frame, mattress, duvet, pillows and a headboard against the wall (-z)."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.made import Made, legs
from nav_eval.worlds.surfaces import Model


def bed(stream: Stream, w: float = 1.6) -> Made:
    d, top = 2.08, 0.5
    frame = stream.choice(("wood", "wood2", "fabric1"))
    cover = stream.choice(("fabric0", "fabric2", "fabric3"))
    m = Model()
    legs(m, w, d, 0.12, "wood2", 0.07, 0.02)
    m.box((-w / 2, 0.1, -d / 2), (w / 2, 0.3, d / 2), frame)
    m.cushion((-w / 2, 0.05, -d / 2), (w / 2, stream.between(95, 115) / 100, -d / 2 + 0.08), frame, 0.04)
    m.cushion((-w / 2 + 0.02, 0.28, -d / 2 + 0.07), (w / 2 - 0.02, top, d / 2 - 0.02), "sheet", 0.06)
    m.cushion((-w / 2 + 0.005, 0.34, -d / 2 + 0.62), (w / 2 - 0.005, top + 0.05, d / 2 - 0.005), cover, 0.07)
    m.cushion((-w / 2 + 0.003, 0.46, -d / 2 + 0.55), (w / 2 - 0.003, top + 0.07, -d / 2 + 0.85), "sheet", 0.05)
    count = 1 if w < 1.2 else 2
    for i in range(count):
        x = 0.0 if count == 1 else (-1) ** i * w / 4
        m.cushion((x - 0.33, top - 0.02, -d / 2 + 0.1), (x + 0.33, top + 0.13, -d / 2 + 0.5), "sheet", 0.07, skip="")
        if stream.chance(60):
            m.cushion((x - 0.2, top + 0.03, -d / 2 + 0.34), (x + 0.2, top + 0.3, -d / 2 + 0.48), cover, 0.06, skip="")
    return Made("bed", m, (w, 1.15, d))
