"""The renderer `cpu`: the default everywhere, because its frames depend on no driver and no device.

A frame runs on one thread, or on `threads` that share it; a batch gives one camera to each thread of one pool that
all renderers of the process share. Threads borrow a workspace and hand it back, so that memory grows with the
threads at work and not with the sessions.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.people.kinds import Canvas, Eye
from nav_eval.engine.render import attributes, edges, sky, strips
from nav_eval.engine.render.camera import Lens, view
from nav_eval.engine.render.frame import Frame, Image, People, Shading, check_batch, check_outputs
from nav_eval.engine.render.handles import handle
from nav_eval.engine.render.helpers import help_with
from nav_eval.engine.render.layout import (
    BUCKETS,
    CHUNK,
    CLUSTER_SIZE,
    I32,
    I64,
    MAX_ROWS,
    PITCH,
    PLANES,
    ROW_ARRAYS,
    SPOTS,
    TILE,
    U32,
    Assets,
    Camera,
    Workspace,
)
from nav_eval.engine.render.prepared import PreparedScene
from nav_eval.engine.render.recycle import ArrayPool

if TYPE_CHECKING:
    from nav_eval.engine.people.overlay import Drawn

NO_PICTURE, NO_COLORS, NO_DEPTH = np.zeros(1, np.uint8), np.zeros(0, np.uint8), np.zeros((0, 0), np.float32)
NO_SKY = np.frombuffer(bytes(4), np.uint32), 0
BAND = 16
"""Rows that a thread of several takes at once: the last to finish keeps the others waiting for less than that."""


class Scratch(NamedTuple):
    """A workspace, and the handle that kernels are given."""

    arrays: Workspace
    words: I64


class CpuRenderer:
    """Draws a prepared scene in software."""

    kind = "cpu"

    def __init__(
        self,
        scene: PreparedScene,
        lens: Lens,
        outputs: Sequence[str] = ("rgb", "depth"),
        shading: Shading = "unlit",
        antialiasing: bool = False,
        threads: int = 1,
    ) -> None:
        self.scene = scene
        self.lens = lens
        self._projection = (lens.focal, lens.width, lens.height, -(-lens.width // TILE) * TILE)
        self._projected = np.array(self._projection)
        self.notes = scene.notes
        self._outputs = check_outputs(outputs)
        self._headlight = shading == "headlight" or (shading == "auto" and scene.bare)
        self._antialiasing = antialiasing
        self._threads = threads
        faces = sky.fitted(scene.skies, lens.focal) if scene.skies else ()
        self._skies = [(picture.reshape(-1), picture.shape[1]) for picture in faces]
        self._arrays = ArrayPool()
        self._assets = handle(scene.assets)
        self._free: list[Scratch] = []
        self._lock = threading.Lock()

    def render(
        self, position: ArrayLike, yaw: float, pitch: float = 0.0, roll: float = 0.0, people: People = ()
    ) -> Frame:
        """One view, drawn on the calling thread and on as many idle ones as the renderer was made for.

        position: (3,), metres; angles in radians.
        """
        return self._render(self._threads, position, yaw, pitch, roll, people)

    def render_batch(
        self,
        positions: ArrayLike,
        yaws: ArrayLike,
        pitches: ArrayLike | None = None,
        people: Sequence[People] | None = None,
    ) -> list[Frame]:
        """N views, one camera per thread. positions (N, 3), metres; yaws and pitches (N,), radians."""
        places, headings, tilts = check_batch(positions, yaws, pitches)
        theirs = people or [()] * len(places)
        if len(places) == 1:
            return [self.render(places[0], float(headings[0]), float(tilts[0]), 0.0, theirs[0])]
        level, alone = [0.0] * len(places), [1] * len(places)
        return list(_pool().map(self._render, alone, places, headings.tolist(), tilts.tolist(), level, theirs))

    def close(self) -> None:
        """Free the workspaces and spare images."""
        self._arrays.clear()
        with self._lock:
            self._free.clear()

    def _render(
        self, threads: int, position: ArrayLike, yaw: float, pitch: float, roll: float, people: People
    ) -> Frame:
        camera = Camera(view(position, yaw, pitch, roll), *self._projection)
        scratch = self._borrow()
        try:
            return self._draw(threads, camera, scratch, people)
        finally:
            self._give_back(scratch)

    def _borrow(self) -> Scratch:
        with self._lock:
            if self._free:
                return self._free.pop()
        arrays = workspace(self.scene.assets, self.lens)
        return Scratch(arrays, handle(arrays))

    def _give_back(self, scratch: Scratch) -> None:
        with self._lock:
            self._free.append(scratch)

    def _draw(self, threads: int, camera: Camera, scratch: Scratch, people: People) -> Frame:
        images: dict[str, Image] = {}
        work = scratch.arrays
        ids: I32 = self._arrays.take(work.ids.shape, np.int32)
        shape = (camera.height, camera.width)
        if "rgb" in self._outputs:
            images["rgb"] = self._arrays.take((*shape, 3), np.uint8)
        if "depth" in self._outputs:
            images["depth"] = self._arrays.take(shape, np.float32)
        self._fill(threads, camera, ids, scratch.words, images, bool(people))
        if "rgb" in self._outputs and self._antialiasing:
            images["rgb"] = self._smooth(camera, work, ids, images["rgb"])
        drawn = self._lay(camera, work, ids, images.get("rgb"), people) if people else None
        if people and "depth" in self._outputs:
            attributes.read_depth(camera, work.inverse_depth, images["depth"])
        resolve = _Late(camera, self.scene.assets, ids, drawn)
        for name in ("semantic", "normal"):
            if name in self._outputs:
                images[name] = resolve(name)
        return Frame(images, resolve)

    def _fill(
        self, threads: int, camera: Camera, ids: I32, words: I64, images: Mapping[str, Image], depth_later: bool
    ) -> None:
        """The scene itself, strip by strip; `words`: handle of the frame's workspace."""
        rgb = images["rgb"].reshape(-1) if "rgb" in images else NO_COLORS
        depth = images["depth"] if "depth" in images and not depth_later else NO_DEPTH
        parts = 1 if threads == 1 else strips.PARTS * threads
        rows = -(-camera.height // (parts * TILE)) * TILE
        band = rows if threads == 1 else BAND
        beyond, side = self._beyond(float(camera.pose[10]))
        turns = np.zeros(strips.DRAWN + strips.EACH * parts, np.int64)

        def share(who: int, own: I64) -> int:
            return strips.work_on(
                camera.pose, self._projected, self._assets, own, words, ids, self._headlight, beyond, side,
                who, rows, band, turns, rgb, depth,
            )  # fmt: skip

        help_with([partial(self._help, share, strips.FIRST + k) for k in range(1, threads)])
        share(strips.FIRST, words)

    def _beyond(self, height: float) -> tuple[U32, int]:
        """What a camera at a height sees past all surfaces: the texels of a cube, and the side of a face."""
        return self._skies[self.scene.skies[0].seen_from(height)] if self._skies else NO_SKY

    def _help(self, share: Callable[[int, I64], int], who: int) -> int:
        """What a further thread does: it draws into the same frame, with scratch of its own."""
        own = self._borrow()
        try:
            return share(who, own.words)
        finally:
            self._give_back(own)

    def _lay(self, camera: Camera, work: Workspace, ids: I32, rgb: Image | None, people: People) -> Drawn | None:
        """People over the finished picture, before its depth is read."""
        from nav_eval.engine.people.overlay import lay  # its kernels take 0.1 s to load, and few scenes have people

        canvas = Canvas(work.inverse_depth, ids, NO_PICTURE if rgb is None else rgb.reshape(-1))
        return lay(Eye(*camera), canvas, people)

    def _smooth(self, camera: Camera, work: Workspace, ids: I32, rgb: Image) -> Image:
        """(H, W, 3): the picture with its edges blended."""
        smooth = self._arrays.take(rgb.shape, np.uint8)
        smooth[:] = rgb
        edges.blend(camera, self.scene.assets, work._replace(ids=ids), rgb.reshape(-1), smooth.reshape(-1))
        return smooth


class _Late:
    """Object ids and normals of a frame, from the triangle numbers that were kept."""

    __slots__ = ("_assets", "_camera", "_drawn", "_ids")

    def __init__(self, camera: Camera, assets: Assets, ids: NDArray[np.int32], drawn: Drawn | None) -> None:
        self._camera, self._assets, self._ids, self._drawn = camera, assets, ids, drawn

    def __call__(self, name: str) -> Image:
        shape = (self._camera.height, self._camera.width)
        if name == "semantic":
            semantic = np.empty(shape, np.int32)
            attributes.read_semantic(self._camera, self._assets, self._ids, semantic)
            if self._drawn is not None:
                self._drawn.semantic(self._own_ids(), semantic)
            return semantic
        normal = np.empty((*shape, 3), np.float32)
        attributes.read_normal(self._camera, self._assets, self._ids, normal)
        if self._drawn is not None:
            self._drawn.normal(self._own_ids(), normal)
        return normal

    def _own_ids(self) -> NDArray[np.int32]:
        """(H, stride of a row)"""
        camera = self._camera
        return self._ids[: camera.stride * camera.height].reshape(camera.height, camera.stride)


def workspace(assets: Assets, lens: Lens) -> Workspace:
    """Scratch for one camera: about 60 bytes a pixel, touched only where it is used, and 8 a triangle."""
    stride, rows = -(-lens.width // TILE) * TILE, -(-lens.height // TILE) * TILE
    area, tiles, pixels = stride * rows, stride * rows // TILE**2, lens.width * lens.height
    clusters = len(assets.clusters.center)
    return Workspace(
        inverse_depth=np.zeros(area + TILE, np.float32),
        ids=np.empty(area + CHUNK, np.int32),
        far=np.zeros(tiles, np.float32),
        dirty=np.zeros(tiles, np.uint8),
        rect=np.zeros((clusters, 4), np.int32),
        nearest=np.zeros(clusters, np.float32),
        order=np.zeros(clusters, np.int32),
        starts=np.zeros(BUCKETS + 1, np.int32),
        sorted=np.zeros(clusters, np.int32),
        screen=np.zeros(6 * (SPOTS + CLUSTER_SIZE), np.float64),
        shown=np.zeros(CLUSTER_SIZE, np.uint8),
        kept=np.zeros(CLUSTER_SIZE, np.int32),
        spans=np.zeros(3 * MAX_ROWS, np.int32),
        slot=np.stack([np.full_like(assets.triangles.material, -1), assets.triangles.material], axis=1),
        seen=np.zeros(pixels, np.int32),
        planes=np.zeros((pixels, PLANES), np.float32),
        tints=np.zeros((pixels, 9), np.float32),
        lights=np.zeros((pixels, 6), np.float32),
        outlines=np.zeros((min(pixels, len(assets.triangles.material)), 10), np.float64),
        row=np.zeros(ROW_ARRAYS * PITCH, np.uint32),
        colored=np.zeros(rows // TILE, np.uint8),
    )


@cache
def _pool() -> ThreadPoolExecutor:
    """As many threads as this process may use cores."""
    return ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="render")
