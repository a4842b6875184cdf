"""Windows as one sees them from the room: frames, leaves, muntins, sills, railings, and the curtains before them.

What the light passes (panes, and what curtains leave free) is told by the same functions that the models are made by.
The glass itself is air, except where it is frosted.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, sin_turns
from nav_eval_worlds.furniture.decor import curtain
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import OUTER, TURN_OF, WALL, Plan, Room, Window, wall_line
from nav_eval_worlds.shell.structure import Opening, bar, face, point, tunnel
from nav_eval_worlds.surfaces.parametric import Grid, Model, lattice
from nav_eval_worlds.surfaces.styles import Style

_FRAME, _POST, _LEAF, _MUNTIN = 46, 24, 34, 22
"""Widths of bars, mm. A muntin's shadow is lost in the sun's own width: light/holes.py knows panes between the rest."""
_SEAL, _BOARD = 7, 62
"""Widths of the glass's seal, and of the boards round some windows, mm."""
_UNDER = 24
"""How far a frame goes on behind its leaves, mm."""
_PANEL = 320
"""The closed foot of a French window, mm."""
_DEEP = OUTER - WALL // 2
"""From a room's face to the outer end of a window's hole, mm."""
_HALF = 180
"""Half the width of a curtain that is drawn back, mm."""
_FOLD = 80
_SILL = 32
_BEFORE = 84
"""From a wall to the middle of a curtain, clear of the sill, mm."""
_RAIL, _BALUSTER = 1000, 110
_FRAMES = {
    "scandinavian": ("frame", "frame", "wood"), "mid-century": ("wood", "frame", "wood"),
    "industrial": ("dark", "dark", "metal2"), "classic": ("frame",), "rustic": ("wood", "frame", "wood2"),
    "muji": ("wood", "frame"), "coastal": ("frame",), "contemporary": ("dark", "dark", "frame"),
}  # fmt: skip


_CASED = {
    "classic": 95, "coastal": 90, "rustic": 80, "scandinavian": 50, "muji": 20, "industrial": 0, "contemporary": 0,
}  # fmt: skip
"""Percent of homes with boards round their windows."""


def window_items(plan: Plan, style: Style, stream: Stream) -> list[Item]:
    """All windows, and the curtains and nets that belong to them."""
    frame = stream.choice(_FRAMES.get(style.name, ("frame", "frame", "dark", "wood")))
    sill = stream.choice(("frame", "frame", frame, "stone", "wood"))
    cased = stream.child("casing").chance(_CASED.get(style.name, 40))
    items: list[Item] = []
    for window in plan.windows:
        room = plan.room(window.room)
        model = _window(room, window, frame, sill)
        if cased and _has_room_for_boards(room, window):
            _casing(model, room, window, "frame" if frame == "dark" else frame)
        items.append(Item("window", room.id, model))
        if window.net:
            items.append(Item("curtain", room.id, _net(room, window)))
        items += _curtains(room, window)
    return items


