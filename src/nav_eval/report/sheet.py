"""Views at random poses beside the plan on which they are marked: what a scene looks like when nobody chooses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene
from nav_eval.geometry import Vec3
from nav_eval.report.views import FINER, floor_plan, plan_origin, view_image

if TYPE_CHECKING:
    from PIL.Image import Image

Pose = tuple[Vec3, float]
_PAPER, _MARK = (250, 248, 244), (196, 30, 58)
_GAP = 6
_DOT = 0.17
"""Metres: the radius of a pose's mark."""


def random_poses(navmesh: NavMesh, count: int, seed: int, eye: float) -> list[Pose]:
    """Camera positions (metres) uniformly over the largest island, `eye` above it, with uniform yaws (rad)."""
    largest = max(navmesh.islands, key=lambda island: island.area)
    spots = navmesh.random_points(count, seed, largest.index)
    yaws = np.random.default_rng(seed).uniform(-math.pi, math.pi, count)
    return [((float(x), float(y) + eye, float(z)), float(yaw)) for (x, y, z), yaw in zip(spots, yaws, strict=True)]


def pose_sheet(
    scene: Scene, poses: Sequence[Pose], columns: int = 5, size: tuple[int, int] = (320, 240), hfov: float = 79.0
) -> Image:
    """The storeys' plans at the left, where rooms are known, and every view with its number."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    rows = -(-len(poses) // columns)
    plans = [marked_plan(scene, storey, poses) for storey in sorted({region.storey for region in scene.regions})]
    left = max((plan.width for plan in plans), default=-_GAP) + _GAP
    high = max(rows * (size[1] + _GAP), sum(plan.height + _GAP for plan in plans)) - _GAP
    sheet = Pictures.new("RGB", (left + columns * (size[0] + _GAP) - _GAP, high), _PAPER)
    top = 0
    for plan in plans:
        sheet.paste(plan, (0, top))
        top += plan.height + _GAP
    for k, (position, yaw) in enumerate(poses):
        picture = view_image(scene, position, yaw, 0.0, size, hfov, FINER)
        draw = ImageDraw.Draw(picture)
        draw.text((6, 4), str(k + 1), fill=(255, 255, 255), font_size=18, stroke_width=2, stroke_fill=_MARK)
        sheet.paste(picture, (left + k % columns * (size[0] + _GAP), k // columns * (size[1] + _GAP)))
    return sheet


def marked_plan(scene: Scene, storey: int, poses: Sequence[Pose], pixels_per_metre: int = 46) -> Image:
    """The plan of a storey with the poses that stand on it, numbered from 1 among them all."""
    from PIL import ImageDraw

    plan = floor_plan(scene, storey, pixels_per_metre)
    origin, draw = plan_origin(scene, storey), ImageDraw.Draw(plan)
    dot = max(5, round(_DOT * pixels_per_metre))
    for k, (position, yaw) in enumerate(poses):
        if storey_below(scene, position) == storey:
            x, y = ((position[axis] - origin[axis // 2]) * pixels_per_metre for axis in (0, 2))
            ahead = x - 2.5 * dot * math.sin(yaw), y - 2.5 * dot * math.cos(yaw)
            draw.line((x, y, *ahead), fill=_MARK, width=3)
            draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=_MARK)
            draw.text((x, y), str(k + 1), fill=(255, 255, 255), anchor="mm", font_size=1.4 * dot)
    return plan


def storey_below(scene: Scene, position: Vec3) -> int:
    """The storey of the highest floor below a position."""
    below = [region for region in scene.regions if region.low[1] <= position[1]]
    return max(below, key=lambda region: region.low[1], default=scene.regions[0]).storey
