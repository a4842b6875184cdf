"""Sessions that are lost, never begin or never end; services that say odd things of themselves; clocks."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from attacks.arena import Trial
from attacks.attack import FAILS, FAILS_OR_ENDS, NEVER_READY, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_rest import Behaviour, Connection, Hostile, Reply, Request, answer, proper
from attacks.services import at, rest

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
SECONDS = 1.0
"""What QUICK grants for an action."""


def problem(code: str) -> bytes:
    body = json.dumps({"code": code, "title": code, "status": CODES[code], "detail": "not today"}).encode()
    return answer(body, status=f"{CODES[code]} No", kind="application/problem+json")


def attacks() -> Iterator[Attack]:
    for number, code in enumerate(CODES):
        for call in in_turn(number, ("reset", "act", "info", "end"), ["act"]):
            expected = {"info": NEVER_READY, "end": SURVIVES}.get(call, FAILS_OR_ENDS)
            if (call, code) == ("info", "unimplemented"):
                expected = UNHARMED
            refusing = at(call, lambda request, code=code: problem(code))
            yield hasty(f"sessions/{call}/{code}", f"{code} without end", expected, refusing)
    yield from _lost()
    yield from _health()
    yield from _infos()
    yield from _clocks()
    yield from _many()
    yield from _signals()


def _lost() -> Iterator[Attack]:
    late = at("act", lambda request: problem(LOST) if request.step else None)
    yield hasty("sessions/lose-late", "loses its session late, each time", FAILS, late, after=_tries)

    def then_loading(request: Request) -> Reply:
        if request.call == "act" and request.step:
            return problem(LOST)
        return None

    def loading_after_loss(lost: dict[str, int]) -> Behaviour:
        def behaviour(request: Request) -> Reply:
            if request.call == "act" and request.step:
                lost["count"], lost["asked"] = lost.get("count", 0) + 1, 0
                return problem(LOST)
            if request.call == "health" and lost.get("count") and lost["asked"] < 60:
                lost["asked"] += 1
                loading = lost["asked"] < 12
                return answer({"status": "loading"}) if loading else None
            return None

        return behaviour

    yield hasty(
        "sessions/lose-and-resume",
        "loses its session late, is away until the run ends, and is there for --resume",
        FAILS_OR_ENDS,
        loading_after_loss({}),
        resumes=5,
        after=_tries,
    )
    yield hasty(
        "sessions/lose-and-resume-0",
        "the same where no restart is granted",
        FAILS_OR_ENDS,
        loading_after_loss({}),
        resumes=3,
        overrides=["agent_service.episode_restarts=0"],
        after=_one_try,
    )
    yield hasty(
        "sessions/lose-0",
        "loses it where no restart is granted",
        FAILS,
        at("act", then_loading),
        overrides=["agent_service.episode_restarts=0"],
        after=_one_try,
    )
    yield hasty(
        "sessions/reset-each-act",
        "drops every connection that asks for an action",
        FAILS_OR_ENDS,
        at("act", lambda request: Connection.reset),
    )
    for code in (LOST, "busy", "agent"):
        text = problem(code) if code in CODES else answer({"status": "no"})
        yield hasty(
            f"sessions/stop-{code}",
            "fails where the organiser said on_error=stop",
            FAILS_OR_ENDS,
            at("act", lambda request, text=text: text),
            overrides=["agent_service.on_error=stop"],
        )


def _seen(hostile: Hostile) -> int:
    """How many sessions saw something: were asked for an action."""
    return len({request.fields.get("session_id") for request in hostile.asked if request.call == "act"})


def _tries(hostile: Hostile, trial: Trial) -> list[str]:
    return [f"{_seen(hostile)} tries, {1 + REPLAYS} are granted"] * (_seen(hostile) > 1 + REPLAYS)


def _one_try(hostile: Hostile, trial: Trial) -> list[str]:
    return [f"{_seen(hostile)} tries, 1 is granted"] * (_seen(hostile) > 1)


def _health() -> Iterator[Attack]:
    def saying(status: str) -> Behaviour:
        return at("health", lambda request: answer({"status": status}))

    for status in ("loading", "draining", "READY", "", "ok", "ready ", "error"):
        what = f"says {status!r} for ever"
        expected = SURVIVES if status.strip() in ("ok", "ready") else NEVER_READY
        yield hasty(
            f"sessions/health/{status.strip() or 'empty'}{'-' * (status != status.strip())}",
            what,
            expected,
            saying(status),
        )
    yield hasty(
        "sessions/health/flapping",
        "ready and loading in turn",
        SURVIVES,
        at("health", lambda request: answer({"status": ("loading", "ready")[request.number % 2]})),
    )
    yield hasty(
        "sessions/health/ready-once",
        "ready once, and then never; loses every session",
        FAILS_OR_ENDS,
        lambda request: (
            answer({"status": "loading"})
            if request.call == "health" and request.number
            else problem(LOST)
            if request.call == "act"
            else None
        ),
    )


def _infos() -> Iterator[Attack]:
    said: dict[str, tuple[dict[str, Any], Expectation]] = {
        "no-protocol": ({"protocols": []}, NEVER_READY),
        "protocol-99": ({"protocols": [99]}, NEVER_READY),
        "protocol-vast": ({"protocols": [2**63]}, NEVER_READY),
        "protocols-many": ({"protocols": list(range(100_000))}, SURVIVES),
        "sessions-0": ({"max_sessions": 0}, SURVIVES),
        "sessions-negative": ({"max_sessions": -1}, SURVIVES),
        "sessions-vast": ({"max_sessions": 2**62}, SURVIVES),
        "sessions-float": ({"max_sessions": 1.5}, NEVER_READY),
        "sessions-text": ({"max_sessions": "4"}, NEVER_READY),
        "batch-negative": ({"max_batch": -1}, SURVIVES),
        "no-content-types": ({"content_types": []}, SURVIVES),
        "only-xml": ({"content_types": ["application/xml"]}, SURVIVES),
        "no-encodings": ({"encodings": []}, SURVIVES),
        "strange-encodings": ({"encodings": ["pickle", "../../raw", "jpeg"] * 10_000}, SURVIVES),
        "sensor-vast": ({"sensors": [{"name": "rgb", "width": 10**9, "height": 10**9}]}, SURVIVES),
        "sensor-negative": ({"sensors": [{"name": "rgb", "width": -1, "height": -1}]}, SURVIVES),
        "sensors-many": ({"sensors": [{"name": f"s{i}"} for i in range(20_000)]}, SURVIVES),
        "actions-many": ({"action_space": [f"a{i}" for i in range(50_000)]}, SURVIVES),
        "streaming-over-rest": ({"streaming": True}, UNHARMED),
    }
    parallel = ["evaluation.parallel.sessions=4", "dataset.limit=3"]
    for name, (fields, expected) in said.items():
        reply: Callable[[Request], Reply] = lambda request, fields=fields: answer(proper(request) | fields)  # noqa: E731
        yield rest(f"info/{name}", f"info: {json.dumps(fields)[:60]}", expected, at("info", reply), overrides=parallel)


def _clocks() -> Iterator[Attack]:
    def after(seconds: float, call: str, *, half: bool = False) -> Behaviour:
        def reply(request: Request) -> Reply:
            def play(connection: Connection) -> None:
                whole = answer(proper(request))
                if half:
                    connection.send(whole[:-5])
                connection.hang(seconds)
                connection.send(whole[-5:] if half else whole)

            return play

        return at(call, reply)

    for seconds in (0.90, 0.97, 0.99, 1.0, 1.01, 1.03, 1.10):
        name, what = f"clock/act-{seconds:.2f}", f"answers {seconds:g} s after the question, {SECONDS:g} s are granted"
        yield hasty(name, what, SURVIVES, after(seconds, "act"))
        what = f"the last five bytes come {seconds:g} s after the question"
        yield hasty(f"clock/half-{seconds:.2f}", what, SURVIVES, after(seconds, "act", half=True))
    for seconds in (1.4, 1.5, 1.6):
        yield hasty(f"clock/reset-{seconds}", "answers reset at its deadline", SURVIVES, after(seconds, "reset"))
        yield hasty(f"clock/info-{seconds}", "answers info at its deadline", SURVIVES, after(seconds, "info"))
    yield hasty("clock/late-3", "answers 3 s late", FAILS, after(4.0, "act"))
    turning = at("act", lambda request: _slowly(request, 0.5))
    yield hasty(
        "clock/episode",
        "each answer in time, the episode never ends",
        FAILS,
        turning,
        overrides=["agent_service.deadlines.episode=3"],
    )


def _slowly(request: Request, seconds: float) -> Reply:
    def play(connection: Connection) -> None:
        connection.hang(seconds)
        connection.send(answer(proper(request) | {"action": "turn_left"}))

    return play


def _many() -> Iterator[Attack]:
    hang = at("act", lambda request: Connection.hang)
    for name, overrides in {
        "sessions": ["evaluation.parallel.sessions=4", "dataset.limit=4"],
        "workers": ["evaluation.parallel.workers=2", "dataset.limit=2"],
        "workers-sessions": ["evaluation.parallel.workers=2", "evaluation.parallel.sessions=2", "dataset.limit=4"],
    }.items():
        yield hasty(f"many/{name}/hang", f"hangs in all {name}", FAILS_OR_ENDS, hang, overrides=overrides, bound=40.0)
        yield hasty(
            f"many/{name}/texts",
            f"hostile texts in all {name}",
            FAILS_OR_ENDS,
            at("act", lambda request: answer(proper(request) | {"action": "\x1b[31m\n" + "Q" * 1000})),
            overrides=overrides,
            bound=40.0,
        )


def _signals() -> Iterator[Attack]:
    """The slot at a service must be free soon after a run was told to end."""
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        for call, reply in (
            ("act", lambda request: _slowly(request, 0.2)),
            ("act-hang", lambda request: Connection.hang),
        ):
            expected = Expectation(f"exit {code}, the slot is freed", frozenset({code}))
            yield rest(
                f"signals/{number.name.lower()}/{call}",
                f"{number.name} while {call}",
                expected,
                at("act", reply),
                meanwhile=lambda hostile, pid, number=number: _signal(hostile, pid, number),
                after=_freed,
            )


def _signal(hostile: Hostile, pid: Path, number: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and not hostile.count("act"):
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(int(pid.read_text()), number)


def _freed(hostile: Hostile, trial: Trial) -> list[str]:
    return [] if hostile.count("end") else ["the service was never told that the episode had ended"]
