"""People laid over one frame, and what its ids then mean: -2 - k is the k-th triangle of all people drawn into it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.people.draw import bend, darken, hidden, paint, stand, tell
from nav_eval.engine.people.figure import TALL, Figure, figure
from nav_eval.engine.people.gait import posed
from nav_eval.engine.people.kinds import F32, F64, I32, Canvas, Eye
from nav_eval.geometry import Vec3

REACH = 0.9
"""No part of a walking body is farther from the line above its place than this, m."""
TALLEST = 2.2
FIRST_ID = -2
DETAILS = ((350.0, 1), (280.0, 2), (150.0, 3), (0.0, 4))
"""From so many pixels of height on a body has every column, each second, third or fourth of its cloths."""


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


@dataclass(frozen=True, slots=True)
class Drawn:
    """Who was drawn, in the order of their triangles' ids, and into which rectangles: left, right, top, bottom."""

    people: Sequence[Posed]
    bodies: Sequence[Figure]
    boxes: Sequence[I32]

    def semantic(self, ids: NDArray[np.int32], image: NDArray[np.int32]) -> None:
        """Fill in the object ids of people; (H, W or more) and (H, W)."""
        pairs = zip(self.people, self.bodies, strict=True)
        names = [np.full(len(body.solid.triangles), person.object_id, np.int32) for person, body in pairs]
        every = np.concatenate([*names, np.zeros(0, np.int32)])
        for box in self.boxes:
            tell(ids, every, FIRST_ID, box, image)

    def normal(self, ids: NDArray[np.int32], image: NDArray[np.float32]) -> None:
        """Fill in the unit face normals of people; (H, W or more) and (H, W, 3)."""
        ids = ids[:, : image.shape[1]]
        seen = ids <= FIRST_ID
        pairs = zip(self.people, self.bodies, strict=True)
        normals = [face_normals(body, bones_of(person, body)) for person, body in pairs]
        image[seen] = np.concatenate([*normals, np.zeros((0, 3), np.float32)])[FIRST_ID - ids[seen]]


def lay(eye: Eye, canvas: Canvas, people: Sequence[Posed]) -> Drawn | None:
    """Draw those in view, and their shadows where colours are kept (whose order does not matter). None: nobody is
    seen."""
    seen = in_view(eye, people)
    if canvas.rgb.size > 1:
        for person, _ in seen:
            darken(eye, canvas, *person.position)
    drawn: list[tuple[Posed, Figure, I32]] = []
    first = FIRST_ID
    for person, body in seen:
        box = _draw(eye, canvas, person, body, first)
        if box is not None:
            drawn.append((person, body, box))
            first -= len(body.solid.triangles)
    return Drawn(*zip(*drawn, strict=True)) if drawn else None


def in_view(eye: Eye, people: Sequence[Posed]) -> list[tuple[Posed, Figure]]:
    """Who may be seen, the nearest first, each with a body of as many triangles as are needed."""
    gaps = sorted((gap, k) for k, person in enumerate(people) if (gap := _ahead(eye, person)) is not None)
    details = [_detail(eye.focal * TALL / gap if gap > 0 else math.inf) for gap, _ in gaps]
    return [(people[k], figure(people[k].look, every)) for (_, k), every in zip(gaps, details, strict=True)]


def standing(person: Posed, body: Figure) -> F32:
    """(V, 6): places of a posed body's vertices, m, and their lit colours from 0 to 1."""
    vertices = np.empty((len(body.skin.points), 6), np.float32)
    stand(body.skin, bones_of(person, body), person.light, vertices)
    return vertices


def _detail(height: float) -> int:
    return next(every for least, every in DETAILS if height >= least)


def _ahead(eye: Eye, person: Posed) -> float | None:
    """How far ahead of the camera a person is, m; None for one that is out of view."""
    gap = np.array(person.position) + np.array([0.0, TALLEST / 2, 0.0]) - eye.pose[9:]
    right, down, ahead = (float(eye.pose[k : k + 3] @ gap) for k in (0, 3, 6))
    radius = math.hypot(REACH, TALLEST / 2)
    if ahead < -radius:
        return None
    for across, size in ((right, eye.width), (down, eye.height)):
        slope = size / 2 / eye.focal
        if abs(across) - slope * ahead > radius * math.hypot(1, slope):
            return None
    return ahead


def _draw(eye: Eye, canvas: Canvas, person: Posed, body: Figure, first: int) -> I32 | None:
    """Where; None for one that is hidden."""
    skin = body.skin
    count = len(skin.points)
    spots, corners, box = np.empty((count, 2)), np.empty((count, 5)), np.zeros(4, np.int32)
    if not bend(eye, skin, bones_of(person, body), person.light, spots, corners, box):
        return None
    nearest = float(corners[:, 4].min())
    if nearest > 0 and hidden(eye, canvas, box, 1 / nearest):
        return None
    paint(eye, canvas, skin.triangles, spots, corners, first)
    return box


def bones_of(person: Posed, body: Figure) -> F64:
    """(13, 3, 4)"""
    return posed(body, person.phase, person.vigour, person.yaw, person.position)


def face_normals(body: Figure, bones: F64) -> NDArray[np.float32]:
    """(T, 3) of a posed body, world frame."""
    points = bent(body, bones)
    a, b, c = (points[body.solid.triangles[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    return np.asarray(cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-12), np.float32)


def bent(body: Figure, bones: F64) -> NDArray[np.float64]:
    """(V, 3) of a posed body, m."""
    solid = body.solid
    both = [
        np.einsum("vij,vj->vi", bones[index, :, :3], solid.points) + bones[index, :, 3]
        for index in (solid.first, solid.second)
    ]
    return np.asarray(both[0] + (both[1] - both[0]) * solid.share[:, None])