def _columns_and_rows(w: Window) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the leaves stand between the posts and rails."""
    low, high, y0, y1 = w.low + _FRAME, w.high - _FRAME, w.sill + _FRAME, w.top - _FRAME
    wide, half = high - low, _POST // 2
    count = 1 if wide <= 700 else 2 if wide <= 2200 else 3
    if w.casing == "fixed" and wide > 1000:
        cut = low + wide * 28 // 100
        return [(low, cut - half), (cut + half, high)], [(y0, y1)]
    if w.casing == "ribbon":
        count = max(1, (wide + 550) // 1100)
    if w.casing == "sash":
        count = 1 if wide <= 1400 else 2
        return _cut(low, high, count), _cut(y0, y1, 2)
    if w.casing == "tilt":
        rail = y1 - (y1 - y0) * 28 // 100
        return _cut(low, high, count), [(y0, rail - half), (rail + half, y1)]
    if w.casing == "french":
        y0 = w.sill + _PANEL
    return _cut(low, high, count), [(y0, y1)]


def _cut(low: int, high: int, count: int) -> list[tuple[int, int]]:
    """Equal parts with posts between them."""
    edges = [low - _POST // 2 + (high - low + _POST) * k // count for k in range(count + 1)]
    return [(a + _POST // 2, b - _POST // 2) for a, b in pairwise(edges)]


def leaves(w: Window) -> list[Opening]:
    """The openings between frame, posts and rails: low, high along the wall, bottom, top above the floor, mm."""
    columns, rows = _columns_and_rows(w)
    return [(low, high, bottom, top) for bottom, top in rows for low, high in columns]


def panes(w: Window) -> list[Opening]:
    """The glass of each leaf, muntins counted as glass; none where the glass or a net scatters the sun."""
    if w.casing == "frosted" or w.net:
        return []
    return [(low + _LEAF, high - _LEAF, bottom + _LEAF, top - _LEAF) for low, high, bottom, top in leaves(w)]


def uncurtained(room: Room, w: Window) -> tuple[int, int]:
    """What curtains leave of a window, along the wall."""
    low, high, middle = w.low, w.high, (w.low + w.high) // 2
    for along in curtain_places(room, w):
        if along < middle:
            low += _curtain_reach(w, 0)
        else:
            high -= _curtain_reach(w, 1)
    return low, high


def _curtain_reach(w: Window, end: int) -> int:
    """How far over its half of the glass a curtain goes, mm."""
    return (w.high - w.low) // 2 * w.drawn[end] // 100


def _window(room: Room, w: Window, frame: str, sill: str) -> Model:
    m, base = Model(), room.base
    tunnel(m, w.side, room.clear, (w.low, w.high, base + w.sill, base + w.top), _DEEP, "frame", sill=True)
    (columns, rows), foot = _columns_and_rows(w), w.sill + _FRAME
    _ring(m, room, w, (w.low, w.high, w.sill, w.top), _FRAME + _UNDER, _DEEP - 50, frame)
    posts = [(a - _UNDER, b + _UNDER, foot, w.top - _FRAME) for (_, a), (b, _) in pairwise(columns)]
    posts += [(low, high, a - _UNDER, b + _UNDER) for (_, a), (b, _) in pairwise(rows) for low, high in columns]
    for low, high, y0, y1 in posts:
        m.quad(face(w.side, room.clear, low, high, base + y0, base + y1, _DEEP - 51), frame)
    for hole in leaves(w):
        _leaf(m, room, w, hole, frame)
    if w.casing == "french":
        for low, high in columns:
            m.quad(face(w.side, room.clear, low, high, base + foot, base + w.sill + _PANEL, _DEEP - 46), frame)
            inner = (low + 90, high - 90, base + foot + 60, base + w.sill + _PANEL - 60)
            m.quad(face(w.side, room.clear, *inner, _DEEP - 56), frame)
        if room.storey:
            _railing(m, room, w)
    else:
        _sill_board(m, w, room, sill)
    return m


def _leaf(m: Model, room: Room, w: Window, hole: Opening, frame: str) -> None:
    """Its own frame, a little before the window's; its muntins, its handle, and glass if that is frosted."""
    low, high, y0, y1 = hole
    base, rect, out = room.base, room.clear, _DEEP - 62
    _ring(m, room, w, hole, _LEAF, out, frame)
    inner = (low + _LEAF, high - _LEAF, y0 + _LEAF, y1 - _LEAF)
    for muntin in _muntins(w, inner):
        _moulding(m, room, w, muntin, frame)
    if w.casing != "frosted":
        _gasket(m, room, w, inner)
    if w.casing == "frosted":
        m.quad(face(w.side, rect, *inner[:2], base + inner[2], base + inner[3], _DEEP - 30), "pane")
    if w.casing in ("casement", "lattice", "tilt", "french", "frosted") and y1 - y0 > 500 and low == w.low + _FRAME:
        at = high - _LEAF // 2
        middle = base + (y0 + y1) // 2 if w.sill else base + 1000
        bar(m, w.side, rect, (at - 10, at + 10, middle - 90, middle + 40), out - 40, "metal")


