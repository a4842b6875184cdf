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
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import grpc

from attacks.attack import REFUSED, Attack, Outcome
from attacks.grpc_messages import field, nested, varint
from attacks.raw_grpc import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    frame,
    header_block,
    message,
    settings,
)
from attacks.target import SECONDS, TOKEN, Target
from nav_eval_sdk.errors import CODES
from nav_eval_sdk.protocol.grpc import SERVICE, dump
from nav_eval_sdk.protocol.messages import EpisodeData, EpisodeEnd, TensorSpec, TextSpec

GROWTH_MB = 600.0
PATIENCE = 5.0
"""Seconds; a request that is not finished may be waited for."""
TAKEN, REFUSES = frozenset({200}), frozenset(range(400, 500)) | {501, 503, 505}
ANY = frozenset({200, 0}) | frozenset(range(400, 600)) - {500}
"""HTTP statuses; 0: no answer came. 500 is a fault of the service."""
GRPC_REFUSALS = frozenset({
    "INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED", "UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED",
})  # fmt: skip


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
    sock.settimeout(PATIENCE)
    try:
        response.begin()
        return response.status, response.headers.get_content_type(), response.read(1 << 20)
    except (http.client.HTTPException, ConnectionError, TimeoutError):
        return 0, "", b""


EPISODE: dict[str, Any] = {
    "episode_id": "e",
    "scene_id": "s",
    "instruction": {"text": "Go."},
    "session_id": "attacked",
    "request_id": "r",
    "protocol": 1,
    "observation_spec": {"gps": {"kind": "tensor", "shape": [2], "dtype": "float32"}, "words": {"kind": "text"}},
    "action_space": {"stop": {}, "turn_left": {}},
}
SEEN: dict[str, Any] = {"gps": [0.0, 0.0], "words": "x"}
ACT: dict[str, Any] = {"session_id": "attacked", "step": 0, "request_id": "a", "observation": SEEN}
RESET_PATH, ACT_PATH, END_PATH = "/api/v1/episode/reset", "/api/v1/agent/act", "/api/v1/episode/end"
DEEP = b"[" * 100_000


def _spec(**changed: Any) -> dict[str, Any]:
    return EPISODE | {"observation_spec": {"gps": {"kind": "tensor", "shape": [2], "dtype": "float32"} | changed}}


def _specs(**specs: dict[str, Any]) -> dict[str, Any]:
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


