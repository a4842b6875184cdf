"""REST: what each of the six calls may be answered with, where the answer is HTTP but its content is none."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from attacks.attack import FAILS, NEVER_READY, SURVIVES, UNHARMED, Attack, Kind, spread
from attacks.raw_rest import CALLS, Connection, Reply, Request, answer, proper
from attacks.services import at, rest

Make = Callable[[Request], Reply]
BAD = {"info": NEVER_READY, "health": NEVER_READY, "validate": UNHARMED, "reset": FAILS, "act": FAILS, "end": SURVIVES}
"""What may come of an answer that is none. `validate` decides nothing; `end` may cost the episode, or nothing."""


def _body(change: Callable[[bytes], bytes], **options: Any) -> Make:
    return lambda request: answer(change(json.dumps(proper(request)).encode()), **options)


def _raw_field(text: str) -> Make:
    """The proper answer with every value replaced by `text`, which need not be JSON."""
    return lambda request: answer(("{" + ",".join(f'"{key}":{text}' for key in proper(request)) + "}").encode())


def _more(text: str) -> Make:
    """The proper answer and one unknown key, whose value is `text`."""
    return _body(lambda body: body[:-1] + b',"more":' + text.encode() + b"}")


def _endless(request: Request) -> Reply:
    def pour(connection: Connection) -> None:
        connection.send(OK + b"Content-Length: 1099511627776\r\n\r\n")
        connection.pour(b" " * (1 << 20))

    return pour


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DEEP = "[" * 100_000
GZIP = {"head": "Content-Encoding: gzip\r\n"}
KEYS = {f"k{i}": i for i in range(50_000)}
HTML = b"<html><script>alert(1)</script></html>"
BOMB = gzip.compress(bytes(64 << 20))
PACKED_BOMB, MSGPACK = b"\xdd\xff\xff\xff\xff", "application/msgpack"
PROBLEM = b'{"code":"agent_error"}'
ENDLESS = Kind("Content-Length of 1 TiB, and as much as is taken", _endless)
KINDS = (
    Kind("an empty body", _body(lambda body: b""), mute=True),
    Kind("a list instead of an object", _body(lambda body: b"[" + body + b"]")),
    Kind("null instead of an object", _body(lambda body: b"null")),
    Kind("a text instead of an object", _body(lambda body: b'"ready"')),
    Kind("a number instead of an object", _body(lambda body: b"7")),
    Kind("words instead of JSON", _body(lambda body: b"yes, of course"), mute=True),
    Kind("every value is an object", _raw_field('{"a":1}')),
    Kind("every value is null", _raw_field("null")),
    Kind("JSON cut in its middle", _body(lambda body: body[: len(body) // 2])),
    Kind("bytes after the object", _body(lambda body: body + b"}garbage")),
    Kind("two objects in one body", _body(lambda body: body + body)),
    Kind("2 MiB of blanks before the object", _body(lambda body: b" " * (2 << 20) + body)),
    ENDLESS,
    Kind("100,000 lists in one another", _body(lambda body: DEEP.encode())),
    Kind("an unknown key 100,000 lists deep", _more(DEEP + "]" * 100_000), odd=True),
    Kind("every value 50,000 objects deep", _raw_field('{"a":' * 50_000 + "1" + "}" * 50_000)),
    Kind("every value is NaN", _raw_field("NaN")),
    Kind("every value is -Infinity", _raw_field("-Infinity")),
    Kind("every value is 1e400", _raw_field("1e400")),
    Kind("every value is an integer of 500,000 digits", _raw_field("9" * 500_000)),
    Kind("every value is half of a surrogate pair", _raw_field('"\\ud800"')),
    Kind("every key twice", _body(lambda body: body[:-1] + b"," + body[1:]), odd=True),
    Kind("50,000 unknown keys", lambda request: answer(proper(request) | KEYS), odd=True),
    Kind("64 KiB of gzip that unpack to 64 MiB", _body(lambda body: BOMB, **GZIP)),
    Kind("an encoding that was not asked for", _body(gzip.compress, **GZIP)),
    Kind("deflate without saying so", _body(zlib.compress), mute=True),
    Kind("UTF-16", _body(lambda body: body.decode().encode("utf-16"))),
    Kind("a byte order mark before the object", _body(lambda body: b"\xef\xbb\xbf" + body), odd=True),
    Kind("no UTF-8 in every text", _body(lambda body: body.replace(b'": "', b'": "\xff\xfe')), odd=True),
    Kind("an HTML page", _body(lambda body: HTML, kind="text/html")),
    Kind("the proper object, called text/html", _body(bytes, kind="text/html"), odd=True),
    Kind("JSON, called msgpack", _body(bytes, kind=MSGPACK)),
    Kind("msgpack, called JSON", _body(lambda body: b"\x81\xa6status\xa5ready")),
    Kind("msgpack that announces 4 billion items", _body(lambda body: PACKED_BOMB, kind=MSGPACK)),
    Kind("a problem of status 200", _body(lambda body: PROBLEM, kind="application/problem+json"), odd=True),
    Kind("a content type of 10,000 characters", _body(bytes, kind="x/" + "Q" * 10_000), odd=True),
)


def attacks() -> Iterator[Attack]:
    for kind, call, expected in spread(KINDS, BAD, CALLS, ["act"]):
        quick = kind is ENDLESS or call == "health"
        yield rest(f"answers/{call}/{kind.what}", expected, at(call, kind.make), quick=quick)
