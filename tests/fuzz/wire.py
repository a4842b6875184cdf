"""Every decoder of bytes from the other side: what a participant's service or a simulator answers to us, what an
evaluator asks of the SDK's service, over HTTP, gRPC and the socket framing.

An input is a head, which names the decoder in DECODERS and may give it an argument, and files (see `documents`).
Files of JSON are sent as JSON or, where the head says msgpack, as msgpack; others are sent as they are.
"""

from __future__ import annotations

import base64
import json
import resource
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from fuzz import documents, wire_sides
from fuzz.expect import only
from nav_eval.core.actions import ActionSpace
from nav_eval.errors import InvalidAction, SimulatorError
from nav_eval.simulator.backends.external_values import agent_state, metres, plain_events
from nav_eval_sdk.errors import BadMessage, ServiceProblem, WireError
from nav_eval_sdk.protocol import grpc as pb
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol import simulator_grpc, tensors
from nav_eval_sdk.protocol.actions import ACTIONS
from nav_eval_sdk.protocol.values import message_limit, outgoing
from nav_eval_sdk.transport.base import Ask, Deadline

MAX_LEN = 16384
MAX_BYTES = 1 << 29
Files = dict[str, bytes]
KINDS: dict[str, type[m.Message]] = {
    kind.__name__: kind
    for kind in (m.EpisodeData, m.InitialObservation, m.EpisodeEnd, m.EndStatus, m.ServiceStatus, m.Validation, m.Info)
}
SPECS: dict[str, m.Spec] = {
    "rgb": m.TensorSpec(shape=(2, 3, 3), dtype="uint8", encoding="png"),
    "photo": m.TensorSpec(shape=(8, 8, 3), dtype="uint8", encoding="jpeg", optional=True),
    "packed": m.TensorSpec(shape=(4, 4), dtype="float32", encoding="zstd", optional=True),
    "depth": m.TensorSpec(shape=(2, 3, 1), dtype="float32"),
    "gps": m.TensorSpec(shape=(2,), dtype="float64"),
    "note": m.TextSpec(max_length=40),
    "heading": m.NumberSpec(),
    "near": m.ListSpec(
        item=m.StructSpec(parts={"id": m.TextSpec(is_node=True), "at": m.TensorSpec(shape=(3,), dtype="float32")}),
        max_items=3,
        optional=True,
    ),
}
SPACE = ActionSpace.of(ACTIONS)
ASK = Ask("fuzz", 0, "r", specs={}, observation={})


def seeds() -> list[bytes]:
    rng = np.random.default_rng(0)
    shown = {name: spec.sample(rng) for name, spec in SPECS.items() if name != "packed"}
    packed = {**shown, "packed": np.ones((4, 4), np.float32)} if tensors.has_zstd() else shown
    act = m.ObservationOut("fuzz", 0, "r", observation=outgoing(SPECS, shown, json=True))
    seen = m.ObservationOut("fuzz", 0, "r", observation=outgoing(SPECS, packed, json=False))
    action = m.Action("velocity", {"linear": 0.5, "angular": 0, "duration": 1}, "fuzz", 0, "r", {"think": 0.1})
    return [
        *(documents.pack(f"http {call}", {"answer": _http(body)}) for call, body in _answers(action).items()),
        *(documents.pack(f"http {call}", {"answer": _until_closed(body)}) for call, body in _answers(action).items()),
        documents.pack("http act", {"answer": _chunked(msgspec.json.encode(action))}),
        documents.pack("http act", {"answer": _http(msgspec.msgpack.encode(action), "application/msgpack")}),
        *(documents.pack(f"rest {form}", _requests(act)) for form in ("json", "msgpack")),
        documents.pack("grpc-action", {"a": pb.dump_action(action)}),
        documents.pack("grpc-action", {"a": pb.dump_action(m.Action(""), m.Problem("busy"))}),
        documents.pack("grpc-serve", {"reset": pb.dump(_episode()), "act": pb.dump_observation(seen)}),
        documents.pack("raw msgpack", {"act": msgspec.msgpack.encode(seen)}),
        *(documents.pack(f"grpc {type(each).__name__}", {"a": pb.dump(each)}) for each in _small()),
        *_tensors(),
        *wire_sides.simulator_seeds(SPECS, shown),
    ]


