"""A hostile evaluator against a participant's service: raw requests at the SDK's servers.

One service of each protocol takes all of it, in a process of its own. After every attack an episode is played there as
if nothing had happened, its log holds no traceback, and it has not grown.
"""

from __future__ import annotations

import gzip
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any

import grpc

from attacks.arena import BOUND, TOKEN, Target
from attacks.attack import REFUSED, Attack, Outcome
from attacks.grpc_messages import nested
from attacks.raw_grpc import (
    CALLS,
    END_HEADERS,
    END_STREAM,
    field,
    frame,
    header_block,
    headers,
    message,
    settings,
    varint,
)
from nav_eval_sdk.errors import CODES
from nav_eval_sdk.protocol.grpc import SERVICE, dump
from nav_eval_sdk.protocol.messages import EpisodeData, EpisodeEnd, TensorSpec, TextSpec

GROWTH_MB = 600.0
ANSWER_SECONDS = 5.0
"""A request that is not finished may be waited for."""
Statuses = frozenset[int]
TAKEN, REFUSES = frozenset({200}), frozenset(range(400, 500)) | {501, 503, 505}
ANY = frozenset({200, 0}) | frozenset(range(400, 600)) - {500}
"""HTTP statuses; 0: no answer came. 500 is a fault of the service."""
GRPC_REFUSALS = frozenset({
    "OK", "INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION", "ABORTED", "UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED",
})  # fmt: skip
Play = Callable[[Target], list[str]]


def request(
    method: str,
    path: str,
    body: bytes | Any = b"",
    *,
    head: str = "",
    kind: str = "application/json",
    token: str | None = TOKEN,
) -> bytes:
    """A whole request."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    authorization = "" if token is None else f"Authorization: Bearer {token}\r\n"
    start = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{authorization}Content-Type: {kind}\r\n{head}"
    length = "" if "Content-Length" in head or "Transfer-Encoding" in head else f"Content-Length: {len(data)}\r\n"
    return (start + length + "\r\n").encode("latin-1") + data


def answered(sock: socket.socket) -> tuple[int, str, bytes]:
    """(status, content type, body); status 0 where no answer came."""
    response = http.client.HTTPResponse(sock)
    sock.settimeout(ANSWER_SECONDS)
    try:
        response.begin()
        return response.status, response.headers.get_content_type(), response.read(1 << 20)
    except (http.client.HTTPException, ConnectionError, TimeoutError):
        return 0, "", b""


INFO_PATH, RESET_PATH = "/api/v1/info", "/api/v1/episode/reset"
ACT_PATH, END_PATH = "/api/v1/agent/act", "/api/v1/episode/end"
DEEP = b"[" * 100_000
GPS = {"kind": "tensor", "shape": [2], "dtype": "float32"}
SPECIFIED: dict[str, Any] = {"episode_id": "e", "scene_id": "s", "instruction": {"text": "Go."}}
"""Section 4.1's own request, which declares nothing and begins the default session."""
EPISODE: dict[str, Any] = SPECIFIED | {
    "session_id": "attacked",
    "request_id": "r",
    "protocol": 1,
    "observation_spec": {"gps": GPS, "words": {"kind": "text"}},
    "action_space": {"stop": {}, "turn_left": {}},
}
SEEN: dict[str, Any] = {"gps": [0.0, 0.0], "words": "x"}
ACT: dict[str, Any] = {"session_id": "attacked", "step": 0, "request_id": "a", "observation": SEEN}
WORDS = json.dumps(ACT).encode()


def _tensor(**changed: Any) -> dict[str, Any]:
    return EPISODE | {"observation_spec": {"gps": GPS | changed}}


def _texts(**specs: dict[str, Any]) -> dict[str, Any]:
    return EPISODE | {"observation_spec": {name: {"kind": "text"} | spec for name, spec in specs.items()}}


def _list_spec(depth: int) -> dict[str, Any]:
    spec: dict[str, Any] = {"kind": "text"}
    for _ in range(depth):
        spec = {"kind": "list", "item": spec}
    return EPISODE | {"observation_spec": {"deep": spec}}


def _without(key: str, **more: Any) -> dict[str, Any]:
    return {name: value for name, value in ACT.items() if name != key} | more


