"""A participant behind a wire: which form it is spoken to in, when it is ready, and one client per session.

What a wire's error means for the episode is decided here once: who did not answer, who was late, who answered
something that is no action. Nothing that a service answers to reset enters the simulation.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from msgspec.structs import replace

from nav_eval.api.disclosure import Disclosed, Disclosure, disclose
from nav_eval.api.packing import Packing, packing
from nav_eval.api.retrying import Retrying
from nav_eval.api.settings import Encoding, Retry
from nav_eval.core.actions import ActionSpace
from nav_eval.core.interfaces import AgentClient, AgentService, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.loop import episode_timeout
from nav_eval.core.types import Observations
from nav_eval.errors import AgentError, AgentTimeout, InvalidAction, ServiceError, ServiceUnavailable
from nav_eval.logging import get_logger
from nav_eval_sdk.errors import DeadlineMissed, Forbidden, OtherProtocol, Refused, Unreachable, WireError
from nav_eval_sdk.memory import keep_freed_pages
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import EpisodeData, EpisodeEnd, Info, Limits, Validation
from nav_eval_sdk.protocol.text import line, passage
from nav_eval_sdk.protocol.version import PROTOCOL_VERSION
from nav_eval_sdk.transport.base import Ask, Connection, Deadline, Transport

UNAVAILABLE = frozenset({"unauthorized", "loading", "draining", "busy"})
STARTED = frozenset({"ready", "ok"})
POLL_SECONDS = 0.25
PATIENCE_SECONDS = 2.0
"""So long nobody is told that we wait."""
REMINDER_SECONDS = 15.0
"""So often it is told again, with the time that is left."""
ABANDON_SECONDS = 1.0
ENDING_AT_ONCE = 8
NAME_LENGTH = 100


class WireProtocol(Protocol):
    """What nav_eval.api.rest and nav_eval.api.grpc have in common."""

    FORMS: tuple[str, ...]

    def open_plain(self, connection: Connection) -> Transport: ...

    def open_session(self, connection: Connection, form: str, info: Info) -> Transport: ...


class _Reminder:
    """Says now and then why we wait, how much longer, and how to make that shorter."""

    def __init__(self, name: str, seconds: float) -> None:
        now = time.monotonic()
        self._name, self._until = name, now + seconds
        self._next, self._told = now + PATIENCE_SECONDS, ""

    def tell(self, why: str) -> None:
        now = time.monotonic()
        if now < self._next and (not self._told or why == self._told):
            return
        self._next, self._told = now + REMINDER_SECONDS, why
        get_logger(__name__).warning(
            "waiting for %s, %.0f s more at most (agent_service.deadlines.ready says how long): %s",
            self._name,
            max(0.0, self._until - now),
            why,
        )


class RemoteService(AgentService):
    """Thread-safe; sessions are independent, each on a connection of its own."""

    def __init__(
        self,
        *,
        connection: Connection,
        protocol: WireProtocol,
        encoding: Encoding,
        deadlines: Deadlines,
        retry: Retry,
        disclosure: Disclosure,
    ) -> None:
        keep_freed_pages()
        self.name = connection.endpoint.address
        self._connection = connection
        self._protocol = protocol
        self._encoding = encoding
        self._deadlines = deadlines
        self._retry = retry
        self._disclosure = disclosure
        self._lock = threading.Lock()
        self._info: Info | None = None
        self._consulted = False
        self._clients: list[RemoteClient] = []

    def info(self) -> Info:
        """What the service says of itself, asked once."""
        with self._lock:
            if self._info is None:
                self._info = self._ask_info()
            return self._info

    def _ask_info(self) -> Info:
        transport = Retrying(self._protocol.open_plain(self._connection), self._retry)
        try:
            with service_errors():
                info = transport.info(Deadline(self._deadlines.reset))
        finally:
            transport.drop()
        if PROTOCOL_VERSION not in info.protocols:
            raise ServiceUnavailable(
                f"{self.name} speaks protocol {list(info.protocols)}, we speak {PROTOCOL_VERSION}. Update nav-eval-sdk."
            )
        return info

    def health_check(self) -> ServiceStatus:
        """Wait until it is ready; raises ServiceUnavailable after `deadlines.ready`."""
        deadline = Deadline(self._deadlines.ready)
        transport = self._protocol.open_plain(self._connection)
        try:
            self._await_ready(transport, deadline)
        finally:
            transport.drop()
        info = self.info()
        name, version = line(info.name, NAME_LENGTH), line(info.version, NAME_LENGTH)
        return ServiceStatus(True, "ready", name, version, max(1, info.max_sessions))

    def _await_ready(self, transport: Transport, deadline: Deadline) -> None:
        last = ""
        reminder = _Reminder(self.name, self._deadlines.ready)
        while True:
            pause, look = POLL_SECONDS, None
            try:
                look = deadline.at_most(self._deadlines.connect)
                status = transport.health(Deadline(look))
                if status.status == "ready":
                    return
                last = f"it says {status.status!r} {status.detail}"
            except Refused as error:
                if error.problem.code == "unauthorized":
                    raise as_service_error(error) from None
                if error.problem.code == "unimplemented":  # waiting mends no name
                    raise ServiceUnavailable(f"{self.name}: {error.problem.detail or error}") from None
                last, pause = str(error), max(pause, error.after)
            except Forbidden as error:
                raise ServiceUnavailable(
                    f"{error} Move the service, or widen agent_service.allowed_networks."
                ) from None
            except OtherProtocol as error:
                raise ServiceUnavailable(f"{self.name}: {error}") from None
            except WireError as error:
                # A last look that `ready` cut short says less than the answer before it.
                hurried = isinstance(error, DeadlineMissed) and look != self._deadlines.connect
                last = last if last and hurried else str(error)
                pause = max(pause, error.after)
            reminder.tell(last)
            if not self._slept(pause, deadline):
                raise ServiceUnavailable(
                    f"{self.name} was not ready within {self._deadlines.ready:g} s: {last.rstrip('.')}."
                    " Is the service running?"
                )

    @staticmethod
    def _slept(seconds: float, deadline: Deadline) -> bool:
        """Whether there was time for that."""
        try:
            time.sleep(deadline.at_most(seconds) or 0.0)
            deadline.remaining()
        except DeadlineMissed:
            return False
        return True

    def validate(self, offer: EpisodeOffer) -> Validation:
        """Ask whether the service could run such an episode; nothing is begun."""
        transport = Retrying(self._protocol.open_plain(self._connection), self._retry)
        try:
            with service_errors():
                data = disclose(offer, self._disclosure, limits(offer, self._deadlines)).data
                return transport.validate(data, Deadline(self._deadlines.connect))
        finally:
            transport.drop()

    def _consult(self, offer: EpisodeOffer) -> None:
        """At the first episode: ask `validate`, and warn of what the service says is missing. It decides nothing."""
        with self._lock:
            if self._consulted:
                return
            self._consulted = True
        try:
            answer = self.validate(offer)
        except ServiceError as error:
            get_logger(__name__).debug("episode/validate: %s", error)
            return
        if not answer.ok:
            warn_of_lacks(self.name, answer.reasons)

    def open_session(self) -> RemoteClient:
        info = self.info()
        transport = self._protocol.open_session(self._connection, self._encoding.form, info)
        pack = packing(self._encoding.tensors, info.encodings, self._encoding.jpeg)
        client = RemoteClient(Retrying(transport, self._retry), self._disclosure, self._deadlines, pack, self._consult)
        with self._lock:
            self._clients.append(client)
        return client

    def abandon(self) -> None:
        """Ends the running episodes over connections of its own: those of the sessions wait for answers."""
        with self._lock:
            running = [end for client in self._clients if (end := client.abandoned()) is not None]
        threads = [
            threading.Thread(target=self._end, args=(running[index::ENDING_AT_ONCE],), daemon=True)
            for index in range(min(ENDING_AT_ONCE, len(running)))
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + ABANDON_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _end(self, running: Sequence[EpisodeEnd]) -> None:
        transport = self._protocol.open_plain(self._connection)
        deadline = Deadline(ABANDON_SECONDS)
        try:
            for end in running:
                transport.end(end, deadline)
        except WireError as error:
            get_logger(__name__).debug("ending the sessions: %s", error)
        finally:
            transport.drop()

    def close(self) -> None:
        """Drop every connection; call it when the sessions' threads have ended."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()


