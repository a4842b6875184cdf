"""The ten calls of the contract over a SimulatorHost class; knows no transport.

Every call runs in the one thread that is in MainThread.run.
"""

from __future__ import annotations

import logging
import math
import queue
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cached_property
from typing import Any

from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import Description, Empty, OpenSession, Session, SessionOpened, Step
from nav_eval_sdk.protocol.values import Specs
from nav_eval_sdk.signals import get
from nav_eval_sdk.simulator_host.host import SimulatorHost

log = logging.getLogger(__name__)


class MainThread:
    """Work for one thread, handed in by others."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()

    def do(self, work: Callable[[], Any]) -> Any:
        """Its result or its exception, after `run` has come to it."""
        done: Future[Any] = Future()
        self._work.put((work, done))
        return done.result()

    def run(self) -> None:
        """Works until `stop`."""
        while (item := get(self._work)) is not None:
            work, done = item
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                done.set_exception(error)

    def stop(self) -> None:
        self._work.put(None)


def describe(host: type[SimulatorHost], max_sessions: int) -> Description:
    """What the class says of itself."""
    expert = host.expert_action is not SimulatorHost.expert_action
    return Description(
        name=host.name or host.__name__,
        version=host.version,
        actions=host.actions,
        sensors=host.sensors,
        capabilities=("expert_action",) if expert else (),
        max_sessions=max_sessions,
        headers=("json", "msgpack"),
        examples=tuple(host.examples()),
    )


class SimulatorService:
    """Sessions by id; raises ServiceProblem."""

    def __init__(self, host: type[SimulatorHost], max_sessions: int, thread: MainThread) -> None:
        self._host = host
        self._max_sessions = max_sessions
        self._thread = thread
        self._sessions: dict[str, tuple[SimulatorHost, Specs]] = {}
        self._handlers: dict[str, Callable[[Any], Message]] = {
            "describe": lambda request: self._description,
            "open": self._open,
            "start": lambda r: self._get(r).start(r),
            "advance": self._advance,
            "state": lambda r: self._get(r).state(),
            "distance": lambda r: _distance(self._get(r).distance(r.start, r.ends)),
            "is_navigable": lambda r: contract.Navigable(bool(self._get(r).is_navigable(r.position))),
            "expert_action": self._expert,
            "close": self._close,
        }

    @cached_property
    def _description(self) -> Description:
        return describe(self._host, self._max_sessions)

    def answer(self, call: str, request: Message) -> Message:
        """Any call but observe."""
        handler = self._handlers.get(call)
        if handler is None:
            raise ServiceProblem("unimplemented", f"there is no call {call[:40]!r}.")
        answered: Message = self._do(lambda: handler(request))
        return answered

    def observe(self, request: Session) -> tuple[Specs, Mapping[str, Any]]:
        """The session's specs and what it shows."""
        seen: tuple[Specs, Mapping[str, Any]] = self._do(lambda: (self._specs(request), self._get(request).observe()))
        return seen

    def _do(self, work: Callable[[], Any]) -> Any:
        try:
            return self._thread.do(work)
        except (ServiceProblem, BadMessage):
            raise
        except NotImplementedError:
            raise ServiceProblem("unimplemented", "this simulator does not offer that call.") from None
        except Exception as error:
            log.exception("The simulator failed.")
            raise ServiceProblem("internal", f"{type(error).__name__}: {error}") from error

    def _open(self, setup: OpenSession) -> SessionOpened:
        """A session that is opened again begins anew."""
        self._close(Session(setup.session_id))
        if len(self._sessions) >= self._max_sessions:
            raise ServiceProblem("busy", f"it runs {self._max_sessions} sessions at once and all are taken.")
        session = self._host(setup)
        specs = dict(session.observation_spec())
        self._sessions[setup.session_id] = (session, specs)
        return SessionOpened(specs)

    def _get(self, request: Any) -> SimulatorHost:
        self._specs(request)
        return self._sessions[request.session_id][0]

    def _specs(self, request: Any) -> Specs:
        if request.session_id not in self._sessions:
            raise ServiceProblem("unknown_session", "open a session first.")
        return self._sessions[request.session_id][1]

    def _advance(self, request: contract.AdvanceRequest) -> Step:
        if request.action not in self._host.actions:
            raise ServiceProblem("bad_request", f"action {request.action[:40]!r} is not one of this simulator's.")
        result = self._get(request).advance(request.action, request.action_args, request.seed)
        return result if isinstance(result, Step) else Step(result)

    def _expert(self, request: contract.ExpertRequest) -> contract.Choice:
        return self._get(request).expert_action(request.goals, request.within)

    def _close(self, request: Session) -> Empty:
        held = self._sessions.pop(request.session_id, None)
        if held is not None:
            held[0].close()
        return Empty()


def _distance(meters: float) -> contract.Distance:
    return contract.Distance(float(meters) if math.isfinite(meters) else None)
