"""Moving along the surface: sliding steps, straight steps, rays and the distance to the nearest wall.

`move_along` is Detour's moveAlongSurface: a breadth-first search around the middle of the move, at most 64 polygons
met (counted before the distance test) and 48 waiting, that ends in the target's polygon or at the wall point nearest
to it. `cast_ray` is its raycast, `wall_distance` its findDistanceToWall.
Source: recastnavigation 1.6.0, DetourNavMeshQuery.cpp (zlib), re-implemented.
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.corridor import (
    CLOSED,
    FLAGS,
    OPEN,
    PARENT,
    TOTAL,
    bubble_up,
    next_generation,
    pop,
    raise_node,
)
from nav_eval.engine.navmesh.layout import EXTERNAL, WALL
from nav_eval.engine.navmesh.memory import MAX_NODES, MAX_WALK_NODES
from nav_eval.engine.navmesh.nearest import Found
from nav_eval.engine.navmesh.plane import (
    FLAT,
    FLT_MAX,
    HALF,
    ONE,
    TWO,
    ZERO,
    Scalar,
    between,
    cut,
    distance_to_segment,
    holds,
    length,
)
from nav_eval.jit import inner

MAX_WAITING = 48
MAX_EDGE_NEIGHBOURS = 8
SLACK = np.float32(0.001)
BYTE = ONE / np.float32(255)
INTERNAL_SIDE = 0xFF
POLYGON, SEEN, QUEUE = 0, 1, 2


@inner()
def _walk_slot(scratch: int, generation: int, polygon: int, used: int) -> tuple[int, int]:
    """The walk node of a polygon, made if new and there is room (else -1), and the number in use."""
    mark, node = memory.walk_mark(scratch), memory.walk_node(scratch)
    if mark[polygon, 0] == generation:
        return mark[polygon, 1], used
    if used >= MAX_WALK_NODES:
        return -1, used
    mark[polygon, 0], mark[polygon, 1] = generation, used
    node[used, POLYGON], node[used, SEEN] = polygon, 0
    return used, used + 1


@inner()
def _nth_neighbour(mesh: int, polygon: int, edge: int, nth: int) -> int:
    """The nth walkable polygon behind an edge, -1 after the last."""
    behind = memory.edges(mesh)[polygon, edge]
    if behind != EXTERNAL:
        return behind if nth == 0 else WALL
    start, link_edge, link_to = memory.link_start(mesh), memory.link_edge(mesh), memory.link_to(mesh)
    walkable = memory.walkable(mesh)
    if nth < MAX_EDGE_NEIGHBOURS:
        for link in range(start[polygon], start[polygon + 1]):
            if link_edge[link] == edge and walkable[link_to[link]] != 0:
                if nth == 0:
                    return int(link_to[link])
                nth -= 1
    return WALL


@inner()
def move_along(
    mesh: int, scratch: int, start: int, sx: Scalar, sy: Scalar, sz: Scalar, ex: Scalar, ey: Scalar, ez: Scalar
) -> Found:
    """(last polygon, point) reached from the start towards the end; polygon -1 where none was."""
    node = memory.walk_node(scratch)
    generation = next_generation(scratch, 1, memory.walk_mark(scratch)[:, 0])
    first, used = _walk_slot(scratch, generation, start, 0)
    node[first, SEEN] = 1
    mx, mz = sx + (ex - sx) * HALF, sz + (ez - sz) * HALF
    radius = length(ex - sx, ey - sy, ez - sz) / TWO + SLACK
    radius *= radius
    best, chosen, bx, by, bz = FLT_MAX, -1, sx, sy, sz
    node[0, QUEUE] = first
    head, tail = 0, 1
    while head < tail:
        current = node[head, QUEUE]
        head += 1
        polygon = node[current, POLYGON]
        corners, corner_count = memory.corners(mesh)[polygon], memory.counts(mesh)[polygon]
        if holds(corners, corner_count, ex, ez):
            return polygon, ex, ey, ez
        j = corner_count - 1
        for i in range(corner_count):
            to, nth = _nth_neighbour(mesh, polygon, j, 0), 0
            if to < 0:
                distance, t = distance_to_segment(ex, ez, corners[j], corners[i])
                if distance < best:
                    best, chosen = distance, polygon
                    bx, by, bz = between(corners[j], corners[i], t)
            while to >= 0:
                slot, used = _walk_slot(scratch, generation, to, used)
                if slot >= 0 and node[slot, SEEN] == 0:
                    distance, t = distance_to_segment(mx, mz, corners[j], corners[i])
                    if distance <= radius and tail - head < MAX_WAITING:
                        node[slot, SEEN], node[tail, QUEUE] = 1, slot
                        tail += 1
                nth += 1
                to = _nth_neighbour(mesh, polygon, j, nth)
            j = i
    return chosen, bx, by, bz


@inner()
def _ray_exit(mesh: int, polygon: int, edge: int, x: Scalar, z: Scalar) -> int:
    """The polygon that a ray enters when it leaves through (x, z) of an edge; -1 at a wall."""
    start, link_edge, link_to = memory.link_start(mesh), memory.link_edge(mesh), memory.link_to(mesh)
    link_side, span, walkable = memory.link_side(mesh), memory.link_span(mesh), memory.walkable(mesh)
    corners, count = memory.corners(mesh)[polygon], memory.counts(mesh)[polygon]
    for link in range(start[polygon], start[polygon + 1]):
        if link_edge[link] != edge or walkable[link_to[link]] == 0:
            continue
        low, high = span[link, 0], span[link, 1]
        if link_side[link] == INTERNAL_SIDE or (low == 0 and high == 255):
            return int(link_to[link])
        if link_side[link] & 1:
            continue
        axis = 2 if link_side[link] & 3 == 0 else 0
        a, b = corners[edge, axis], corners[(edge + 1) % count, axis]
        start_open = a + (b - a) * (np.float32(low) * BYTE)
        end_open = a + (b - a) * (np.float32(high) * BYTE)
        if start_open > end_open:
            start_open, end_open = end_open, start_open
        if start_open <= (z if axis == 2 else x) <= end_open:
            return int(link_to[link])
    return -1


@inner()
def _is_wall(mesh: int, polygon: int, edge: int) -> bool:
    """Whether an edge is solid; at a tile's border its first link decides, as in Detour's distance search."""
    behind = memory.edges(mesh)[polygon, edge]
    if behind != EXTERNAL:
        return bool(behind < 0)
    start, link_edge, link_to = memory.link_start(mesh), memory.link_edge(mesh), memory.link_to(mesh)
    for link in range(start[polygon], start[polygon + 1]):
        if link_edge[link] == edge:
            return bool(memory.walkable(mesh)[link_to[link]] == 0)
    return True


@inner()
def cast_ray(mesh: int, start: int, sx: Scalar, sz: Scalar, ex: Scalar, ez: Scalar) -> tuple[int, Scalar]:
    """(last polygon, t) of the straight way in the plane; t is FLT_MAX where the end is reached."""
    polygon, far = start, ZERO
    for _ in range(MAX_NODES):
        touches, _, t_out, _, edge = cut(memory.corners(mesh)[polygon], memory.counts(mesh)[polygon], sx, sz, ex, ez)
        if not touches:
            return polygon, far
        if t_out > far:
            far = t_out
        if edge < 0:
            return polygon, FLT_MAX
        to = _ray_exit(mesh, polygon, edge, sx + (ex - sx) * t_out, sz + (ez - sz) * t_out)
        if to < 0:
            return polygon, far
        polygon = to
    return polygon, far


@inner()
def _first_wall(
    mesh: int, polygon: int, sx: Scalar, sz: Scalar, ex: Scalar, ez: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """(s, point) where the segment first meets or touches a wall edge of the polygon; s is FLT_MAX if it does not."""
    corners, count = memory.corners(mesh)[polygon], memory.index(memory.counts(mesh)[polygon])
    best, x, y, z = FLT_MAX, sx, ZERO, sz
    ux, uz = ex - sx, ez - sz
    for k in range(count):
        if not _is_wall(mesh, polygon, k):
            continue
        a, b = corners[k], corners[(k + 1) % count]
        vx, vz, wx, wz = b[0] - a[0], b[2] - a[2], sx - a[0], sz - a[2]
        d = ux * vz - uz * vx
        if abs(d) < FLAT:
            continue
        s, t = (vx * wz - vz * wx) / d, (ux * wz - uz * wx) / d
        if ZERO <= s <= ONE and ZERO <= t <= ONE and s < best:
            best = s
            x, y, z = between(a, b, t)
    return best, x, y, z


@inner()
def move_straight(
    mesh: int, start: int, sx: Scalar, sy: Scalar, sz: Scalar, ex: Scalar, ey: Scalar, ez: Scalar
) -> Found:
    """(last polygon, point) of the straight way from the start: the end, or the first wall point met.

    As in Habitat the point is reckoned along the wall, and touching counts: who stands on a wall leaves it only
    along it. On long moves Habitat stops at the wall nearest to the end instead, and so passes through others;
    that is not copied.
    """
    polygon, far = start, ZERO
    for _ in range(MAX_NODES):
        met, x, y, z = _first_wall(mesh, polygon, sx, sz, ex, ez)
        if met <= ONE:
            return polygon, x, y, z
        touches, _, t_out, _, edge = cut(memory.corners(mesh)[polygon], memory.counts(mesh)[polygon], sx, sz, ex, ez)
        if touches and edge < 0:
            return polygon, ex, ey, ez
        if touches and t_out > far:
            far = t_out
        to = -1
        if touches:
            to = _ray_exit(mesh, polygon, edge, sx + (ex - sx) * t_out, sz + (ez - sz) * t_out)
        if to < 0:
            break
        polygon = to
    return polygon, sx + (ex - sx) * far, sy + (ey - sy) * far, sz + (ez - sz) * far


@inner()
def wall_distance(mesh: int, scratch: int, start: int, x: Scalar, y: Scalar, z: Scalar, radius: Scalar) -> Scalar:
    """Distance in the plane from a point of a polygon to the nearest wall, `radius` if there is none within it."""
    states = memory.states_per_polygon(mesh)
    first_link, link_to, link_edge = memory.link_start(mesh), memory.link_to(mesh), memory.link_edge(mesh)
    middle, walkable, all_corners = memory.middle(mesh), memory.walkable(mesh), memory.corners(mesh)
    counts = memory.counts(mesh)
    mark, pos, cost = memory.node_mark(scratch), memory.node_position(scratch), memory.node_cost(scratch)
    state, heap = memory.node_state(scratch), memory.heap(scratch)
    generation = next_generation(scratch, 0, mark)
    root = start * states
    mark[root], heap[0] = generation, root
    pos[root, 0], pos[root, 1], pos[root, 2] = x, y, z
    state[root, PARENT], state[root, FLAGS], cost[root, TOTAL] = -1, OPEN, ZERO
    size, met, reach = 1, 1, radius * radius
    while size > 0:
        best = pop(heap, cost, size)
        size -= 1
        state[best, FLAGS] = CLOSED
        polygon = best // states
        back = state[best, PARENT] // states if state[best, PARENT] >= 0 else -1
        corners, count = all_corners[polygon], counts[polygon]
        j = count - 1
        for i in range(count):
            if _is_wall(mesh, polygon, j):
                distance, _ = distance_to_segment(x, z, corners[j], corners[i])
                if distance <= reach:
                    reach = distance
            j = i
        for link in range(first_link[polygon], first_link[polygon + 1]):
            to, edge = link_to[link], link_edge[link]
            if to == back or walkable[to] == 0:
                continue
            distance, _ = distance_to_segment(x, z, corners[edge], corners[(edge + 1) % count])
            if distance > reach:
                continue
            node = to * states
            if mark[node] != generation:
                if met >= MAX_NODES:
                    continue
                met += 1
                mark[node], state[node, FLAGS] = generation, 0
                pos[node, 0], pos[node, 1], pos[node, 2] = middle[link, 0], middle[link, 1], middle[link, 2]
            if state[node, FLAGS] & CLOSED:
                continue
            dx, dy, dz = pos[node, 0] - pos[best, 0], pos[node, 1] - pos[best, 1], pos[node, 2] - pos[best, 2]
            total = cost[best, TOTAL] + length(dx, dy, dz)
            if state[node, FLAGS] & OPEN and total >= cost[node, TOTAL]:
                continue
            state[node, PARENT], cost[node, TOTAL] = best, total
            if state[node, FLAGS] & OPEN:
                raise_node(heap, cost, size, node)
            else:
                state[node, FLAGS] = OPEN
                bubble_up(heap, cost, size, node)
                size += 1
    return np.float32(math.sqrt(reach))