def warn_of_lacks(name: str, reasons: Sequence[str]) -> None:
    """Of what the agent says that it needs and an episode does not have. It decides nothing."""
    said = line("; ".join(reasons) or "no reason given")
    get_logger(__name__).warning("%s says that it cannot play such episodes: %s", name, said)


def limits(offer: EpisodeOffer, deadlines: Deadlines) -> Limits:
    """What the participant is granted."""
    seconds = {"reset": deadlines.reset, "act": deadlines.act, "episode": deadlines.episode}
    return replace(offer.limits, **{f"{name}_timeout": timeout for name, timeout in seconds.items()})


class RemoteClient(AgentClient):
    """One session: an episode at a time, each under a session id of its own."""

    def __init__(
        self,
        transport: Transport,
        disclosure: Disclosure,
        deadlines: Deadlines,
        pack: Packing,
        before_reset: Callable[[EpisodeOffer], None],
    ) -> None:
        self.transport = transport
        self._disclosure = disclosure
        self._deadlines = deadlines
        self._pack = pack
        self._before_reset = before_reset
        self._episode: _Running | None = None

    def health_check(self) -> ServiceStatus:
        with service_errors():
            status = self.transport.health(Deadline(self._deadlines.connect))
        return ServiceStatus(status.status == "ready", status.detail)

    def reset_episode(self, offer: EpisodeOffer) -> None:
        self._before_reset(offer)
        disclosed = disclose(offer, self._disclosure, limits(offer, self._deadlines), self._pack)
        data = replace(disclosed.data, session_id=secrets.token_hex(16), request_id=secrets.token_hex(8))
        self._episode = _Running(disclosed, data, offer.action_space, Deadline(self._deadlines.episode))
        with service_errors():
            answer = self.transport.reset(data, Deadline(self._deadlines.reset))
        if answer.status not in STARTED:
            raise ServiceUnavailable(f"the service answered reset with status {answer.status!r}, not 'ready'.")

    def get_action(self, observations: Observations) -> Decision:
        running = self._running
        ask = running.ask(observations)
        begun = time.perf_counter()
        with answer_deadline(running.deadline, self._deadlines.act) as limit, service_errors():
            answer = self.transport.act(ask, limit)
        latency = time.perf_counter() - begun
        running.step += 1
        actions = running.disclosed.answer(answer, running.space)
        return Decision.of(actions, latency, answer.usage or None, passage(answer.said or ""))

    def end_episode(self, reason: str) -> None:
        if self._episode is None:
            return
        end = EpisodeEnd(session_id=self._episode.data.session_id, reason=reason)
        self._episode = None
        with service_errors():
            self.transport.end(end, Deadline(self._deadlines.connect))

    def abandoned(self) -> EpisodeEnd | None:
        """What ends the running episode, which this client then forgets; None where there is none."""
        running, self._episode = self._episode, None
        return None if running is None else EpisodeEnd(session_id=running.data.session_id, reason="stopped")

    def close(self) -> None:
        """An episode that still runs is ended, if the service lets us."""
        try:
            self.end_episode("closed")
        except ServiceError:
            self._episode = None
        finally:
            self.transport.drop()

    @property
    def _running(self) -> _Running:
        if self._episode is None:
            raise AgentError("get_action was called outside an episode: call reset_episode first.")
        return self._episode


