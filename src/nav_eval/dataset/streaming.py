"""Reads a data set file piece by piece, so that memory does not grow with the file.

Data set files are one JSON value, a list of records or an object whose member "episodes" is that list, or JSON Lines,
one record in each row. The text is unpacked and decoded in pieces; the standard library's decoder takes one record (or
one other member) at a time from a sliding window. Gzip is recognised by its first bytes, JSON Lines by the file's name
or by a second object in the second row.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, cast

from nav_eval.errors import DatasetError
from nav_eval.reading import opened

MAX_BYTES = 8 * 2**30
"""A file that unpacks to more than this is refused: the largest public ones stay well below."""

DENSEST = 100
"""So many times its size a gzip file may unpack to: public data sets unpack to 4 to 10 times theirs, a bomb to 1000."""
SPARED_BYTES = 64 * 2**20
"""Small files may be as dense as they like."""

ROW = "row"
LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
"""Endings of the names of JSON Lines files."""

_PIECE = 2**20
_LONGEST = 2**30
_BLANK = " \t\n\r"
_BLANKS = re.compile(r"[ \t\n\r]*+")

PairsHook: TypeAlias = Callable[[list[tuple[str, Any]]], Any]


class Part(NamedTuple):
    """A record (`number` is its place in the array `key`, "" for a bare list) or a whole member (`number` is None).

    In JSON Lines `key` is ROW.
    """

    key: str
    number: int | None
    value: Any

    @property
    def path(self) -> str:
        if self.number is None:
            return self.key
        return f"{ROW} {self.number + 1}" if self.key == ROW else f"{self.key}[{self.number}]"


class JsonStream:
    """The parts of one file, in file order. After a full pass, `keys` counts the members (none in a bare list).

    `hook` is json's object_pairs_hook; with one, a member that stands twice is not refused but counted.
    Raises DatasetError, which names the file and the place, for what cannot be read: no such file, broken gzip, over
    `max_bytes` or DENSEST times its size unpacked, not UTF-8, not JSON.
    """

    def __init__(
        self, file: str, *, max_bytes: int = MAX_BYTES, hook: PairsHook | None = None, records: str = "episodes"
    ) -> None:
        self.file = file
        self.keys: Counter[str] = Counter()
        self.is_list = False
        self._records = records
        self._max_bytes = max_bytes
        self._tolerant = hook is not None
        self._decoder = json.JSONDecoder(object_pairs_hook=hook)

    def __iter__(self) -> Iterator[Part]:
        self.keys = Counter()
        try:
            with open_bytes(self.file) as handle:
                densest = max(SPARED_BYTES, DENSEST * Path(self.file).stat().st_size)
                yield from self._parts(_Window(handle, self._decoder, self._max_bytes, densest))
        except _Unreadable as error:
            raise DatasetError(f"{self.file}: {error}") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DatasetError(f"{self.file}: the gzip data is cut off or damaged. Fetch the file again.") from error
        except OSError as error:
            raise DatasetError(
                f"{self.file}: {error.strerror or error}. Check dataset.data_path and NAV_EVAL_DATA; "
                "`nav-eval data check` lists what is expected where."
            ) from error

    def _parts(self, window: _Window) -> Iterator[Part]:
        opening = window.peek()
        in_rows = opening == "{" and (self.file.endswith(LINES) or window.has_rows())
        self.is_list = opening == "[" or in_rows
        if in_rows:
            yield from self._rows(window)
        elif opening == "[":
            yield from self._array(window, "")
        elif opening == "{":
            yield from self._object(window)
        elif opening == "":
            raise _Unreadable("the file is empty. Fetch it again.")
        else:
            raise _Unreadable(f"not JSON: it begins with {opening!r}. Give a .json or .json.gz data set file.")
        if window.peek():
            raise _Unreadable(
                "more text follows the JSON value. If each row is a record (JSON Lines), let the file's name end in "
                ".jsonl or .jsonl.gz; if not, remove what follows."
            )

    def _rows(self, window: _Window) -> Iterator[Part]:
        number = 0
        while window.peek():
            yield Part(ROW, number, window.value(f"{ROW} {number + 1}"))
            number += 1

    def _object(self, window: _Window) -> Iterator[Part]:
        for _ in window.items("{", "}", "top level"):
            key = window.value("top level: a key")
            if not isinstance(key, str) or not window.take(":"):
                raise _Unreadable("top level: not JSON: expected a key in quotes and a colon")
            if key in self.keys and not self._tolerant:
                raise _Unreadable(f"the key {key!r} appears twice. Remove one.")
            self.keys[key] += 1
            if key == self._records and window.peek() == "[":
                yield from self._array(window, key)
            else:
                yield Part(key, None, window.value(key))

    def _array(self, window: _Window, key: str) -> Iterator[Part]:
        for index in window.items("[", "]", key or "top level"):
            yield Part(key, index, window.value(f"{key}[{index}]"))


class _Unreadable(Exception):
    """What is wrong with the text; becomes a DatasetError that names the file."""


def open_bytes(file: str) -> IO[bytes]:
    """The unpacked bytes of `file`, whether or not it is gzip."""
    handle = opened(file)
    packed = handle.read(2) == b"\x1f\x8b"
    handle.seek(0)
    return cast("IO[bytes]", OwningGzip(fileobj=handle)) if packed else handle


class OwningGzip(gzip.GzipFile):
    """GzipFile leaves a file object that it was given open; this one closes it."""

    def close(self) -> None:
        packed = cast("IO[bytes] | None", self.fileobj)
        super().close()
        if packed is not None:
            packed.close()


class _Window:
    """The text from where reading stands to where unpacking stands."""

    def __init__(self, handle: IO[bytes], decoder: json.JSONDecoder, max_bytes: int, densest: int) -> None:
        self._handle = handle
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._decoder = decoder
        self._read = 0
        self._max_bytes = max_bytes
        self._densest = densest
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not blank, or "" at the end."""
        while True:
            self._at = cast("re.Match[str]", _BLANKS.match(self._text, self._at)).end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def has_rows(self) -> bool:
        """Whether the next row is an object by itself and the one after it begins another."""
        first, _, rest = self._text[self._at :].partition("\n")
        return first.rstrip().endswith("}") and rest.lstrip(_BLANK).startswith("{")

    def take(self, character: str) -> bool:
        """Step over `character` if it is next."""
        found = self.peek() == character
        self._at += found
        return found

    def items(self, opening: str, closing: str, where: str) -> Iterator[int]:
        """Counts the items of an array or object; the caller reads each one before asking for the next."""
        self.take(opening)
        index = 0
        while not self.take(closing):
            if index and not self.take(","):
                raise _Unreadable(f"{where}: {self._unexpected('a comma or the end')}")
            yield index
            index += 1

    def value(self, where: str) -> Any:
        """Decode the next value, unpacking as much more text as it needs."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = self._is_cut(error)
                if not self._may_continue(error) or not self._fill():
                    raise _Unreadable(f"{where}: {_broken(error.msg, cut)}") from error
            except (ValueError, RecursionError) as error:
                raise _Unreadable(f"{where}: cannot be decoded ({error}). Correct the file.") from error
            else:
                if self._is_whole(end) or not self._fill():
                    self._at = end
                    return value

    def _may_continue(self, error: json.JSONDecodeError) -> bool:
        """Whether the text is merely cut here: an open string, or a fault at the very end."""
        return error.msg.startswith("Unterminated") or error.pos > len(self._text) - 16

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the fault is that the text ends here, if nothing follows."""
        return error.msg.startswith("Unterminated") or not any(c in "]}," for c in self._text[error.pos :])

    def _is_whole(self, end: int) -> bool:
        """Whether a value that ends at `end` is no number that goes on in the next piece ("1." or "1e+")."""
        return len(self._text) > end + 2 or self._text[end : end + 1] in (*_BLANK, ",", "]", "}")

    def _fill(self) -> bool:
        """Unpack at least as much as is waiting, so that a huge value costs linear time. False at the end."""
        if self._ended:
            return False
        waiting = self._text[self._at :]
        if len(waiting) > _LONGEST:
            raise _Unreadable(f"one value is longer than {_LONGEST} characters. This is not a data set.")
        data = self._handle.read(max(_PIECE, len(waiting)))
        self._read += len(data)
        if self._read > self._max_bytes:
            raise _Unreadable(f"unpacks to more than {self._max_bytes} bytes. If that is right, raise max_bytes.")
        if self._read > self._densest:
            raise _Unreadable(
                f"unpacks to more than {DENSEST} times its size, as no data set does. If that is right, unpack it."
            )
        self._ended = not data
        self._text = waiting + self._decoded(data)
        self._at = 0
        return bool(data)

    def _decoded(self, data: bytes) -> str:
        try:
            return self._decode.decode(data, final=not data)
        except UnicodeDecodeError as error:
            if data:
                raise _Unreadable(f"not UTF-8 ({error.reason}). Save it as UTF-8.") from error
            raise _Unreadable("the text is cut off within a character. Fetch the file again.") from error

    def _unexpected(self, expected: str) -> str:
        found = self.peek()
        return _broken(f"expected {expected}" + (f", found {found!r}" if found else ""), cut=not found)


def _broken(message: str, cut: bool) -> str:
    if cut:
        return f"the JSON text is cut off ({message}). Fetch the file again."
    return f"not JSON: {message}. Correct the file."
