"""Exact shortest ways: the kernels of a distance field that is exact over the polygons.

A way is a chain of straight pieces, each open in the xz plane across polygons, measured in 3-D between its ends, the
measure that Detour uses for the corners of its paths; so the exact way is the shortest one of the visibility graph
of the mesh's wall corners. A field grows it from the goal by Dijkstra over those corners: from each, in the order of
their distance, cones of sight are pushed from polygon to polygon through the portals (interval propagation as in
Polyanya: Cui, Harabor, Grastien, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017) and are kept where
they arrive, unless another corner serves that whole polygon better. A query looks through its polygon's cones.
Arithmetic is float64.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.funnel import clamp_to_polygon
from nav_eval.engine.navmesh.nearest import nearest_polygon
from nav_eval.jit import inner, kernel

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

TINY = 1e-9
TOUCHING = 1e-6
SLACK = 1.0
"""Metres by which a cone must be worse to be dropped; half of it is how far off the floor a query stays exact."""
AX, AZ, BX, BZ, LEAST = range(5)
X, Y, Z, COST = range(4)
INFINITY = math.inf
MAX_FAN = 64
MAX_STACK = 4096
MAX_CONES = 64
"""Cones of one corner per polygon of the mesh: more come from a damaged mesh only, and would never end."""


@inner()
def _cross(ax: float, az: float, bx: float, bz: float) -> float:
    return ax * bz - az * bx


@inner()
def _segment_gap(px: float, pz: float, ax: float, az: float, bx: float, bz: float) -> float:
    """Distance in the plane from a point to a segment."""
    dx, dz = bx - ax, bz - az
    size = dx * dx + dz * dz
    t = ((px - ax) * dx + (pz - az) * dz) / size if size > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    return math.hypot(ax + t * dx - px, az + t * dz - pz)


@inner()
def _portal(mesh: int, polygon: int, link: int) -> tuple[float, float, float, float]:
    """Ends (ax, az, bx, bz) of a link's open part."""
    corners, count = memory.corners(mesh)[polygon], memory.counts(mesh)[polygon]
    edge = memory.link_edge(mesh)[link]
    a, b = corners[edge], corners[(edge + 1) % count]
    ax, az, bx, bz = float(a[0]), float(a[2]), float(b[0]), float(b[2])
    low, high = memory.link_span(mesh)[link, 0], memory.link_span(mesh)[link, 1]
    if memory.link_side(mesh)[link] == 0xFF or (low == 0 and high == 255):
        return ax, az, bx, bz
    dx, dz = bx - ax, bz - az
    return ax + dx * low / 255.0, az + dz * low / 255.0, ax + dx * high / 255.0, az + dz * high / 255.0


@inner()
def _fan(mesh: int, start: int, x: float, z: float, fan: Ints) -> int:
    """The polygons that share the point (x, z) of `start` through portals: all that lies in them is seen from it."""
    fan[0] = start
    count, done = 1, 0
    first, to, walkable = memory.link_start(mesh), memory.link_to(mesh), memory.walkable(mesh)
    while done < count:
        polygon = fan[done]
        done += 1
        for link in range(first[polygon], first[polygon + 1]):
            other = to[link]
            if walkable[other] == 0 or count >= MAX_FAN:
                continue
            ax, az, bx, bz = _portal(mesh, polygon, link)
            if _segment_gap(x, z, ax, az, bx, bz) > TOUCHING:
                continue
            known = False
            for k in range(count):
                known = known or fan[k] == other
            if not known:
                fan[count] = other
                count += 1
    return count


@inner()
def _serve(mesh: int, polygon: int, root: Doubles, ceiling: Doubles) -> None:
    """The root sees all of the polygon: no way to it need be longer than by its farthest corner."""
    farthest = 0.0
    for k in range(memory.counts(mesh)[polygon]):
        c = memory.corners(mesh)[polygon, k]
        gap = math.sqrt((c[0] - root[X]) ** 2 + (c[1] - root[Y]) ** 2 + (c[2] - root[Z]) ** 2)
        farthest = max(farthest, gap)
    ceiling[polygon] = min(ceiling[polygon], root[COST] + farthest)


@inner()
def _relax(
    mesh: int,
    polygon: int,
    corner: int,
    number: int,
    root: Doubles,
    corner_root: Ints,
    roots: Doubles,
    parent: Ints,
    queue: list[tuple[float, np.int64]],
) -> None:
    """A corner is seen from the root: remember the way to it if it is the shortest yet."""
    other = corner_root[polygon, corner]
    if other < 0:
        return
    c = memory.corners(mesh)[polygon, corner]
    cost = root[COST] + math.sqrt((c[0] - root[X]) ** 2 + (c[1] - root[Y]) ** 2 + (c[2] - root[Z]) ** 2)
    if cost < roots[other, COST]:
        roots[other, COST] = cost
        parent[other] = number
        heapq.heappush(queue, (cost, np.int64(other)))


