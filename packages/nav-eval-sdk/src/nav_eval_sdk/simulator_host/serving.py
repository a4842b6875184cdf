"""From a SimulatorHost class to a running server: `main` for a program, `start` for a test."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from nav_eval_sdk.simulator_host.host import SimulatorHost
from nav_eval_sdk.simulator_host.service import MainThread, SimulatorService
from nav_eval_sdk.simulator_host.socket_server import SocketServer
from nav_eval_sdk.variables import SIMULATOR_PORT, SIMULATOR_STDIN


class Server:
    """A listening simulator; a context manager that stops it. `endpoint` is what the evaluator is given."""

    def __init__(self, host: type[SimulatorHost], transport: str, address: str, port: int, max_sessions: int) -> None:
        self.thread = MainThread()
        service = SimulatorService(host, max_sessions, self.thread)
        self._transport = _transport(transport, service, address, port)
        self.port = self._transport.port
        self.endpoint = f"{transport}://{address}:{self.port}"
        self._transport.start()

    def stop(self) -> None:
        self._transport.stop()
        self.thread.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _transport(name: str, service: SimulatorService, address: str, port: int) -> Any:
    if name == "socket":
        return SocketServer(service, address, port)
    from nav_eval_sdk.simulator_host.grpc_server import GrpcServer

    return GrpcServer(service, address, port)


def start(
    host: type[SimulatorHost],
    *,
    transport: str = "socket",
    address: str = "127.0.0.1",
    port: int = 0,
    max_sessions: int = 8,
) -> Server:
    """Serve in the background and return at once; the simulator runs in a thread of its own."""
    server = Server(host, transport, address, port, max_sessions)
    threading.Thread(target=server.thread.run, name="simulator", daemon=True).start()
    return server


def main(host: type[SimulatorHost], arguments: Sequence[str] | None = None) -> None:
    """The whole program of a simulator: reads its arguments, says where it listens, serves until it is stopped.

    The simulator runs in the thread that calls this.
    """
    options = _parser(host).parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    server = Server(host, options.transport, options.address, options.port, options.max_sessions)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.thread.stop())
    if SIMULATOR_STDIN.get():
        threading.Thread(target=_stop_with_parent, args=(server,), daemon=True).start()
    sys.stdout.write(f"listening on {server.endpoint}\n")
    sys.stdout.flush()
    with server:
        server.thread.run()


def _parser(host: type[SimulatorHost]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"Serve the simulator {host.name or host.__name__} to nav_eval.")
    parser.add_argument("--transport", choices=("socket", "grpc"), default="socket")
    parser.add_argument("--address", default="127.0.0.1", help="there is no password: keep it on this machine")
    parser.add_argument("--port", type=int, default=int(SIMULATOR_PORT.get()))
    parser.add_argument("--max-sessions", type=int, default=8)
    return parser


def _stop_with_parent(server: Server) -> None:
    sys.stdin.buffer.read()
    server.thread.stop()
