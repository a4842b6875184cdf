"""gRPC's side of the messages: classes built at run time from the committed descriptor set, and conversions.

Generated code is tied to the protobuf that generated it; a descriptor set works with protobuf 4, 5, 6 and 7 alike.
It is loaded into a pool of its own, so that a participant's own copy cannot clash with it. Observations are large, so
their tensors are framed and read here by hand, in the same bytes that protobuf would write, without copies.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol import tensors
from nav_eval_sdk.protocol.descriptors import MessageClasses
from nav_eval_sdk.protocol.messages import (
    Action,
    Envelope,
    InitialObservation,
    ListSpec,
    Message,
    NumberSpec,
    ObservationOut,
    Problem,
    Spec,
    StructSpec,
    Tensor,
    TensorSpec,
    TextSpec,
)
from nav_eval_sdk.protocol.usage import Usage
from nav_eval_sdk.protocol.values import Specs, absent, check_declared, checked_list, checked_text

SERVICE = "nav_eval.v1.InferenceService"
HEALTH = "grpc.health.v1.Health"
MANY = sys.maxsize
CODE_KEY = "nav-eval-code"
STATUS = {
    "bad_request": "INVALID_ARGUMENT",
    "unauthorized": "UNAUTHENTICATED",
    "unknown_session": "NOT_FOUND",
    "step_conflict": "FAILED_PRECONDITION",
    "superseded": "ABORTED",
    "too_large": "RESOURCE_EXHAUSTED",
    "invalid_action": "INTERNAL",
    "agent_error": "INTERNAL",
    "internal": "INTERNAL",
    "unimplemented": "UNIMPLEMENTED",
    "loading": "UNAVAILABLE",
    "draining": "UNAVAILABLE",
    "busy": "RESOURCE_EXHAUSTED",
}
M = TypeVar("M", bound=Message)


_CLASSES = MessageClasses("inference.binpb")


def message_class(name: str) -> Any:
    """The protobuf class of a full message name, for example "nav_eval.v1.Action"."""
    return _CLASSES[name]


def dump(message: Message) -> bytes:
    """Any small message as protobuf bytes."""
    from google.protobuf import json_format

    empty = message_class(f"nav_eval.v1.{type(message).__name__}")()
    if isinstance(message, InitialObservation):
        message = msgspec.structs.replace(message, initial_observation=None)
    encoded: bytes = json_format.Parse(msgspec.json.encode(message), empty).SerializeToString()
    return encoded


def load(data: bytes, kind: type[M]) -> M:
    """Any small message from protobuf bytes; raises BadMessage."""
    from google.protobuf import json_format

    parsed = _parse(f"nav_eval.v1.{kind.__name__}", data)
    try:
        fields = json_format.MessageToDict(parsed, preserving_proto_field_name=True)
        fields.pop("initial_observation", None)
        return msgspec.convert(fields, kind, strict=False)
    except (ValueError, RecursionError, json_format.Error) as error:
        raise BadMessage(str(error)) from None


def _parse(name: str, data: bytes) -> Any:
    from google.protobuf.message import DecodeError

    try:
        return message_class(name).FromString(data)
    except (DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadMessage(f"no valid {name}: {error}") from None


def dump_action(action: Action, problem: Problem | None = None) -> bytes:
    """`problem` takes the action's place on a stream."""
    message = message_class("nav_eval.v1.Action")(
        action=action.action,
        action_args={key: _value(value) for key, value in action.action_args.items()},
        session_id=action.session_id,
        step=action.step,
        request_id=action.request_id,
        timing=action.timing,
        actions=[_part(name, arguments) for name, arguments in action.parts(MANY)] if action.several else None,
        problem=None if problem is None else message_class("nav_eval.v1.Problem")(**msgspec.structs.asdict(problem)),
        usage=message_class("nav_eval.v1.Usage")(**msgspec.structs.asdict(action.usage)) if action.usage else None,
        said=action.said or None,
    )
    encoded: bytes = message.SerializeToString()
    return encoded


def _part(name: str, arguments: Mapping[str, Any]) -> Any:
    given = {key: _value(value) for key, value in arguments.items()}
    return message_class("nav_eval.v1.Part")(action=name, action_args=given)


