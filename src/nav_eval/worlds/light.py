"""Baked light in vertex colours: ambient occlusion, daylight through windows, and lamps with soft shadows.

Each vertex gathers (1) ambient light, dimmed by what its hemisphere meets within two metres, (2) lamps of its room
and (3) points on its room's windows, each behind a shadow ray through the voxel grid. The sum is compressed by
L / (L + k) and a square root, which is the gamma that stored texels expect. All of it is exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.worlds.exact import Floats, cos_turns, length, sin_turns
from nav_eval.worlds.item import Item
from nav_eval.worlds.palette import GLOWING
from nav_eval.worlds.plan import Plan, Room, Window, wall_line
from nav_eval.worlds.telling import Tell, silent
from nav_eval.worlds.tessellate import Mesh
from nav_eval.worlds.voxels import FIXED, Voxels, voxelise

CELL = 0.08
_AMBIENT = (0.30, 0.288, 0.27)
_LAMP = (1.0, 0.88, 0.70)
_SKY = (0.88, 0.95, 1.0)
_KNEE = 0.5
_REACH = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0, 12.5, 17.0, 23.0)
"""Distances, in cells, at which an occlusion ray looks."""
_DIRECTIONS = 36
_SHADOW_STEPS = 36


@dataclass(frozen=True, slots=True)
class _Source:
    """A point of light: position, colour times strength, and for windows the direction it shines to."""

    position: tuple[float, float, float]
    power: tuple[float, float, float]
    facing: tuple[float, float, float] | None = None


def bake(plan: Plan, items: Sequence[Item], mesh: Mesh, tell: Tell = silent) -> NDArray[np.uint8]:
    """(V, 4) uint8: what the textures are multiplied with."""
    owner = mesh.objects[mesh.triangles[:, 0]]
    voxels = voxelise(mesh.positions, mesh.triangles, owner, CELL)
    light = np.empty_like(mesh.positions)
    rooms = _lit_rooms(plan, items, mesh)
    order = np.argsort(rooms, kind="stable")
    bounds = np.searchsorted(rooms[order], np.arange(1, len(plan.rooms) + 2))
    for room, start, end in zip(plan.rooms, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        chosen = order[start:end]
        at = _pulled_in(mesh.positions[chosen] + mesh.normals[chosen] * (CELL * 1.15), room)
        sources = [*_lamps(plan, items, room), *_daylight(plan, room)]
        light[chosen] = _gather(voxels, at, mesh.normals[chosen], sources, _dark(room))
        tell((end - start) / len(order))
    return _developed(light, mesh)


def _lit_rooms(plan: Plan, items: Sequence[Item], mesh: Mesh) -> NDArray[np.int32]:
    """The room whose light falls on each vertex: the far face of a door frame belongs to the room beyond."""
    rooms = mesh.rooms.copy()
    numbers = [k for k, item in enumerate(items, start=1) if item.category in ("door", "doorway")]
    for number, door in zip(numbers, plan.doors, strict=True):
        axis = 0 if door.vertical else 2
        own = np.flatnonzero(mesh.objects == number)
        middle = plan.room(door.b).cell.centre[axis // 2]
        beyond = (mesh.positions[own, axis] * 1000 < door.line) == (middle > door.line)
        rooms[own[beyond]] = door.a
    return rooms


def _dark(room: Room) -> float:
    return {"hallway": 1.1, "storage room": 0.85, "stairs": 1.3}.get(room.type, 1.0)


def _pulled_in(points: Floats, room: Room) -> Floats:
    """Points moved off the walls, so that no ray starts inside one."""
    r, off = room.clear, CELL * 1.3
    low = (r.x0 / 1000 + off, room.base / 1000 + off, r.z0 / 1000 + off)
    high = (r.x1 / 1000 - off, (room.base + room.ceiling) / 1000 - off, r.z1 / 1000 - off)
    if room.type == "stairs":
        high = (high[0], high[1] + 3.0, high[2])
    return np.clip(points, low, high)


def _lamps(plan: Plan, items: Sequence[Item], room: Room) -> list[_Source]:
    """Ceiling lamps shine strongly, others softly."""
    out = []
    for item in items:
        shared = room.type == "stairs" and plan.room(item.room).type == "stairs"
        if item.category != "lamp" or not (item.room == room.id or shared):
            continue
        x, y, z = (v / 1000 for v in item.at)
        hanging = item.support == "ceiling"
        at = (x, y - item.size[1] - 0.12, z) if hanging else (x, y + item.size[1] + 0.12, z)
        strength = 1.25 if hanging else 0.22
        out.append(_Source(at, (_LAMP[0] * strength, _LAMP[1] * strength, _LAMP[2] * strength)))
    return out


def _daylight(plan: Plan, room: Room) -> list[_Source]:
    """Four points on each window, just inside the wall, shining into the room."""
    return [source for window in plan.windows if window.room == room.id for source in _panes(room, window)]


def _panes(room: Room, window: Window) -> list[_Source]:
    line, _, _ = wall_line(room.clear, window.side)
    dx, dz = {"n": (0, 1), "s": (0, -1), "w": (1, 0), "e": (-1, 0)}[window.side]
    area = (window.high - window.low) * (window.top - window.sill) / 1_000_000
    strength = 0.62 * area / 4
    power = (_SKY[0] * strength, _SKY[1] * strength, _SKY[2] * strength)
    out = []
    for share in (1, 3):
        along = window.low + (window.high - window.low) * share // 4
        x, z = (along, line) if window.side in "ns" else (line, along)
        for part in (1, 3):
            y = room.base + window.sill + (window.top - window.sill) * part // 4
            at = (x / 1000 + dx * 0.16, y / 1000, z / 1000 + dz * 0.16)
            out.append(_Source(at, power, (float(dx), -0.25, float(dz))))
    return out


def _gather(voxels: Voxels, at: Floats, normals: Floats, sources: list[_Source], ambient: float) -> Floats:
    fixed = voxels.fixed(at)
    open_ = _openness(voxels, fixed, normals)
    open_ = open_ * (0.35 + 0.65 * open_) * (0.9 + 0.1 * normals[:, 1]) * ambient
    light = np.stack([open_ * channel for channel in _AMBIENT], axis=1)
    for source in sources:
        amount = _direct(voxels, at, fixed, normals, source)
        for channel in range(3):
            light[:, channel] += amount * source.power[channel]
    return light


def _sphere() -> Floats:
    """Evenly spread unit vectors (a Fibonacci spiral)."""
    k = np.arange(_DIRECTIONS, dtype=np.float64) + 0.5
    y = 1 - 2 * k / _DIRECTIONS
    r = np.sqrt(1 - y * y)
    turns: Floats = k * 0.6180339887498949
    return np.stack([r * cos_turns(turns), y, r * sin_turns(turns)], axis=1)


def _openness(voxels: Voxels, fixed: NDArray[np.int64], normals: Floats) -> Floats:
    """0 to 1: how far rays over the hemisphere get, weighted by the cosine."""
    flat, strides = _flattened(voxels)
    total, weights = np.zeros(len(fixed)), np.zeros(len(fixed))
    limit = np.asarray(voxels.labels.shape) * FIXED - 1
    for direction in _sphere():
        cosine = normals[:, 0] * direction[0] + normals[:, 1] * direction[1] + normals[:, 2] * direction[2]
        rows = np.flatnonzero(cosine > 0.08)
        reached = np.zeros(len(rows))
        alive = np.arange(len(rows))
        start = fixed[rows]
        for rank, distance in enumerate(_REACH):
            step = np.floor(direction * (distance * FIXED)).astype(np.int64)
            cell = np.clip(start[alive] + step, 0, limit) >> 8
            free = ~flat[cell[:, 0] * strides[0] + cell[:, 1] * strides[1] + cell[:, 2]]
            alive = alive[free]
            reached[alive] = (rank + 1) / len(_REACH)
        total[rows] += reached * cosine[rows]
        weights[rows] += cosine[rows]
    return np.asarray(total / np.where(weights > 0, weights, 1.0))


def _flattened(voxels: Voxels) -> tuple[NDArray[np.bool_], tuple[int, int]]:
    _, ny, nz = voxels.labels.shape
    return (voxels.labels > 0).reshape(-1), (ny * nz, nz)


def _direct(voxels: Voxels, at: Floats, fixed: NDArray[np.int64], normals: Floats, source: _Source) -> Floats:
    """What one source adds to each vertex, shadows included."""
    to = np.asarray(source.position) - at
    distance = length(to)
    unit = to / np.maximum(distance, 1e-6)[:, None]
    cosine = normals[:, 0] * unit[:, 0] + normals[:, 1] * unit[:, 1] + normals[:, 2] * unit[:, 2]
    amount = np.clip(cosine * 0.85 + 0.15, 0.0, 1.0) / (distance * distance * 0.35 + 0.5)
    if source.facing is not None:
        f = source.facing
        amount = amount * np.clip(-(unit[:, 0] * f[0] + unit[:, 1] * f[1] + unit[:, 2] * f[2]), 0.0, 1.0) * 1.6
    rows = np.flatnonzero(amount > 0.004)
    goal = voxels.fixed(np.asarray(source.position)[None])[0]
    lit = _unshadowed(voxels, fixed[rows], goal)
    out = np.zeros(len(at))
    out[rows] = amount[rows] * lit
    return out


def _unshadowed(voxels: Voxels, start: NDArray[np.int64], goal: NDArray[np.int64]) -> Floats:
    """1 where nothing lies between, less where the ray grazes something: each filled cell takes half of the light."""
    flat, strides = _flattened(voxels)
    lit = np.ones(len(start))
    alive = np.arange(len(start))
    for k in range(1, _SHADOW_STEPS - 1):
        cell = (start[alive] * (_SHADOW_STEPS - k) + goal * k) // _SHADOW_STEPS >> 8
        hit = flat[cell[:, 0] * strides[0] + cell[:, 1] * strides[1] + cell[:, 2]]
        lit[alive[hit]] *= 0.45
        if k % 6 == 0:
            alive = alive[lit[alive] > 0.05]
    return lit


def _developed(light: Floats, mesh: Mesh) -> NDArray[np.uint8]:
    """Compressed, gamma-corrected bytes; what shines by itself stays white."""
    value = np.minimum(np.sqrt(light / (light + _KNEE)) * 1.1, 1.0)
    shining = np.asarray([name in GLOWING for name in mesh.names])[mesh.materials]
    value[shining] = 1.0
    out = np.full((len(value), 4), 255, dtype=np.uint8)
    out[:, :3] = np.floor(value * 255 + 0.5).astype(np.uint8)
    return out
