"""No cracks between walls, floors and frames: an edge has a vertex wherever a neighbour's edge has one.

Faces of a building meet along lines, but each is cut on its own, so a corner of one comes to lie in the middle of
another's edge. A renderer rounds corners to a fraction of a pixel, and there, now and then, the sky shows through. So
the triangle of such an edge is split at every vertex that lies on it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import LATTICE, Floats
from nav_eval_worlds.mesh.triangles import Mesh

_Ints = NDArray[np.int64]
_SPAN = 1 << 22
"""Steps of the lattice along a line, more than any building has: half a kilometre each way."""


def welded(mesh: Mesh, shell: NDArray[np.bool_]) -> Mesh:
    """The mesh with the triangles of the objects in `shell` (by number) split at each other's vertices.

    Only edges along the axes are looked at.

    shell: (O,) for O objects.
    """
    places = np.floor(mesh.positions * LATTICE + 0.5).astype(np.int64)
    chosen = np.flatnonzero(shell[mesh.objects[mesh.triangles[:, 0]]])
    rims = _rims(mesh.triangles[chosen].astype(np.int64), len(places))
    cuts: dict[int, list[tuple[int, Floats]]] = {}
    for axis in range(3):
        for row, k, inner in _crossings(places, mesh.triangles[chosen], rims, axis):
            points = np.repeat(places[mesh.triangles[chosen[row], k]][None], len(inner), axis=0)
            points[:, axis] = inner
            cuts.setdefault(int(chosen[row]), []).append((k, points / LATTICE))
    return _split(mesh, cuts)


def _rims(triangles: _Ints, count: int) -> NDArray[np.bool_]:
    """(T, 3) whether no other triangle has the edge from corner k to the next."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1)
    low, high = ends.min(axis=-1), ends.max(axis=-1)
    _, which, counts = np.unique((low * count + high).reshape(-1), return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = (counts[which.reshape(-1)] == 1).reshape(triangles.shape)
    return alone


def _crossings(
    places: _Ints, triangles: NDArray[np.int32], rims: NDArray[np.bool_], axis: int
) -> list[tuple[int, int, _Ints]]:
    """(triangle, corner, places along the axis) of rims along the axis on which other rims' vertices lie.

    The places run from the corner to the next one.
    """
    b, c = (axis + 1) % 3, (axis + 2) % 3
    corners = places[triangles]
    after = np.roll(corners, -1, axis=1)
    straight = rims & (corners[..., b] == after[..., b]) & (corners[..., c] == after[..., c])
    straight &= corners[..., axis] != after[..., axis]
    used = np.unique(triangles[(rims | np.roll(rims, 1, axis=1)).nonzero()])
    rows, ks = straight.nonzero()
    start, end = corners[rows, ks], after[rows, ks]
    lines = np.concatenate([places[used][:, (b, c)], start[:, (b, c)]])
    _, names = np.unique(lines[:, 0] * _SPAN * 2 + lines[:, 1], return_inverse=True)
    names = names.reshape(-1)
    spots = np.unique(names[: len(used)] * _SPAN * 2 + places[used][:, axis] + _SPAN)
    line = names[len(used) :] * _SPAN * 2 + _SPAN
    low, high = np.minimum(start[:, axis], end[:, axis]), np.maximum(start[:, axis], end[:, axis])
    first, last = np.searchsorted(spots, line + low, "right"), np.searchsorted(spots, line + high, "left")
    out = []
    for k in np.flatnonzero(last > first).tolist():
        inner = spots[first[k] : last[k]] - line[k]
        out.append((int(rows[k]), int(ks[k]), inner if start[k, axis] < end[k, axis] else inner[::-1]))
    return out


def _split(mesh: Mesh, cuts: dict[int, list[tuple[int, Floats]]]) -> Mesh:
    """Each triangle of `cuts` as a fan round its points on edge k, from corner k to the next."""
    positions, uvs, light, owners = [], [], [], []
    fresh: list[tuple[int, int, int]] = []
    count = len(mesh.positions)
    for number in sorted(cuts):
        edges: dict[tuple[int, int], list[int]] = {}
        corners = mesh.triangles[number].tolist()
        for k, points in cuts[number]:
            a, b = corners[k], corners[(k + 1) % 3]
            edges[a, b] = list(range(count, count + len(points)))
            count += len(points)
            positions.append(points)
            share = _share(mesh.positions[a], mesh.positions[b], points)
            uvs.append(mesh.uvs[a] + (mesh.uvs[b] - mesh.uvs[a]) * share)
            light.append((mesh.light_uvs[a] + (mesh.light_uvs[b] - mesh.light_uvs[a]) * share).astype(np.float32))
            owners += [a] * len(points)
        fresh += _fan((corners[0], corners[1], corners[2]), edges)
    if not cuts:
        return mesh
    kept = np.ones(len(mesh.triangles), bool)
    kept[sorted(cuts)] = False
    own = np.concatenate([np.arange(len(mesh.positions)), np.asarray(owners, np.int64)])
    return replace(
        mesh,
        positions=np.concatenate([mesh.positions, *positions]),
        uvs=np.concatenate([mesh.uvs, *uvs]),
        normals=mesh.normals[own],
        materials=mesh.materials[own],
        objects=mesh.objects[own],
        rooms=mesh.rooms[own],
        lit=mesh.lit[own],
        light_uvs=np.concatenate([mesh.light_uvs, *light]),
        triangles=np.concatenate([mesh.triangles[kept], np.asarray(fresh, np.int32)]),
    )


def _share(a: Floats, b: Floats, points: Floats) -> Floats:
    """(N, 1) how far from a to b the points on that edge lie, 0 to 1."""
    axis = int(np.argmax(np.abs(b - a)))
    share: Floats = (points[:, axis] - a[axis]) / (b - a)[axis]
    return share[:, None]


def _fan(corners: tuple[int, int, int], edges: dict[tuple[int, int], list[int]]) -> list[tuple[int, int, int]]:
    """A triangle cut at the points of its edges, one edge after another."""
    for k in range(3):
        a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
        points = edges.get((a, b))
        if points:
            rest = {edge: inner for edge, inner in edges.items() if edge != (a, b)}
            chain = [a, *points, b]
            return [piece for p, q in pairwise(chain) for piece in _fan((p, q, c), rest)]
    return [corners]