def load_action(data: bytes) -> Action | Problem:
    parsed = _parse("nav_eval.v1.Action", data)
    if parsed.HasField("problem"):
        problem = parsed.problem
        fields = {name: getattr(problem, name) for name in Problem.__struct_fields__}
        return Problem(**fields | {"type": problem.type or "about:blank"})
    return Action(
        action=parsed.action,
        action_args=_arguments(parsed),
        session_id=parsed.session_id or None,
        step=parsed.step if parsed.HasField("step") else None,
        request_id=parsed.request_id or None,
        timing=dict(parsed.timing),
        actions=[{"action": part.action, "action_args": _arguments(part)} for part in parsed.actions] or msgspec.UNSET,
        usage=_usage(parsed.usage) if parsed.HasField("usage") else msgspec.UNSET,
        said=parsed.said if parsed.HasField("said") else msgspec.UNSET,
    )


def _usage(parsed: Any) -> Usage:
    fields = {name: getattr(parsed, name) for name in Usage.__struct_fields__}
    try:
        return Usage(**fields | {"cost": dict(parsed.cost)})
    except ValueError as error:
        raise BadMessage(str(error)) from None


def _arguments(parsed: Any) -> dict[str, Any]:
    return {key: _argument(value) for key, value in parsed.action_args.items()}


def _value(value: Any) -> Any:
    """A Value of protobuf; raises TypeError for what none of its kinds holds."""
    make = message_class("nav_eval.v1.Value")
    if isinstance(value, Tensor):
        tensor = message_class("nav_eval.v1.Tensor")
        packed = tensor(dtype=value.dtype, shape=value.shape, encoding=value.encoding, data=bytes(value.data))
        return make(tensor=packed)
    if isinstance(value, str):
        return make(text=value)
    if isinstance(value, bool):
        return make(boolean=value)
    if isinstance(value, int):
        return make(integer=value)
    if isinstance(value, float):
        return make(number=value)
    if isinstance(value, Mapping):
        fields = {key: _value(item) for key, item in value.items()}
        return make(struct=message_class("nav_eval.v1.Struct")(fields=fields))
    if isinstance(value, list | tuple):
        return make(list=message_class("nav_eval.v1.List")(items=[_value(item) for item in value]))
    raise TypeError(f"{type(value).__name__} cannot be sent.")