# Bodies of act in a session that has just begun, all to be refused: (name, what, body).
ACTS: tuple[tuple[str, str, Any], ...] = (
    ("bare-observation", "the observation without what is around it", SEEN),
    ("misspelt", "the key observations", _without("observation", observations=SEEN)),
    ("misspelt-session", "the key sessionId", _without("session_id", sessionId="attacked")),
    ("no-observation", "no observation", _without("observation")),
    ("no-session", "no session where none has the default's name", _without("session_id")),
    ("other-session", "a session that was not begun", ACT | {"session_id": "x" * 100_000}),
    ("step-after", "a step of the future", ACT | {"step": 7}),
    ("step-negative", "step -1", ACT | {"step": -1}),
    ("step-vast", "step 2^80", ACT | {"step": 2**80}),
    ("step-text", "step '0'", ACT | {"step": "0"}),
    ("observation-null", "null as the observation", ACT | {"observation": None}),
    ("observation-list", "a list as the observation", ACT | {"observation": []}),
    ("observation-empty", "an observation of nothing", ACT | {"observation": {}}),
    ("undeclared", "a sensor that was not declared", _saw(rgb="AAAA")),
    ("missing-sensor", "a declared sensor is missing", ACT | {"observation": {"words": "x"}}),
    ("wrong-shape", "a longer tensor than declared", _saw(gps=[0.0] * 100_000)),
    ("wrong-kind", "a text for a tensor", _saw(gps="zero")),
    (
        "nested-tensor",
        "a tensor 100,000 lists deep",
        json.dumps(ACT).encode().replace(b"[0.0, 0.0]", DEEP + b"]" * 100_000),
    ),
    ("number-for-text", "a number for a text", _saw(words=7)),
    ("surrogate", "half of a surrogate pair", _saw(words="\ud800")),
    ("1e400", "1e400", json.dumps(ACT).replace("0.0", "1e400").encode()),
    ("many-digits", "an integer of 500,000 digits", json.dumps(ACT).replace("0.0", "9" * 500_000).encode()),
    ("long-text", "a text longer than declared", _saw(words="x" * 200_000)),
    ("list", "a list", [ACT]),
    ("no-json", "no JSON", b"step=0&observation=none"),
    ("truncated", "half of a body", json.dumps(ACT).encode()[:40]),
    ("utf-16", "UTF-16", json.dumps(ACT).encode("utf-16")),
    ("deep", "100,000 lists in one another", DEEP),
    ("empty", "no body", b""),
    ("32-mib", "32 MiB where the observations take 100 bytes", _saw(words="x" * (32 << 20))),
)
SPECIFIED: dict[str, Any] = {"episode_id": "e", "scene_id": "s", "instruction": {"text": "Go."}}
"""Section 4.1's own request, which declares nothing and begins the default session."""
# As ACTS, each answered with 400.
SPECIFIED_ACTS: tuple[tuple[str, str, Any], ...] = (
    ("bare-observation", "the observation without what is around it", {"rgb": "AAAA", "gps": [0.0, 0.0]}),
    ("misspelt", "the key observations", {"observations": {"gps": [0.0, 0.0]}}),
    ("capital", "the key Observation", {"Observation": {"gps": [0.0, 0.0]}}),
    ("misspelt-session", "the key sessionid", {"sessionid": "default", "observation": {}}),
    ("nothing", "an empty object", {}),
)
RESETS: tuple[tuple[str, str, Any, frozenset[int]], ...] = (
    ("nothing", "an empty object", {}, REFUSES),
    ("null-ids", "null as ids", EPISODE | {"episode_id": None, "scene_id": None}, REFUSES),
    ("protocol-99", "protocol 99", EPISODE | {"protocol": 99}, REFUSES),
    ("seed-vast", "a seed of 2^80", EPISODE | {"seed": 2**80}, ANY),
    ("vast-tensor", "a tensor of 10^18 elements", _spec(shape=[10**9, 10**9]), REFUSES),
    ("overflow", "a shape whose product is 2^64", _spec(shape=[2**32, 2**32]), REFUSES),
    ("negative-shape", "a negative shape", _spec(shape=[-1, -5]), REFUSES),
    ("zero-and-vast", "a shape of 0 and 2^62", _spec(shape=[0, 2**62]), ANY),
    ("dtype-object", "dtype object", _spec(dtype="object"), REFUSES),
    ("dtype-void", "dtype V1000000000", _spec(dtype="V1000000000"), REFUSES),
    ("dtype-text", "dtype <U4", _spec(dtype="<U4"), REFUSES),
    ("encoding-pickle", "encoding pickle", _spec(encoding="pickle"), ANY),
    ("kind-unknown", "a kind that nobody knows", _spec(kind="python"), REFUSES),
    ("deep-spec", "a list of lists, 200 deep", _list_spec(200), ANY),
    (
        "deeper-spec",
        "the same, 50,000 deep",
        b'{"observation_spec":{"a":' + b'{"kind":"list","item":' * 50_000 + b"}" * 50_002,
        REFUSES,
    ),
    ("many-sensors", "20,000 sensors", _specs(**{f"s{i}": {} for i in range(20_000)}), ANY),
    ("long-text-spec", "a text of 2^62 characters", _specs(t={"max_length": 2**62}), ANY),
    ("negative-text", "a text of -1 characters", _specs(t={"max_length": -1}), ANY),
    ("negative-limits", "negative limits", EPISODE | {"limits": {"max_steps": -1, "act_timeout": -1.0}}, ANY),
    ("long-session", "a session id of 1 MB", EPISODE | {"session_id": "s" * 1_000_000}, ANY),
    ("hostile-session", "a session id of control characters", EPISODE | {"session_id": "\x1b[31m\n"}, ANY),
    ("rotation-text", "a rotation of texts", EPISODE | {"start_rotation": ["a", "b", "c", "d"]}, REFUSES),
    ("position-two", "a position of two numbers", EPISODE | {"start_position": [0.0, 0.0]}, REFUSES),
    ("many-actions", "50,000 actions", EPISODE | {"action_space": {f"a{i}": {} for i in range(50_000)}}, ANY),
)
INFO_PATH = "/api/v1/info"
UNTAKEN, UNKNOWN, DENIED = ANY - {200}, frozenset({401}), frozenset({400, 401})
ABSENT, LONG, OTHER_TYPE = frozenset({400, 404}), frozenset({0, 400, 431}), frozenset({415})


