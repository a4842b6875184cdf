"""/api/v1. Each router is a file: who may call it, and what it takes and gives. Its OpenAPI document lies beside it."""

from __future__ import annotations

from ninja import NinjaAPI

from nav_eval_server.api import workers

api = NinjaAPI(title="nav-eval competition", version="1", docs_url=None, urls_namespace="api")
api.add_router("/worker", workers.router)
