"""The pinhole camera of both renderers: where it looks, and how pixels map to directions.

Frame of reference (conventions): y up, yaw turns left about +y, yaw 0 looks along -z; positive pitch looks up;
positive roll turns the camera counter-clockwise as seen from behind it. Row 0 is the top row,
a pixel's centre lies at +0.5, and fx = fy = (width / 2) / tan(hfov / 2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.errors import ConfigError, SimulatorError

LARGEST_SIDE = 8192


@dataclass(frozen=True, slots=True)
class Lens:
    """Image size in pixels and horizontal field of view in degrees."""

    width: int = 640
    height: int = 480
    hfov: float = 90.0

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if not 1 <= value <= LARGEST_SIDE or int(value) != value:
                raise ConfigError(f"A camera's {name} must be a whole number from 1 to {LARGEST_SIDE}, not {value!r}.")
        if not 1.0 <= self.hfov <= 175.0:
            raise ConfigError(
                f"A camera's hfov must be between 1 and 175 degrees, not {self.hfov!r}; for wider views use a panorama."
            )

    @property
    def focal(self) -> float:
        """Focal length in pixels, the same in x and y."""
        return self.width / 2.0 / math.tan(math.radians(self.hfov) / 2.0)


def axes(yaw: float, pitch: float = 0.0, roll: float = 0.0) -> NDArray[np.float64]:
    """(3, 3) rows: the image's right, the image's down and the viewing direction in the world; angles in radians."""
    return np.array(_axes(yaw, pitch, roll)).reshape(3, 3)


def view(position: ArrayLike, yaw: float, pitch: float = 0.0, roll: float = 0.0) -> NDArray[np.float64]:
    """(12,) the three axes and then the position, metres, world frame. position: (3,)."""
    place = np.asarray(position, np.float64).ravel().tolist()
    if len(place) != 3 or not all(map(math.isfinite, (*place, yaw, pitch, roll))):
        raise SimulatorError(f"A camera needs a finite position (x, y, z) and angles, not {position!r}, {yaw!r}.")
    return np.array((*_axes(yaw, pitch, roll), *place))


def _axes(yaw: float, pitch: float, roll: float) -> tuple[float, ...]:
    """The nine numbers of `axes`; of so few, numpy's sums would take longer than a small frame's shading."""
    cy, sy = math.cos(yaw), math.sin(yaw)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cr, sr = math.cos(roll), math.sin(roll)
    right_x, right_y, right_z = cy, 0.0, -sy
    up_x, up_y, up_z = sy * sp, cp, cy * sp
    return (
        cr * right_x + sr * up_x, cr * right_y + sr * up_y, cr * right_z + sr * up_z,
        -(cr * up_x - sr * right_x), -(cr * up_y - sr * right_y), -(cr * up_z - sr * right_z),
        -sy * cp, sp, -cy * cp,
    )  # fmt: skip
