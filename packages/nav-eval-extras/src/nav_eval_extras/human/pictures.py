"""What of an agent's observation a person is shown: its pictures, the goal that it tells, and the ways on a graph.

Nothing else is taken over, so that a sensor that tells a pose, a map or a node's id never reaches the page.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

from nav_eval.geometry import wrap_angle

QUALITY = 95
"""JPEG's, without subsampled colours: no difference can be seen, at a fifth of the bytes."""


def is_picture(spec: Mapping[str, Any]) -> bool:
    """Whether a sensor of this spec, as `reset` is given it, shows one picture or several of one size."""
    shape = spec.get("shape", ())
    return spec["kind"] == "tensor" and spec["dtype"] == "uint8" and len(shape) in (3, 4) and shape[-1] == 3


def pictures(specs: Mapping[str, Any], observation: Mapping[str, Any], facing: float = 0.0) -> list[dict[str, Any]]:
    """Name and data URL of every picture, the view first; those of a panorama side by side; no black picture of a goal,
    which is told otherwise then.

    What shows all `around` has in its middle what is `facing` (rad, left is positive) from the agent's heading.
    """
    names = sorted((name for name, spec in specs.items() if is_picture(spec)), key=lambda name: name != "rgb")
    shown = [(name, observation.get(name)) for name in names]
    told = [(name, value, specs[name].get("description", "").startswith("equirectangular")) for name, value in shown]
    return [
        {"name": name, "data": _url(_turn(value, facing) if around else value), "around": around}
        for name, value, around in told
        if value is not None and (name != "imagegoal" or value.any())
    ]


def _turn(picture: np.ndarray, yaw: float) -> np.ndarray:
    """Of (H, W, 3), with another direction in its middle."""
    return np.roll(picture, round(yaw / (2 * math.pi) * picture.shape[1]), axis=1)


def _url(value: np.ndarray) -> str:
    """Of (H, W, 3) or (N, H, W, 3) uint8."""
    whole = value if value.ndim == 3 else np.concatenate(list(value), axis=1)
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(whole)).save(file, "JPEG", quality=QUALITY, subsampling=0)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def goal(specs: Mapping[str, Any], observation: Mapping[str, Any]) -> dict[str, Any]:
    """The goal as sensors tell it: `text` of a thing, `distance` (m) and `bearing` (degrees, left is positive)."""
    told: dict[str, Any] = {}
    if words := list(filter(None, (observation.get(name) for name in ("objectgoal", "descriptiongoal")))):
        told["text"] = ", ".join(words)
    if observation.get("pointgoal") is not None and "pointgoal" in specs:
        distance, bearing = (float(part) for part in observation["pointgoal"])
        told |= {"distance": round(distance, 1), "bearing": round(math.degrees(bearing))}
    return told


def ways(observation: Mapping[str, Any], facing: float = 0.0) -> list[dict[str, Any]]:
    """The neighbours on a graph, nearest to straight ahead first: heading (degrees, left is positive), distance.

    Ahead is `facing` (rad, left is positive) from the agent's heading. Ids are the run's opaque ones, and stay in here.
    """
    found = [
        {
            "viewpoint": one["viewpoint"],
            "heading": round(math.degrees(wrap_angle(one["heading"] - facing))),
            "elevation": round(math.degrees(one["elevation"])),
            "distance": round(float(one["distance"]), 1),
        }
        for one in observation.get("navigable") or ()
    ]
    return sorted(found, key=lambda one: abs(one["heading"]))
