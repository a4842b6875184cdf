"""The bodies that MuJoCo moves: how each is built, what drives it, and where it stands.

MuJoCo's frame is z up: (x, y, z) of a building is (x, -z, y) here, and a yaw of 0 looks along +y. A drive is a servo:
it pushes as hard as it must to reach a speed within one step, and no harder than its acceleration limit allows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nav_eval.config.schema import BodyConfig
from nav_eval.geometry import Vec3

UPRIGHT = 10.0
"""The cylinder's height is set, not simulated: along it the body is so many times as heavy."""
GRAVITY = 9.81
SOFT = (0.04, 1.0)
"""Time constant (s) and damping ratio of a hull's contacts: as soft as steps of 10 ms bear without chatter."""


@dataclass(frozen=True, slots=True)
class Build:
    """What a robot is made with: sizes in m, kg, m/s^2 and rad/s^2."""

    body: BodyConfig
    mass: float
    acceleration: float
    angular_acceleration: float
    friction: float
    step: float


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (m, the building's frame), yaw (rad), tilt from upright (rad), speed ahead (m/s) and turn (rad/s)."""

    position: Vec3
    yaw: float
    tilt: float
    speed: float
    turn: float


class Robot(ABC):
    """One kind of body; stateless, so that all sessions share it. Its coordinates are a model's first."""

    rests_on_floor: ClassVar[bool]
    """Whether gravity holds it on the floor's triangles; else its height is set from outside."""

    def __init__(self, build: Build) -> None:
        self.build = build

    @abstractmethod
    def add(self, mujoco: Any, spec: Any) -> None:
        """Put the body into a model's specification."""

    @abstractmethod
    def put(self, data: Any, position: Vec3, yaw: float) -> None:
        """Stand at rest."""

    @abstractmethod
    def drive(self, data: Any, speed: float, turn: float) -> None:
        """Push towards a speed (m/s ahead) and a turn (rad/s to the left)."""

    @abstractmethod
    def pose(self, data: Any) -> Pose: ...

    @abstractmethod
    def feels(self, geom: int, upward: float) -> bool:
        """Whether a contact of this geom is one with an obstacle; `upward`: the |z| of its normal."""


class Cylinder(Robot):
    """Upright, as wide and high as the body; it moves in the plane, and is lifted over what is below max_climb."""

    rests_on_floor = False

    def add(self, mujoco: Any, spec: Any) -> None:
        build, joint = self.build, mujoco.mjtJoint
        base = spec.worldbody.add_body(name="base")
        for axis in ([1, 0, 0], [0, 1, 0]):
            base.add_joint(type=joint.mjJNT_SLIDE, axis=axis)
        base.add_joint(type=joint.mjJNT_SLIDE, axis=[0, 0, 1], armature=UPRIGHT * build.mass)
        base.add_joint(type=joint.mjJNT_HINGE, axis=[0, 0, 1])
        low, high = build.body.max_climb, build.body.height
        base.add_geom(
            name="hull",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[build.body.radius, (high - low) / 2, 0],
            pos=[0, 0, (high + low) / 2],
            mass=build.mass,
            friction=[build.friction, 0, 0],
            solref=list(SOFT),
            priority=1,
        )
        spec.option.gravity = [0, 0, 0]

    def put(self, data: Any, position: Vec3, yaw: float) -> None:
        x, y, z = position
        data.qpos[:4] = x, -z, y, yaw

    def drive(self, data: Any, speed: float, turn: float) -> None:
        build, yaw = self.build, data.qpos[3]
        vx, vy = -math.sin(yaw) * speed - data.qvel[0], math.cos(yaw) * speed - data.qvel[1]
        most = build.acceleration * build.step
        share = build.mass / build.step * min(1.0, most / max(math.hypot(vx, vy), 1e-12))
        inertia = build.mass * build.body.radius**2 / 2
        twist = _clip((turn - data.qvel[3]) / build.step, build.angular_acceleration)
        data.qvel[2] = 0.0
        data.qfrc_applied[:4] = vx * share, vy * share, 0.0, inertia * twist

    def pose(self, data: Any) -> Pose:
        (x, y, z, yaw), (vx, vy, _, turn) = data.qpos[:4].tolist(), data.qvel[:4].tolist()
        return Pose((x, z, -y), yaw, 0.0, math.cos(yaw) * vy - math.sin(yaw) * vx, turn)

    def feels(self, geom: int, upward: float) -> bool:
        return True


class DiffDrive(Robot):
    """A round base on two driven wheels and two casters, with a mast: it rolls, slips, and can tip over."""

    rests_on_floor = True
    wheel, clearance, base_height = 0.06, 0.03, 0.12

    def add(self, mujoco: Any, spec: Any) -> None:
        build, kind = self.build, mujoco.mjtGeom
        base = spec.worldbody.add_body(name="base")
        base.add_freejoint()
        radius, top = build.body.radius, self.clearance + self.base_height
        low = {"type": kind.mjGEOM_CYLINDER, "friction": [build.friction, 0, 0], "solref": list(SOFT), "priority": 1}
        base.add_geom(
            name="hull", size=[radius, self.base_height / 2, 0], pos=[0, 0, (self.clearance + top) / 2],
            mass=0.7 * build.mass, **low,
        )  # fmt: skip
        mast = max(build.body.height - top, 0.05)
        base.add_geom(
            name="mast", size=[0.6 * radius, mast / 2, 0], pos=[0, 0, top + mast / 2], mass=0.2 * build.mass, **low
        )
        caster = {"type": kind.mjGEOM_SPHERE, "size": [0.03, 0, 0], "condim": 1, "priority": 2, "mass": 0.01}
        for name, x in (("front", 1), ("back", -1)):
            base.add_geom(name=name, pos=[0.8 * radius * x, 0, 0.03], **caster)
        for name, y in (("left", 1), ("right", -1)):
            wheel = base.add_body(pos=[0, y * self._track / 2, self.wheel])
            wheel.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0], armature=0.01)
            wheel.add_geom(
                name=f"{name} wheel", type=kind.mjGEOM_SPHERE, size=[self.wheel, 0, 0], mass=0.05 * build.mass,
                friction=[1.0, 0.005, 0.0001], priority=2,
            )  # fmt: skip
        spec.option.gravity = [0, 0, -GRAVITY]

    @property
    def _track(self) -> float:
        return 1.6 * self.build.body.radius

    def put(self, data: Any, position: Vec3, yaw: float) -> None:
        x, y, z = position
        heading = (yaw + math.pi / 2) / 2
        data.qpos[:9] = x, -z, y + 0.005, math.cos(heading), 0, 0, math.sin(heading), 0, 0

    def drive(self, data: Any, speed: float, turn: float) -> None:
        build = self.build
        pose = self.pose(data)
        speed = pose.speed + _clip(speed - pose.speed, build.acceleration * 0.1)
        turn = pose.turn + _clip(turn - pose.turn, build.angular_acceleration * 0.1)
        most = build.mass * build.acceleration * self.wheel / 2
        for dof, side in ((6, -1), (7, 1)):
            wanted = (speed + side * turn * self._track / 2) / self.wheel
            gain = build.mass * self.wheel**2 / 2 / build.step / 4
            data.qfrc_applied[dof] = _clip(gain * (wanted - data.qvel[dof]), most)

    def pose(self, data: Any) -> Pose:
        x, y, z, w, i, j, k = data.qpos[:7].tolist()
        ahead = (1 - 2 * (j * j + k * k), 2 * (i * j + w * k), 2 * (i * k - w * j))
        upright = 1 - 2 * (i * i + j * j)
        yaw = math.remainder(math.atan2(ahead[1], ahead[0]) - math.pi / 2, 2 * math.pi)
        vx, vy = data.qvel[0], data.qvel[1]
        speed = float(vx * ahead[0] + vy * ahead[1])
        return Pose((x, z, -y), yaw, math.acos(min(max(upright, -1.0), 1.0)), speed, float(data.qvel[5]))

    def feels(self, geom: int, upward: float) -> bool:
        return geom < 2 or upward < 0.7


def _clip(value: float, limit: float) -> float:
    return float(np.clip(value, -limit, limit))
