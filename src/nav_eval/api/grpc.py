"""gRPC (spec 4.2): GetAction, or the streaming Session where the service says that it offers it."""

from __future__ import annotations

from nav_eval_sdk.protocol.messages import Info
from nav_eval_sdk.transport.base import Connection, Transport
from nav_eval_sdk.transport.grpc import GrpcTransport

FORMS = ("auto", "stream", "unary")


def open_plain(connection: Connection) -> Transport:
    """For GetInfo and HealthCheck, before anything is known of the service."""
    return GrpcTransport(connection, stream=False)


def open_session(connection: Connection, form: str, info: Info) -> Transport:
    """`auto` streams if the service offers it."""
    return GrpcTransport(connection, stream=form == "stream" or (form == "auto" and info.streaming))
