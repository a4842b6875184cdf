"""What is drawn of a person, and the arrays that the kernels of this package share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.geometry import Vec3

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
U8 = NDArray[np.uint8]
Joints = F64
"""(13, 3) where each bone turns, m, in the frame of the body at rest: y up, facing -z, feet on y = 0."""
Bones = F64
"""(13, 3, 4) each bone's motion [rotation | shift], m, from the body at rest to the world (y up)."""
Spots = F64
"""(V, 2) a body's vertices on the picture: x to the right and y down, pixels; not numbers behind the camera."""
Corners = F64
"""(V, 4) of the same: 1/z (1/m), then red, green and blue, 0 to 255."""
Box = I32
"""(4,) left, right, top and bottom of a part of the picture, pixels; right and bottom excluded."""
Scalar: TypeAlias = Any
"""A number inside a kernel."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A person as one is drawn. `look`: a seed; `object_id` in the semantic image; `phase` of the stride, 0 to 1;
    `vigour`: 0 stands, 1 walks at a natural pace; `light`: share of red, green and blue of full light."""

    look: int
    object_id: int
    position: Vec3
    yaw: float
    phase: float = 0.0
    vigour: float = 0.0
    light: Vec3 = (1.0, 1.0, 1.0)


class Skin(NamedTuple):
    """What is drawn of one figure."""

    points: F32
    """(V, 3) at rest, m."""
    normals: F32
    colours: F32
    """(V, 3) sRGB, 0 to 1."""
    first: I32
    second: I32
    share: F32
    """(V,) a vertex moves with bone `first`, and by `share` with `second`."""
    triangles: I32
    """(T, 3)"""


class Scratch(NamedTuple):
    """What a body is bent in, of as many vertices as the largest has."""

    bones: Bones
    spots: Spots
    corners: Corners


class Eye(NamedTuple):
    """A camera, as the renderer's: `pose` (12,) with its place in the world, m, focal length and size in pixels, length
    of a row of its buffers."""

    pose: F64
    focal: float
    width: int
    height: int
    stride: int


class Canvas(NamedTuple):
    """What is drawn into: 1/z and ids, as in the renderer, and the colours (H * W * 3,), or one where none are kept."""

    inverse_depth: F32
    ids: I32
    rgb: U8
