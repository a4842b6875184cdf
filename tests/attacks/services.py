"""From a behaviour to an attack on `nav-eval run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from attacks.arena import BOUND, PATIENT, QUICK, Arena, Trial
from attacks.attack import Attack, Expectation, Outcome
from attacks.raw_rest import Behaviour, Reply, Request, rest_service

Serve = Callable[[], AbstractContextManager[Any]]
After = Callable[[Any, Trial], list[str]]
"""(the service, what was run) -> what else is wrong."""


def attack(
    name: str,
    what: str,
    expected: Expectation,
    serve: Serve,
    *,
    wire: str,
    quick: bool = False,
    overrides: Sequence[str] = (),
    resumes: int = 0,
    bound: float = BOUND,
    after: After | None = None,
    then: Sequence[str] = (),
    meanwhile: Callable[[Any, Path], None] | None = None,
) -> Attack:
    """`quick`: short deadlines, for services that do not answer; `resumes`: how often the run is resumed; `then`:
    commands on the run directory afterwards."""

    def carry_out(arena: Arena) -> Outcome:
        with serve() as hostile:
            sandbox = arena.sandbox(name)
            protocol = "rest" if wire == "rest" else "grpc"
            form = {"rest": "json", "grpc": "unary", "stream": "stream"}[wire]
            where = [f"agent_service.protocol={protocol}", f"agent_service.endpoint={hostile.endpoint}"]
            encoding = [f"agent_service.encoding={form}", "agent_service.retries=1"]
            command = arena.command([*where, *encoding, *overrides], sandbox / "run", QUICK if quick else PATIENT)
            commands = [command, *[[*command, "--resume"]] * resumes]
            commands += [[one, str(sandbox / "run"), "--out", str(sandbox / one)] for one in then]
            told = partial(meanwhile, hostile) if meanwhile else None
            trial = arena.run(commands, name=name, protocol=protocol, sandbox=sandbox, bound=bound, meanwhile=told)
            outcome = arena.judged(trial, expected, bound=bound, runs=1 + resumes)
            outcome.findings += [f"{len(hostile.trapped)} connections to where it redirected"] * bool(hostile.trapped)
            outcome.findings += after(hostile, trial) if after else []
        return outcome

    return Attack(name, wire, what, expected, carry_out)


def rest(name: str, what: str, expected: Expectation, behaviour: Behaviour, **options: Any) -> Attack:
    return attack(f"rest/{name}", what, expected, lambda: rest_service(behaviour), wire="rest", **options)


def at(call: str, reply: Callable[[Request], Reply], *, first: int = 0, last: int = 1 << 30) -> Behaviour:
    """`reply` to the requests of `call` that are counted `first` to `last`, and properly to all others."""

    def behaviour(request: Request) -> Reply:
        chosen = request.call == call and first <= request.number <= last
        return reply(request) if chosen else None

    return behaviour
