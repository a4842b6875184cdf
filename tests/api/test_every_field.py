"""No field of any message is lost between a client and a service, whichever wire they use.

The messages and their fields are read from the structures themselves, so a new one is tested as soon as it exists.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import msgspec
import numpy as np
import pytest

from api.witness import Witness, read_back
from nav_eval.api.local import AgentHost, InThisProcess
from nav_eval.api.process import AgentProcess
from nav_eval_sdk import agent_interface
from nav_eval_sdk.errors import Refused, ServiceProblem
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol.grpc import message_class
from nav_eval_sdk.protocol.version import JSON, MSGPACK
from nav_eval_sdk.server.grpc import GrpcServer
from nav_eval_sdk.server.rest import RestServer
from nav_eval_sdk.server.service import Service
from nav_eval_sdk.server.settings import Listen
from nav_eval_sdk.transport.base import Ask, Connection, Deadline, Endpoint, Transport
from nav_eval_sdk.transport.grpc import GrpcTransport
from nav_eval_sdk.transport.rest import RestTransport
from patience import PATIENCE

KINDS = {
    name: kind
    for name, kind in vars(m).items()
    if isinstance(kind, type) and issubclass(kind, m.Message) and kind is not m.Message
}
SPECS: dict[str, m.Spec] = {
    "image": m.TensorSpec(shape=(2, 3, 3), dtype="uint8"),
    "text": m.TextSpec(),
    "number": m.NumberSpec(),
    "struct": m.StructSpec(parts={"part": m.NumberSpec()}),
    "list": m.ListSpec(item=m.TextSpec()),
}
SEEN = {
    "image": np.arange(18, dtype=np.uint8).reshape(2, 3, 3),
    "text": "door",
    "number": 1.5,
    "struct": {"part": 2.5},
    "list": ["a", "b"],
}
OPEN: dict[str, Any] = {
    "InitialObservation.initial_observation": {"text": "seen"},
    "ObservationOut.observation": SEEN,
    "Action.action_args": {"text": "n1", "number": 0.5, "integer": 7, "flag": True},
    "Action.actions": [{"action": "move_to", "action_args": {"viewpoint": "n1"}}],
    "Problem.code": "odd_code",
    "Usage.cost": {"USD": 0.5},
    "Problem.status": 418,
}
"""Values of the fields whose type does not say what may be in them."""
NOT_CARRIED = {
    "rest": set[str](),
    "grpc": {"InitialObservation.initial_observation"},
    "grpc unary": {"Problem.title", "Problem.status", "Problem.type"},
}
"""What a wire leaves out on purpose: the evaluator ignores the first; a status of gRPC is a code and a detail."""
ONLY_PROTOBUF = {"Action": {"problem"}, "Spec": {"kind"}}
CALLED = {"Envelope": "Observation", "ObservationOut": "Observation"} | {
    kind.__name__: "Spec" for kind in typing.get_args(m.Spec)
}
"""Structure -> protobuf's message, where the names differ."""


