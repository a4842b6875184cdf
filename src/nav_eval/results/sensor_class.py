"""What an agent was given to perceive with, as one name: results compare like with like by it."""

from __future__ import annotations

from collections.abc import Mapping

from nav_eval.config.schema import SensorConfig

CAMERAS = (
    ("panorama", {"panorama", "depth_panorama", "skybox", "viewpoint"}),
    ("RGB-D", {"rgb", "depth"}),
    ("RGB", {"rgb"}),
    ("depth", {"depth"}),
)
"""The first that fits; a panorama needs one of its sensors, the others all of theirs. A graph's `viewpoint` is one:
agents look up by it the features of the panorama there."""
BESIDE = (("semantics", {"semantic", "objects"}), ("pose", {"gps", "compass"}))
"""What is added where any of these is there: the true categories of what is seen, and where the agent stands."""


def sensor_class(sensors: Mapping[str, SensorConfig]) -> str:
    """The class of `simulator.sensors`, such as "RGB", "RGB-D+pose" or "panorama"; "none" without a camera.

    >>> sensor_class({"rgb": SensorConfig(), "left": SensorConfig(type="depth"), "gps": SensorConfig()})
    'RGB-D+pose'
    """
    kinds = {sensor.type or name for name, sensor in sensors.items()}
    fits = (name for name, wanted in CAMERAS if (kinds & wanted if name == "panorama" else kinds >= wanted))
    return "+".join([next(fits, "none"), *(name for name, any_of in BESIDE if kinds & any_of)])
