"""Actions that the task does not have, with arguments that it does not take, and answers for somebody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attacks.attack import FAILS, INVALID, SURVIVES, Attack, Expectation, in_turn
from attacks.raw_grpc import acted
from attacks.services import at, changed, rest, served
from graphs import node

HIDDEN = node(1, 0)
"""The data set's own name of a viewpoint next to the start. Under competition disclosure nobody was told it."""
UNKNOWN: tuple[tuple[Any, dict[str, Any]], ...] = (
    ("fly", {}),
    ("STOP", {}),
    ("Stop", {}),
    (" stop", {}),
    ("stop\n", {}),
    ("stop\x00", {}),
    ("ѕtop", {}),  # Cyrillic
    ("stop\u200b", {}),
    ("ｓｔｏｐ", {}),
    ("", {}),
    ("velocity", {"linear": 1.0, "angular": 0.0, "duration": 1.0}),
    ("found", {}),
    ("move_forward", {}),
    ("__class__", {}),
    ("stop", {"force": True}),
    ("move_to", {}),
    ("move_to", {"viewpoint": HIDDEN, "also": 1}),
    ("move_to", {"viewpoint": HIDDEN}),
    ("move_to", {"viewpoint": "f" * 32}),
    ("move_to", {"viewpoint": ""}),
    ("move_to", {"viewpoint": "../../etc/passwd"}),
    ("move_to", {"viewpoint": 7}),
    ("move_to", {"viewpoint": True}),
    ("move_to", {"viewpoint": "Q" * 500_000}),
)
ONLY_JSON: tuple[dict[str, Any], ...] = (
    {"action": "move_to", "action_args": {"viewpoint": None}},
    {"action": "move_to", "action_args": {"viewpoint": [HIDDEN]}},
    {"action": "move_to", "action_args": {"viewpoint": {"viewpoint": HIDDEN}}},
    {"action": "move_to", "action_args": {"viewpoint": float("nan")}},
    {"action": "stop", "action_args": {"x": float("nan")}},
    {"action": ["stop"]},
    {"action": {"action": "stop"}},
    {"action": 0},
    {"action": True},
    {"action": None},
    {"action": "stop", "action_args": []},
    {"action": "stop", "action_args": "{}"},
    {"Action": "stop", "action": None},
)
TAKEN_OR_NOT: tuple[dict[str, Any], ...] = (
    {"action": "stop", "action_args": None},  # the specification does not say that an absent object cannot be null
    {"timing": {"think": float("nan")}},
    {"timing": {"think": "long"}},
    {"timing": {"think": 1e308}},
    {"timing": {"think": -1e9}},
)
IDS: tuple[dict[str, Any], ...] = (
    {"step": -1}, {"step": 7}, {"step": 2**62}, {"session_id": "another"}, {"session_id": " "},
    {"request_id": "another"},
)  # fmt: skip
IDS_JSON: tuple[dict[str, Any], ...] = (
    {"step": "0"}, {"step": 0.5}, {"step": True}, {"step": 2**70}, {"session_id": []}, {"session_id": 0},
)  # fmt: skip


def attacks() -> Iterator[Attack]:
    for number, (action, arguments) in enumerate(UNKNOWN):
        fields = {"action": action, "action_args": arguments}
        yield _rest("actions", INVALID, fields)
        for call in in_turn(number, ("GetAction", "Session")):
            yield _grpc("actions", INVALID, call, fields)
    for fields in (*ONLY_JSON, *TAKEN_OR_NOT):
        yield _rest("actions", FAILS if fields in ONLY_JSON else SURVIVES, fields)
    for fields in (*IDS, *IDS_JSON):
        yield _rest("ids", FAILS, fields)
    for fields in IDS:
        for call in ("GetAction", "Session"):
            yield _grpc("ids", FAILS, call, fields)


def _rest(family: str, expected: Expectation, fields: dict[str, Any]) -> Attack:
    return rest(f"{family}/{json.dumps(fields)[:90]}", expected, at("act", changed(**fields)))


def _grpc(family: str, expected: Expectation, call: str, fields: dict[str, Any]) -> Attack:
    said = {"action": "stop"} | fields
    return served(f"{family}/{call}/{json.dumps(fields)[:90]}", expected, call, lambda asked, _: acted(asked, **said))
