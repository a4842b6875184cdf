"""Light that has met a surface: gathered at probes on a coarse lattice of the building, and handed on to points.

A probe holds what arrives from the six directions of the axes (an ambient cube: McTaggart, "Half-Life 2 / Valve
Source Shading", 2004). A point blends the eight probes round it, those only that it sees, so that no light comes
through a wall.
"""

from __future__ import annotations

import numpy as np

from nav_eval.jit import kernel
from nav_eval_worlds.rays.march import F64, I64, U8, Grid, cell_of, hit, hit_beyond, to_cells

HIDDEN = 1e-4
"""Weight of a probe that a point does not see: it counts where no other one does."""


@kernel(_nrt=False)
def openness(grid: Grid, starts: F64, open_: U8, normals: F64, directions: F64, reach: F64, out: F64) -> None:
    """out (N,): 0 to 1, how far rays over the hemisphere get, weighted by the cosine; `reach` in cells."""
    for k in range(len(out)):
        out[k] = 0.0
        if not open_[k]:
            continue
        total = weights = 0.0
        for d in range(len(directions)):
            dx, dy, dz = directions[d, 0], directions[d, 1], directions[d, 2]
            cosine = normals[k, 0] * dx + normals[k, 1] * dy + normals[k, 2] * dz
            if cosine < 0.08:
                continue
            got = 0
            for r in range(len(reach)):
                x = starts[k, 0] + dx * reach[r]
                y = starts[k, 1] + dy * reach[r]
                z = starts[k, 2] + dz * reach[r]
                inside = 0.0 <= x < grid.shape[0] and 0.0 <= y < grid.shape[1] and 0.0 <= z < grid.shape[2]
                if inside and grid.solid[cell_of(grid, x, y, z)]:
                    break
                got += 1
            total += got / len(reach) * cosine
            weights += cosine
        out[k] = total / weights if weights > 0.0 else 0.0


@kernel(_nrt=False)
def deposit(grid: Grid, at: F64, normals: F64, light: F64, weights: F64, number: I64, sums: F64) -> None:
    """Adds what leaves each point to its cell.

    `number` (cells,): row of `sums` (F, 4), light and weight; -1 where free.
    """
    back = 0.3 * grid.cell
    for k in range(len(at)):
        x, y, z = to_cells(
            grid, at[k, 0] - normals[k, 0] * back, at[k, 1] - normals[k, 1] * back, at[k, 2] - normals[k, 2] * back
        )
        row = number[cell_of(grid, x, y, z)]
        if row < 0:
            x, y, z = to_cells(grid, at[k, 0], at[k, 1], at[k, 2])
            row = number[cell_of(grid, x, y, z)]
        if row >= 0:
            for c in range(3):
                sums[row, c] += light[k, c] * weights[k]
            sums[row, 3] += weights[k]


@kernel(_nrt=False)
def look(grid: Grid, probes: F64, directions: F64, number: I64, out: I64) -> None:
    """out (P, D): the `number` (cells,) of what probes (P, 3, cells) see in each direction; -1: nothing.

    `directions` (S, D, 3): neighbours look along different ones, so that what lies between them is smoother. Probes
    inside things see nothing.
    """
    for p in range(len(probes)):
        x, y, z = probes[p, 0], probes[p, 1], probes[p, 2]
        turned = directions[(p * 40503 >> 8) % len(directions)]
        sealed = grid.sealed[cell_of(grid, x, y, z)]
        for d in range(len(turned)):
            met = -1 if sealed else hit_beyond(grid, x, y, z, turned[d, 0], turned[d, 1], turned[d, 2])
            out[p, d] = number[met] if met >= 0 else -1


@kernel(_nrt=False)
def gather(seen: I64, directions: F64, leaving: F64, out: F64) -> None:
    """out (P, 6, 3): irradiance over pi at probes from +x, -x, +y, -y, +z, -z, of light `leaving` (F, 3) what is `seen`
    (P, D) in `directions`; see `look`."""
    share = 4.0 / directions.shape[1]
    for p in range(len(seen)):
        for side in range(6):
            out[p, side, 0] = out[p, side, 1] = out[p, side, 2] = 0.0
        turned = directions[(p * 40503 >> 8) % len(directions)]
        for d in range(len(turned)):
            row = seen[p, d]
            if row < 0:
                continue
            for axis in range(3):
                cosine = turned[d, axis]
                side = 2 * axis if cosine > 0.0 else 2 * axis + 1
                for c in range(3):
                    out[p, side, c] += abs(cosine) * share * leaving[row, c]


@kernel(_nrt=False)
def soften(size: I64, first: I64, reach: int, step: int, open_: U8, values: F64, out: F64) -> None:
    """Means over `reach` texels to each side, along u (`step` 0) or v (1), of the open places of each chart.

    Fewer near a chart's edge, so that it keeps the value that the neighbour in its plane has there.

    size (C, 2), texels; first (C,); open_ (N,); values and out (N, 3).
    """
    for c in range(len(size)):
        wide, high = size[c, 0], size[c, 1]
        length, stride = (wide, 1) if step == 0 else (high, wide)
        for k in range(wide * high):
            at = first[c] + k
            place = k % wide if step == 0 else k // wide
            total = r = g = b = 0.0
            side = min(reach, min(place, length - 1 - place))
            for shift in range(-side, side + 1):
                other = at + shift * stride
                if open_[other]:
                    weight = side + 1.0 - abs(shift)
                    total += weight
                    r += weight * values[other, 0]
                    g += weight * values[other, 1]
                    b += weight * values[other, 2]
            out[at, 0], out[at, 1], out[at, 2] = values[at, 0], values[at, 1], values[at, 2]
            if open_[at]:
                out[at, 0], out[at, 1], out[at, 2] = r / total, g / total, b / total


