"""What one step costs over a connection that a service has opened (`nav-eval-agent join`), against one opened to it.

The agent answers at once. Service, relay and web are processes of their own, as under `nav-eval competition serve`; the
two ways take turns within a round, so that a busy machine slows both alike. `--sessions`: as many at a time, a thread
each. Milliseconds; where others use the machine, too, p10 says more than the median.

    python benchmarks/join_cost.py [--rounds 200] [--sessions 4]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe
from typing import Any

import numpy as np
from machine import machine
from waitress import create_server
from wire_cost import Ready

from nav_eval_sdk import TestClient, start
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.memory import keep_freed_pages
from nav_eval_sdk.protocol.messages import ActionSpec, TensorSpec
from nav_eval_sdk.server.serving import start_joined
from nav_eval_server.join.fd_passing import pair, passing_fds
from nav_eval_server.join.relay import Relay

SIZES = {"224x224": (224, 224), "640x480": (480, 640)}
MAX_SESSIONS = 8


def serve_web(fd: int, pipe: Pipe) -> None:
    server = create_server(passing_fds(lambda environ, respond: [], fd), host="127.0.0.1", port=0, threads=16)
    pipe.send(server.effective_port)
    server.run()


def serve_relay(fd: int, pipe: Pipe) -> None:
    relay = Relay({"team": 1}.get, {"ticket": (1, 1)}.get, lambda team, here: None)
    pipe.send(None)
    asyncio.run(relay.run(socket.socket(fileno=fd)))


def serve_direct(pipe: Pipe) -> None:
    with start(Ready, protocol="rest", port=0, max_sessions=MAX_SESSIONS).wait_loaded() as server:
        pipe.send(server.endpoint)
        pipe.poll(None)


def serve_joined(url: str, pipe: Pipe) -> None:
    with start_joined(Ready, url, "team", max_sessions=MAX_SESSIONS).wait_loaded():
        pipe.send(None)
        pipe.poll(None)


def begin(target: Callable[..., None], *arguments: Any) -> Any:
    """Its first message; the process ends with this one."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    process.start()
    running.append((process, ours))
    return ours.recv()


running: list[tuple[Any, Pipe]] = []


def servers() -> dict[str, Callable[[], TestClient]]:
    """A client of each way."""
    webs, relays = pair()
    begin(serve_relay, relays)
    port = begin(serve_web, webs)
    begin(serve_joined, f"http://127.0.0.1:{port}")
    direct = begin(serve_direct)
    return {
        "direct": lambda: TestClient(direct),
        "joined": lambda: TestClient(f"http+join://127.0.0.1:{port}", token="ticket"),
    }


def frames(height: int, width: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "rgb": rng.integers(0, 256, (height, width, 3), np.uint8),
        "depth": rng.random((height, width, 1), np.float32) * 10,
    }


def session(client: TestClient, frame: dict[str, Any]) -> TestClient:
    specs = {name: TensorSpec(shape=value.shape, dtype=value.dtype.name) for name, value in frame.items()}
    client.reset(synthetic_episode(specs, {"move_forward": ActionSpec()}))
    return client


def step(client: TestClient, frame: dict[str, Any], times: list[float]) -> None:
    begun = time.perf_counter()
    client.act(frame)
    times.append(1e3 * (time.perf_counter() - begun))


def measure(ways: dict[str, Callable[[], TestClient]], frame: dict[str, Any], rounds: int, sessions: int) -> str:
    """A line of the table for each way."""
    clients = {way: [session(make(), frame) for _ in range(sessions)] for way, make in ways.items()}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for index in range(rounds + 10):
        for way, several in clients.items():
            kept_times: list[float] = []
            threads = [threading.Thread(target=step, args=(client, frame, kept_times)) for client in several]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            times[way] += kept_times if index >= 10 else []
    for several in clients.values():
        for client in several:
            client.end()
            client.close()
    base, lines = 0.0, []
    for way, values in times.items():
        low, median, high = (sorted(values)[int(share * len(values))] for share in (0.1, 0.5, 0.9))
        base = base or median
        lines.append(f"{sessions:>8}  {way:<8}{low:>9.2f}{median:>11.2f}{high:>9.2f}{median - base:>+10.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=4)
    options = parser.parse_args()
    keep_freed_pages()
    ways = servers()
    print(f"{options.rounds} rounds; before: {machine()}")
    print(
        f"{'frame':<9}{'bytes':>9}{'sessions':>9}  {'way':<8}{'p10 ms':>9}{'median ms':>11}{'p90 ms':>9}{'more ms':>10}"
    )
    for name, size in SIZES.items():
        frame = frames(*size)
        count = sum(value.nbytes for value in frame.values())
        for sessions in (1, options.sessions):
            for line in measure(ways, frame, options.rounds, sessions).splitlines():
                print(f"{name:<9}{count:>9} {line}")
    for process, _ in running:
        process.kill()


if __name__ == "__main__":
    main()
