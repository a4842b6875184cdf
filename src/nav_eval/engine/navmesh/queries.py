"""What the facade calls: Habitat's PathFinder questions, one kernel each, single or in batch.

Scalars go in and tuples of float64 (exact float32 values) come out, because that is what Python passes fastest.
Single questions keep the GIL: releasing it costs more than most of them take. Batches release it.
Source of the behaviour: facebookresearch/habitat-sim, src/esp/nav/PathFinder.cpp (findPath, tryStep, isNavigable,
distanceToClosestObstacle, getTopDownView), MIT, re-implemented.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.corridor import find_corridor
from nav_eval.engine.navmesh.funnel import path_length, pull_string
from nav_eval.engine.navmesh.nearest import Found, floor_height, nearest_polygon
from nav_eval.engine.navmesh.plane import ONE, ZERO, Scalar, length
from nav_eval.engine.navmesh.walk import cast_ray, move_along, move_straight, wall_distance
from nav_eval.jit import inner, kernel

INFINITY = np.float32(np.inf)
FUZZ = np.float32(1e-5)
NUDGE = np.float32(1e-4)
NAVIGABLE_XZ = np.float32(1e-2)

Floats = npt.NDArray[np.float32]
Point = tuple[float, float, float]


@inner()
def _fuzzy_equal(a: Scalar, b: Scalar) -> bool:
    """Magnum's equality of floats: 1e-5, relative to their sum unless they are tiny."""
    if a == b:
        return True
    gap = abs(a - b)
    if a == ZERO or b == ZERO or gap < FUZZ:
        return bool(gap < FUZZ)
    return bool(gap / (abs(a) + abs(b)) < FUZZ)


@inner()
def find_path(
    mesh: int,
    scratch: int,
    a: tuple[Scalar, Scalar, Scalar],
    start: Found,
    b: tuple[Scalar, Scalar, Scalar],
    end: Found,
) -> tuple[Scalar, int]:
    """(length, corners) of the path between two points, given with the polygons they snap to; (inf, 0) if none."""
    corners = memory.path(scratch)
    start_polygon, sx, sy, sz = start
    end_polygon, ex, ey, ez = end
    if start_polygon < 0 or end_polygon < 0:
        return INFINITY, 0
    if _fuzzy_equal(sx, ex) and _fuzzy_equal(sy, ey) and _fuzzy_equal(sz, ez):
        corners[0, 0], corners[0, 1], corners[0, 2] = sx, sy, sz
        corners[1, 0], corners[1, 1], corners[1, 2] = ex, ey, ez
        return ZERO, 2
    island = memory.island(mesh)
    if island[start_polygon] != island[end_polygon]:
        return INFINITY, 0
    polygons = find_corridor(mesh, scratch, start_polygon, sx, sy, sz, end_polygon, ex, ey, ez)
    if polygons == 0:
        return INFINITY, 0
    count = pull_string(mesh, scratch, polygons, a[0], a[1], a[2], b[0], b[1], b[2])
    if count == 0:
        return INFINITY, 0
    return path_length(corners, count), count


@inner()
def _goal(mesh: int, scratch: int, x: Scalar, y: Scalar, z: Scalar) -> Found:
    """The snapped goal; the last one is kept, since episodes ask for the same goal again and again."""
    kept, polygon = memory.kept_goal(scratch), memory.kept_goal_polygon(scratch)
    if not (kept[0] == x and kept[1] == y and kept[2] == z):
        polygon[0], kept[3], kept[4], kept[5] = nearest_polygon(mesh, x, y, z)
        kept[0], kept[1], kept[2] = x, y, z
    return memory.index(polygon[0]), kept[3], kept[4], kept[5]


