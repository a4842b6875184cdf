"""The windows of a plan, as rays see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import OUTER, WALL, Plan, Room, Window, wall_line
from nav_eval_worlds.rays.sources import Windows
from nav_eval_worlds.shell.windows import panes, uncurtained


def windows_of(plan: Plan, items: Sequence[Item] = ()) -> Windows:
    """All windows, as far as no blind covers them."""
    blinds = [item for item in items if item.category == "blind"]
    holes = [hole(plan.room(window.room), window, _below_blind(plan, window, blinds)) for window in plan.windows]
    first = np.cumsum([0, *(len(one.panes) for one in holes)]).astype(np.int64)
    glass = [pane for one in holes for pane in one.panes]
    return Windows(
        np.asarray([one.axis for one in holes], np.int64),
        np.asarray([one.out for one in holes], np.float64),
        np.asarray([one.planes for one in holes], np.float64).reshape(-1, 2),
        np.asarray([one.hole for one in holes], np.float64).reshape(-1, 4),
        np.asarray(glass, np.float64).reshape(-1, 4),
        first,
    )


@dataclass(frozen=True, slots=True)
class Hole:
    """One window, metres; see sources.Windows."""

    axis: int
    out: float
    planes: tuple[float, float]
    hole: tuple[float, float, float, float]
    panes: list[tuple[float, float, float, float]]


def _below_blind(plan: Plan, window: Window, blinds: Sequence[Item]) -> int:
    """How high a window is free of its blind, mm above the floor."""
    room = plan.room(window.room)
    line, _, _ = wall_line(room.clear, window.side)
    for item in blinds:
        along, across = (item.at[0], item.at[2]) if window.side in "ns" else (item.at[2], item.at[0])
        if item.room == room.id and window.low < along < window.high and abs(across - line) < OUTER:
            return max(min(window.top, item.at[1] - room.base), window.sill + 200)
    return window.top


def hole(room: Room, w: Window, top: int) -> Hole:
    """A window as windows.py builds it, up to `top`, between its curtains."""
    line, _, _ = wall_line(room.clear, w.side)
    out = -1.0 if w.side in "nw" else 1.0
    planes = (line / 1000, line / 1000 + out * (OUTER - WALL // 2) / 1000)
    low, high = uncurtained(room, w)
    cut = [(max(a, low), min(b, high), room.base + y0, room.base + min(y1, top)) for a, b, y0, y1 in panes(w)]
    glass = [(a / 1000, b / 1000, y0 / 1000, y1 / 1000) for a, b, y0, y1 in cut if a < b and y0 < y1]
    edges = (low / 1000, high / 1000, (room.base + w.sill) / 1000, (room.base + top) / 1000)
    return Hole(2 if w.side in "ns" else 0, out, planes, edges, glass)
