"""A mapping whose values are not kept as objects: 100,000 tracks as such are a hundred MB, pickled fifteen.

Past MAX_BYTES they lie in a file without a name, which is gone with the process.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from nav_eval.results.files import explained

K = TypeVar("K")
V = TypeVar("V")
MAX_BYTES = 8 << 20
"""Of the values in memory."""


class Spooled(Mapping[K, V]):
    """Values of some of the keys of `rows` (key -> its row). `flat` makes a value plain, `whole` is its inverse, which
    makes it anew whenever it is asked for.

    >>> words = Spooled({"a": 0, "b": 1}, str.split, " ".join)
    >>> words.put("b", "one two")
    >>> dict(words)
    {'b': 'one two'}
    """

    def __init__(self, rows: Mapping[K, int], flat: Callable[[V], Any], whole: Callable[[Any], V]) -> None:
        self._rows = rows
        self._flat, self._whole = flat, whole
        self._starts = array("q", [-1]) * len(rows)
        self._file = tempfile.SpooledTemporaryFile(MAX_BYTES)  # noqa: SIM115 - open as long as this
        self._folder = Path(tempfile.gettempdir())
        self._lock = threading.Lock()

    def put(self, key: K, value: V | None) -> None:
        """One that was put before is forgotten; None: and has no successor."""
        if value is None:
            self._starts[self._rows[key]] = -1
            return
        plain = pickle.dumps(self._flat(value), pickle.HIGHEST_PROTOCOL)
        with self._lock, explained(self._folder):
            self._starts[self._rows[key]] = self._file.seek(0, os.SEEK_END)
            self._file.write(plain)

    def __getitem__(self, key: K) -> V:
        start = self._starts[self._rows[key]]
        if start < 0:
            raise KeyError(key)
        with self._lock:
            self._file.seek(start)
            plain = pickle.load(self._file)
        return self._whole(plain)

    def __iter__(self) -> Iterator[K]:
        return (key for key, row in self._rows.items() if self._starts[row] >= 0)

    def __len__(self) -> int:
        return sum(start >= 0 for start in self._starts)
