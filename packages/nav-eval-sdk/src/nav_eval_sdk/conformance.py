"""Does a service keep the protocol? Synthetic episodes over either wire, and a list of what is wrong.

The checks ask for what both ends must keep: exactly-once decisions, answers that name what they answer, health while
the model thinks, as many sessions as are promised, errors without stack traces.
"""

from __future__ import annotations

import http.client
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from nav_eval_sdk.client import TestClient, synthetic_episode
from nav_eval_sdk.errors import Refused, Unreachable, WireError
from nav_eval_sdk.protocol.actions import ACTIONS, DISCRETE, ActionFault, chunk_fault
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import (
    Action,
    ActionSpec,
    EpisodeData,
    Info,
    ListSpec,
    NumberSpec,
    Spec,
    StructSpec,
    TensorSpec,
    TextSpec,
)
from nav_eval_sdk.protocol.version import MSGPACK, PROTOCOL_VERSION
from nav_eval_sdk.transport.base import PLAIN_SERVICE, STATUSES, Ask, ClientTls, Endpoint

log = logging.getLogger(__name__)

HEALTH_SECONDS = 2.0
LOADING = "loading"
POLL_SECONDS = 0.25
CHUNK = 4
USUAL = ("rgb", "depth", "instruction", "gps", "compass", "pointgoal", "objectgoal")
"""Sent to every service, whether it names them or not: few agents name the small ones that they read."""
PLAIN = (
    "is not offered, so the specification's three calls are checked, no more. A step whose answer is lost is asked of "
    "the agent again: see 'Exactly once' in docs/reference/rest.md."
)
KEEPS = "The service keeps to the protocol."
PLAYS = "The service plays; without protection against lost answers."


@dataclass(frozen=True)
class Finding:
    """One check and what came of it; `detail` is empty if all is well. `reached`: whether anybody answered at all.

    `plain`: the service offers no more than the specification asks for, which `detail` tells and is no fault.
    """

    check: str
    detail: str = ""
    reached: bool = True
    plain: bool = False

    @property
    def ok(self) -> bool:
        return self.plain or not self.detail


@dataclass(frozen=True)
class Target:
    """The service under test."""

    endpoint: str
    wire: str = "rest-json"
    token: str | None = None
    tls: ClientTls | None = None
    timeout: float = Deadlines.act

    def client(self) -> TestClient:
        return TestClient(self.endpoint, wire=self.wire, token=self.token, tls=self.tls, timeout=self.timeout)


def check(
    target: Target, *, steps: int = 5, episodes: int = 2, own_actions: Mapping[str, ActionSpec] | None = None
) -> Iterator[Finding]:
    """Findings, one by one as they are made; stops early if nobody answers. `own_actions`: those of a task's own."""
    client = target.client()
    try:
        info = client.info()
        if info is PLAIN_SERVICE:
            client.health()  # without it this is no service of the specification, whatever it is
        _await_loaded(client)
    except WireError as error:
        yield Finding("info", f"{str(error).rstrip('.')}. {_way_in(error, target)}".rstrip(), reached=False)
        return
    finally:
        client.close()
    given = Check(target, info, suitable_episode(info, own_actions), steps, episodes)
    yield from _plain(given) if given.plain else _check_declaration(given)


def _await_loaded(client: TestClient) -> None:
    """As an evaluation would wait. What is wrong with `health` is told by a check of its own."""
    until = time.monotonic() + Deadlines.ready
    with suppress(WireError):
        status = client.health().status
        if status == LOADING:
            log.info("The service is loading: waiting for it, at most %g s.", Deadlines.ready)
        while status == LOADING and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            status = client.health().status


def _check_declaration(given: Check) -> Iterator[Finding]:
    yield Finding("info", _info_fault(given.info))
    if not _is_supported(given.target.wire, given.info):
        yield Finding("is not offered")
        return
    for name, run in CHECKS.items():
        yield _run(name, run, given)


def _plain(given: Check) -> Iterator[Finding]:
    """What the specification's document asks for, and no more."""
    if not _is_supported(given.target.wire, given.info):
        yield Finding("is not offered", plain=True)
        return
    yield Finding("info", PLAIN, plain=True)
    yield _run("health", health, given)
    yield _run("plays episodes", plays_episodes, given)


def verdict(findings: Sequence[Finding]) -> str:
    """What they say of the service, in a sentence."""
    faults = sum(not finding.ok for finding in findings)
    if faults:
        return f"{faults} fault{'s' * (faults > 1)}."
    return PLAYS if any(finding.plain for finding in findings) else KEEPS


@dataclass(frozen=True)
class Check:
    """What a check is given."""

    target: Target
    info: Info
    episode: EpisodeData
    steps: int
    episodes: int

    @property
    def plain(self) -> bool:
        return self.info is PLAIN_SERVICE

    def observation(self, seed: int = 0) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        return {name: spec.sample(rng) for name, spec in self.episode.observation_spec.items()}

    def seeded(self, seed: int) -> EpisodeData:
        return msgspec.structs.replace(self.episode, seed=seed, episode_id=f"synthetic-{seed}")


