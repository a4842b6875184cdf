"""Items cut into triangles: flat quads in batches, curved grids one by one, as fine as a triangle count allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, cross, length, normalised, quantise
from nav_eval_worlds.mesh.charts import THIN, Charts, lay_out
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh, Patches
from nav_eval_worlds.mesh.weld import welded
from nav_eval_worlds.surfaces.palette import glows
from nav_eval_worlds.surfaces.parametric import Grid, lattice, place

_FINEST, _COARSEST = 8, 3000
_ALL = 9e9
"""Square metres: more than any shape has."""
_SHARP = 0.8
"""The cosine of half the angle from which an edge between curved parts is sharp."""
_TRIES = 3
"""How often to cut until the triangles that welding adds leave the count where it should be."""


@dataclass(frozen=True, slots=True)
class _Quads:
    """All flat quads of the world at once; `charted` (Q,), with lightmap coordinates of their corners (Q, 4, 2)."""

    corners: Floats
    uvs: Floats
    sizes: Floats
    max_edge: Floats
    labels: NDArray[np.int32]
    charts: Charts
    charted: NDArray[np.bool_]
    light: Floats


def tessellate(items: Sequence[Item], triangles: int) -> Mesh:
    """The mesh of all items with about `triangles` triangles (never fewer than the shapes need)."""
    names: dict[str, int] = {}
    quads = _gather(items, names)
    grids = [(index, item, grid) for index, item in enumerate(items) for grid in item.model.grids]
    for _, _, grid in grids:
        names.setdefault(grid.material, len(names))
    shell = np.asarray([False, *(item.support == "shell" for item in items)], np.bool_)
    chosen = quads.charts.quads
    thin = quads.sizes[chosen].min(axis=1) < THIN
    patches = Patches(quads.charts, quads.corners[chosen], thin, quads.labels[chosen])
    measured, aim = _Grids.of([grid for _, _, grid in grids]), triangles - triangles // 20

    @cache  # a lower aim often leads to the same cut: to the coarsest there is
    def meshed(cut: _Cut) -> Mesh:
        blocks = _flat_blocks(quads, cut)
        fine = cut.curved(measured).tolist()
        blocks += _smooth([_curved_block(*one, names, nu, nv) for one, (nu, nv) in zip(grids, fine, strict=True)])
        return welded(_join(blocks, tuple(names), patches), shell)

    for _ in range(_TRIES):
        mesh = meshed(_cut_for(quads, measured, aim))
        if len(mesh.triangles) <= triangles:
            break
        aim -= (len(mesh.triangles) - triangles) * 3 // 2 + 64
    return mesh


def _gather(items: Sequence[Item], names: dict[str, int]) -> _Quads:
    corners, uvs, edges, labels, built_in, dark = [], [], [], [], [], []
    for index, item in enumerate(items):
        if not item.model.quads:
            continue
        own = np.stack([quad.corners for quad in item.model.quads])
        x, y, z = item.at
        corners.append(place(own, (x / 1000, y / 1000, z / 1000), item.turn))
        for quad in item.model.quads:
            uvs.append(quad.uvs)
            edges.append(quad.max_edge)
            built_in.append(item.support == "shell")
            dark.append(not glows(quad.material))
            labels.append((names.setdefault(quad.material, len(names)), index + 1, item.room))
    points = np.concatenate(corners)
    u = np.maximum(length(points[:, 1] - points[:, 0]), length(points[:, 2] - points[:, 3]))
    v = np.maximum(length(points[:, 3] - points[:, 0]), length(points[:, 2] - points[:, 1]))
    sizes = np.stack([u, v], axis=1)
    charts = lay_out(sizes, np.asarray(built_in), np.asarray(dark))
    light = np.zeros((len(points), 4, 2))
    light[charts.quads] = charts.corners
    charted = np.zeros(len(points), np.bool_)
    charted[charts.quads] = True
    return _Quads(points, np.stack(uvs), sizes, np.asarray(edges), np.asarray(labels, np.int32), charts, charted, light)


@dataclass(frozen=True, slots=True)
class _Cut:
    """How finely to cut: the longest edge in metres; shapes smaller than `fair` square metres must be simplified, those
    smaller than `rough` as far as can be."""

    edge: float
    rough: float
    fair: float

    def flat(self, quads: _Quads) -> NDArray[np.int64]:
        """Cells of each quad (Q, 2)."""
        limit = quads.max_edge * (1.8 if self.fair else 1.0)
        limit = np.where(quads.charted, limit, np.minimum(limit, self.edge))[:, None]
        return np.maximum(np.ceil(quads.sizes / limit - 1e-9), 1).astype(np.int64)

    def curved(self, grids: _Grids) -> NDArray[np.int64]:
        """Cells of each grid (G, 2)."""
        rough, fair = ((grids.extents < size)[:, None] for size in (self.rough, self.fair))
        least = np.where(rough, grids.rough, np.where(fair, grids.fair, grids.least))
        cells = np.maximum(least, -(-grids.sizes // (self.edge * 0.6)).astype(np.int64))
        cells[:, 1] = cells[:, 1] // least[:, 1] * least[:, 1]
        return cells


@dataclass(frozen=True, slots=True)
class _Grids:
    """Of all curved grids: metres (G, 2), size (G,), and cells (G, 2) as in Grid: least, fair and rough."""

    sizes: Floats
    extents: Floats
    least: NDArray[np.int64]
    fair: NDArray[np.int64]
    rough: NDArray[np.int64]

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> _Grids:
        sizes = np.asarray([grid.size for grid in grids], np.float64).reshape(-1, 2)
        extents = np.asarray([_extent(grid) for grid in grids], np.float64)
        cells = (
            [grid.least for grid in grids],
            [grid.fair or grid.rough for grid in grids],
            [grid.rough for grid in grids],
        )
        return cls(sizes, extents, *(np.asarray(one, np.int64).reshape(-1, 2) for one in cells))


def _cut_for(quads: _Quads, grids: _Grids, triangles: int) -> _Cut:
    """The longest edge whose mesh has at most `triangles` triangles, or the coarsest there is."""

    def count(cut: _Cut) -> int:
        flat, curved = cut.flat(quads), cut.curved(grids)
        return 2 * int((flat[:, 0] * flat[:, 1]).sum() + (curved[:, 0] * curved[:, 1]).sum())

    rough = _least_size(grids, lambda size: count(_Cut(_COARSEST / 1000, size, _ALL)) > triangles)
    fair = _least_size(grids, lambda size: count(_Cut(_COARSEST / 1000, rough, size)) > triangles)
    low, high = _FINEST, _COARSEST
    while low < high:
        middle = (low + high) // 2
        if count(_Cut(middle / 1000, rough, fair)) <= triangles:
            high = middle
        else:
            low = middle + 1
    return _Cut(low / 1000, rough, fair)


def _extent(grid: Grid) -> float:
    return grid.size[0] * max(grid.size[1], grid.size[0] / 4)


def _least_size(grids: _Grids, too_many: Callable[[float], bool]) -> float:
    """The size below which shapes must be simplified, so that the large ones keep theirs the longest."""
    sizes = [0.0, *np.unique(grids.extents).tolist(), _ALL]
    low, high = 0, len(sizes) - 1
    while low < high:
        middle = (low + high) // 2
        if too_many(sizes[middle]):
            low = middle + 1
        else:
            high = middle
    return float(sizes[low])


_Block = tuple[Floats, Floats, Floats, NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_], Floats]


def _flat_blocks(quads: _Quads, cut: _Cut) -> list[_Block]:
    cells = cut.flat(quads)
    keys = cells[:, 0] * 100000 + cells[:, 1]
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    out = []
    for chosen in np.split(order, starts[1:]):
        nu, nv = (int(n) for n in cells[chosen[0]])
        out.append(_flat_block(quads, chosen, nu, nv))
    return out


def _flat_block(quads: _Quads, chosen: NDArray[np.int64], nu: int, nv: int) -> _Block:
    u, v = (w.reshape(-1)[None, :, None] for w in lattice(nu, nv))
    weights = ((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v)

    def blend(corners: Floats) -> Floats:
        a, b, c, d = (corners[:, k, None] * weights[k] for k in range(4))
        return ((a + b) + c) + d

    corners = quads.corners[chosen]
    normal = normalised(cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]))
    points = blend(corners)
    count = points.shape[1]
    triangles = (_pattern(nu, nv)[None] + (np.arange(len(chosen)) * count)[:, None, None]).reshape(-1, 3)
    normals = np.broadcast_to(normal[:, None], points.shape).reshape(-1, 3)
    labels = np.repeat(quads.labels[chosen], count, axis=0)
    uvs, light = (blend(of[chosen]).reshape(-1, 2) for of in (quads.uvs, quads.light))
    return points.reshape(-1, 3), normals, uvs, triangles, labels, np.repeat(quads.charted[chosen], count), light


@lru_cache(1024)
def _pattern(nu: int, nv: int) -> NDArray[np.int64]:
    """Triangles of a grid, the diagonals alternating so that light blends evenly. Not to be changed."""
    i, k = np.meshgrid(np.arange(nu), np.arange(nv))
    a = (k * (nu + 1) + i).reshape(-1)
    b, c, d = a + 1, a + nu + 2, a + nu + 1
    odd = ((i + k) % 2 == 1).reshape(-1)
    first = np.where(odd[:, None], np.stack([a, b, d], 1), np.stack([a, b, c], 1))
    second = np.where(odd[:, None], np.stack([b, c, d], 1), np.stack([a, c, d], 1))
    return np.concatenate([first, second])


def _curved_block(index: int, item: Item, grid: Grid, names: dict[str, int], nu: int, nv: int) -> _Block:
    points, uvs = grid.evaluate(nu, nv)
    x, y, z = item.at
    points = place(points, (x / 1000, y / 1000, z / 1000), item.turn)
    rows, columns = points.shape[:2]
    normals = _grid_normals(points)
    triangles = _pattern(columns - 1, rows - 1)
    flat = points.reshape(-1, 3)
    spread = flat[triangles]
    area = cross(spread[:, 1] - spread[:, 0], spread[:, 2] - spread[:, 0])
    triangles = triangles[length(area) > 1e-10]
    labels = np.broadcast_to(np.asarray([names[grid.material], index + 1, item.room], dtype=np.int32), (len(flat), 3))
    plain = np.asarray(uvs, dtype=np.float64).reshape(-1, 2)
    return flat, normals, plain, triangles, labels, np.zeros(len(flat), np.bool_), np.zeros((len(flat), 2))


def _grid_normals(points: Floats) -> Floats:
    """Normals from central differences over the grid; at a pole, where a ring is one point, those of the next ring."""
    du, dv = np.empty_like(points), np.empty_like(points)
    du[:, 1:-1], du[:, 0], du[:, -1] = (
        points[:, 2:] - points[:, :-2],
        points[:, 1] - points[:, 0],
        points[:, -1] - points[:, -2],
    )
    dv[1:-1], dv[0], dv[-1] = points[2:] - points[:-2], points[1] - points[0], points[-1] - points[-2]
    out = normalised(cross(du, dv))
    for end, inner in ((0, 1), (-1, -2)):
        pole = length(out[end]) == 0
        out[end][pole] = out[inner][pole]
    return out.reshape(-1, 3)


def _smooth(blocks: list[_Block]) -> list[_Block]:
    """Curved parts of one object that meet in an edge share its normals, unless the edge is sharp."""
    if not blocks:
        return blocks
    normals = np.concatenate([block[1] for block in blocks])
    places = np.floor(np.concatenate([block[0] for block in blocks]) * 4096 + 0.5).astype(np.int64)
    owners = np.concatenate([block[4][:, 1] for block in blocks]).astype(np.int64)
    keys = ((places[:, 0] * 1000003 + places[:, 1]) * 1000003 + places[:, 2]) * 8191 + owners
    _, which = np.unique(keys, return_inverse=True)
    which = which.reshape(-1)
    total: Floats = np.zeros((len(normals), 3))
    for axis in range(3):
        total[:, axis] = np.bincount(which, normals[:, axis])[which]
    size = length(total)
    mean = total / np.where(size > 0, size, 1.0)[:, None]
    near = (mean[:, 0] * normals[:, 0] + mean[:, 1] * normals[:, 1] + mean[:, 2] * normals[:, 2]) > _SHARP
    shared = np.where(near[:, None], mean, normals)
    ends = np.cumsum([len(block[0]) for block in blocks])[:-1]
    return [(block[0], own, *block[2:]) for block, own in zip(blocks, np.split(shared, ends), strict=True)]


def _join(blocks: list[_Block], names: tuple[str, ...], patches: Patches) -> Mesh:
    offsets = np.cumsum([0] + [len(block[0]) for block in blocks])
    triangles = np.concatenate([block[3] + offset for block, offset in zip(blocks, offsets.tolist(), strict=False)])
    labels = np.concatenate([block[4] for block in blocks])
    return Mesh(
        quantise(np.concatenate([block[0] for block in blocks])),
        np.concatenate([block[1] for block in blocks]),
        np.concatenate([block[2] for block in blocks]),
        triangles.astype(np.int32),
        labels[:, 0],
        labels[:, 1],
        labels[:, 2],
        names,
        np.concatenate([block[5] for block in blocks]),
        np.concatenate([block[6] for block in blocks]).astype(np.float32),
        patches,
    )
