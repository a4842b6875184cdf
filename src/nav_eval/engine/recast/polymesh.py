"""Outlines to convex polygons that share vertices and know their neighbours.

Re-implements Recast 1.6.0's polygon mesh (RecastMesh.cpp, zlib licence, Mikko Mononen): each outline is triangulated,
then the pair of polygons with the longest shared edge whose union is convex is merged, again and again. Recast looks
at every pair each time; here each polygon remembers its best later partner, which picks the same pairs sooner.
Border vertices, which Recast removes at the edges of tiles, do not occur in a mesh of one tile.

Vertices are (V, 3) int64 in cells; polygons (P, n) int64 vertex numbers, -1 past the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.holes import BEGIN, REGION, SIZE
from nav_eval.engine.recast.predicates import turn
from nav_eval.engine.recast.scalars import long
from nav_eval.engine.recast.triangulate import triangulate
from nav_eval.jit import inner, kernel

Longs = NDArray[np.int64]

BUCKETS = 1 << 12
SAME_HEIGHT = 2
"""Vertices of two outlines are one if they are this close in height, in cells."""


@inner(_nrt=False)
def _vertex(x: int, y: int, z: int, vertices: Longs, used: int, first: Longs, following: Longs) -> int:
    """The number of the vertex at (x, y, z); `used` if it is new, and then it is stored."""
    bucket = (x * 0x8DA6B343 + z * 0xCB1AB31F) & (BUCKETS - 1)
    i = first[bucket]
    while i != -1:
        if vertices[i, 0] == x and vertices[i, 2] == z and abs(vertices[i, 1] - y) <= SAME_HEIGHT:
            return long(i)
        i = following[i]
    vertices[used, 0] = x
    vertices[used, 1] = y
    vertices[used, 2] = z
    following[used] = first[bucket]
    first[bucket] = used
    return used


@inner(_nrt=False)
def _shared_edge(polygons: Longs, sizes: Longs, a: int, b: int) -> tuple[int, int]:
    """The last edge of a, and its number in b, that both polygons have; (-1, -1) if there is none."""
    found_a = long(-1)
    found_b = long(-1)
    for i in range(sizes[a]):
        p = polygons[a, i]
        q = polygons[a, i + 1 if i + 1 < sizes[a] else 0]
        for j in range(sizes[b]):
            r = polygons[b, j]
            s = polygons[b, j + 1 if j + 1 < sizes[b] else 0]
            if (p == r and q == s) or (p == s and q == r):
                found_a = i
                found_b = j
                break
    return found_a, found_b


@inner(_nrt=False)
def _gain(vertices: Longs, polygons: Longs, sizes: Longs, a: int, b: int) -> int:
    """Squared length of the edge that merging a and b would remove, or -1 if they cannot be merged."""
    na, nb = sizes[a], sizes[b]
    if na + nb - 2 > polygons.shape[1]:
        return long(-1)
    ea, eb = _shared_edge(polygons, sizes, a, b)
    if ea == -1:
        return long(-1)
    p, q = polygons[a, ea], polygons[a, (ea + 1) % na]
    before, after = polygons[a, (ea + na - 1) % na], polygons[b, (eb + 2) % nb]
    if turn(vertices, before, vertices, p, vertices, after) >= 0:
        return long(-1)
    before, after = polygons[b, (eb + nb - 1) % nb], polygons[a, (ea + 2) % na]
    if turn(vertices, before, vertices, polygons[b, eb], vertices, after) >= 0:
        return long(-1)
    dx = vertices[p, 0] - vertices[q, 0]
    dz = vertices[p, 2] - vertices[q, 2]
    return long(dx * dx + dz * dz)


@inner(_nrt=False)
def _best_partner(
    vertices: Longs, polygons: Longs, sizes: Longs, a: int, count: int, gain: Longs, partner: Longs
) -> None:
    """Set gain[a] and partner[a]: the first best polygon after a."""
    gain[a] = 0
    partner[a] = -1
    for b in range(a + 1, count):
        value = _gain(vertices, polygons, sizes, a, b)
        if value > gain[a]:
            gain[a] = value
            partner[a] = b


@inner(_nrt=False)
def _union(polygons: Longs, sizes: Longs, a: int, b: int, scratch: Longs) -> None:
    """Replace polygon a by its union with b."""
    ea, eb = _shared_edge(polygons, sizes, a, b)
    n = 0
    for i in range(1, sizes[a]):
        scratch[n] = polygons[a, (ea + i) % sizes[a]]
        n += 1
    for i in range(1, sizes[b]):
        scratch[n] = polygons[b, (eb + i) % sizes[b]]
        n += 1
    for i in range(n):
        polygons[a, i] = scratch[i]
    sizes[a] = n


@inner()
def _merge(vertices: Longs, polygons: Longs, sizes: Longs, count: int, gain: Longs, partner: Longs) -> int:
    """Merge the first `count` polygons while it gains, in place; how many are left. The rest is scratch."""
    scratch = np.empty(2 * polygons.shape[1], np.int64)
    for a in range(count):
        _best_partner(vertices, polygons, sizes, long(a), count, gain, partner)
    while count > 1:
        a = long(0)
        for k in range(count):
            if gain[k] > gain[a]:
                a = long(k)
        if gain[a] <= 0:
            break
        b = partner[a]
        _union(polygons, sizes, a, b, scratch)
        count -= 1
        for k in range(sizes[count]):
            polygons[b, k] = polygons[count, k]
        sizes[b] = sizes[count]
        for j in range(count):
            if j in (a, b) or partner[j] in (a, b, count):
                _best_partner(vertices, polygons, sizes, long(j), count, gain, partner)
                continue
            for k in (a, b):
                if j < k and k < count:
                    value = _gain(vertices, polygons, sizes, long(j), k)
                    if value > gain[j] or (value == gain[j] and value > 0 and k < partner[j]):
                        gain[j] = value
                        partner[j] = k
    return count


@kernel()
def _build(
    corners: Longs,
    table: Longs,
    longest: int,
    first: Longs,
    vertices: Longs,
    polygons: Longs,
    sizes: Longs,
    region: Longs,
) -> tuple[int, int]:
    """Fill vertices, polygons, sizes and region; how many vertices and polygons there are."""
    following = np.empty(len(vertices), np.int64)
    triangles = np.empty((longest, 3), np.int64)
    names = np.empty(longest, np.int64)
    order = np.empty(longest, np.int64)
    partner = np.empty(longest, np.int64)
    gain = np.empty(longest, np.int64)
    ear = np.empty(longest, np.uint8)
    used = long(0)
    built = 0
    for k in range(len(table)):
        n = table[k, SIZE]
        if n < 3:
            continue
        outline = corners[table[k, BEGIN] : table[k, BEGIN] + n]
        for j in range(n):
            order[j] = j
        cut = triangulate(outline, order, ear, n, triangles)
        for j in range(n):
            names[j] = _vertex(outline[j, 0], outline[j, 1], outline[j, 2], vertices, used, first, following)
            used = max(used, names[j] + 1)
        some = polygons[built : built + cut]
        some_sizes = sizes[built : built + cut]
        for t in range(cut):
            some_sizes[t] = 3
            for j in range(3):
                some[t, j] = names[triangles[t, j]]
        if polygons.shape[1] > 3:
            cut = _merge(vertices, some, some_sizes, cut, gain, partner)
        for t in range(cut):
            region[built + t] = table[k, REGION]
        built += cut
    return used, built


def build_polygons(corners: Longs, table: Longs, most: int) -> tuple[Longs, Longs, Longs, Longs]:
    """(vertices (V, 3) in cells, polygons (P, most), sizes (P,), region (P,)) of all outlines (see contours.py).

    corners: (C, 4), in cells; table: (K, 3).
    """
    lengths = table[table[:, SIZE] >= 3, SIZE]
    total, longest = int(lengths.sum()), int(lengths.max(initial=0))
    first = np.full(BUCKETS, -1)
    vertices, polygons = np.empty((total, 3), np.int64), np.empty((total, most), np.int64)
    sizes, region = np.empty(total, np.int64), np.empty(total, np.int64)
    used, count = _build(corners, table, longest, first, vertices, polygons, sizes, region)
    polygons = np.where(np.arange(most) < sizes[:count, None], polygons[:count], -1)
    return vertices[:used].copy(), polygons, sizes[:count].copy(), region[:count].copy()


def neighbours(polygons: Longs, sizes: Longs) -> Longs:
    """(P, n) the polygon across each edge of `polygons` (P, n) with `sizes` (P,), -1 for a wall.

    An edge joins two polygons that walk it opposite ways. Where several polygons walk an edge the same way, the
    earliest of one way that are still free meet the latest of the other, as in Recast.
    """
    polygon, edge = np.nonzero(polygons >= 0)
    v = polygons[polygon, edge]
    w = polygons[polygon, np.where(edge + 1 < sizes[polygon], edge + 1, 0)]
    key = np.minimum(v, w) << 20 | np.maximum(v, w)
    up, down = np.flatnonzero(v < w)[::-1], np.flatnonzero(v > w)
    _, i, j = np.intersect1d(_numbered(key[up]), _numbered(key[down]), assume_unique=True, return_indices=True)
    a, b = up[i], down[j]
    a, b = a[polygon[a] != polygon[b]], b[polygon[a] != polygon[b]]
    across = np.full(polygons.shape, -1)
    across[polygon[a], edge[a]] = polygon[b]
    across[polygon[b], edge[b]] = polygon[a]
    return across


def _numbered(keys: Longs) -> Longs:
    """Keys made different: each with the number of equal ones before it in its low bits."""
    order = np.argsort(keys, kind="stable")
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
    return keys << 20 | rank
