"""Baked light: sun and sky through the windows, lamps, and what comes back from the surfaces they light.

Every texel of the lightmap, and every vertex that has none, gathers what it sees of these sources by rays through a
grid of cubes (worlds/rays). What it sends back is gathered at probes and handed on; narrow corners get less of it.
The sum is exposed and developed as by a camera (worlds/exposure), and polished surfaces get their shine (worlds/gloss).
All of it is exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nav_eval.worlds.charts import THIN, Charts
from nav_eval.worlds.daylight import Daylight, Rgb
from nav_eval.worlds.exact import Floats, cos_turns, cross, length, normalised, sin_turns
from nav_eval.worlds.exposure import balanced, compressed, exposed, luminance
from nav_eval.worlds.gloss import Glints, polished
from nav_eval.worlds.item import Item
from nav_eval.worlds.mesh import Mesh
from nav_eval.worlds.palette import glows
from nav_eval.worlds.plan import OUTER, WALL, Plan, Room, Window, wall_line
from nav_eval.worlds.rays import bounce, sources
from nav_eval.worlds.rays.march import Grid
from nav_eval.worlds.rays.soup import Soup, crowded, soup_of, standing
from nav_eval.worlds.rays.sources import Close, Lamps, Points, Seen, Texels, Windows
from nav_eval.worlds.surfaces import place
from nav_eval.worlds.telling import Tell, silent
from nav_eval.worlds.voxels import Voxels, voxelise
from nav_eval.worlds.windows import panes, uncurtained

CELL = 0.06
"""Side of a cube, metres."""
PROBES = 5
"""Cubes from probe to probe."""
_RAYS = 64
"""Directions in which a probe looks."""
_SMOOTH = 4
"""Coarse texels over which the bounced light of a surface is smoothed, to each side."""
_EDGE = 0.45
"""Of the brightest of four coarse texels, what the darkest has less of where an edge of a shadow passes."""
_NEAR_BY = 0.3
"""Metres round a place from which what shades it is asked of the triangles, where a shadow has its edge."""
_FILL = 3
"""Texels that the light beside a covered place is carried into it."""
_BOUNCES = 2
_SUN = 3.0
"""Of sunlight, where the sky in a window has 1."""
_PENUMBRA = 0.012
"""Half the width of the sun, in radians: three times the true one, which the cubes could not show."""
_LAMP_BY_DAY, _LAMP_AT_WORK, _LAMP = 0.035, 0.07, 0.08
_INNER = 1.6
"""By day, of lamps in rooms without windows."""
_STANDING, _STANDING_AT_NIGHT = 0.35, 0.7
"""Of a lamp that does not hang, where one that does has 1: pools of light, when it is dark."""
_SLIGHT = 0.2
"""Metres; what hangs or stands on something and is thinner shades nothing."""
_LOOKS, _OVER, _CLOSE, _STANDS = 14, 0.012, 0.16, 0.85
"""Directions, metres from above a rug's edge on, and how far it is looked for what stands on a floor; and how much of
its light a place loses that sees nothing else."""
_LEAVES = ("leaf", "leaf2")
"""Materials through which light comes: cubes are far thicker than a blade."""
_CLEAR = ("glass", "frosted")
_SHIFTS = ((-0.3, -0.1), (0.1, -0.3), (0.3, 0.1), (-0.1, 0.3))
"""In texels: places from which the sun is looked for."""
_SMOOTH_FACES = ("mirror", "glass", "frosted")
"""Materials that throw sunlight on instead of scattering it."""
_BESIDE, _BESIDE_SHARE = 0.1, 0.7
"""Metres round which, and share with which, thin faces take the light of their object: black ones show as dashes."""
_SHADE = 0.3
"""What a lampshade loses of its brightness to its upper edge."""
_BULB = 0.1
"""Metres from a lamp's middle to the points that stand for it."""
_NEAR = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0, 12.5)
"""Distances, in cubes, at which it is asked how open a place is."""
_TRIES = np.asarray(
    (
        (1.2, 0, 0, 0, 0, 0), (1.2, 1.3, 0, 0, 0, 0), (1.2, 0, 1.3, 0, 0, 0), (1.2, 1.3, 1.3, 0, 0, 0),
        (2.4, 0, 0, 0, 0, 0), (1.2, 0, 0, 0, 1.3, 0), (1.2, 0, 0, 1.3, 0, 0), (1.2, 0, 0, -1.3, 0, 0),
        (1.2, 0, 0, 0, 0, 1.3), (1.2, 0, 0, 0, 0, -1.3), (1.2, 0, 0, 0, -1.3, 0), (2.4, 0, 0, 0, 1.3, 0),
    )
)  # fmt: skip
"""Where a place's rays may start: see sources.lift."""
_AMBIENT = 0.1
"""Of the median, everywhere: all later bounces."""
_DIRECT = 2.2
"""Of sky and lamps, where what surfaces send back has 1: shadows have a direction, which white rooms wash out."""
_CORNER = 0.55
"""Of the light from all around, what a place keeps that sees nothing of it."""
_COVERED = 0.3
"""Least openness, of places that nothing reaches."""


