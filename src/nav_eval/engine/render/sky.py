"""What a camera sees past all triangles: six pictures of a cube at infinity, looked up by direction.

Faces lie in the order and attitude of `panorama.FACES`: front (-z), left, back, right, up and down, each as a camera
with a field of view of 90 degrees sees it. Which face and which texel follow from comparisons and one division,
so that every machine finds the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.layout import U32, Camera, Scalar
from nav_eval.engine.render.rows import BLOCK, COLOR, EIGHT, FRACTIONS, LANES, LOW, PAIR, SIXTEEN, STEP, TAPS, u32
from nav_eval.engine.scene.scene import Sky
from nav_eval.jit import inner

SHARPEST = 8 / 3
"""Side of a face over focal length beyond which texels are smaller than pixels, and the face is halved."""

HALF = np.uint32(0x00020002)
"""Half of four, in either channel of a pair."""


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
    packed = np.ascontiguousarray(pictures).view(np.uint32)[..., 0]
    even, odd = _halved_pairs(packed & PAIR), _halved_pairs((packed >> EIGHT) & PAIR)
    mean: NDArray[np.uint8] = (even | (odd << EIGHT))[..., None].view(np.uint8)
    return mean


def _halved_pairs(pairs: Any) -> Any:
    """Two channels at once, 16 bits apart. (..., N, N) uint32."""
    columns = pairs[..., ::2] + pairs[..., 1::2]
    return ((columns[..., ::2, :] + columns[..., 1::2, :] + HALF) >> np.uint32(2)) & PAIR


@inner(_nrt=False)
def paint(
    camera: Camera, faces: U32, side: Scalar, left: Scalar, y: Scalar, begin: Scalar, end: Scalar, row: U32
) -> None:
    """Colours of the pixels from begin to end of a chunk that starts at column `left`, rounded up to whole blocks.

    A neighbour past the border of a face has no weight: any texel will do.

    faces (6 * side * side,), row (ROW_ARRAYS * PITCH,).
    """
    aim(camera, np.float64(side), left, y, begin, end, row)
    final = np.uint64(faces.shape[0] - 1)
    for i in range(begin, end):
        k = np.uint64(i)
        at, tap = np.uint64(row[k + COLOR]), k + TAPS
        below = at + np.uint64(side)
        row[tap], row[tap + STEP] = faces[at], faces[min(at + np.uint64(1), final)]
        row[tap + np.uint64(2) * STEP] = faces[min(below, final)]
        row[tap + np.uint64(3) * STEP] = faces[min(below + np.uint64(1), final)]
    for start in range(begin, end, BLOCK):
        for i in range(start, start + BLOCK):
            k = np.uint64(i)
            x, y = row[k + FRACTIONS] & LOW, u32(row[k + FRACTIONS] >> EIGHT)
            a, b = row[k + TAPS], row[k + TAPS + STEP]
            c, d = row[k + TAPS + np.uint64(2) * STEP], row[k + TAPS + np.uint64(3) * STEP]
            red = between(a & LOW, b & LOW, c & LOW, d & LOW, x, y)
            green = between(second(a), second(b), second(c), second(d), x, y)
            blue = between(third(a), third(b), third(c), third(d), x, y)
            row[k + COLOR] = red | u32(green << EIGHT) | u32(blue << SIXTEEN)


@inner(_nrt=False)
def aim(camera: Camera, side: Scalar, left: Scalar, y: Scalar, begin: Scalar, end: Scalar, row: U32) -> None:
    """Texel indices and fractions where the pixels' directions meet the cube; all branches are selections.

    The indices stand where colours will: textures are looked up at what is left where their own indices stand.

    row (ROW_ARRAYS * PITCH,).
    """
    pose, focal, middle = camera.pose, camera.focal, camera.width * 0.5
    down = (y + 0.5 - camera.height * 0.5) / focal
    right_x, right_y, right_z = pose[0], pose[1], pose[2]
    down_x, down_y, down_z = pose[3] * down, pose[4] * down, pose[5] * down
    ahead_x, ahead_y, ahead_z = pose[6], pose[7], pose[8]
    width, last = np.uint32(side), side * 256.0 - 128.0
    for start in range(begin, end, LANES):
        for i in range(start, start + LANES):
            right = (np.float64(np.int32(left + i)) + 0.5 - middle) / focal
            x = right_x * right + down_x + ahead_x
            y = right_y * right + down_y + ahead_y
            z = right_z * right + down_z + ahead_z
            upright, sideways = abs(y) > max(abs(x), abs(z)), abs(x) > abs(z)
            s = (x if upright else z if sideways else -x) / (abs(y) if upright else x if sideways else z)
            t = (z if upright else y) / -(y if upright else abs(x) if sideways else abs(z))
            flat = np.float64(1.0 if x <= 0.0 else 3.0) if sideways else np.float64(0.0 if z <= 0.0 else 2.0)
            face = np.float64(5.0 if y <= 0.0 else 4.0) if upright else flat
            column, line = place(s, side, last), place(t, side, last)
            at = np.uint64(i)
            above = u32(u32(np.uint32(np.int32(face)) * width) + u32(line >> EIGHT))
            row[at + COLOR] = u32(u32(above * width) + u32(column >> EIGHT))
            row[at + FRACTIONS] = (column & LOW) | u32((line & LOW) << EIGHT)


@inner(_nrt=False, forceinline=True)
def place(value: Scalar, side: Scalar, last: Scalar) -> Scalar:
    """Texel times 256 of a place from -1 to 1, within the face; `last`: of its last texel, plus 128."""
    texel = (value + 1.0) * 128.0 * side + 0.5
    inside = texel if texel > 128.0 else 128.0
    return u32(np.uint32(np.int32(inside if inside < last else last)) - np.uint32(128))


@inner(_nrt=False, forceinline=True)
def between(a: Scalar, b: Scalar, c: Scalar, d: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """One channel of four texels, rounded once; x, y: fractions out of 256."""
    left, top = u32(np.uint32(256) - x), u32(np.uint32(256) - y)
    upper, lower = u32(u32(a * left) + u32(b * x)), u32(u32(c * left) + u32(d * x))
    return u32(u32(u32(upper * top) + u32(lower * y) + np.uint32(32768)) >> SIXTEEN)


@inner(_nrt=False, forceinline=True)
def second(color: Scalar) -> Scalar:
    """Green."""
    return u32(color >> EIGHT) & LOW


@inner(_nrt=False, forceinline=True)
def third(color: Scalar) -> Scalar:
    """Blue."""
    return u32(color >> SIXTEEN) & LOW
