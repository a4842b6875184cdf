"""Tuples of arrays as one array of words: a kernel that is handed sixty arrays begins 13 microseconds later.

The words are what numba itself passes for an array: two owners, of which kernels that allocate nothing know none, then
how many items it has, their size, their address, shape and strides. Whoever hands them over keeps the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from nav_eval.engine.render.layout import COMMON, I64, Assets, Workspace

WRITABLE = (Workspace,)
type_of: Any = numba.typeof
tuple_of: Any = types.BaseTuple.from_types


def handle(value: Assets | Workspace) -> I64:
    """The words of all arrays; TypeError where one is not of the kind that its field's annotation tells.

    (K,): addresses, and lengths of all but the first axis.
    """
    if type_of(value) != native(type(value)):
        raise TypeError(f"{type_of(value)} instead of {native(type(value))}")
    return np.array([*_words(value)], np.int64)


def _words(value: Any) -> Iterator[int]:
    if isinstance(value, np.ndarray):
        yield from (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    else:
        for part in value:
            yield from _words(part)


def native(kind: Any, writable: bool | None = None) -> Any:
    """Numba's type of a named tuple, by the annotations of its fields."""
    writes = kind in WRITABLE if writable is None else writable
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind, include_extras=True)
        return tuple_of([native(hint, writes) for hint in hints.values()], kind)
    array, *dimensions = get_args(kind) if hasattr(kind, "__metadata__") else (kind, 1)
    return types.Array(numba.from_dtype(np.dtype(_item(array))), dimensions[0], "C", readonly=not writes)


def _item(array: Any) -> Any:
    """float32 of NDArray[float32], which is ndarray[Any, dtype[float32]], or an alias of its own from numpy 2.5 on."""
    last = get_args(array)[-1]
    return get_args(last)[0] if get_args(last) else last


def _opened(_typing: Any, words: Any, kind: Any) -> Any:
    """The tuple of class `kind` that `handle` was given."""
    opened_type = native(kind.instance_class)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load(builder.bitcast(data, context.get_value_type(opened_type).as_pointer()))

    return opened_type(words, kind), generate


def _shared(_typing: Any, own: Any, frame: Any, ids: Any) -> Any:
    """A thread's own workspace, but what is common to all of the frame's, whose `ids` stand apart."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        work, common, seen = arguments
        for index in map(Workspace._fields.index, COMMON):
            work = builder.insert_value(work, builder.extract_value(common, index), index)
        return builder.insert_value(work, seen, Workspace._fields.index("ids"))

    return own(own, frame, ids), generate


opened: Any = intrinsic(_opened)
shared: Any = intrinsic(_shared)