@inner()
def _clip(root: Doubles, cone: Doubles, ax: float, az: float, bx: float, bz: float, out: Doubles) -> bool:
    """The part of the segment a-b inside the cone, as a cone in `out`, left end first; False if there is none."""
    lx, lz, rx, rz = cone[AX] - root[X], cone[AZ] - root[Z], cone[BX] - root[X], cone[BZ] - root[Z]
    px, pz, dx, dz = ax - root[X], az - root[Z], bx - ax, bz - az
    t0, t1 = 0.0, 1.0
    for k in range(2):
        if k == 0:
            value, slope = _cross(lx, lz, px, pz), _cross(lx, lz, dx, dz)
        else:
            value, slope = _cross(px, pz, rx, rz), _cross(dx, dz, rx, rz)
        if abs(slope) < 1e-14:
            if value < -TINY:
                return False
        elif slope > 0.0:
            t0 = max(t0, -value / slope)
        else:
            t1 = min(t1, -value / slope)
    if (t1 - t0) * math.hypot(dx, dz) < TINY:
        return False
    out[AX], out[AZ], out[BX], out[BZ] = ax + dx * t0, az + dz * t0, ax + dx * t1, az + dz * t1
    if _cross(out[AX] - root[X], out[AZ] - root[Z], out[BX] - root[X], out[BZ] - root[Z]) < 0.0:
        out[AX], out[AZ], out[BX], out[BZ] = out[BX], out[BZ], out[AX], out[AZ]
    return True


@inner()
def _inside(root: Doubles, cone: Doubles, x: float, z: float) -> bool:
    px, pz = x - root[X], z - root[Z]
    left = _cross(cone[AX] - root[X], cone[AZ] - root[Z], px, pz)
    right = _cross(px, pz, cone[BX] - root[X], cone[BZ] - root[Z])
    return left >= -TINY and right >= -TINY


@inner()
def _grown(keys: Ints, cones: Doubles) -> tuple[Ints, Doubles]:
    more_keys, more_cones = np.empty((2 * len(keys), 2), np.int32), np.empty((2 * len(cones), 5))
    more_keys[: len(keys)], more_cones[: len(cones)] = keys, cones
    return more_keys, more_cones


@kernel("Tuple((int32[:,::1],float64[:,::1],int32[::1],float64[:,::1]))(int64,int64,float64[::1],int32[:,::1],int64)")
def grow_field(
    mesh: int, goal_polygon: int, goal: Doubles, corner_root: Ints, root_count: int
) -> tuple[Ints, Doubles, Ints, Doubles]:
    """Cones of the field: (C, 2) polygon and root; (C, 5) x and z of both ends and least length; parents (R,) and
    roots (R, 4): x, y, z and way to the goal. Metres, world frame.

    The last root is the goal, its polygon goal_polygon; corner_root (P, 6) numbers the wall corners, -1 elsewhere.
    """
    polygons = len(memory.counts(mesh))
    first, to, walkable = memory.link_start(mesh), memory.link_to(mesh), memory.walkable(mesh)
    all_corners, counts = memory.corners(mesh), memory.counts(mesh)
    roots = np.full((root_count + 1, 4), INFINITY)
    parent = np.full(root_count + 1, -1, np.int32)
    home = np.full(root_count + 1, goal_polygon, np.int32)
    for polygon in range(polygons):
        for k in range(counts[polygon]):
            number = corner_root[polygon, k]
            if number >= 0:
                c = all_corners[polygon, k]
                roots[number, X], roots[number, Y], roots[number, Z] = c[0], c[1], c[2]
                home[number] = polygon
    roots[root_count, X], roots[root_count, Y], roots[root_count, Z] = goal[0], goal[1], goal[2]
    roots[root_count, COST] = 0.0
    settled = np.zeros(root_count + 1, np.bool_)
    ceiling = np.full(polygons, INFINITY)
    keys, cones, kept = np.empty((1024, 2), np.int32), np.empty((1024, 5)), 0
    stack, stack_cone = np.empty((MAX_STACK, 2), np.int32), np.empty((MAX_STACK, 5))
    fan, piece = np.empty(MAX_FAN, np.int32), np.empty(5)
    queue = [(0.0, np.int64(root_count))]
    while len(queue) > 0:
        _, popped = heapq.heappop(queue)
        number = int(popped)
        if settled[number]:
            continue
        settled[number] = True
        root = roots[number]
        depth, seen = 0, _fan(mesh, home[number], root[X], root[Z], fan)
        for f in range(seen):
            polygon = fan[f]
            if kept + 1 >= len(keys):
                keys, cones = _grown(keys, cones)
            keys[kept, 0], keys[kept, 1] = polygon, number
            cones[kept, :4], cones[kept, LEAST] = math.nan, root[COST]
            kept += 1
            _serve(mesh, polygon, root, ceiling)
            for k in range(counts[polygon]):
                _relax(mesh, polygon, k, number, root, corner_root, roots, parent, queue)
            for link in range(first[polygon], first[polygon + 1]):
                ax, az, bx, bz = _portal(mesh, polygon, link)
                if walkable[to[link]] == 0 or _segment_gap(root[X], root[Z], ax, az, bx, bz) <= TOUCHING:
                    continue
                turn = _cross(ax - root[X], az - root[Z], bx - root[X], bz - root[Z])
                if abs(turn) < TINY or depth >= MAX_STACK:
                    continue
                stack[depth, 0], stack[depth, 1] = to[link], polygon
                if turn < 0.0:
                    ax, az, bx, bz = bx, bz, ax, az
                stack_cone[depth, AX], stack_cone[depth, AZ] = ax, az
                stack_cone[depth, BX], stack_cone[depth, BZ] = bx, bz
                depth += 1
        allowance = MAX_CONES * (polygons + 1)
        while depth > 0 and allowance > 0:
            depth -= 1
            allowance -= 1
            polygon, back = stack[depth, 0], stack[depth, 1]
            cone = stack_cone[depth].copy()
            gap = _segment_gap(root[X], root[Z], cone[AX], cone[AZ], cone[BX], cone[BZ])
            cone[LEAST] = root[COST] + gap
            if cone[LEAST] > ceiling[polygon] + SLACK:
                continue
            if kept + 1 >= len(keys):
                keys, cones = _grown(keys, cones)
            keys[kept, 0], keys[kept, 1] = polygon, number
            cones[kept] = cone
            kept += 1
            whole = True
            for k in range(counts[polygon]):
                c = all_corners[polygon, k]
                if _inside(root, cone, c[0], c[2]):
                    _relax(mesh, polygon, k, number, root, corner_root, roots, parent, queue)
                else:
                    whole = False
            if whole:
                _serve(mesh, polygon, root, ceiling)
            for link in range(first[polygon], first[polygon + 1]):
                other = to[link]
                if other == back or walkable[other] == 0 or depth >= MAX_STACK:
                    continue
                ax, az, bx, bz = _portal(mesh, polygon, link)
                if _clip(root, cone, ax, az, bx, bz, piece):
                    stack[depth, 0], stack[depth, 1] = other, polygon
                    stack_cone[depth] = piece
                    depth += 1
    return keys[:kept].copy(), cones[:kept].copy(), parent, roots


