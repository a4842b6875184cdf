"""The inference service without any transport: sessions, exactly-once decisions, health, draining.

(session_id, step) names a decision. The agent is asked once for it; the same request sent again is given the same
answer, or waits for the one being made. A slot whose session has been silent for `idle_timeout` is given to the
next reset that needs one, so an evaluator that vanished does not block the service. A service that stops does not wait
for one whose connection is gone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nav_eval_sdk.agent_interface import ActionFault, Answer, agent_observation, read_answer
from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol.actions import chunk_fault
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    Envelope,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    ServiceStatus,
    Validation,
    in_order,
)
from nav_eval_sdk.protocol.values import Specs, message_limit
from nav_eval_sdk.server.agents import AgentFactory, AgentSlot, make_slots
from nav_eval_sdk.server.needs import objections
from nav_eval_sdk.server.settings import MAX_MESSAGE

log = logging.getLogger(__name__)
Read = Callable[[Specs], dict[str, Any]]
Connected = Callable[[], bool]
"""Whether the connection still stands that a request came by, as far as its transport knows."""
HEARD_SECONDS = 2.0
"""An evaluator whose connection broke comes back within these; so does one that opens a connection for each call."""
POLL_SECONDS = 0.1


def unknown() -> bool:
    """Of a transport that cannot tell."""
    return False


@dataclass
class Work:
    """One call to the agent that somebody waits for. A newer copy of the same request sends the older away."""

    key: tuple[int, str]
    future: Future[Any]
    waiter: int = 0


@dataclass
class Session:
    """One episode. `last` is the decision that may still be asked for again."""

    data: EpisodeData
    slot: AgentSlot
    changed: threading.Condition
    reset: Work
    largest: int
    last: Work | None = None
    next_step: int = 0
    ended: bool = False
    used: float = field(default_factory=time.monotonic)
    connected: Connected = unknown

    @property
    def thinking(self) -> bool:
        work = self.last or self.reset
        return not work.future.done()

    @property
    def forsaken(self) -> bool:
        """Whether nobody is left to ask: the connection is gone, and no request has come for a while."""
        return time.monotonic() - self.used > HEARD_SECONDS and not self.connected()


class Service:
    """`factory` makes an agent; it is called max_sessions times, in the agents' own threads."""

    def __init__(
        self, factory: AgentFactory, info: Info, *, max_wait: float = 0.005, idle_timeout: float = 30.0
    ) -> None:
        self.info = info
        self._idle_timeout = idle_timeout
        self._lock = threading.RLock()
        self._released = threading.Condition(self._lock)
        self._sessions: dict[str, Session] = {}
        self._slots = make_slots(factory, info.max_sessions, info.max_batch, max_wait)
        self._free: list[AgentSlot] = []
        self._status = "loading"
        self.failure: BaseException | None = None

    def load(self) -> None:
        """Make the agents; blocks. Raises ServiceProblem if one cannot be made."""
        try:
            for slot in self._slots:
                slot.open().result()
                self._free.append(slot)
        except ServiceProblem as problem:
            self.failure = problem
            raise
        with self._lock:
            if self._status == "loading":
                self._status = "ready"

    def health(self) -> ServiceStatus:
        """Never waits for an agent."""
        detail = str(self.failure) if self.failure else f"{len(self._sessions)} of {self.info.max_sessions} sessions"
        return ServiceStatus(status=self._status, detail=detail)

    def validate(self, data: EpisodeData | None) -> Validation:
        """Without `data` a health check; with it: can such an episode be run here?"""
        reasons = () if data is None else tuple(objections(self.info, data))
        return Validation(status=self._status, ok=not reasons, reasons=reasons)

    def reset(self, data: EpisodeData, connected: Connected = unknown) -> InitialObservation:
        """Begin an episode; the same request again is answered again, without a second reset."""
        if data.protocol not in self.info.protocols:
            raise ServiceProblem("bad_request", f"protocol {data.protocol} is not supported here.")
        with self._lock:
            session = self._sessions.get(data.session_id)
            repeated = session is not None and data.request_id and session.data.request_id == data.request_id
            if session is None or not repeated:
                session = self._begin(data, session)
            session.connected = connected
        try:
            self._wait(session, session.reset)
        except ServiceProblem as problem:
            if problem.code == "agent_error":
                self._drop(data.session_id, session)
            raise
        return InitialObservation()

    def _begin(self, data: EpisodeData, old: Session | None) -> Session:
        if self._status != "ready":
            raise ServiceProblem(self._status)
        data = in_order(data)
        largest = _largest_message(data)
        if old is not None:
            if old.thinking:
                raise ServiceProblem("busy", "this session's agent is still thinking.")
            old.ended = True
        slot = old.slot if old is not None else self._take_slot()
        changed = threading.Condition(self._lock)
        future = _notify_when_done(slot.reset(data), changed)
        session = Session(data, slot, changed, Work((-1, data.request_id), future), largest)
        self._sessions[data.session_id] = session
        return session

    def _take_slot(self) -> AgentSlot:
        if not self._free:
            self._reclaim()
        if not self._free:
            raise ServiceProblem("busy", f"all {self.info.max_sessions} sessions are taken.")
        slot = self._free.pop()
        slot.thread.busy_slots += 1
        return slot

    def _reclaim(self) -> None:
        """Give up the session that has been silent longest, if that is long enough."""
        limit = time.monotonic() - self._idle_timeout
        idle = [(s.used, key) for key, s in self._sessions.items() if not s.thinking and s.used < limit]
        if idle:
            key = min(idle)[1]
            log.warning("Session %s has been silent for %g s: another one takes its place.", key, self._idle_timeout)
            self._release(self._sessions.pop(key))

    def act(self, asked: Envelope, read: Read, size: int = 0, connected: Connected = unknown) -> Action:
        """The agent's action for one step, asked for once. `size`: bytes of the message. Raises ServiceProblem."""
        session = self._session(asked.session_id)
        session.connected = connected
        if size > session.largest:
            raise ServiceProblem("too_large", f"{size} bytes, the declared observations take {session.largest}.")
        try:
            observation = agent_observation(asked, read(session.data.observation_spec))
        except BadMessage as error:
            raise ServiceProblem("bad_request", str(error)) from None
        with self._lock:
            if session.ended:
                raise ServiceProblem("unknown_session", "the session has ended.")
            work = self._decision(session, asked, observation)
        answer, seconds = self._wait(session, work)
        try:
            given = _check(answer, session.data)
        except ActionFault as fault:
            problem = ServiceProblem("invalid_action", str(fault))
            log.warning("Session %s, step %d: %s", asked.session_id, work.key[0], problem.detail)
            raise problem from None
        named = [{"action": name, "action_args": arguments} for name, arguments in given.actions]
        return Action(
            action=given.actions[0][0],
            action_args=given.actions[0][1],
            session_id=asked.session_id,
            step=work.key[0],
            request_id=asked.request_id,
            timing={"think": round(seconds, 6)},
            actions=named if len(named) > 1 else msgspec.UNSET,
            usage=given.usage or msgspec.UNSET,
            said=given.said or msgspec.UNSET,
        )

    def _decision(self, session: Session, asked: Envelope, observation: dict[str, Any]) -> Work:
        """The work that decides a step: a new one, or the one that the same request began."""
        step = session.next_step if asked.step is None else asked.step
        last = session.last
        if last is not None and asked.request_id and last.key == (step, asked.request_id):
            return last
        if not session.reset.future.done() or (last is not None and not last.future.done()):
            raise ServiceProblem("step_conflict", "the agent is still busy with the previous request.")
        if step != session.next_step:
            raise ServiceProblem("step_conflict", f"step {step} was asked for, {session.next_step} is next.")
        session.next_step = step + 1
        session.last = Work((step, asked.request_id), _notify_when_done(session.slot.act(observation), session.changed))
        return session.last

    def end(self, data: EpisodeEnd) -> EndStatus:
        """Ending twice, or what never began, is no error: a retry must be able to say it again."""
        with self._lock:
            session = self._sessions.pop(data.session_id, None)
            if session is not None:
                self._release(session)
        return EndStatus()

    @property
    def busy(self) -> bool:
        """Whether an episode runs."""
        return bool(self._sessions)

    def drain(self, seconds: float) -> None:
        """Take no new episodes and wait until the running ones have ended, or are forsaken, at most `seconds`."""
        until = time.monotonic() + seconds
        with self._lock:
            self._status = "draining"
            while self._sessions and time.monotonic() < until:
                self._released.wait(POLL_SECONDS)
                for key in [key for key, session in self._sessions.items() if session.forsaken]:
                    log.info("Session %s: its evaluator is gone.", key)
                    self._release(self._sessions.pop(key))

    def close(self) -> None:
        """End what still runs and close the agents that are not stuck."""
        with self._lock:
            self._status = "draining"
            for key in list(self._sessions):
                self._release(self._sessions.pop(key))
        for slot in self._slots:
            if slot.agent is not None:
                slot.close()
        for thread in {slot.thread for slot in self._slots}:
            thread.stop()

    def _session(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise ServiceProblem("unknown_session", f"session {session_id[:80]!r} did not begin here, or has ended.")
        session.used = time.monotonic()
        return session

    def _drop(self, session_id: str, session: Session) -> None:
        with self._lock:
            if self._sessions.get(session_id) is session:
                self._release(self._sessions.pop(session_id))

    def _release(self, session: Session) -> None:
        """The slot is free once its agent has stopped thinking."""
        session.ended = True
        session.changed.notify_all()
        self._released.notify_all()
        work = session.last or session.reset
        work.future.add_done_callback(lambda _: self._free_slot(session.slot))

    def _free_slot(self, slot: AgentSlot) -> None:
        with self._lock:
            slot.thread.busy_slots -= 1
            self._free.append(slot)

    def _wait(self, session: Session, work: Work) -> Any:
        """The result of `work`; raises ServiceProblem if it failed, was asked for again or is no longer wanted."""
        with self._lock:
            work.waiter = mine = work.waiter + 1
            session.changed.notify_all()
            session.changed.wait_for(lambda: work.future.done() or work.waiter != mine or session.ended)
            session.used = time.monotonic()
        if work.future.done():
            return work.future.result()
        if work.waiter != mine:
            raise ServiceProblem("superseded")
        raise ServiceProblem("unknown_session", "the session ended while the agent was thinking.")


def _largest_message(data: EpisodeData) -> int:
    """Bytes that one act can have; raises ServiceProblem for observations that nobody should allocate."""
    try:
        return message_limit(data.observation_spec) if data.observation_spec else MAX_MESSAGE
    except (BadMessage, RecursionError) as error:
        raise ServiceProblem("bad_request", f"observation_spec: {error}") from None


def _notify_when_done(future: Future[Any], changed: threading.Condition) -> Future[Any]:
    def notify(_: Future[Any]) -> None:
        with changed:
            changed.notify_all()

    future.add_done_callback(notify)
    return future


def _check(answer: Any, data: EpisodeData) -> Answer:
    """The agent's answer; raises ActionFault."""
    read = read_answer(answer, data.limits.chunk)
    if data.action_space and (wrong := chunk_fault(data.action_space, read.actions)):
        raise ActionFault(wrong)
    return read
