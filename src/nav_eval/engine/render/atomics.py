"""How the threads of one frame agree: three instructions that numba has no name for, and calls to the system.

A thread takes its next strip by counting on, and posts that it has finished one. Nobody holds a lock, so a thread that
the system sets aside keeps the others from nothing but the strip it is at.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import templates
from numba.extending import intrinsic

ONE = ir.Constant(ir.IntType(64), 1)
BYTES = 8
"""Of a number of the array."""


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


def _take(_typing: Any, array: Any, index: Any) -> Any:
    """array[index] before it is counted on by one; no two threads get the same."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _place(context, builder, signature, arguments), ONE, "seq_cst")

    return types.int64(array, index), generate


def _look(_typing: Any, array: Any, index: Any) -> Any:
    """array[index] as another thread posted it, and with it all that that thread wrote before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature, arguments), "acquire", BYTES)

    return types.int64(array, index), generate


def _post(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write `value` to array[index], for others to `look` at."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.cast(builder, arguments[2], signature.args[2], types.int64)
        builder.store_atomic(number, _place(context, builder, signature, arguments), "release", BYTES)
        return context.get_dummy_value()

    return types.void(array, index, value), generate


take: Any = intrinsic(_take)
look: Any = intrinsic(_look)
post: Any = intrinsic(_post)
signature: Any = templates.signature
step_aside: Any = types.ExternalFunction("sched_yield", signature(types.int32))
"""Let another thread have this core, if one waits for it."""
core: Any = types.ExternalFunction("sched_getcpu", signature(types.int32))
"""The number of the core that this thread is on."""
sleep: Any = types.ExternalFunction("usleep", signature(types.int32, types.uint32))
"""Do nothing for so many microseconds."""
