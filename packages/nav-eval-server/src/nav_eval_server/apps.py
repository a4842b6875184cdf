"""The one Django app of the server; its tables are called competition_*."""

from __future__ import annotations

from django.apps import AppConfig


class Competition(AppConfig):
    name = "nav_eval_server"
    label = "competition"
