"""Episodes side by side in one process: a thread, an environment and a connection for each session.

When a service is away, every session waits at the same breaker: one asks until the service is ready again, then each
plays its lost episode anew, from its start, as often as the policy grants; an episode lost once more has failed. If
the service does not come back in time, the run ends; episodes that may be played again stay unfinished.
"""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from nav_eval.core.attempts import Announced, Attempt, Attempts
from nav_eval.core.environment import Environment
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.interfaces import AgentService, Observer
from nav_eval.core.loop import EpisodeLoop, Policy, Stopped
from nav_eval.core.stopping import SECONDS_BETWEEN_STEPS, Attended, Draining, wait_for
from nav_eval.core.types import OURS, EpisodeResult
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import (
    NavEvalError,
    NavmeshError,
    ResourceExhausted,
    SceneError,
    ServiceUnavailable,
    advice,
    exhausted,
)
from nav_eval.logging import get_logger

FILES_AT_LEAST, FILES_PER_SESSION = 32, 6
"""Open files of a process, and of a gRPC session in it, rounded up."""
ATTEMPTS = 2
"""How often an episode is tried again that the service would not begin: still busy, or just going away."""


class RunStopped(NavEvalError):
    """The policy on_error=stop ended the run at a participant's failure."""

    exit_code = 3


class Report(Protocol):
    """Who is told of episodes; called from the sessions' threads, one at a time."""

    def on_start(self, key: EpisodeKey) -> None: ...

    def on_attempt(self, noted: Attempt) -> None: ...

    def on_result(self, result: EpisodeResult) -> None: ...


class Sessions:
    """`open_environment` and `open_observers` are called in each session's own thread."""

    def __init__(
        self,
        service: AgentService,
        open_environment: Callable[[], Environment],
        policy: Policy,
        open_observers: Callable[[], Sequence[Observer]] = tuple,
    ) -> None:
        self._service = service
        self._open_environment = open_environment
        self._policy = policy
        self._open_observers = open_observers
        self._breaker = Breaker(service)

    def play(
        self, episodes: Iterator[Episode], count: int, report: Report, lost: Mapping[EpisodeKey, int] | None = None
    ) -> None:
        """Play all `episodes` in `count` sessions. `lost`: how many of an episode's attempts the service lost before.

        Raises ServiceUnavailable, RunStopped or ResourceExhausted as soon as no session plays on, SceneError or
        NavmeshError when all other episodes are played, and Draining if some are left because of that. An interrupt
        ends the sessions at the service before it is passed on.
        """
        make_room_for_files(FILES_AT_LEAST + FILES_PER_SESSION * count)
        turn = _Turn(episodes, report, lost or {})
        threads = [Attended(self._serve, name=f"session-{index}", args=(turn,)) for index in range(count)]
        begun: list[Attended] = []
        try:
            try:
                for thread in threads:
                    _start(thread)
                    begun.append(thread)
                wait_for(begun)
            except Draining as wish:
                turn.drain(wish)
                wait_for(begun)
        except (KeyboardInterrupt, ResourceExhausted) as stop:
            turn.stop(stop)
            wait_for(begun, SECONDS_BETWEEN_STEPS)
            self._service.abandon()
            raise
        turn.raise_first()

    def run_episode(self, episode: Episode) -> EpisodeResult:
        """One episode in a session of its own."""
        with self._session(lambda: False, lambda _: None) as loop:
            return loop.run_episode(episode)

    def _serve(self, turn: _Turn) -> None:
        try:
            with self._session(turn.stopped, turn.on_attempt) as loop:
                while (episode := turn.next_episode()) is not None:
                    self._take(loop, episode, turn)
        except Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
            turn.fail(exhausted(error) or error)

    def _take(self, loop: EpisodeLoop, episode: Episode, turn: _Turn) -> None:
        try:
            result = self._play(loop, episode, turn)
        except (SceneError, NavmeshError) as error:
            turn.leave_out(error)
            return
        turn.deliver(result)
        if result.status not in ("ok", *OURS) and self._policy.on_error == "stop":
            raise RunStopped(
                f"stopped at episode {result.episode_id} of {result.scene_id} ({result.status}: "
                f"{result.failure_reason}), as agent_service.on_error=stop says.{advice(' --resume continues.', '')}"
            )
        if result.status == "service_unavailable":
            self._breaker.wait_until_back()

    def _play(self, loop: EpisodeLoop, episode: Episode, turn: _Turn) -> EpisodeResult:
        """What came of it, at last. An episode of which the agent saw nothing was not lost, only not begun.

        A loss is noted before the service is waited for: whoever stays away then has used up a restart all the same.
        """
        left = {
            True: self._policy.episode_restarts - turn.lost.get(episode.key, 0),
            False: ATTEMPTS,
        }  # by whether it was shown
        result = loop.run_episode(episode)
        while result.status == "service_unavailable" and left[result.shown] > 0:
            left[result.shown] -= 1
            if result.shown:
                turn.on_attempt(Attempt(episode.key, "lost", result.usage))
            self._breaker.wait_until_back()
            result = loop.run_episode(episode)
        return result

    @contextmanager
    def _session(self, stopped: Callable[[], bool], attempted: Callable[[Attempt], None]) -> Iterator[EpisodeLoop]:
        environment, client = self._open_environment(), Announced(self._service.open_session(), attempted)
        try:
            yield EpisodeLoop(environment, client, self._open_observers(), self._policy, stopped)
        finally:
            client.close()
            environment.simulator.close()


