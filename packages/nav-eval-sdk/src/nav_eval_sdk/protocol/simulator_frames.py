"""The socket framing: what any language writes in an afternoon.

frame   = length of the header (4 bytes, little-endian, unsigned) | header | payload
header  = one JSON object (it begins with "{") or the same object as a msgpack map; an answer uses the request's form
request = {"id": n, "call": name, "body": {...}}, no payload
answer  = {"id": n, "body": {...}, "payload": bytes that follow}, or {"id": n, "problem": {"code", "detail"}}
tensor  = {"dtype", "shape", "encoding": "raw", "offset", "nbytes"} in the body of observe; its bytes lie in the payload
Bodies are the messages of protocol/simulator.py. A reader knows the declared specs and allocates nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol import tensors
from nav_eval_sdk.protocol.messages import (
    ListSpec,
    Message,
    NumberSpec,
    Problem,
    Spec,
    StructSpec,
    Tensor,
    TensorSpec,
    TextSpec,
)
from nav_eval_sdk.protocol.simulator import MAX_HEADER, Call, Seen
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.values import Specs, absent, check_declared, checked_list, checked_text

LENGTH = struct.Struct("<I")
M = TypeVar("M", bound=msgspec.Struct)


class RequestHead(Message, frozen=True):
    id: int
    call: str
    body: msgspec.Raw = msgspec.Raw(b"{}")


class AnswerHead(Message, frozen=True):
    id: int
    body: msgspec.Raw = msgspec.Raw(b"{}")
    payload: int = 0
    problem: Problem | None = None


class TensorPlace(Message, frozen=True):
    """A tensor in a header: its bytes lie in the payload."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int
    encoding: str = "raw"


class Form:
    """JSON or msgpack, for headers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._encode: Any = msgspec.json.encode if name == "json" else msgspec.msgpack.encode
        self._decode: Any = msgspec.json.decode if name == "json" else msgspec.msgpack.decode

    @classmethod
    def of(cls, header: bytes) -> Form:
        """The form that `header` is written in."""
        return JSON_FORM if header[:1] == b"{" else MSGPACK_FORM

    def dump(self, head: Any) -> bytes:
        """A frame without its payload; raises BadMessage where it would be too large."""
        header: bytes = self._encode(head)
        if len(header) > MAX_HEADER:
            raise BadMessage(f"a header of {len(header)} bytes; {MAX_HEADER} is the limit.")
        return LENGTH.pack(len(header)) + header

    def load(self, data: bytes | msgspec.Raw, kind: type[M]) -> M:
        """Raises BadMessage."""
        try:
            loaded: M = self._decode(data, type=kind)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise BadMessage(f"{kind.__name__}: {error}") from None
        return loaded


JSON_FORM, MSGPACK_FORM = Form("json"), Form("msgpack")
FORMS = {form.name: form for form in (JSON_FORM, MSGPACK_FORM)}


def header_length(prefix: bytes) -> int:
    """Raises BadMessage for a length that nobody should allocate."""
    length: int = LENGTH.unpack(prefix)[0]
    if not 0 < length <= MAX_HEADER:
        raise BadMessage(f"a header of {length} bytes; 1 to {MAX_HEADER} are allowed.")
    return length


def request_frame(form: Form, number: int, call: Call[Any, Any], body: Message) -> bytes:
    return form.dump({"id": number, "call": call.name, "body": body})


def answer_frame(form: Form, number: int, body: Message) -> bytes:
    return form.dump({"id": number, "body": body})


def problem_frame(form: Form, number: int, problem: Problem) -> bytes:
    return form.dump({"id": number, "problem": problem})


def observation_frame(form: Form, number: int, specs: Specs, observation: Mapping[str, Any]) -> list[Any]:
    """An answer's header, then the tensors' bytes, in pieces that can be sent one after the other."""
    payload = _Payload()
    values = {name: payload.put(spec, observation.get(name)) for name, spec in specs.items()}
    body = {"observation": {name: value for name, value in values.items() if value is not None}}
    return [form.dump({"id": number, "body": body, "payload": payload.size}), *payload.pieces]


class _Payload:
    """Bytes of tensors, in the order in which they are met."""

    def __init__(self) -> None:
        self.pieces: list[memoryview] = []
        self.size = 0

    def put(self, spec: Spec, value: Any) -> Any:
        """What stands in the header for `value`."""
        if value is None or isinstance(spec, TextSpec | NumberSpec):
            return value
        if isinstance(spec, StructSpec):
            return {name: self.put(part, value.get(name)) for name, part in spec.parts.items()}
        if isinstance(spec, ListSpec):
            return [self.put(spec.item, item) for item in value]
        return self._tensor(tensors.encode(value, spec.encoding))

    def _tensor(self, tensor: Tensor) -> TensorPlace:
        size = memoryview(tensor.data).nbytes
        place = TensorPlace(tensor.dtype, tensor.shape, self.size, size, tensor.encoding)
        self.pieces.append(tensor.data)
        self.size += size
        return place


def read_observation(form: Form, body: msgspec.Raw, specs: Specs, payload: memoryview) -> dict[str, Any]:
    """What an observe answered; raises BadMessage where it is not what `specs` declare."""
    received = form.load(body, Seen).observation
    check_declared(received, specs)
    return {name: _decode_field(name, spec, received.get(name), payload) for name, spec in specs.items()}


def _decode_field(name: str, spec: Spec, value: Any, payload: memoryview) -> Any:
    try:
        return _value(spec, value, payload)
    except (msgspec.MsgspecError, BadMessage, RecursionError) as error:
        raise BadMessage(f"{name}: {error}") from None


def _value(spec: Spec, value: Any, payload: memoryview) -> Any:
    if value is None:
        absent(spec)
        return None
    if isinstance(spec, TensorSpec):
        return _tensor(spec, msgspec.convert(value, TensorPlace), payload)
    if isinstance(spec, TextSpec):
        return checked_text(spec, msgspec.convert(value, str))
    if isinstance(spec, NumberSpec):
        return msgspec.convert(value, float)
    if isinstance(spec, ListSpec):
        return [_value(spec.item, item, payload) for item in checked_list(spec, msgspec.convert(value, list[Any]))]
    parts = msgspec.convert(value, dict[str, Any])
    return {name: _decode_field(name, part, parts.get(name), payload) for name, part in spec.parts.items()}


def _tensor(spec: TensorSpec, place: TensorPlace, payload: memoryview) -> Any:
    end = place.offset + place.nbytes
    if place.offset < 0 or place.nbytes < 0 or end > len(payload):
        raise BadMessage(f"bytes {place.offset} to {end} of a payload of {len(payload)}.")
    data = payload[place.offset : end]
    return tensors.decode(Tensor(dtype=place.dtype, shape=place.shape, encoding=place.encoding, data=data), spec)


known(globals())
