"""What one step costs on each wire: 640x480 RGB and float32 depth, against a bare socket moving the same bytes.

The agent answers at once, so what is measured is packing, transport and unpacking. Each server is a process of its
own; the wires take turns within a round, so that a busy machine slows all of them alike. Medians, milliseconds.

    python benchmarks/wire_cost.py [--rounds 200]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import socket
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe
from typing import Any

import numpy as np
from machine import machine

from nav_eval_sdk import TestClient, start
from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.client import WIRES, synthetic_episode
from nav_eval_sdk.memory import keep_freed_pages
from nav_eval_sdk.protocol.messages import ActionSpec, TensorSpec

RGB, DEPTH = (480, 640, 3), (480, 640, 1)
FRAME_BYTES = 480 * 640 * 3 + 480 * 640 * 4
ANSWER = b"x" * 128
TARGETS = {"grpc-stream": 2.5, "grpc-unary": 4.5, "rest-msgpack": 5.0, "rest-json": None}
SPECS = {"rgb": TensorSpec(shape=RGB, dtype="uint8"), "depth": TensorSpec(shape=DEPTH, dtype="float32")}


class Ready(VLNAgent):
    """Looks at one pixel of each image and walks on."""

    def reset(self, episode: dict[str, Any]) -> None:
        self.seen = 0.0

    def act(self, observation: dict[str, Any]) -> str:
        self.seen += float(observation["rgb"][0, 0, 0]) + float(observation["depth"][0, 0, 0])
        return "move_forward"


def serve_agent(protocol: str, pipe: Pipe) -> None:
    with start(Ready, protocol=protocol, port=0, max_sessions=2).wait_loaded() as server:
        pipe.send(server.endpoint)
        pipe.poll(None)


def serve_bare(pipe: Pipe) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    pipe.send(listener.getsockname())
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = memoryview(bytearray(FRAME_BYTES))
    while receive(connection, buffer):
        connection.sendall(ANSWER)


def receive(connection: socket.socket, buffer: memoryview) -> bool:
    """Fill `buffer`; False at the end of the connection."""
    got = 0
    while got < len(buffer):
        count = connection.recv_into(buffer[got:])
        if not count:
            return False
        got += count
    return True


def bare_step(address: tuple[str, int]) -> Callable[[dict[str, Any]], None]:
    connection = socket.create_connection(address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answer = memoryview(bytearray(len(ANSWER)))

    def step(observation: dict[str, Any]) -> None:
        connection.sendall(observation["rgb"].data.cast("B"))
        connection.sendall(observation["depth"].data.cast("B"))
        receive(connection, answer)

    return step


def wire_step(endpoint: str, wire: str) -> Callable[[dict[str, Any]], None]:
    client = TestClient(endpoint, wire=wire)
    client.reset(synthetic_episode(SPECS, {"move_forward": ActionSpec()}))

    def step(observation: dict[str, Any]) -> None:
        client.act(observation)

    return step


def spawn(target: Callable[..., None], *args: Any) -> tuple[Any, Any, Pipe]:
    """(process, its first message, pipe)."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*args, theirs), daemon=True)
    process.start()
    return process, ours.recv(), ours


def measure(rounds: int) -> dict[str, list[float]]:
    """Wire -> milliseconds of each round."""
    keep_freed_pages()
    bare = spawn(serve_bare)
    servers = {protocol: spawn(serve_agent, protocol) for protocol in ("rest", "grpc")}
    steps = {"bare socket": bare_step(bare[1])}
    steps |= {wire: wire_step(servers[wire.split("-")[0]][1], wire) for wire in WIRES}
    rng = np.random.default_rng(0)
    frames = [
        {"rgb": rng.integers(0, 256, RGB, np.uint8), "depth": rng.random(DEPTH, np.float32) * 10} for _ in range(4)
    ]
    times: dict[str, list[float]] = {wire: [] for wire in steps}
    for index in range(rounds + 10):
        for wire, step in steps.items():
            begun = time.perf_counter()
            step(frames[index % len(frames)])
            if index >= 10:
                times[wire].append(1e3 * (time.perf_counter() - begun))
    return times


def table(times: dict[str, list[float]]) -> str:
    base = statistics.median(times["bare socket"])
    lines = [f"{'wire':<14}{'median ms':>10}{'p90 ms':>9}{'x bare':>8}{'target':>8}"]
    for wire, values in times.items():
        median, p90 = statistics.median(values), sorted(values)[int(0.9 * len(values))]
        target = TARGETS.get(wire)
        lines.append(f"{wire:<14}{median:>10.2f}{p90:>9.2f}{median / base:>8.2f}{target or '-':>8}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    times = measure(rounds)
    print(f"{FRAME_BYTES} bytes per step, {rounds} rounds; {machine()}")
    print(table(times))
    os._exit(0)


if __name__ == "__main__":
    main()
