"""Every key of the configuration, from its JSON schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from documentation.language import in_chinese, translate
from documentation.markdown import code, prose, table
from nav_eval.config.schema import Config
from nav_eval.metrics.registry import METRICS
from nav_eval.registry import Registry
from nav_eval.simulator.registry import CROWDS, PHYSICS, SIMULATORS
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.registry import TASKS
from nav_eval.variables import VARIABLES

HEAD = ("Key", "Value", "Default", "Meaning")
LIMITS = {"minimum": ">= {}", "exclusiveMinimum": "> {}", "maximum": "<= {}", "exclusiveMaximum": "< {}"}
TYPES = {"string": "text", "number": "number", "integer": "integer", "boolean": "true, false", "object": "mapping"}
OF_A_SENSOR = "NAME"
OPTIONS: Sequence[tuple[str, Registry[Any]]] = (
    ("simulator.options", SIMULATORS),
    ("simulator.options", PHYSICS),
    ("simulator.people.options", CROWDS),
    (f"simulator.sensors.{OF_A_SENSOR}.options", SENSORS),
    ("task.options", TASKS),
    ("task.options", METRICS),
)


@dataclass(frozen=True)
class Key:
    """One dotted key; `forms` are the JSON schema's alternatives other than null."""

    name: str
    schema: Mapping[str, Any]
    forms: tuple[Mapping[str, Any], ...]

    @property
    def unit(self) -> str:
        return next((str(form["unit"]) for form in (self.schema, *self.forms) if "unit" in form), "")

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))


@dataclass(frozen=True)
class Part:
    """One section of the configuration, by its dotted name; the top has none."""

    name: str
    about: str
    keys: tuple[Key, ...]


def parts() -> list[Part]:
    """Every section, parents before children."""
    schema = Config.model_json_schema()
    return list(_parts("", schema, schema["$defs"]))


def _parts(name: str, section: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[Part]:
    keys, below = [], []
    for key, schema in section["properties"].items():
        dotted = f"{name}.{key}" if name else key
        forms = tuple(form for form in schema.get("anyOf", [schema]) if form.get("type") != "null")
        child = _child(dotted, forms[0], definitions)
        if child is None or "anyOf" in schema or OF_A_SENSOR in child[0]:
            keys.append(Key(dotted, schema, forms))
        below += [child] if child else []
    yield Part(name, section.get("description", ""), tuple(keys))
    for child_name, definition in below:
        yield from _parts(child_name, definition, definitions)


def _child(name: str, form: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[str, Any] | None:
    items = form.get("additionalProperties")
    if isinstance(items, Mapping) and "$ref" in items:
        name, form = f"{name}.{OF_A_SENSOR}", items
    return (name, definitions[form["$ref"].rsplit("/", 1)[-1]]) if "$ref" in form else None


def keys() -> Iterator[str]:
    for part in parts():
        title = part.name or translate("The top level")
        yield from (f"### {title} {{ #{part.name or 'top'} }}", "", prose(part.about))
        yield from table(HEAD, map(_row, part.keys))


def variables() -> Iterator[str]:
    """Every environment variable that is no key."""
    yield from table(
        ("Variable", "Meaning", "Default", "Read by"),
        ((code(v.name), v.chinese if in_chinese() else v.about, code(v.default), code(v.owner)) for v in VARIABLES),
    )


def options() -> Iterator[str]:
    """What the built-in simulators, sensors, tasks and metrics take in `options`."""
    for key, registry in OPTIONS:
        for name in registry:
            owner: Any = registry.get(name)
            if owner.__module__.startswith(("nav_eval.", "nav_eval_extras.")) and owner.Options.model_fields:
                yield from _options(key, name, owner.Options.model_json_schema())


def _options(key: str, owner: str, schema: Mapping[str, Any]) -> Iterator[str]:
    for part in _parts(key, schema, schema.get("$defs", {})):
        if not part.name.endswith(f"options.sensors.{OF_A_SENSOR}"):
            title = translate("{section} of {owner}").format(section=part.name, owner=owner)
            yield from (f"### {title} {{ #{part.name}-{owner} }}", "", prose(part.about))
            yield from table(HEAD, map(_row, part.keys))


def _row(key: Key) -> tuple[str, ...]:
    value = f" {translate('or')} ".join(map(_value, key.forms)) + (f" ({translate(key.unit)})" if key.unit else "")
    return code(key.name), value, code(_default(key)), prose(key.description)


def _default(key: Key) -> str:
    default = key.schema.get("default", {})
    return default if isinstance(default, str) and default else json.dumps(default, ensure_ascii=False)


def _value(form: Mapping[str, Any]) -> str:
    if "enum" in form:
        return ", ".join(map(code, form["enum"]))
    if "const" in form:
        return code(form["const"])
    if "$ref" in form:
        return translate("section")
    if form["type"] == "array":
        return translate("list of {items}").format(items=_value(form["items"]))
    limits = [text.format(form[limit]) for limit, text in LIMITS.items() if limit in form]
    return " ".join([translate(TYPES[form["type"]]), ", ".join(limits)]).strip()
