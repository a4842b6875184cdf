"""The handles that kernels are given instead of tuples of arrays."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from engine.render.shapes import WALL_UVS, make_scene, wall
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.cpu import workspace
from nav_eval.engine.render.handles import handle, opened
from nav_eval.engine.render.layout import Assets, Scalar
from nav_eval.engine.render.prepared import build

LENS = Lens(16, 16, 90.0)


def assets() -> Assets:
    return build(make_scene(wall(), uvs=WALL_UVS)).assets


@numba.njit(_nrt=False)
def some(words: Scalar) -> Scalar:  # pragma: no cover
    scene = opened(words, Assets)
    return scene.vertices.x[2], scene.materials.tiles[0, 3, 1], scene.clusters.center[0, 2], scene.texels.shape[0]


def test_a_kernel_finds_the_arrays_where_they_are() -> None:
    scene = assets()
    expected = (scene.vertices.x[2], scene.materials.tiles[0, 3, 1], scene.clusters.center[0, 2], len(scene.texels))
    assert some(handle(scene)) == expected


def test_arrays_of_another_kind_are_refused() -> None:
    scene = assets()
    with pytest.raises(TypeError, match="instead of"):
        handle(scene._replace(texels=scene.texels.copy()))
    work = workspace(scene, LENS)
    with pytest.raises(TypeError, match="float64"):
        handle(work._replace(far=work.far.astype(np.float64)))