def one(data: bytes) -> None:
    head, files = documents.unpack(data)
    name, _, argument = head.partition(" ")
    decoder = DECODERS.get(name)
    if decoder is not None:
        before = _peak()
        decoder(argument, files)
        assert _peak() - before < MAX_BYTES, f"{_peak() - before >> 20} MiB for {len(data)} bytes"


mutate = documents.mutate


def _http_answer(call: str, files: Files) -> None:
    """What a participant's service answers to the evaluator."""
    transport = wire_sides.rest_transport(files.get("answer", b""))
    calls: dict[str, Callable[[], Any]] = {
        "info": lambda: transport.info(Deadline(5)),
        "health": lambda: transport.health(Deadline(5)),
        "validate": lambda: transport.validate(None, Deadline(5)),
        "reset": lambda: transport.reset(_episode(), Deadline(5)),
        "act": lambda: _understood(transport.act(ASK, Deadline(5))),
        "end": lambda: transport.end(m.EpisodeEnd(), Deadline(5)),
    }
    if call in calls:
        with only(WireError):
            calls[call]()


def _understood(action: Any) -> None:
    if isinstance(action, m.Action):
        with only(InvalidAction):
            SPACE.parse(action.action, action.action_args)


def _grpc_action(_: str, files: Files) -> None:
    for content in files.values():
        with only(BadMessage):
            _understood(pb.load_action(content))


def _grpc_small(kind: str, files: Files) -> None:
    for content in files.values():
        if kind in KINDS:
            with only(BadMessage):
                pb.load(content, KINDS[kind])


def _rest(form: str, files: Files) -> None:
    """Requests to the SDK's service, in the order of their names' first part; nothing may be our fault (500)."""
    for name, content in files.items():
        body = _as_msgpack(content) if form == "msgpack" else content
        kind = "application/msgpack" if form == "msgpack" else "application/json"
        wire_sides.post(name, body, kind)


def _raw(form: str, files: Files) -> None:
    wire_sides.post("reset", msgspec.json.encode(_episode()), "application/json")
    for name, content in files.items():
        wire_sides.post(name, content, "application/msgpack" if form == "msgpack" else "application/json")


def _connected() -> bool:
    return True


def _grpc_serve(_: str, files: Files) -> None:
    handlers = wire_sides.grpc_handlers()
    for name, content in files.items():
        handle = {"reset": handlers.reset, "act": handlers.act, "validate": handlers.validate, "end": handlers.end}
        with only(BadMessage, ServiceProblem):
            if name in handle:
                handle[name](content, _connected)
            else:
                list(handlers.session(iter([content]), _connected))


def _tensor(_: str, files: Files) -> None:
    """`spec`: what was declared; `tensor`: what is claimed; `data`."""
    try:
        spec = msgspec.json.decode(files.get("spec", b""), type=m.TensorSpec)
        claim = msgspec.json.decode(files.get("tensor", b""), type=dict[str, Any])
        data = memoryview(files.get("data", b""))
        tensor = msgspec.convert({**claim, "data": data}, m.Tensor)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return
    with only(BadMessage):
        message_limit({"x": spec})
        array = tensors.decode(tensor, spec)
        assert array.shape == tuple(spec.shape)
        assert array.dtype.name == spec.dtype


def _simulator(call: str, files: Files) -> None:
    """What a simulator answers on a socket: any bytes, or a header, whose length is made right, and a payload."""
    head = files.get("head")
    answer = files.get("answer", b"") if head is None else wire_sides.framed(head) + files.get("payload", b"")
    with only(WireError, SimulatorError):
        _measured(wire_sides.ask_simulator(call, answer, SPECS))


