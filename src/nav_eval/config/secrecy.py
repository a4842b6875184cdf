"""Keys whose values are secret: what they are set to stands in no message, no log and no published file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.config.section import Section


@cache
def secret_keys() -> tuple[str, ...]:
    """Dotted keys; schema.py marks them with `repr=False`."""
    from nav_eval.config.schema import Config

    return tuple(_keys(Config))


def _keys(section: type[Section], prefix: str = "") -> Iterator[str]:
    from nav_eval.config.section import Section

    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _keys(field.annotation, f"{prefix}{name}.")
        elif not field.repr:
            yield prefix + name


def overlaps(one: str, other: str) -> bool:
    """Whether two dotted keys are the same, or one holds the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def holds_secret(key: str) -> bool:
    """Whether the value of `key` is a secret or a section that holds one."""
    return any(overlaps(key, secret) for secret in secret_keys())


def may_tell(text: str) -> bool:
    """Whether `text`, an override or a line of a file, names a secret's key, perhaps at the wrong place."""
    names = "|".join(key.rpartition(".")[2] for key in secret_keys())
    return bool(re.search(names, text, re.IGNORECASE))


def without_secrets(content: Any) -> Any:
    """`content` of a file without what is, or at another place would be, a secret's key."""
    if not isinstance(content, Mapping):
        return content
    whole = [key for key in content if not may_tell(str(key))]
    return {key: without_secrets(content[key]) for key in whole if not _misshapen(key, content[key])}


def public_config(config: Config) -> dict[str, Any]:
    """The configuration as plain values, without token and secret."""
    content = config.model_dump(mode="json")
    if not config.perturbations:
        del content["perturbations"]  # as in the records of runs from before there were any
    if config.benchmark.model is None:
        del content["benchmark"]["model"]
    for key in secret_keys():
        section, _, name = key.rpartition(".")
        content[section][name] = None
    return content


def _misshapen(key: Any, value: Any) -> bool:
    """Whether what should be a section with a secret in it is none."""
    return holds_secret(str(key)) and not isinstance(value, Mapping)
