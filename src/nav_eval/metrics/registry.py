"""The metrics by name, and how a list of names becomes a list of metrics with all that they require.

Built-in ones are imported when they are asked for. A plug-in adds its own with `metric` (a formula) or
`register_metric` (a class), or with an entry point in the group `nav_eval.metrics`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nav_eval.core.contracts import admit_metric
from nav_eval.core.definitions import Definition, check_definition, definitions
from nav_eval.core.interfaces import Metric
from nav_eval.metrics.adapted import as_metric
from nav_eval.registry import Registry

_MODULES = tuple(f"nav_eval.metrics.{module}" for module in ("navigation", "trajectory", "behaviour", "objects"))
"""Whose metrics are registered by their decorators, when a name is first asked for."""
_CLASSES = {
    "forces": {
        "collision_force": "CollisionForce",
        "collision_impulse": "CollisionImpulse",
        "fall_rate": "FallRate",
        "stuck_rate": "StuckRate",
    },
    "social": {
        "human_collisions": "HumanCollisions",
        "human_collision_rate": "HumanCollisionRate",
        "personal_space_compliance": "PersonalSpaceCompliance",
        "min_person_distance": "MinPersonDistance",
        "stl": "Stl",
        "time_lost": "TimeLost",
    },
}


def _admit(name: str, cls: type) -> type[Metric]:
    metric: type[Metric] = admit_metric(name, as_metric(name, cls))
    metric.name = name
    check_definition(metric)
    return metric


METRICS: Registry[type[Metric]] = Registry(
    "metrics",
    {name: f"nav_eval.metrics.{module}:{cls}" for module, names in _CLASSES.items() for name, cls in names.items()},
    _admit,
    modules=_MODULES,
)

register_metric = METRICS.register
"""Decorator: @register_metric("name") over a Metric, or a class with the specification's signatures (see adapted).

Raises ConfigError if the name is taken, its methods have other signatures, or it says of itself what cannot be.
"""


def make_metrics(names: Iterable[str]) -> list[Metric]:
    """One fresh metric per name, and those that they require after them.

    Raises ConfigError for an unknown name, with the nearest known one.
    """
    made: dict[str, Metric] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in made:
            made[name] = METRICS.get(name)()
            waiting.extend(made[name].requires)
    return list(made.values())


def known_definitions(names: Iterable[str], own: Mapping[str, type[Metric]]) -> dict[str, Definition]:
    """What metrics of recorded runs say of themselves, as far as they are known here; `own` are those of the task."""
    names = list(names)
    shared = make_metrics(name for name in names if name not in own and name in METRICS)
    found = definitions([*map(type, shared), *own.values()])
    return {name: found.get(name, Definition()) for name in names}
