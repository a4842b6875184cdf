"""Both ends of every wire without a network: sockets that answer from memory, a service and a simulator host."""

from __future__ import annotations

import http.client
import logging
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import msgspec
import numpy as np

from fuzz import documents
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol import simulator_grpc
from nav_eval_sdk.protocol.grpc import dump_observation
from nav_eval_sdk.protocol.simulator_frames import JSON_FORM, MSGPACK_FORM, Form, answer_frame, observation_frame
from nav_eval_sdk.protocol.values import outgoing
from nav_eval_sdk.protocol.version import JSON
from nav_eval_sdk.server.service import Service
from nav_eval_sdk.server.settings import Listen
from nav_eval_sdk.simulator_host.host import SimulatorHost
from nav_eval_sdk.simulator_host.socket_client import SocketClient
from nav_eval_sdk.transport.base import Connection, Deadline, Endpoint
from nav_eval_sdk.transport.rest import RestTransport, _Socket

MAX_READ = 2 * contract.MAX_HEADER
"""Bytes that nobody should take of an endless answer; a header alone may have MAX_HEADER."""


class Answering:
    """A socket that gives `data`, whatever it is sent; then, if that ends in `endless`, the same byte for ever."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._endless = data.endswith(b"~")
        self.sent = bytearray()
        self._read = 0

    def settimeout(self, seconds: float | None) -> None:
        pass

    def sendall(self, data: Any) -> None:
        self.sent += data

    def recv_into(self, buffer: Any) -> int:
        if not self._data and not self._endless:
            return 0
        part = self._data[: len(buffer)] if self._data else memoryview(b"~" * min(len(buffer), 1 << 16))
        buffer[: len(part)] = part
        self._data = self._data[len(part) :]
        self._read += len(part)
        assert self._read <= MAX_READ, "an endless answer is read and read"
        return len(part)

    def makefile(self, mode: str) -> Any:
        import io

        return io.BytesIO(bytes(self._data))

    def shutdown(self, how: int) -> None:
        pass

    def close(self) -> None:
        pass


def rest_transport(answer: bytes) -> RestTransport:
    """The evaluator's REST client, connected to a service that gives this answer."""
    transport = RestTransport(Connection(Endpoint("service", 1)), JSON)
    transport._socket = _Socket(Answering(answer))  # type: ignore[arg-type]
    transport._http = http.client.HTTPConnection("service", 1)
    transport._http.sock = transport._socket
    return transport


class Agent:
    def reset(self, episode: Mapping[str, Any]) -> None:
        pass

    def act(self, observation: Mapping[str, Any]) -> str:
        return "stop"


@cache
def service() -> Service:
    made = Service(Agent, m.Info(name="fuzz", max_sessions=2), max_wait=0.0, idle_timeout=0.0)
    made.load()
    return made


@cache
def _client() -> Any:
    from nav_eval_sdk.server.rest import make_app

    app = make_app(service(), Listen())
    app.logger.propagate = False
    app.logger.handlers = [_Failures()]
    return app.test_client()