def _simulator_grpc(kind: str, files: Files) -> None:
    kinds = {c.answer.__name__: c.answer for c in contract.CALLS.values()}
    kinds |= {c.request.__name__: c.request for c in contract.CALLS.values()}
    for content in files.values():
        with only(WireError, SimulatorError):
            if kind == "Seen":
                pb.ReceivedObservation(content).read(SPECS)
            elif kind in kinds:
                _measured(simulator_grpc.load(content, kinds[kind]))


def _measured(answer: Any) -> None:
    """What the evaluator makes of an answer."""
    if isinstance(answer, contract.State):
        agent_state(answer)
    elif isinstance(answer, contract.Step):
        agent_state(answer.state)
        msgspec.json.encode(plain_events(answer.events))
    elif isinstance(answer, contract.Distance):
        assert metres(answer) >= 0
    elif isinstance(answer, contract.SessionOpened):
        message_limit(answer.observation_spec)


def _simulator_host(_: str, files: Files) -> None:
    """What an evaluator sends to the SDK's simulator host: frames, one after the other."""
    frames = (wire_sides.framed(content) if content[:1] == b"{" else content for content in files.values())
    wire_sides.serve_simulator(b"".join(frames))


DECODERS: dict[str, Callable[[str, Files], None]] = {
    "http": _http_answer,
    "rest": _rest,
    "raw": _raw,
    "grpc": _grpc_small,
    "grpc-action": _grpc_action,
    "grpc-serve": _grpc_serve,
    "tensor": _tensor,
    "simulator": _simulator,
    "simulator-grpc": _simulator_grpc,
    "simulator-host": _simulator_host,
}


def _as_msgpack(content: bytes) -> bytes:
    """JSON as msgpack, a base64 string of a `data` as its bytes; what is no JSON stays."""
    try:
        return msgspec.msgpack.encode(_with_bytes(json.loads(content)))
    except (ValueError, RecursionError, OverflowError):
        return content


def _with_bytes(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_bytes(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_bytes(item) for key, item in value.items()}
    if isinstance(found.get("data"), str):
        found["data"] = base64.b64decode(found["data"].encode("ascii", "replace") + b"===")
    return found


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _episode() -> m.EpisodeData:
    return m.EpisodeData(
        "e", "s", m.Instruction("go", ("go",)), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), "fuzz",
        observation_spec=SPECS,
        action_space={"stop": m.ActionSpec(), "move_to": m.ActionSpec({"viewpoint": m.Argument()})},
    )  # fmt: skip


def _small() -> list[m.Message]:
    return [_episode(), m.InitialObservation(), m.EpisodeEnd("fuzz", "done"), m.EndStatus(), m.ServiceStatus("ready"),
            m.Validation(reasons=("no",)), m.Info(sensors=(m.SensorWish("rgb", 2, 3),))]  # fmt: skip


def _answers(action: m.Action) -> dict[str, bytes]:
    small = {"info": m.Info(), "health": m.ServiceStatus("ready"), "validate": m.Validation(), "act": action,
             "reset": m.InitialObservation(initial_observation={"rgb": [1]}), "end": m.EndStatus()}  # fmt: skip
    return {name: msgspec.json.encode(message) for name, message in small.items()}


def _http(body: bytes, kind: str = "application/json") -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def _until_closed(body: bytes) -> bytes:
    """The body on a line of its own, which a mutation may change as JSON."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body


def _chunked(body: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def _requests(act: m.Message) -> Files:
    return {"reset": msgspec.json.encode(_episode()), "act": msgspec.json.encode(act)}


def _tensors() -> list[bytes]:
    found = []
    for name, encoding in (("rgb", "png"), ("photo", "jpeg"), ("packed", "zstd"), ("depth", "raw")):
        spec = SPECS[name]
        assert isinstance(spec, m.TensorSpec)
        if encoding == "zstd" and not tensors.has_zstd():
            continue
        array = np.full(spec.shape, 7, spec.dtype)
        claim = {"dtype": spec.dtype, "shape": spec.shape, "encoding": encoding}
        files = {"spec": msgspec.json.encode(spec), "tensor": msgspec.json.encode(claim)}
        found.append(documents.pack("tensor", {**files, "data": bytes(tensors.encode(array, encoding).data)}))
    return found