def _saw(**seen: Any) -> dict[str, Any]:
    return ACT | {"observation": SEEN | seen}


ACTS: dict[str, Any] = {
    "the observation without what is around it": SEEN,
    "the key observations": _without("observation", observations=SEEN),
    "the key sessionId": _without("session_id", sessionId="attacked"),
    "no observation": _without("observation"),
    "no session where none has the default's name": _without("session_id"),
    "a session that was not begun": ACT | {"session_id": "x" * 100_000},
    "a step of the future": ACT | {"step": 7},
    "step -1": ACT | {"step": -1},
    "step 2^80": ACT | {"step": 2**80},
    "step '0'": ACT | {"step": "0"},
    "null as the observation": ACT | {"observation": None},
    "a list as the observation": ACT | {"observation": []},
    "an observation of nothing": ACT | {"observation": {}},
    "a sensor that was not declared": _saw(rgb="AAAA"),
    "a declared sensor is missing": ACT | {"observation": {"words": "x"}},
    "a longer tensor than declared": _saw(gps=[0.0] * 100_000),
    "a text for a tensor": _saw(gps="zero"),
    "a tensor 100,000 lists deep": WORDS.replace(b"[0.0, 0.0]", DEEP + b"]" * 100_000),
    "a number for a text": _saw(words=7),
    "half of a surrogate pair": _saw(words="\ud800"),
    "1e400": WORDS.replace(b"0.0", b"1e400"),
    "an integer of 500,000 digits": WORDS.replace(b"0.0", b"9" * 500_000),
    "a text longer than declared": _saw(words="x" * 200_000),
    "a list": [ACT],
    "no JSON": b"step=0&observation=none",
    "half of a body": WORDS[:40],
    "UTF-16": WORDS.decode().encode("utf-16"),
    "100,000 lists in one another": DEEP,
    "no body": b"",
    "32 MiB where the observations take 100 bytes": _saw(words="x" * (32 << 20)),
}
"""Bodies of act in a session that has just begun, all to be refused."""
SPECIFIED_ACTS: dict[str, Any] = {
    "the observation without what is around it": {"rgb": "AAAA", "gps": [0.0, 0.0]},
    "the key observations": {"observations": {"gps": [0.0, 0.0]}},
    "the key Observation": {"Observation": {"gps": [0.0, 0.0]}},
    "the key sessionid": {"sessionid": "default", "observation": {}},
    "an empty object": {},
}
"""The same after SPECIFIED, each answered with 400."""
RESETS: dict[str, tuple[Any, Statuses]] = {
    "an empty object": ({}, REFUSES),
    "null as ids": (EPISODE | {"episode_id": None, "scene_id": None}, REFUSES),
    "protocol 99": (EPISODE | {"protocol": 99}, REFUSES),
    "a seed of 2^80": (EPISODE | {"seed": 2**80}, ANY),
    "a tensor of 10^18 elements": (_tensor(shape=[10**9, 10**9]), REFUSES),
    "a shape whose product is 2^64": (_tensor(shape=[2**32, 2**32]), REFUSES),
    "a negative shape": (_tensor(shape=[-1, -5]), REFUSES),
    "a shape of 0 and 2^62": (_tensor(shape=[0, 2**62]), ANY),
    "dtype object": (_tensor(dtype="object"), REFUSES),
    "dtype V1000000000": (_tensor(dtype="V1000000000"), REFUSES),
    "dtype <U4": (_tensor(dtype="<U4"), REFUSES),
    "encoding pickle": (_tensor(encoding="pickle"), ANY),
    "a kind that nobody knows": (_tensor(kind="python"), REFUSES),
    "a list of lists, 200 deep": (_list_spec(200), ANY),
    "50,000 deep": (b'{"observation_spec":{"a":' + b'{"kind":"list","item":' * 50_000 + b"}" * 50_002, REFUSES),
    "20,000 sensors": (_texts(**{f"s{i}": {} for i in range(20_000)}), ANY),
    "a text of 2^62 characters": (_texts(t={"max_length": 2**62}), ANY),
    "a text of -1 characters": (_texts(t={"max_length": -1}), ANY),
    "negative limits": (EPISODE | {"limits": {"max_steps": -1, "act_timeout": -1.0}}, ANY),
    "a session id of 1 MB": (EPISODE | {"session_id": "s" * 1_000_000}, ANY),
    "a session id of control characters": (EPISODE | {"session_id": "\x1b[31m\n"}, ANY),
    "a rotation of texts": (EPISODE | {"start_rotation": ["a", "b", "c", "d"]}, REFUSES),
    "a position of two numbers": (EPISODE | {"start_position": [0.0, 0.0]}, REFUSES),
    "50,000 actions": (EPISODE | {"action_space": {f"a{i}": {} for i in range(50_000)}}, ANY),
}