def _argument(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    return getattr(value, kind) if kind in ("text", "number", "boolean", "integer") else None


def dump_observation(message: ObservationOut) -> bytes:
    """One copy of the tensors: into the message."""
    parts: list[Any] = [message_class("nav_eval.v1.Observation")(**message.said()).SerializeToString()]
    for name, value in message.observation.items():
        parts += _field(4, [*_field(1, [name.encode()]), *_field(2, _value_parts(value))])
    return b"".join(parts)


def _value_parts(value: Any) -> list[Any]:
    if not isinstance(value, Tensor):
        return [_value(value).SerializeToString()]
    head = message_class("nav_eval.v1.Tensor")(dtype=value.dtype, shape=value.shape, encoding=value.encoding)
    return _field(1, [head.SerializeToString(), *_field(4, [value.data])])


def _field(number: int, parts: list[Any]) -> list[Any]:
    """A length-delimited field made of `parts`."""
    length = sum(len(part) for part in parts)
    head = bytearray([number << 3 | 2])
    while length > 0x7F:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return [bytes(head), *parts]


class ReceivedObservation:
    """An Observation as it came; `read` makes what the agent sees, once the session's specs are known."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._values: dict[str, memoryview] = {}
        envelope: list[memoryview] = []
        for number, field, payload in _walk(memoryview(data)):
            if number == 4:
                entry = {key: part for key, _, part in _walk(payload)}
                self._values[_utf8(entry.get(1))] = entry.get(2, memoryview(b""))
            else:
                envelope.append(field)
        head = _parse("nav_eval.v1.Observation", b"".join(envelope))
        self.envelope = Envelope(**{field.name: value for field, value in head.ListFields()})

    def read(self, specs: Specs) -> dict[str, Any]:
        """Raises BadMessage where the values are not what `specs` declare; without any, each is taken as it is sent."""
        if not specs:
            parsed = ((name, _parse("nav_eval.v1.Value", bytes(value))) for name, value in self._values.items())
            return {name: _as_sent(name, value) for name, value in parsed}
        check_declared(self._values, specs)
        return {name: _top_value(name, spec, self._values.get(name)) for name, spec in specs.items()}


def _top_value(name: str, spec: Spec, value: memoryview | None) -> Any:
    try:
        if value is None:
            absent(spec)
            return None
        if isinstance(spec, TensorSpec):
            return tensors.decode(_tensor(value), spec)
        return _check(spec, _parse("nav_eval.v1.Value", bytes(value)))
    except BadMessage as error:
        raise BadMessage(f"{name}: {error}") from None


def _tensor(value: memoryview) -> Tensor:
    """The Tensor in a Value; its data stays where it lies in the message."""
    payload = {number: part for number, _, part in _walk(value)}.get(1)
    if payload is None:
        raise BadMessage("is not a tensor.")
    data, head = memoryview(b""), []
    for number, field, part in _walk(payload):
        if number == 4:
            data = part
        else:
            head.append(field)
    parsed = _parse("nav_eval.v1.Tensor", b"".join(head))
    return Tensor(dtype=parsed.dtype, shape=tuple(parsed.shape), encoding=parsed.encoding or "raw", data=data)


def _check(spec: Spec, value: Any) -> Any:
    expected = _KINDS[type(spec)]
    kind = value.WhichOneof("kind")
    if kind != expected:
        raise BadMessage(f"is {kind}, declared was {expected}.")
    part = getattr(value, kind)
    if isinstance(spec, TextSpec):
        return checked_text(spec, part)
    if isinstance(spec, NumberSpec):
        return part
    if isinstance(spec, ListSpec):
        return [_check(spec.item, item) for item in checked_list(spec, part.items)]
    if isinstance(spec, StructSpec):
        return _checked_struct(spec, part.fields)
    tensor = Tensor(dtype=part.dtype, shape=tuple(part.shape), encoding=part.encoding, data=memoryview(part.data))
    return tensors.decode(tensor, spec)


def _as_sent(name: str, value: Any) -> Any:
    """What a Value holds that nobody has declared. Arrays must be raw: what a packed one grows into is not known."""
    kind = value.WhichOneof("kind")
    part: Any = getattr(value, kind) if kind else None
    if kind == "struct":
        return {key: _as_sent(f"{name}.{key}", item) for key, item in part.fields.items()}
    if kind == "list":
        return [_as_sent(name, item) for item in part.items]
    if kind != "tensor":
        return part
    if part.encoding not in ("", "raw"):
        raise BadMessage(f"{name}: packed as {part.encoding[:20]!r}, which no observation_spec declares: send it raw.")
    return tensors.unpack(part.data, TensorSpec(shape=tuple(part.shape), dtype=part.dtype))


def _checked_struct(spec: StructSpec, fields: Any) -> dict[str, Any]:
    check_declared(fields, spec.parts)
    for name, part in spec.parts.items():
        if name not in fields:
            absent(part)
    return {name: _check(part, fields[name]) if name in fields else None for name, part in spec.parts.items()}


_KINDS: dict[type, str] = {
    TensorSpec: "tensor",
    TextSpec: "text",
    NumberSpec: "number",
    StructSpec: "struct",
    ListSpec: "list",
}


def _walk(view: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """(number, the whole field, its payload) of each field of a protobuf message."""
    at = 0
    while at < len(view):
        start = at
        key, at = _varint(view, at)
        end = _end(view, at, key & 7)
        if key & 7 == 2:
            length, at = _varint(view, at)
            end = at + length
        if end > len(view):
            raise BadMessage("the message is cut short.")
        yield key >> 3, view[start:end], view[at:end]
        at = end


def _end(view: memoryview, at: int, kind: int) -> int:
    """Where a field of fixed or varint kind ends."""
    if kind in (0, 2):
        return _varint(view, at)[1]
    if kind not in (1, 5):
        raise BadMessage(f"wire type {kind} is not used.")
    return at + (8 if kind == 1 else 4)


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(view[at : at + 10]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    raise BadMessage("the message is cut short.")


def _utf8(view: memoryview | None) -> str:
    try:
        return bytes(view or b"").decode()
    except UnicodeDecodeError:
        raise BadMessage("a sensor's name is not UTF-8.") from None
