"""Outlines to convex polygons that share vertices and know their neighbours.

Re-implements Recast 1.6.0's polygon mesh (RecastMesh.cpp, zlib licence, Mikko Mononen): each outline is triangulated,
then the pair of polygons with the longest shared edge whose union is convex is merged, again and again. Recast looks
at every pair each time; here each polygon remembers its best later partner, which picks the same pairs sooner.
Border vertices, which Recast removes at the edges of tiles, do not occur in a mesh of one tile.

Vertices are (V, 3) int32 in cells; polygons (P, n) int32 vertex numbers, -1 past the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval.simulator.navmesh.build.predicates import turn
from nav_eval.simulator.navmesh.build.triangulate import triangulate

Ints = NDArray[np.int32]

BUCKETS = 1 << 12
SAME_HEIGHT = 2
"""Vertices of two outlines are one if they are this close in height, in cells."""


@kernel()
def _vertex(x: int, y: int, z: int, vertices: Ints, used: int, first: Ints, following: Ints) -> int:
    """The number of the vertex at (x, y, z); `used` if it is new, and then it is stored."""
    bucket = (x * 0x8DA6B343 + z * 0xCB1AB31F) & (BUCKETS - 1)
    i = first[bucket]
    while i != -1:
        if vertices[i, 0] == x and vertices[i, 2] == z and abs(vertices[i, 1] - y) <= SAME_HEIGHT:
            return i
        i = following[i]
    vertices[used, 0] = x
    vertices[used, 1] = y
    vertices[used, 2] = z
    following[used] = first[bucket]
    first[bucket] = used
    return used


@kernel()
def _shared_edge(polygons: Ints, sizes: Ints, a: int, b: int) -> tuple[int, int]:
    """The last edge of a, and its number in b, that both polygons have; (-1, -1) if there is none."""
    found_a = found_b = -1
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


@kernel()
def _gain(vertices: Ints, polygons: Ints, sizes: Ints, a: int, b: int) -> int:
    """Squared length of the edge that merging a and b would remove, or -1 if they cannot be merged."""
    na, nb = sizes[a], sizes[b]
    if na + nb - 2 > polygons.shape[1]:
        return np.int64(-1)
    ea, eb = _shared_edge(polygons, sizes, a, b)
    if ea == -1:
        return np.int64(-1)
    p, q = polygons[a, ea], polygons[a, (ea + 1) % na]
    before, after = polygons[a, (ea + na - 1) % na], polygons[b, (eb + 2) % nb]
    if turn(vertices, before, vertices, p, vertices, after) >= 0:
        return np.int64(-1)
    before, after = polygons[b, (eb + nb - 1) % nb], polygons[a, (ea + 2) % na]
    if turn(vertices, before, vertices, polygons[b, eb], vertices, after) >= 0:
        return np.int64(-1)
    dx = np.int64(vertices[p, 0]) - vertices[q, 0]
    dz = np.int64(vertices[p, 2]) - vertices[q, 2]
    return dx * dx + dz * dz


@kernel()
def _best_partner(
    vertices: Ints, polygons: Ints, sizes: Ints, a: int, count: int, gain: NDArray[np.int64], partner: Ints
) -> None:
    """Set gain[a] and partner[a]: the first best polygon after a."""
    gain[a] = 0
    partner[a] = -1
    for b in range(a + 1, count):
        value = _gain(vertices, polygons, sizes, a, b)
        if value > gain[a]:
            gain[a] = value
            partner[a] = b


@kernel()
def _union(polygons: Ints, sizes: Ints, a: int, b: int) -> None:
    """Replace polygon a by its union with b."""
    ea, eb = _shared_edge(polygons, sizes, a, b)
    merged = np.full(polygons.shape[1], -1, np.int32)
    n = 0
    for i in range(sizes[a] - 1):
        merged[n] = polygons[a, (ea + 1 + i) % sizes[a]]
        n += 1
    for i in range(sizes[b] - 1):
        merged[n] = polygons[b, (eb + 1 + i) % sizes[b]]
        n += 1
    polygons[a] = merged
    sizes[a] = n


@kernel()
def _merge(vertices: Ints, polygons: Ints, sizes: Ints, count: int) -> int:
    """Merge the first `count` polygons while it gains, in place; how many are left."""
    gain = np.zeros(count, np.int64)
    partner = np.full(count, -1, np.int32)
    for a in range(count):
        _best_partner(vertices, polygons, sizes, a, count, gain, partner)
    while count > 1:
        a = np.argmax(gain[:count])
        if gain[a] <= 0:
            break
        b = partner[a]
        _union(polygons, sizes, a, b)
        last = count - 1
        polygons[b] = polygons[last]
        sizes[b] = sizes[last]
        count = last
        for j in range(count):
            if j == a or j == b or partner[j] == a or partner[j] == b or partner[j] == last:
                _best_partner(vertices, polygons, sizes, j, count, gain, partner)
                continue
            for k in (a, np.int64(b)):
                if j < k < count:
                    value = _gain(vertices, polygons, sizes, j, k)
                    if value > gain[j] or (value == gain[j] and 0 < value and k < partner[j]):
                        gain[j] = value
                        partner[j] = k
    return count


@kernel()
def build_polygons(
    corners: Ints, begin: Ints, size: Ints, regions: Ints, most: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """(vertices, polygons, sizes (P,), region (P,)) of all outlines; at most `most` vertices a polygon."""
    total = 0
    longest = 0
    for k in range(len(size)):
        if size[k] >= 3:
            total += size[k]
            longest = max(longest, size[k])
    vertices = np.zeros((total, 3), np.int32)
    following = np.full(total, -1, np.int32)
    first = np.full(BUCKETS, -1, np.int32)
    used = 0
    polygons = np.empty((total, most), np.int32)
    sizes = np.empty(total, np.int32)
    region = np.empty(total, np.int32)
    built = 0
    triangles = np.empty((longest, 3), np.int32)
    names = np.empty(longest, np.int32)
    for k in range(len(size)):
        n = size[k]
        if n < 3:
            continue
        outline = corners[begin[k] : begin[k] + n]
        cut = triangulate(outline, np.arange(n).astype(np.int32), triangles)
        for j in range(n):
            names[j] = _vertex(outline[j, 0], outline[j, 1], outline[j, 2], vertices, used, first, following)
            used = max(used, names[j] + 1)
        some = polygons[built : built + cut]
        some_sizes = sizes[built : built + cut]
        some[:] = -1
        count = 0
        for t in range(cut):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            if a != b and a != c and b != c:
                some[count, 0] = names[a]
                some[count, 1] = names[b]
                some[count, 2] = names[c]
                some_sizes[count] = 3
                count += 1
        if most > 3:
            count = _merge(vertices, some, some_sizes, count)
        region[built : built + count] = regions[k]
        built += count
    return vertices[:used].copy(), polygons[:built].copy(), sizes[:built].copy(), region[:built].copy()


@kernel()
def neighbours(polygons: Ints, sizes: Ints, vertex_count: int) -> Ints:
    """(P, n) the polygon across each edge, -1 for a wall; an edge joins two polygons that walk it opposite ways."""
    edges = 0
    for p in range(len(sizes)):
        edges += sizes[p]
    first = np.full(vertex_count, -1, np.int32)
    following = np.empty(edges, np.int32)
    # rows: higher vertex, polygon and edge of the upward walker, polygon and edge of the downward one
    edge = np.empty((edges, 5), np.int32)
    used = 0
    for upward in (True, False):
        for p in range(len(sizes)):
            for j in range(sizes[p]):
                v = polygons[p, j]
                w = polygons[p, j + 1 if j + 1 < sizes[p] else 0]
                if upward and v < w:
                    edge[used, 0] = w
                    edge[used, 1] = p
                    edge[used, 2] = j
                    edge[used, 3] = p
                    following[used] = first[v]
                    first[v] = used
                    used += 1
                elif not upward and v > w:
                    e = first[w]
                    while e != -1:
                        if edge[e, 0] == v and edge[e, 1] == edge[e, 3]:
                            edge[e, 3] = p
                            edge[e, 4] = j
                            break
                        e = following[e]
    across = np.full(polygons.shape, -1, np.int32)
    for e in range(used):
        if edge[e, 1] != edge[e, 3]:
            across[edge[e, 1], edge[e, 2]] = edge[e, 3]
            across[edge[e, 3], edge[e, 4]] = edge[e, 1]
    return across
