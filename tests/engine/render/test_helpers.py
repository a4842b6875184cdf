"""Between Python and the kernels of a frame: handles instead of tuples of arrays, and threads that help."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import Annotated, Any, TypeVar

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from engine.render.shapes import WALL_UVS, make_scene, wall
from nav_eval.engine.render import helpers
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.cpu import workspace
from nav_eval.engine.render.handles import handle, native, opened
from nav_eval.engine.render.helpers import APART, Helper
from nav_eval.engine.render.layout import Assets, Scalar
from nav_eval.engine.render.prepared import build
from patience import PATIENCE

Scalars = TypeVar("Scalars", bound=np.generic)


@pytest.fixture(autouse=True)
def idle_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers that are called here lie down among idle ones of their own: frames of other tests may not find them."""
    monkeypatch.setattr(helpers, "_idle", deque())


@pytest.mark.parametrize("item", [np.float32, np.uint8])
def test_arrays_are_known_by_annotations_of_either_numpy(item: type) -> None:
    """From 2.5 on, with Python 3.12, NDArray is an alias that keeps its argument to itself."""
    alias = TypeAliasType("NDArray", np.ndarray[Any, np.dtype[Scalars]], type_params=(Scalars,))
    for hint, dimensions in ((NDArray[item], 1), (alias[item], 1), (Annotated[alias[item], 2], 2)):  # type: ignore[valid-type]
        assert native(hint) == numba.types.Array(numba.from_dtype(np.dtype(item)), dimensions, "C", readonly=True)


def cores_after(helper: Helper, met: int) -> set[int]:
    """Those that a helper may use once it has met its caller on one of them."""
    taken, looked, found = threading.Event(), threading.Event(), set[int]()

    def meet() -> int:
        taken.set()
        return met

    def look() -> int:
        found.update(os.sched_getaffinity(0))
        looked.set()
        return APART

    for work, done in ((meet, taken), (look, looked)):
        helper.call(work)
        assert done.wait(PATIENCE)
    return found


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: there is nowhere to go")
def test_a_helper_keeps_off_the_core_of_its_caller() -> None:
    cores = os.sched_getaffinity(0)
    helper = Helper()
    assert cores_after(helper, APART) == cores
    for core in sorted(cores)[:2]:
        assert cores_after(helper, core) == cores - {core}
    assert os.sched_getaffinity(0) == cores


def test_a_helper_on_the_only_core_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    core = min(os.sched_getaffinity(0))
    with monkeypatch.context() as alone:
        alone.setattr(os, "sched_getaffinity", lambda _: {core})
        helper = Helper()
    assert cores_after(helper, core) == os.sched_getaffinity(0)


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
