"""Is a plug-in what its kind must be? Asked when it is registered; a fault names class, file and what to write.

A function that makes the object is taken as it is: what a class says of itself is all that can be read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from nav_eval.admission import file_of, takes
from nav_eval.config.options import Options
from nav_eval.core.actions import check_own_actions
from nav_eval.core.bodies import PedestrianModel, Physics
from nav_eval.core.interfaces import Metric, Perturbation, Sensor, SimulatorBackend, Task
from nav_eval.errors import ConfigError
from nav_eval.registry import nearest
from nav_eval_sdk.protocol.actions import ACTIONS

STARTS = ("position", "node", None)


def admit_metric(name: str, member: Any) -> Any:
    return _admit("metric", name, member, Metric, (), _metric_faults)


def admit_sensor(name: str, member: Any) -> Any:
    return _admit("sensor", name, member, Sensor, ("name", "config", "simulator"), _sensor_faults)


def admit_task(name: str, member: Any) -> Any:
    return _admit("task", name, member, Task, ("config",), _task_faults)


def admit_simulator(name: str, member: Any) -> Any:
    return _admit("simulator", name, member, SimulatorBackend, ("config", "seed"), world_faults)


def admit_perturbation(name: str, member: Any) -> Any:
    return _admit("perturbation", name, member, Perturbation, ("severity",), _perturbation_faults)


def admit_physics(name: str, member: Any) -> Any:
    return _admit("physics", name, member, Physics, ("config",), _no_faults)


def admit_crowds(name: str, member: Any) -> Any:
    return _admit("crowds", name, member, PedestrianModel, ("config",), _no_faults)


def _admit(
    kind: str, name: str, member: Any, base: type, made_of: tuple[str, ...], own_faults: Callable[[Any], Iterator[str]]
) -> Any:
    """`member`, unchanged. Raises ConfigError with the first thing that is wrong with it."""
    if isinstance(member, type):
        faults = [*_class_faults(member, base, made_of), *own_faults(member)]
        if faults:
            raise ConfigError(f"{kind} {name!r}{file_of(member)}: {faults[0]}")
    return member


def _class_faults(cls: type, base: type, made_of: tuple[str, ...]) -> Iterator[str]:
    called = cls.__qualname__
    if lacking := sorted(getattr(cls, "__abstractmethods__", ())) or _not_of(base, cls):
        where = "" if issubclass(cls, base) else f" in class {called}({base.__name__}):"
        yield f"{called} has no {', '.join(lacking)}. Define {'it' if len(lacking) == 1 else 'them'}{where or '.'}"
    if not takes(cls, made_of):
        written = ", ".join(("self", *made_of))
        yield f"it is made as {called}({', '.join(made_of)}). Write def __init__({written}):"
    options = getattr(cls, "Options", Options)
    if not (isinstance(options, type) and issubclass(options, Options)):
        right = f"{base.__name__}.Options"
        yield f"{called}.Options must derive from {right}. Write class Options({right}):"


def _not_of(base: type, cls: type) -> list[str]:
    """What a class that does not derive from `base` lacks: what it must define, else what it would inherit."""
    abstract: Iterable[str] = getattr(base, "__abstractmethods__", ())
    public = (name for name in dir(base) if not name.startswith("_"))
    return next((missing for names in (abstract, public) if (missing := sorted(set(names) - {*dir(cls)}))), [])


def _no_faults(cls: Any) -> Iterator[str]:
    return iter(())


def _metric_faults(cls: Any) -> Iterator[str]:
    yield from _names_fault(cls, "requires")


def _sensor_faults(cls: Any) -> Iterator[str]:
    needs = getattr(cls, "needs", ())
    if isinstance(needs, property):
        return
    if not isinstance(needs, Iterable) or isinstance(needs, str | type):
        yield f"`needs` is {_describe(needs)}, no tuple. Write needs = ({_describe(needs)},)"
        return
    for need in needs:
        if isinstance(need, str):
            yield f"`needs` holds the string {need!r}. Write {need}: import it from nav_eval.core.capabilities."
        elif not isinstance(need, type) or not getattr(need, "_is_runtime_protocol", True):
            yield f"`needs` holds {_describe(need)}. Write @runtime_checkable above class {_describe(need)}(Protocol)."


def _perturbation_faults(cls: Any) -> Iterator[str]:
    yield from _names_fault(cls, "sensors")
    most = getattr(cls, "severities", None)
    if not isinstance(most, int) or most < 1:
        yield f"`severities` is {most!r}, no number of severities. Write severities = 3"


def _task_faults(cls: Any) -> Iterator[str]:
    for name in ("actions", "measurements", "sensors"):
        yield from _names_fault(cls, name)
    own = getattr(cls, "own_actions", {})
    if not isinstance(own, property):
        try:
            check_own_actions(own)
        except ConfigError as error:
            yield str(error)
    metrics = getattr(cls, "own_metrics", {})
    for name, metric in metrics.items() if isinstance(metrics, Mapping) else ():
        if not (isinstance(metric, type) and issubclass(metric, Metric)):
            yield f"own_metrics: {name!r} is {_describe(metric)}, no class that derives from Metric."
        else:
            faults = [*_class_faults(metric, Metric, ()), *_metric_faults(metric)]
            yield from (f"own_metrics: {name!r}: {fault}" for fault in faults)


def world_faults(backend: Any) -> Iterator[str]:
    """What a backend, or its class, says wrongly of its world."""
    starts, lacks = getattr(backend, "starts_at", None), getattr(backend, "lacks_actions", ())
    if starts not in STARTS and not isinstance(starts, property):
        yield f"`starts_at` is {starts!r}, not 'position', 'node' or None.{nearest(str(starts), ('position', 'node'))}"
    faults = list(_names_fault(backend, "lacks_actions"))
    yield from faults
    if not faults and not isinstance(lacks, property):
        unknown = [name for name in lacks if name not in ACTIONS]
        yield from (f"`lacks_actions`: there is no action {name!r}.{nearest(str(name), ACTIONS)}" for name in unknown)


def _names_fault(owner: Any, attribute: str) -> Iterator[str]:
    """Where an attribute that holds names is a string, or nothing that holds any."""
    value = getattr(owner, attribute, ())
    if isinstance(value, str):
        yield f"`{attribute}` is the string {value!r}. Write {attribute} = ({value!r},)"
    elif not isinstance(value, Iterable | property):
        yield f"`{attribute}` is {_describe(value)}, no tuple of names."


def _describe(value: object) -> str:
    return getattr(value, "__name__", repr(value)[:60])