def _info(head: str = "", token: str | None = TOKEN) -> bytes:
    return request("GET", INFO_PATH, head=head, token=token)


def _act(body: Any, head: str = "", kind: str = "application/json") -> bytes:
    return request("POST", ACT_PATH, body, head=head, kind=kind)


def _chunked(body: bytes, length: str = "") -> bytes:
    return _act(body, f"{length}Transfer-Encoding: chunked\r\n")


def _msgpack(body: bytes) -> bytes:
    return _act(body, kind="application/msgpack")


UNTAKEN, UNKNOWN, DENIED = ANY - {200}, frozenset({401}), frozenset({400, 401})
ABSENT, LONG, OTHER_TYPE = frozenset({400, 404}), frozenset({0, 400, 431}), frozenset({415})
NOT_FOUND, NO_METHOD, TOO_LARGE = frozenset({404}), frozenset({405}), frozenset({413})
ENTITY = b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"
PICKLE = b"cposix\nsystem\n(S'true'\ntR."
TWO_TOKENS = f"Authorization: Bearer x\r\nAuthorization: Bearer {TOKEN}\r\n"
SMUGGLED = b'{"session_id": "x"}' + _info(token=None)
BOMB = gzip.compress(bytes(64 << 20))
TLS = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"
RAW: dict[str, tuple[bytes, Statuses]] = {
    "no token": (_info(token=None), UNKNOWN),
    "a wrong token": (_info(token="a-long-tokem"), UNKNOWN),
    "the beginning of the token": (_info(token="a-long"), UNKNOWN),
    "the token as Basic": (_info(f"Authorization: Basic {TOKEN}\r\n", token=None), UNKNOWN),
    "a token that is no ASCII": (_info(token="\xe9\xff"), DENIED),
    "a token of 60 KB": (_info(token="Q" * 60_000), DENIED | {431}),
    "a wrong and the right token": (_info(TWO_TOKENS, token=None), DENIED),
    "GET /": (request("GET", "/"), NOT_FOUND),
    "a way out of the folder": (request("GET", "/api/v1/../../../etc/passwd"), ABSENT),
    "the same, encoded": (request("GET", "/api/v1/%2e%2e%2f%2e%2e%2fetc/passwd%00"), ABSENT),
    "DELETE": (request("DELETE", ACT_PATH), NO_METHOD),
    "TRACE": (request("TRACE", ACT_PATH), NO_METHOD | {501}),
    "CONNECT": (request("CONNECT", "127.0.0.1:1"), ABSENT | {405}),
    "GET where POST belongs": (request("GET", ACT_PATH), NO_METHOD),
    "a proxy's form of the address": (request("GET", f"http://127.0.0.1:1{INFO_PATH}"), ANY),
    "a path of 1 MB": (request("GET", "/" + "Q" * 1_000_000), LONG | {404, 414}),
    "100,000 headers": (_info("x: y\r\n" * 100_000), LONG),
    "a header of 1 MB": (_info("x: " + "Q" * 1_000_000 + "\r\n"), LONG),
    "Content-Length: -1": (_act(ACT, "Content-Length: -1\r\n"), UNTAKEN),
    "Content-Length of 1 TiB": (_act(b"{}", f"Content-Length: {1 << 40}\r\n"), TOO_LARGE),
    "Content-Length: many": (_act(b"{}", "Content-Length: many\r\n"), UNTAKEN),
    "two Content-Lengths": (_act(b"{}", "Content-Length: 2\r\nContent-Length: 20\r\n"), UNTAKEN),
    "chunked, and a Content-Length": (_chunked(b"0\r\n\r\n", "Content-Length: 4\r\n"), UNTAKEN),
    "a chunk of 'zz' bytes": (_chunked(b"zz\r\n{}\r\n0\r\n\r\n"), UNTAKEN),
    "a chunk of -1 bytes": (_chunked(b"-1\r\n{}\r\n0\r\n\r\n"), UNTAKEN),
    "a chunk of 2^64 bytes": (_chunked(b"f" * 16 + b"\r\n{}"), UNTAKEN),
    "gzip that unpacks to 64 MiB": (_act(BOMB, "Content-Encoding: gzip\r\n"), REFUSES),
    "XML": (_act(ENTITY, kind="application/xml"), OTHER_TYPE),
    "a pickle": (_act(PICKLE, kind="application/python-pickle"), OTHER_TYPE),
    "msgpack that announces 4 billion items": (_msgpack(b"\xdd\xff\xff\xff\xff"), REFUSES),
    "msgpack, 100,000 lists deep": (_msgpack(b"\x91" * 100_000), REFUSES),
    "a msgpack extension": (_msgpack(b"\xc7\xff\x01" + bytes(255)), REFUSES),
    "HTTP/0.9": (f"GET {INFO_PATH}\r\n\r\n".encode(), ANY),
    "HTTP/9.9": (f"GET {INFO_PATH} HTTP/9.9\r\n\r\n".encode(), ANY),
    "no HTTP": (b"\x00\x01\x02\x03\r\n\r\n", UNTAKEN),
    "a TLS hello": (TLS + b"\x03\x03" + bytes(500) + b"\r\n\r\n", UNTAKEN),
    "a second request in the first": (request("POST", END_PATH, SMUGGLED, head="Content-Length: 19\r\n"), TAKEN),
}


