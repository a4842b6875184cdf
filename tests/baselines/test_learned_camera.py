"""The sample model's own measure of its camera, against the cameras that generated homes were rendered with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import nav_eval
from nav_eval_baselines.learned import LearnedAgent
from nav_eval_baselines.learned.camera import ANGLE, Camera
from nav_eval_baselines.learned.senses import SIDE, picture
from nav_eval_baselines.learned.surroundings import CAMERA
from torch_python import EXAMPLES

Seen = list[tuple[Any, Any, Any]]


@cache
def round_about(height: float, angle: float, *, rows: int = 224, noise: str = "") -> list[Seen]:
    """What is seen at the starts of four ways, in each of 18 turns to the left: (rgb, depth, pose)."""
    told: list[Seen] = []

    class Turning(LearnedAgent):
        def reset(self, episode: dict[str, Any]) -> None:
            told.append([])

        def act(self, observation: dict[str, Any]) -> str:
            pose = np.array([*observation["gps"], *observation["compass"]])
            told[-1].append((observation["rgb"], observation["depth"], pose))
            return "turn_left"

    lens = f"width: 224, height: {rows}, hfov: {angle}"
    overrides = [
        f"simulator.sensors={{rgb: {{{lens}}}, depth: {{{lens}{noise}}}, gps: {{}}, compass: {{}}}}",
        f"simulator.body.camera_height={height}",
        "dataset.sample=4",
        "evaluation.max_steps=18",
    ]
    nav_eval.evaluate("vln-demo", agent=Turning, overrides=overrides)
    assert [len(walk) for walk in told] == [18] * 4
    return told


def measured(walk: Seen) -> Camera:
    camera = Camera()
    for _, depth, pose in walk:
        camera.look(depth, pose)
    return camera


LOW = [(0.45, 90), (0.65, 90), (0.85, 90), (1.05, 90), (1.25, 90), (1.45, 90)]
NARROW = [(1.25, 50), (1.25, 60), (1.25, 75), (1.25, 110), (0.85, 60), (0.65, 75)]


@pytest.mark.parametrize(("height", "angle"), [*LOW, *NARROW])
def test_it_finds_out_how_high_its_camera_is_and_how_wide_it_sees(height: float, angle: float):
    for walk in round_about(height, angle):
        camera = measured(walk)
        assert camera.height == pytest.approx(height, abs=0.03)
        assert camera.angle == pytest.approx(angle, abs=2)


def test_pictures_need_not_be_square():
    for walk in round_about(0.85, 60, rows=168):
        camera = measured(walk)
        assert camera.height == pytest.approx(0.85, abs=0.03)
        assert camera.angle == pytest.approx(60, abs=2)


@pytest.mark.parametrize("noise", ["", ", options: {noise: redwood, noise_multiplier: 2.0}"])
def test_the_camera_that_it_was_trained_with_is_left_as_it_is(noise: str):
    for walk in round_about(CAMERA, ANGLE, noise=noise):
        camera = Camera()
        for rgb, depth, pose in walk:
            assert not camera.look(depth, pose)
            shown, near = camera.picture(rgb, depth)
            assert np.array_equal(shown, picture(rgb, depth))
            assert np.array_equal(near, shown[3])


def test_an_old_view_tells_nothing_of_the_angle():
    for walk in round_about(CAMERA, 60):
        camera, (_, old, _) = Camera(), walk[0]
        for _, _, pose in walk[:5]:
            camera.look(old, pose)
            assert camera.angle == ANGLE
        for _, depth, pose in walk[5:]:
            camera.look(depth, pose)
        assert camera.angle == pytest.approx(60, abs=2)


def differ(height: float, angle: float, part: slice) -> tuple[float, float]:
    """Of pictures made of this camera's, against those rendered from the trained one in the same places: the share of
    nearness, in these rows and columns, that is wrong by more than 0.05, and the mean error of colours, of 1."""
    wrong, colours = [], []
    for walk, right in zip(round_about(height, angle), round_about(CAMERA, ANGLE)):
        camera = measured(walk)
        for (rgb, depth, _), (whole, far, _) in zip(walk, right):
            shown, wanted = camera.picture(rgb, depth)[0][:, part, part], picture(whole, far)[:, part, part]
            wrong.append(np.abs(shown[3] - wanted[3]) > 0.05)
            colours.append(np.abs(shown[:3] - wanted[:3]))
    return float(np.mean(wrong)), float(np.mean(colours))


ALL, MIDDLE = slice(None), slice(26, 86)


@pytest.mark.parametrize(("height", "angle", "part", "most"), [(0.85, 90, ALL, 0.15), (1.25, 60, MIDDLE, 0.03)])
def test_it_makes_the_pictures_of_the_trained_camera_of_those_of_another(
    height: float, angle: float, part: slice, most: float
):
    """As they come, 40 and 48 % of the nearness of the whole is wrong, and colours by .14 and .18."""
    shape, colours = differ(height, angle, part)
    assert shape < most
    assert colours < 0.05


def test_what_a_narrow_view_does_not_see_is_not_entered():
    for walk in round_about(CAMERA, 60):
        camera = measured(walk)
        near = camera.picture(*walk[-1][:2])[1]
        columns = np.flatnonzero((near > 0).any(0))
        assert np.tan(np.radians(30)) * SIDE == pytest.approx(len(columns), abs=3)
        assert (columns + columns[::-1] == SIDE - 1).all()


def test_a_surface_that_hides_the_floor_is_not_taken_for_it_once_floor_was_seen():
    """A table at 0.75 m fills most of the picture, the floor a strip of it."""
    down = np.maximum((2 * np.arange(SIDE) + 1) / SIDE - 1, 1e-3)[:, None]
    seen = np.where(np.arange(SIDE) < SIDE // 3, 1.05 / down, 0.5 / down)
    camera = Camera()
    assert camera.look(seen[..., None], np.zeros(3))
    assert camera.height == pytest.approx(1.05, abs=0.03)


def test_walls_alone_are_no_floor():
    camera = Camera()
    for metres in np.linspace(0.5, 1.5, 20):
        assert not camera.look(np.full((SIDE, SIDE, 1), metres), np.zeros(3))
    assert camera.height == CAMERA


@pytest.mark.parametrize(("name", "height", "angle"), [("camera_height", 0.85, 90), ("field_of_view", 1.25, 60)])
def test_a_walk_begins_anew_with_the_camera_that_showed(name: str, height: float, angle: float):
    agent = LearnedAgent()
    overrides = [f"perturbations=[{{name: {name}, severity: 2}}]", "dataset.limit=1", "evaluation.max_steps=12"]
    nav_eval.evaluate("vln-demo", agent=agent, overrides=overrides)
    assert agent._camera.height == pytest.approx(height, abs=0.03)
    assert agent._camera.angle == pytest.approx(angle, abs=2)
    agent.reset({"instruction": None})
    assert (agent._camera.height, agent._camera.angle) == (CAMERA, ANGLE)


@pytest.mark.parametrize("angle", [60, 75])
def test_what_is_trained_with_for_a_narrow_view_is_what_one_gives(monkeypatch: pytest.MonkeyPatch, angle: int):
    monkeypatch.syspath_prepend(EXAMPLES)
    from train_vln import lenses

    tangents, far = [np.tan(np.radians(angle / 2))], []
    for wide, narrow in zip(round_about(CAMERA, ANGLE), round_about(CAMERA, angle)):
        camera = measured(narrow)
        for (rgb, depth, _), seen in zip(wide, narrow):
            shown = (255 * picture(rgb, depth)).astype(np.uint8)
            colours, near = lenses.narrowed(shown[None, :3].transpose(0, 2, 3, 1), shown[None, 3], tangents)
            wanted, inside = (255 * made for made in camera.picture(*seen[:2]))
            assert np.median(np.abs(lenses.inside(near, tangents)[0] - inside)) < 2
            far.append([np.abs(one - wanted[:3]).mean() for one in (colours[0].transpose(2, 0, 1), shown[:3])])
    made, left = np.mean(far, axis=0)
    assert made < 0.5 * left, "the wide view as it is lies far from the narrow one"