@inner()
def _measure(
    polygon: int, x: float, y: float, z: float, start: Ints, owner: Ints, cones: Doubles, roots: Doubles
) -> tuple[float, int]:
    """(length, next root) of the shortest way from a point of the polygon; its cones are sorted by least length."""
    best, chosen = INFINITY, -1
    for k in range(start[polygon], start[polygon + 1]):
        if cones[k, LEAST] >= best:
            break
        root = roots[owner[k]]
        if math.isnan(cones[k, AX]) or _inside(root, cones[k], x, z):
            total = root[COST] + math.sqrt((x - root[X]) ** 2 + (y - root[Y]) ** 2 + (z - root[Z]) ** 2)
            if total < best:
                best, chosen = total, owner[k]
    return best, chosen


@kernel(
    "Tuple((float64,int64))(int64,float64,float64,float64,int32[::1],int32[::1],float64[:,::1],float64[:,::1])",
    nogil=False,
)
def query_field(
    mesh: int, px: float, py: float, pz: float, start: Ints, owner: Ints, cones: Doubles, roots: Doubles
) -> tuple[float, int]:
    """(distance to the goal, metres, next root); (inf, -1) where there is no way.

    start (P + 1,): a polygon's first cone; owner (C,): a cone's root; cones (C, 5) and roots (R, 4) as `grow_field`.
    """
    x, y, z = np.float32(px), np.float32(py), np.float32(pz)
    polygon, _, _, _ = nearest_polygon(mesh, x, y, z)
    if polygon < 0:
        return INFINITY, -1
    x, y, z = clamp_to_polygon(mesh, polygon, x, y, z)
    return _measure(polygon, float(x), float(y), float(z), start, owner, cones, roots)


@kernel("Tuple((int64,float64,float64,float64))(int64,float64,float64,float64)", nogil=False)
def end_point(mesh: int, px: float, py: float, pz: float) -> tuple[int, float, float, float]:
    """(polygon, point) where a way from or to a point begins: the point itself unless its xz lies off the mesh."""
    x, y, z = np.float32(px), np.float32(py), np.float32(pz)
    polygon, _, _, _ = nearest_polygon(mesh, x, y, z)
    if polygon < 0:
        return -1, math.nan, math.nan, math.nan
    x, y, z = clamp_to_polygon(mesh, polygon, x, y, z)
    return polygon, float(x), float(y), float(z)
