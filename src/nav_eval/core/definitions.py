"""What a metric says of itself, and results.json passes on: tables, reports and scorers ask this, never a name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from nav_eval.core.interfaces import Metric
from nav_eval.core.types import Better, Category, Kind, Need
from nav_eval.errors import ConfigError

CHOICES = {"category": get_args(Category), "kind": get_args(Kind), "better": (*get_args(Better), None)}


@dataclass(frozen=True, slots=True)
class Definition:
    """The class attributes of a Metric; `needs` also holds those of the metrics that it requires.

    `about` is the first sentence of its docstring, `label` and `short` are what reports and papers call it. The
    defaults are for a metric of which nothing is known.
    """

    category: Category = "navigation"
    kind: Kind = "mean"
    unit: str = ""
    better: Better | None = None
    needs: tuple[Need, ...] = ("distance",)
    about: str = ""
    label: str = ""
    short: str = ""

    @property
    def is_share(self) -> bool:
        """Whether its values lie between 0 and 1."""
        return self.kind == "rate" or self.unit == "share"

    def __str__(self) -> str:
        better = f"{self.better} is better" if self.better else ""
        return ", ".join(filter(None, (self.category, self.kind, self.unit, better)))


def definitions(metrics: Iterable[type[Metric]]) -> dict[str, Definition]:
    """By name. Raises ConfigError for one that says what cannot be."""
    known = {metric.name: metric for metric in metrics}
    return {name: _definition(metric, known) for name, metric in known.items()}


def check_definition(metric: type[Metric]) -> None:
    """Raises ConfigError that names the attribute and what it may be."""
    for name, allowed in CHOICES.items():
        if getattr(metric, name, None) not in allowed:
            told = ", ".join(map(repr, allowed))
            raise ConfigError(
                f"metric {metric.name!r}: `{name}` is {getattr(metric, name, None)!r}, not one of {told}."
            )
    if isinstance(metric.needs, str) or not set(metric.needs) <= set(get_args(Need)):
        raise ConfigError(f"metric {metric.name!r}: `needs` is {metric.needs!r}, not a tuple of {get_args(Need)}.")
    for name in ("unit", "label", "short"):
        if not isinstance(getattr(metric, name), str):
            raise ConfigError(f"metric {metric.name!r}: `{name}` is {getattr(metric, name)!r}, not a string.")
    if metric.kind == "rate" and metric.on_failure not in (None, 0, 1):
        raise ConfigError(f"metric {metric.name!r}: `on_failure` of a rate is 0, 1 or None, not {metric.on_failure!r}.")


def _definition(metric: type[Metric], known: Mapping[str, type[Metric]]) -> Definition:
    check_definition(metric)
    found = {need for one in _with_required(metric.name, known) for need in one.needs}
    needs = tuple(need for need in get_args(Need) if need in found)
    label = metric.label or readable(metric.name)
    said = (metric.category, metric.kind, metric.unit, metric.better, needs, _first_sentence(metric))
    return Definition(*said, label, metric.short)


def readable(name: str) -> str:
    """A name as words: "oracle_success" is "Oracle success"."""
    return (name[:1].upper() + name[1:]).replace("_", " ")


def _with_required(name: str, known: Mapping[str, type[Metric]]) -> Iterator[type[Metric]]:
    waiting, seen = [name], set[str]()
    while waiting:
        name = waiting.pop()
        if name in known and name not in seen:
            seen.add(name)
            waiting += known[name].requires
            yield known[name]


def _first_sentence(metric: type[Metric]) -> str:
    """ "" for a class without a docstring of its own."""
    return " ".join(inspect.cleandoc(metric.__doc__ or "").partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")
