"""One agent served at several addresses: each episode goes to the replica that is least busy, and stays there.

A replica that fails is left out until it is ready again; the episode that it lost is played again by the run's rules
(agent_service.episode_restarts), elsewhere.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from nav_eval.api.remote import RemoteService
from nav_eval.core.interfaces import AgentClient, AgentService, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.types import Observations
from nav_eval.errors import NavEvalError, ServiceUnavailable
from nav_eval.logging import get_logger

STRAGGLER_SECONDS = 10.0
"""So long those that are not ready yet are waited for at first, when one is."""
GLANCE_SECONDS = 1.0


@dataclass(eq=False)
class Replica:
    """`status`: what it said when it was ready last; None while it is left out. `busy`: episodes that it plays."""

    service: RemoteService
    status: ServiceStatus | None = None
    busy: int = 0
    asked: bool = False
    reason: str = "it has not answered yet."

    @property
    def free(self) -> int:
        return 0 if self.status is None else self.status.max_sessions - self.busy

    @property
    def load(self) -> float:
        return self.busy / self.status.max_sessions if self.status else 1.0


class Replicas(AgentService):
    """`services`: two or more of the same agent. Thread-safe."""

    def __init__(self, services: Sequence[RemoteService]) -> None:
        self.name = ", ".join(service.name for service in services)
        self._replicas = [Replica(service) for service in services]
        self._changed = threading.Condition()
        self._patience = STRAGGLER_SECONDS

    def health_check(self) -> ServiceStatus:
        """Wait until one is ready, and a little for the others; `max_sessions` is that of those ready together."""
        with self._changed:
            self._ask_the_missing()
            self._changed.wait_for(lambda: self._ready() or not self._is_probing())
            self._require_ready()
            self._changed.wait_for(lambda: not self._is_probing(), self._patience)
            for one in self._replicas if self._patience else ():
                if one.status is None:
                    get_logger(__name__).warning("%s is left out until it is ready: %s", one.service.name, one.reason)
            self._patience = 0.0
            return self._together([one.status for one in self._replicas if one.status is not None])

    def _together(self, told: Sequence[ServiceStatus]) -> ServiceStatus:
        names = {f"{status.name} {status.version}".strip() for status in told}
        if len(names) > 1:
            raise ServiceUnavailable(
                f"the replicas {self.name} are different agents: {', '.join(sorted(names))}. Give those of one."
            )
        sessions = [status.max_sessions for status in told]
        return ServiceStatus(True, "ready", told[0].name, told[0].version, sum(sessions))

    def _ready(self) -> bool:
        return any(one.status is not None for one in self._replicas)

    def _require_ready(self) -> None:
        if not self._ready():
            raise ServiceUnavailable("no replica is ready. " + " ".join(one.reason for one in self._replicas))

    def _is_probing(self) -> bool:
        return any(one.asked for one in self._replicas)

    def _ask_the_missing(self) -> None:
        """Have each that is left out asked in the background, unless it is already."""
        for one in self._replicas:
            if one.status is None and not one.asked:
                one.asked = True
                threading.Thread(target=self._ask, args=(one,), name=f"ask {one.service.name}", daemon=True).start()

    def _ask(self, one: Replica) -> None:
        status, reason = None, one.reason
        try:
            status = one.service.health_check()
        except NavEvalError as error:
            reason = str(error)
        with self._changed:
            one.status, one.reason, one.asked = status, reason, False
            self._changed.notify_all()

    def take(self) -> Replica:
        """The least busy that has room, with one more episode; waits for room. ServiceUnavailable if none is ready."""
        with self._changed:
            while True:
                self._ask_the_missing()
                self._require_ready()
                if free := [one for one in self._in_turn() if one.free > 0]:
                    chosen = min(free, key=lambda one: one.load)
                    chosen.busy += 1
                    return chosen
                self._changed.wait(GLANCE_SECONDS)

    def _in_turn(self) -> Sequence[Replica]:
        """Each process of a run begins with another one, so that equals are not all sent to the first."""
        first = os.getpid() % len(self._replicas)
        return [*self._replicas[first:], *self._replicas[:first]]

    def give_back(self, one: Replica) -> None:
        with self._changed:
            one.busy -= 1
            self._changed.notify_all()

    def leave_out(self, one: Replica, error: ServiceUnavailable) -> None:
        """Until it says that it is ready."""
        with self._changed:
            if one.status is not None:
                get_logger(__name__).warning("%s is left out until it is ready again: %s", one.service.name, error)
            one.status, one.reason = None, str(error)

    def open_session(self) -> AgentClient:
        return ReplicaClient(self)

    def abandon(self) -> None:
        self._on_all("abandon")

    def close(self) -> None:
        self._on_all("close")

    def _on_all(self, call: str) -> None:
        """Side by side: each may take its second."""
        threads = [threading.Thread(target=getattr(one.service, call), daemon=True) for one in self._replicas]
        for thread in threads:
            thread.start()
        until = time.monotonic() + len(threads) + 1
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


class ReplicaClient(AgentClient):
    """A session that begins each episode at a replica, over a connection that it keeps to each."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas
        self._clients: dict[Replica, AgentClient] = {}
        self._at: Replica | None = None

    def health_check(self) -> ServiceStatus:
        return self._replicas.health_check()

    def reset_episode(self, offer: EpisodeOffer) -> None:
        self._leave()
        self._at = at = self._replicas.take()
        with self._lost_with(at):
            if at not in self._clients:
                self._clients[at] = at.service.open_session()
            self._clients[at].reset_episode(offer)

    def get_action(self, observations: Observations) -> Decision:
        if self._at is None:
            raise ServiceUnavailable("get_action was called outside an episode: call reset_episode first.")
        with self._lost_with(self._at):
            return self._clients[self._at].get_action(observations)

    def end_episode(self, reason: str) -> None:
        try:
            if self._at in self._clients:
                self._clients[self._at].end_episode(reason)
        finally:
            self._leave()

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._leave()

    def _leave(self) -> None:
        at, self._at = self._at, None
        if at is not None:
            self._replicas.give_back(at)

    @contextmanager
    def _lost_with(self, at: Replica) -> Iterator[None]:
        try:
            yield
        except ServiceUnavailable as error:
            self._replicas.leave_out(at, error)
            raise
