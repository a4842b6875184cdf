"""One instruction that numba has no name for: ask for a line of memory before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

READ, SOON, DATA = (ir.Constant(ir.IntType(32), value) for value in (0, 3, 1))
declared: Any = cgutils.get_or_insert_function


def _prefetch(_typing: Any, array: Any, index: Any) -> Any:
    """Load the cache line of array[index] without waiting for it; an index beyond the array is harmless."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        kind = ir.FunctionType(ir.VoidType(), [place.type, READ.type, SOON.type, DATA.type])
        builder.call(declared(builder.module, kind, "llvm.prefetch.p0"), [place, READ, SOON, DATA])
        return context.get_dummy_value()

    return types.void(array, index), generate


prefetch: Any = intrinsic(_prefetch)