def attacks() -> Iterator[Attack]:
    for what, body in ACTS.items():
        yield _rest(f"act/{what}", _in_session(body, REFUSES))
    for what, body in SPECIFIED_ACTS.items():
        yield _rest(f"specified/{what}", _in_session(body, frozenset({400}), SPECIFIED))
    for what, (body, statuses) in RESETS.items():
        yield _rest(f"reset/{what}", _begun(what, body, statuses))
    for what, (data, statuses) in RAW.items():
        yield _rest(f"http/{what}", _sent(data, statuses))
    for what, play in REST_FLOODS.items():
        yield _rest(f"flood/{what}", play)
    for method in CALLS:
        for what, data in GRPC_BYTES.items():
            yield _grpc(f"{method}/{what}", _called(method, data))
    for what, play in GRPC_PLAYS.items():
        yield _grpc(f"grpc/{what}", play)


def _rest(name: str, play: Play) -> Attack:
    judged = lambda arena: _judged(arena.world.targets["rest"], play, _episode)  # noqa: E731
    return Attack(f"evaluator/{name}", "rest", REFUSED, judged)


def _grpc(name: str, play: Play) -> Attack:
    judged = lambda arena: _judged(arena.world.targets["grpc"], play, _grpc_episode)  # noqa: E731
    return Attack(f"evaluator/{name}", "grpc", REFUSED, judged)


LOCK = threading.Lock()


def _judged(service: Target, play: Play, episode: Play) -> Outcome:
    """Alone with the service: what it logs and how much it holds belongs to this attack."""
    with LOCK:
        length, before = service.log.stat().st_size, service.megabytes
        begun = time.monotonic()
        findings = play(service)
        seconds = time.monotonic() - begun
        findings += [f"took {seconds:.1f} s, {BOUND:g} are allowed"] * (seconds > BOUND)
        findings += [f"afterwards an episode fails: {fault}" for fault in episode(service)]
        said = service.log.read_bytes()[length:].decode("utf-8", "replace")
        told = re.findall(r"^.*(?:Traceback|A request failed).*$", said, re.MULTILINE)[:1]
        findings += [f"in its log: {line[:200]}" for line in told]
        growth = service.megabytes - before
        findings += [f"it grew by {growth:.0f} MB, {GROWTH_MB:.0f} are allowed"] * (growth > GROWTH_MB)
    return Outcome(findings[0][:40] if findings else "refused; works on", findings)


