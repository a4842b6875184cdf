"""What is wrong with a configuration's values, key by key: every unknown or unfit key is told in these words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from nav_eval.config.secrecy import holds_secret
from nav_eval.registry import nearest

if TYPE_CHECKING:
    from pydantic import ValidationError

Fault: TypeAlias = tuple[str, str]
"""A dotted key, and what is wrong with it."""


def faults_of(error: ValidationError, model: Any, prefix: str = "") -> Iterator[Fault]:
    """The faults of values that `model` did not take; `prefix`: the key under which they stand."""
    for fault in error.errors(include_url=False):
        key = ".".join([*([prefix] if prefix else []), *map(str, fault["loc"])])
        section, _, _ = key.rpartition(".")
        if fault["type"] == "extra_forbidden" and fault["input"] is None and section and holds_secret(section):
            yield (
                section,
                "holds a key without a value. Quote a value that holds a comma.",
            )  # the rest of a token, maybe
        elif fault["type"] == "extra_forbidden":
            deeper = _names_below(model) if len(fault["loc"]) == 1 else []
            yield key, unknown(str(fault["loc"][-1]), _names_beside(model, fault["loc"]), deeper)
        else:
            yield key or "the configuration", _unfit(fault, told=bool(key) and not holds_secret(key))


def unknown(name: str, known: Iterable[str], deeper: Iterable[str] = ()) -> str:
    """What is said of a key that nobody knows; `deeper`: keys of sections that it may have been meant for."""
    names = sorted(known)
    return f"unknown key.{nearest(name, [*names, *deeper])} Known here: {', '.join(names) or 'none'}."


def _unfit(fault: Any, *, told: bool) -> str:
    """`told`: whether the value may be repeated."""
    text = f"{fault['msg']} (it is {_short(fault['input'])})." if told else f"{fault['msg']}."
    if fault["type"] == "string_type" and isinstance(fault["input"], int):
        text += " Quote a name that looks like a number."
    location = fault["loc"]
    if location[:2] == ("simulator", "sensors") and len(location) == 3 and isinstance(fault["input"], str):
        text += f" Write {location[2]}: {{type: {_short(fault['input']).strip(chr(39))}}}." if told else ""
    return text


def _names_beside(model: Any, location: tuple[int | str, ...]) -> list[str]:
    for part in location[:-1]:
        known = getattr(model, "model_fields", {}).get(str(part))
        model = known.annotation if known is not None else _item_model(model)
    return list(getattr(model, "model_fields", {}))


def _names_below(model: Any) -> list[str]:
    """section.key of all keys that a section of `model` has."""
    sections = {name: field.annotation for name, field in getattr(model, "model_fields", {}).items()}
    return [f"{name}.{key}" for name, section in sections.items() for key in getattr(section, "model_fields", {})]


def _item_model(model: Any) -> Any:
    arguments = getattr(model, "__args__", ())
    return arguments[-1] if arguments else None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
