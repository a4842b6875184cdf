"""People in MuJoCo's models: upright cylinders that go where they walk, and push a robot away as hard as people can.

Each is given, before every step, the speed that takes it where it is then; so a contact knows how fast they come, which
one with a body that is merely put elsewhere does not. Who is held, by a robot that cannot give way, pushes with `PUSH`;
who is held so long that one's motion has gone past is out of the model until there is room. They touch robots only:
walls are their own motion's concern.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nav_eval.core.types import Walker
from nav_eval.geometry import Vec3

MASS = 75.0
"""Of a person, kg."""
PUSH = 300.0
"""What a person who is held pushes with, N."""
SWIFT = 2.0
"""How fast who was held catches up, m/s."""
HELD = 1e-3
"""Who is farther from where one was led has been held, m."""
PAST = 0.25
"""Whose motion is so far ahead has gone past what holds, m."""
HEIGHT = 1.7
AXES = 3
AWAY = -1000.0
"""Where those who were not yet told of are, m below the ground."""
TOUCHED_BY_PEOPLE = 2
"""The bit of a geom that people touch; the building has the first."""


def add(mujoco: Any, spec: Any, count: int, radius: float) -> None:
    """Put `count` people into a model's specification, after the robot."""
    if not count:
        return
    for geom in spec.geoms:
        geom.conaffinity |= TOUCHED_BY_PEOPLE
    for _ in range(count):
        body = spec.worldbody.add_body(gravcomp=1)
        for axis in np.eye(AXES).tolist():
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[radius, HEIGHT / 2, 0], pos=[0, 0, HEIGHT / 2], mass=MASS,
            contype=TOUCHED_BY_PEOPLE, conaffinity=0,
        )  # fmt: skip


def leave(data: Any, count: int) -> None:
    """Out of everybody's way."""
    if count:
        data.qpos[-AXES * count :] = np.tile([0.0, 0.0, AWAY], count)


def put(data: Any, walkers: Sequence[Walker]) -> Any:
    """At rest where they are; returns that, as `lead` does."""
    data.qpos[-AXES * len(walkers) :] = _places(walkers).ravel()
    return _places(walkers)


def lead(data: Any, led: Any, walkers: Sequence[Walker], step: float, robot: Vec3, reach: float) -> Any:
    """Give them the speeds that take them where they are at the end of a step: that, (N, 3), is returned, and `led` is
    what the last call returned. Nobody comes back into the model within `reach` of the robot, m."""
    own, places = slice(-AXES * len(walkers), None), _places(walkers)
    now, speeds = data.qpos[own].reshape(places.shape), data.qvel[own].reshape(places.shape)
    for at, speed, place, last in zip(now, speeds, places, led, strict=True):
        wanted, gap = (place - at) / step, math.dist(place, at)
        if gap > PAST:
            room = math.hypot(place[0] - robot[0], place[1] + robot[2]) > reach
            at[:], speed[:] = place if room else (0.0, 0.0, AWAY), 0.0
        elif math.dist(at, last) < HELD:
            speed[:] = wanted
        else:
            change = wanted * min(SWIFT * step / max(gap, 1e-9), 1.0) - speed
            quicker = math.hypot(*wanted) > math.hypot(*speed)
            speed += change * (min(PUSH / MASS * step / max(math.hypot(*change), 1e-9), 1.0) if quicker else 1.0)
    return places


def _places(walkers: Sequence[Walker]) -> Any:
    """(N, 3) in MuJoCo's axes."""
    return np.array([(x, -z, y) for x, y, z in (walker.position for walker in walkers)])
