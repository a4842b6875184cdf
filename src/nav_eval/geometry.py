"""Rotations and frames, as Habitat has them: y up, the agent looks along -z, quaternions are [x, y, z, w].

Yaw (rad) turns about +y, positive = left; the forward vector at yaw psi is (-sin psi, 0, -cos psi). R2R's heading
is the other way round: 0 along +y of the Matterport frame and positive = right, so yaw = -heading.
Plain floats, because these run a few times per step and numpy would cost more than the arithmetic.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import reduce
from typing import TypeAlias

Vec3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


def euclidean(a: Vec3, b: Vec3) -> float:
    """Straight 3-D distance, metres."""
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


def between(a: Vec3, b: Vec3, share: float) -> Vec3:
    """The point at this share of the way from a to b."""
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share)


def total(values: Iterable[float]) -> float:
    """The sum from the first value to the last, rounded after each: what a loop of += makes, 0.0 for none.

    Every sum in a record is made so. Python's `sum` corrects for rounding since 3.12, so with it a record would depend
    on the Python that wrote it, and a path walked along its reference would differ from it in the last bit.
    """
    return reduce(operator.add, values, 0.0)


def wrap_angle(angle: float) -> float:
    """The same angle in [-pi, pi)."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def yaw_rotation(yaw: float) -> Quaternion:
    """Quaternion of a turn by `yaw` rad about +y."""
    return (0.0, math.sin(yaw / 2), 0.0, math.cos(yaw / 2))


def rotate(q: Quaternion, v: Vec3) -> Vec3:
    """`v` turned by the unit quaternion `q`."""
    x, y, z, w = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def conjugate(q: Quaternion) -> Quaternion:
    """The inverse of a unit quaternion."""
    return (-q[0], -q[1], -q[2], q[3])


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product: first `b`, then `a`."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def yaw_of(q: Quaternion) -> float:
    """Yaw (rad) of the horizontal part of where `q` makes the agent look."""
    forward = rotate(q, (0.0, 0.0, -1.0))
    return math.atan2(-forward[0], -forward[2])


def yaw_towards(start: Vec3, end: Vec3) -> float:
    """Yaw (rad) that faces `end` from `start`, horizontally."""
    return math.atan2(-(end[0] - start[0]), -(end[2] - start[2]))


def to_start_frame(point: Vec3, start: Vec3, start_rotation: Quaternion) -> Vec3:
    """`point` as seen from the start pose: R_start^-1 (p - p_start)."""
    offset = (point[0] - start[0], point[1] - start[1], point[2] - start[2])
    return rotate(conjugate(start_rotation), offset)