@kernel(_nrt=False)
def fill(size: I64, first: I64, reach: int, known: U8, values: F64) -> None:
    """Covered texels (`known` 0, which becomes 1) take the mean of their neighbours, `reach` texels far at most.

    What lies behind a picture or a chest has no light of its own; its darkness must not show beside it.

    size (C, 2), texels; first (C,); known (N,); values (N, 3).
    """
    for c in range(len(size)):
        wide, high = size[c, 0], size[c, 1]
        for round_ in range(2, reach + 2):
            found = False
            for k in range(wide * high):
                at = first[c] + k
                if known[at]:
                    continue
                total = r = g = b = 0.0
                for side in range(4):
                    x, y = k % wide + (side == 0) - (side == 1), k // wide + (side == 2) - (side == 3)
                    if not (0 <= x < wide and 0 <= y < high):
                        continue
                    other = first[c] + y * wide + x
                    if known[other] and known[other] != round_:
                        total += 1.0
                        r += values[other, 0]
                        g += values[other, 1]
                        b += values[other, 2]
                if total > 0.0:
                    values[at, 0], values[at, 1], values[at, 2] = r / total, g / total, b / total
                    known[at] = round_
                    found = True
            if not found:
                break


@kernel(_nrt=False)
def refine(chart: I64, u: F64, v: F64, size: I64, first: I64, coarse: F64, out: F64) -> None:
    """out (N, 3): between the values of coarser texels; chart c has size[c] of them, from row first[c] of `coarse`."""
    for k in range(len(out)):
        c = chart[k]
        wide = size[c, 0]
        x, y = u[k] * (wide - 1), v[k] * (size[c, 1] - 1)
        i, j = min(np.int64(x), wide - 2), min(np.int64(y), size[c, 1] - 2)
        x, y = x - i, y - j
        at = first[c] + j * wide + i
        for channel in range(3):
            above = coarse[at, channel] * (1.0 - x) + coarse[at + 1, channel] * x
            below = coarse[at + wide, channel] * (1.0 - x) + coarse[at + wide + 1, channel] * x
            out[k, channel] = above * (1.0 - y) + below * y


@kernel(_nrt=False)
def uneven(chart: I64, u: F64, v: F64, size: I64, first: I64, coarse: F64, least: float, usual: float, out: U8) -> None:
    """out (N,): 1 where the coarser values (M,) round a texel differ by more than `least` of the greatest and `usual`.

    An edge of a shadow passes there, which blending (`refine`) would wash out.
    """
    for k in range(len(out)):
        c = chart[k]
        wide = size[c, 0]
        i = min(np.int64(u[k] * (wide - 1)), wide - 2)
        j = min(np.int64(v[k] * (size[c, 1] - 1)), size[c, 1] - 2)
        low = high = coarse[first[c] + j * wide + i]
        for y in range(max(j - 1, 0), min(j + 3, size[c, 1])):
            for x in range(max(i - 1, 0), min(i + 3, wide)):
                low = min(low, coarse[first[c] + y * wide + x])
                high = max(high, coarse[first[c] + y * wide + x])
        out[k] = high - low > least * (high + usual)


@kernel(_nrt=False)
def interpolate(
    grid: Grid, starts: F64, open_: U8, normals: F64, first: F64, spacing: float, shape: I64, probes: F64, out: F64
) -> None:
    """out (N, 3): irradiance over pi from the probes' lattice, which starts at `first`, `spacing` cells apart."""
    for k in range(len(starts)):
        out[k, 0] = out[k, 1] = out[k, 2] = 0.0
        if not open_[k]:
            continue
        fx, fy, fz = (
            min(max((starts[k, 0] - first[0]) / spacing, 0.0), shape[0] - 1.001),
            min(max((starts[k, 1] - first[1]) / spacing, 0.0), shape[1] - 1.001),
            min(max((starts[k, 2] - first[2]) / spacing, 0.0), shape[2] - 1.001),
        )
        ix, iy, iz = np.int64(fx), np.int64(fy), np.int64(fz)
        total = r = g = b = 0.0
        for corner in range(8):
            jx, jy, jz = ix + (corner & 1), iy + ((corner >> 1) & 1), iz + (corner >> 2)
            weight = (1.0 - abs(fx - jx)) * (1.0 - abs(fy - jy)) * (1.0 - abs(fz - jz)) + 0.002
            px, py, pz = first[0] + jx * spacing, first[1] + jy * spacing, first[2] + jz * spacing
            if grid.sealed[cell_of(grid, px, py, pz)]:
                continue
            if hit(grid, starts[k, 0], starts[k, 1], starts[k, 2], px, py, pz) >= 0:
                weight *= HIDDEN
            probe = (jx * shape[1] + jy) * shape[2] + jz
            total += weight
            for axis in range(3):
                n = normals[k, axis]
                side = 2 * axis if n > 0.0 else 2 * axis + 1
                weighed = n * n * weight
                r += probes[probe, side, 0] * weighed
                g += probes[probe, side, 1] * weighed
                b += probes[probe, side, 2] * weighed
        if total > 0.0:
            out[k, 0], out[k, 1], out[k, 2] = r / total, g / total, b / total
