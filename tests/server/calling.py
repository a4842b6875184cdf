"""A program that calls /api/v1, and holds every answer against the API's document."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator

from nav_eval_server.api import api

API = "/api/v1"


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
    return found


def said(method: str, path: str) -> dict[str, Any]:
    """What the document says of an operation's answers; nothing where there is no such operation."""
    for template, operations in document()["paths"].items():
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), f"{API}{path.partition('?')[0]}"):
            found: dict[str, Any] = operations.get(method.lower(), {}).get("responses", {})
            return found
    return {}


class Caller:
    """A program with a token; every answer is checked against the document, and every problem is one."""

    def __init__(self, token: str = "", **headers: str) -> None:
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = Client(headers=bearer | headers, SERVER_NAME="localhost", raise_request_exception=False)

    def __call__(self, method: str, path: str, body: Any = None, *, key: str = "", raw: bytes | None = None) -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        data = raw if raw is not None else "" if body is None else json.dumps(body)
        kind = "application/json" if raw is None else "application/octet-stream"
        answer = self._client.generic(method, f"{API}{path}", data, kind, headers=headers)
        declared = said(method, path)
        if declared and answer.status_code != 500:
            kind, schema = next(iter(declared[str(answer.status_code)].get("content", {"": {}}).items()))
            assert answer["Content-Type"].partition(";")[0] == (kind or "text/html")
            if kind.endswith("json"):
                whole = schema["schema"] | {"components": document()["components"]}
                Draft202012Validator(whole).validate(json.loads(answer.content))
        if answer.status_code >= 400:
            told = json.loads(answer.content)
            assert answer["Content-Type"] == "application/problem+json"
            always = {"title", "status", "detail", "code"}
            assert always <= set(told) <= always | {"resets_at", "request"}
            assert told["status"] == answer.status_code
            assert re.search(r"[.。]$", told["detail"]), told
        assert answer["Cache-Control"] == "no-store"
        return answer
