"""Whatever text a service puts where, terminal, log, journal and tables hold printable lines of bounded length."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format

from attacks.raw_grpc import GrpcRequest, grpc_service
from attacks.raw_rest import Hostile, Request, answer, rest_service
from forked import nav_eval
from graphs import item, node, write_r2r
from nav_eval_sdk.protocol.grpc import message_class
from playing import lines, remote

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


RED = b"HTTP/1.1 418 \x1b[31mred\r\nX: \x1b[1m\r\nContent-Type: a\x1b/b\r\nContent-Length: 0\r\n\r\n"


def over_rest(shouter: Shouter) -> AbstractContextManager[Hostile]:
    def answered(request: Request) -> bytes:
        fields = shouter.answer(request.call, request.fields.get("episode_id", ""))
        if request.call == "act" and shouter.raw:
            return RED
        problem = {"status": "500 No", "kind": "application/problem+json"} if "code" in fields else {}
        return answer(fields, **problem)

    return rest_service(answered)


KINDS = {
    "GetInfo": ("info", "Info"),
    "HealthCheck": ("health", "ServiceStatus"),
    "ValidateEpisode": ("validate", "Validation"),
    "ResetEpisode": ("reset", "InitialObservation"),
    "GetAction": ("act", "Action"),
    "Session": ("act", "Action"),
    "EndEpisode": ("end", "EndStatus"),
}


def _written(kind: str, fields: dict[str, Any]) -> bytes:
    if "code" in fields:
        fields = {"problem": fields}
    if "action_args" in fields:
        values = fields["action_args"].items()
        args = {key: {"text" if isinstance(value, str) else "integer": value} for key, value in values}
        fields = fields | {"action_args": args}
    whole = json.loads(re.sub("[\ud800-\udfff]", PRIVATE, json.dumps(fields, ensure_ascii=False)))
    message = json_format.ParseDict(whole, message_class(f"nav_eval.v1.{kind}")(), ignore_unknown_fields=True)
    return bytes(message.SerializeToString()).replace(PRIVATE.encode(), "\ud800".encode(errors="surrogatepass"))


def over_grpc(shouter: Shouter, streaming: bool) -> AbstractContextManager[Hostile]:
    def answered(request: GrpcRequest, context: Any) -> bytes:
        call, kind = KINDS[request.call]
        data = message_class("nav_eval.v1.EpisodeData")
        fields = shouter.answer(call, data.FromString(request.message).episode_id if call == "reset" else "")
        if call == "act" and (shouter.raw or ("code" in fields and not streaming)):
            context.abort(grpc.StatusCode.INTERNAL, TEXT[:4000])
        return _written(kind, fields | ({"streaming": streaming} if call == "info" else {}))

    return grpc_service(answered)


WIRES: dict[str, Callable[[Shouter], AbstractContextManager[Hostile]]] = {
    "rest": over_rest,
    "grpc-unary": partial(over_grpc, streaming=False),
    "grpc-stream": partial(over_grpc, streaming=True),
}


@pytest.mark.parametrize("wire", WIRES)
def test_no_byte_of_a_peers_text_harms_who_reads_it(tmp_path: Path, wire: str) -> None:
    items = [item(number, [node(0, 0), node(1, 0)], ["Walk."]) for number in range(len(FIELDS))]
    data = write_r2r(tmp_path / "data", items=items)
    with WIRES[wire](Shouter()) as service:
        told = ["retries=1", "episode_restarts=0", "deadlines.ready=5"]
        overrides = [*remote(service.endpoint, wire[:4]), *(f"agent_service.{one}" for one in told)]
        words = ["run", "r2r", *data, *overrides, "--out", "run", "--quiet", "--debug"]
        done = nav_eval(*words, cwd=tmp_path, COLUMNS="4000")
    assert done.returncode == 1, done.stderr[-2000:]
    files = [path for path in (tmp_path / "run").iterdir() if path.is_file()]
    said = [("stdout", done.stdout), ("stderr", done.stderr)]
    for name, text in said + [(file.name, file.read_bytes().decode()) for file in files]:
        bad = [c for c in text if not c.isprintable() and c not in "\n\r"]
        assert not bad, (name, bad[:5])
        assert "xxxx" * 100 not in text, name
    played = lines(tmp_path / "run")
    assert len(played) == len(FIELDS)
    assert all(line["status"] != "ok" for line in played)
    assert all("\n" not in line["failure_reason"] and len(line["failure_reason"]) < 400 for line in played)
    table = (tmp_path / "run" / "results.csv").read_text()
    assert len(table.splitlines()) == len(list(csv.reader(io.StringIO(table)))) == len(FIELDS) + 2
