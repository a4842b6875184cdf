"""Pickles of a policy server: arrays as any numpy reads them, and a reader that makes chunks of actions alone.

A pickle names functions, and whoever unpickles it calls them. The reader here knows four names, all of which stand for
code of this file; any other name is refused, so that no server can run anything. Neither torch nor the server's package
is needed: a tensor comes as torch.save's older form, whose parts are pickles themselves and are read the same way.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from nav_eval_baselines.bridges.base import PolicyServerError

KINDS = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "BFloat16Storage": "<u2"}


class _Pickler(pickle.Pickler):
    """Writes arrays that any numpy reads and the server can write to; numpy 2's own form says nothing to numpy 1."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.ndarray, (value.shape, value.dtype.str, bytearray(value.tobytes()))
        return NotImplemented


def pickled(value: Any) -> bytes:
    """As the server unpickles it."""
    stream = io.BytesIO()
    _Pickler(stream, protocol=4).dump(value)
    return stream.getvalue()


def made(module: str, name: str, *values: Any) -> bytes:
    """The pickle of `module.name(*values)`, which need not be installed here: the tuple of values becomes its call."""
    head, stop = 2, 1  # bytes of the protocol's number and of the end
    call = pickle.GLOBAL + f"{module}\n{name}\n".encode()
    body = pickled(values)
    return body[:head] + call + body[head:-stop] + pickle.REDUCE + pickle.STOP


def chunk_of(data: bytes, module: str) -> list[Any]:
    """What a pickled list of `module.TimedAction` holds: each has timestamp, timestep and action, an array.

    Raises PolicyServerError.
    """
    try:
        found = _Reader(io.BytesIO(data), module).load()
        if isinstance(found, list) and all(vars(one).keys() >= {"timestamp", "timestep", "action"} for one in found):
            return found
    except Exception as error:  # noqa: BLE001 - whatever a broken pickle meets is said in one sentence
        raise PolicyServerError(f"the server's reply cannot be read: {error!r}."[:300]) from None
    raise PolicyServerError("the server's reply is no list of actions; is it LeRobot's policy server?")


class _Reader(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, module: str = "") -> None:
        super().__init__(stream)
        self._known: dict[tuple[str, str], Any] = {
            (module, "TimedAction"): type("TimedAction", (), {}),  # a new one, which this pickle may change
            ("torch._utils", "_rebuild_tensor_v2"): lambda *parts: _tensor(*parts[:4]),
            ("torch.storage", "_load_from_bytes"): lambda data: _storage(data),
            ("collections", "OrderedDict"): OrderedDict,
        }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._known:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no part of a chunk of actions")
        return self._known[module, name]


class _StorageReader(pickle.Unpickler):
    """A storage of torch.save's older form: its kind and length, without its numbers."""

    def find_class(self, module: str, name: str) -> Any:
        if module != "torch" or name not in KINDS:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no kind of numbers")
        return KINDS[name]

    def persistent_load(self, told: Any) -> tuple[str, int]:
        _, kind, _, _, length, *_ = told
        return kind, length


def _storage(data: bytes) -> Any:
    """(N,), from four pickles (a mark, a version, the machine's sizes, what it is), its keys, its length, its bytes."""
    stream = io.BytesIO(data)
    _, _, _, (kind, length), _ = (_StorageReader(stream).load() for _ in range(5))
    stream.seek(8, io.SEEK_CUR)
    values = np.frombuffer(stream.read(), kind)
    if len(values) != length:
        raise pickle.UnpicklingError(f"{len(values)} numbers instead of {length}")
    return (values.astype("<u4") << 16).view("<f4") if kind == KINDS["BFloat16Storage"] else values


def _tensor(storage: Any, offset: int, shape: Sequence[int], strides: Sequence[int]) -> Any:
    """One row of numbers of a storage: (D,)."""
    (length,), (step,) = shape, strides
    row = storage[offset : offset + length * step : step]
    if len(row) != length:
        raise pickle.UnpicklingError(f"a tensor of shape {shape} in a storage of {len(storage)}")
    return row