def _run(name: str, run: Callable[[Check, TestClient], str], given: Check) -> Finding:
    client = given.target.client()
    try:
        return Finding(name, run(given, client))
    except WireError as error:
        return Finding(name, f"{type(error).__name__}: {error}")
    finally:
        _end(client)


def _end(client: TestClient) -> None:
    with suppress(WireError):  # the check itself has told what is wrong
        client.end("check")
    client.close()


def _info_fault(info: Info) -> str:
    if PROTOCOL_VERSION not in info.protocols:
        return f"speaks protocol {list(info.protocols)}, not {PROTOCOL_VERSION}."
    if info.max_sessions < 1 or info.max_batch < 1:
        return "max_sessions and max_batch must be at least 1."
    return "" if info.name else "gives no name."


def _way_in(error: WireError, target: Target) -> str:
    """What may help where /info gave no answer."""
    code = error.problem.code if isinstance(error, Refused) else ""
    if code == "unauthorized":
        return "Give the service's token: --token-file FILE."
    if code == "unimplemented":
        return ""
    name, other = ("gRPC", "grpc") if target.wire.startswith("rest") else ("REST", "rest")
    if "reset by peer" in str(error) and not target.tls:
        return f"Something listens there: if it uses TLS, add --ca FILE; if it speaks {name}, --protocol {other}."
    tls = "" if target.tls else "; if it uses TLS, --ca FILE"
    return f"Is the service running at {target.endpoint}? If it speaks {name}, add --protocol {other}{tls}."


def _is_supported(wire: str, info: Info) -> bool:
    """Only the plainest form of a wire must be there; /info tells of the other."""
    return {"rest-msgpack": MSGPACK in info.content_types, "grpc-stream": info.streaming}.get(wire, True)


def suitable_episode(info: Info, own_actions: Mapping[str, ActionSpec] | None = None) -> EpisodeData:
    """A synthetic episode with the sensors and actions that the service wants."""
    own = own_actions or {}
    names = info.action_space or (*DISCRETE, *own)
    actions = {name: own.get(name) or ACTIONS.get(name, ActionSpec()) for name in names}
    sizes = dict.fromkeys(USUAL, (64, 48))
    sizes |= {wish.name: (wish.width or 64, wish.height or 48) for wish in info.sensors}
    return synthetic_episode({name: usual_spec(name, *size) for name, size in sizes.items()}, actions)


def usual_spec(name: str, width: int, height: int) -> Spec:
    """What the evaluator sends as the built-in sensor of this name; any other name is a colour picture."""
    numbers: dict[str, Spec] = {part: NumberSpec() for part in ("heading", "elevation", "distance")}
    node = TextSpec(is_node=True)
    thing: dict[str, Spec] = {"id": NumberSpec(low=0), "category": TextSpec(), "pixels": NumberSpec(low=1)}
    known: Mapping[str, Spec] = {
        "depth": TensorSpec(shape=(height, width, 1), dtype="float32", low=0.0, high=10.0, unit="m"),
        "semantic": TensorSpec(shape=(height, width), dtype="int32"),
        "gps": TensorSpec(shape=(2,), dtype="float32", unit="m"),
        "compass": TensorSpec(shape=(1,), dtype="float32", unit="rad"),
        "heading": TensorSpec(shape=(1,), dtype="float32", unit="rad", low=-4.0, high=4.0),
        "pointgoal": TensorSpec(shape=(2,), dtype="float32", unit="m, rad"),
        "objectgoal": TextSpec(),
        "collision": TensorSpec(shape=(1,), dtype="uint8", low=0, high=1),
        "proximity": TensorSpec(shape=(1,), dtype="float32", unit="m", low=0.0, high=2.0),
        "viewpoint": node,
        "instruction": StructSpec(
            parts={"text": TextSpec(), "tokens": ListSpec(item=TextSpec()), "language": TextSpec()}
        ),
        "objects": ListSpec(item=StructSpec(parts=thing)),
        "navigable": ListSpec(item=StructSpec(parts=numbers | {"viewpoint": node})),
    }
    return known.get(name) or TensorSpec(shape=(height, width, 3), dtype="uint8", low=0, high=255)


def health(given: Check, client: TestClient) -> str:
    status = client.health().status
    return "" if status in STATUSES else f"status {status!r} is not ready, loading or draining."


def validate(given: Check, client: TestClient) -> str:
    client.validate()
    answer = client.validate(given.episode)
    return "" if answer.ok else f"an episode made after /info is turned down: {'; '.join(answer.reasons)[:300]}"


def plays_episodes(given: Check, client: TestClient) -> str:
    for number in range(given.episodes):
        client.reset(given.seeded(number))
        for step in range(given.steps):
            action = client.act(given.observation(step))
            if fault := _fault(given, action, 1):
                return f"step {step}: {fault}"
            if not given.plain and (action.session_id, action.step, action.request_id) == (None, None, None):
                return "an answer does not say which session, step and request it answers."
            if action.action == "stop":
                break
        client.end()
    return ""


