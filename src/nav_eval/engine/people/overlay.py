"""People laid over one frame, and what its ids then mean: -2 - k is the k-th triangle of all people drawn into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.people.bones import BONES, TALL
from nav_eval.engine.people.draw import darken, draw, find, stand, tell
from nav_eval.engine.people.figure import Figure, figure
from nav_eval.engine.people.gait import posed
from nav_eval.engine.people.kinds import F32, I32, Bones, Box, Canvas, Eye, Posed, Scratch

FIRST_ID = -2
DETAILS = ((350.0, 1), (280.0, 2), (150.0, 3), (0.0, 4))
"""From so many pixels of height on a body has every column, each second, third or fourth of its cloths."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Who was drawn, in the order of their triangles' ids; `firsts` (N + 1,): the id of each one's first triangle, and
    the next one's; `boxes` (N, 4) into which rectangles: left, right, top, bottom, pixels."""

    people: Sequence[Posed]
    bodies: Sequence[Figure]
    firsts: I32
    boxes: I32

    def semantic(self, ids: NDArray[np.int32], image: NDArray[np.int32]) -> None:
        """Fill in the object ids of people; (H, W or more) and (H, W)."""
        tell(ids, np.array([person.object_id for person in self.people], np.int32), self.firsts, self.boxes, image)

    def normal(self, ids: NDArray[np.int32], image: NDArray[np.float32]) -> None:
        """Fill in the unit face normals of people, world frame; (H, W or more) and (H, W, 3)."""
        ids = ids[:, : image.shape[1]]
        seen = ids <= FIRST_ID
        pairs = zip(self.people, self.bodies, strict=True)
        normals = [face_normals(body, bones_of(person, body)) for person, body in pairs]
        image[seen] = np.concatenate([*normals, np.zeros((0, 3), np.float32)])[FIRST_ID - ids[seen]]


def lay(eye: Eye, canvas: Canvas, people: Sequence[Posed]) -> Drawn | None:
    """Draw those in view, and their shadows where colours are kept (whose order does not matter). None: nobody is
    seen."""
    seen = in_view(eye, people)
    if not seen:
        return None
    if canvas.rgb.size > 1:
        darken(eye, canvas, np.array([person.position for person, _ in seen], np.float64))
    scratch = _scratch(max(len(body.skin.points) for _, body in seen))
    drawn: list[tuple[Posed, Figure]] = []
    boxes, firsts = np.empty((len(seen), 4), np.int32), [FIRST_ID]
    for person, body in seen:
        if _draw(eye, canvas, person, body, scratch, firsts[-1], boxes[len(drawn)]):
            drawn.append((person, body))
            firsts.append(firsts[-1] - len(body.skin.triangles))
    if not drawn:
        return None
    bodies = [body for _, body in drawn]
    return Drawn([person for person, _ in drawn], bodies, np.array(firsts, np.int32), boxes[: len(drawn)])


def in_view(eye: Eye, people: Sequence[Posed]) -> list[tuple[Posed, Figure]]:
    """Who may be seen, the nearest first, each with a body of as many triangles as are needed."""
    ahead = np.empty(len(people))
    find(eye, np.array([person.position for person in people], np.float64).reshape(-1, 3), ahead)
    near = sorted((gap, k) for k, gap in enumerate(ahead.tolist()) if gap == gap)
    return [(people[k], figure(people[k].look, _detail(eye.focal * TALL / max(gap, 1e-9)))) for gap, k in near]


def standing(person: Posed, body: Figure) -> F32:
    """(V, 6): places of a posed body's vertices, m, and their lit colours from 0 to 1."""
    vertices = np.empty((len(body.skin.points), 6), np.float32)
    stand(body.skin, bones_of(person, body), person.light, vertices)
    return vertices


def _detail(height: float) -> int:
    for least, every in DETAILS:
        if height >= least:
            return every
    return DETAILS[-1][1]


def _scratch(vertices: int) -> Scratch:
    return Scratch(np.empty((BONES, 3, 4)), np.empty((vertices, 2)), np.empty((vertices, 4)))


def _draw(eye: Eye, canvas: Canvas, person: Posed, body: Figure, scratch: Scratch, first: int, box: Box) -> bool:
    """False for one that is not seen."""
    stride = (person.phase, person.vigour, person.yaw)
    return draw(
        eye, canvas, body.skin, body.joints, body.scale, *stride, person.position, person.light, scratch, first, box
    )


def bones_of(person: Posed, body: Figure) -> Bones:
    """Of a person who has this body."""
    return posed(body, person.phase, person.vigour, person.yaw, person.position)


def face_normals(body: Figure, bones: Bones) -> NDArray[np.float32]:
    """(T, 3) unit normals of a posed body, world frame."""
    points = bent(body, bones)
    a, b, c = (points[body.solid.triangles[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    return np.asarray(cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-12), np.float32)


def bent(body: Figure, bones: Bones) -> NDArray[np.float64]:
    """(V, 3) vertices of a posed body, m, world frame."""
    solid = body.solid
    both = [
        np.einsum("vij,vj->vi", bones[index, :, :3], solid.points) + bones[index, :, 3]
        for index in (solid.first, solid.second)
    ]
    return np.asarray(both[0] + (both[1] - both[0]) * solid.share[:, None])
