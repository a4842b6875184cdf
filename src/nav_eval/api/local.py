"""Agents on this side of the wire, told and shown exactly what they would be behind one.

`LocalService` plays them in this process: built-in ones directly, objects and classes that Python hands over in a
thread of their own, so that their deadlines hold. `nav_eval.api.process` gives a class that can be named a process.
"""

from __future__ import annotations

import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from nav_eval.api.disclosure import Disclosed, Disclosure, disclose
from nav_eval.api.remote import answer_deadline, limits, warn_of_lacks
from nav_eval.core.actions import ActionSpace
from nav_eval.core.interfaces import AgentClient, AgentService, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.types import Observations
from nav_eval.errors import AgentError, AgentTimeout, InvalidAction, ServiceError
from nav_eval.logging import get_logger
from nav_eval_sdk.agent_interface import ActionFault, Agent, Answer, agent_observation, begin, read_answer
from nav_eval_sdk.errors import DeadlineMissed
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import EpisodeData, in_order
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.protocol.values import canonical
from nav_eval_sdk.server.agents import AgentThread, Job, fault
from nav_eval_sdk.server.needs import describe, objections
from nav_eval_sdk.transport.base import Ask, Deadline

MANY = 4096
FAREWELL = 5.0
"""Seconds that `close` of an agent may take."""


class AgentHost(ABC):
    """Where the agent of a session lives. Raises AgentError, InvalidAction and AgentTimeout; `gone`: of no use now."""

    gone: bool = False

    @abstractmethod
    def open(self, deadline: Deadline) -> None:
        """Make the agent."""

    @abstractmethod
    def reset(self, data: EpisodeData, deadline: Deadline) -> None: ...

    @abstractmethod
    def act(self, ask: Ask, deadline: Deadline) -> Answer: ...

    @abstractmethod
    def close(self) -> None: ...


class InThisProcess(AgentHost):
    """`limited`: each call runs in the agent's own thread and is waited for until its deadline.

    A call that is late goes on there, and the next one waits for it, within a deadline of its own.
    """

    def __init__(self, factory: Callable[[], Agent], *, limited: bool) -> None:
        self._factory = factory
        self._thread = AgentThread() if limited else None
        self._agent: Any = None
        self._late = False
        self._most = 1

    def open(self, deadline: Deadline) -> None:
        self._agent = self._run("constructor", deadline, self._factory)

    def reset(self, data: EpisodeData, deadline: Deadline) -> None:
        self._most = data.limits.chunk
        self._run("reset", deadline, begin, self._agent, data)

    def act(self, ask: Ask, deadline: Deadline) -> Answer:
        seen = agent_observation(ask, canonical(ask.specs, ask.observation))
        answer = self._run("act", deadline, self._agent.act, seen)
        try:
            return read_answer(answer, self._most)
        except ActionFault as error:
            raise InvalidAction(line(str(error))) from None

    def close(self) -> None:
        if hasattr(self._agent, "close") and not self._late:
            with suppress(ServiceError):
                self._run("close", Deadline(FAREWELL), self._agent.close)
        if self._thread is not None:
            self._thread.stop()

    def _run(self, name: str, deadline: Deadline, call: Callable[..., Any], *args: Any) -> Any:
        outcome = _Outcome.of(call, args) if self._thread is None else self._wait_for(name, deadline, call, args)
        if outcome.error is not None:
            get_logger(__name__).debug("the agent's traceback: %s", outcome.trace)
            raise AgentError(f"the agent raised {fault(outcome.error)}") from outcome.error
        return outcome.value

    def _wait_for(self, name: str, deadline: Deadline, call: Callable[..., Any], args: tuple[Any, ...]) -> _Outcome:
        assert self._thread is not None
        job = Job(lambda: _Outcome.of(call, args), Future())
        try:
            outcome: _Outcome = self._thread.submit(job).result(deadline.remaining())
        except (TimeoutError, DeadlineMissed):
            self._late = True
            raise AgentTimeout(f"the agent gave no answer to {name} within {deadline.seconds:g} s.") from None
        self._late = False
        return outcome


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a call; whatever an agent raises is the participant's fault."""

    value: Any = None
    error: BaseException | None = None
    trace: str = ""

    @classmethod
    def of(cls, call: Callable[..., Any], args: tuple[Any, ...]) -> _Outcome:
        try:
            return cls(call(*args))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent may raise what it likes
            return cls(error=error, trace=traceback.format_exc())


class LocalService(AgentService):
    """`factory` (usually the agent's class) makes one agent per session. `limited`: deadlines hold."""

    def __init__(
        self,
        factory: Callable[[], Agent],
        *,
        limited: bool = True,
        disclosure: Literal["competition", "full"] = "competition",
        secret: bytes = b"",
        deadlines: Deadlines | None = None,
    ) -> None:
        self.name = str(getattr(factory, "name", "") or getattr(factory, "__name__", "agent"))
        self._version = str(getattr(factory, "version", ""))
        self._factory = factory
        self._limited = limited
        self._disclosure = Disclosure(disclosure, secret)
        self.deadlines = deadlines or Deadlines()
        self._lock = threading.Lock()
        self._consulted = False

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(True, "on this machine", line(self.name), line(self._version), MANY)

    def open_session(self) -> LocalAgentClient:
        return LocalAgentClient(self.open_host, self._disclosure, self.deadlines, self._consult)

    def _consult(self, data: EpisodeData) -> None:
        """At the first episode: warn of what the class asks for and is not there, as of a service."""
        with self._lock:
            if self._consulted:
                return
            self._consulted = True
        if lacks := objections(describe(self._factory, MANY, 1, streaming=False), data):
            warn_of_lacks(self.name, lacks)

    def open_host(self) -> AgentHost:
        """With the agent made; called when a session's first episode begins, and after one that lost its agent."""
        host = InThisProcess(self._factory, limited=self._limited)
        host.open(Deadline(self.deadlines.ready))
        return host


class LocalAgentClient(AgentClient):
    """One session: an episode at a time."""

    def __init__(
        self,
        open_host: Callable[[], AgentHost],
        disclosure: Disclosure,
        deadlines: Deadlines,
        before_reset: Callable[[EpisodeData], None],
    ) -> None:
        self._open_host = open_host
        self._before_reset = before_reset
        self._disclosure = disclosure
        self._deadlines = deadlines
        self._host: AgentHost | None = None
        self._episode: tuple[Disclosed, ActionSpace, Deadline] | None = None

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(True, "on this machine")

    def reset_episode(self, offer: EpisodeOffer) -> None:
        disclosed = disclose(offer, self._disclosure, limits(offer, self._deadlines))
        self._before_reset(disclosed.data)
        if self._host is None or self._host.gone:
            self._host = self._open_host()
        disclosed = replace(disclosed, data=in_order(disclosed.data))
        self._episode = disclosed, offer.action_space, Deadline(self._deadlines.episode)
        self._host.reset(disclosed.data, Deadline(self._deadlines.reset))

    def get_action(self, observations: Observations) -> Decision:
        if self._host is None or self._episode is None:
            raise AgentError("get_action was called outside an episode: call reset_episode first.")
        disclosed, space, until = self._episode
        ask = disclosed.ask(observations)
        begun = time.perf_counter()
        with answer_deadline(until, self._deadlines.act) as limit:
            answer = self._host.act(ask, limit)
        latency = time.perf_counter() - begun
        return Decision.of(disclosed.actions(answer.actions, space), latency, answer.usage, answer.said)

    def end_episode(self, reason: str) -> None:
        self._episode = None

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
        self._host = None
