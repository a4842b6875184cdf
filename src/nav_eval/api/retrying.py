"""A transport that tries again."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from nav_eval_sdk.errors import RETRYABLE, BadAnswer, DeadlineMissed, Refused, Unreachable, WireError
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.transport.base import Ask, Deadline, Transport

if TYPE_CHECKING:
    from nav_eval.api.settings import Retry

BROKEN = (Unreachable, BadAnswer)
UNEXPLAINED = {"internal": 1}
"""Code -> how often a service that says it is asked again; a proxy's bare 500 or gRPC's UNKNOWN reads as this."""
R = TypeVar("R")
A = TypeVar("A")


class Retrying(Transport):
    """The same request again, with the same request_id, so that the service can tell; never beyond the deadline.

    A connection that breaks counts as an attempt, and so does an answer that is none or belongs to another request (it
    was repeated on the way, or garbled); a service that says it is loading or busy may be asked on, and one that failed
    without saying why (a bare HTTP 500) once more. A service's Retry-After makes the pause longer.
    """

    def __init__(self, inner: Transport, retry: Retry) -> None:
        self._inner = inner
        self.json = inner.json
        self._retry = retry

    def info(self, deadline: Deadline) -> Info:
        return self._through("info", lambda _, limit: self._inner.info(limit), None, deadline)

    def health(self, deadline: Deadline) -> ServiceStatus:
        return self._through("health", lambda _, limit: self._inner.health(limit), None, deadline)

    def validate(self, data: EpisodeData | None, deadline: Deadline) -> Validation:
        return self._through("validate", self._inner.validate, data, deadline)

    def reset(self, data: EpisodeData, deadline: Deadline) -> InitialObservation:
        return self._through("reset", self._inner.reset, data, deadline)

    def act(self, ask: Ask, deadline: Deadline) -> Action:
        return self._through("act", self._inner.act, ask, deadline)

    def end(self, data: EpisodeEnd, deadline: Deadline) -> EndStatus:
        return self._through("end", self._inner.end, data, deadline)

    def drop(self) -> None:
        self._inner.drop()

    def _through(self, name: str, call: Callable[[A, Deadline], R], message: A, deadline: Deadline) -> R:
        failures: Counter[str] = Counter()
        pause = self._retry.pause
        while True:
            try:
                return call(message, deadline)
            except WireError as error:
                kind = error.problem.code if isinstance(error, Refused) else type(error).__name__
                failures[kind] += 1
                if failures[kind] > self._most(error) or not _pause(max(pause, error.after), deadline):
                    raise
            pause = min(2 * pause, self._retry.longest_pause)

    def _most(self, error: WireError) -> float:
        """How many failures of this kind may be followed by another attempt."""
        if isinstance(error, BROKEN):
            return self._retry.attempts
        if not isinstance(error, Refused):
            return 0
        return math.inf if error.problem.code in RETRYABLE else UNEXPLAINED.get(error.problem.code, 0)


def _pause(seconds: float, deadline: Deadline) -> bool:
    """Wait; False if there is no time left for that."""
    try:
        left = deadline.remaining()
    except DeadlineMissed:
        return False
    if left is not None and left <= seconds:
        return False
    time.sleep(seconds)
    return True