def plays_chunks(given: Check, client: TestClient) -> str:
    """Where several actions may be answered at once, an agent may answer one; but what it answers must hold."""
    episode = given.seeded(0)
    limits = msgspec.structs.replace(episode.limits, max_chunk=CHUNK)
    client.reset(msgspec.structs.replace(episode, limits=limits))
    for step in range(given.steps):
        action = client.act(given.observation(step))
        if fault := _fault(given, action, CHUNK):
            return f"max_chunk {CHUNK}, answer {step}: {fault}"
        if "stop" in {name for name, _ in action.parts(CHUNK)}:
            break
    return ""


def _fault(given: Check, action: Action, most: int) -> str:
    """What is wrong with an answer of at most so many actions."""
    try:
        return chunk_fault(given.episode.action_space, action.parts(most)) or ""
    except ActionFault as fault:
        return str(fault)


def decides_once(given: Check, client: TestClient) -> str:
    client.reset(given.episode)
    ask = client.ask(given.observation())
    first, second = (client.transport.act(ask, client.deadline()) for _ in range(2))
    return "" if first == second else "the same request sent twice got two answers: the agent was asked twice."


def keeps_the_order(given: Check, client: TestClient) -> str:
    client.reset(given.episode)
    ask = msgspec.structs.replace(client.ask(given.observation()), step=5)
    return _refusal(lambda: client.transport.act(ask, client.deadline()), "step 5 was decided before step 0")


def knows_its_sessions(given: Check, client: TestClient) -> str:
    client.reset(given.episode)
    ask = msgspec.structs.replace(client.ask(given.observation()), session_id="never-begun")
    return _refusal(lambda: client.transport.act(ask, client.deadline()), "a session that was never begun was answered")


def resets_once(given: Check, client: TestClient) -> str:
    """A reset sent again must not take a second session."""
    episode = client.reset(given.episode)
    client.transport.reset(episode, client.deadline())
    client.act(given.observation())
    return ""


def _refusal(call: Callable[[], object], fault: str) -> str:
    try:
        call()
    except Refused as refused:
        return "a refusal shows a stack trace." if "Traceback" in str(refused.problem) else ""
    return f"{fault}."


def answers_health_while_thinking(given: Check, client: TestClient) -> str:
    client.reset(given.episode)
    ask = client.ask(given.observation())
    thinking = threading.Thread(target=_let_think, args=(client, ask), daemon=True)
    other = given.target.client()
    thinking.start()
    begun = time.monotonic()
    try:
        other.health()
    finally:
        other.close()
        thinking.join(given.target.timeout)
    took = time.monotonic() - begun if thinking.is_alive() else 0.0
    return f"health took {took:.1f} s while the agent was thinking." if took > HEALTH_SECONDS else ""


def _let_think(client: TestClient, ask: Ask) -> None:
    with suppress(WireError):  # another check tells of it; here only health counts
        client.transport.act(ask, client.deadline())


def holds_its_sessions(given: Check, client: TestClient) -> str:
    """As many at once as /info promises, and their answers do not mix."""
    clients = [given.target.client() for _ in range(min(given.info.max_sessions, 8))]
    try:
        for number, one in enumerate(clients):
            one.reset(given.seeded(number))
        for one in clients:
            one.act(given.observation())
    finally:
        for one in clients:
            _end(one)
    return ""


def refuses_nonsense(given: Check, client: TestClient) -> str:
    """REST only: bodies that are no messages get a 4xx, not a stack trace."""
    if not given.target.wire.startswith("rest"):
        return ""
    for body in (b"{", b"[]", b'{"session_id": 3}', b"\x00\xff"):
        status, text = _post(given.target, body)
        if not 400 <= status < 500 or "Traceback" in text:
            return f"the body {body!r} got HTTP {status}, expected was a 4xx without a stack trace."
    return ""


def _post(target: Target, body: bytes) -> tuple[int, str]:
    endpoint = Endpoint.parse(target.endpoint)
    if endpoint.secure or target.tls:
        return 400, ""
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=target.timeout)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {target.token or ''}"}
    try:
        connection.request("POST", f"{endpoint.path}/api/v1/agent/act", body, headers)
        response = connection.getresponse()
        return response.status, response.read(1 << 16).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"the body {body!r} got no answer ({error!r}), expected was a 4xx.") from None
    finally:
        connection.close()


CHECKS: dict[str, Callable[[Check, TestClient], str]] = {
    "health": health,
    "validate": validate,
    "plays episodes": plays_episodes,
    "plays chunks": plays_chunks,
    "decides once": decides_once,
    "keeps the order of steps": keeps_the_order,
    "knows its sessions": knows_its_sessions,
    "resets once": resets_once,
    "health while thinking": answers_health_while_thinking,
    "holds its sessions": holds_its_sessions,
    "refuses nonsense": refuses_nonsense,
}
