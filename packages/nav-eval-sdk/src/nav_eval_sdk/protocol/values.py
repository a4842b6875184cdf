"""Observations between their three forms: what an agent sees, what JSON and msgpack carry, what was received.

The form an agent sees is the same on every wire: read-only arrays, str, float, dict, list, and None for a sensor
that is absent at this step. JSON keeps the specification's plain shapes: an array of two or more dimensions is a
base64 string, a shorter one is a list of numbers, an array of one element is a number; msgpack carries a Tensor.
Reading is led by the declared spec, so that sizes are checked before anything is allocated.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol import tensors
from nav_eval_sdk.protocol.messages import ListSpec, NumberSpec, Spec, StructSpec, Tensor, TensorSpec, TextSpec

Specs = Mapping[str, Spec]
ENVELOPE_BYTES = 1 << 20


def canonical(specs: Specs, observation: Mapping[str, Any]) -> dict[str, Any]:
    """`observation` exactly as an agent behind a wire would see it."""
    return {name: _canonical(spec, observation.get(name)) for name, spec in specs.items()}


def _canonical(spec: Spec, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(spec, NumberSpec):
        return float(value)
    if isinstance(spec, TextSpec):
        return str(value)
    if isinstance(spec, TensorSpec):
        array = np.array(value, dtype=spec.dtype, order="C")
        array.flags.writeable = False
        return array
    if isinstance(spec, StructSpec):
        return canonical(spec.parts, value)
    if isinstance(spec.item, TextSpec):  # the words of a sentence, at every step
        return list(map(str, value))
    return [_canonical(spec.item, item) for item in value]


def outgoing(specs: Specs, observation: Mapping[str, Any], *, json: bool) -> dict[str, Any]:
    """What msgspec writes; absent sensors are left out."""
    present = ((name, observation.get(name)) for name in specs)
    return {name: _outgoing(specs[name], value, json) for name, value in present if value is not None}


def _outgoing(spec: Spec, value: Any, json: bool) -> Any:
    if isinstance(spec, TensorSpec):
        return _plain(spec, value) if json else tensors.encode(value, spec.encoding)
    if isinstance(spec, StructSpec):
        return outgoing(spec.parts, value, json=json)
    if isinstance(spec, ListSpec):
        return [_outgoing(spec.item, item, json) for item in value]
    if isinstance(spec, NumberSpec) and json and not math.isfinite(value):
        raise ValueError(f"JSON has no number for {value}: use msgpack or gRPC.")
    return float(value) if isinstance(spec, NumberSpec) else value


def _plain(spec: TensorSpec, array: np.ndarray) -> Any:
    if array.ndim > 1 or not np.isfinite(array).all():
        return tensors.encode(array, spec.encoding if array.ndim > 1 else "raw").data
    return array.reshape(-1)[0].item() if array.size == 1 else array.tolist()


class Reader:
    """Reads received values of one content type. `decode(raw, type)` is msgspec's."""

    def __init__(self, decode: Callable[..., Any], *, json: bool) -> None:
        self._decode = decode
        self._json = json

    def read(self, specs: Specs, received: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        """The observation that an agent sees; raises BadMessage where it is not what `specs` declare.

        A client of the specification's document declares nothing: without `specs` each value is taken as it is written.
        """
        if not specs:
            return {name: self._decode_field(name, None, raw) for name, raw in received.items()}
        return self._declared(specs, received)

    def _declared(self, specs: Specs, received: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        check_declared(received, specs)
        return {name: self._decode_field(name, spec, received.get(name)) for name, spec in specs.items()}

    def _decode_field(self, name: str, spec: Spec | None, raw: msgspec.Raw | None) -> Any:
        try:
            if spec is None:
                return self._decode(raw)
            if raw is None:
                absent(spec)
                return None
            return self._value(spec, raw)
        except (msgspec.MsgspecError, BadMessage, RecursionError, UnicodeDecodeError) as error:
            raise BadMessage(f"{name}: {error}") from None

    def _value(self, spec: Spec, raw: msgspec.Raw) -> Any:
        if isinstance(spec, TensorSpec):
            return self._tensor(spec, raw)
        if isinstance(spec, TextSpec):
            return checked_text(spec, self._decode(raw, type=str))
        if isinstance(spec, NumberSpec):
            return self._decode(raw, type=float)
        if isinstance(spec, StructSpec):
            return self._declared(spec.parts, self._decode(raw, type=dict[str, msgspec.Raw]))
        items = self._decode(raw, type=list[msgspec.Raw])
        return [self._value(spec.item, item) for item in checked_list(spec, items)]

    def _tensor(self, spec: TensorSpec, raw: msgspec.Raw) -> np.ndarray:
        if not self._json:
            return tensors.decode(self._decode(raw, type=Tensor), spec)
        value = self._decode(raw)
        if isinstance(value, str):
            return _from_base64(spec, value)
        return _from_numbers(spec, value if isinstance(value, list) else [value])


def check_declared(received: Iterable[str], specs: Specs) -> None:
    """Raises BadMessage for a name that the specs do not have."""
    if alien := set(received) - set(specs):
        raise BadMessage(f"{min(alien)[:60]!r} is not in the declared observation_spec.")


def absent(spec: Spec) -> None:
    """Raises BadMessage if the spec does not allow it."""
    if not spec.optional:
        raise BadMessage("is missing.")


def checked_text(spec: TextSpec, text: str) -> str:
    if len(text) > spec.max_length:
        raise BadMessage(f"{len(text)} characters, declared were {spec.max_length}.")
    return text


def checked_list(spec: ListSpec, items: list[Any]) -> list[Any]:
    if len(items) > spec.max_items:
        raise BadMessage(f"{len(items)} items, declared were {spec.max_items}.")
    return items


def _from_base64(spec: TensorSpec, text: str) -> np.ndarray:
    encoding = spec.encoding if len(spec.shape) > 1 else "raw"
    if encoding == "raw" and len(text) != 4 * math.ceil(tensors.nbytes(spec) / 3):
        raise BadMessage(f"{len(text)} characters of base64 do not hold {spec.dtype}{list(spec.shape)}.")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadMessage(f"base64: {error}.") from None
    return tensors.unpack(data, spec if encoding == spec.encoding else msgspec.structs.replace(spec, encoding="raw"))


def _from_numbers(spec: TensorSpec, numbers: list[Any]) -> np.ndarray:
    tensors.nbytes(spec)
    if len(numbers) != math.prod(spec.shape):
        raise BadMessage(f"{len(numbers)} numbers, declared was {spec.dtype}{list(spec.shape)}.")
    allowed = {"b": (bool,), "f": (int, float)}.get(np.dtype(spec.dtype).kind, (int,))
    if any(type(number) not in allowed for number in numbers):
        raise BadMessage(f"not all numbers are {spec.dtype}.")
    try:
        array = np.array(numbers, dtype=spec.dtype).reshape(spec.shape)
    except OverflowError as error:
        raise BadMessage(f"{str(error)[:100]}.") from None
    array.flags.writeable = False
    return array


def message_limit(specs: Specs, ceiling: int = 1 << 28) -> int:
    """The largest message (bytes) that an observation of `specs` can make on any wire."""
    return min(ceiling, ENVELOPE_BYTES + sum(_largest(spec) for spec in specs.values()))


def _largest(spec: Spec) -> int:
    if isinstance(spec, TensorSpec):
        return tensors.nbytes(spec) * 3 // 2 + 30 * math.prod(spec.shape if len(spec.shape) < 2 else (1,)) + 4096
    if isinstance(spec, TextSpec):
        return 6 * spec.max_length + 16
    if isinstance(spec, StructSpec):
        return sum(len(name) + 16 + _largest(part) for name, part in spec.parts.items())
    return spec.max_items * (16 + _largest(spec.item)) if isinstance(spec, ListSpec) else 40
