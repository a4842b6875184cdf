"""What mirrors and switched-off screens show: their room, as it looks to who stands before them; panes what is behind.

Each large enough one has a texture of its own, a picture taken at generation by rays from where one would stand,
turned back at its face, or passing through glass. It is right from there and looks like a mirror, or glass, from
elsewhere; it costs a frame nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Sky
from nav_eval_worlds.exact import Floats, cross, length, normalised
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.rays import pictures
from nav_eval_worlds.rays.pictures import Paints
from nav_eval_worlds.rays.soup import Soup, soup_of, standing
from nav_eval_worlds.surfaces.palette import REFLECTION
from nav_eval_worlds.surfaces.parametric import Evaluate, Model, Quad, place

_PANES = 4
"""Faces of glass in one thing: a shower has two panes, and one sees both sides."""
_MOST = 40
"""Pictures in a building; further mirrors keep the plain one."""
_LEAST = {"mirror": 0.06, "screen": 0.06, "glass": 0.3}
"""Square metres from which a face has a picture."""
_TEXEL = {"mirror": 0.0065, "screen": 0.015, "glass": 0.016}
_SIDES = {"mirror": (40, 192), "screen": (24, 80), "glass": (32, 96)}
"""Metres between texels, and least and most texels along a side."""
_SENDS = {"mirror": (0.94, (0.0, 2.0, 2.0)), "screen": (0.2, (9.0, 9.5, 11.0)), "glass": (0.78, (30.0, 36.0, 37.0))}
"""What share of light comes back, and what the face adds, 0 to 255."""
_EYE, _BEFORE = 1.4, 1.4
"""Metres above the floor and before the face where one stands."""
_RAYS = 2
"""Per texel and side."""


@dataclass(frozen=True, slots=True)
class Face:
    """A flat face that reflects: its kind, room, lower left corner, sides (metres) and normal."""

    kind: str
    room: int
    corner: Floats
    right: Floats
    up: Floats
    normal: Floats

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of its picture."""
        least, most = _SIDES[self.kind]
        high, wide = (
            min(max(int(float(length(side)) / _TEXEL[self.kind]) // 4 * 4, least), most)
            for side in (self.up, self.right)
        )
        return high, wide


def reflecting(items: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[Face, ...]]:
    """The items with a material of its own on each face that reflects, and those faces in the materials' order."""
    out: list[Item] = []
    faces: list[Face] = []
    for item in items:
        for kind in _LEAST:
            for _ in range(_PANES if kind == "glass" else 1):
                found = _face(item, kind) if len(faces) < _MOST else None
                if found is not None:
                    item = replace(item, model=_laid(item.model, kind, found, f"{REFLECTION}{len(faces)}"))
                    faces.append(_standing(found, item))
        out.append(item)
    return tuple(out), tuple(faces)


def _face(item: Item, kind: str) -> Face | None:
    """The plane of an item's largest upright face of a material, in the item's own frame."""
    quads = [quad for quad in item.model.quads if quad.material == kind]
    grids = [grid for grid in item.model.grids if grid.material == kind]
    if not quads and not grids:
        return None
    normals = [_normal(quad.corners) for quad in quads]
    areas = [float(length(cross(q.corners[2] - q.corners[0], q.corners[3] - q.corners[1]))) / 2 for q in quads]
    normal = normals[areas.index(max(areas))] if quads else np.asarray([0.0, 0.0, 1.0])
    largest = quads[areas.index(max(areas))].corners[0] if quads else np.zeros(3)
    parts = [
        quad.corners
        for quad, own in zip(quads, normals, strict=True)
        if _along(own, normal) and abs(float(_dot(quad.corners[0] - largest, normal))) < 0.05
    ]
    parts += [grid.evaluate(*grid.least)[0].reshape(-1, 3) for grid in grids]
    if abs(float(normal[1])) > 0.7:
        return None
    right = normalised(cross(np.asarray([0.0, 1.0, 0.0]), normal))
    up, points = cross(normal, right), np.concatenate(parts)
    a, b, c = (_dot(points, axis) for axis in (right, up, normal))
    wide, high = float(a.max() - a.min()), float(b.max() - b.min())
    if wide * high < _LEAST[kind]:
        return None
    corner = right * a.min() + up * b.min() + normal * c.max()
    return Face(kind, item.room, corner, right * wide, up * high, normal)


def _normal(corners: Floats) -> Floats:
    return normalised(cross(corners[2] - corners[0], corners[3] - corners[1]))


def _along(a: Floats, b: Floats) -> bool:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > 0.99


def _dot(points: Floats, axis: Floats) -> Floats:
    return np.asarray(points[..., 0] * axis[0] + points[..., 1] * axis[1] + points[..., 2] * axis[2])


def _laid(model: Model, kind: str, face: Face, name: str) -> Model:
    """The model with a picture laid over the faces of a kind that look the way of `face`, in its plane."""
    quads = [
        Quad(quad.corners, _uvs(quad.corners, face), name, quad.max_edge)
        if quad.material == kind and _lies_in(quad.corners, face)
        else quad
        for quad in model.quads
    ]
    grids = [
        replace(grid, evaluate=_over(grid.evaluate, face), material=name) if grid.material == kind else grid
        for grid in model.grids
    ]
    return Model(quads, grids)


def _lies_in(corners: Floats, face: Face) -> bool:
    off = np.abs(_dot(corners - face.corner, face.normal))
    return _along(_normal(corners), face.normal) and float(off.max()) < 0.05


def _uvs(points: Floats, face: Face) -> Floats:
    """Where on a face's picture points lie, half a texel from its edges at least."""
    out = []
    for side, count in ((face.right, face.size[1]), (face.up, face.size[0])):
        share = _dot(points - face.corner, side) / float(_dot(side, side))
        out.append(np.clip(share, 0.5 / count, 1.0 - 0.5 / count))
    return np.stack([out[0], 1.0 - out[1]], axis=-1)


def _over(evaluate: Evaluate, face: Face) -> Callable[[int, int], tuple[Floats, Floats]]:
    def laid(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, _ = evaluate(nu, nv)
        return points, _uvs(points, face)

    return laid


def _standing(face: Face, item: Item) -> Face:
    """A face of an item where it stands in the building."""
    x, y, z = item.at
    corner = place(face.corner, (x / 1000, y / 1000, z / 1000), item.turn)
    right, up, normal = (place(v, (0.0, 0.0, 0.0), item.turn) for v in (face.right, face.up, face.normal))
    return Face(face.kind, face.room, corner, right, up, normal)


def reflections(
    faces: Sequence[Face],
    floors: Sequence[float],
    mesh: Mesh,
    uvs: Floats,
    textures: Sequence[NDArray[np.uint8]],
    light: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    sky: Sky,
) -> list[NDArray[np.uint8]]:
    """The pictures (H, W, 3) of faces above `floors` (metres).

    `uvs` (V, 2) as the renderer takes them; `light` is that of the vertices and the lightmap.
    """
    if not faces:
        return []
    soup, paints = soup_of(mesh.positions, mesh.triangles), _paints(mesh, uvs, textures, light, sky.faces[0])
    views = [paints._replace(sky=sky.faces[sky.seen_from(floor + _EYE)]) for floor in floors]
    return [_picture(face, floor, soup, view) for face, floor, view in zip(faces, floors, views, strict=True)]


def _paints(
    mesh: Mesh,
    uvs: Floats,
    textures: Sequence[NDArray[np.uint8]],
    light: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    sky: NDArray[np.uint8],
) -> Paints:
    small = [_halved(texels) for texels in textures]
    counts = [texels.shape[0] * texels.shape[1] for texels in small]
    first = mesh.triangles[:, 0]
    return Paints(
        uvs,
        mesh.light_uvs.astype(np.float64),
        light[0],
        mesh.triangles.astype(np.int64),
        mesh.materials[first].astype(np.int64),
        mesh.lit[first].astype(np.uint8),
        np.concatenate([texels.reshape(-1, 3) for texels in small]),
        np.cumsum([0, *counts[:-1]]).astype(np.int64),
        np.asarray([texels.shape[:2] for texels in small], np.int64),
        light[1],
        sky,
    )


def _halved(texels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Of each four texels the mean: reflections are seen from further off."""
    if texels.shape[0] % 2 or texels.shape[1] % 2:
        return texels
    wide = texels.astype(np.uint16)
    total = wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]
    return ((total + 2) >> 2).astype(np.uint8)


def _picture(face: Face, floor: float, soup: Soup, paints: Paints) -> NDArray[np.uint8]:
    """What comes back to who stands before the face."""
    rows, columns = face.size
    v, u = np.meshgrid(
        (np.arange(rows * _RAYS) + 0.5) / (rows * _RAYS), (np.arange(columns * _RAYS) + 0.5) / (columns * _RAYS),
        indexing="ij",
    )  # fmt: skip
    at = (face.corner + face.right * u[..., None] + face.up * (1.0 - v)[..., None]).reshape(-1, 3)
    eye = _behind(face, floor)
    start = at + face.normal * 0.004
    if face.kind == "glass":
        eye = eye + face.normal * (2 * _dot(face.corner - eye, face.normal))
        start = at - face.normal * 0.004
    rays = normalised(at - eye)
    seen = np.zeros_like(rays)
    pictures.look(soup, paints, standing(), start, rays, seen)
    grid = seen.reshape(rows, _RAYS, columns, _RAYS, 3)
    total = np.zeros((rows, columns, 3))
    for i in range(_RAYS):
        for j in range(_RAYS):
            total += grid[:, i, :, j]
    share, own = _SENDS[face.kind]
    value = total * (share / (_RAYS * _RAYS)) + np.asarray(own)
    return np.asarray(np.floor(np.clip(value, 0, 255) + 0.5), np.uint8)


def _behind(face: Face, floor: float) -> Floats:
    """Where the eye of who stands before a face lies behind it."""
    middle = face.corner + face.right * 0.5 + face.up * 0.5
    flat = normalised(np.asarray([face.normal[0], 0.0, face.normal[2]]))
    eye = middle + flat * _BEFORE
    eye[1] = floor + _EYE
    before = _dot(eye - middle, face.normal)
    return np.asarray(eye - face.normal * (2 * before))
