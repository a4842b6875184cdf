"""An agent class of the user's, each session's in a process of its own, so that it is judged as a service is.

Deadlines hold even where the agent never gives Python back, and a crash of the process is the agent's: the episode has
failed, and the next one begins with a fresh process.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any

import msgspec

from nav_eval.api.local import FAREWELL, AgentHost, LocalService
from nav_eval.core.interfaces import ServiceStatus
from nav_eval.errors import AgentError, AgentTimeout, InvalidAction, NavEvalError, ServiceUnavailable
from nav_eval.logging import get_logger
from nav_eval_sdk.agent_interface import Answer
from nav_eval_sdk.errors import DeadlineMissed
from nav_eval_sdk.protocol.messages import EpisodeData
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.server.pipe import BOOT, LENGTH, Reply, read_frame
from nav_eval_sdk.transport.base import MAX_ANSWER, Ask, Deadline

GLANCE = 0.5
"""Seconds between looks whether the process lives: its own children may hold its end of the line open."""


class AgentProcess(AgentHost):
    """`agent`: "module:class", importable where this process imports from. Used by one thread at a time."""

    def __init__(self, agent: str) -> None:
        near, far = socket.socketpair()
        command = [sys.executable, "-c", BOOT, str(far.fileno()), json.dumps(sys.path)]
        with far:
            self._process = subprocess.Popen(command, pass_fds=[far.fileno()], start_new_session=True)
        self._line = near
        self._agent = agent
        self._encoder = msgspec.msgpack.Encoder()
        self._buffer = bytearray()
        self._until = Deadline(None)
        self.gone = False

    def open(self, deadline: Deadline) -> None:
        self._ask("open", self._agent, deadline)

    def reset(self, data: EpisodeData, deadline: Deadline) -> None:
        self._ask("reset", data, deadline)

    def act(self, ask: Ask, deadline: Deadline) -> Answer:
        return self._ask("act", ask.packed(json=False), deadline).answer

    def close(self) -> None:
        if not self.gone:
            with suppress(NavEvalError):
                self._ask("close", None, Deadline(FAREWELL))
        self.kill()

    def kill(self) -> None:
        """End the process and all that it has started. May be called from another thread."""
        self.gone = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._line.close()

    def _ask(self, call: str, body: Any, deadline: Deadline) -> Reply:
        try:
            reply = self._exchange({"call": call, "body": body}, deadline)
        except (TimeoutError, DeadlineMissed):
            self.kill()
            raise AgentTimeout(f"the agent gave no answer to {call} within {deadline.seconds:g} s.") from None
        except (OSError, EOFError):
            raise AgentError(f"the agent's process ended during {call}: {self._cause()}.") from None
        except (msgspec.MsgspecError, ValueError) as error:
            self.kill()
            raise AgentError(f"the agent's process gave an invalid answer to {call}: {line(str(error))}") from None
        if reply.problem is None:
            return reply
        get_logger(__name__).debug("the agent's traceback: %s", reply.trace)
        if reply.problem.code == "invalid_action":
            raise InvalidAction(line(reply.problem.detail))
        raise AgentError(f"the agent raised {line(reply.problem.detail)}")

    def _exchange(self, request: dict[str, Any], deadline: Deadline) -> Reply:
        self._encoder.encode_into(request, self._buffer)
        self._until = deadline
        self._line.settimeout(deadline.remaining())
        self._line.sendall(LENGTH.pack(len(self._buffer)))
        self._line.sendall(self._buffer)
        return msgspec.msgpack.decode(read_frame(self._receive_into, MAX_ANSWER), type=Reply)

    def _receive_into(self, view: Any) -> int:
        while True:
            try:
                self._line.settimeout(self._until.at_most(GLANCE))
                return self._line.recv_into(view)
            except TimeoutError:
                if self._process.poll() is not None:
                    raise EOFError from None

    def _cause(self) -> str:
        """How the process ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GLANCE)
        code = self._process.returncode
        self.kill()
        if code is None:
            return "it closed the line to the evaluator"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class ProcessService(LocalService):
    """Sessions with a process each; one is begun, and the agent in it made, before the run begins.

    `keep`: that one is the first session's; else it ends at once, because sessions are opened by other workers.
    """

    def __init__(self, agent: str, factory: Any, *, keep: bool = True, **settings: Any) -> None:
        super().__init__(factory, **settings)
        self._agent = agent
        self._keep = keep
        self._spare: AgentProcess | None = None
        self._hosts: list[AgentProcess] = []

    def health_check(self) -> ServiceStatus:
        """Raises ServiceUnavailable if the agent cannot be created within deadlines.ready."""
        if self._spare is None:
            made = self._start_host()
            if self._keep:
                self._spare = made
            else:
                made.close()
        return super().health_check()

    def open_host(self) -> AgentHost:
        with self._lock:
            spare, self._spare = self._spare, None
        return spare or self._start_host()

    def _start_host(self) -> AgentProcess:
        host = AgentProcess(self._agent)
        with self._lock:
            self._hosts = [*(host for host in self._hosts if not host.gone), host]
        try:
            host.open(Deadline(self.deadlines.ready))
        except (AgentError, AgentTimeout) as error:
            host.kill()
            raise ServiceUnavailable(f"{self._agent}: the agent cannot be created: {error}") from error
        return host

    def close(self) -> None:
        """End every process that a session has left."""
        with self._lock:
            hosts, self._hosts, self._spare = self._hosts, [], None
        for host in hosts:
            if not host.gone:
                host.kill()
