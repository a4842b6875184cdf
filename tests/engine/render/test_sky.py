"""What is seen past all triangles: against the frames of a box so large that it might be infinitely far away."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.render.shapes import make_scene, room, wall
from nav_eval.engine.render.camera import Lens, axes
from nav_eval.engine.render.cpu import CpuRenderer
from nav_eval.engine.render.frame import OUTPUTS
from nav_eval.engine.render.layout import PITCH, ROW_ARRAYS
from nav_eval.engine.render.panorama import FACES, cube_faces
from nav_eval.engine.render.prepared import build, load_prepared, prepare
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.render.rows import FRACTIONS
from nav_eval.engine.scene.scene import Scene, Sky

VIEWS = [(0.0, 0.0), (0.7, 0.3), (-2.1, -1.2), (3.0, 1.5), (1.57, -0.4)]


def far_room() -> Scene:
    """A box of a kilometre, every vertex of another colour, smoothly."""
    scene = room(4, size=500.0)
    colors = np.full((len(scene.positions), 4), 255, np.uint8)
    colors[:, :3] = np.clip(scene.positions * (0.25, 0.6, 0.3) + 128, 0, 255)
    return replace(scene, colors=colors)


def sky_of(scene: Scene, side: int = 128) -> Sky:
    faces = cube_faces(make_renderer("cpu", scene, width=side, height=side, hfov=90, outputs=("rgb",)), (0, 0, 0))
    images = np.full((1, 6, side, side, 4), 255, np.uint8)
    images[0, ..., :3] = np.stack([faces[name].rgb for name in FACES])
    return Sky(images, (0.0,))


@pytest.mark.parametrize("kind", ["cpu", "opengl"])
def test_the_sky_is_a_box_far_away(kind: str) -> None:
    if kind == "opengl":
        pytest.importorskip("moderngl")
    scene = far_room()
    size = {"width": 90, "height": 60, "hfov": 80.0}
    empty = replace(make_scene(np.zeros((0, 3, 3))), sky=sky_of(scene))
    box = make_renderer("cpu", scene, outputs=("rgb",), **size)  # type: ignore[arg-type]
    seen = make_renderer(kind, empty, outputs=OUTPUTS, **size)  # type: ignore[arg-type]
    for yaw, pitch in VIEWS:
        frame = seen.render((3.0, 1.0, -2.0), yaw, pitch)
        off = np.abs(frame.rgb.astype(int) - box.render((0, 0, 0), yaw, pitch).rgb)
        assert off.mean() < 1.0
        assert off.max() < 12
        assert not any(getattr(frame, name).any() for name in ("depth", "semantic", "normal"))
    seen.close()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("width", "height", "side"), [(90, 60, 32), (300, 40, 33), (7, 5, 8)])
def test_every_pixel_of_the_sky_is_the_slow_one_to_the_bit(width: int, height: int, side: int, threads: int) -> None:
    """Between surfaces, in rows of more than one chunk, at all borders and corners of a cube."""
    rng = np.random.default_rng(side)
    faces = rng.integers(0, 256, (1, 6, side, side, 4), dtype=np.uint8)
    corners = rng.normal(0, 3.0, (60, 1, 3)) + rng.normal(0, 0.3, (60, 3, 3))
    scene = replace(make_scene(corners), sky=Sky(faces, (0.0,)))
    lens = Lens(width, height, 80.0)
    renderer = make_renderer("cpu", scene, width=width, height=height, hfov=80.0, threads=threads)
    for yaw, pitch in [*VIEWS, (0.0, 1.5707963267948966), (0.78539816, 0.6154797)]:
        frame = renderer.render((0, 0, 0), yaw, pitch)
        beyond = frame.depth == 0
        assert beyond.any()
        assert np.array_equal(frame.rgb[beyond], slow_sky(faces[0], lens, axes(yaw, pitch))[beyond])


def slow_sky(faces: np.ndarray, lens: Lens, turn: np.ndarray) -> np.ndarray:
    """(H, W, 3): what `panorama.FACES` show in each direction, bilinear, in doubles and whole numbers."""
    side = faces.shape[1]
    across = ((np.arange(lens.width) + 0.5 - lens.width * 0.5) / lens.focal)[None, :]
    down = ((np.arange(lens.height) + 0.5 - lens.height * 0.5) / lens.focal)[:, None]
    x, y, z = (turn[0, k] * across + turn[1, k] * down + turn[2, k] for k in range(3))
    ahead = np.stack([-z, -x, z, x, y, -y])
    right, below = np.stack([x, -z, -x, z, x, x]), np.stack([-y, -y, -y, -y, -z, z])
    upright = np.abs(y) > np.maximum(np.abs(x), np.abs(z))
    level = np.where(np.abs(x) > np.abs(z), np.where(x > 0, 3, 1), np.where(z > 0, 2, 0))
    face = np.where(upright, np.where(y > 0, 4, 5), level)
    meets = [np.take_along_axis(way, face[None], 0)[0] for way in (ahead, right, below)]
    column, row = (
        np.clip(((way / meets[0] + 1.0) * 128.0 * side + 0.5).astype(np.int64) - 128, 0, (side - 1) * 256)
        for way in meets[1:]
    )
    i, j, texels = column >> 8, row >> 8, faces.astype(np.int64)[..., :3]
    more_i, more_j = np.minimum(i + 1, side - 1), np.minimum(j + 1, side - 1)
    fx, fy = (column & 255)[..., None], (row & 255)[..., None]
    upper = texels[face, j, i] * (256 - fx) + texels[face, j, more_i] * fx
    lower = texels[face, more_j, i] * (256 - fx) + texels[face, more_j, more_i] * fx
    return ((upper * (256 - fy) + lower * fy + 32768) >> 16).astype(np.uint8)


def test_surfaces_hide_the_sky_and_nothing_else_changes() -> None:
    plain = make_scene(wall(half=1.0))
    sky = Sky([np.full((6, 8, 8, 4), 90, np.uint8), np.full((6, 8, 8, 4), 200, np.uint8)], (0.0, 3.0))
    frames = [
        make_renderer("cpu", build(scene), width=40, height=30, outputs=OUTPUTS).render((0, 0, 0), 0.0)
        for scene in (plain, replace(plain, sky=sky))
    ]
    hit = frames[0].depth > 0
    assert np.array_equal(frames[0].depth, frames[1].depth)
    assert np.array_equal(frames[0].rgb[hit], frames[1].rgb[hit])
    assert (frames[1].rgb[~hit] == 90).all()
    high = make_renderer("cpu", replace(plain, sky=sky), width=8, height=8).render((0, 50, 0), 0.0)
    assert (high.rgb == 200).all()
    assert [sky.seen_from(y) for y in (-5.0, 0.0, 2.9, 3.0)] == [0, 0, 0, 1]


def test_no_texture_is_looked_up_at_a_place_of_the_sky() -> None:
    """Texels are loaded for whole blocks of pixels, so that for some of them an index of an earlier row is taken."""
    sky = Sky(np.full((1, 6, 64, 64, 4), 90, np.uint8), (0.0,))
    scene = build(replace(make_scene(wall(half=1.0)), sky=sky))
    renderer = CpuRenderer(scene, Lens(40, 30, 80.0))
    renderer.render((0, 0, 0), 0.0)
    looked_up = renderer._free[0].arrays.row.reshape(ROW_ARRAYS, PITCH)[: int(FRACTIONS) // PITCH]
    assert looked_up.max() < len(scene.assets.texels) < 6 * 64 * 64


def test_the_sky_is_kept_with_the_prepared_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nav_eval.engine.render.prepared.cache_home", lambda: tmp_path)
    faces = np.random.default_rng(1).integers(0, 256, (1, 6, 8, 8, 4), dtype=np.uint8)
    scene = replace(make_scene(wall()), sky=Sky(faces, (0.5,)), digest="e" * 64)
    prepare(scene)
    found: Any = load_prepared(scene)
    assert [sky.faces.shape[2] for sky in found.skies] == [8, 4, 2, 1]
    assert found.skies[0].above == (0.5,)
    assert np.array_equal(found.skies[0].faces, faces)
    for larger, smaller in pairwise(found.skies):
        side = smaller.faces.shape[2]
        blocks = larger.faces.reshape(1, 6, side, 2, side, 2, 4)
        assert np.array_equal(smaller.faces, np.floor(blocks.mean(axis=(3, 5)) + 0.5))
