"""One ray through a grid of cubes, cell by cell.

Coordinates count cells. All arithmetic is that of IEEE doubles, without libm, so that an answer is the same on every
machine. The walk is that of Amanatides and Woo, "A Fast Voxel Traversal Algorithm", 1987.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import inner

F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]
U8: TypeAlias = NDArray[np.uint8]
Scalar: TypeAlias = Any
Triple: TypeAlias = tuple[Scalar, Scalar, Scalar]


class Grid(NamedTuple):
    """`solid` (X * Y * Z,) 1 where something is; `shape` (3,) int64; `low` (3,) metres; `cell` metres.

    `sealed` is 1 there too, inside walls and furniture, where no light ever comes, and outdoors: no ray starts there.
    """

    solid: U8
    sealed: U8
    shape: I64
    low: F64
    cell: float


@inner(_nrt=False, forceinline=True)
def to_cells(grid: Grid, x: Scalar, y: Scalar, z: Scalar) -> Triple:
    """A point in metres as cells, held inside the grid."""
    one = 1.0 / grid.cell
    return (
        min(max((x - grid.low[0]) * one, 0.5), grid.shape[0] - 0.5),
        min(max((y - grid.low[1]) * one, 0.5), grid.shape[1] - 0.5),
        min(max((z - grid.low[2]) * one, 0.5), grid.shape[2] - 0.5),
    )


@inner(_nrt=False, forceinline=True)
def cell_of(grid: Grid, x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    """The number of the cell that holds a point, in cells."""
    return (np.int64(x) * grid.shape[1] + np.int64(y)) * grid.shape[2] + np.int64(z)


@inner(_nrt=False)
def hit(grid: Grid, ax: Scalar, ay: Scalar, az: Scalar, bx: Scalar, by: Scalar, bz: Scalar) -> Scalar:
    """The first filled cell on the way from a to b, the one of a left out; -1 if there is none."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    row = grid.shape[2]
    plane = grid.shape[1] * row
    at = cell_of(grid, ax, ay, az)
    step_x, step_y, step_z = (plane if dx > 0 else -plane), (row if dy > 0 else -row), (1 if dz > 0 else -1)
    every_x = 1.0 / abs(dx) if dx != 0.0 else 1e30
    every_y = 1.0 / abs(dy) if dy != 0.0 else 1e30
    every_z = 1.0 / abs(dz) if dz != 0.0 else 1e30
    fx, fy, fz = ax - np.int64(ax), ay - np.int64(ay), az - np.int64(az)
    next_x = (1.0 - fx if dx > 0 else fx) * every_x if dx != 0.0 else 1e30
    next_y = (1.0 - fy if dy > 0 else fy) * every_y if dy != 0.0 else 1e30
    next_z = (1.0 - fz if dz > 0 else fz) * every_z if dz != 0.0 else 1e30
    solid = grid.solid
    while True:
        if next_x < next_y and next_x < next_z:
            if next_x >= 1.0:
                return -1
            next_x += every_x
            at += step_x
        elif next_y < next_z:
            if next_y >= 1.0:
                return -1
            next_y += every_y
            at += step_y
        else:
            if next_z >= 1.0:
                return -1
            next_z += every_z
            at += step_z
        if solid[np.uint64(at)]:
            return at


@inner(_nrt=False)
def hit_beyond(grid: Grid, ax: Scalar, ay: Scalar, az: Scalar, dx: Scalar, dy: Scalar, dz: Scalar) -> Scalar:
    """`hit` of a ray from a in direction d that goes on to the grid's border."""
    far = 1e30
    if dx != 0.0:
        far = min(far, ((grid.shape[0] - 0.5 if dx > 0 else 0.5) - ax) / dx)
    if dy != 0.0:
        far = min(far, ((grid.shape[1] - 0.5 if dy > 0 else 0.5) - ay) / dy)
    if dz != 0.0:
        far = min(far, ((grid.shape[2] - 0.5 if dz > 0 else 0.5) - az) / dz)
    far = max(far, 0.0)
    return hit(grid, ax, ay, az, ax + dx * far, ay + dy * far, az + dz * far)
