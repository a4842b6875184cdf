"""Hostile text in every field that holds a text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc

from attacks import judge
from attacks.attack import FAILS, FAILS_OR_ENDS, NEVER_READY, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_grpc import GrpcRequest, acted
from attacks.raw_rest import Reply, Request, answer, proper
from attacks.services import at, rest, served
from nav_eval_sdk.protocol.grpc import dump, dump_action
from nav_eval_sdk.protocol.messages import Action, Info, InitialObservation, Message, Problem, ServiceStatus, Validation

LONG = judge.FILLER * 900_000
TEXTS = {
    "escape": "\x1b[31m\x1b]0;owned\x07\x1b[2J",
    "newlines": "no\r\nnav-eval: done\n{}",
    "bidi": "\u202estop\u2066\u200f\u061c",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "nul": "\x00\x01\x7f\x9b31m",
    "long": LONG,
    "formula": '=HYPERLINK("http://127.0.0.1:1","x")',
    "formula-tab": "\t=1+1",
    "formula-at": "@SUM(1)",
    "formula-minus": "-1+1",
    "html": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "markup": "[bold red]x[/][link=http://127.0.0.1:1]y[/link]",
    "format": "%s%n{0.__class__}${oc.env:HOME}",
    "path": "../../../../tmp/owned",
    "marks": "a" + "\u0301" * 5000,
    "blank": " \u00a0\u3000\ufeff\u200b",
    "latex": "\\input{/etc/passwd}$^{",
    "surrogate": "\ud800",
}
EVERYTHING = "=" + "".join(text for name, text in TEXTS.items() if name not in ("surrogate", "marks")) + LONG[:10]
EVERYTHING = EVERYTHING.replace(LONG, LONG[:5000])
Change = Callable[[dict[str, Any], str], "dict[str, Any] | bytes"]
Say = Callable[[GrpcRequest, Any, str], bytes]


def attacks() -> Iterator[Attack]:
    for name in FIELDS:
        yield _rest(name, "everything", EVERYTHING)
    for number, (kind, text) in enumerate(TEXTS.items()):
        for name in in_turn(number, ("info-name", "action", "detail", "reset-status"), ["detail"]):
            yield _rest(name, kind, text, odd=kind in ("surrogate", "long") and name == "info-name")
    for name in GRPC_FIELDS:
        for kind, text in {**TEXTS, "everything": EVERYTHING}.items():
            if kind == "surrogate" or (kind == "long" and "details" in name):  # protobuf and headers hold neither
                continue
            if name in ("details", "action", "stream-detail") or kind == "everything":
                yield _grpc(name, kind, text)
    for name in ("info-name", "action", "detail"):
        yield _rest(name, "in-a-report", EVERYTHING, then=["report"], after=_page)


def _page(hostile: Any, trial: Any) -> list[str]:
    return judge.page(Path(trial.sandbox) / "report.html")


def _rest(name: str, kind: str, text: str, *, odd: bool = False, **options: Any) -> Attack:
    call, change, expected = FIELDS[name]

    def reply(request: Request) -> Reply:
        said = change(proper(request), text)
        return said if isinstance(said, bytes) else answer(said)

    wanted = SURVIVES if odd else expected
    return rest(f"texts/{name}/{kind}", wanted, at(call, reply), quick=call == "health", **options)


def _grpc(name: str, kind: str, text: str) -> Attack:
    call, make, expected = GRPC_FIELDS[name]
    return served(f"texts/{name}/{kind}", expected, call, lambda asked, context: make(asked, context, text), quick=True)


def _set(key: str, **more: Any) -> Change:
    return lambda fields, text: fields | {key: text} | more


def _problem(key: str, status: int = 500) -> Change:
    def change(fields: dict[str, Any], text: str) -> bytes:
        body = json.dumps({"code": "agent_error", "title": "t", "status": status, "detail": "d"} | {key: text}).encode()
        return answer(body, status=f"{status} Bad", kind="application/problem+json")

    return change


def _line(text: str) -> str:
    return "".join(c for c in text if c not in "\r\n" and ord(c) < 256)[:60_000]


def _encodings(fields: dict[str, Any], text: str) -> dict[str, Any]:
    return fields | {"encodings": [text], "content_types": [text]}


def _sensors(fields: dict[str, Any], text: str) -> dict[str, Any]:
    return fields | {"sensors": [{"name": text}], "action_space": [text]}


def _move(fields: dict[str, Any], text: str) -> dict[str, Any]:
    return fields | {"action": "move_to", "action_args": {"viewpoint": text}}


FIELDS: dict[str, tuple[str, Change, Expectation]] = {
    "info-name": ("info", _set("name"), UNHARMED),
    "info-version": ("info", _set("version"), UNHARMED),
    "info-sdk": ("info", _set("sdk"), UNHARMED),
    "info-encodings": ("info", _encodings, UNHARMED),
    "info-sensor": ("info", _sensors, UNHARMED),
    "health-status": ("health", _set("status"), NEVER_READY),
    "health-detail": ("health", _set("detail", status="loading"), NEVER_READY),
    "validate-status": ("validate", _set("status"), UNHARMED),
    "validate-reasons": ("validate", lambda fields, text: fields | {"ok": False, "reasons": [text] * 3}, UNHARMED),
    "reset-status": ("reset", _set("status"), FAILS_OR_ENDS),
    "initial-observation": ("reset", lambda fields, text: fields | {"initial_observation": {text: text}}, UNHARMED),
    "action": ("act", _set("action"), FAILS),
    "argument-name": ("act", lambda fields, text: fields | {"action_args": {text: 1}}, FAILS),
    "argument": ("act", _move, FAILS),
    "session": ("act", _set("session_id"), FAILS),
    "request": ("act", _set("request_id"), FAILS),
    "timing": ("act", lambda fields, text: fields | {"timing": {text: 1.0}}, SURVIVES),
    "code": ("act", _problem("code"), FAILS),
    "title": ("act", _problem("title"), FAILS),
    "detail": ("act", _problem("detail"), FAILS),
    "type": ("act", _problem("type"), FAILS),
    "reset-detail": ("reset", _problem("detail"), FAILS_OR_ENDS),
    "info-detail": ("info", _problem("detail"), NEVER_READY),
    "info-code": ("info", _problem("code"), NEVER_READY),
    "health-problem": ("health", _problem("detail", 503), NEVER_READY),
    "end-detail": ("end", _problem("detail"), SURVIVES),
    "end-status": ("end", _set("status"), SURVIVES),
    "content-type": ("act", lambda fields, text: answer(fields, kind=_line(text)), SURVIVES),
    "reason-phrase": ("act", lambda fields, text: answer(fields, status=f"500 {_line(text)}"), FAILS),
}


def _abort(request: GrpcRequest, context: Any, text: str) -> bytes:
    context.abort(grpc.StatusCode.INTERNAL, text[:6000])
    raise AssertionError


def _coded(request: GrpcRequest, context: Any, text: str) -> bytes:
    context.set_trailing_metadata((("nav-eval-code", "".join(c for c in text if " " <= c <= "~")[:6000]),))
    return _abort(request, context, "d")


def _action(request: GrpcRequest, context: Any, text: str) -> bytes:
    return acted(request, action=text)


def _refusal(field: str) -> Say:
    def say(request: GrpcRequest, context: Any, text: str) -> bytes:
        asked = request.asked
        action = Action("", {}, asked.session_id, asked.step, asked.request_id)
        return dump_action(action, Problem(**{"code": "agent_error"} | {field: text}))

    return say


def _dumped(make: Callable[[str], Message]) -> Say:
    return lambda request, context, text: dump(make(text))


GRPC_FIELDS: dict[str, tuple[str, Say, Expectation]] = {
    "details": ("GetAction", _abort, FAILS),
    "details-of-reset": ("ResetEpisode", _abort, FAILS_OR_ENDS),
    "details-of-info": ("GetInfo", _abort, NEVER_READY),
    "details-of-health": ("HealthCheck", _abort, NEVER_READY),
    "details-of-stream": ("Session", _abort, FAILS),
    "code-in-trailers": ("GetAction", _coded, FAILS),
    "grpc-action": ("GetAction", _action, FAILS),
    "stream-action": ("Session", _action, FAILS),
    "stream-code": ("Session", _refusal("code"), FAILS),
    "stream-title": ("Session", _refusal("title"), FAILS),
    "stream-detail": ("Session", _refusal("detail"), FAILS),
    "grpc-info": ("GetInfo", _dumped(lambda text: Info(name=text, version=text, sdk=text)), UNHARMED),
    "grpc-health": ("HealthCheck", _dumped(lambda text: ServiceStatus("loading", text)), NEVER_READY),
    "grpc-reset": ("ResetEpisode", _dumped(InitialObservation), FAILS_OR_ENDS),
    "grpc-validate": ("ValidateEpisode", _dumped(lambda text: Validation(ok=False, reasons=(text,))), UNHARMED),
}