@inner()
def _path(
    mesh: int, scratch: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[Scalar, int]:
    a = (np.float32(ax), np.float32(ay), np.float32(az))
    b = (np.float32(bx), np.float32(by), np.float32(bz))
    end = _goal(mesh, scratch, b[0], b[1], b[2])
    return find_path(mesh, scratch, a, nearest_polygon(mesh, a[0], a[1], a[2]), b, end)


@kernel("float64(int64,int64,float64,float64,float64,float64,float64,float64)", nogil=False)
def geodesic(mesh: int, scratch: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    return float(_path(mesh, scratch, ax, ay, az, bx, by, bz)[0])


@kernel("Tuple((float64,int64))(int64,int64,float64,float64,float64,float64,float64,float64)", nogil=False)
def trace_path(
    mesh: int, scratch: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[float, int]:
    """(length, corners); the corners lie in the scratch path."""
    total, count = _path(mesh, scratch, ax, ay, az, bx, by, bz)
    return float(total), count


@kernel("void(int64,int64,float32[:,::1],float32[:,::1],float32[::1])")
def geodesics(mesh: int, scratch: int, starts: Floats, ends: Floats, out: Floats) -> None:
    """Distances, metres, between (N, 3) starts and (N, 3) ends, into out (N,)."""
    for i in range(len(starts)):
        a = (starts[i, 0], starts[i, 1], starts[i, 2])
        b = (ends[i, 0], ends[i, 1], ends[i, 2])
        end = _goal(mesh, scratch, b[0], b[1], b[2])
        out[i], _ = find_path(mesh, scratch, a, nearest_polygon(mesh, a[0], a[1], a[2]), b, end)


@kernel("Tuple((float64,int64))(int64,int64,float64,float64,float64,float32[:,::1],int64[::1])")
def geodesic_to_any(
    mesh: int, scratch: int, ax: float, ay: float, az: float, goals: Floats, order: npt.NDArray[np.int64]
) -> tuple[float, int]:
    """(least length, goal), goals in the given order; Habitat passes over those farther as the crow flies.

    goals (N, 3), metres; order (N,).
    """
    x, y, z = np.float32(ax), np.float32(ay), np.float32(az)
    start = nearest_polygon(mesh, x, y, z)
    best, chosen = INFINITY, -1
    if start[0] < 0:
        return float(best), chosen
    for k in order:
        gx, gy, gz = goals[k, 0], goals[k, 1], goals[k, 2]
        if length(gx - x, gy - y, gz - z) > best:
            continue
        end = nearest_polygon(mesh, gx, gy, gz)
        total, _ = find_path(mesh, scratch, (x, y, z), start, (gx, gy, gz), end)
        if total < best:
            best, chosen = total, k
    return float(best), chosen


@kernel("UniTuple(float64,3)(int64,float64,float64,float64)", nogil=False)
def snap(mesh: int, x: float, y: float, z: float) -> Point:
    _, px, py, pz = nearest_polygon(mesh, np.float32(x), np.float32(y), np.float32(z))
    return float(px), float(py), float(pz)


@kernel("void(int64,float32[:,::1],float32[:,::1],int32[::1])")
def snap_all(mesh: int, points: Floats, out: Floats, polygons: npt.NDArray[np.int32]) -> None:
    """Nearest polygon and its point, for points (N, 3) in metres, into polygons (N,) and out (N, 3)."""
    for i in range(len(points)):
        polygons[i], out[i, 0], out[i, 1], out[i, 2] = nearest_polygon(mesh, points[i, 0], points[i, 1], points[i, 2])


@kernel("int64(int64,float64,float64,float64)", nogil=False)
def polygon_of(mesh: int, x: float, y: float, z: float) -> int:
    return nearest_polygon(mesh, np.float32(x), np.float32(y), np.float32(z))[0]


@inner()
def _navigable(mesh: int, x: Scalar, y: Scalar, z: Scalar, max_y_delta: Scalar) -> bool:
    polygon, px, py, pz = nearest_polygon(mesh, x, y, z)
    if polygon < 0 or abs(py - y) > max_y_delta:
        return False
    dx, dz = x - px, z - pz
    return bool(np.float32(math.sqrt(dx * dx + dz * dz)) <= NAVIGABLE_XZ)


@kernel("boolean(int64,float64,float64,float64,float64)", nogil=False)
def is_navigable(mesh: int, x: float, y: float, z: float, max_y_delta: float) -> bool:
    return _navigable(mesh, np.float32(x), np.float32(y), np.float32(z), np.float32(max_y_delta))


@inner()
def _nudge(mesh: int, polygon: int, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The point moved 0.1 mm towards the mean of the polygon's vertices: off a wall without thickness."""
    corners, count = memory.corners(mesh)[polygon], memory.counts(mesh)[polygon]
    cx, cy, cz = ZERO, ZERO, ZERO
    for k in range(count):
        cx += corners[k, 0]
        cy += corners[k, 1]
        cz += corners[k, 2]
    cx, cy, cz = cx / np.float32(count), cy / np.float32(count), cz / np.float32(count)
    dx, dy, dz = cx - x, cy - y, cz - z
    far = length(dx, dy, dz)
    if far == ZERO:
        return x, y, z
    scale = ONE / far
    return x + NUDGE * (dx * scale), y + NUDGE * (dy * scale), z + NUDGE * (dz * scale)


@inner()
def try_step(
    mesh: int, scratch: int, ax: Scalar, ay: Scalar, az: Scalar, bx: Scalar, by: Scalar, bz: Scalar, sliding: bool
) -> tuple[Scalar, Scalar, Scalar]:
    """Where a straight move from a to b ends; a itself where it cannot be made."""
    start, sx, sy, sz = nearest_polygon(mesh, ax, ay, az)
    target, _, _, _ = nearest_polygon(mesh, bx, by, bz)
    island = memory.island(mesh)
    if start < 0 or target < 0 or island[start] != island[target]:
        return ax, ay, az
    if sliding:
        polygon, x, y, z = move_along(mesh, scratch, start, sx, sy, sz, bx, by, bz)
    else:
        polygon, x, y, z = move_straight(mesh, start, sx, sy, sz, bx, by, bz)
    if polygon < 0:
        return ax, ay, az
    over, height = floor_height(mesh, polygon, x, z)
    if over:
        y = height
    landed, _, _, _ = nearest_polygon(mesh, x, y, z)
    if landed < 0 or island[landed] != island[start]:
        return _nudge(mesh, polygon, x, y, z)
    return x, y, z


@kernel("UniTuple(float64,3)(int64,int64,float64,float64,float64,float64,float64,float64,boolean)", nogil=False)
def step(
    mesh: int, scratch: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float, sliding: bool
) -> Point:
    x, y, z = try_step(
        mesh,
        scratch,
        np.float32(ax),
        np.float32(ay),
        np.float32(az),
        np.float32(bx),
        np.float32(by),
        np.float32(bz),
        sliding,
    )
    return float(x), float(y), float(z)


@kernel("void(int64,int64,float32[:,::1],float32[:,::1],boolean,float32[:,::1])")
def step_all(mesh: int, scratch: int, starts: Floats, ends: Floats, sliding: bool, out: Floats) -> None:
    """`try_step` from starts (N, 3) towards ends (N, 3), into out (N, 3); metres."""
    for i in range(len(starts)):
        a, b = starts[i], ends[i]
        out[i, 0], out[i, 1], out[i, 2] = try_step(mesh, scratch, a[0], a[1], a[2], b[0], b[1], b[2], sliding)


@kernel("UniTuple(float64,4)(int64,float64,float64,float64,float64,float64,float64)", nogil=False)
def raycast(
    mesh: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[float, float, float, float]:
    """(t, x, y, z): how far of the straight way from a (snapped) towards b is open, 1 if all, NaN off the mesh."""
    start, sx, sy, sz = nearest_polygon(mesh, np.float32(ax), np.float32(ay), np.float32(az))
    if start < 0:
        return math.nan, math.nan, math.nan, math.nan
    ex, ez = np.float32(bx), np.float32(bz)
    polygon, t = cast_ray(mesh, start, sx, sz, ex, ez)
    if t > ONE:
        t = ONE
    x, z = sx + (ex - sx) * t, sz + (ez - sz) * t
    over, height = floor_height(mesh, polygon, x, z)
    return float(t), float(x), float(height if over else sy), float(z)


@kernel("float64(int64,int64,float64,float64,float64,float64)", nogil=False)
def obstacle_distance(mesh: int, scratch: int, x: float, y: float, z: float, radius: float) -> float:
    polygon, px, py, pz = nearest_polygon(mesh, np.float32(x), np.float32(y), np.float32(z))
    if polygon < 0:
        return math.inf
    return float(wall_distance(mesh, scratch, polygon, px, py, pz, np.float32(radius)))


@kernel("void(int64,float64,float64,float64,float64,float64,boolean[:,::1])")
def topdown(
    mesh: int,
    x0: float,
    z0: float,
    meters_per_pixel: float,
    height: float,
    max_y_delta: float,
    out: npt.NDArray[np.bool_],
) -> None:
    """Navigable pixels, rows along z; coordinates are summed up in float32 as Habitat sums them. out: (H, W)."""
    pixel, y, delta = np.float32(meters_per_pixel), np.float32(height), np.float32(max_y_delta)
    z = np.float32(z0)
    for row in range(out.shape[0]):
        x = np.float32(x0)
        for column in range(out.shape[1]):
            out[row, column] = _navigable(mesh, x, y, z, delta)
            x = x + pixel
        z = z + pixel
