"""Configurations with something changed: drawn from the schema, key by key, in each of the ways that people get wrong.

A change is a dotted key and its new value; `...` takes the key out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from documentation.configuration import Key, parts
from nav_eval.agents.registry import AGENTS
from nav_eval.config.locations import DATA, OWN
from nav_eval.dataset.registry import DATASETS
from nav_eval.metrics.registry import METRICS
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.registry import TASKS
from nav_eval_sdk.protocol.actions import ACTIONS

Change = tuple[str, Any]
NAMES: Mapping[str, Callable[[], list[str]]] = {
    "task.type": TASKS.names,
    "simulator.backend": lambda: ["custom", "nav_graph", "external"],
    "dataset.type": DATASETS.names,
    "agent_service.agent": AGENTS.names,
    "task.measurements": METRICS.names,
    "task.actions": lambda: list(ACTIONS),
}
LEFT_ALONE = (
    "plugins",
    "dataset.generate",
    "simulator.endpoint",
    "simulator.command",
    "agent_service.endpoint",
    "evaluation.parallel",
    "benchmark",
)
"""Keys whose good values would import, make buildings, start programs or ask the network."""
OPTIONS = ("discrete_views", "move_to_seen", "scene", "discrete_view", "noise", "frame", "kind", "frmae", "x")
TOGETHER: tuple[tuple[Change, ...], ...] = (
    (("dataset.split", "val_unseen"), ("dataset.data_path", "R2R_train.json")),
    (("agent_service.type", "remote"), ("agent_service.tls.ca", "ca.pem")),
    (("agent_service.type", "remote"), ("agent_service.tls.enabled", True), ("agent_service.tls.ca", "nowhere.pem")),
    (("agent_service.type", "remote"), ("agent_service.token", "a"), ("agent_service.token_file", "nowhere")),
    (("agent_service.type", "remote"), ("agent_service.allowed_networks", ("10.0.0.0/33",))),
    (("agent_service.type", "remote"), ("agent_service.protocol", "grpc"), ("agent_service.encoding", "json")),
    (("output.video", "all"), ("evaluation.parallel.workers", 2)),
    (("simulator.sensors.depth", {"min_depth": 3.0, "max_depth": 1.0}),),
    (("task.success_rule", "nodes"),),
    (("task.goal_rule", "view_points"), ("task.success_rule", "final")),
    (("simulator.sensors.pointgoal", {}),),
    (("simulator.sensors.objectgoal", {}),),
    (("task.type", "multi_objectnav"), ("task.actions", ("stop", "found", "move_to"))),
    (("task.measurements", ("goals_found",)),),
    (("simulator.motion.noise", "LoCoBot/ILQR"),),
    (("simulator.motion.noise", "LoCoBot/None"),),
    (("dataset.scenes", ("nosuch",)),),
    (("dataset.languages", ("xx",)),),
    (("dataset.max_bytes", 10),),
)


def draw_changes(chance: random.Random) -> list[Change]:
    """One to three changes."""
    found: list[Change] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        found += chance.choice((_wrong_type, _misspelt, _edge, _edge, _named, _file, _sensor, _option, _together))(
            chance
        )
    return found


def applied(content: Mapping[str, Any], changes: list[Change]) -> dict[str, Any]:
    """A deep copy of `content` with the changes."""
    changed = _copy(content)
    for key, value in changes:
        *sections, name = key.split(".")
        place = changed
        for section in sections:
            if not isinstance(place.get(section), dict):
                place[section] = {}
            place = place[section]
        if value is ...:
            place.pop(name, None)
        else:
            place[name] = value
    return changed


def _copy(value: Any) -> Any:
    return {key: _copy(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _keys() -> list[Key]:
    return [key for part in parts() for key in part.keys if "NAME" not in key.name]


KEYS = _keys()


def _key(chance: random.Random) -> Key:
    return chance.choice(KEYS)


def _wrong_type(chance: random.Random) -> list[Change]:
    key = _key(chance)
    wrong: list[Any] = [{"a": 1}, ({"b": ()},), "many", 3.5, -1, None, "", True]
    return [(key.name, chance.choice(wrong))] if not key.name.startswith(LEFT_ALONE) else []


def _misspelt(chance: random.Random) -> list[Change]:
    section, _, name = _key(chance).name.rpartition(".")
    at = chance.randrange(len(name))
    other = chance.choice((name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:], name + "s", name.upper()))
    return [(f"{section}.{other}" if section else other, 1)]


def _edge(chance: random.Random) -> list[Change]:
    """A number at an end of its range, just beyond it, or within; another of the words that may stand here."""
    key = _key(chance)
    form = chance.choice(key.forms)
    if key.name.startswith(LEFT_ALONE) or not form:
        return []
    if "enum" in form:
        return [(key.name, chance.choice([*form["enum"], "nonsense"]))]
    if form.get("type") == "boolean":
        return [(key.name, chance.choice([True, False]))]
    if form.get("type") not in ("number", "integer"):
        return []
    low = form.get("minimum", form.get("exclusiveMinimum", 0))
    high = form.get("maximum", form.get("exclusiveMaximum", 1e9))
    step = 1 if form["type"] == "integer" else 0.5
    return [(key.name, chance.choice([low, low - step, low + step, low + 2 * step, high, high + step, float("nan")]))]


def _named(chance: random.Random) -> list[Change]:
    key = chance.choice(sorted(NAMES))
    names = NAMES[key]()
    if key.endswith("s"):
        return [(key, tuple(chance.sample(names, k=min(len(names), chance.choice((1, 2, 5))))))]
    return [(key, chance.choice([*names, chance.choice(names)[:-1]]))]


def _file(chance: random.Random) -> list[Change]:
    return [(chance.choice((*DATA, *OWN)), chance.choice(("nowhere", "nowhere/at/all.json", "", ".")))]


def _sensor(chance: random.Random) -> list[Change]:
    name = chance.choice([name for name in SENSORS if not name.endswith("_for_tests")])
    given = {} if chance.random() < 0.5 else {"width": chance.choice((0, 8, 16)), "height": chance.choice((8, 9000))}
    return [(f"simulator.sensors.{name}", chance.choice([given, {"type": name[:-1]}, ...]))]


def _option(chance: random.Random) -> list[Change]:
    where = chance.choice(("simulator.options", "task.options", "simulator.sensors.gps.options"))
    return [(f"{where}.{chance.choice(OPTIONS)}", chance.choice((True, "views36", 3)))]


def _together(chance: random.Random) -> list[Change]:
    return list(chance.choice(TOGETHER))
