"""A* over polygons: the corridor that Detour's findPath returns, ties, limits and all.

A node's place is fixed when it is first met (the midpoint of the edge it was met through) and never moved; the
heuristic is scaled by 0.999; entering the goal polygon adds the way to the goal; closed nodes open again when a
cheaper way is found. The binary heap is Detour's own, since equal totals leave it in the order its layout gives.
A search that meets more than 2048 nodes, a corridor of more than 256 polygons or one that does not arrive is no path.
Source: recastnavigation 1.6.0, DetourNavMeshQuery.cpp (findPath), DetourNode.cpp (zlib), re-implemented.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.memory import MAX_NODES, MAX_POLYS
from nav_eval.engine.navmesh.plane import ZERO, Floats, Scalar, length
from nav_eval.jit import inner

HEURISTIC = np.float32(0.999)
OPEN, CLOSED = 1, 2
COST, TOTAL = 0, 1
PARENT, FLAGS = 0, 1

Ints = npt.NDArray[np.int32]


@inner()
def bubble_up(heap: Ints, cost: Floats, place: int, node: int) -> None:
    """Move a node of the heap (K,) up to where its parent costs no more; cost (N, 2): metres so far and in all."""
    total = cost[node, TOTAL]
    while place > 0:
        parent = (place - 1) >> 1
        if not cost[heap[parent], TOTAL] > total:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = node


@inner()
def pop(heap: Ints, cost: Floats, size: int) -> int:
    """Take the first of `size` nodes off the heap: the last sinks to a leaf, then rises.

    heap (K,) int32: nodes; cost (N, 2) float32: metres so far and in all.
    """
    first, last = heap[0], memory.index(heap[size - 1])
    size -= 1
    place, child = 0, 1
    while child < size:
        if child + 1 < size and cost[heap[child], TOTAL] > cost[heap[child + 1], TOTAL]:
            child += 1
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    bubble_up(heap, cost, place, last)
    return int(first)


@inner()
def raise_node(heap: Ints, cost: Floats, size: int, node: int) -> None:
    """Move a node of the heap up after its total fell. heap (K,) int32, cost (N, 2) float32, metres."""
    for place in range(size):
        if heap[place] == node:
            bubble_up(heap, cost, place, node)
            return


@inner()
def next_generation(scratch: int, which: int, mark: Ints) -> int:
    """A number that no mark holds yet. mark: (N,) int32, cleared when the numbers run out."""
    marks = memory.marks(scratch)
    marks[which] += 1
    if marks[which] == 2147483647:
        mark[:] = 0
        marks[which] = 1
    return int(marks[which])


@inner()
def find_corridor(
    mesh: int,
    scratch: int,
    start: int,
    sx: Scalar,
    sy: Scalar,
    sz: Scalar,
    end: int,
    ex: Scalar,
    ey: Scalar,
    ez: Scalar,
) -> int:
    """Write the polygons from start to end to the scratch corridor; their number, 0 where Detour has no full path."""
    found = memory.corridor(scratch)
    if start == end:
        found[0] = start
        return 1
    states = memory.states_per_polygon(mesh)
    first_link, link_to, link_node = memory.link_start(mesh), memory.link_to(mesh), memory.link_node(mesh)
    middle, walkable = memory.middle(mesh), memory.walkable(mesh)
    mark, pos, cost = memory.node_mark(scratch), memory.node_position(scratch), memory.node_cost(scratch)
    state, heap = memory.node_state(scratch), memory.heap(scratch)
    generation = next_generation(scratch, 0, mark)
    root = start * states
    mark[root] = generation
    pos[root, 0], pos[root, 1], pos[root, 2] = sx, sy, sz
    state[root, PARENT], state[root, FLAGS] = -1, OPEN
    cost[root, COST], cost[root, TOTAL] = ZERO, length(ex - sx, ey - sy, ez - sz) * HEURISTIC
    heap[0] = root
    size, met = 1, 1
    while size > 0:
        best = pop(heap, cost, size)
        size -= 1
        state[best, FLAGS] = CLOSED
        polygon = best // states
        if polygon == end:
            return _trace(found, state, best, states)
        back = state[best, PARENT] // states if state[best, PARENT] >= 0 else -1
        bx, by, bz = pos[best, 0], pos[best, 1], pos[best, 2]
        for link in range(first_link[polygon], first_link[polygon + 1]):
            to = link_to[link]
            if to == back or walkable[to] == 0:
                continue
            node = memory.index(link_node[link])
            if mark[node] != generation:
                if met >= MAX_NODES:
                    return 0
                met += 1
                mark[node], state[node, FLAGS] = generation, 0
                pos[node, 0], pos[node, 1], pos[node, 2] = middle[link, 0], middle[link, 1], middle[link, 2]
            nx, ny, nz = pos[node, 0], pos[node, 1], pos[node, 2]
            way = cost[best, COST] + length(nx - bx, ny - by, nz - bz)
            rest = length(ex - nx, ey - ny, ez - nz)
            if to == end:
                way = way + rest
                total = way
            else:
                total = way + rest * HEURISTIC
            if state[node, FLAGS] != 0 and total >= cost[node, TOTAL]:
                continue
            cost[node, COST], cost[node, TOTAL] = way, total
            state[node, PARENT] = best
            if state[node, FLAGS] & OPEN:
                raise_node(heap, cost, size, node)
            else:
                state[node, FLAGS] = OPEN
                bubble_up(heap, cost, size, node)
                size += 1
    return 0


@inner()
def _trace(found: Ints, state: Ints, node: int, states: int) -> int:
    """Write the polygons from the root to `node`; 0 if they are too many."""
    count, step = 0, node
    while step >= 0:
        count += 1
        step = state[step, PARENT]
    if count > MAX_POLYS:
        return 0
    for place in range(count - 1, -1, -1):
        found[place] = node // states
        node = state[node, PARENT]
    return count
