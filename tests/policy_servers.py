"""Real servers on loopback that speak as policy servers do, faults included; each keeps what it was sent.

The messages are those of tests/baselines/policy_exchanges.json; msgpack and pickle read them here, not our own code.
"""

from __future__ import annotations

import base64
import json
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

EXCHANGES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "baselines" / "policy_exchanges.json").read_text("utf-8")
)
Play = Callable[[ServerConnection], None]


def message(server: str, name: str) -> bytes:
    """One message of an exchange, as it is on the wire."""
    return base64.b64decode(EXCHANGES[server][name])


def plain(data: bytes) -> Any:
    """msgpack, its arrays and their keys still maps."""
    return msgpack.unpackb(data, raw=False)


def array(value: Any) -> Any:
    """An array of either package's form."""
    named = {key.decode() if isinstance(key, bytes) else key: part for key, part in value.items()}
    assert named["__ndarray__"] is True
    return np.frombuffer(named["data"], np.dtype(named["dtype"])).reshape(named["shape"])


def as_openpi(value: Any) -> Any:
    given = np.asarray(value)
    parts = {b"data": given.tobytes(), b"dtype": given.dtype.str, b"shape": given.shape}
    return {b"__ndarray__": True, **parts}


@contextmanager
def listening(play: Play) -> Iterator[str]:
    """The address of a websocket server that does this with each connection."""

    def handle(connection: ServerConnection) -> None:
        try:
            play(connection)
        except ConnectionClosed:
            return

    with serve(handle, "127.0.0.1", 0, compression=None, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


class Openpi:
    """Metadata first, then `answer(observation)` to each; text and bytes are sent as they are."""

    def __init__(self, answer: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.answer = answer or (lambda observation: message("openpi", "reply"))
        self.seen: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    def __call__(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.keys.append(connection.request.headers.get("Authorization"))
        connection.send(message("openpi", "metadata"))
        while True:
            self.seen.append(plain(connection.recv()))
            reply = self.answer(self.seen[-1])
            connection.send(reply if isinstance(reply, bytes | str) else msgpack.packb(reply, default=as_openpi))


class VlaEval:
    """Answers hello and observations; `answer(payload)` is a (type, payload), or bytes."""

    def __init__(self, answer: Callable[[dict[str, Any]], Any] | None = None, **hello: Any) -> None:
        self.answer = answer or (lambda payload: ("action", plain(message("vla_eval", "action"))["payload"]))
        self.hello = {**plain(message("vla_eval", "hello_reply"))["payload"], **hello}
        self.seen: list[dict[str, Any]] = []
        self.skew = 0

    def __call__(self, connection: ServerConnection) -> None:
        while True:
            found = plain(connection.recv())
            self.seen.append(found)
            if found["type"] == "hello":
                connection.send(self.said("hello", self.hello, found["seq"]))
            elif found["type"] == "observation":
                reply = self.answer(found["payload"])
                connection.send(reply if isinstance(reply, bytes) else self.said(*reply, seq=found["seq"] + self.skew))

    def said(self, kind: str, payload: Any, seq: int) -> bytes:
        return bytes(msgpack.packb({"type": kind, "payload": payload, "seq": seq, "timestamp": 1.0}))


class InternNav(ThreadingHTTPServer):
    """`plan` holds the replies to the next steps, then the exchange's; a (status, reply), a text or a function."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan: list[Any] = []
        self.asked: list[tuple[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def step(self, body: dict[str, Any]) -> Any:
        self.asked[-1] = (self.asked[-1][0], pickle.loads(base64.b64decode(body["observation"])))
        given = self.plan.pop(0) if self.plan else EXCHANGES["internnav"]["step"]["reply"]
        return given() if callable(given) else given


class _Handler(BaseHTTPRequestHandler):
    server: InternNav

    def log_message(self, *arguments: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        part = {one["path"]: one for one in EXCHANGES["internnav"].values() if "path" in one}.get(self.path)
        reply = self.server.step(body) if self.path.endswith("/step") else part and part["reply"]
        status = part["status"] if part else 404
        if isinstance(reply, tuple):
            status, reply = reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def internnav() -> Iterator[InternNav]:
    with InternNav() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
