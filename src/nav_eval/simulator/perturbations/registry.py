"""Perturbations by name, and how the configured ones are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from nav_eval.core.contracts import admit_perturbation
from nav_eval.core.interfaces import Perturbation
from nav_eval.registry import Registry

PerturbationFactory: TypeAlias = Callable[[int], Perturbation]
"""severity -> a perturbation for one session."""

EXTRAS = (
    "camera_height",
    "field_of_view",
    "blur",
    "low_light",
    "colour_shift",
    "dropped_frames",
    "depth_noise",
    "actuation_noise",
    "latency",
    "people_in_the_way",
    "pose_drift",
    "paraphrase",
    "typos",
    "other_language",
    "truncated",
)
"""Entry points of the distribution nav-eval-extras; none is built in."""

PERTURBATIONS: Registry[PerturbationFactory] = Registry(
    "perturbations", admit=admit_perturbation, elsewhere=dict.fromkeys(EXTRAS, "nav-eval-extras")
)
register_perturbation = PERTURBATIONS.register
"""Decorator: @register_perturbation("name") over what makes a Perturbation of a severity."""


def make_perturbations(wanted: Mapping[str, int]) -> dict[str, Perturbation]:
    """Name -> a fresh one for one session, in the configuration's order; `wanted`: name -> severity from 1."""
    return {name: PERTURBATIONS.get(name)(severity) for name, severity in wanted.items()}
