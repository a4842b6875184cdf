"""A socket simulator that misbehaves in one chosen call, written from the framing's description alone."""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import threading
import time
from contextlib import contextmanager, suppress

POSE = {"position": [0, 0, 0], "rotation": [0, 0, 0, 1]}
RGB = {"kind": "tensor", "shape": [4, 6, 3], "dtype": "uint8"}
GOOD = {
    "describe": {"name": "hostile", "protocols": [1]},
    "open": {"observation_spec": {"rgb": RGB}},
    "start": POSE,
    "advance": {"state": POSE},
    "state": POSE,
    "distance": {"meters": 1.5},
    "is_navigable": {"navigable": True},
    "close": {},
}
IMAGE = {"dtype": "uint8", "shape": [4, 6, 3], "offset": 0, "nbytes": 72, "encoding": "raw"}


def frame(header, payload=b""):
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<I", len(data)) + data + payload


def answer(request, **fields):
    return frame({"id": request["id"], **fields}, fields.pop("bytes", b""))


def seen(request, image, payload, size=None):
    body = {"observation": {"rgb": image}}
    return frame({"id": request["id"], "body": body, "payload": len(payload) if size is None else size}, payload)


def dribble(request):
    for byte in frame({"id": request["id"], "body": {}, "filler": "x" * 200}):
        time.sleep(0.05)
        yield bytes([byte])


ATTACKS = {
    "garbage": lambda r: frame(b"\x00\xff\x13 not a header"),
    "not an object": lambda r: frame(b"[1, 2]"),
    "huge length": lambda r: struct.pack("<I", 0xFFFFFFFF),
    "no length": lambda r: struct.pack("<I", 0),
    "another id": lambda r: frame({"id": r["id"] + 1, "body": {}}),
    "deep": lambda r: frame(b'{"id": 1, "body": ' + b"[" * 200_000),
    "cut short": lambda r: struct.pack("<I", 500) + b'{"id"',
    "closes": lambda r: None,
    "hangs": lambda r: time.sleep(3) or b"",
    "dribbles": dribble,
    "wrong types": lambda r: answer(r, body={"position": "here", "state": 3, "meters": "far", "navigable": []}),
    "nan": lambda r: answer(r, body={"position": [1e999, 0, 0], "state": {"position": [1e999, 0, 0]}, "meters": -1}),
    "short vector": lambda r: answer(r, body={"position": [1, 2], "state": {"position": []}, "meters": -3}),
    "no quaternion": lambda r: answer(r, body=POSE | {"rotation": [3, 0, 0, 1], "state": {}}),
    "problem": lambda r: answer(r, problem={"code": "internal", "detail": "boom\nTraceback (most recent call last)"}),
    "unasked payload": lambda r: frame({"id": r["id"], "body": GOOD[r["call"]], "payload": 9}, b"123456789"),
}
IMAGES = {
    "payload of 4 GB": lambda r: seen(r, IMAGE, b"", size=1 << 32),
    "negative payload": lambda r: seen(r, IMAGE, b"", size=-1),
    "bytes outside": lambda r: seen(r, IMAGE | {"offset": 50}, bytes(72)),
    "negative offset": lambda r: seen(r, IMAGE | {"offset": -5}, bytes(72)),
    "too few bytes": lambda r: seen(r, IMAGE | {"nbytes": 71}, bytes(72)),
    "another shape": lambda r: seen(r, IMAGE | {"shape": [6, 4, 3]}, bytes(72)),
    "another dtype": lambda r: seen(r, IMAGE | {"dtype": "object"}, bytes(72)),
    "pickle": lambda r: seen(r, IMAGE | {"encoding": "pickle"}, bytes(72)),
    "no tensor": lambda r: seen(r, "picture", b""),
    "missing": lambda r: answer(r, body={"observation": {}}),
    "alien": lambda r: answer(r, body={"observation": {"secret": 1}}),
}


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


@contextmanager
def hostile(call, attack):
    """The endpoint of a simulator that answers `call` with `attack(request)`, everything else well."""

    class Simulator(socketserver.BaseRequestHandler):
        def handle(self):
            with suppress(OSError):
                while header := _request(self.request):
                    reply = attack(header) if header["call"] == call else _good(header)
                    if reply is None:
                        return
                    for piece in [reply] if isinstance(reply, bytes) else reply:
                        self.request.sendall(piece)

    with Server(("127.0.0.1", 0), Simulator) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _good(request):
    if request["call"] == "observe":
        return seen(request, IMAGE, bytes(range(72)))
    return answer(request, body=GOOD[request["call"]])


def _request(connection):
    prefix = connection.recv(4, socket.MSG_WAITALL)
    if len(prefix) < 4:
        return None
    return json.loads(connection.recv(struct.unpack("<I", prefix)[0], socket.MSG_WAITALL))
