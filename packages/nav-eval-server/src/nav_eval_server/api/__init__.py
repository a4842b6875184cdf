"""/api/v1. Each router is a file: who may call it, and what it takes and gives. Its OpenAPI document lies beside it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from nav_eval_server.api import boards, images, teams, workers
from nav_eval_server.api.problems import CONTENT_TYPE, handle

AWAY = HTTPStatus.SERVICE_UNAVAILABLE.phrase


class Api(NinjaAPI):
    """Its document says of what type a problem is; ninja knows one type for all answers.

    Whatever is asked, the database may be away.
    """

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**options)
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"].setdefault(503, {**_any_problem(operation), "description": AWAY})
                for status, told in operation["responses"].items():
                    if status >= 400:
                        told["content"] = {CONTENT_TYPE: told["content"]["application/json"]}
        return document


def _any_problem(operation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(told for status, told in operation["responses"].items() if status >= 400)
    return found


api = Api(title="nav-eval competition", version="1", docs_url=None, urls_namespace="api")
handle(api)
api.add_router("/worker", workers.router)
api.add_router("", boards.router)
api.add_router("", teams.router)
api.add_router("", images.router)
