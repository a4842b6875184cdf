"""The rules of a run: what decides over success and over how far one comes. The manifest holds their sum.

Perturbations are rules. Sensors, actions and the list of measurements are none: those are the agent's own choice, or
change no other figure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from nav_eval.config.schema import Config, EvaluationConfig
from nav_eval_sdk.protocol.limits import Limits

LIMITS = {*Limits.__struct_fields__} & {*EvaluationConfig.model_fields}
"""Of an episode, as far as a configuration sets them: max_steps and its like."""
SECTIONS: Mapping[str, set[str]] = {
    "benchmark": {"profile", "version"},
    "task": {
        "type",
        "success_rule",
        "goal_rule",
        "spl_length",
        "repeats",
        "dtw",
        "ndtw_distance",
        "coverage_distance",
        "options",
    },
    "simulator": {"motion", "body", "scale", "path_mode", "physics", "people"},
    "evaluation": {*LIMITS, "success_distance", "cut_at_collision", "clock", "latency_s", "step_s"},
}
BY_CONVENTION = {
    "task.success_rule",
    "task.goal_rule",
    "task.spl_length",
    "task.repeats",
    "task.dtw",
    "evaluation.success_distance",
}
"""Rules that a `task.convention` may set: they decide what a figure says of what was walked, not what was walked."""
LATER: Mapping[str, Any] = {
    "task.spl_length": "shortest",
    "task.repeats": "drop",
    "evaluation.max_chunk": 1,
    "evaluation.cut_at_collision": False,
    "evaluation.clock": "lockstep",
    "evaluation.latency_s": None,
    "evaluation.step_s": 0.5,
    "simulator.physics": "kinematic",
    "simulator.people.count": 0,
    "simulator.people.motion": "social_force",
    "simulator.people.wait_s": 0.5,
    "simulator.people.options": {},
}
"""Keys that came after the first edition, and what they were before they could be set. With that value they are in no
sum, so that a rule that nobody uses changes none; and a configuration that does not tell them says this."""


def rules_of(config: Config) -> dict[str, Any]:
    """Dotted key -> value; `perturbations` are among them where there are any."""
    perturbations = perturbations_of(config)
    perturbed = {"perturbations": perturbations} if perturbations else {}
    return dict(flat(config.model_dump(mode="json", include=SECTIONS) | perturbed))


def perturbations_of(config: Config) -> list[dict[str, Any]]:
    """Name and severity of each, in their order; none of severity 0."""
    return [{"name": name, "severity": severity} for name, severity in config.perturbed.items()]


def rules_sum(config: Config) -> str:
    """SHA-256 of the rules."""
    told = {key: value for key, value in rules_of(config).items() if key not in LATER or value != LATER[key]}
    return hashlib.sha256(msgspec.json.encode(told, order="sorted")).hexdigest()


def flat(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each value with its dotted key; an empty mapping is a value."""
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