def _info(head: str = "", token: str | None = TOKEN) -> bytes:
    return request("GET", INFO_PATH, head=head, token=token)


def _act(body: Any, head: str = "", kind: str = "application/json") -> bytes:
    return request("POST", ACT_PATH, body, head=head, kind=kind)


def _chunked(body: bytes, length: str = "") -> bytes:
    return _act(body, f"{length}Transfer-Encoding: chunked\r\n")


def _msgpack(body: bytes) -> bytes:
    return _act(body, kind="application/msgpack")


ENTITY = b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"
PICKLE = b"cposix\nsystem\n(S'true'\ntR."
TWO_TOKENS = f"Authorization: Bearer x\r\nAuthorization: Bearer {TOKEN}\r\n"
SMUGGLED = b'{"session_id": "x"}' + _info(token=None)
RAW: tuple[tuple[str, str, bytes, frozenset[int]], ...] = (
    ("no-token", "no token", _info(token=None), UNKNOWN),
    ("wrong-token", "a wrong token", _info(token="a-long-tokem"), UNKNOWN),
    ("half-token", "the beginning of the token", _info(token="a-long"), UNKNOWN),
    ("basic-token", "the token as Basic", _info(f"Authorization: Basic {TOKEN}\r\n", token=None), UNKNOWN),
    ("latin-token", "a token that is no ASCII", _info(token="\xe9\xff"), DENIED),
    ("long-token", "a token of 60 KB", _info(token="Q" * 60_000), DENIED | {431}),
    ("two-tokens", "a wrong and the right token", _info(TWO_TOKENS, token=None), DENIED),
    ("root", "GET /", request("GET", "/"), frozenset({404})),
    ("traversal", "a way out of the folder", request("GET", "/api/v1/../../../etc/passwd"), ABSENT),
    ("encoded-traversal", "the same, encoded", request("GET", "/api/v1/%2e%2e%2f%2e%2e%2fetc/passwd%00"), ABSENT),
    ("delete", "DELETE", request("DELETE", ACT_PATH), frozenset({405})),
    ("trace", "TRACE", request("TRACE", ACT_PATH), frozenset({405, 501})),
    ("connect", "CONNECT", request("CONNECT", "127.0.0.1:1"), ABSENT | {405}),
    ("get-act", "GET where POST belongs", request("GET", ACT_PATH), frozenset({405})),
    ("absolute-form", "a proxy's form of the address", request("GET", f"http://127.0.0.1:1{INFO_PATH}"), ANY),
    ("long-path", "a path of 1 MB", request("GET", "/" + "Q" * 1_000_000), LONG | {404, 414}),
    ("many-headers", "100,000 headers", _info("x: y\r\n" * 100_000), LONG),
    ("long-header", "a header of 1 MB", _info("x: " + "Q" * 1_000_000 + "\r\n"), LONG),
    ("negative-length", "Content-Length: -1", _act(ACT, "Content-Length: -1\r\n"), UNTAKEN),
    ("vast-length", "Content-Length of 1 TiB", _act(b"{}", f"Content-Length: {1 << 40}\r\n"), frozenset({413})),
    ("word-length", "Content-Length: many", _act(b"{}", "Content-Length: many\r\n"), UNTAKEN),
    ("two-lengths", "two Content-Lengths", _act(b"{}", "Content-Length: 2\r\nContent-Length: 20\r\n"), UNTAKEN),
    ("both-lengths", "chunked, and a Content-Length", _chunked(b"0\r\n\r\n", "Content-Length: 4\r\n"), UNTAKEN),
    ("bad-chunk", "a chunk of 'zz' bytes", _chunked(b"zz\r\n{}\r\n0\r\n\r\n"), UNTAKEN),
    ("negative-chunk", "a chunk of -1 bytes", _chunked(b"-1\r\n{}\r\n0\r\n\r\n"), UNTAKEN),
    ("vast-chunk", "a chunk of 2^64 bytes", _chunked(b"f" * 16 + b"\r\n{}"), UNTAKEN),
    (
        "gzip-bomb",
        "gzip that unpacks to 64 MiB",
        _act(gzip.compress(bytes(64 << 20)), "Content-Encoding: gzip\r\n"),
        REFUSES,
    ),
    ("xml", "XML", _act(ENTITY, kind="application/xml"), OTHER_TYPE),
    ("pickle", "a pickle", _act(PICKLE, kind="application/python-pickle"), OTHER_TYPE),
    ("msgpack-bomb", "msgpack that announces 4 billion items", _msgpack(b"\xdd\xff\xff\xff\xff"), REFUSES),
    ("msgpack-deep", "msgpack, 100,000 lists deep", _msgpack(b"\x91" * 100_000), REFUSES),
    ("msgpack-ext", "a msgpack extension", _msgpack(b"\xc7\xff\x01" + bytes(255)), REFUSES),
    ("http-0.9", "HTTP/0.9", f"GET {INFO_PATH}\r\n\r\n".encode(), ANY),
    ("http-9.9", "HTTP/9.9", f"GET {INFO_PATH} HTTP/9.9\r\n\r\n".encode(), ANY),
    ("no-http", "no HTTP", b"\x00\x01\x02\x03\r\n\r\n", UNTAKEN),
    ("tls", "a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500) + b"\r\n\r\n", UNTAKEN),
    (
        "smuggled",
        "a second request in the body of the first",
        request("POST", END_PATH, SMUGGLED, head="Content-Length: 19\r\n"),
        TAKEN,
    ),
)


def attacks() -> Iterator[Attack]:
    for name, what, body in ACTS:
        yield _rest(f"evaluator/act/{name}", what, _in_session(body, REFUSES))
    for name, what, body in SPECIFIED_ACTS:
        yield _rest(f"evaluator/specified/{name}", what, _in_session(body, frozenset({400}), SPECIFIED))
    for name, what, body, statuses in RESETS:
        yield _rest(f"evaluator/reset/{name}", what, _begun(name, body, statuses))
    for name, what, data, statuses in RAW:
        yield _rest(f"evaluator/http/{name}", what, _sent(data, statuses))
    for name, (what, play) in REST_FLOODS.items():
        yield _rest(f"evaluator/flood/{name}", what, play)
    for method in ("GetInfo", "HealthCheck", "ValidateEpisode", "ResetEpisode", "GetAction", "EndEpisode", "Session"):
        for name, (what, data) in GRPC_BYTES.items():
            yield _grpc(f"evaluator/{method}/{name}", what, _called(method, data))
    for name, (what, play) in GRPC_PLAYS.items():
        yield _grpc(f"evaluator/grpc/{name}", what, play)


Play = Callable[[Target], list[str]]


def _rest(name: str, what: str, play: Play) -> Attack:
    return Attack(name, "rest", what, REFUSED, lambda arena: _judged(arena.world.targets["rest"], play, _episode))


def _grpc(name: str, what: str, play: Play) -> Attack:
    return Attack(name, "grpc", what, REFUSED, lambda arena: _judged(arena.world.targets["grpc"], play, _grpc_episode))


LOCK = threading.Lock()


def _judged(service: Target, play: Play, episode: Play) -> Outcome:
    """Alone with the service: what it logs and how much it holds belongs to this attack."""
    with LOCK:
        length, before = service.log.stat().st_size, service.megabytes
        begun = time.monotonic()
        findings = play(service)
        seconds = time.monotonic() - begun
        findings += [f"took {seconds:.1f} s, {SECONDS:g} are allowed"] * (seconds > SECONDS)
        findings += [f"afterwards an episode fails: {fault}" for fault in episode(service)]
        said = service.log.read_bytes()[length:].decode("utf-8", "replace")
        told = re.findall(r"^.*(?:Traceback|A request failed).*$", said, re.MULTILINE)[:1]
        findings += [f"in its log: {line[:200]}" for line in told]
        growth = service.megabytes - before
        findings += [f"it grew by {growth:.0f} MB, {GROWTH_MB:.0f} are allowed"] * (growth > GROWTH_MB)
    return Outcome(findings[0][:40] if findings else "refused; works on", findings, seconds)


def _problem(status: int, kind: str, body: bytes, statuses: frozenset[int]) -> list[str]:
    found = [] if status in statuses else [f"HTTP {status}: {body[:150]!r}"]
    if b"Traceback" in body or b'File "' in body:
        found.append(f"a traceback in the answer: {body[:150]!r}")
    if status >= 400 and kind == "application/problem+json":
        code = json.loads(body)["code"]
        found += [f"undocumented code {code!r:.60}"] * (code not in CODES)
    return found


def _sent(data: bytes, statuses: frozenset[int]) -> Play:
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


def _in_session(body: Any, statuses: frozenset[int], episode: dict[str, Any] = EPISODE) -> Play:
    def play(service: Target) -> list[str]:
        begun = _exchange(service, RESET_PATH, episode)
        found = _problem(*begun, TAKEN) or _sent(request("POST", ACT_PATH, body), statuses)(service)
        _exchange(service, END_PATH, {"session_id": episode.get("session_id", "default")})
        return found

    return play


def _begun(name: str, body: Any, statuses: frozenset[int]) -> Play:
    """A reset in a session of its own: the same request again would be answered from memory."""
    if isinstance(body, dict) and body.get("session_id") == EPISODE["session_id"]:
        body = body | {"session_id": name}

    def play(service: Target) -> list[str]:
        found = _sent(request("POST", RESET_PATH, body), statuses)(service)
        _exchange(service, END_PATH, {"session_id": body.get("session_id", name) if isinstance(body, dict) else name})
        return found

    return play


def _episode(service: Target) -> list[str]:
    """A whole episode over REST."""
    mine = {"session_id": "honest"}
    calls = ((RESET_PATH, EPISODE | mine), (ACT_PATH, ACT | mine), (END_PATH, mine))
    for path, body in calls:
        status, _, said = _exchange(service, path, body)
        if status != 200:
            return [f"{path}: HTTP {status} {said[:150]!r}"]
    return []


def _hundreds_idle(service: Target) -> list[str]:
    socks = [service.connect() for _ in range(80)]
    for sock in socks:
        sock.sendall(b"POST /api/v1/agent/act HTTP/1.1\r\nHost: x\r\nx: ")
    found = _episode(service)
    for sock in socks:
        sock.close()
    return found


def _half_bodies(service: Target) -> list[str]:
    socks = [service.connect() for _ in range(40)]
    for sock in socks:
        sock.sendall(request("POST", ACT_PATH, b"{", head=f"Content-Length: {200 << 20}\r\n"))
    found = _episode(service)
    for sock in socks:
        sock.close()
    return found


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
    """The same decision asked for with two request ids at once: it is made once."""
    _exchange(service, RESET_PATH, EPISODE)
    replies: list[tuple[int, str, bytes]] = []
    threads = [
        threading.Thread(target=lambda n=n: replies.append(_exchange(service, ACT_PATH, ACT | {"request_id": f"r{n}"})))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    _exchange(service, END_PATH, {"session_id": "attacked"})
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
        _exchange(service, END_PATH, {"session_id": name})
    found = _problem(*_exchange(service, ACT_PATH, ACT), TAKEN)
    _exchange(service, END_PATH, {"session_id": "attacked"})
    return found


REST_FLOODS: dict[str, tuple[str, Play]] = {
    "unfinished-heads": ("80 connections that never finish their head", _hundreds_idle),
    "unfinished-bodies": ("40 bodies of 200 MiB that are announced and never come", _half_bodies),
    "many-resets": ("40 sessions where 8 fit", _many_resets),
    "pipelined": ("200 requests at once on one connection", _pipelined),
    "one-step-six-times": ("one decision asked for by six requests at once", _same_step),
    "gone": ("50 resets whose asker is gone before the answer", _gone),
    "others-end": ("ends sessions by guessing", _others_end),
}


def _large_text() -> bytes:
    return field(1, b"ready") + field(4, field(1, b"words") + field(2, field(2, b"x" * (8 << 20))))


GRPC_BYTES: dict[str, tuple[str, bytes]] = {
    "garbage": ("bytes that are no protobuf", b"\x93\x00{]garbage" + b"\xff" * 50),
    "deep": ("values 5,000 levels deep", field(4, field(1, b"gps") + field(2, nested(5_000)))),
    "vast-length": ("a field of 2^60 bytes", b"\x0a" + varint(1 << 60)),
    "large": ("8 MiB where nothing was declared", _large_text()),
    "no-utf-8": ("texts that are no UTF-8", field(1, b"\xff\xfe") + field(2, b"\xff")),
    "empty-fields": ("200,000 empty fields", field(4, b"") * 200_000),
}


def _channel(service: Target) -> Any:
    return grpc.insecure_channel(service.endpoint, options=[("grpc.max_send_message_length", -1)])


def _metadata() -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {TOKEN}"),)


def _called(method: str, data: bytes, **options: Any) -> Play:
    def play(service: Target) -> list[str]:
        with _channel(service) as channel:
            arguments = {"timeout": SECONDS, "metadata": _metadata()} | options
            try:
                if method == "Session":
                    list(channel.stream_stream(f"/{SERVICE}/Session")(iter([data]), **arguments))
                else:
                    channel.unary_unary(f"/{SERVICE}/{method}")(data, **arguments)
            except grpc.RpcError as error:
                return _refusal(error)
        return []

    return play


def _refusal(error: Any) -> list[str]:
    code, said = error.code().name, str(error.details())
    found = [] if code in GRPC_REFUSALS else [f"{code}: {said[:150]!r}"]
    return found + ["a traceback in the answer"] * ("Traceback" in said)


def _grpc_episode(service: Target) -> list[str]:
    """What the specification's own fields make: reset and one action in the default session."""
    specs = {"gps": TensorSpec(shape=(2,), dtype="float32"), "words": TextSpec()}
    with _channel(service) as channel:
        begin = dump(EpisodeData("e", "s", session_id="honest", observation_spec=specs))
        tensor = field(1, b"float32") + field(2, b"\x02") + field(3, b"raw") + field(4, bytes(8))
        seen = field(4, field(1, b"gps") + field(2, field(1, tensor)))
        seen += field(4, field(1, b"words") + field(2, field(2, b"x")))
        try:
            for method, data in (
                ("ResetEpisode", begin),
                ("GetAction", field(1, b"honest") + seen),
                ("EndEpisode", dump(EpisodeEnd("honest"))),
            ):
                channel.unary_unary(f"/{SERVICE}/{method}")(data, timeout=SECONDS, metadata=_metadata())
        except grpc.RpcError as error:
            return [f"{method}: {error.code().name} {str(error.details())[:150]!r}"]
    return []


def _specified_fields_only(service: Target) -> list[str]:
    """Section 4.2's own messages: no session, no step, no request; they mean the default session, as over REST."""
    with _channel(service) as channel:
        begin = field(1, b"e") + field(2, b"s") + field(3, field(1, b"Go."))
        try:
            channel.unary_unary(f"/{SERVICE}/ResetEpisode")(begin, timeout=SECONDS, metadata=_metadata())
            channel.unary_unary(f"/{SERVICE}/GetAction")(b"", timeout=SECONDS, metadata=_metadata())
        except grpc.RpcError as error:
            return [f"{error.code().name}: {str(error.details())[:150]!r}"]
        finally:
            with suppress(grpc.RpcError):
                channel.unary_unary(f"/{SERVICE}/EndEpisode")(b"", timeout=SECONDS, metadata=_metadata())
    return []


def _unauthorised(value: str | None) -> Play:
    def play(service: Target) -> list[str]:
        metadata = () if value is None else (("authorization", value),)
        with _channel(service) as channel:
            try:
                channel.unary_unary(f"/{SERVICE}/GetInfo")(b"", timeout=SECONDS, metadata=metadata)
            except grpc.RpcError as error:
                return [] if error.code().name == "UNAUTHENTICATED" else [f"{error.code().name}"]
        return ["was answered"]

    return play


def _compressed(service: Target) -> list[str]:
    """The client's own gzip: 64 KiB on the wire, 64 MiB in memory; it is not to be unpacked at all."""
    with _channel(service) as channel:
        call = channel.unary_unary(f"/{SERVICE}/GetAction")
        try:
            call(bytes(64 << 20), timeout=SECONDS, metadata=_metadata(), compression=grpc.Compression.Gzip)
        except grpc.RpcError as error:
            return [] if error.code().name == "UNIMPLEMENTED" else [f"unpacked: {error.code().name} {error.details()}"]
    return ["unpacked and answered"]


def _idle_streams(service: Target) -> list[str]:
    held = threading.Event()

    def waiting() -> Iterator[bytes]:
        held.wait(SECONDS)
        yield from ()

    with _channel(service) as channel:
        for _ in range(20):
            channel.stream_stream(f"/{SERVICE}/Session")(waiting(), metadata=_metadata())
        time.sleep(0.5)
        found = _grpc_episode(service)
        held.set()
    return found


def _impatient(service: Target) -> list[str]:
    for _ in range(100):
        _called("ResetEpisode", dump(EpisodeData("e", "s", session_id="impatient")), timeout=0.001)(service)
    return _called("EndEpisode", dump(EpisodeEnd("impatient")))(service)


def _frames(data: Callable[[], Iterator[bytes]]) -> Play:
    """Raw frames after a proper preface, and however the server ends it."""

    def play(service: Target) -> list[str]:
        with service.connect() as sock, suppress(OSError):
            sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings())
            for part in data():
                sock.sendall(part)
            sock.settimeout(1)
            while sock.recv(1 << 16):
                pass
        return []

    return play


def _opened(stream: int, path: str = f"/{SERVICE}/GetInfo") -> bytes:
    fields = ((":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "x"))
    more = (("te", "trailers"), ("content-type", "application/grpc"), ("authorization", f"Bearer {TOKEN}"))
    return frame(HEADERS, END_HEADERS, stream, header_block(*fields, *more))


def _rapid_reset() -> Iterator[bytes]:
    for stream in range(1, 20_001, 2):
        yield _opened(stream) + frame(RST_STREAM, 0, stream, bytes(4))


def _many_streams() -> Iterator[bytes]:
    for stream in range(1, 4_001, 2):
        yield _opened(stream, f"/{SERVICE}/Session")


def _bytes(data: bytes, times: int = 1) -> Callable[[], Iterator[bytes]]:
    return lambda: (data for _ in range(times))


GRPC_PLAYS: dict[str, tuple[str, Play]] = {
    "specified-fields-only": ("the specification's fields alone", _specified_fields_only),
    "no-token": ("no token", _unauthorised(None)),
    "wrong-token": ("a wrong token", _unauthorised("Bearer x")),
    "bare-token": ("the token without Bearer", _unauthorised(TOKEN)),
    "unknown-method": ("a method that does not exist", _called("Shutdown", b"")),
    "compressed": ("gzip that unpacks to 64 MiB", _compressed),
    "idle-streams": ("20 streams that ask nothing", _idle_streams),
    "impatient": ("100 resets that are given up after a millisecond", _impatient),
    "rapid-reset": ("10,000 streams opened and reset", _frames(_rapid_reset)),
    "many-streams": ("2,000 streams that are never finished", _frames(_many_streams)),
    "ping-flood": ("100,000 PINGs", _frames(_bytes(frame(PING, 0, 0, bytes(8)) * 1000, 100))),
    "settings-flood": ("100,000 SETTINGS", _frames(_bytes(frame(SETTINGS, 0, 0) * 1000, 100))),
    "continuation-flood": (
        "32 MB of CONTINUATION",
        _frames(
            lambda: iter(
                [
                    frame(HEADERS, 0, 1, header_block((":method", "POST"))),
                    *[frame(CONTINUATION, 0, 1, header_block(("k", "v" * 1000)) * 16)] * 2000,
                ]
            )
        ),
    ),
    "no-preface": ("no preface", lambda service: _thrown(service, b"GET / HTTP/1.1\r\n\r\n")),
    "tls": ("a TLS hello", lambda service: _thrown(service, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + bytes(500))),
    "4-gib-message": (
        "a message of 4 GiB",
        _frames(
            lambda: iter([_opened(1, f"/{SERVICE}/GetAction"), frame(DATA, 0, 1, message(b"x", length=0xFFFFFFFF))])
        ),
    ),
    "flag-255": (
        "compression flag 255",
        _frames(lambda: iter([_opened(1, f"/{SERVICE}/GetAction"), frame(DATA, 1, 1, message(b"x", 255))])),
    ),
    "frame-lies": (
        "a frame longer than it is",
        _frames(lambda: iter([_opened(1), frame(DATA, 0, 1, b"x", length=(1 << 24) - 1)])),
    ),
    "bad-hpack": ("headers that cannot be unpacked", _frames(_bytes(frame(HEADERS, END_HEADERS, 1, b"\xff" * 100)))),
}


def _thrown(service: Target, data: bytes) -> list[str]:
    with service.connect() as sock, suppress(OSError):
        sock.sendall(data)
        sock.settimeout(1)
        sock.recv(1 << 16)
    return []