class InProcess:
    """The executor that plays all episodes in this process."""

    def __init__(
        self,
        episodes: EpisodeManager,
        open_environment: Callable[[], Environment],
        policy: Policy,
        open_observers: Callable[[], Sequence[Observer]] = tuple,
        attempts: Attempts | None = None,
    ) -> None:
        self.attempts = attempts or Attempts()
        self.episodes = episodes
        self._open_environment = open_environment
        self._policy = policy
        self._open_observers = open_observers

    def play(
        self,
        service: AgentService,
        keys: Sequence[EpisodeKey],
        in_flight: int,
        deliver: Callable[[EpisodeResult], None],
    ) -> None:
        report = _Delivery(lambda result: deliver(self.attempts.marked(result)), self.attempts.note)
        self._sessions(service).play(self.episodes.only(keys), in_flight, report, self.attempts.lost(keys))

    def run_episode(self, service: AgentService, episode: Episode) -> EpisodeResult:
        return self._sessions(service).run_episode(episode)

    def _sessions(self, service: AgentService) -> Sessions:
        return Sessions(service, self._open_environment, self._policy, self._open_observers)


@dataclass(frozen=True, slots=True)
class _Delivery:
    """A Report for somebody who does not ask what has begun."""

    on_result: Callable[[EpisodeResult], None]
    on_attempt: Callable[[Attempt], None]

    def on_start(self, key: EpisodeKey) -> None:
        """Nobody asked."""


class Breaker:
    """Where sessions wait for a service that is away."""

    def __init__(self, service: AgentService) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._down: ServiceUnavailable | None = None

    def wait_until_back(self) -> None:
        """Returns when the service is ready; raises ServiceUnavailable once for all if it does not come back."""
        with self._lock:
            if self._down is not None:
                raise self._down
            get_logger(__name__).warning("the service cannot be reached; waiting for it.")
            try:
                self._service.health_check()
            except ServiceUnavailable as error:
                go_on = advice(
                    "What is finished is safe; --resume goes on from here.", "Call it again when it is back."
                )
                self._down = ServiceUnavailable(f"{error}\n{go_on}")
                raise self._down from error


class _Turn:
    """What the session threads share: the next episode, the report, and the first error, which ends the run."""

    def __init__(self, episodes: Iterator[Episode], report: Report, lost: Mapping[EpisodeKey, int]) -> None:
        self.lost = lost
        self._episodes = episodes
        self._report = report
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._left_out: list[NavEvalError] = []
        self._stopped = False
        self._wish: Draining | None = None

    def next_episode(self) -> Episode | None:
        with self._lock:
            episode = None if self._error else next(self._episodes, None)
            if episode is not None and self._wish is not None:
                self._error, episode = self._wish, None
            if episode is not None:
                self._report.on_start(episode.key)
            return episode

    def deliver(self, result: EpisodeResult) -> None:
        with self._lock:
            if not self._stopped:
                self._report.on_result(result)

    def on_attempt(self, noted: Attempt) -> None:
        with self._lock:
            self._report.on_attempt(noted)

    def leave_out(self, error: NavEvalError) -> None:
        """An episode that cannot be played here and now; the others go on."""
        with self._lock:
            self._left_out.append(error)

    def stop(self, error: BaseException) -> None:
        """End now: nothing more is delivered."""
        with self._lock:
            self._stopped = True
            self._error = error

    def drain(self, wish: Draining) -> None:
        """Begin no more episodes; raised in the end if any is left."""
        self._wish = wish

    def stopped(self) -> bool:
        return self._stopped

    def fail(self, error: BaseException) -> None:
        """Begin no more episodes; what runs may end."""
        with self._lock:
            self._error = self._error or error

    def raise_first(self) -> None:
        if self._error is not None:
            raise self._error
        if self._left_out:
            first = self._left_out[0]
            raise type(first)(
                f"{first}\n{len(self._left_out)} of the episodes could not be played for such reasons; all others are "
                f"finished. Fix that, then {advice('go on with --resume', 'call it again')}; "
                f"a changed plug-in needs another {advice('--out', 'out')}."
            )


def make_room_for_files(count: int) -> None:
    """See to it that the process may open `count` more files: gRPC ends a process that runs out of them.

    Raises the soft limit if need be; raises ResourceExhausted where the hard one forbids that.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else FILES_AT_LEAST  # noqa: PTH112, PTH208
    wanted = open_now + count
    if soft == resource.RLIM_INFINITY or wanted <= soft:
        return
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise ResourceExhausted(
            f"{wanted} files may be open at a time, but the limit is {hard}: raise it (`ulimit -n {wanted}`), or lower "
            f"evaluation.parallel.sessions.{advice(' What is finished is safe; go on with --resume.', '')}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _start(thread: threading.Thread) -> None:
    try:
        thread.start()
    except RuntimeError as error:
        raise ResourceExhausted(f"{error}: lower evaluation.parallel.sessions.") from None
