"""From an endpoint's text to a connection: the only place that knows both wires of a simulator."""

from __future__ import annotations

import socket

from nav_eval_sdk.errors import Unreachable
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.simulator_host.socket_client import SocketClient


def connect(endpoint: str, timeout: float = 10.0) -> SimulatorClient:
    """`endpoint`: host:port or socket://host:port for the socket framing, grpc://host:port for gRPC.

    Raises ValueError for anything else, Unreachable when nobody listens there.
    """
    scheme, _, place = endpoint.rpartition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("", "socket", "grpc") or not host or not port.isdigit():
        raise ValueError(f"endpoint {endpoint!r} is not host:port, socket://host:port or grpc://host:port.")
    connection = _connect(host.strip("[]"), int(port), timeout)
    if scheme != "grpc":
        return SocketClient(connection)
    connection.close()
    from nav_eval_sdk.simulator_host.grpc_client import GrpcClient

    return GrpcClient(place)


def _connect(host: str, port: int, timeout: float) -> socket.socket:
    try:
        connection = socket.create_connection((host, port), timeout=timeout)
    except OSError as error:
        raise Unreachable(f"{host}:{port}: {error.strerror or error}.") from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
