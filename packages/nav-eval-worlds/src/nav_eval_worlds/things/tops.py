"""Where small things can stand on larger ones: level surfaces found in a model's own geometry, and what is free there.

Found, not listed: whatever design a table has, its top is a level rectangle with air above it. Everything is in whole
millimetres and in the carrier's own frame (x to its left, z to its front, from the middle of its foot).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.plan.floor_plan import Rect
from nav_eval_worlds.surfaces.parametric import Model

_LEAST = 110
_NEAR = 60
"""What begins less than this above a surface stands on it; what begins higher is a lid over it."""
_THIN = 30
_EDGE = 8
_AIR = 1200


@dataclass(slots=True)
class Top:
    """A level surface at height `y` with `air` mm above it; `taken`: what stands there."""

    rect: Rect
    y: int
    air: int
    taken: list[Rect] = field(default_factory=list)

    def room_for(self, made: Made, stream: Stream, where: str = "any") -> tuple[int, int] | None:
        """A free place (x, z) for a thing: "back", "front", "middle" or "any"; None if there is none."""
        w, h, d = (round(value * 1000) for value in made.size)
        spare_x, spare_z = self.rect.width - w - 2 * _EDGE, self.rect.depth - d - 2 * _EDGE
        if spare_x < 0 or spare_z < 0 or h > self.air:
            return None
        for _ in range(10):
            x = self.rect.x0 + _EDGE + w // 2 + self._offset(spare_x, "middle" if where == "middle" else "any", stream)
            z = self.rect.z0 + _EDGE + d // 2 + self._offset(spare_z, where, stream)
            own = Rect(x - w // 2 - 6, z - d // 2 - 6, x + w // 2 + 7, z + d // 2 + 7)
            if not any(own.overlaps(other) for other in self.taken):
                return x, z
        return None

    def _offset(self, spare: int, where: str, stream: Stream) -> int:
        if where == "back":
            return stream.below(min(spare, 50) + 1)
        if where == "front":
            return spare - stream.below(min(spare, 60) + 1)
        if where == "middle":
            return spare // 3 + stream.below(spare // 3 + 1)
        return stream.below(spare + 1)


def tops_of(model: Model) -> list[Top]:
    """The level surfaces of a model, the largest first."""
    low, high = _boxes(model)
    found = [(rect, y) for rect, y in (*_level_quads(model), *_plateaus(model))]
    out: list[Top] = []
    for rect, y in sorted(found, key=lambda one: (-one[0].width * one[0].depth, one[1], one[0].x0, one[0].z0)):
        top = _make_top(rect, y, low, high)
        if top and not any(_lies_on(top, other) for other in out):
            out.append(top)
    return out


def _lies_on(top: Top, other: Top) -> bool:
    """Whether a surface is that of a thin part of a larger one, as a hob's in a worktop: nothing is put there."""
    a, b = top.rect, other.rect
    return 0 < top.y - other.y <= _THIN and b.x0 <= a.x0 and b.z0 <= a.z0 and a.x1 <= b.x1 and a.z1 <= b.z1


def _boxes(model: Model) -> tuple[Floats, Floats]:
    """Corners (P, 3), mm, of the boxes of all parts."""
    low = [quad.corners.min(axis=0) for quad in model.quads]
    high = [quad.corners.max(axis=0) for quad in model.quads]
    for grid in model.grids:
        points = grid.evaluate(*grid.least)[0].reshape(-1, 3)
        low.append(points.min(axis=0))
        high.append(points.max(axis=0) - (0.0, grid.give * 0.3, 0.0))
    return np.stack(low) * 1000, np.stack(high) * 1000


def _level_quads(model: Model) -> list[tuple[Rect, int]]:
    """Quads that face up and are rectangles along the axes."""
    if not model.quads:
        return []
    corners = np.stack([quad.corners for quad in model.quads])
    low, high = corners.min(axis=1), corners.max(axis=1)
    size = high - low
    a, c = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    up = a[:, 2] * c[:, 0] - a[:, 0] * c[:, 2]
    whole = np.abs(up - 2 * size[:, 0] * size[:, 2]) < 1e-6
    chosen = np.flatnonzero((size[:, 1] < 1e-6) & whole & (np.minimum(size[:, 0], size[:, 2]) * 1000 >= _LEAST))
    return [(_rect(low[k] * 1000, high[k] * 1000), int(high[k][1] * 1000 + 0.5)) for k in chosen.tolist()]


def _plateaus(model: Model) -> list[tuple[Rect, int]]:
    """The flat upper ends of curved parts: whole rectangles, of a disc the square within; no rims of hollow things."""
    out = []
    for grid in model.grids:
        points = grid.evaluate(*grid.least)[0] * 1000
        level = points[..., 1] > points[..., 1].max() - 0.5 - 2000 * grid.give
        cells = level[:-1, :-1] & level[1:, :-1] & level[:-1, 1:] & level[1:, 1:]
        if not cells.any():
            continue
        a, c = (points[1:, 1:] - points[:-1, :-1])[cells], (points[1:, :-1] - points[:-1, 1:])[cells]
        area = float(np.abs(a[:, 2] * c[:, 0] - a[:, 0] * c[:, 2]).sum()) / 2
        low, high = points[level].min(axis=0), points[level].max(axis=0)
        whole = area / max(float((high[0] - low[0]) * (high[2] - low[2])), 1e-9)
        if whole < 0.95:
            middle, half = (low + high) / 2, (high - low) * 0.35
            low, high = middle - half, middle + half
        if whole > 0.6 and min(high[0] - low[0], high[2] - low[2]) >= _LEAST:
            out.append((_rect(low, high), int(points[..., 1].max() - 300 * grid.give + 0.5)))
    return out


def _rect(low: Floats, high: Floats) -> Rect:
    return Rect(int(np.ceil(low[0])), int(np.ceil(low[2])), int(high[0]), int(high[2]))


def _make_top(rect: Rect, y: int, low: Floats, high: Floats) -> Top | None:
    """A surface with what stands on it and how much air it has; None where it is covered or too small."""
    over = (
        (high[:, 1] > y + 4) & (low[:, 0] < rect.x1 - 3) & (high[:, 0] > rect.x0 + 3) & (low[:, 2] < rect.z1 - 3)
        & (high[:, 2] > rect.z0 + 3)
    )  # fmt: skip
    on = np.flatnonzero(over & (low[:, 1] < y + _NEAR))
    above = low[over & (low[:, 1] >= y + _NEAR), 1]
    air = min(int(above.min()) - y - 10 if len(above) else _AIR, _AIR)
    taken = [_rect(low[k] - 6, high[k] + 6) for k in on.tolist()]
    if air < _NEAR or any(r.x0 <= rect.x0 and r.z0 <= rect.z0 and r.x1 >= rect.x1 and r.z1 >= rect.z1 for r in taken):
        return None
    return Top(rect, y, air, taken)
