"""The arrays that the kernels of the software renderer share, as named tuples that numba understands.

A scene is prepared once into these arrays, all read-only, and every camera of every session reads the same copy.
`Workspace` is the scratch memory of one camera at work; a thread borrows one for the time of a frame.
All kernels are compiled with `_nrt=False` (they allocate nothing): else numba counts references whenever an array
is taken out of a tuple or handed to a function, which tripled a frame's time.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.camera import LARGEST_SIDE

NEAR = 0.01
"""Near plane, metres, as in Habitat."""
TILE = 8
"""Side of a tile of the hierarchical depth buffer, and the width of a block of pixels handled at once."""
CLUSTER_SIZE = 128
"""Most triangles of a cluster."""
SPOTS = 3 * CLUSTER_SIZE + 8
"""Length of an array of a cluster's vertices on the screen, and of a triangle's corners that the near plane cuts. The
arrays lie at constant distances in one buffer, so that the compiler sees that they do not overlap."""
BUCKETS = 4096
"""Of nearest depths: one per 1/128 of an octave from the near plane, 0.01 m to 40,000 km."""
MAX_ROWS = LARGEST_SIDE + TILE
"""Rows of a triangle, rounded up to whole vectors."""
CHUNK = 256
"""Pixels of a row that are shaded together."""
PITCH = CHUNK + 16
"""Length of a row array: runs may be written up to 15 pixels too far."""
ROW_ARRAYS = 34
PLANES = 12
LEVELS = 16
"""Columns of the mip table; the last level is repeated."""

DOUBLE_SIDED = 1
MASKED = 2
TEXTURED = 4
MODULATED = 8
LIGHTMAPPED = 16
"""Bits of `Materials.flags` and `Triangles.flags`. MODULATED: a factor or a vertex colour multiplies the texel;
LIGHTMAPPED: a texel of baked light does, in place of a vertex colour."""

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U8 = NDArray[np.uint8]
TableF32 = Annotated[NDArray[np.float32], 2]
TableF64 = Annotated[NDArray[np.float64], 2]
TableI32 = Annotated[NDArray[np.int32], 2]
LevelsF32 = Annotated[NDArray[np.float32], 3]
LevelsI32 = Annotated[NDArray[np.int32], 3]
"""Of two and three dimensions, as `handles` reads here; the others have one."""
Scalar: TypeAlias = Any
"""A number inside a kernel; numba infers its width, the casts in the code decide it."""
Plane: TypeAlias = tuple[Scalar, Scalar, Scalar]
"""Step in x, step in y and value at pixel coordinate (0, 0); also a point or a direction."""


class Clusters(NamedTuple):
    """C groups of neighbouring triangles, each with a box and a cone of normals (metres, world frame)."""

    center: TableF32
    half: TableF32
    axis: TableF32
    """(C, 3) mean normal."""
    spread: F32
    """(C,) sine of the angle between `axis` and the normal farthest from it; 2 where the cone cannot cull."""
    first_vertex: I32
    """(C + 1,) the cluster's vertices are first_vertex[c] .. first_vertex[c + 1] - 1."""
    first_triangle: I32


class Triangles(NamedTuple):
    """T triangles in cluster order."""

    corners: TableI32
    """(T, 3) indices into `Vertices`."""
    material: I32
    flags: U8
    object_id: I32


class Vertices(NamedTuple):
    """V vertices in cluster order, one array per coordinate.

    `color`, `light_u` and `light_v` (into the lightmap) have one entry where the scene has none.
    """

    x: F32
    y: F32
    z: F32
    u: F32
    v: F32
    color: U32
    light_u: F32
    light_v: F32


class Materials(NamedTuple):
    """M materials. Level tables have LEVELS columns."""

    flags: I32
    wrap: TableI32
    """(M, 2) WRAP_* codes of s and t."""
    top: I32
    """(M,) last mip level times 256."""
    cutoff: I32
    """(M,) alpha below this (0 to 255) is a hole."""
    factor: TableF32
    """(M, 4) RGBA that multiplies the texel."""
    tiles: LevelsI32
    """(M, LEVELS, 2) index of the level's first texel, tiles per row."""
    size: LevelsF32
    """(M, LEVELS, 2) width and height in 1/256 texel."""
    light_tiles: TableI32
    """(M, 2) `tiles` of the lightmap's only level."""
    light_size: TableF32
    """(M, 2) `size` of that level."""


class Assets(NamedTuple):
    """Everything of a scene that a kernel reads; shared by all cameras, read-only."""

    clusters: Clusters
    triangles: Triangles
    vertices: Vertices
    materials: Materials
    texels: U32


class Camera(NamedTuple):
    """A pinhole camera: `pose` holds the world directions of image right, image down and forward, then the position."""

    pose: F64
    """(12,)"""
    focal: float
    """Pixels, the same in x and y."""
    width: int
    height: int
    stride: int
    """Width rounded up to a multiple of TILE: the length of a row in the workspace."""


class Workspace(NamedTuple):
    """Scratch of one camera, R = stride x (height rounded up to a multiple of TILE) pixels."""

    inverse_depth: F32
    """(R,) 1/z of the nearest surface so far, 0 where there is none."""
    ids: I32
    """(R + CHUNK,) triangle seen in a pixel, or -1."""
    far: F32
    """(R / 64,) a lower bound of inverse_depth in each tile."""
    dirty: U8
    """(R / 64,) 1 where something was drawn since the bound was computed."""
    rect: TableI32
    """(C, 4) a cluster's pixels: left, right, top, bottom; right and bottom excluded."""
    nearest: F32
    """(C,) least z of a cluster's box."""
    order: I32
    starts: I32
    """(BUCKETS + 1,) where in `sorted` the clusters of a bucket go."""
    sorted: I32
    screen: F64
    """(6 * SPOTS + 6 * CLUSTER_SIZE,) of a cluster's vertices: x and y in pixels, 1/z, x and y snapped to 1/256 pixel,
    z; then of its triangles the snapped x and y of each corner."""
    shown: U8
    """(CLUSTER_SIZE,) how many of a triangle's corners are before the near plane, then 1 where it may show."""
    kept: I32
    """(CLUSTER_SIZE,) triangles of a cluster that may show, counted from its first."""
    spans: I32
    """(3 * MAX_ROWS,) of a triangle's rows: first pixel, the one after the last, bits of 1/z."""
    slot: TableI32
    """(T, 2) row of `planes` that belongs to a triangle seen in this frame, or -1; its material, at hand."""
    seen: I32
    """(W * H,) triangle of each row of `planes`."""
    planes: TableF32
    """(W * H, PLANES) 1/z, u/z and v/z, each as value, step in x, step in y; then the pixel x, y of the
    values, and how many pixels times 1/z a run may have."""
    tints: TableF32
    """(W * H or 1, 9) vertex colour times factor over z: value, step in x, step in y for each of R, G, B."""
    lights: TableF32
    """(W * H, 6) lightmap coordinates over z: value, step in x, step in y for each."""
    outlines: TableF64
    """(min(W * H, T), 10) of a triangle whose edges are blended: weight / z of each corner, as step in x, step in y and
    value at 0, 0; its number."""
    row: U32
    """(ROW_ARRAYS * PITCH,) see rows.py."""
    colored: U8
    """(rows of tiles,) 1 where this thread has found the colours."""


COMMON = ("inverse_depth", "far", "dirty", "rect", "nearest", "sorted")
"""Fields of `Workspace` that all threads of a frame write or read, besides `ids`; of the others each has its own."""