def bake(
    plan: Plan,
    items: Sequence[Item],
    mesh: Mesh,
    textures: Sequence[NDArray[np.uint8]],
    day: Daylight,
    tell: Tell = silent,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(V, 4) uint8, what the vertices are multiplied with (255 is 1), and the lightmap (H, W, 3) uint8 (128 is 1)."""
    grid = cubes(mesh, plan, items)
    tell(0.15)
    free = np.flatnonzero(~mesh.lit)
    charts = mesh.patches.charts
    sharp, soft = (places(grid, mesh, chosen, free) for chosen in (charts, charts.halved()))
    windows = windows_of(plan, items)
    soup = opaque(mesh, items)
    direct = _direct(grid, soup, mesh, sharp, soft, windows, plan, items, day)
    sun = sunlight(grid, soup, mesh, sharp, windows, day) * _matt(mesh, free)
    tell(0.5)
    light = direct * _DIRECT + _indirect(grid, mesh, sharp, soft, direct + sun, _back(mesh, textures, free))
    light = _lifted(mesh, sharp, light, free) * _grounded(mesh, items, sharp) + sun
    _fill(charts, sharp, light)
    tell(0.3)
    light = exposed(light, len(sharp) - len(free), sharp.points.at, sharp.points.room, plan, day)
    value = compressed(balanced(light, len(sharp) - len(free)))
    lamps, rooms = _lamps(plan, items, day)
    glints = Glints(plan, day, windows, lamps, rooms)
    value = polished(value, glints, sharp.points, _materials(mesh, free), mesh.names, _means(textures))
    tell(0.05)
    return _stored(value, mesh, free)


def cubes(mesh: Mesh, plan: Plan, items: Sequence[Item] = ()) -> Grid:
    """The cubes that the mesh fills; light gets to what hangs together with a way or a window, and is indoors.

    Without the things of `items`, those of the mesh, that are too slight to shade anything.
    """
    objects = mesh.objects[mesh.triangles[:, 0]]
    solid = np.asarray([True, *map(_shades, items)])[objects] if items else np.ones(len(objects), np.bool_)
    solid &= ~np.asarray([name in _LEAVES for name in mesh.names])[mesh.materials[mesh.triangles[:, 0]]]
    voxels = voxelise(mesh.positions, mesh.triangles[solid], objects[solid], CELL)
    lit = []
    for door in plan.doors:
        x, z = door.centre
        lit.append((x / 1000, plan.room(door.b).base / 1000 + 1.0, z / 1000))
    for window in plan.windows:
        hole = _hole(plan.room(window.room), window, window.top)
        across, along = hole.planes[0] - hole.out * 0.15, (hole.hole[0] + hole.hole[1]) / 2
        height = (hole.hole[2] + hole.hole[3]) / 2
        lit.append((across, height, along) if hole.axis == 0 else (along, height, across))
    grid = cubes_of(voxels, np.asarray(lit).reshape(-1, 3))
    outside = np.ones(voxels.labels.shape, np.bool_)
    for room in plan.rooms:
        r, top = room.clear.grown(OUTER), room.base + max(room.ceiling, plan.pitch if room.type == "stairs" else 0)
        low, high = np.asarray([r.x0, room.base, r.z0]) / 1000, np.asarray([r.x1, top, r.z1]) / 1000
        (x0, y0, z0), (x1, y1, z1) = np.maximum(voxels.fixed(np.stack([low, high])) >> 8, 0).tolist()
        outside[x0 : x1 + 1, y0 : y1 + 1, z0 : z1 + 1] = False
    grid.sealed[outside.reshape(-1)] = 1
    return grid


def _shades(item: Item) -> bool:
    """Whether a thing fills cubes: of a flat one on a wall, or a cup, they would be far larger than it is."""
    if item.category in ("lamp", "curtain"):
        return False
    return item.support in ("shell", "floor") or min(item.size) >= _SLIGHT


def cubes_of(voxels: Voxels, lit: Floats) -> Grid:
    """Voxels as the rays read them; `lit` (L, 3) metres, some places to which light gets."""
    import scipy.ndimage

    solid = voxels.labels > 0
    parts, _ = scipy.ndimage.label(~solid)
    reached = np.zeros(int(parts.max()) + 1, np.bool_)
    at = voxels.fixed(lit) >> 8
    reached[parts[at[:, 0], at[:, 1], at[:, 2]]] = True
    reached[0] = False
    return Grid(
        solid.astype(np.uint8).reshape(-1),
        (~reached[parts]).astype(np.uint8).reshape(-1),
        np.asarray(voxels.labels.shape, np.int64),
        np.asarray(voxels.low),
        voxels.cell,
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Points of surfaces, where their rays start (N, 3) cubes, and whether they can (N,)."""

    points: Points
    starts: Floats
    open: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.open)

    def chosen(self, rows: NDArray[np.int64]) -> Places:
        """Those of these rows."""
        at, normal, inward, room = self.points
        points = Points(at[rows], normal[rows], inward[rows], room[rows])
        return Places(points, self.starts[rows], self.open[rows])