class Filling:
    """Makes messages in which no field has its default. `kinds`: of all that it has made."""

    def __init__(self) -> None:
        self._numbers = count(3)
        self.kinds: set[str] = set()

    def message(self, kind: type[Any], depth: int = 0) -> Any:
        self.kinds.add(kind.__name__)
        values = {field.name: self._field(kind, field, depth) for field in msgspec.structs.fields(kind)}
        return kind(**values)

    def _field(self, kind: type[Any], field: msgspec.structs.FieldInfo, depth: int) -> Any:
        path = f"{kind.__name__}.{field.name}"
        value = OPEN[path] if path in OPEN else self._value(field.type, path, depth)
        default = field.default_factory() if callable(field.default_factory) else field.default
        value = not value if isinstance(value, bool) and value == default else value
        if value == default:
            pytest.fail(f"{path} would be sent as its default: add another value to OPEN in {__file__}.")
        return value

    def _value(self, kind: Any, path: str, depth: int) -> Any:
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self._value(_present(inner)[0], path, depth)
        if origin is typing.Annotated:
            return self._value(inner[0], path, depth)
        if origin is tuple:
            return tuple(self._value(part, path, depth) for part in inner if part is not Ellipsis)
        if origin is dict:
            kinds = _present(typing.get_args(inner[1])) if _is_union(inner[1]) and depth == 0 else [inner[1]]
            return {f"key {at}": self._value(one, path, depth + 1) for at, one in enumerate(kinds)}
        if isinstance(kind, type) and issubclass(kind, m.Message):
            return self.message(kind, depth + 1)
        return self._plain(kind, path)

    def _plain(self, kind: Any, path: str) -> Any:
        number = next(self._numbers)
        plain = {str: f"text {number}", int: number, float: number + 0.5, bool: True, memoryview: memoryview(b"data")}
        if kind not in plain:
            pytest.fail(f"{path} is a {kind}: add a value for it to OPEN or to Filling._plain in {__file__}.")
        return plain[kind]


def _present(kinds: tuple[Any, ...]) -> list[Any]:
    return [kind for kind in kinds if kind not in (type(None), msgspec.UnsetType)]


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def differences(sent: Any, got: Any, path: str) -> Iterator[str]:
    """The fields, named from the innermost message, whose values are not what was sent."""
    if isinstance(sent, msgspec.Struct):
        for name in sent.__struct_fields__:
            yield from differences(getattr(sent, name), getattr(got, name, None), f"{type(sent).__name__}.{name}")
    elif isinstance(sent, dict) and isinstance(got, dict) and sent.keys() == got.keys():
        for key in sent:
            yield from differences(sent[key], got[key], path)
    elif isinstance(sent, np.ndarray):
        if not np.array_equal(sent, got):
            yield path
    elif sent != got:
        yield path


class Recorder:
    """In the place of the service: keeps what came, and answers with messages that are full."""

    def __init__(self) -> None:
        fill = Filling()
        self.answers: dict[str, Any] = {
            kind.__name__: fill.message(kind)
            for kind in (m.Info, m.ServiceStatus, m.Validation, m.InitialObservation, m.EndStatus, m.Action, m.Problem)
        }
        self.kinds = fill.kinds
        self.info = self.answers["Info"]
        self.refusing = False
        self.got: Any = None

    def health(self) -> Any:
        return self.answers["ServiceStatus"]

    def _take(self, data: Any, answer: str) -> Any:
        self.got = data
        return self.answers[answer]

    def validate(self, data: Any) -> Any:
        return self._take(data, "Validation")

    def reset(self, data: Any, connected: Any = None) -> Any:
        return self._take(data, "InitialObservation")

    def end(self, data: Any) -> Any:
        return self._take(data, "EndStatus")

    def act(self, asked: m.Envelope, read: Any, size: int, connected: Any) -> Any:
        if self.refusing:
            raise Refusal(self.answers["Problem"])
        self.got = types.SimpleNamespace(**asked.said(), observation=read(SPECS))
        named = {name: getattr(asked, name) for name in ("session_id", "step", "request_id")}
        self.answers["Action"] = msgspec.structs.replace(self.answers["Action"], **named)
        return self.answers["Action"]


class Refusal(ServiceProblem):
    def __init__(self, problem: m.Problem) -> None:
        Exception.__init__(self)
        self.code, self.detail, self._problem = problem.code, problem.detail, problem

    @property
    def problem(self) -> m.Problem:
        return self._problem


WIRES: dict[str, Callable[[Connection], Transport]] = {
    "rest json": lambda connection: RestTransport(connection, JSON),
    "rest msgpack": lambda connection: RestTransport(connection, MSGPACK),
    "grpc unary": lambda connection: GrpcTransport(connection, stream=False),
    "grpc stream": lambda connection: GrpcTransport(connection, stream=True),
}


