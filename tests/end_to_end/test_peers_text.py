"""Whatever text a service puts where, terminal, log, journal and tables hold printable lines of bounded length."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import pytest

from forked import nav_eval
from graphs import item, node, write_r2r
from nav_eval_sdk.protocol.grpc import SERVICE, message_class

TEXT = "a\x1b[31m\r\n\x07\x9b2Jred\u202e\u2028\u200f\ufeff\U000e0041" + "x" * 100_000
MEGABYTE = "a\x1b[31m\u202e" + "x" * 1_000_000
HALF = "a\ud800\udfff\udc00" + "x" * 1000
"""JSON spells halves of surrogate pairs; in protobuf they are bytes that no proper library writes."""
PRIVATE = "\ue000"
FIELDS: list[dict[str, Any]] = [
    {"reset": {"status": TEXT}},
    {"act": {"action": TEXT}},
    {"act": {"action": "move_to", "action_args": {TEXT: "x"}}},
    {"act": {"action": "move_to", "action_args": {"viewpoint": TEXT}}},
    {"act": {"action": "stop", "session_id": TEXT}},
    {"act": {"action": "stop", "request_id": TEXT}},
    {"act": {"action": "stop", "action_args": {TEXT + str(i): i for i in range(9)}}},
    {"act": {"code": TEXT, "title": TEXT, "detail": TEXT}},
    {"act": {"code": "agent_error", "title": TEXT, "detail": TEXT}},
    {"act": {"code": "invalid_action", "detail": TEXT}},
    {"act": {"code": "x" * 41, "title": TEXT}},
    {"raw": True},
    {"reset": {"status": MEGABYTE}},
    {"act": {"action": MEGABYTE}},
    {"act": {"action": "move_to", "action_args": {"viewpoint": MEGABYTE}}},
    {"act": {"code": "agent_error", "title": MEGABYTE, "detail": MEGABYTE}},
    {"reset": {"status": HALF}},
    {"act": {"action": HALF}},
    {"act": {"action": "move_to", "action_args": {HALF: HALF}}},
    {"act": {"action": "stop", "session_id": HALF}},
    {"act": {"code": "agent_error", "title": HALF, "detail": HALF}},
]
"""What the n-th episode is answered; everything else is proper."""
INFO = {"protocols": [1], "name": TEXT, "version": TEXT, "sdk": TEXT, "encodings": [TEXT], "action_space": [TEXT]}
VALIDATION = {"status": TEXT, "ok": False, "reasons": [TEXT, TEXT]}


class Shouter:
    """The answers, by call; one episode is played after the other, some of them begun more than once."""

    def __init__(self) -> None:
        self._episodes: list[str] = []

    @property
    def _fields(self) -> dict[str, Any]:
        return FIELDS[max(0, len(self._episodes) - 1)]

    def answer(self, call: str, episode: str = "") -> dict[str, Any]:
        """`episode`: its id, if this is a reset."""
        if call == "reset" and episode not in self._episodes:
            self._episodes.append(episode)
        proper = {
            "info": INFO | {"content_types": ["application/json", TEXT], "sensors": [{"name": TEXT}]},
            "health": {"status": "ready", "detail": TEXT},
            "validate": VALIDATION,
            "act": {"action": "stop"},
            "reset": {"status": "ready"},
            "end": {"status": TEXT},
        }[call]
        return self._fields.get(call, proper)

    @property
    def raw(self) -> bool:
        return "raw" in self._fields


@contextmanager
def over_rest(shouter: Shouter) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or b"{}")
            call = self.path.rpartition("/")[2]
            fields = shouter.answer(call, asked.get("episode_id", ""))
            body = json.dumps(fields).encode()
            if call == "act" and shouter.raw:
                self.wfile.write(
                    b"HTTP/1.1 418 \x1b[31mred\r\nX: \x1b[1m\r\nContent-Type: a\x1b/b\r\nContent-Length: 0\r\n\r\n"
                )
                return
            self.send_response(500 if "code" in fields else 200)
            self.send_header("Content-Type", "application/problem+json" if "code" in fields else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


KINDS = {
    "GetInfo": ("info", "Info"),
    "HealthCheck": ("health", "ServiceStatus"),
    "ValidateEpisode": ("validate", "Validation"),
    "ResetEpisode": ("reset", "InitialObservation"),
    "GetAction": ("act", "Action"),
    "EndEpisode": ("end", "EndStatus"),
}


def _written(kind: str, fields: dict[str, Any]) -> bytes:
    from google.protobuf import json_format

    if "code" in fields:
        fields = {"problem": fields}
    if "action_args" in fields:
        values = fields["action_args"].items()
        fields = fields | {
            "action_args": {
                key: {"text": value} if isinstance(value, str) else {"integer": value} for key, value in values
            }
        }
    whole = json.loads(re.sub("[\ud800-\udfff]", PRIVATE, json.dumps(fields, ensure_ascii=False)))
    message = json_format.ParseDict(whole, message_class(f"nav_eval.v1.{kind}")(), ignore_unknown_fields=True)
    return bytes(message.SerializeToString()).replace(PRIVATE.encode(), "\ud800".encode(errors="surrogatepass"))


def _over_grpc(streaming: bool) -> Callable[[Shouter], Any]:
    @contextmanager
    def serve(shouter: Shouter) -> Iterator[str]:
        def answered(call: str, kind: str, request: bytes, context: Any) -> bytes:
            episode = message_class("nav_eval.v1.EpisodeData").FromString(request).episode_id if call == "reset" else ""
            fields = shouter.answer(call, episode)
            if call == "act" and (shouter.raw or ("code" in fields and not streaming)):
                context.abort(grpc.StatusCode.INTERNAL, TEXT[:4000])
            return _written(kind, fields | ({"streaming": streaming} if call == "info" else {}))

        def unary(call: str, kind: str) -> Any:
            return grpc.unary_unary_rpc_method_handler(lambda request, context: answered(call, kind, request, context))

        def session(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
            for request in requests:
                yield answered("act", "Action", request, context)

        table = {method: unary(*kinds) for method, kinds in KINDS.items()}
        table["Session"] = grpc.stream_stream_rpc_method_handler(session)
        server = grpc.server(futures.ThreadPoolExecutor(8))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, table),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(0).wait(2)

    return serve


WIRES = {"rest": over_rest, "grpc-unary": _over_grpc(False), "grpc-stream": _over_grpc(True)}


@pytest.mark.parametrize("wire", WIRES)
def test_no_byte_of_a_peers_text_harms_who_reads_it(tmp_path: Path, wire: str) -> None:
    items = [item(number, [node(0, 0), node(1, 0)], ["Walk."]) for number in range(len(FIELDS))]
    data = write_r2r(tmp_path / "data", items=items)
    with WIRES[wire](Shouter()) as endpoint:
        remote = ["type=remote", f"protocol={wire[:4]}", f"endpoint={endpoint}", "retries=1", "episode_restarts=0"]
        overrides = [f"agent_service.{one}" for one in [*remote, "deadlines.ready=5"]]
        words = ["run", "r2r", *data, *overrides, "--out", "run", "--quiet", "--debug"]
        done = nav_eval(*words, cwd=tmp_path, COLUMNS="4000")
    assert done.returncode == 1, done.stderr[-2000:]
    files = [path for path in (tmp_path / "run").iterdir() if path.is_file()]
    said = [("stdout", done.stdout), ("stderr", done.stderr)]
    for name, text in said + [(file.name, file.read_bytes().decode()) for file in files]:
        bad = [c for c in text if not c.isprintable() and c not in "\n\r"]
        assert not bad, (name, bad[:5])
        assert "xxxx" * 100 not in text, name
    lines = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    assert len(lines) == len(FIELDS)
    assert all(line["status"] != "ok" for line in lines)
    assert all("\n" not in line["failure_reason"] and len(line["failure_reason"]) < 400 for line in lines)
    rows = list(csv.reader(io.StringIO((tmp_path / "run" / "results.csv").read_text())))
    assert len(rows) == len(FIELDS) + 2
    assert len((tmp_path / "run" / "results.csv").read_text().splitlines()) == len(FIELDS) + 2
