"""Cameras against rotation matrices of scipy and the conventions' own formulae."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from nav_eval.engine.render.camera import Lens, axes, view
from nav_eval.errors import ConfigError, SimulatorError

ANGLES = st.floats(-math.pi, math.pi)


@given(ANGLES, ANGLES, ANGLES)
def test_axes_are_yaw_then_pitch_then_roll(yaw: float, pitch: float, roll: float) -> None:
    turn = Rotation.from_euler("YXZ", [yaw, pitch, roll])
    expected = turn.apply([[1, 0, 0], [0, -1, 0], [0, 0, -1]])
    np.testing.assert_allclose(axes(yaw, pitch, roll), expected, atol=1e-12)


@given(ANGLES)
def test_forward_is_that_of_the_conventions(yaw: float) -> None:
    np.testing.assert_allclose(axes(yaw)[2], [-math.sin(yaw), 0, -math.cos(yaw)], atol=1e-12)


def test_focal_length_follows_the_horizontal_field_of_view() -> None:
    assert Lens(640, 480, 90.0).focal == pytest.approx(320.0)
    assert Lens(480, 640, 42.0).focal == pytest.approx(240.0 / math.tan(math.radians(21.0)))


@pytest.mark.parametrize(
    ("width", "height", "hfov"), [(0, 4, 90), (4, 99999, 90), (4, 4, 0), (4, 4, 180), (2.5, 4, 90)]
)
def test_impossible_lenses_are_refused(width: float, height: int, hfov: float) -> None:
    with pytest.raises(ConfigError, match="must"):
        Lens(width, height, hfov)  # type: ignore[arg-type]


@pytest.mark.parametrize("position", [(0, 0), (0, math.nan, 0), (math.inf, 0, 0)])
def test_a_camera_needs_a_finite_place(position: tuple[float, ...]) -> None:
    with pytest.raises(SimulatorError, match="finite"):
        view(position, 0.0)
