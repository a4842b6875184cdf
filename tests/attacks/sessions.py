"""Sessions that are lost, never begin or never end; services that say odd things of themselves; clocks."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from attacks.arena import Trial
from attacks.attack import FAILS, FAILS_OR_ENDS, NEVER_READY, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_rest import Behaviour, Connection, Hostile, Reply, Request, answer, proper
from attacks.services import at, changed, rest
from patience import until

hasty = partial(rest, quick=True)
REPLAYS = 2
LOST = "unknown_session"
CODES = {
    LOST: 404,
    "busy": 503,
    "loading": 503,
    "draining": 503,
    "superseded": 409,
    "step_conflict": 409,
    "unauthorized": 401,
    "internal": 500,
    "invalid_action": 500,
    "too_large": 413,
    "unimplemented": 501,
}
INFOS: tuple[tuple[Expectation, dict[str, Any]], ...] = (
    (NEVER_READY, {"protocols": []}),
    (NEVER_READY, {"protocols": [99]}),
    (NEVER_READY, {"protocols": [2**63]}),
    (SURVIVES, {"protocols": list(range(100_000))}),
    (SURVIVES, {"max_sessions": 0}),
    (SURVIVES, {"max_sessions": -1}),
    (SURVIVES, {"max_sessions": 2**62}),
    (NEVER_READY, {"max_sessions": 1.5}),
    (NEVER_READY, {"max_sessions": "4"}),
    (SURVIVES, {"max_batch": -1}),
    (SURVIVES, {"content_types": []}),
    (SURVIVES, {"content_types": ["application/xml"]}),
    (SURVIVES, {"encodings": []}),
    (SURVIVES, {"encodings": ["pickle", "../../raw", "jpeg"] * 10_000}),
    (SURVIVES, {"sensors": [{"name": "rgb", "width": 10**9, "height": 10**9}]}),
    (SURVIVES, {"sensors": [{"name": "rgb", "width": -1, "height": -1}]}),
    (SURVIVES, {"sensors": [{"name": f"s{i}"} for i in range(20_000)]}),
    (SURVIVES, {"action_space": [f"a{i}" for i in range(50_000)]}),
    (UNHARMED, {"streaming": True}),
)


def problem(code: str) -> bytes:
    body = json.dumps({"code": code, "title": code, "status": CODES[code], "detail": "not today"}).encode()
    return answer(body, status=f"{CODES[code]} No", kind="application/problem+json")


def attacks() -> Iterator[Attack]:
    for number, code in enumerate(CODES):
        for call in in_turn(number, ("reset", "act", "info", "end"), ["act"]):
            expected = {"info": NEVER_READY, "end": SURVIVES}.get(call, FAILS_OR_ENDS)
            if (call, code) == ("info", "unimplemented"):
                expected = UNHARMED
            yield hasty(f"sessions/{call}/{code}", expected, at(call, lambda request, code=code: problem(code)))
    yield from _lost()
    yield from _health()
    parallel = ["evaluation.parallel.sessions=4", "dataset.limit=3"]
    for expected, fields in INFOS:
        yield rest(f"info/{json.dumps(fields)[:60]}", expected, at("info", changed(**fields)), overrides=parallel)
    yield from _clocks()
    yield from _many()
    yield from _signals()


def _lose_late(request: Request) -> Reply:
    return problem(LOST) if request.step else None


class Away:
    """Loses its session late, is away until the run ends, and is there for --resume."""

    def __init__(self) -> None:
        self._asked: int | None = None

    def __call__(self, request: Request) -> Reply:
        if request.call == "act" and request.step:
            self._asked = 0
            return problem(LOST)
        if request.call == "health" and self._asked is not None and self._asked < 60:
            self._asked += 1
            return answer({"status": "loading"}) if self._asked < 12 else None
        return None


def _lost() -> Iterator[Attack]:
    once = {"overrides": ["agent_service.episode_restarts=0"], "after": partial(_tries, granted=1)}
    granted = partial(_tries, granted=1 + REPLAYS)
    late = at("act", _lose_late)
    yield hasty("sessions/loses its session late, each time", FAILS, late, after=granted)
    yield hasty("sessions/loses it where no restart is granted", FAILS, late, **once)
    yield hasty("sessions/loses it and is there for --resume", FAILS_OR_ENDS, Away(), resumes=5, after=granted)
    yield hasty("sessions/the same where no restart is granted", FAILS_OR_ENDS, Away(), resumes=3, **once)
    resetting = at("act", lambda request: Connection.reset)
    yield hasty("sessions/drops every connection that asks for an action", FAILS_OR_ENDS, resetting)
    stop = ["agent_service.on_error=stop"]
    for code, text in ((LOST, problem(LOST)), ("busy", problem("busy")), ("agent", answer({"status": "no"}))):
        failing = at("act", lambda request, text=text: text)
        yield hasty(f"sessions/on_error=stop/{code}", FAILS_OR_ENDS, failing, overrides=stop)


def _tries(hostile: Hostile, trial: Trial, granted: int) -> list[str]:
    """Of the sessions that saw something: were asked for an action."""
    seen = len({request.fields.get("session_id") for request in hostile.asked if request.call == "act"})
    return [f"{seen} tries, {granted} granted"] * (seen > granted)


def _health() -> Iterator[Attack]:
    for status in ("loading", "draining", "READY", "", "ok", "ready ", "error"):
        expected = SURVIVES if status.strip() in ("ok", "ready") else NEVER_READY
        yield hasty(f"sessions/health/says {status!r} for ever", expected, at("health", changed(status=status)))
    turning = at("health", lambda request: answer({"status": ("loading", "ready")[request.number % 2]}))
    yield hasty("sessions/health/ready and loading in turn", SURVIVES, turning)
    yield hasty("sessions/health/ready once, and then never; loses every session", FAILS_OR_ENDS, _ready_once)


def _ready_once(request: Request) -> Reply:
    if request.call == "health" and request.number:
        return answer({"status": "loading"})
    return problem(LOST) if request.call == "act" else None


def _clocks() -> Iterator[Attack]:
    """Of QUICK, 1 s is granted for an action, 1.5 s for a reset."""
    for seconds in (0.90, 0.97, 0.99, 1.0, 1.01, 1.03, 1.10):
        yield hasty(f"clock/act/answers after {seconds:.2f} s", SURVIVES, _after(seconds, "act"))
        yield hasty(f"clock/act/ends after {seconds:.2f} s", SURVIVES, _after(seconds, "act", part=5))
    for seconds in (1.4, 1.5, 1.6):
        for call in ("reset", "info"):
            yield hasty(f"clock/{call}/answers after {seconds} s", SURVIVES, _after(seconds, call))
    yield hasty("clock/act/answers after 4 s", FAILS, _after(4.0, "act"))
    turning, limit = _after(0.5, "act", action="turn_left"), ["agent_service.deadlines.episode=3"]
    yield hasty("clock/each answer in time, the episode never ends", FAILS, turning, overrides=limit)


def _after(seconds: float, call: str, *, part: int = 0, **fields: Any) -> Behaviour:
    """The answer comes so late, or only its last bytes, `part` of them."""

    def reply(request: Request) -> Reply:
        def play(connection: Connection) -> None:
            whole = answer(proper(request) | fields)
            if part:
                connection.send(whole[:-part])
            connection.hang(seconds)
            connection.send(whole[-part:])

        return play

    return at(call, reply)


def _many() -> Iterator[Attack]:
    hang = at("act", lambda request: Connection.hang)
    texts = at("act", changed(action="\x1b[31m\n" + "Q" * 1000))
    for name, overrides in {
        "sessions": ["evaluation.parallel.sessions=4", "dataset.limit=4"],
        "workers": ["evaluation.parallel.workers=2", "dataset.limit=2"],
        "workers-sessions": ["evaluation.parallel.workers=2", "evaluation.parallel.sessions=2", "dataset.limit=4"],
    }.items():
        for what, behaviour in (("hangs", hang), ("hostile texts", texts)):
            yield hasty(f"many/{name}/{what}", FAILS_OR_ENDS, behaviour, overrides=overrides, bound=40.0)


def _signals() -> Iterator[Attack]:
    """The slot at a service must be free soon after a run was told to end."""
    hang = at("act", lambda request: Connection.hang)
    for number, exit_code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        for what, behaviour in (("act", _after(0.2, "act", action="turn_left")), ("act-hang", hang)):
            expected = Expectation(f"exit {exit_code}, the slot is freed", frozenset({exit_code}))
            told = partial(_signal, number=number)
            yield rest(f"signals/{number.name}/{what}", expected, behaviour, meanwhile=told, after=_freed)


def _signal(hostile: Hostile, pid: Path, number: int) -> None:
    until(lambda: hostile.count("act"), "the first request for an action")
    time.sleep(0.5)
    os.kill(int(pid.read_text()), number)


def _freed(hostile: Hostile, trial: Trial) -> list[str]:
    return [] if hostile.count("end") else ["the service was never told that the episode had ended"]
