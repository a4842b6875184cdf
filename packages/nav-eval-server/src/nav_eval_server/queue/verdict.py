"""What becomes of a submission when an attempt has ended: a pure function of how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from nav_eval_server.challenge import Challenge
from nav_eval_server.images import ImageFault
from nav_eval_server.queue.files import PREDICTIONS
from nav_eval_server.queue.states import State

Outcome = Literal["played", "not_ready", "interrupted", "unable", "yielded", "stopped", "lost", ImageFault]
"""played: the evaluator has ended with `rc`; not_ready: the service was not; interrupted: the worker was told to end;
unable: the worker's machine has no room, or no engine for it;
yielded: we told it to give this one up at an episode's end (queue.turns);
stopped: we told it to end this one; lost: it was silent, and only we say so;
ImageFault: the team's image is at fault."""
BACKOFF = timedelta(seconds=10)
"""Before a second attempt that follows a crash; the first follows at once."""
UNABLE_WAIT, MAX_UNABLE = timedelta(minutes=5), 20
"""Before another worker, or the same one, is asked again; so many times in all."""
INPUT = 2
"""The evaluator's exit code for a fault in configuration or data, which every other attempt would meet again."""
SIMULATOR = "the simulator at "
"""How the evaluator's message begins where exit code 3 tells of our own simulator, not of the team's service."""
MISCONFIGURED: Literal["misconfigured"] = "misconfigured"


@dataclass(frozen=True)
class Ending:
    """What a worker tells of an attempt. `message`: the evaluator's last one; `manifest`: its manifest's SHA-256."""

    outcome: Outcome
    rc: int | None = None
    message: str = ""
    manifest: str = ""


@dataclass(frozen=True)
class Next:
    """The state to go to. `strike`: it brought nothing, and not through the team's fault."""

    state: State
    why: str = ""
    detail: str = ""
    retry_at: datetime | None = None
    unready_since: datetime | None = None
    strike: bool = False


@dataclass(frozen=True)
class Case:
    """A submission as far as the verdict needs it. `complete`: every episode is played and every file is proved.

    `unable`: for how many attempts a worker's machine was not.
    """

    kind: str
    unready_since: datetime | None
    strikes: int
    complete: bool
    unable: int = 0


def judge(challenge: Challenge, case: Case, ending: Ending, now: datetime) -> Next:
    if ending.outcome in ("interrupted", "yielded", "stopped"):
        return Next(State.QUEUED, retry_at=now)
    if ending.outcome == "unable":
        ended = case.unable >= MAX_UNABLE
        return Next(State.FAILED, "crashed") if ended else Next(State.QUEUED, retry_at=now + UNABLE_WAIT)
    if ending.outcome in get_args(ImageFault):
        return Next(State.FAILED, ending.outcome, ending.message)
    said = ending.message.removeprefix("nav-eval: ")
    silent = ending.outcome == "played" and ending.rc == 3 and not said.startswith(SIMULATOR)
    if ending.outcome == "not_ready" or silent:
        return _unready(challenge, case, now)
    if ending.outcome == "played" and ending.rc in (0, 1) and case.complete:
        return Next(State.DONE)
    if case.kind == "predictions" and ending.rc == INPUT and said.startswith(PREDICTIONS):
        return Next(State.FAILED, "bad_file", said.partition("\n")[0])
    if ending.outcome == "played" and ending.rc == INPUT:
        return Next(State.FAILED, MISCONFIGURED)
    return _after_crash(challenge, case, now)


def _unready(challenge: Challenge, case: Case, now: datetime) -> Next:
    since = case.unready_since or now
    if now >= since + timedelta(seconds=challenge.endpoints.wait_seconds):
        return Next(State.FAILED, "service_silent", unready_since=since)
    again = now + timedelta(seconds=challenge.endpoints.retry_seconds)
    return Next(State.WAITING_SERVICE, retry_at=again, unready_since=since)


def _after_crash(challenge: Challenge, case: Case, now: datetime) -> Next:
    if case.strikes + 1 >= challenge.queue.strikes:
        return Next(State.FAILED, "crashed", strike=True)
    return Next(State.QUEUED, retry_at=now + BACKOFF * case.strikes, strike=True)
