"""One agent in a process of its own, behind a socket pair: how an evaluator runs an agent class that it was named.

frame = length (4 bytes, little-endian, unsigned) | msgpack. A Request is answered by one Reply, in order. The process
ends when the other side does, whatever the agent is doing then.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec
import numpy as np

from nav_eval_sdk.agent_interface import ActionFault, Answer, agent_observation, begin, read_answer
from nav_eval_sdk.memory import keep_freed_pages
from nav_eval_sdk.protocol.messages import EpisodeData, Message, Observation, Problem, in_order
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.values import Reader
from nav_eval_sdk.server.agents import fault

LENGTH = struct.Struct("<I")
BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from nav_eval_sdk.server.pipe import main; main()"
"""What the process runs, with the number of its socket and the other side's sys.path as arguments."""


class Request(Message, frozen=True):
    """`call`: open (body: "module:class"), reset (EpisodeData), act (Observation) or close."""

    call: str
    body: msgspec.Raw = msgspec.Raw(b"\xc0")


class Reply(Message, frozen=True):
    """The answer to act. `problem` takes its place; `trace` is for whoever looks for the fault."""

    answer: Answer = Answer()
    problem: Problem | None = None
    trace: str = ""


known(globals())


def read_frame(receive_into: Callable[[Any], int], most: int = 1 << 32) -> memoryview:
    """The bytes of one frame; raises EOFError where the other side is gone, ValueError for more than `most`."""
    length = LENGTH.unpack(_exactly(receive_into, LENGTH.size))[0]
    if length > most:
        raise ValueError(f"a frame of {length} bytes; at most {most} are read")
    return _exactly(receive_into, length)


def _exactly(receive_into: Callable[[Any], int], count: int) -> memoryview:
    view = np.empty(count, np.uint8).data
    got = 0
    while got < count:
        some = receive_into(view[got:])
        if not some:
            raise EOFError
        got += some
    return view


class Hosted:
    """The agent, and the answers to requests about it."""

    def __init__(self) -> None:
        self._agent: Any = None
        self._data: EpisodeData | None = None
        self._reader = Reader(msgspec.msgpack.decode, json=False)

    def answer(self, request: Request) -> Reply:
        """Whatever the agent raises is in the reply."""
        try:
            return getattr(self, f"_{request.call}")(request.body) or Reply()
        except ActionFault as error:
            return Reply(problem=Problem("invalid_action", detail=str(error)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent may raise what it likes
            return Reply(problem=Problem("agent_error", detail=fault(error)), trace=traceback.format_exc())

    def _open(self, body: msgspec.Raw) -> None:
        module, _, name = msgspec.msgpack.decode(body, type=str).partition(":")
        self._agent = getattr(import_module(module), name)()

    def _reset(self, body: msgspec.Raw) -> None:
        self._data = in_order(msgspec.msgpack.decode(body, type=EpisodeData))
        begin(self._agent, self._data)

    def _act(self, body: msgspec.Raw) -> Reply:
        assert self._data is not None, "reset comes first"
        received = msgspec.msgpack.decode(body, type=Observation)
        sensors = self._reader.read(self._data.observation_spec, received.observation)
        answer = self._agent.act(agent_observation(received, sensors))
        return Reply(read_answer(answer, self._data.limits.chunk))

    def _close(self, body: msgspec.Raw) -> None:
        getattr(self._agent, "close", lambda: None)()


def main() -> None:
    """The process: requests one after the other, in the main thread."""
    line = socket.socket(fileno=int(sys.argv[1]))
    line.set_inheritable(False)
    keep_freed_pages()
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    hosted = Hosted()
    while True:
        try:
            request = msgspec.msgpack.decode(read_frame(line.recv_into), type=Request)
        except (EOFError, OSError):
            return
        reply = msgspec.msgpack.encode(hosted.answer(request))
        line.sendall(LENGTH.pack(len(reply)) + reply)


def _end_with(line: socket.socket) -> None:
    """End when nobody listens any more, also in the middle of a call to the agent."""
    poll = select.poll()
    poll.register(line, 0)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        continue
    os._exit(1)