class _Failures(logging.Handler):
    """Keeps what the service logs as its own failure."""

    seen: ClassVar[list[BaseException]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.seen.append(record.exc_info[1])


def post(name: str, body: bytes, kind: str) -> None:
    """One request to the SDK's REST service; whatever is wrong with it must be found to be the sender's fault."""
    path = {"act": "agent/act", "reset": "episode/reset", "validate": "episode/validate", "end": "episode/end"}
    answer = _client().post(f"/api/v1/{path.get(name, 'agent/act')}", data=body, content_type=kind)
    while _Failures.seen:
        raise _Failures.seen.pop()
    problem = answer.get_json(silent=True) if answer.status_code >= 400 and "problem" in answer.content_type else {}
    allowed = ("busy", "invalid_action")
    assert answer.status_code < 500 or (problem or {}).get("code") in allowed, f"HTTP {answer.status_code} {problem}"


@cache
def grpc_handlers() -> Any:
    from nav_eval_sdk.server.grpc import GrpcHandlers

    return GrpcHandlers(service())


def framed(header: bytes) -> bytes:
    return len(header).to_bytes(4, "little") + header


def ask_simulator(call: str, answer: bytes, specs: Mapping[str, m.Spec]) -> Any:
    """The evaluator's socket client, of a simulator that gives this answer; `call` may begin with "msgpack "."""
    client = SocketClient(Answering(answer))  # type: ignore[arg-type]
    form, _, name = call.rpartition(" ")
    client.understand([form])
    asked = contract.CALLS.get(name)
    if asked is contract.OBSERVE:
        return client.observe("s", specs, Deadline(5))
    return client.call(asked, _request(name), Deadline(5)) if asked is not None else None


class Host(SimulatorHost):
    """A simulator that stays where it is."""

    def start(self, episode: contract.StartEpisode) -> contract.State:
        return contract.State(episode.start_position or (0.0, 0.0, 0.0))

    def advance(self, action: str, args: Mapping[str, Any], seed: int) -> contract.State:
        return self.state()

    def observe(self) -> Mapping[str, Any]:
        return {name: spec.sample(np.random.default_rng(0)) for name, spec in self.observation_spec().items()}

    def state(self) -> contract.State:
        return contract.State((0.0, 0.0, 0.0))

    def distance(self, start: contract.Place, ends: Any) -> float:
        return 0.0

    def is_navigable(self, position: contract.Vec3) -> bool:
        return True


@cache
def _server() -> Any:
    from nav_eval_sdk.simulator_host.service import MainThread, SimulatorService
    from nav_eval_sdk.simulator_host.socket_server import SocketServer

    logging.getLogger("nav_eval_sdk").setLevel(logging.CRITICAL)
    thread = MainThread()
    threading.Thread(target=thread.run, daemon=True).start()
    return SocketServer(SimulatorService(Host, 2, thread), "127.0.0.1", 0)


def serve_simulator(sent: bytes) -> None:
    """The SDK's simulator host reads `sent` to its end; every answer it writes can be read."""
    held: Any = Answering(sent)
    _server()._serve(held)
    at, answers = 0, bytes(held.sent)
    while at < len(answers):
        size = int.from_bytes(answers[at : at + 4], "little")
        header = answers[at + 4 : at + 4 + size]
        head = msgspec.convert(Form.of(header).load(header, _Head), _Head)
        at += 4 + size + head.payload
    assert at == len(answers)


class _Head(msgspec.Struct):
    id: int
    payload: int = 0


def simulator_seeds(specs: Mapping[str, m.Spec], shown: Mapping[str, Any]) -> list[bytes]:
    """Answers of a simulator in every form, and requests to one."""
    answers: dict[str, m.Message] = {
        "describe": contract.Description(actions=("stop",), examples=(contract.StartEpisode("s", goals=((1, 2, 3),)),)),
        "open": contract.SessionOpened(dict(specs)),
        "start": contract.State((1.0, 2.0, 3.0)),
        "advance": contract.Step(contract.State((1.0, 2.0, 3.0)), events={"bump": [1, "x"]}),
        "distance": contract.Distance(1.5),
        "expert_action": contract.Choice("stop"),
    }
    found = []
    for form in (JSON_FORM, MSGPACK_FORM):
        for name, answer in answers.items():
            frame = answer_frame(form, 1, answer)
            found.append(documents.pack(f"simulator {form.name} {name}", {"head": frame[4:]}))
            found.append(documents.pack(f"simulator {form.name} {name}", {"answer": frame}))
        header, *payload = map(bytes, observation_frame(form, 1, specs, shown))
        files = {"head": header[4:], "payload": b"".join(payload)}
        found.append(documents.pack(f"simulator {form.name} observe", files))
    found += [
        documents.pack(f"simulator-grpc {type(each).__name__}", {"a": simulator_grpc.dump(each)})
        for each in (*answers.values(), *map(_request, contract.CALLS))
    ]
    seen = m.ObservationOut("s", 0, "r", observation=outgoing(specs, shown, json=False))
    found.append(documents.pack("simulator-grpc Seen", {"a": dump_observation(seen)}))
    frames = {
        f"f{number}": msgspec.json.encode({"id": number, "call": name, "body": _request(name)})
        for number, name in enumerate(("describe", "open", "start", "observe", "advance", "distance", "close"))
    }
    return [*found, documents.pack("simulator-host", frames)]


def _request(name: str) -> Any:
    sensors = {"rgb": contract.SensorRequest("rgb", 4, 3, 1.5)}
    place = contract.Place((0.0, 0.0, 0.0))
    made: dict[str, m.Message] = {
        "describe": contract.Empty(),
        "open": contract.OpenSession("s", sensors=sensors),
        "start": contract.StartEpisode("scene", session_id="s"),
        "advance": contract.AdvanceRequest("s", "stop"),
        "distance": contract.DistanceRequest("s", place, (place,)),
        "is_navigable": contract.NavigableRequest("s", (0.0, 0.0, 0.0)),
        "expert_action": contract.ExpertRequest("s", (place,)),
    }
    return made.get(name, contract.Session("s"))
