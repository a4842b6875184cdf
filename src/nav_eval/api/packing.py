"""How each sensor's arrays are packed on the way to a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from nav_eval.core.specs import ListSpec, Spec, StructSpec, TensorSpec
from nav_eval_sdk.protocol import tensors

Packing = Callable[[str, TensorSpec], str]
"""(sensor, spec) -> raw, zstd, png or jpeg."""


def raw(sensor: str, spec: TensorSpec) -> str:
    """The packing that every service takes."""
    return "raw"


def packing(wanted: str, accepted: tuple[str, ...], jpeg: frozenset[str]) -> Packing:
    """`wanted` where the service takes it and the array goes into it; JPEG for the sensors in `jpeg`."""

    def choose(sensor: str, spec: TensorSpec) -> str:
        encoding = "jpeg" if sensor in jpeg and "jpeg" in accepted else wanted
        return tensors.fitting(encoding, spec.shape, spec.dtype) if encoding in accepted else "raw"

    return choose


def packed(specs: Mapping[str, Spec], pack: Packing = raw) -> dict[str, Spec]:
    """Sensor -> spec as it is declared at reset: with the encoding that its arrays travel in."""
    return {name: _pack(spec, name, pack) for name, spec in specs.items()}


def _pack(spec: Spec, sensor: str, pack: Packing) -> Spec:
    match spec:
        case TensorSpec():
            return replace(spec, encoding=pack(sensor, spec))
        case StructSpec():
            return replace(spec, parts={name: _pack(part, sensor, pack) for name, part in spec.parts.items()})
        case ListSpec():
            return replace(spec, item=_pack(spec.item, sensor, pack))
    return spec
