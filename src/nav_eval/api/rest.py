"""REST (spec 4.1): JSON, which every service takes, or msgpack where the service says that it does."""

from __future__ import annotations

from nav_eval_sdk.protocol.messages import Info
from nav_eval_sdk.protocol.version import JSON, MSGPACK
from nav_eval_sdk.transport.base import Connection, Transport
from nav_eval_sdk.transport.rest import RestTransport

FORMS = ("auto", "msgpack", "json")


def open_plain(connection: Connection) -> Transport:
    """For /info and /health, before anything is known of the service."""
    return RestTransport(connection, JSON)


def open_session(connection: Connection, form: str, info: Info) -> Transport:
    """`auto` takes msgpack if the service offers it: a step costs a fifth of what it costs in JSON."""
    binary = form == "msgpack" or (form == "auto" and MSGPACK in info.content_types)
    return RestTransport(connection, MSGPACK if binary else JSON)