def _moulding(m: Model, room: Room, w: Window, hole: Opening, frame: str) -> None:
    """A muntin: a narrow face, with a slope down to the glass on both its long sides."""
    low, high, y0, y1 = hole
    base, rect, near, far = room.base, room.clear, _DEEP - 46, _DEEP - 30
    upright = y1 - y0 > high - low
    half, across = _MUNTIN // 2 - 5, (low + high) // 2 if upright else (y0 + y1) // 2
    edges = (-_MUNTIN // 2, far), (-half, near), (half, near), (_MUNTIN // 2, far)
    if upright and w.side in "sw":
        edges = tuple((-at, out) for at, out in edges)  # type: ignore[assignment]
    a, b = (low, high) if w.side in "ne" else (high, low)
    for (first, out), (second, next_out) in pairwise(edges):
        if upright:
            x, z = across + first, across + second
            ends = [(x, y0, out), (z, y0, next_out), (z, y1, next_out), (x, y1, out)]
        else:
            c, d = across + first, across + second
            ends = [(a, c, out), (b, c, out), (b, d, next_out), (a, d, next_out)]
        m.quad([point(w.side, rect, along, base + y, deep) for along, y, deep in ends], frame)


def _gasket(m: Model, room: Room, w: Window, pane: Opening) -> None:
    """The dark seal that holds the glass, all round it."""
    low, high, y0, y1 = pane
    base, rect, t = room.base, room.clear, _SEAL
    upright = (low, low + t, y0, y1), (high - t, high, y0, y1)
    level = (low + t, high - t, y0, y0 + t), (low + t, high - t, y1 - t, y1)
    for a, b, c, d in (*upright, *level):
        m.quad(face(w.side, rect, a, b, base + c, base + d, _DEEP - 28), "seal")


def _casing(m: Model, room: Room, w: Window, frame: str) -> None:
    """Boards on the wall round the window's hole, the upper one a little longer and thicker."""
    wide, base, rect = _BOARD, room.base, room.clear
    foot = w.sill if w.sill > 0 else 0
    boards = [(w.low - wide, w.low, foot, w.top, 14), (w.high, w.high + wide, foot, w.top, 14)]
    boards.append((w.low - wide - 12, w.high + wide + 12, w.top, w.top + wide + 10, 20))
    for low, high, y0, y1, thick in boards:
        bar(m, w.side, rect, (low, high, base + y0, base + y1), -thick, frame, deep=thick)


def _has_room_for_boards(room: Room, w: Window) -> bool:
    """Whether there is wall enough round a window for boards."""
    _, low, high = wall_line(room.clear, w.side)
    return low + 90 < w.low and w.high < high - 90 and w.top + 120 < room.ceiling and w.side != room.eaves


def _ring(m: Model, room: Room, w: Window, hole: Opening, wide: int, out: int, frame: str) -> None:
    """The front of a frame and the faces of its opening, `out` mm behind the face of the wall."""
    low, high, y0, y1 = hole
    base, rect = room.base, room.clear
    a, b, c, d = low + wide, high - wide, y0 + wide, y1 - wide
    for left, right, bottom, top in ((low, a, y0, y1), (b, high, y0, y1), (a, b, y0, c), (a, b, d, y1)):
        m.quad(face(w.side, rect, left, right, base + bottom, base + top, out), frame)
    tunnel(m, w.side, rect, (a, b, base + c, base + d), out + 45, frame, sill=True, near=out)


def _muntins(w: Window, pane: Opening) -> list[Opening]:
    """Thin bars across a pane, in rows and columns."""
    low, high, y0, y1 = pane
    columns, rows = {"sash": (max(2, (high - low + 170) // 340), 2), "lattice": (2, 3), "french": (1, 4)}.get(
        w.casing, (1, 1)
    )
    half = _MUNTIN // 2
    across = [low + (high - low) * k // columns for k in range(columns + 1)]
    up = [y0 + (y1 - y0) * k // rows for k in range(rows + 1)]
    upright = [(at - half, at + half, y0, y1) for at in across[1:-1]]
    level = [(a + (k > 0) * half, b - (k < columns - 1) * half, at - half, at + half)
             for at in up[1:-1] for k, (a, b) in enumerate(pairwise(across))]  # fmt: skip
    return upright + level


def _railing(m: Model, room: Room, w: Window) -> None:
    """Before a French window that has no ground before it."""
    base, out = room.base, _DEEP + 20
    bar(m, w.side, room.clear, (w.low, w.high, base + _RAIL, base + _RAIL + 36), out, "dark")
    bar(m, w.side, room.clear, (w.low, w.high, base + 60, base + 84), out, "dark")
    for k in range(1, (w.high - w.low) // _BALUSTER):
        at = w.low + k * _BALUSTER
        m.quad(face(w.side, room.clear, at - 7, at + 7, base + 84, base + _RAIL, out + 12), "dark")


def _sill_board(m: Model, w: Window, room: Room, material: str) -> None:
    base, rect = room.base + w.sill, room.clear
    a, b = (w.low - 60, w.high + 60) if w.side in "ne" else (w.high + 60, w.low - 60)

    def p(along: int, y: int, out: int) -> tuple[float, float, float]:
        return point(w.side, rect, along, y, out)

    m.quad(face(w.side, rect, w.low - 60, w.high + 60, base - 30, base, -_SILL), material)
    m.quad([p(a, base, -_SILL), p(b, base, -_SILL), p(b, base, 0), p(a, base, 0)], material)
    m.quad([p(b, base - 30, -_SILL), p(a, base - 30, -_SILL), p(a, base - 30, 0), p(b, base - 30, 0)], material)


def curtain_places(room: Room, w: Window) -> list[int]:
    """Where curtains hang along the wall: a pair at large windows of rooms one lives in."""
    if room.type not in ("living room", "bedroom", "dining room", "study") or w.high - w.low < 900:
        return []
    _, low, high = wall_line(room.clear, w.side)
    return [along for along in (w.low - 130, w.high + 130) if low + 340 <= along <= high - 340]


def curtain_spans(room: Room, w: Window) -> list[tuple[int, int]]:
    """What the curtains of a window cover along the wall, a hand's width more for their folds."""
    off, middle = _HALF + 10, (w.low + w.high) // 2
    return [
        (at - off, at + off + _curtain_reach(w, 0)) if at < middle else (at - off - _curtain_reach(w, 1), at + off)
        for at in curtain_places(room, w)
    ]


def curtain_foot(w: Window) -> int:
    """Height of the lower hem: to the floor, or below the sill, so that a desk fits."""
    return 30 if w.long or w.sill < 400 else w.sill - 80


def _curtains(room: Room, w: Window) -> list[Item]:
    foot, middle = curtain_foot(w), (w.low + w.high) // 2
    out = []
    for place in curtain_places(room, w):
        left = place < middle
        more = _curtain_reach(w, 0 if left else 1)
        along = place + (more // 2 if left else -(more // 2))
        x, _, z = point(w.side, room.clear, along, 0, -_BEFORE)
        at = (round(x * 1000), room.base + foot, round(z * 1000))
        inner = middle - along if abs(middle - along) > 40 else (40 if left else -40)
        made = curtain(
            (2 * _HALF + more) / 1000, (w.top + 90 - foot) / 1000, (inner if w.side in "ne" else -inner) / 1000
        )
        out.append(Item("curtain", room.id, made.model, at, TURN_OF[w.side], made.size, "wall"))
    return out


def _net(room: Room, w: Window) -> Model:
    """A thin white cloth in the window's opening, in folds, which glows by day."""
    m, base, rect = Model(), room.base, room.clear
    y0, y1 = (base + max(w.sill, 40) + 30) / 1000, (base + w.top - 20) / 1000
    a, b = (w.low, w.high) if w.side in "ne" else (w.high, w.low)
    start, end, back = (np.asarray(point(w.side, rect, at, 0, out)) for at, out in ((a, 24), (b, 24), (a, 56)))
    folds = max(4, (w.high - w.low) // _FOLD // 4 * 4)

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        u, v = lattice(nu, nv)
        at = u * folds + 0.15 * sin_turns(u * 2.3)
        share = (0.5 + 0.4 * sin_turns(at))[..., None]
        points = start + (end - start) * u[..., None] + (back - start) * share
        points[..., 1] = y0 + (y1 - y0) * v
        return points, np.stack([at / 4, -v * (y1 - y0)], axis=-1)

    size = ((w.high - w.low) / 1000, y1 - y0)
    m.grids.append(Grid(evaluate, size, (4 * folds, 1), "net", (2 * folds, 1)))
    return m