def sent_and_received(transport: Transport, service: Recorder, fill: Filling) -> Iterator[tuple[Any, Any]]:
    """Every call once: (what one side sent, what the other had)."""
    deadline = Deadline(PATIENCE)
    yield service.info, transport.info(deadline)
    yield service.answers["ServiceStatus"], transport.health(deadline)
    calls: list[tuple[Any, type[m.Message], str]] = [
        (transport.validate, m.EpisodeData, "Validation"),
        (transport.reset, m.EpisodeData, "InitialObservation"),
        (transport.end, m.EpisodeEnd, "EndStatus"),
    ]
    for call, kind, answer in calls:
        request = fill.message(kind)
        yield service.answers[answer], call(request, deadline)
        yield request, service.got
    shown = fill.message(m.ObservationOut)
    ask = Ask(specs=SPECS, **msgspec.structs.asdict(shown))
    action = transport.act(ask, deadline)
    yield service.answers["Action"], action
    yield shown, service.got
    service.refusing = True
    with pytest.raises(Refused) as refused:
        transport.act(ask, deadline)
    yield service.answers["Problem"], refused.value.problem


@pytest.mark.parametrize("wire", WIRES)
def test_every_field_arrives(wire: str) -> None:
    service, fill = Recorder(), Filling()
    made: Any = RestServer if wire.startswith("rest") else GrpcServer
    server = made(service, Listen(port=0))
    server.start()
    transport = WIRES[wire](Connection(Endpoint("127.0.0.1", server.port)))
    try:
        pairs = list(sent_and_received(transport, service, fill))
    finally:
        transport.drop()
        server.stop()
    lost = {path for sent, got in pairs for path in differences(sent, got, "")}
    assert lost - NOT_CARRIED[wire.split()[0]] - NOT_CARRIED.get(wire, set()) == set()
    never_sent = set(KINDS) - fill.kinds - service.kinds - {"Envelope", "Observation", "Tensor"}
    assert not never_sent, f"add calls that carry them to sent_and_received: {never_sent}"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A request for a decision in which every field of the envelope says something, and is for the agent."""
    monkeypatch.setattr(agent_interface, "WIRE_ONLY", ())
    return Ask(specs=SPECS, **msgspec.structs.asdict(Filling().message(m.ObservationOut)))


@pytest.mark.parametrize(
    "host", [lambda: InThisProcess(Witness, limited=False), lambda: AgentProcess("api.witness:Witness")]
)
def test_an_agent_on_this_side_is_shown_every_field(asked: Ask, host: Callable[[], AgentHost]) -> None:
    made = host()
    made.open(Deadline(PATIENCE))
    try:
        made.reset(m.EpisodeData("e", "s", observation_spec=SPECS), Deadline(PATIENCE))
        assert read_back(made.act(asked, Deadline(PATIENCE)).said) == asked.said()
    finally:
        made.close()


def test_an_agent_behind_a_service_is_shown_every_field(asked: Ask) -> None:
    service = Service(Witness, m.Info())
    service.load()
    try:
        service.reset(m.EpisodeData("e", "s", session_id=asked.session_id, observation_spec=SPECS))
        envelope = m.Envelope(**asked.said() | {"step": 0})
        assert read_back(service.act(envelope, lambda specs: SEEN).said) == envelope.said()
    finally:
        service.close()


def test_an_observation_has_the_same_fields_on_both_sides() -> None:
    assert set(m.Observation.__struct_fields__) == set(m.ObservationOut.__struct_fields__)


def test_protobuf_has_the_same_fields() -> None:
    ours: dict[str, set[str]] = {}
    for name, kind in KINDS.items():
        ours.setdefault(CALLED.get(name, name), set()).update(kind.__struct_fields__)
    for name, fields in ours.items():
        theirs = {field.name for field in message_class(f"nav_eval.v1.{name}").DESCRIPTOR.fields}
        assert fields ^ (theirs - ONLY_PROTOBUF.get(name, set())) == set(), f"{name} has them on one side only"
