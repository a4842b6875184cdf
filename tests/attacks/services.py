"""From a behaviour of a service to an attack on `nav-eval run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from attacks.arena import BOUND, PATIENT, QUICK, Arena, Trial
from attacks.attack import Attack, Expectation, Outcome
from attacks.raw_grpc import Answer, grpc_service
from attacks.raw_rest import Behaviour, Reply, Request, answer, proper, rest_service

Serve = Callable[[], AbstractContextManager[Any]]
After = Callable[[Any, Trial], list[str]]
"""(the service, what was run) -> what else is wrong."""
Given = TypeVar("Given", bound=Callable[..., Any])


def attack(
    name: str,
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
            commands += [[one, str(sandbox / "run"), "--out", f"{sandbox}/{one}.html"] for one in then]
            told = partial(meanwhile, hostile) if meanwhile else None
            trial = arena.run(commands, protocol=protocol, sandbox=sandbox, bound=bound, meanwhile=told)
            outcome = arena.judged(trial, expected, bound=bound, runs=1 + resumes)
            outcome.findings += [f"{len(hostile.trapped)} connections to where it redirected"] * bool(hostile.trapped)
            outcome.findings += after(hostile, trial) if after else []
        return outcome

    return Attack(name, wire, expected, carry_out)


def rest(name: str, expected: Expectation, behaviour: Behaviour, **options: Any) -> Attack:
    return attack(f"rest/{name}", expected, lambda: rest_service(behaviour), wire="rest", **options)


def served(name: str, expected: Expectation, call: str, said: Answer, **options: Any) -> Attack:
    """`said` to every request of `call`."""
    return attack(f"grpc/{name}", expected, lambda: grpc_service(at(call, said)), wire=wire_of(call), **options)


def wire_of(call: str) -> str:
    return "stream" if call == "Session" else "grpc"


def at(call: str, reply: Given, *, last: int = 1 << 30) -> Given:
    """`reply` to the requests of `call` up to that which is counted `last`, and properly to all others."""

    def behaviour(request: Any, *context: Any) -> Any:
        return reply(request, *context) if request.call == call and request.number <= last else None

    return behaviour  # type: ignore[return-value]


def changed(**fields: Any) -> Callable[[Request], Reply]:
    """The proper answer with other values of those fields."""
    return lambda request: answer(proper(request) | fields)
