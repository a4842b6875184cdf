"""How a body walks: the turns of its joints in each part of a stride, and from them where its bones are.

The angles of hip, knee and ankle over a stride are the means of walking adults in Winter, Biomechanics and Motor
Control of Human Movement (2009, appendix A, natural cadence), rounded; between the tenths of a stride a smooth curve
runs through them. How high the hips are follows from the feet: the lower one is on the floor.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from nav_eval.engine.people.bones import (
    ANKLE,
    ARM_L,
    ARM_R,
    BONES,
    CHEST,
    FOOT_L,
    FOOT_R,
    FORE_L,
    FORE_R,
    HEAD,
    HIP,
    KNEE,
    PELVIS,
    SHIN_L,
    SHIN_R,
    THIGH_L,
    THIGH_R,
)
from nav_eval.engine.people.figure import Figure
from nav_eval.engine.people.kinds import Bones, Joints, Scalar
from nav_eval.jit import inner, kernel

FLEXION = np.array(
    [
        (22, 20, 13, 5, -4, -11, -7, 8, 19, 24),
        (5, 16, 17, 10, 6, 11, 34, 58, 46, 16),
        (0, -4, 4, 8, 10, 6, -15, -8, 0, 2),
    ],
    np.float64,
)
"""Degrees of flexion of hip, knee and ankle at 0, 10, ... 90 % of a stride, which begins as the heel strikes."""
SOLE_Y, SOLE_Z = np.array([0.0, 0.0, 0.004]), np.array([0.07, -0.09, -0.185])
"""Heel, ball and toes, relative to the floor under the ankle, m."""
STANCE = (0.1, 0.5)
"""Part of a stride in which a foot surely stands."""
RAD = math.pi / 180
X, Y, Z = (1, 2), (0, 2), (0, 1)
"""The columns that a turn about an axis mixes."""


def posed(body: Figure, phase: float, vigour: float, yaw: float, place: tuple[float, float, float]) -> Bones:
    """The bones of a body. `phase` of the left leg's stride, from 0 to 1; `vigour`: 0 stands, 1 walks at a natural
    pace; `yaw` and `place`: as an agent's pose."""
    bones = np.zeros((BONES, 3, 4))
    walk(body.joints, body.scale, phase, vigour, yaw, place[0], place[1], place[2], bones)
    return bones


@kernel(_nrt=False)
def walk(
    joints: Joints, scale: float, phase: float, vigour: float, yaw: float, x: float, y: float, z: float, bones: Bones
) -> None:
    """Fill the bones; what each joint does is written here from the hips outwards."""
    wave = 2 * math.pi * phase
    swing = vigour * math.cos(wave - 0.3)  # positive as the left leg is ahead
    tip, lean, twist = 2.0 * RAD * vigour * math.sin(wave), 2.5 * RAD * vigour, 6.0 * RAD * swing
    sway = -0.018 * vigour * math.sin(wave - 0.3) * scale
    root(joints, x + sway * math.cos(yaw), y, z - sway * math.sin(yaw), yaw - 0.7 * twist, tip, bones)
    hang(joints, CHEST, PELVIS, bones)
    mix(bones, CHEST, X, -lean)
    mix(bones, CHEST, Y, -1.7 * twist)
    mix(bones, CHEST, Z, -tip)
    settle(joints, CHEST, bones)
    hang(joints, HEAD, CHEST, bones)
    mix(bones, HEAD, Y, twist)
    mix(bones, HEAD, X, 0.6 * lean)
    settle(joints, HEAD, bones)
    for side in range(2):
        ahead = -swing if side == 0 else swing
        upper, fore = (ARM_L, FORE_L) if side == 0 else (ARM_R, FORE_R)
        hang(joints, upper, CHEST, bones)
        mix(bones, upper, Z, (-3.5 if side == 0 else 3.5) * RAD)
        mix(bones, upper, X, 19 * RAD * ahead + 0.03)
        settle(joints, upper, bones)
        hang(joints, fore, upper, bones)
        mix(bones, fore, X, (8 + 12 * vigour) * RAD + 0.13 * max(0.0, ahead))
        settle(joints, fore, bones)
        thigh, shin, foot = (THIGH_L, SHIN_L, FOOT_L) if side == 0 else (THIGH_R, SHIN_R, FOOT_R)
        at = phase + 0.5 * side
        for joint, above, bone, sign in ((0, PELVIS, thigh, 1.0), (1, thigh, shin, -1.0), (2, shin, foot, 1.0)):
            hang(joints, bone, above, bones)
            mix(bones, bone, X, sign * vigour * flexion(joint, at))
            settle(joints, bone, bones)
    lift = y - lowest(joints, scale, bones)
    for bone in range(BONES):
        bones[bone, 1, 3] += lift


