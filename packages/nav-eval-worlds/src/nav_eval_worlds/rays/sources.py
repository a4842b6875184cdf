"""What falls on points straight from the sun, from the sky in the windows and from lamps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nav_eval.jit import inner, kernel
from nav_eval_worlds.rays.march import F64, I64, U8, Grid, Scalar, cell_of, hit, hit_beyond, to_cells
from nav_eval_worlds.rays.soup import Soup, Walk, nearest

ABOVE = 1.2
"""How far above its surface, in cells, a point's rays start, and how far before a window's wall they end."""
OFF = 0.03
"""Metres before its surface at which a ray through triangles starts: beyond a skirting that the place lies in."""
LEAST = 1e-4
"""Form factor of a piece of a window that is worth a ray."""
FAINT = 1e-4
"""Light of a lamp that is worth one."""


class Points(NamedTuple):
    """N points of surfaces. `at`, `normal` (N, 3) metres; `inward` (N, 3) towards the surface's middle, or 0;
    `room` (N,) row of the tables of sources."""

    at: F64
    normal: F64
    inward: F64
    room: I64


class Windows(NamedTuple):
    """W windows. `axis` (W,) 0 or 2, the wall's normal; `out` (W,) +1 or -1, the direction to the open along it;
    `planes` (W, 2) where the room's face of the wall and the panes lie; `hole` (W, 4) low, high along the wall, then
    bottom, top; metres. `panes` (P, 4) of the same form, those of window w are first_pane[w] .. first_pane[w + 1].
    """

    axis: I64
    out: F64
    planes: F64
    hole: F64
    panes: F64
    first_pane: I64


class Seen(NamedTuple):
    """Which sources count in which room: those of room r are items[first[r] : first[r + 1]]."""

    first: I64
    items: I64


class Lamps(NamedTuple):
    """L lamps: `at`, `power` (L, 3)."""

    at: F64
    power: F64


@kernel(_nrt=False)
def lift(grid: Grid, points: Points, tries: F64, starts: F64, open_: U8) -> None:
    """Where rays start, in cells: above the surface, moved where that lies in something.

    `tries` (T, 6), cells along the normal, the two inward directions, then x, y and z: the first that is free counts.
    `open_` is 0 where none is: the place is covered.
    """
    for k in range(len(points.at)):
        n, inward = points.normal[k], points.inward[k]
        open_[k] = 0
        for t in range(len(tries)):
            up, first, second = tries[t, 0] * grid.cell, tries[t, 1] * grid.cell, tries[t, 2] * grid.cell
            x, y, z = to_cells(
                grid,
                points.at[k, 0] + n[0] * up + inward[0] * first + inward[3] * second + tries[t, 3] * grid.cell,
                points.at[k, 1] + n[1] * up + inward[1] * first + inward[4] * second + tries[t, 4] * grid.cell,
                points.at[k, 2] + n[2] * up + inward[2] * first + inward[5] * second + tries[t, 5] * grid.cell,
            )
            if t == 0:
                starts[k, 0], starts[k, 1], starts[k, 2] = x, y, z
            if not grid.sealed[cell_of(grid, x, y, z)]:
                starts[k, 0], starts[k, 1], starts[k, 2] = x, y, z
                open_[k] = 1
                break


class Texels(NamedTuple):
    """Where on its quad each of the first texels lies: `chart` (N,), `u`, `v` (N,) from 0 to 1.

    `corners` (C, 4, 3) of the quads; `size` (C, 2) texels along u and v.
    """

    chart: I64
    u: F64
    v: F64
    corners: F64
    size: I64


@kernel(_nrt=False)
def sunlight(
    grid: Grid,
    soup: Soup,
    walk: Walk,
    points: Points,
    starts: F64,
    open_: U8,
    texels: Texels,
    windows: Windows,
    suns: F64,
    shifts: F64,
    out: F64,
) -> None:
    """out (N,): the cosine towards the sun times the share that is seen of `suns` (S, 3), unit vectors.

    Each is looked for from another place of a texel, `shifts` (S, 2) texels from its middle: edges of shadows are
    smooth, and as narrow as texels allow.
    """
    share = 1.0 / len(suns)
    for k in range(len(out)):
        out[k] = 0.0
        if not open_[k]:
            continue
        for s in range(len(suns)):
            cosine = (
                points.normal[k, 0] * suns[s, 0] + points.normal[k, 1] * suns[s, 1] + points.normal[k, 2] * suns[s, 2]
            )
            if cosine <= 0.0:
                continue
            fine = k < len(texels.chart)
            for axis in range(3):
                walk.ray[axis], walk.ray[3 + axis] = points.at[k, axis], suns[s, axis]
            if fine:
                within(texels, k, shifts[s, 0], shifts[s, 1], walk.ray)
            if sees_sun(grid, soup, walk, points, starts, k, windows, fine):
                out[k] += cosine * share


@inner(_nrt=False)
def within(texels: Texels, k: Scalar, right: Scalar, down: Scalar, ray: F64) -> None:
    """ray[:3]: a place of texel k, so many texels from its middle, but on its quad. ray: (6,), metres."""
    c = texels.chart[k]
    wide, high = texels.size[c, 0] - 1.0, texels.size[c, 1] - 1.0
    u = min(max(texels.u[k] + right / wide, 0.1 / wide), 1.0 - 0.1 / wide)
    v = min(max(texels.v[k] + down / high, 0.1 / high), 1.0 - 0.1 / high)
    corners = texels.corners[c]
    for axis in range(3):
        low = corners[0, axis] * (1.0 - u) + corners[1, axis] * u
        ray[axis] = low * (1.0 - v) + (corners[3, axis] * (1.0 - u) + corners[2, axis] * u) * v


@inner(_nrt=False)
def sees_sun(
    grid: Grid, soup: Soup, walk: Walk, points: Points, starts: F64, k: Scalar, windows: Windows, fine: Scalar
) -> bool:
    """Whether `walk.ray`, from a point to the sun, leaves through a pane, and meets nothing before and after.

    Before, it is asked of the triangles if `fine`, else of the cubes, from where the point's rays start.

    starts: (N, 3), in cubes.
    """
    at, sun = walk.ray[:3], walk.ray[3:]
    for w in range(len(windows.axis)):
        axis = windows.axis[w]
        towards = sun[axis] * windows.out[w]
        if towards <= 1e-6:
            continue
        along = 2 - axis
        leave = (windows.planes[w, 1] - at[axis]) / sun[axis]
        if leave <= 0.0:
            continue
        a = at[along] + sun[along] * leave
        y = at[1] + sun[1] * leave
        through = False
        for p in range(windows.first_pane[w], windows.first_pane[w + 1]):
            pane = windows.panes[p]
            through |= pane[0] <= a <= pane[1] and pane[2] <= y <= pane[3]
        if not through:
            continue
        enter = (windows.planes[w, 0] - at[axis]) / sun[axis]
        cells = 1.0 / grid.cell
        if enter > 0.0:
            a = at[along] + sun[along] * enter
            y = at[1] + sun[1] * enter
            hole = windows.hole[w]
            if not (hole[0] <= a <= hole[1] and hole[2] <= y <= hole[3]):
                continue
        past = leave + 2.0 * grid.cell / towards
        x1, y1, z1 = to_cells(grid, at[0] + sun[0] * past, at[1] + sun[1] * past, at[2] + sun[2] * past)
        if hit_beyond(grid, x1, y1, z1, sun[0], sun[1], sun[2]) >= 0:
            return False
        if fine:
            for side in range(3):
                at[side] += sun[side] * OFF
            return bool(nearest(soup, walk, leave - 2.0 * OFF, True) < 0)
        reach = (enter - ABOVE * grid.cell / towards) * cells
        x0, y0, z0 = starts[k, 0], starts[k, 1], starts[k, 2]
        return bool(
            reach <= 0.0 or hit(grid, x0, y0, z0, x0 + sun[0] * reach, y0 + sun[1] * reach, z0 + sun[2] * reach) < 0
        )
    return False


class Close(NamedTuple):
    """What rays ask of triangles: within `reach` metres of their point, where cubes are too coarse."""

    soup: Soup
    walk: Walk
    reach: float


@inner(_nrt=False)
def clear(grid: Grid, close: Close, points: Points, starts: F64, k: Scalar, bx: Scalar, by: Scalar, bz: Scalar) -> bool:
    """Whether nothing lies between a point and a place, in cells: no triangle close to the point, no cube beyond.

    starts: (N, 3), in cubes.
    """
    ax, ay, az = starts[k, 0], starts[k, 1], starts[k, 2]
    if close.reach > 0.0:
        ray = close.walk.ray
        ray[3], ray[4], ray[5] = bx * grid.cell, by * grid.cell, bz * grid.cell
        square = 0.0
        for axis in range(3):
            ray[axis] = points.at[k, axis] + points.normal[k, axis] * OFF
            ray[3 + axis] += grid.low[axis] - ray[axis]
            square += ray[3 + axis] * ray[3 + axis]
        far = max(np.sqrt(square), 1e-3)
        for axis in range(3):
            ray[3 + axis] /= far
        if far <= close.reach:
            return bool(nearest(close.soup, close.walk, far, True) < 0)
        ax, ay, az = to_cells(
            grid, ray[0] + ray[3] * close.reach, ray[1] + ray[4] * close.reach, ray[2] + ray[5] * close.reach
        )
    if hit(grid, ax, ay, az, bx, by, bz) >= 0:
        return False
    return bool(close.reach <= 0.0 or nearest(close.soup, close.walk, close.reach, True) < 0)


@kernel(_nrt=False)
def skylight(
    grid: Grid,
    close: Close,
    points: Points,
    starts: F64,
    open_: U8,
    windows: Windows,
    seen: Seen,
    own: I64,
    fine: int,
    out: F64,
) -> None:
    """out (N,): the form factor of the windows' sky, that below the horizon counting less.

    `own` (R,): where in a room's list of windows the other rooms' begin. The room's own are sampled more finely, for
    the first `fine` points.
    """
    for k in range(len(out)):
        out[k] = 0.0
        if not open_[k]:
            continue
        room = points.room[k]
        total = 0.0
        for i in range(seen.first[room], seen.first[room + 1]):
            here = i < own[room]
            parts, least = 3 if here and k < fine else 2, LEAST if here else 3.0 * LEAST
            total += from_window(grid, close, points, starts, k, windows, seen.items[i], parts, least)
        out[k] = total


@inner(_nrt=False)
def from_window(
    grid: Grid,
    close: Close,
    points: Points,
    starts: F64,
    k: Scalar,
    windows: Windows,
    w: Scalar,
    parts: Scalar,
    least: Scalar,
) -> Scalar:
    """The form factor of a window's parts x parts pieces that a point sees; those below `least` are left out.

    starts: (N, 3), in cubes.
    """
    axis = windows.axis[w]
    along = 2 - axis
    inside = (windows.planes[w, 0] - points.at[k, axis]) * windows.out[w]
    plane = windows.planes[w, 0] if inside > 0.03 else windows.planes[w, 1]
    depth = (plane - points.at[k, axis]) * windows.out[w]
    if depth <= 0.0:
        return 0.0
    hole = windows.hole[w]
    wide, high = (hole[1] - hole[0]) / parts, (hole[3] - hole[2]) / parts
    area = wide * high
    front = plane - windows.out[w] * ABOVE * grid.cell if inside > 0.03 else plane
    total = 0.0
    for i in range(parts):
        a = hole[0] + wide * (i + 0.5)
        da = a - points.at[k, along]
        for j in range(parts):
            y = hole[2] + high * (j + 0.5)
            dy = y - points.at[k, 1]
            facing = (
                points.normal[k, axis] * depth * windows.out[w]
                + points.normal[k, along] * da
                + points.normal[k, 1] * dy
            )
            if facing <= 0.0:
                continue
            square = da * da + dy * dy + depth * depth
            factor = facing * depth / square * area / (np.pi * square + area)
            if factor < least:
                continue
            if inside > ABOVE * grid.cell:
                x = front if axis == 0 else a
                z = a if axis == 0 else front
                bx, by, bz = to_cells(grid, x, y, z)
                if not clear(grid, close, points, starts, k, bx, by, bz):
                    continue
            rise = dy / np.sqrt(square)
            total += factor * min(max(0.55 + 2.0 * rise, 0.3), 1.0)
    return total


@kernel(_nrt=False)
def lamplight(
    grid: Grid,
    close: Close,
    points: Points,
    starts: F64,
    open_: U8,
    lamps: Lamps,
    seen: Seen,
    own: I64,
    spread: F64,
    out: F64,
) -> None:
    """out (N, 3): light of lamps, each sampled at `spread` (S, 3) metres round its middle; once in other rooms."""
    for k in range(len(out)):
        out[k, 0] = out[k, 1] = out[k, 2] = 0.0
        if not open_[k]:
            continue
        room = points.room[k]
        for i in range(seen.first[room], seen.first[room + 1]):
            lamp = seen.items[i]
            samples = len(spread) if i < own[room] else 1
            for s in range(samples):
                dx = lamps.at[lamp, 0] + spread[s, 0] - points.at[k, 0]
                dy = lamps.at[lamp, 1] + spread[s, 1] - points.at[k, 1]
                dz = lamps.at[lamp, 2] + spread[s, 2] - points.at[k, 2]
                square = dx * dx + dy * dy + dz * dz
                facing = points.normal[k, 0] * dx + points.normal[k, 1] * dy + points.normal[k, 2] * dz
                amount = facing / np.sqrt(square) / (square + 0.09) / samples
                if amount * lamps.power[lamp, 0] < FAINT:
                    continue
                bx, by, bz = to_cells(grid, dx + points.at[k, 0], dy + points.at[k, 1], dz + points.at[k, 2])
                if not clear(grid, close, points, starts, k, bx, by, bz):
                    continue
                for c in range(3):
                    out[k, c] += amount * lamps.power[lamp, c]
