"""Instructions that numba has no name for: on a line of memory, and on a vector of numbers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

READ, SOON, DATA = (ir.Constant(ir.IntType(32), value) for value in (0, 3, 1))
WIDTH = 16
"""Numbers of 32 bits that `spread` writes: a vector of AVX-512, two of AVX2."""
UNALIGNED = 4
"""Bytes: the vector may begin at any number."""
declared: Any = cgutils.get_or_insert_function


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Pointer to array[index], the first two arguments."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


def _prefetch(_typing: Any, array: Any, index: Any) -> Any:
    """Load the cache line of array[index] without waiting for it; an index beyond the array is harmless."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        kind = ir.FunctionType(ir.VoidType(), [place.type, READ.type, SOON.type, DATA.type])
        builder.call(declared(builder.module, kind, "llvm.prefetch.p0"), [place, READ, SOON, DATA])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _spread(_typing: Any, target: Any, at: Any, value: Any) -> Any:
    """Write a number of 32 bits to the WIDTH places of an array from `at` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.cast(builder, arguments[2], signature.args[2], signature.args[0].dtype)
        vector, first = ir.VectorType(number.type, WIDTH), ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
        place = builder.bitcast(_place(context, builder, signature, arguments), vector.as_pointer())
        builder.store(builder.shuffle_vector(one, one, first), place, align=UNALIGNED)
        return context.get_dummy_value()

    return types.void(target, at, value), generate


def _choose(_typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """`yes if condition else no`, both worked out: of a branch around a store LLVM makes a masked one, which is slow."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(context.cast(builder, arguments[0], signature.args[0], types.boolean), *arguments[1:])

    return yes(condition, yes, yes), generate


prefetch: Any = intrinsic(_prefetch)
spread: Any = intrinsic(_spread)
choose: Any = intrinsic(_choose)