def _problem(status: int, kind: str, body: bytes, statuses: Statuses) -> list[str]:
    found = [] if status in statuses else [f"HTTP {status}: {body[:150]!r}"]
    if b"Traceback" in body or b'File "' in body:
        found.append(f"a traceback in the answer: {body[:150]!r}")
    if status >= 400 and kind == "application/problem+json":
        code = json.loads(body)["code"]
        found += [f"undocumented code {code!r:.60}"] * (code not in CODES)
    return found


def _sent(data: bytes, statuses: Statuses) -> Play:
    def play(service: Target) -> list[str]:
        with service.connect() as sock:
            with suppress(ConnectionError):
                sock.sendall(data)
            return _problem(*answered(sock), statuses)

    return play


def _exchange(service: Target, path: str, body: Any) -> tuple[int, str, bytes]:
    with service.connect() as sock:
        sock.sendall(request("POST", path, body))
        return answered(sock)


def _end(service: Target, session: str = "attacked") -> None:
    _exchange(service, END_PATH, {"session_id": session})


def _in_session(body: Any, statuses: Statuses, episode: dict[str, Any] = EPISODE) -> Play:
    def play(service: Target) -> list[str]:
        begun = _exchange(service, RESET_PATH, episode)
        found = _problem(*begun, TAKEN) or _sent(request("POST", ACT_PATH, body), statuses)(service)
        _end(service, episode.get("session_id", "default"))
        return found

    return play


def _begun(name: str, body: Any, statuses: Statuses) -> Play:
    """A reset in a session of its own: the same request again would be answered from memory."""
    session = body.get("session_id", name) if isinstance(body, dict) else name
    if session == EPISODE["session_id"]:
        body, session = body | {"session_id": name}, name

    def play(service: Target) -> list[str]:
        found = _sent(request("POST", RESET_PATH, body), statuses)(service)
        _end(service, session)
        return found

    return play


def _episode(service: Target) -> list[str]:
    """A whole episode over REST."""
    mine = {"session_id": "honest"}
    for path, body in ((RESET_PATH, EPISODE | mine), (ACT_PATH, ACT | mine), (END_PATH, mine)):
        status, _, said = _exchange(service, path, body)
        if status != 200:
            return [f"{path}: HTTP {status} {said[:150]!r}"]
    return []


def _unfinished(count: int, data: bytes) -> Play:
    def play(service: Target) -> list[str]:
        with ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(service.connect()).sendall(data)
            return _episode(service)

    return play


def _many_resets(service: Target) -> list[str]:
    found = []
    for number in range(40):
        reply = _exchange(service, RESET_PATH, EPISODE | {"session_id": f"s{number}"})
        found += _problem(*reply, frozenset({200, 503}))
    return found[:3]


def _pipelined(service: Target) -> list[str]:
    with service.connect() as sock:
        sock.sendall(request("GET", "/api/v1/health") * 200)
        received = b""
        with suppress(TimeoutError):
            sock.settimeout(3)
            while received.count(b"HTTP/1.1") < 200 and (part := sock.recv(1 << 16)):
                received += part
    return [] if b" 500 " not in received else ["HTTP 500 among the answers"]


def _same_step(service: Target) -> list[str]:
    """The same decision asked for with several request ids at once: it is made once."""
    _exchange(service, RESET_PATH, EPISODE)
    asked = [ACT | {"request_id": f"r{n}"} for n in range(6)]
    with ThreadPoolExecutor(len(asked)) as threads:
        replies = list(threads.map(lambda body: _exchange(service, ACT_PATH, body), asked))
    _end(service)
    made = sum(status == 200 for status, _, _ in replies)
    return [] if made == 1 else [f"{made} of {len(replies)} were answered with an action"]


def _gone(service: Target) -> list[str]:
    for _ in range(50):
        with service.connect() as sock:
            sock.sendall(request("POST", RESET_PATH, EPISODE))
    return []


def _others_end(service: Target) -> list[str]:
    """Ending a session whose id one does not know ends nobody's."""
    _exchange(service, RESET_PATH, EPISODE)
    for name in ("", "attacke", "attacked ", "ATTACKED", "*", "default"):
        _end(service, name)
    found = _problem(*_exchange(service, ACT_PATH, ACT), TAKEN)
    _end(service)
    return found


