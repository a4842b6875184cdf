"""Options: what one task, metric, sensor or simulator takes beyond the keys that all of its kind have.

A class declares them as a model of its own, `class Options(Sensor.Options)`, with their defaults, limits and meaning;
one that declares none takes none. docs/reference/configuration.md is made of these models too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import ValidationError

from nav_eval.config.faults import Fault, faults_of, unknown
from nav_eval.config.section import Section
from nav_eval.errors import ConfigError


class Options(Section):
    """Base of all options."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Its own part of `given`, which may hold another's too. Raises ConfigError with all that does not fit."""
        try:
            return cls._of(given)
        except ValidationError as error:
            raise _refusal(faults_of(error, cls, "options")) from None

    @classmethod
    def _of(cls, given: Mapping[str, Any]) -> Self:
        return cls.model_validate({name: value for name, value in given.items() if name in cls.model_fields})


def option_faults(key: str, given: Mapping[str, Any], owners: Iterable[object]) -> list[Fault]:
    """All that is wrong with the options under `key`, which belong to these classes (or to what makes objects)."""
    models: list[type[Options]] = list(dict.fromkeys(getattr(owner, "Options", Options) for owner in owners))
    known = {name for model in models for name in model.model_fields}
    found = [(f"{key}.{name}", unknown(name, known)) for name in given if name not in known]
    for model in models:
        try:
            model._of(given)
        except ValidationError as error:
            found += faults_of(error, model, key)
    return found


def check_options(key: str, given: Mapping[str, Any], *owners: object) -> None:
    """Raises ConfigError with all that is wrong with the options of these owners."""
    found = option_faults(key, given, owners)
    if found:
        raise _refusal(found)


def _refusal(found: Iterable[Fault]) -> ConfigError:
    return ConfigError("\n  ".join(f"{name}: {text}" for name, text in found))
