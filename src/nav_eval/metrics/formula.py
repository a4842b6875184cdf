"""A metric as a formula: a function of keyword parameters, and above it, in its decorator, all that is said of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Any, ClassVar, TypeVar, get_type_hints

from pydantic import create_model

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Better, Category, Kind, Need
from nav_eval.errors import ConfigError
from nav_eval.metrics.base import DerivedMetric
from nav_eval.metrics.registry import METRICS
from nav_eval.registry import check_named

F = TypeVar("F", bound=Callable[..., float])
CONTEXT = "context"


class FormulaMetric(DerivedMetric):
    """What its formula makes of the values of `requires`, of the episode's context and of its options."""

    formula: ClassVar[Callable[..., float]]
    reads_context: ClassVar[bool]

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._given: dict[str, Any] = {CONTEXT: context} if self.reads_context else {}
        if self.Options.model_fields:
            self._given |= dict(self.Options.of(context.settings.options))

    def get_metric(self) -> float:
        return self.formula(**{name: self.value(name) for name in self.requires}, **self._given)


def metric(
    name: str,
    *,
    category: Category = "navigation",
    kind: Kind = "mean",
    label: str = "",
    short: str = "",
    unit: str = "",
    better: Better | None = None,
    needs: tuple[Need, ...] = (),
    requires: Sequence[str] | None = None,
    on_failure: float | None = None,
) -> Callable[[F], F]:
    """Decorator: makes the function below it the metric `name`; the function itself stays what it is.

    A parameter without a default is the value of the metric of that name (`requires`, which may be left out, are these
    names), or `context`, the MetricContext. One with a default is an option, `task.options.NAME`. The first sentence of
    the docstring, `label` and `unit` are what reports show; the rest is that of nav_eval.Metric. Raises ConfigError if
    the name is taken or the metric says of itself what cannot be.

    >>> @metric("detour", unit="m", better="lower", requires=("path_length", "shortest_path_length"))
    ... def detour(*, path_length, shortest_path_length):
    ...     "Metres beyond those of the shortest path."
    ...     return path_length - shortest_path_length
    >>> detour(path_length=5.0, shortest_path_length=4.0)
    1.0
    """
    check_named(name, "metric")
    said: dict[str, Any] = {"category": category, "kind": kind, "label": label, "short": short, "unit": unit}
    said |= {"better": better, "needs": needs, "on_failure": on_failure}

    def add(formula: F) -> F:
        METRICS.add(name, _metric_of(name, formula, requires, said))
        return formula

    return add


def _metric_of(
    name: str, formula: Callable[..., float], requires: Sequence[str] | None, said: dict[str, Any]
) -> type[Metric]:
    parameters = inspect.signature(formula).parameters
    given = [each for each in parameters if parameters[each].default is Parameter.empty and each != CONTEXT]
    _check_parameters(name, formula, given if requires is None else requires, given)
    own = {
        "formula": staticmethod(formula),
        "reads_context": CONTEXT in parameters,
        "requires": tuple(given if requires is None else requires),
        "Options": _options_of(formula),
    }
    origin = {"__module__": formula.__module__, "__qualname__": formula.__qualname__, "__doc__": formula.__doc__}
    return type(formula.__name__, (FormulaMetric,), said | own | origin)


def _check_parameters(name: str, formula: Callable[..., float], requires: Sequence[str], given: list[str]) -> None:
    by_name = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    for parameter in inspect.signature(formula).parameters.values():
        if parameter.kind not in by_name:
            raise ConfigError(
                f"metric {name!r}: {formula.__qualname__} is given all by name, but not {parameter.name}. "
                "Name what it takes."
            )
    if sorted(requires) != sorted(given):
        raise ConfigError(
            f"metric {name!r}: `requires` is {', '.join(requires)}, the parameters of {formula.__qualname__} without a "
            f"default are {', '.join(given)}. Write the same names, or leave `requires` out."
        )


def _options_of(formula: Callable[..., float]) -> type[Any]:
    """A model of the parameters with a default."""
    optional = [one for one in inspect.signature(formula).parameters.values() if one.default is not Parameter.empty]
    if not optional:
        return Metric.Options
    kinds = get_type_hints(formula, include_extras=True)
    fields: dict[str, Any] = {one.name: (kinds.get(one.name, Any), one.default) for one in optional}
    return create_model("Options", __base__=Metric.Options, **fields)
