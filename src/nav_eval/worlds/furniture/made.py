"""What a furniture builder returns: a model, its category, its outer size and what stands on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from nav_eval.worlds.surfaces import Model


@dataclass(frozen=True, slots=True)
class Made:
    """One object. `size` = (width, height, depth) in metres of its box; the origin is the middle of its underside.

    `on` lists what stands on it: (object, x, y, z) of its origin in this one's frame. `variant` names its shape where
    shapes are dealt to splits.
    """

    category: str
    model: Model
    size: tuple[float, float, float]
    on: tuple[tuple[Made, float, float, float], ...] = field(default=())
    variant: str = ""


def legs(
    model: Model, w: float, d: float, height: float, material: str, thick: float = 0.05, inset: float = 0.03
) -> None:
    """Four square legs under a w x d top."""
    for sx in (-1, 1):
        for sz in (-1, 1):
            x, z = sx * (w / 2 - inset - thick / 2), sz * (d / 2 - inset - thick / 2)
            h = thick / 2
            model.box((x - h, 0, z - h), (x + h, height, z + h), material, skip="ud")


def fronts(
    model: Model,
    low: tuple[float, float],
    high: tuple[float, float],
    z: float,
    rows: int,
    columns: int,
    material: str,
    handle: str,
) -> None:
    """A field of doors or drawers with gaps and handles on the plane z, between (x, y) corners."""
    gap, thick = 0.008, 0.018
    w, h = (high[0] - low[0]) / columns, (high[1] - low[1]) / rows
    for i in range(columns):
        for k in range(rows):
            x0, y0 = low[0] + i * w + gap / 2, low[1] + k * h + gap / 2
            x1, y1 = x0 + w - gap, y0 + h - gap
            model.box((x0, y0, z), (x1, y1, z + thick), material, skip="b")
            if h > w * 1.2:
                hx = x1 - 0.05 if i % 2 == 0 else x0 + 0.05
                model.box(
                    (hx - 0.008, y0 + h * 0.42, z + thick),
                    (hx + 0.008, y0 + h * 0.58, z + thick + 0.025),
                    handle,
                    skip="b",
                )
            else:
                cx, cy = (x0 + x1) / 2, y1 - min(0.06, h * 0.3)
                model.box(
                    (cx - 0.07, cy - 0.008, z + thick), (cx + 0.07, cy + 0.008, z + thick + 0.025), handle, skip="b"
                )