HALF_HEAD = b"POST /api/v1/agent/act HTTP/1.1\r\nHost: x\r\nx: "
HALF_BODY = request("POST", ACT_PATH, b"{", head=f"Content-Length: {200 << 20}\r\n")
REST_FLOODS: dict[str, Play] = {
    "80 connections that never finish their head": _unfinished(80, HALF_HEAD),
    "40 bodies of 200 MiB that are announced and never come": _unfinished(40, HALF_BODY),
    "40 sessions where 8 fit": _many_resets,
    "200 requests at once on one connection": _pipelined,
    "one decision asked for by six requests at once": _same_step,
    "50 resets whose asker is gone before the answer": _gone,
    "ends sessions by guessing": _others_end,
}


def _observed(name: bytes, value: bytes) -> bytes:
    return field(4, field(1, name) + field(2, value))


GRPC_BYTES: dict[str, bytes] = {
    "bytes that are no protobuf": b"\x93\x00{]garbage" + b"\xff" * 50,
    "values 5,000 levels deep": _observed(b"gps", nested(5_000)),
    "a field of 2^60 bytes": b"\x0a" + varint(1 << 60),
    "8 MiB where nothing was declared": field(1, b"ready") + _observed(b"words", field(2, b"x" * (8 << 20))),
    "texts that are no UTF-8": field(1, b"\xff\xfe") + field(2, b"\xff"),
    "200,000 empty fields": field(4, b"") * 200_000,
}


def _channel(service: Target) -> Any:
    return grpc.insecure_channel(service.endpoint, options=[("grpc.max_send_message_length", -1)])


def _ask(service: Target, method: str, data: bytes = b"", **options: Any) -> tuple[str, str]:
    """(status, details) of one call."""
    arguments = {"timeout": BOUND, "metadata": (("authorization", f"Bearer {TOKEN}"),)} | options
    with _channel(service) as channel:
        try:
            if method == "Session":
                list(channel.stream_stream(f"/{SERVICE}/Session")(iter([data]), **arguments))
            else:
                channel.unary_unary(f"/{SERVICE}/{method}")(data, **arguments)
        except grpc.RpcError as error:
            return error.code().name, str(error.details())
    return "OK", ""


def _called(method: str, data: bytes, **options: Any) -> Play:
    def play(service: Target) -> list[str]:
        code, said = _ask(service, method, data, **options)
        found = [] if code in GRPC_REFUSALS else [f"{code}: {said[:150]!r}"]
        return found + ["a traceback in the answer"] * ("Traceback" in said)

    return play


def _refused(wanted: str, method: str, data: bytes, **options: Any) -> Play:
    def play(service: Target) -> list[str]:
        code, said = _ask(service, method, data, **options)
        return [] if code == wanted else [f"{code} {said}, not {wanted}"]

    return play


def _played(service: Target, begin: bytes, act: bytes, end: bytes) -> list[str]:
    for method, data in (("ResetEpisode", begin), ("GetAction", act), ("EndEpisode", end)):
        code, said = _ask(service, method, data)
        if code != "OK":
            return [f"{method}: {code} {said[:150]!r}"]
    return []


def _grpc_episode(service: Target) -> list[str]:
    specs = {"gps": TensorSpec(shape=(2,), dtype="float32"), "words": TextSpec()}
    begin = dump(EpisodeData("e", "s", session_id="honest", observation_spec=specs))
    tensor = field(1, b"float32") + field(2, b"\x02") + field(3, b"raw") + field(4, bytes(8))
    act = field(1, b"honest") + _observed(b"gps", field(1, tensor)) + _observed(b"words", field(2, b"x"))
    return _played(service, begin, act, dump(EpisodeEnd("honest")))


def _specified_fields_only(service: Target) -> list[str]:
    """Section 4.2's own messages: no session, no step, no request; they mean the default session, as over REST."""
    try:
        return _played(service, field(1, b"e") + field(2, b"s") + field(3, field(1, b"Go.")), b"", b"")
    finally:
        _ask(service, "EndEpisode")