@inner(_nrt=False)
def flexion(joint: Scalar, phase: Scalar) -> Scalar:
    """Rad at a phase: Catmull and Rom's curve through the tenths of the table's row `joint`."""
    place = (phase - math.floor(phase)) * 10
    k = int(place)
    t = place - k
    a, b = FLEXION[joint, (k + 9) % 10], FLEXION[joint, k % 10]
    c, d = FLEXION[joint, (k + 1) % 10], FLEXION[joint, (k + 2) % 10]
    return (b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))) * RAD


@inner(_nrt=False)
def root(joints: Joints, x: Scalar, y: Scalar, z: Scalar, yaw: Scalar, tip: Scalar, bones: Bones) -> None:
    """The pelvis: turned by `yaw`, tipped sideways, its joint above (x, z)."""
    for row in range(3):
        for column in range(4):
            bones[PELVIS, row, column] = 1.0 if row == column else 0.0
    bones[PELVIS, 0, 3], bones[PELVIS, 1, 3], bones[PELVIS, 2, 3] = x, y + joints[PELVIS, 1], z
    mix(bones, PELVIS, Y, -yaw)
    mix(bones, PELVIS, Z, tip)
    settle(joints, PELVIS, bones)


@inner(_nrt=False)
def hang(joints: Joints, bone: Scalar, above: Scalar, bones: Bones) -> None:
    """Begin a bone as a part of the one above, with its own joint as the origin."""
    for row in range(3):
        moved = bones[above, row, 3]
        for column in range(3):
            bones[bone, row, column] = bones[above, row, column]
            moved += bones[above, row, column] * joints[bone, column]
        bones[bone, row, 3] = moved


@inner(_nrt=False)
def mix(bones: Bones, bone: Scalar, columns: tuple[int, int], angle: Scalar) -> None:
    """Turn a bone by `angle` rad about the axis that is not among `columns` (Y: by its opposite)."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = columns
    for row in range(3):
        a, b = bones[bone, row, i], bones[bone, row, j]
        bones[bone, row, i] = a * c + b * s
        bones[bone, row, j] = b * c - a * s


@inner(_nrt=False)
def settle(joints: Joints, bone: Scalar, bones: Bones) -> None:
    """End a bone: from its own joint back to the origin of the body at rest."""
    for row in range(3):
        for column in range(3):
            bones[bone, row, 3] -= bones[bone, row, column] * joints[bone, column]


@inner(_nrt=False)
def lowest(joints: Joints, scale: Scalar, bones: Bones) -> Scalar:
    """Height of the lowest point of both soles, m."""
    least = 1e9
    for foot in (FOOT_L, FOOT_R):
        for k in range(3):
            height = bones[foot, 1, 0] * joints[foot, 0] + bones[foot, 1, 3]
            height += bones[foot, 1, 1] * SOLE_Y[k] * scale
            height += bones[foot, 1, 2] * (joints[foot, 2] + SOLE_Z[k] * scale)
            least = min(least, height)
    return least


def stride(scale: float, vigour: float) -> float:
    """Metres of a stride (two steps) of a body `scale` times 1.75 m tall, so that no standing foot slips."""
    return scale * _stride(round(max(vigour, 0.3), 1))


@lru_cache
def _stride(vigour: float) -> float:
    def back(phase: float) -> float:
        """How far behind the hip the ankle is."""
        hip, knee = (vigour * float(_flexion(joint, phase)) for joint in (0, 1))
        return -((HIP - KNEE) * math.sin(hip) + (KNEE - ANKLE) * math.sin(hip - knee))

    begin, end = STANCE
    return (back(end) - back(begin)) / (end - begin)


def _flexion(joint: int, phase: float) -> float:
    """As `flexion`, for a phase that is one of the table's."""
    return float(FLEXION[joint, round(phase * 10) % 10]) * RAD
