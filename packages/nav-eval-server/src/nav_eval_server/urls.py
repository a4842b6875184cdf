"""Every address of the server."""

from __future__ import annotations

from django.urls import include, path

from nav_eval_server.api import api

handler500 = "nav_eval_server.web.failures.failed"
urlpatterns = [path("api/v1/", api.urls), path("", include("nav_eval_server.web.urls"))]
