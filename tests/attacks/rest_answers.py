"""REST: what each of the six calls may be answered with, where the answer is HTTP but its content is none."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from attacks.attack import FAILS, NEVER_READY, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_rest import CALLS, Connection, Reply, Request, answer, proper
from attacks.services import at, rest

Make = Callable[[Request], Reply]
BAD = {"info": NEVER_READY, "health": NEVER_READY, "validate": UNHARMED, "reset": FAILS, "act": FAILS, "end": SURVIVES}
"""What may come of an answer that is none. `validate` decides nothing; `end` may cost the episode, or nothing."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`odd`: it may be taken as well as refused; `slow`: it is met with short deadlines."""

    name: str
    what: str
    make: Make
    odd: bool = False
    slow: bool = False

    def expected(self, call: str) -> Expectation:
        return SURVIVES if self.odd else BAD[call]


def _body(change: Callable[[bytes], bytes], **options: Any) -> Make:
    return lambda request: answer(change(json.dumps(proper(request)).encode()), **options)


def _fields(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Make:
    return lambda request: answer(change(proper(request)))


def _raw_field(text: str) -> Make:
    """The proper answer with every value replaced by `text`, which need not be JSON."""
    return lambda request: answer(("{" + ",".join(f'"{key}":{text}' for key in proper(request)) + "}").encode())


def _more(text: str) -> Make:
    """The proper answer and one unknown key, whose value is `text`."""
    return _body(lambda body: body[:-1] + b',"more":' + text.encode() + b"}")


def _twice(body: bytes) -> bytes:
    return body[:-1] + b"," + body[1:]


def _poured(head: bytes, block: bytes) -> Make:
    def pour(connection: Connection) -> None:
        connection.send(head)
        connection.pour(block)

    return lambda request: pour


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
BOMB = gzip.compress(bytes(64 << 20))
DEEP = "[" * 100_000
KINDS = (
    Kind("no-body", "an empty body", _body(lambda body: b"")),
    Kind("list", "a list instead of an object", _body(lambda body: b"[" + body + b"]")),
    Kind("null", "null instead of an object", _body(lambda body: b"null")),
    Kind("text", "a text instead of an object", _body(lambda body: b'"ready"')),
    Kind("number", "a number instead of an object", _body(lambda body: b"7")),
    Kind("no-json", "words instead of JSON", _body(lambda body: b"yes, of course")),
    Kind("wrong-types", "every value is an object", _raw_field('{"a":1}')),
    Kind("nulls", "every value is null", _raw_field("null")),
    Kind("truncated", "JSON cut in its middle", _body(lambda body: body[: len(body) // 2])),
    Kind("extra-bytes", "bytes after the object", _body(lambda body: body + b"}garbage")),
    Kind("two-objects", "two objects in one body", _body(lambda body: body + body)),
    Kind("blanks", "2 MiB of blanks before the object", _body(lambda body: b" " * (2 << 20) + body)),
    Kind(
        "huge-endless",
        "Content-Length of 1 TiB, and as much as is taken",
        _poured(OK + b"Content-Length: 1099511627776\r\n\r\n", b" " * (1 << 20)),
        slow=True,
    ),
    Kind("deep", "100,000 lists in one another", _body(lambda body: DEEP.encode())),
    Kind("deep-unknown", "an unknown key 100,000 lists deep", _more(DEEP + "]" * 100_000), odd=True),
    Kind("deep-objects", "every value 50,000 objects deep", _raw_field('{"a":' * 50_000 + "1" + "}" * 50_000)),
    Kind("nan", "every value is NaN", _raw_field("NaN")),
    Kind("infinity", "every value is -Infinity", _raw_field("-Infinity")),
    Kind("1e400", "every value is 1e400", _raw_field("1e400")),
    Kind("many-digits", "every value is an integer of 500,000 digits", _raw_field("9" * 500_000)),
    Kind("surrogate", "every value is half of a surrogate pair", _raw_field('"\\ud800"')),
    Kind("duplicate-keys", "every key twice", _body(_twice), odd=True),
    Kind(
        "many-keys",
        "50,000 unknown keys",
        _fields(lambda fields: fields | {f"k{i}": i for i in range(50_000)}),
        odd=True,
    ),
    Kind(
        "gzip-bomb", "64 KiB of gzip that unpack to 64 MiB", _body(lambda body: BOMB, head="Content-Encoding: gzip\r\n")
    ),
    Kind("gzip", "an encoding that was not asked for", _body(gzip.compress, head="Content-Encoding: gzip\r\n")),
    Kind("deflate", "deflate without saying so", _body(zlib.compress)),
    Kind("utf-16", "UTF-16", _body(lambda body: body.decode().encode("utf-16"))),
    Kind("bom", "a byte order mark before the object", _body(lambda body: b"\xef\xbb\xbf" + body), odd=True),
    Kind(
        "no-utf-8",
        "bytes that are no UTF-8 in every text",
        _body(lambda body: body.replace(b'": "', b'": "\xff\xfe')),
        odd=True,
    ),
    Kind("html", "an HTML page", _body(lambda body: b"<html><script>alert(1)</script></html>", kind="text/html")),
    Kind("says-html", "the proper object, called text/html", _body(bytes, kind="text/html"), odd=True),
    Kind("says-msgpack", "JSON, called msgpack", _body(bytes, kind="application/msgpack")),
    Kind("msgpack", "msgpack, called JSON", _body(lambda body: b"\x81\xa6status\xa5ready")),
    Kind(
        "msgpack-bomb",
        "msgpack that announces 4 billion items",
        _body(lambda body: b"\xdd\xff\xff\xff\xff", kind="application/msgpack"),
    ),
    Kind(
        "says-problem",
        "a problem document with status 200",
        _body(lambda body: b'{"code":"agent_error"}', kind="application/problem+json"),
        odd=True,
    ),
    Kind("strange-type", "a content type of 10,000 characters", _body(bytes, kind="x/" + "Q" * 10_000), odd=True),
)


def attacks() -> Iterator[Attack]:
    for number, kind in enumerate(KINDS):
        for call in in_turn(number, CALLS, ["act"]):
            quick = kind.slow or call == "health"
            yield rest(f"answers/{call}/{kind.name}", kind.what, kind.expected(call), at(call, kind.make), quick=quick)
