"""Image arrays that are used again once their last user has let go of them.

Fresh memory from the operating system costs about 3 microseconds a page, a tenth of a frame's time. An array is
free when only the pool refers to it (views of an array refer to it as well), which Python's reference count tells.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

KEPT = 64
"""Arrays of one kind that a pool remembers; what exceeds it is simply left to its users."""


class ArrayPool:
    """Hands out arrays with arbitrary content; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrays: dict[tuple[tuple[int, ...], DTypeLike], list[NDArray[Any]]] = {}

    def take(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array that nobody else uses. Of that shape; its content is whatever was there."""
        with self._lock:
            kept = self._arrays.setdefault((shape, dtype), [])
            for index in range(len(kept)):
                if _users(kept, index) == _IDLE:
                    return kept[index]
            array = np.empty(shape, dtype)
            if len(kept) < KEPT:
                kept.append(array)
            return array

    def clear(self) -> None:
        """Forget all arrays; those in use live on."""
        with self._lock:
            self._arrays.clear()


def _users(arrays: list[NDArray[Any]], index: int) -> int:
    return sys.getrefcount(arrays[index])


_IDLE = _users([np.empty(1)], 0)
"""The count of an array that only a list refers to, as this version of Python reports it from `_users`."""
