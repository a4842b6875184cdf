"""Actions that the task does not have, with arguments that it does not take, and answers for somebody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attacks.attack import FAILS, INVALID, SURVIVES, Attack, in_turn
from attacks.grpc_messages import at as grpc_at
from attacks.grpc_messages import served, wire_of
from attacks.raw_grpc import GrpcRequest
from attacks.raw_rest import Reply, Request, answer, proper
from attacks.services import at, rest
from graphs import node
from nav_eval_sdk.protocol.grpc import dump_action
from nav_eval_sdk.protocol.messages import Action

HIDDEN = node(1, 0)
"""The data set's own name of a viewpoint next to the start. Under competition disclosure nobody was told it."""
UNKNOWN: dict[str, tuple[Any, Any]] = {
    "unknown": ("fly", {}),
    "upper-case": ("STOP", {}),
    "capital": ("Stop", {}),
    "blank-before": (" stop", {}),
    "newline-after": ("stop\n", {}),
    "nul-after": ("stop\x00", {}),
    "cyrillic": ("ѕtop", {}),
    "zero-width": ("stop\u200b", {}),
    "full-width": ("ｓｔｏｐ", {}),
    "empty": ("", {}),
    "other-task": ("velocity", {"linear": 1.0, "angular": 0.0, "duration": 1.0}),
    "found": ("found", {}),
    "forward": ("move_forward", {}),
    "dunder": ("__class__", {}),
    "stop-with-argument": ("stop", {"force": True}),
    "move-without": ("move_to", {}),
    "move-more": ("move_to", {"viewpoint": HIDDEN, "also": 1}),
    "move-hidden": ("move_to", {"viewpoint": HIDDEN}),
    "move-foreign": ("move_to", {"viewpoint": "f" * 32}),
    "move-empty": ("move_to", {"viewpoint": ""}),
    "move-path": ("move_to", {"viewpoint": "../../etc/passwd"}),
    "move-number": ("move_to", {"viewpoint": 7}),
    "move-true": ("move_to", {"viewpoint": True}),
    "move-long": ("move_to", {"viewpoint": "Q" * 500_000}),
}
ONLY_JSON: dict[str, Any] = {
    "move-null": {"action": "move_to", "action_args": {"viewpoint": None}},
    "move-list": {"action": "move_to", "action_args": {"viewpoint": [HIDDEN]}},
    "move-nested": {"action": "move_to", "action_args": {"viewpoint": {"viewpoint": HIDDEN}}},
    "move-nan": {"action": "move_to", "action_args": {"viewpoint": float("nan")}},
    "stop-nan": {"action": "stop", "action_args": {"x": float("nan")}},
    "action-list": {"action": ["stop"]},
    "action-object": {"action": {"action": "stop"}},
    "action-number": {"action": 0},
    "action-true": {"action": True},
    "action-null": {"action": None},
    "arguments-list": {"action": "stop", "action_args": []},
    "arguments-text": {"action": "stop", "action_args": "{}"},
    "arguments-null": {"action": "stop", "action_args": None},
    "key-case": {"Action": "stop", "action": None},
    "timing-nan": {"timing": {"think": float("nan")}},
    "timing-text": {"timing": {"think": "long"}},
    "timing-vast": {"timing": {"think": 1e308}},
    "timing-negative": {"timing": {"think": -1e9}},
}
IDS: dict[str, dict[str, Any]] = {
    "step-before": {"step": -1},
    "step-after": {"step": 7},
    "step-vast": {"step": 2**62},
    "session": {"session_id": "another"},
    "session-empty": {"session_id": " "},
    "request": {"request_id": "another"},
}
IDS_JSON: dict[str, dict[str, Any]] = {
    "step-text": {"step": "0"},
    "step-float": {"step": 0.5},
    "step-true": {"step": True},
    "step-2^70": {"step": 2**70},
    "session-list": {"session_id": []},
    "session-number": {"session_id": 0},
}


def attacks() -> Iterator[Attack]:
    for number, (name, (action, arguments)) in enumerate(UNKNOWN.items()):
        fields = {"action": action, "action_args": arguments}
        yield rest(f"actions/{name}", f"answers {json.dumps(fields)[:60]}", INVALID, at("act", _changed(fields)))
        for call in in_turn(number, ("GetAction", "Session")):
            yield _grpc(f"actions/{call}/{name}", INVALID, call, action=action, action_args=arguments)
    for name, fields in ONLY_JSON.items():
        expected = SURVIVES if name.startswith("timing") else FAILS
        if name == "arguments-null":
            expected = SURVIVES  # the specification does not say that an absent object cannot be null
        yield rest(f"actions/{name}", f"answers {json.dumps(fields)[:60]}", expected, at("act", _changed(fields)))
    for name, fields in {**IDS, **IDS_JSON}.items():
        yield rest(f"ids/{name}", f"answers for {json.dumps(fields)[:60]}", FAILS, at("act", _changed(fields)))
    for name, fields in IDS.items():
        for call in ("GetAction", "Session"):
            yield _grpc(f"ids/{call}/{name}", FAILS, call, **fields)


def _changed(fields: dict[str, Any]) -> Any:
    def reply(request: Request) -> Reply:
        return answer(proper(request) | fields)

    return reply


def _grpc(name: str, expected: Any, call: str, **fields: Any) -> Attack:
    def reply(request: GrpcRequest, context: Any) -> bytes:
        asked = request.asked
        same = {"action": "stop", "session_id": asked.session_id, "step": asked.step, "request_id": asked.request_id}
        return dump_action(Action(**same | fields))

    return served(name, f"answers {json.dumps(fields)[:60]}", expected, grpc_at(call, reply), wire=wire_of(call))
