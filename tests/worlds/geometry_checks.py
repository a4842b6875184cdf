"""Checks of a world by its triangles alone: what stands, what hangs, and what runs into what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import trimesh
from numpy.typing import NDArray

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval_worlds.world import World

TOLERANCE = 0.02


def floating(world: World) -> list[str]:
    """Objects whose lowest (or highest, or rear) face touches nothing that could carry them."""
    out = []
    mesh = world.mesh
    for number, item in enumerate(world.items, start=1):
        points = mesh.positions[mesh.objects == number]
        room = world.plan.room(item.room)
        bottom, top = points[:, 1].min() * 1000 - room.base, points[:, 1].max() * 1000 - room.base
        if item.support == "floor":
            held = abs(bottom) < 3
        elif item.support == "ceiling":
            held = abs(top - room.ceiling) < 3
        elif item.support == "wall":
            held = _wall_gap(points, world, item.room) < 0.06
        elif item.support == "item":
            carrier = mesh.positions[mesh.objects == item.on + 1]
            held = bool((np.abs(carrier[:, 1] - points[:, 1].min()) < 0.012).any()) and _over(points, carrier)
        else:
            continue
        if not held:
            place = f"{room.type} {room.id}: {item.support}, {bottom:.0f} to {top:.0f} mm"
            out.append(f"{item.category} {number} in {place}")
    return out


def _wall_gap(points: NDArray[np.float64], world: World, room: int) -> float:
    """The least distance from a thing to one of its room's walls, metres."""
    r = world.plan.room(room).clear
    low, high = points.min(axis=0), points.max(axis=0)
    return float(min(low[0] - r.x0 / 1000, r.x1 / 1000 - high[0], low[2] - r.z0 / 1000, r.z1 / 1000 - high[2]))


def _over(points: NDArray[np.float64], carrier: NDArray[np.float64]) -> bool:
    """The middle of a thing lies above its carrier's box."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    low, high = carrier.min(axis=0), carrier.max(axis=0)
    return bool(low[0] <= middle[0] <= high[0] and low[2] <= middle[2] <= high[2])


def collisions(world: World) -> list[str]:
    """Pairs of furniture of which one has surface points inside a part of the other, deeper than the tolerance."""
    numbers = [k for k, item in enumerate(world.items, start=1) if item.support in ("floor", "ceiling", "wall")]
    boxes = {k: _box(world, k) for k in numbers}
    parts: dict[int, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
    out = []
    for a, b in _near_pairs(numbers, boxes):
        for inner, outer in ((a, b), (b, a)):
            points = _surface(world, inner)
            for low, high in parts.setdefault(outer, list(_parts(world, outer))):
                if ((points > low + TOLERANCE) & (points < high - TOLERANCE)).all(axis=1).any():
                    names = [f"{world.items[k - 1].category} {k}" for k in (inner, outer)]
                    out.append(f"{names[0]} runs into {names[1]} (room {world.items[inner - 1].room})")
                    break
    return out


def _near_pairs(
    numbers: list[int], boxes: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
) -> Iterator[tuple[int, int]]:
    for i, a in enumerate(numbers):
        for b in numbers[i + 1 :]:
            depth = np.minimum(boxes[a][1], boxes[b][1]) - np.maximum(boxes[a][0], boxes[b][0])
            if (depth > TOLERANCE).all():
                yield a, b


def _box(world: World, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = world.mesh.positions[world.mesh.objects == number]
    return points.min(axis=0), points.max(axis=0)


def _surface(world: World, number: int) -> NDArray[np.float64]:
    mesh = world.mesh
    corners = mesh.positions[mesh.triangles[mesh.objects[mesh.triangles[:, 0]] == number]]
    return np.concatenate([corners.reshape(-1, 3), corners.mean(axis=1)])


def _parts(world: World, number: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Boxes of the connected pieces of an object's mesh, corners within a millimetre being the same."""
    mesh = world.mesh
    corners = mesh.positions[mesh.triangles[mesh.objects[mesh.triangles[:, 0]] == number]].reshape(-1, 3)
    _, ends = np.unique(np.round(corners, 3), axis=0, return_inverse=True)
    piece = trimesh.graph.connected_component_labels(ends.reshape(-1, 3)[:, [0, 1, 1, 2]].reshape(-1, 2))
    for k in np.unique(piece):
        own = corners[piece[ends.reshape(-1)] == k]
        yield own.min(axis=0), own.max(axis=0)


def off_the_floor(world: World, navmesh: NavMesh, samples: int = 600) -> list[str]:
    """Walkable places more than .12 m above their room's floor, or in a thing that rises more than .12 m from it."""
    things, owners = _things(world)
    low, high = things.min(axis=1), things.max(axis=1)
    out = []
    for seed in range(samples):
        x, y, z = (float(v) for v in navmesh.random_point(seed))
        floor = _floor_at(world, x, y, z)
        if floor is None:
            continue
        if abs(y - floor) > 0.12:
            out.append(f"({x:.2f}, {y:.2f}, {z:.2f}): {y - floor:+.2f} m from the floor")
        over = (low[:, 0] <= x) & (high[:, 0] >= x) & (low[:, 2] <= z) & (high[:, 2] >= z)
        over &= (high[:, 1] > floor + 0.12) & (low[:, 1] < floor + 1.4)
        inside = [k for k in np.flatnonzero(over) if _holds(things[k][:, [0, 2]], x, z)]
        out += [f"({x:.2f}, {z:.2f}): in {world.objects[owners[k] - 1].category} {owners[k]}" for k in inside[:1]]
    return out


def _things(world: World) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """(T, 3, 3) the triangles of all that stands, lies or hangs in the rooms, and (T,) the object of each."""
    own = world.mesh.objects[world.mesh.triangles[:, 0]]
    shell = {k for k, item in enumerate(world.items, start=1) if item.support == "shell" or item.category == "rug"}
    chosen = ~np.isin(own, list(shell))
    return world.mesh.positions[world.mesh.triangles[chosen]], own[chosen]


def _floor_at(world: World, x: float, y: float, z: float) -> float | None:
    """The height of a room's floor at a place; None on stairs and in doors."""
    for room in world.regions:
        (x0, y0, z0), (x1, y1, z1) = room.low, room.high
        if room.category != "stairs" and x0 < x < x1 and z0 < z < z1 and y0 - 0.3 < y < y1:
            return y0
    return None


def _holds(corners: NDArray[np.float64], x: float, z: float) -> bool:
    """Whether a triangle (3, 2) seen from above holds a point."""
    sides = [
        (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    ]
    return min(sides) >= 0 or max(sides) <= 0
