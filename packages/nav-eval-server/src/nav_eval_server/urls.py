"""Every address of the server."""

from __future__ import annotations

from django.urls import path

from nav_eval_server.api import api
from nav_eval_server.web import healthz

urlpatterns = [path("healthz", healthz), path("api/v1/", api.urls)]
