"""The renderer `cpu`: the default everywhere, because its frames depend on no driver and no device.

A frame runs on one thread: cull, draw, shade; a batch gives one camera to each thread of one pool that all
renderers of the process share. Threads borrow a workspace and hand it back, so that memory grows with the
threads at work and not with the sessions.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.people.kinds import Canvas, Eye
from nav_eval.engine.people.overlay import Drawn, lay
from nav_eval.engine.render import attributes, cull, edges, raster, shade, sky
from nav_eval.engine.render.camera import Lens, view
from nav_eval.engine.render.frame import Frame, Image, People, Shading, check_batch, check_outputs
from nav_eval.engine.render.layout import (
    CHUNK,
    CLUSTER_SIZE,
    MOST_ROWS,
    PITCH,
    PLANES,
    ROW_ARRAYS,
    SPOTS,
    TILE,
    Assets,
    Camera,
    Workspace,
)
from nav_eval.engine.render.prepared import PreparedScene
from nav_eval.engine.render.recycle import ArrayPool

NO_PICTURE = np.zeros(1, np.uint8)


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
    ) -> None:
        self.scene = scene
        self.lens = lens
        self.notes = scene.notes
        self._outputs = check_outputs(outputs)
        self._headlight = shading == "headlight" or (shading == "auto" and scene.bare)
        self._antialiasing = antialiasing
        self._skies = () if scene.sky is None else sky.fitted(scene.sky, lens.focal)
        self._arrays = ArrayPool()
        self._free: list[Workspace] = []
        self._lock = threading.Lock()

    def render(
        self, position: ArrayLike, yaw: float, pitch: float = 0.0, roll: float = 0.0, people: People = ()
    ) -> Frame:
        """One view, drawn on the calling thread."""
        lens = self.lens
        stride = -(-lens.width // TILE) * TILE
        camera = Camera(view(position, yaw, pitch, roll), lens.focal, lens.width, lens.height, stride)
        work = self._borrow()
        try:
            return self._draw(camera, work._replace(ids=self._arrays.take(work.ids.shape, np.int32)), people)
        finally:
            with self._lock:
                self._free.append(work)

    def render_batch(
        self,
        positions: ArrayLike,
        yaws: ArrayLike,
        pitches: ArrayLike | None = None,
        people: Sequence[People] | None = None,
    ) -> list[Frame]:
        """N views, one camera per thread."""
        places, headings, tilts = check_batch(positions, yaws, pitches)
        theirs = people or [()] * len(places)
        if len(places) == 1:
            return [self.render(places[0], float(headings[0]), float(tilts[0]), 0.0, theirs[0])]
        level = [0.0] * len(places)
        return list(_pool().map(self.render, places, headings.tolist(), tilts.tolist(), level, theirs))

    def close(self) -> None:
        """Free the workspaces and spare images."""
        self._arrays.clear()
        with self._lock:
            self._free.clear()

    def _borrow(self) -> Workspace:
        with self._lock:
            if self._free:
                return self._free.pop()
        return workspace(self.scene.assets, self.lens)

    def _draw(self, camera: Camera, work: Workspace, people: People) -> Frame:
        assets = self.scene.assets
        count = cull.visible_clusters(camera, assets.clusters, work)
        cull.sort_front_to_back(count, work)
        raster.draw(camera, assets, count, work)
        images: dict[str, Image] = {}
        shape = (camera.height, camera.width)
        if "rgb" in self._outputs:
            images["rgb"] = self._paint(camera, work)
        drawn = self._lay(camera, work, images.get("rgb"), people) if people else None
        if "depth" in self._outputs:
            images["depth"] = self._arrays.take(shape, np.float32)
            attributes.read_depth(camera, work.inverse_depth, images["depth"])
        resolve = _Late(camera, assets, work.ids, drawn)
        for name in ("semantic", "normal"):
            if name in self._outputs:
                images[name] = resolve(name)
        return Frame(images, resolve)

    def _lay(self, camera: Camera, work: Workspace, rgb: Image | None, people: People) -> Drawn | None:
        """People over the finished picture, before its depth is read."""
        canvas = Canvas(work.inverse_depth, work.ids, NO_PICTURE if rgb is None else rgb.reshape(-1))
        return lay(Eye(*camera), canvas, people)

    def _paint(self, camera: Camera, work: Workspace) -> Image:
        """(H, W, 3): surfaces, then what lies beyond them, then their edges."""
        assets = self.scene.assets
        rgb = self._arrays.take((camera.height, camera.width, 3), np.uint8)
        shade.shade(camera, assets, self._headlight, work, rgb.reshape(-1))
        if self.scene.sky is not None:
            beyond = self._skies[self.scene.sky.seen_from(float(camera.pose[10]))]
            sky.fill(camera, beyond, work.ids, rgb.reshape(-1))
        if not self._antialiasing:
            return rgb
        smooth = self._arrays.take(rgb.shape, np.uint8)
        smooth[:] = rgb
        edges.blend(camera, assets, work, rgb.reshape(-1), smooth.reshape(-1))
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
    """Scratch for one camera: about 60 bytes a pixel and 4 a triangle, touched only where it is used."""
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
        sorted=np.zeros(clusters, np.int32),
        screen=np.zeros(6 * SPOTS, np.float64),
        kept=np.zeros(CLUSTER_SIZE, np.int32),
        spans=np.zeros(3 * MOST_ROWS, np.int32),
        slot=np.full(len(assets.triangles.material), -1, np.int32),
        seen=np.zeros(pixels, np.int32),
        planes=np.zeros((pixels, PLANES), np.float32),
        tints=np.zeros((pixels, 9), np.float32),
        lights=np.zeros((pixels, 6), np.float32),
        row=np.zeros(ROW_ARRAYS * PITCH, np.uint32),
    )


@cache
def _pool() -> ThreadPoolExecutor:
    """As many threads as this process may use cores."""
    return ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="render")
