"""Core's specs and action spaces as the wire describes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from nav_eval.core.actions import ActionSpace
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval_sdk.protocol import messages, tensors

Packing = Callable[[str, TensorSpec], str]
"""(sensor, spec) -> raw, zstd, png or jpeg."""


def raw(sensor: str, spec: TensorSpec) -> str:
    """The packing that every service takes."""
    return "raw"


def packing(wanted: str, accepted: tuple[str, ...], lossy: frozenset[str]) -> Packing:
    """`wanted` where the service takes it and the array goes into it; jpeg for `lossy` sensors."""

    def choose(sensor: str, spec: TensorSpec) -> str:
        encoding = "jpeg" if sensor in lossy else wanted
        return tensors.fitting(encoding, spec.shape, spec.dtype) if encoding in accepted else "raw"

    return choose


def wire_specs(specs: Mapping[str, Spec], pack: Packing = raw) -> dict[str, messages.Spec]:
    """Sensor -> spec as it is declared at reset."""
    return {name: wire_spec(spec, name, pack) for name, spec in specs.items()}


def wire_spec(spec: Spec, sensor: str, pack: Packing = raw) -> messages.Spec:
    """Raises TypeError for a kind that no wire knows."""
    common: dict[str, Any] = {"description": spec.description, "unit": spec.unit, "optional": spec.optional}
    match spec:
        case TensorSpec():
            encoding = pack(sensor, spec)
            bounds: dict[str, Any] = {"low": _bound(spec.low), "high": _bound(spec.high)}
            return messages.TensorSpec(**common, **bounds, shape=spec.shape, dtype=spec.dtype, encoding=encoding)
        case TextSpec():
            return messages.TextSpec(**common, max_length=spec.max_length, is_node=spec.is_node)
        case NumberSpec():
            return messages.NumberSpec(**common, low=_bound(spec.low), high=_bound(spec.high))
        case StructSpec():
            parts = {name: wire_spec(part, sensor, pack) for name, part in spec.parts.items()}
            return messages.StructSpec(**common, parts=parts)
        case ListSpec():
            return messages.ListSpec(**common, item=wire_spec(spec.item, sensor, pack), max_items=spec.max_items)
    raise TypeError(f"{type(spec).__name__} has no form on the wire.")


def wire_actions(space: ActionSpace) -> dict[str, messages.ActionSpec]:
    """Action -> its arguments, with units and bounds."""
    return {
        name: messages.ActionSpec(
            arguments={
                key: messages.Argument(kind=arg.kind, unit=arg.unit, low=_bound(arg.low), high=_bound(arg.high))
                for key, arg in arguments.items()
            }
        )
        for name, arguments in space.actions.items()
    }


def _bound(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
