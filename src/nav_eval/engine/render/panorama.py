"""Views all around: cube faces, one equirectangular picture, and the views that R2R agents are fed.

R2R (Matterport3DSimulator): 36 views, three rows of elevation -30, 0 and 30 degrees, twelve headings in each,
30 degrees apart and clockwise; index = 12 * row + heading step. The 12-view panorama is the middle row.
Faces and views are ordinary frames; the equirectangular picture looks the direction of each pixel up in a cube.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.render.frame import Frame, Image, People, Renderer
from nav_eval.errors import ConfigError

FACES = ("front", "left", "back", "right", "up", "down")
QUARTER = math.pi / 2
FACE_YAWS = np.array([0.0, QUARTER, math.pi, -QUARTER, 0.0, 0.0])
FACE_PITCHES = np.array([0.0, 0.0, 0.0, 0.0, QUARTER, -QUARTER])
STEP = math.radians(30.0)


def cube_faces(renderer: Renderer, position: ArrayLike, yaw: float = 0.0, people: People = ()) -> dict[str, Frame]:
    """Six frames by name; needs a square lens of 90 degrees. The top of `up` is behind, of `down` in front.

    position: (3,), metres.
    """
    lens = renderer.lens
    if lens.width != lens.height or lens.hfov != 90.0:
        raise ConfigError(
            "Cube faces need a renderer with width = height and hfov = 90, "
            f"not {lens.width} x {lens.height} and {lens.hfov}."
        )
    places = np.tile(np.asarray(position, np.float64), (6, 1))
    frames = _batch(renderer, places, yaw + FACE_YAWS, FACE_PITCHES, people)
    return dict(zip(FACES, frames))


def equirectangular(
    renderer: Renderer,
    position: ArrayLike,
    yaw: float = 0.0,
    *,
    width: int,
    outputs: tuple[str, ...] = ("rgb", "depth"),
    people: People = (),
) -> Frame:
    """The whole sphere, (width / 2, width) pixels; column width / 2 looks along `yaw`, row 0 straight up.

    rgb is interpolated, all else is the nearest face pixel. depth is the length of the ray, metres, because a
    sphere has no optical axis.

    position: (3,), metres.
    """
    faces = cube_faces(renderer, position, yaw, people)
    lookup = _lookup(width, renderer.lens.width)
    images = {name: _assemble(name, [getattr(faces[face], name) for face in FACES], lookup) for name in outputs}
    return Frame(images)


def sphere(faces: ArrayLike, width: int) -> NDArray[np.uint8]:
    """One equirectangular picture, (width / 2, width, 3) uint8, of colour faces, (6, S, S, 3) in the order of FACES."""
    stack = np.asarray(faces, np.uint8)
    return _interpolate(stack, _lookup(width, stack.shape[1])).reshape(width // 2, width, 3)


def vln_views(
    renderer: Renderer, position: ArrayLike, yaw: float = 0.0, *, views: int = 36, people: People = ()
) -> list[Frame]:
    """R2R's 36 or 12 views, in its order; the first heading is `yaw`, the next ones lie to the right of it.

    position: (3,), metres.
    """
    yaws, pitches = vln_directions(yaw, views)
    places = np.tile(np.asarray(position, np.float64), (views, 1))
    return _batch(renderer, places, yaws, pitches, people)


def _batch(renderer: Renderer, places: ArrayLike, yaws: ArrayLike, pitches: ArrayLike, people: People) -> list[Frame]:
    """Of a plug-in's renderer, too, which may know of no people and is told of none."""
    theirs = {"people": [people] * len(np.asarray(places))} if people else {}
    return renderer.render_batch(places, yaws, pitches, **theirs)


def vln_directions(yaw: float, views: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Yaw and pitch of each view, radians, both of shape (views,)."""
    if views not in (12, 36):
        raise ConfigError(f"A VLN panorama has 12 or 36 views, not {views}.")
    index = np.arange(views)
    rows = index // 12 - (1 if views == 36 else 0)
    return np.asarray(yaw - (index % 12) * STEP, np.float64), np.asarray(rows * STEP, np.float64)


class _Lookup:
    """For each pixel of the sphere: the face, its pixel (x right, y down, fractional) and ray length over z."""

    def __init__(self, width: int, side: int) -> None:
        height = width // 2
        right = (np.arange(width) + 0.5) / width * 2.0 * math.pi - math.pi
        up = math.pi / 2 - (np.arange(height) + 0.5) / height * math.pi
        x = (np.cos(up)[:, None] * np.sin(right)[None, :]).ravel()
        z = (np.cos(up)[:, None] * np.cos(right)[None, :]).ravel()
        y = np.repeat(np.sin(up), width)
        ahead = np.stack([z, -x, -z, x, y, -y])  # along each face's axis
        side_right = np.stack([x, z, -x, -z, x, x])
        down = np.stack([-y, -y, -y, -y, z, -z])
        self.shape = (height, width)
        self.face = ahead.argmax(axis=0)
        pick = (self.face, np.arange(len(x)))
        self.stretch = (1.0 / ahead[pick]).astype(np.float32)
        self.x = (side_right[pick] / ahead[pick] + 1.0) * side / 2.0 - 0.5
        self.y = (down[pick] / ahead[pick] + 1.0) * side / 2.0 - 0.5
        self.last = side - 1


@lru_cache(maxsize=8)
def _lookup(width: int, side: int) -> _Lookup:
    if width < 2 or width % 2:
        raise ConfigError(f"An equirectangular picture needs an even width of at least 2, not {width}.")
    return _Lookup(width, side)


def _assemble(name: str, faces: list[Image], lookup: _Lookup) -> Image:
    stack = np.stack(faces)
    shape = lookup.shape + stack.shape[3:]
    if name == "rgb":
        return _interpolate(stack, lookup).reshape(shape)
    x = np.clip(np.rint(lookup.x), 0, lookup.last).astype(np.intp)
    y = np.clip(np.rint(lookup.y), 0, lookup.last).astype(np.intp)
    values: Image = stack[lookup.face, y, x]
    if name == "depth":
        values = values * lookup.stretch
    return values.reshape(shape)


def _interpolate(stack: Image, lookup: _Lookup) -> NDArray[np.uint8]:
    """Bilinear within a face, its border repeated."""
    x0, y0 = np.floor(lookup.x).astype(np.intp), np.floor(lookup.y).astype(np.intp)
    fx, fy = (lookup.x - x0)[:, None], (lookup.y - y0)[:, None]
    left, right = np.clip(x0, 0, lookup.last), np.clip(x0 + 1, 0, lookup.last)
    top, bottom = np.clip(y0, 0, lookup.last), np.clip(y0 + 1, 0, lookup.last)
    above = stack[lookup.face, top, left] * (1 - fx) + stack[lookup.face, top, right] * fx
    below = stack[lookup.face, bottom, left] * (1 - fx) + stack[lookup.face, bottom, right] * fx
    blended: NDArray[np.uint8] = np.rint(above * (1 - fy) + below * fy).astype(np.uint8)
    return blended