def _idle_streams(service: Target) -> list[str]:
    held = threading.Event()

    def waiting() -> Iterator[bytes]:
        held.wait(BOUND)
        yield from ()

    with _channel(service) as channel:
        for _ in range(20):
            metadata = (("authorization", f"Bearer {TOKEN}"),)
            channel.stream_stream(f"/{SERVICE}/Session")(waiting(), metadata=metadata)
        time.sleep(0.5)
        found = _grpc_episode(service)
        held.set()
    return found


def _impatient(service: Target) -> list[str]:
    for _ in range(100):
        _ask(service, "ResetEpisode", dump(EpisodeData("e", "s", session_id="impatient")), timeout=0.001)
    return _called("EndEpisode", dump(EpisodeEnd("impatient")))(service)


def _frames(parts: Iterable[bytes]) -> Play:
    """Raw frames after a proper preface, and however the server ends it."""
    return _thrown(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings(), parts)


def _thrown(data: bytes, parts: Iterable[bytes] = ()) -> Play:
    def play(service: Target) -> list[str]:
        with service.connect() as sock, suppress(OSError):
            sock.sendall(data)
            for part in parts:
                sock.sendall(part)
            sock.settimeout(1)
            while sock.recv(1 << 16):
                pass
        return []

    return play


def _opened(stream: int, method: str) -> bytes:
    fields = ((":method", "POST"), (":scheme", "http"), (":path", f"/{SERVICE}/{method}"), (":authority", "x"))
    more = (("te", "trailers"), ("content-type", "application/grpc"), ("authorization", f"Bearer {TOKEN}"))
    return headers(stream, *fields, *more)


def _asked(method: str, data: bytes, **lies: int) -> Play:
    return _frames([_opened(1, method), frame("data", 1, data, **lies)])


def _rapid_reset(service: Target) -> list[str]:
    """Each frame is made when the one before is on its way: those that were made before come too fast for grpc."""
    parts = (_opened(stream, "GetInfo") + frame("rst", stream, bytes(4)) for stream in range(1, 20_001, 2))
    return _frames(parts)(service)


STREAMS = [_opened(stream, "Session") for stream in range(1, 4_001, 2)]
ENDLESS = [
    frame("headers", 1, header_block((":method", "POST"))),
    *[frame("continuation", 1, header_block(("k", "v" * 1000)) * 16)] * 2000,
]
GRPC_PLAYS: dict[str, Play] = {
    "the specification's fields alone": _specified_fields_only,
    "no token": _refused("UNAUTHENTICATED", "GetInfo", b"", metadata=()),
    "a wrong token": _refused("UNAUTHENTICATED", "GetInfo", b"", metadata=(("authorization", "Bearer x"),)),
    "the token without Bearer": _refused("UNAUTHENTICATED", "GetInfo", b"", metadata=(("authorization", TOKEN),)),
    "a method that does not exist": _called("Shutdown", b""),
    # The client's own gzip, 64 KiB on the wire; it is not to be unpacked at all.
    "gzip of 64 MiB": _refused("UNIMPLEMENTED", "GetAction", bytes(64 << 20), compression=grpc.Compression.Gzip),
    "20 streams that ask nothing": _idle_streams,
    "100 resets that are given up after a millisecond": _impatient,
    "10,000 streams opened and reset": _rapid_reset,
    "2,000 streams that are never finished": _frames(STREAMS),
    "100,000 PINGs": _frames([frame("ping", 0, bytes(8)) * 1000] * 100),
    "100,000 SETTINGS": _frames([frame("settings", 0) * 1000] * 100),
    "32 MB of CONTINUATION": _frames(ENDLESS),
    "no preface": _thrown(b"GET / HTTP/1.1\r\n\r\n"),
    "a TLS hello to gRPC": _thrown(TLS + bytes(500)),
    "a message of 4 GiB": _asked("GetAction", message(b"x", length=0xFFFFFFFF)),
    "compression flag 255": _asked("GetAction", message(b"x", 255), flags=END_STREAM),
    "a frame longer than it is": _asked("GetInfo", b"x", length=(1 << 24) - 1),
    "headers that cannot be unpacked": _frames([frame("headers", 1, b"\xff" * 100, END_HEADERS)]),
}