def places(grid: Grid, mesh: Mesh, charts: Charts, free: NDArray[np.int64]) -> Places:
    """The texels of all charts, then the vertices `free`."""
    chart, u, v = charts.texels()
    corners = mesh.patches.corners
    a, b, c, d = (corners[:, k] for k in range(4))
    weights = ((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v)
    at = ((a[chart] * weights[0][:, None] + b[chart] * weights[1][:, None]) + c[chart] * weights[2][:, None]) + (
        d[chart] * weights[3][:, None]
    )
    normal, along, across = normalised(cross(c - a, d - b)), normalised(b - a), normalised(d - a)
    inward = np.concatenate(
        [along[chart] * np.where(u < 0.5, 1.0, -1.0)[:, None], across[chart] * np.where(v < 0.5, 1.0, -1.0)[:, None]],
        axis=1,
    )
    points = Points(
        np.concatenate([at, mesh.positions[free]]),
        np.concatenate([normal[chart], mesh.normals[free]]),
        np.concatenate([inward, np.zeros((len(free), 6))]),
        np.concatenate([mesh.patches.labels[chart, 2], mesh.rooms[free]]).astype(np.int64) - 1,
    )
    starts, open_ = np.zeros((len(points.at), 3)), np.zeros(len(points.at), np.uint8)
    sources.lift(grid, points, _TRIES, starts, open_)
    return Places(points, starts, open_)


def _direct(
    grid: Grid,
    soup: Soup,
    mesh: Mesh,
    sharp: Places,
    soft: Places,
    windows: Windows,
    plan: Plan,
    items: Sequence[Item],
    day: Daylight,
) -> Floats:
    """(N, 3) light from the sky and from lamps, at the places `sharp`: from `soft`, but where shadows have edges."""
    chart, u, v = mesh.patches.charts.texels()
    halved = mesh.patches.charts.halved()
    counts = halved.size[:, 0] * halved.size[:, 1]
    texels, vertices = int(counts.sum()), len(sharp) - len(chart)
    coarse = _soft_light(grid, Close(soup, standing(), 0.0), soft, texels, windows, plan, items, day)
    _fill(halved, soft, coarse)
    out = _refined(mesh, coarse, vertices)
    bright = luminance(coarse[:texels])
    edge, first = np.zeros(len(chart), np.uint8), np.cumsum(counts) - counts
    bounce.uneven(
        chart, u, v, halved.size, first, bright, _EDGE, float(np.median(bright[soft.open[:texels] > 0])), edge
    )
    rows = np.flatnonzero(edge & sharp.open[: len(chart)])
    out[rows] = _soft_light(
        grid, Close(soup, standing(), _NEAR_BY), sharp.chosen(rows), len(rows), windows, plan, items, day
    )
    return out


def _refined(mesh: Mesh, coarse: Floats, vertices: int) -> Floats:
    """From the halved charts' texels to those of the charts (N, 3); the vertices that follow stay."""
    chart, u, v = mesh.patches.charts.texels()
    size = mesh.patches.charts.halved().size
    counts = size[:, 0] * size[:, 1]
    out = np.zeros((len(chart) + vertices, 3))
    bounce.refine(chart, u, v, size, np.cumsum(counts) - counts, coarse, out[: len(chart)])
    out[len(chart) :] = coarse[len(coarse) - vertices :]
    return out


def sunlight(grid: Grid, soup: Soup, mesh: Mesh, at: Places, windows: Windows, day: Daylight) -> Floats:
    """(N, 3) light straight from the sun."""
    amount = np.zeros(len(at))
    if day.sun is not None:
        texels = Texels(*mesh.patches.charts.texels(), mesh.patches.corners, mesh.patches.charts.size)
        rays = (windows, _disc(day.sun), np.asarray(_SHIFTS))
        sources.sunlight(grid, soup, standing(), at.points, at.starts, at.open, texels, *rays, amount)
    return np.asarray(amount[:, None] * (np.asarray(day.sun_colour) * _SUN))


def opaque(mesh: Mesh, items: Sequence[Item] = ()) -> Soup:
    """The triangles that throw shadows in the sun: lamps are too bright to, and glass does not."""
    dark = (
        np.asarray([True, *(item.category != "lamp" for item in items)])[mesh.objects[mesh.triangles[:, 0]]]
        if items
        else True
    )
    dark = dark & ~np.asarray([name in _CLEAR for name in mesh.names])[mesh.materials[mesh.triangles[:, 0]]]
    return soup_of(mesh.positions, mesh.triangles[dark])


def _soft_light(
    grid: Grid,
    close: Close,
    at: Places,
    texels: int,
    windows: Windows,
    plan: Plan,
    items: Sequence[Item],
    day: Daylight,
) -> Floats:
    """(N, 3) light from the sky in the windows and from lamps; the first `texels` places are those of charts."""
    near = _near_rooms(plan)
    amount, shone = np.zeros(len(at)), np.zeros((len(at), 3))
    seen, own = _listed(near, [window.room for window in plan.windows])
    sources.skylight(grid, close, at.points, at.starts, at.open, windows, seen, own, texels, amount)
    lamps, rooms = _lamps(plan, items, day)
    spread = np.asarray([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * (_BULB * 0.57735)
    sources.lamplight(grid, close, at.points, at.starts, at.open, lamps, *_listed(near, rooms), spread, shone)
    return np.asarray(shone + amount[:, None] * np.asarray(day.sky))


def _disc(sun: Rgb) -> Floats:
    """Four directions round the sun's middle."""
    middle = np.asarray([sun])
    right = normalised(cross(middle, np.asarray([[0.0, 1.0, 0.0]])))
    up = cross(right, middle)
    corners = [right * a + up * b for a, b in ((-0.9, -0.4), (0.4, -0.9), (0.9, 0.4), (-0.4, 0.9))]
    return np.concatenate([normalised(middle + corner * _PENUMBRA) for corner in corners])


def _near_rooms(plan: Plan) -> list[list[int]]:
    """Of each room the ids of those whose light reaches it, its own first: through doors, and two open ways on."""
    joined: list[set[int]] = [set() for _ in plan.rooms]
    open_: list[set[int]] = [set() for _ in plan.rooms]
    ways = [(door.a, door.b, not door.leaf) for door in plan.doors]
    wells = [room.id for room in plan.rooms if room.type == "stairs"]
    for a, b, passage in (*ways, *((a, b, True) for a, b in pairwise(wells))):
        for here, there in ((a, b), (b, a)):
            joined[here - 1].add(there)
            if passage:
                open_[here - 1].add(there)
    out = []
    for room in plan.rooms:
        beyond = {other for way in open_[room.id - 1] for other in joined[way - 1]}
        out.append([room.id, *sorted((joined[room.id - 1] | beyond) - {room.id})])
    return out


def _listed(near: list[list[int]], rooms: Sequence[int]) -> tuple[Seen, NDArray[np.int64]]:
    """Which sources, in `rooms` (S,), each room sees; and where in its list those of other rooms begin."""
    first, own, items = [0], [], []
    for reached in near:
        for room in reached:
            items += [k for k, at in enumerate(rooms) if at == room]
            if room == reached[0]:
                own.append(len(items))
        first.append(len(items))
    return Seen(np.asarray(first, np.int64), np.asarray(items, np.int64)), np.asarray(own, np.int64)


@dataclass(frozen=True, slots=True)
class _Hole:
    """One window, metres; see sources.Windows."""

    axis: int
    out: float
    planes: tuple[float, float]
    hole: tuple[float, float, float, float]
    panes: list[tuple[float, float, float, float]]


def windows_of(plan: Plan, items: Sequence[Item] = ()) -> Windows:
    """All windows, as far as no blind covers them."""
    blinds = [item for item in items if item.category == "blind"]
    holes = [_hole(plan.room(window.room), window, _below_blind(plan, window, blinds)) for window in plan.windows]
    first = np.cumsum([0, *(len(hole.panes) for hole in holes)]).astype(np.int64)
    panes = [pane for hole in holes for pane in hole.panes]
    return Windows(
        np.asarray([hole.axis for hole in holes], np.int64),
        np.asarray([hole.out for hole in holes], np.float64),
        np.asarray([hole.planes for hole in holes], np.float64).reshape(-1, 2),
        np.asarray([hole.hole for hole in holes], np.float64).reshape(-1, 4),
        np.asarray(panes, np.float64).reshape(-1, 4),
        first,
    )


def _below_blind(plan: Plan, window: Window, blinds: Sequence[Item]) -> int:
    """How high a window is free of its blind, mm above the floor."""
    room = plan.room(window.room)
    line, _, _ = wall_line(room.clear, window.side)
    for item in blinds:
        along, across = (item.at[0], item.at[2]) if window.side in "ns" else (item.at[2], item.at[0])
        if item.room == room.id and window.low < along < window.high and abs(across - line) < OUTER:
            return max(min(window.top, item.at[1] - room.base), window.sill + 200)
    return window.top


def _hole(room: Room, w: Window, top: int) -> _Hole:
    """A window as windows.py builds it, up to `top`, between its curtains."""
    line, _, _ = wall_line(room.clear, w.side)
    out = -1.0 if w.side in "nw" else 1.0
    planes = (line / 1000, line / 1000 + out * (OUTER - WALL // 2) / 1000)
    low, high = uncurtained(room, w)
    cut = [(max(a, low), min(b, high), room.base + y0, room.base + min(y1, top)) for a, b, y0, y1 in panes(w)]
    glass = [(a / 1000, b / 1000, y0 / 1000, y1 / 1000) for a, b, y0, y1 in cut if a < b and y0 < y1]
    hole = (low / 1000, high / 1000, (room.base + w.sill) / 1000, (room.base + top) / 1000)
    return _Hole(2 if w.side in "ns" else 0, out, planes, hole, glass)


def _lamps(plan: Plan, items: Sequence[Item], day: Daylight) -> tuple[Lamps, list[int]]:
    """Every lamp, and its room: they shine by day too, but less, and most where there is no window."""
    lamps = [item for item in items if item.category == "lamp"]
    at, power = np.zeros((len(lamps), 3)), np.zeros((len(lamps), 3))
    bright = {window.room for window in plan.windows}
    for k, item in enumerate(lamps):
        hanging = item.support == "ceiling"
        at[k] = _bulb(item)
        by_day = _LAMP_AT_WORK if plan.kind == "office" else _LAMP_BY_DAY
        strength = _LAMP if day.hour == "evening" else by_day * (1.0 if item.room in bright else _INNER)
        share = _STANDING_AT_NIGHT if day.hour == "evening" else _STANDING
        power[k] = np.asarray(day.lamp) * (strength * (1.0 if hanging else share))
    return Lamps(at, power), [item.room for item in lamps]


def _bulb(item: Item) -> Floats:
    """(3,) metres, where a lamp's light comes from: below what hangs or has a shade that is open below only."""
    x, y, z = item.at[0] / 1000, item.at[1] / 1000, item.at[2] / 1000
    if item.support == "ceiling":
        return np.asarray([x, y - item.size[1] - 0.12, z])
    parts = {"glow": [np.zeros((0, 3))], "shade": [np.zeros((0, 3))]}
    for quad in item.model.quads:
        parts.get(quad.material, []).append(quad.corners)
    for grid in item.model.grids:
        parts.get(grid.material, []).append(grid.evaluate(*grid.least)[0].reshape(-1, 3))
    shade, glow = (np.concatenate(parts[name]) for name in ("shade", "glow"))
    shining = shade if len(shade) else glow
    if not len(shining):
        return np.asarray([x, y + item.size[1] + 0.12, z])
    middle = (shining.min(axis=0) + shining.max(axis=0)) / 2
    middle[1] -= 0.0 if len(shade) else 0.1
    return np.asarray(place(middle, (x, y, z), item.turn))


def _grounded(mesh: Mesh, items: Sequence[Item], at: Places) -> Floats:
    """(N, 1) what floors and tops keep of their light close to what stands on them."""
    out = np.ones((len(at), 1))
    chart, _, _ = mesh.patches.charts.texels()
    level = at.points.normal[: len(chart), 1] > 0.9
    rows = np.flatnonzero(level & (at.open[: len(chart)] > 0) & ~mesh.patches.thin[chart])
    loose = np.asarray([False, *(item.support != "shell" for item in items)])[mesh.objects[mesh.triangles[:, 0]]]
    if not len(rows) or not loose.any():
        return out
    around = _sphere(2 * _LOOKS)
    around = around[around[:, 1] > 0]
    share = np.zeros(len(rows))
    above = at.points.at[rows] + np.asarray([0.0, _OVER, 0.0])
    soup = soup_of(mesh.positions, mesh.triangles[loose])
    crowded(soup, standing(), above, around, _CLOSE, share)
    out[rows, 0] = 1.0 - _STANDS * share * (2.0 - share)
    return out


def _matt(mesh: Mesh, free: NDArray[np.int64]) -> Floats:
    """(N, 1) 0 where a place scatters no sunlight, 1 elsewhere."""
    smooth = np.asarray([name in _SMOOTH_FACES for name in mesh.names])
    return np.where(smooth[_materials(mesh, free)], 0.0, 1.0)[:, None]


def _materials(mesh: Mesh, free: NDArray[np.int64]) -> NDArray[np.int32]:
    """(N,) of the texels of all charts, then of the vertices `free`."""
    chart, _, _ = mesh.patches.charts.texels()
    return np.concatenate([mesh.patches.labels[chart, 0], mesh.materials[free]])


def _back(mesh: Mesh, textures: Sequence[NDArray[np.uint8]], free: NDArray[np.int64]) -> Floats:
    """(N, 3) what share of light each place sends back; nothing from what shines by itself."""
    means = _means(textures)
    albedo = means * means
    albedo[[glows(name) for name in mesh.names]] = 0.0
    return np.asarray(albedo[_materials(mesh, free)])


def _means(textures: Sequence[NDArray[np.uint8]]) -> Floats:
    """(M, 3) mean colours of textures, 0 to 1."""
    sums = [texels.reshape(-1, 3).sum(axis=0, dtype=np.int64) / (texels.size / 3 * 255) for texels in textures]
    return np.asarray(sums)


class Probes:
    """What arrives at the probes of a building, from each of six directions."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        filled = np.flatnonzero(grid.solid)
        self._number = np.full(len(grid.solid), -1, np.int64)
        self._number[filled] = np.arange(len(filled))
        self._sums = np.zeros((len(filled), 4))
        self._shape = (grid.shape - 4) // PROBES + 1
        self._first = np.asarray([2.5, 2.5, 2.5])
        axes = np.meshgrid(*(np.arange(n) for n in self._shape.tolist()), indexing="ij")
        self._at = self._first + np.stack(axes, axis=-1).reshape(-1, 3) * float(PROBES)
        self._gathered = np.zeros((len(self._at), 6, 3))

    def fill(self, at: Floats, normals: Floats, leaving: Floats, weights: Floats) -> None:
        """From the light that leaves points (N, 3) of surfaces; `weights` (N,)."""
        self._sums[:] = 0.0
        bounce.deposit(self._grid, at, normals, leaving, weights, self._number, self._sums)
        shining = self._sums[:, :3] / np.maximum(self._sums[:, 3:], 1.0)
        turned = np.stack([_sphere(_RAYS, part / 8) for part in range(8)])
        bounce.gather(self._grid, self._at, turned, self._number, shining, self._gathered)

    def read(self, starts: Floats, open_: NDArray[np.uint8], normals: Floats, out: Floats) -> None:
        """out (N, 3): what arrives at places whose rays start at `starts`, cubes."""
        lattice = (self._first, float(PROBES), self._shape, self._gathered)
        bounce.interpolate(self._grid, starts, open_, normals, *lattice, out)


def _indirect(grid: Grid, mesh: Mesh, sharp: Places, soft: Places, direct: Floats, back: Floats) -> Floats:
    """(N, 3) light that has met at least one surface, at the places `sharp`."""
    probes, vertices = Probes(grid), int((~mesh.lit).sum())
    weights, out, coarse = sharp.open.astype(np.float64), np.zeros((len(sharp), 3)), np.zeros((len(soft), 3))
    for _ in range(_BOUNCES):
        probes.fill(sharp.points.at, sharp.points.normal, (direct + out) * back, weights)
        probes.read(soft.starts, soft.open, soft.points.normal, coarse)
        _soften(mesh, soft, coarse)
        _fill(mesh.patches.charts.halved(), soft, coarse)
        out = _refined(mesh, coarse, vertices)
    near = np.zeros(len(sharp))
    bounce.openness(grid, sharp.starts, sharp.open, sharp.points.normal, _sphere(36), np.asarray(_NEAR), near)
    near = np.maximum(near, _COVERED)
    middle = luminance(direct + out)
    ambient = _AMBIENT * float(np.median(middle[sharp.open > 0]))
    return np.asarray((out + ambient) * (_CORNER + (1.0 - _CORNER) * near)[:, None])


def _fill(charts: Charts, at: Places, values: Floats) -> None:
    """Gives the covered texels of all charts the light that lies round them."""
    counts = charts.size[:, 0] * charts.size[:, 1]
    bounce.fill(charts.size, np.cumsum(counts) - counts, _FILL, at.open.copy(), values)


def _soften(mesh: Mesh, soft: Places, values: Floats) -> None:
    """Smooths what the probes told, within each chart: between them it shows their lattice."""
    size = mesh.patches.charts.halved().size
    counts = size[:, 0] * size[:, 1]
    first, other = np.cumsum(counts) - counts, np.zeros((int(counts.sum()), 3))
    bounce.soften(size, first, _SMOOTH, 0, soft.open, values, other)
    bounce.soften(size, first, _SMOOTH, 1, soft.open, other, values)


def _sphere(count: int, part: float = 0.5) -> Floats:
    """Evenly spread unit vectors (a Fibonacci spiral); those of other parts, 0 to 1, lie between."""
    k = np.arange(count, dtype=np.float64) + (0.25 + 0.5 * part)
    y = 1 - 2 * k / count
    r = np.sqrt(1 - y * y)
    turns: Floats = k * 0.6180339887498949 + part
    return np.stack([r * cos_turns(turns), y, r * sin_turns(turns)], axis=1)


def _lifted(mesh: Mesh, at: Places, light: Floats, free: NDArray[np.int64]) -> Floats:
    """Thin faces get a share at least of the brightest light that their object has close by, and not more than it."""
    chart, _, _ = mesh.patches.charts.texels()
    objects = np.concatenate([mesh.patches.labels[chart, 1], mesh.objects[free]]).astype(np.int64)
    thin = np.concatenate([mesh.patches.thin[chart], _narrow(mesh)[free]])
    rows = np.flatnonzero(np.isin(objects, objects[thin]))
    key = objects[rows]
    for axis in range(3):
        place = np.floor(at.points.at[rows, axis] / _BESIDE + 0.5).astype(np.int64)
        place -= place.min(initial=0)
        key = key * (int(place.max(initial=0)) + 1) + place
    _, cell = np.unique(key, return_inverse=True)
    cell, chosen, out = cell.reshape(-1), thin[rows], light.copy()
    most = np.zeros((int(cell.max(initial=0)) + 1, 3))
    wide = np.zeros_like(most)
    np.maximum.at(most, cell, light[rows])
    np.maximum.at(wide, cell[~chosen], light[rows[~chosen]])
    most = np.where(wide > 0, wide, most)[cell[chosen]]
    out[rows[chosen]] = np.minimum(np.maximum(light[rows[chosen]], most * _BESIDE_SHARE), most)
    return out


def _narrow(mesh: Mesh) -> NDArray[np.bool_]:
    """(V,) whether a vertex belongs to narrow triangles only."""
    points = mesh.positions[mesh.triangles]
    sides = np.stack([length(points[:, k] - points[:, k - 1]) for k in range(3)], axis=1)
    area = length(cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    out = np.ones(len(mesh.positions), np.bool_)
    out[mesh.triangles[area > sides.max(axis=1) * THIN].reshape(-1)] = False
    return out


def _stored(value: Floats, mesh: Mesh, free: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """As bytes of the vertices and the lightmap. What shines stays white."""
    texels = len(value) - len(free)
    lightmap = mesh.patches.charts.painted(np.floor(np.minimum(value[:texels] * 128, 255) + 0.5).astype(np.uint8))
    out = np.full((len(mesh.positions), 4), 255, dtype=np.uint8)
    out[free, :3] = np.floor(np.minimum(value[texels:], 1.0) * 255 + 0.5).astype(np.uint8)
    column = (mesh.light_uvs[mesh.lit, 0] * lightmap.shape[1]).astype(np.int64)
    row = (mesh.light_uvs[mesh.lit, 1] * lightmap.shape[0]).astype(np.int64)
    out[mesh.lit, :3] = np.minimum(lightmap[row, column].astype(np.int64) * 2, 255)
    out[np.asarray([glows(name) for name in mesh.names])[mesh.materials], :3] = 255
    return _shaded(mesh, out), lightmap


def _shaded(mesh: Mesh, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Lampshades are brightest at their lower edge."""
    rows = np.flatnonzero(np.asarray([name == "shade" for name in mesh.names])[mesh.materials])
    low, high = np.full(int(mesh.objects.max()) + 1, np.inf), np.full(int(mesh.objects.max()) + 1, -np.inf)
    owner, y = mesh.objects[rows], mesh.positions[rows, 1]
    np.minimum.at(low, owner, y)
    np.maximum.at(high, owner, y)
    up = (y - low[owner]) / np.maximum(high[owner] - low[owner], 1e-3)
    colors[rows, :3] = np.floor(255.0 * (1.0 - _SHADE * up * up) + 0.5).astype(np.uint8)[:, None]
    return colors
