"""Antialiasing against the same frame drawn with sixteen samples a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.render.shapes import make_scene, wall
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import ConfigError

WIDE, HIGH = 120, 90


def colourful(count: int = 40) -> Scene:
    """Triangles of plain colours in front of each other and of a wall."""
    rng = np.random.default_rng(4)
    corners = rng.normal(0, 0.9, (count, 1, 3)) + rng.normal(0, 0.7, (count, 3, 3)) + (0, 0, -4)
    corners[0] = ((-40, -40, -9), (40, -40, -9), (0, 60, -9))
    colors = rng.uniform(0.05, 1.0, (count, 3))
    looks = [Material(base_color=(*color.tolist(), 1.0), double_sided=True) for color in colors]
    return make_scene(corners, materials=looks, material_ids=np.arange(count))


def render_mean(scene: Scene, scale: int = 1, **options: bool) -> NDArray[np.float64]:
    size = {"width": WIDE * scale, "height": HIGH * scale}
    frame = make_renderer("cpu", scene, hfov=79.0, outputs=("rgb",), **size, **options).render((0, 0, 0), 0.2)  # type: ignore[arg-type]
    return frame.rgb.reshape(HIGH, scale, WIDE, scale, 3).mean(axis=(1, 3))


def test_edges_come_nearer_to_sixteen_samples() -> None:
    scene = colourful()
    truth, plain, smooth = render_mean(scene, 4), render_mean(scene), render_mean(scene, antialiasing=True)
    edges = np.abs(truth - plain).max(axis=2) > 2
    assert 0.05 < edges.mean() < 0.6
    before, after = (np.abs(image - truth)[edges].mean() for image in (plain, smooth))
    assert after < before / 3
    assert np.array_equal(smooth, render_mean(scene, antialiasing=True))


def test_only_colour_at_edges_changes() -> None:
    scene = colourful()
    frames = [
        make_renderer("cpu", scene, width=WIDE, height=HIGH, outputs=("rgb", "depth", "semantic"), antialiasing=on)
        for on in (False, True)
    ]
    plain, smooth = (renderer.render((0, 0, 0), 0.2) for renderer in frames)
    assert np.array_equal(plain.depth, smooth.depth)
    assert np.array_equal(plain.semantic, smooth.semantic)
    changed = (plain.rgb != smooth.rgb).any(axis=2)
    near = np.zeros_like(changed)
    for axis in (0, 1):
        step = (np.diff(plain.rgb.astype(int), axis=axis) != 0).any(axis=2)
        near |= np.insert(step, 0, False, axis=axis) | np.insert(step, step.shape[axis], False, axis=axis)
    assert changed.any()
    assert not (changed & ~near).any()


def test_a_vertical_edge_is_blended_by_what_it_covers() -> None:
    """A dark square before a light wall: its left and right edges cut pixels in known shares."""
    shade, light = 40, 200
    corners = [*wall(z=-4.0, half=20.0), *wall(z=-2.0, half=0.73)]
    looks = [Material(base_color=(value / 255,) * 3 + (1.0,)) for value in (light, shade)]
    scene = make_scene(corners, materials=looks, material_ids=[0, 0, 1, 1])
    rgb = make_renderer("cpu", scene, width=70, height=50, hfov=79.0, antialiasing=True).render((0, 0, 0), 0.0).rgb
    reach = 0.73 / 2.0 * 35.0 / np.tan(np.radians(79.0) / 2)
    columns = np.arange(70) - 35.0
    covered = np.clip(np.minimum(reach - columns, columns + 1 + reach), 0.0, 1.0)
    expected = light + (shade - light) * covered
    assert 0.02 < (reach % 1) < 0.98
    assert np.abs(rgb[25, :, 0] - expected).max() <= 2


def test_outlines_of_one_frame_are_forgotten_in_the_next() -> None:
    """A renderer that drew other views before keeps nothing of them."""
    scene, size = colourful(), {"height": HIGH, "hfov": 79.0, "antialiasing": True}
    whole = make_renderer("cpu", scene, width=WIDE, **size).render((0, 0, 0), 0.2)  # type: ignore[arg-type]
    again = make_renderer("cpu", scene, width=WIDE, **size)  # type: ignore[arg-type]
    for yaw in (1.0, -2.0, 0.2):
        after = again.render((0, 0, 0), yaw)
    assert np.array_equal(whole.rgb, after.rgb)


def test_auto_is_the_renderer_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also beside a graphics card."""
    monkeypatch.setattr("nav_eval.engine.render.opengl.graphics_card", lambda: True)
    auto, cpu = (make_renderer(kind, colourful(), antialiasing=True) for kind in ("auto", "cpu"))
    assert np.array_equal(auto.render((0, 0, 0), 0.2).rgb, cpu.render((0, 0, 0), 0.2).rgb)


def test_only_the_cpu_renderer_has_it() -> None:
    with pytest.raises(ConfigError, match="antialiasing"):
        make_renderer("opengl", colourful(), antialiasing=True)