class _Running:
    """The episode of a session."""

    def __init__(self, disclosed: Disclosed, data: EpisodeData, space: ActionSpace, deadline: Deadline) -> None:
        self.disclosed = disclosed
        self.data = data
        self.space = space
        self.deadline = deadline
        self.step = 0

    def ask(self, observations: Observations) -> Ask:
        return self.disclosed.ask(observations, self.data.session_id, self.step, secrets.token_hex(8))


@contextmanager
def answer_deadline(episode: Deadline, seconds: float) -> Iterator[Deadline]:
    """Of one answer: in `seconds`, or when the episode's own comes first, whose miss raises AgentTimeout naming it."""
    left: float | None = 0.0
    try:
        left = episode.at_most(seconds)
        yield Deadline(left)
    except (AgentTimeout, DeadlineMissed):
        if episode.seconds is None or left == seconds:
            raise
        raise episode_timeout(episode.seconds) from None


@contextmanager
def service_errors() -> Iterator[None]:
    """Turns the wire's errors into those that say whose fault it is."""
    try:
        yield
    except WireError as error:
        raise as_service_error(error) from error


def as_service_error(error: WireError) -> ServiceError:
    """One line for the organiser; what a participant wrote is quoted and cut."""
    if isinstance(error, Refused):
        return _refusal(error)
    if isinstance(error, Unreachable):
        return ServiceUnavailable(f"the service cannot be reached: {error}")
    if isinstance(error, DeadlineMissed):
        return AgentTimeout(f"the service gave {error}")
    return AgentError(f"the service's answer was refused: {error}")


def _refusal(error: Refused) -> ServiceError:
    code = error.problem.code
    if code == "invalid_action":
        return InvalidAction(f"the service reports {error}")
    if code == "unknown_session":
        return ServiceUnavailable(f"the service lost the session, as after a restart ({error})")
    if code == "unauthorized":
        return ServiceUnavailable(f"the service refused our token ({error}). Set agent_service.token or token_file.")
    kind = ServiceUnavailable if code in UNAVAILABLE else AgentError
    return kind(f"the service refused: {error}")
