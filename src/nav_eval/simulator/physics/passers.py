"""People in MuJoCo's models: upright cylinders that go where they walk, and that nothing a robot does can hold.

Each is far heavier than any robot and is given, before every step, the speed that takes it where it is then; so a
contact knows how fast they come, which one with a body that is merely put elsewhere does not. They touch robots only:
walls are their own motion's concern.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nav_eval.core.types import Walker

HEAVY = 1e5
"""Mass of a person, kg."""
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
            type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[radius, HEIGHT / 2, 0], pos=[0, 0, HEIGHT / 2], mass=HEAVY,
            contype=TOUCHED_BY_PEOPLE, conaffinity=0,
        )  # fmt: skip


def leave(data: Any, count: int) -> None:
    """Out of everybody's way."""
    if count:
        data.qpos[-AXES * count :] = np.tile([0.0, 0.0, AWAY], count)


def put(data: Any, walkers: Sequence[Walker]) -> None:
    """At rest where they are."""
    data.qpos[-AXES * len(walkers) :] = _places(walkers)


def lead(data: Any, walkers: Sequence[Walker], step: float) -> None:
    """Give them the speeds that take them where they are at the end of a step."""
    own = slice(-AXES * len(walkers), None)
    data.qvel[own] = (_places(walkers) - data.qpos[own]) / step


def _places(walkers: Sequence[Walker]) -> Any:
    return np.array([(x, -z, y) for x, y, z in (walker.position for walker in walkers)]).ravel()
