"""Serve a navigation agent to nav_eval: write a VLNAgent, call serve. Names are loaded when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nav_eval_sdk.protocol.version import SDK_VERSION

if TYPE_CHECKING:
    from nav_eval_sdk.agent_interface import VLNAgent
    from nav_eval_sdk.client import TestClient
    from nav_eval_sdk.server.serving import Server, serve, start
    from nav_eval_sdk.server.settings import ServerTls

__all__ = ["Server", "ServerTls", "TestClient", "VLNAgent", "serve", "start"]

__version__ = SDK_VERSION

_HOMES = {
    "Server": "nav_eval_sdk.server.serving",
    "ServerTls": "nav_eval_sdk.server.settings",
    "TestClient": "nav_eval_sdk.client",
    "VLNAgent": "nav_eval_sdk.agent_interface",
    "serve": "nav_eval_sdk.server.serving",
    "start": "nav_eval_sdk.server.serving",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"nav_eval_sdk has no {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
