"""A peer's words, fit for a terminal, a log, a journal and a table: the one place that makes them so.

Both transports pass every answer through `cleaned`, and WireError its own message through `line`, so nobody further in
meets control characters, direction marks, halves of surrogate pairs, line ends or megabytes.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

LONGEST = 200
"""Characters. With the evaluator's own words around them, a reason stays below 300."""
LONGEST_SAID = 1000
"""Characters of an answer's own words that are kept."""
CODE = re.compile(r"[a-z_]{1,40}")
S = TypeVar("S", bound=msgspec.Struct)


def line(text: str, longest: int = LONGEST) -> str:
    """`text` as one line of at most `longest` characters; what cannot be printed is spelt out (\\x1b, \\u202e)."""
    words = " ".join(text[: 2 * longest].split())
    spelt = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)
    return spelt if len(spelt) <= longest else f"{spelt[: longest - 4]} ..."


def passage(text: str, longest: int = LONGEST_SAID) -> str:
    """`text` with its line ends, of at most `longest` characters; what cannot be printed is spelt out."""
    kept = text[:longest].strip()
    spelt = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in kept)
    return spelt if len(text) <= longest and len(spelt) <= longest else f"{spelt[: longest - 4]} ..."


def cleaned(message: S) -> S:
    """The same message with each of its texts as a line."""
    return msgspec.convert(_clean(msgspec.to_builtins(message)), type(message))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return line(value)
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value
