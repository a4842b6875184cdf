"""Keys whose values are secret: what they are set to stands in no message, no log and no published file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nav_eval.config.schema import Config, Section


def _keys(section: type[Section], prefix: str = "") -> Iterator[str]:
    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _keys(field.annotation, f"{prefix}{name}.")
        elif not field.repr:
            yield prefix + name


SECRETS = tuple(_keys(Config))
"""Dotted keys; schema.py marks them with `repr=False`."""
_NAMES = re.compile("|".join(key.rpartition(".")[2] for key in SECRETS), re.IGNORECASE)


def overlaps(one: str, other: str) -> bool:
    """Whether two dotted keys are the same, or one holds the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def holds_secret(key: str) -> bool:
    """Whether the value of `key` is a secret or a section that holds one."""
    return any(overlaps(key, secret) for secret in SECRETS)


def may_tell(text: str) -> bool:
    """Whether `text`, an override or a line of a file, names a secret's key, perhaps at the wrong place."""
    return bool(_NAMES.search(text))


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
    for key in SECRETS:
        section, _, name = key.rpartition(".")
        content[section][name] = None
    return content


def _misshapen(key: Any, value: Any) -> bool:
    """Whether what should be a section with a secret in it is none."""
    return holds_secret(str(key)) and not isinstance(value, Mapping)
