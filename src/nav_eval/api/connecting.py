"""From an endpoint's text and the settings of a connection to a participant's service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal

from nav_eval.api.disclosure import Disclosure
from nav_eval.api.remote import RemoteService
from nav_eval.api.settings import Encoding, Retry
from nav_eval.errors import ConfigError
from nav_eval.registry import nearest
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.transport.address import Networks
from nav_eval_sdk.transport.base import ClientTls, Connection, Endpoint, read_token

PROTOCOLS = {"rest": "nav_eval.api.rest", "grpc": "nav_eval.api.grpc"}


def given_token(token: str | None, file: str | None) -> str | None:
    """The token itself, else what its file holds; raises ConfigError where it holds none."""
    if token or not file:
        return token
    try:
        return read_token(file)
    except ValueError as error:
        raise ConfigError(f"agent_service.token_file: {error}") from error


def connect(
    endpoint: str,
    protocol: str = "rest",
    *,
    token: str | None = None,
    tls: ClientTls | None = None,
    encoding: str = "auto",
    jpeg: Sequence[str] = (),
    deadlines: Deadlines | None = None,
    retry: Retry | None = None,
    disclosure: Literal["competition", "full"] = "competition",
    secret: bytes = b"",
    networks: Sequence[str] = ("any",),
) -> RemoteService:
    """A participant's service. Nothing is sent before it is used; raises ConfigError for settings that do not fit.

    `networks`: where it may lie, as in nav_eval_sdk.transport.address.Networks. `jpeg`: sensors whose images may lose
    detail.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError(f"agent_service.protocol: {protocol!r} is not rest or grpc.{nearest(protocol, PROTOCOLS)}")
    wire: Any = import_module(PROTOCOLS[protocol])
    how = replace(Encoding.parse(encoding), jpeg=frozenset(jpeg))
    if how.form not in wire.FORMS:
        raise ConfigError(f"agent_service.encoding: {how.form!r} is not one of {', '.join(wire.FORMS)}.")
    deadlines = deadlines or Deadlines()
    return RemoteService(
        connection=_connection(_endpoint(endpoint), token, tls, deadlines, allowed_networks(networks)),
        protocol=wire,
        encoding=how,
        deadlines=deadlines,
        retry=retry or Retry(),
        disclosure=Disclosure(disclosure, secret),
    )


def _endpoint(text: str) -> Endpoint:
    try:
        return Endpoint.parse(text)
    except ValueError as error:
        raise ConfigError(f"agent_service.endpoint: {error}") from None


def allowed_networks(names: Sequence[str]) -> Networks:
    """Raises ConfigError for a name that is no network."""
    try:
        return Networks(tuple(names))
    except ValueError as error:
        raise ConfigError(f"agent_service.allowed_networks: {str(error).rstrip('.')}.") from None


def _connection(
    endpoint: Endpoint, token: str | None, tls: ClientTls | None, deadlines: Deadlines, networks: Networks
) -> Connection:
    try:
        return Connection(endpoint, token, tls, deadlines.connect, networks)
    except ValueError as error:
        raise ConfigError(f"agent_service.token: {error}") from None
