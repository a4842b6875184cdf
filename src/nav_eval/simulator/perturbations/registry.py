"""Perturbations by name, and how the configured ones are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from nav_eval.core.contracts import admit_perturbation
from nav_eval.core.interfaces import Perturbation
from nav_eval.registry import Registry

PerturbationFactory: TypeAlias = Callable[[int], Perturbation]
"""severity -> a perturbation for one session."""

PERTURBATIONS: Registry[PerturbationFactory] = Registry(
    "perturbations",
    {
        "camera_height": "nav_eval.simulator.perturbations.body:CameraHeight",
        "field_of_view": "nav_eval.simulator.perturbations.body:FieldOfView",
        "blur": "nav_eval.simulator.perturbations.pictures:Blur",
        "low_light": "nav_eval.simulator.perturbations.pictures:LowLight",
        "colour_shift": "nav_eval.simulator.perturbations.pictures:ColourShift",
        "dropped_frames": "nav_eval.simulator.perturbations.pictures:DroppedFrames",
        "depth_noise": "nav_eval.simulator.perturbations.body:DepthNoise",
        "actuation_noise": "nav_eval.simulator.perturbations.body:ActuationErrors",
        "latency": "nav_eval.simulator.perturbations.body:Latency",
        "people_in_the_way": "nav_eval.simulator.perturbations.body:PeopleInTheWay",
        "pose_drift": "nav_eval.simulator.perturbations.pose:PoseDrift",
        "paraphrase": "nav_eval.simulator.perturbations.words:Paraphrase",
        "typos": "nav_eval.simulator.perturbations.words:Typos",
        "other_language": "nav_eval.simulator.perturbations.words:OtherLanguage",
        "truncated": "nav_eval.simulator.perturbations.words:Truncated",
    },
    admit_perturbation,
)
register_perturbation = PERTURBATIONS.register
"""Decorator: @register_perturbation("name") over what makes a Perturbation of a severity."""


def make_perturbations(wanted: Mapping[str, int]) -> dict[str, Perturbation]:
    """Name -> a fresh one for one session, in the configuration's order; `wanted`: name -> severity from 1."""
    return {name: PERTURBATIONS.get(name)(severity) for name, severity in wanted.items()}
