"""The REST side of the contract as an OpenAPI 3.1 document, made of the message structures themselves.

`python -m nav_eval_sdk.protocol.openapi` writes openapi.json beside this file; a test keeps the two equal.
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from nav_eval_sdk.errors import CODES
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    Message,
    Observation,
    Problem,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.protocol.version import JSON, MSGPACK, PROBLEM, PROTOCOL_VERSION

COMMON = {400: "bad_request", 401: "unauthorized", 413: "too_large", 415: "unsupported_media_type", 500: "internal"}
CALLS: list[tuple[str, str, str, type[Message] | None, type[Message], set[int]]] = [
    ("get", "info", "What the service says of itself", None, Info, {401}),
    ("get", "health", "Ready, loading or draining; answers while a model is thinking", None, ServiceStatus, {401}),
    (
        "post",
        "episode/validate",
        "Without a body, or with an empty one, a health check; with a reset's body: can it be run?",
        EpisodeData,
        Validation,
        set(COMMON),
    ),
    ("post", "episode/reset", "Begin an episode", EpisodeData, InitialObservation, {*COMMON, 409, 503}),
    ("post", "agent/act", "Decide one step, exactly once", Observation, Action, {*COMMON, 404, 409}),
    ("post", "episode/end", "The episode is over; carries no score", EpisodeEnd, EndStatus, set(COMMON)),
]
DETAILS = {
    "EpisodeData": "Tensors of later observations are declared here once, in observation_spec.",
    "Observation": "observation: sensor -> value. Arrays of two or more dimensions are base64 strings of their bytes "
    "(packed as observation_spec says), shorter ones lists of numbers, arrays of one element numbers.",
    "Action": "Repeats session_id, step and request_id of the request that it answers.",
}


def document() -> dict[str, Any]:
    """The whole document as plain JSON."""
    kinds = [kind for *_, body, answer, _ in CALLS for kind in (body, answer) if kind is not None]
    _, schemas = msgspec.json.schema_components([*kinds, Problem], ref_template="#/components/schemas/{name}")
    for schema in schemas.values():
        if "description" in schema:  # a docstring without its example, which is Python's
            schema["description"] = cleandoc(schema["description"]).partition("\n\n>>>")[0]
    for name, text in DETAILS.items():
        schemas[name]["description"] = text
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Navigation inference service",
            "version": str(PROTOCOL_VERSION),
            "description": "What a participant's service answers; the evaluator is the client.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://localhost:8085"}],
        "security": [{}, {"bearer": []}],
        "paths": {f"/api/v1/{call[1]}": {call[0]: _operation(*call[1:])} for call in CALLS},
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(
    path: str, summary: str, body: type[Message] | None, answer: type[Message], failures: set[int]
) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": path.replace("/", "_"), "summary": summary}
    if body is not None:
        may_be_empty = path == "episode/validate"
        content = _content(body, JSON, MSGPACK, may_be_empty=may_be_empty)
        operation["requestBody"] = {"required": not may_be_empty, "content": content}
    operation["responses"] = {"200": {"description": "Done", "content": _content(answer, JSON, MSGPACK)}}
    for status in sorted(failures):
        codes = [code for code, (number, _) in CODES.items() if number == status]
        operation["responses"][str(status)] = {"description": ", ".join(codes), "content": _content(Problem, PROBLEM)}
    return operation


def _content(kind: type[Message], *types: str, may_be_empty: bool = False) -> dict[str, Any]:
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{kind.__name__}"}
    if may_be_empty:
        schema = {"anyOf": [schema, {"type": "object", "maxProperties": 0}]}
    return {name: {"schema": schema} for name in types}


def text() -> str:
    """As it is committed."""
    return msgspec.json.format(msgspec.json.encode(document()), indent=2).decode() + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "openapi.json").write_text(text(), encoding="utf-8")
