"""What a camera sees past all triangles: six pictures of a cube at infinity, looked up by direction.

Faces lie in the order and attitude of `panorama.FACES`: front (-z), left, back, right, up and down, each as a camera
with a field of view of 90 degrees sees it. Which face and which texel follow from comparisons and one division,
so that every machine finds the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.layout import I32, U8, U32, Camera, Scalar
from nav_eval.engine.scene.scene import Sky
from nav_eval.jit import inner, kernel

SHARPEST = 8 / 3
"""Side of a face over focal length beyond which texels are smaller than pixels, and the face is halved."""


def halvings(sky: Sky) -> Iterator[Sky]:
    """The sky, then at half its resolution, and so on while that is even."""
    yield sky
    if sky.faces.shape[2] % 2 == 0:
        yield from halvings(Sky(_halved(sky.faces), sky.above))


def fitted(sizes: Iterable[Sky], focal: float) -> tuple[U32, ...]:
    """Each picture of the first of `halvings` whose texels are not finer than a pixel, as (6, N, N) uint32 RGBA."""
    for sky in sizes:
        if sky.faces.shape[2] <= max(SHARPEST * focal, 2.0):
            break
    packed = tuple(np.ascontiguousarray(picture).view(np.uint32)[..., 0] for picture in sky.faces)
    for picture in packed:
        picture.flags.writeable = False
    return packed


def _halved(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(K, 6, N, N, 4): the mean of each 2 x 2 texels, rounded."""
    wide = pictures.astype(np.uint16)
    columns = wide[:, :, :, ::2] + wide[:, :, :, 1::2]
    mean: NDArray[np.uint8] = ((columns[:, :, ::2] + columns[:, :, 1::2] + 2) >> 2).astype(np.uint8)
    return mean


@kernel(_nrt=False)
def fill(camera: Camera, faces: U32, ids: I32, rgb: U8) -> None:
    """Write those pixels of rgb (H * W * 3,) that show no triangle.

    faces (6, N, N), a packed colour each; ids (R + CHUNK,).
    """
    pose = camera.pose
    side = faces.shape[1]
    for y in range(camera.height):
        down = (y + 0.5 - camera.height * 0.5) / camera.focal
        for x in range(camera.width):
            if ids[y * camera.stride + x] >= 0:
                continue
            right = (x + 0.5 - camera.width * 0.5) / camera.focal
            face, s, t = look_up(
                pose[0] * right + pose[3] * down + pose[6],
                pose[1] * right + pose[4] * down + pose[7],
                pose[2] * right + pose[5] * down + pose[8],
            )
            column, row = place(s, side), place(t, side)
            i, j = column >> 8, row >> 8
            across, below = min(i + 1, side - 1), min(j + 1, side - 1)
            a, b = np.int64(faces[face, j, i]), np.int64(faces[face, j, across])
            c, d = np.int64(faces[face, below, i]), np.int64(faces[face, below, across])
            at = 3 * (y * camera.width + x)
            for channel in range(3):
                shift = 8 * channel
                upper = ((a >> shift) & 255) * (256 - (column & 255)) + ((b >> shift) & 255) * (column & 255)
                lower = ((c >> shift) & 255) * (256 - (column & 255)) + ((d >> shift) & 255) * (column & 255)
                rgb[at + channel] = (upper * (256 - (row & 255)) + lower * (row & 255) + 32768) >> 16


@inner(_nrt=False, forceinline=True)
def look_up(x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The face that a direction meets, and where: from -1 (left, top) to 1."""
    if abs(y) > max(abs(x), abs(z)):
        return (4, x / y, -z / y) if y > 0.0 else (5, x / -y, z / -y)
    if abs(x) > abs(z):
        return (3, z / x, -y / x) if x > 0.0 else (1, z / x, y / x)
    return (2, -x / z, -y / z) if z > 0.0 else (0, x / -z, y / z)


@inner(_nrt=False, forceinline=True)
def place(value: Scalar, side: Scalar) -> Scalar:
    """Texel times 256 of a place from -1 to 1, within the face."""
    texel = np.int64((value + 1.0) * 128.0 * side + 0.5) - 128
    return min(max(texel, 0), (side - 1) * 256)
