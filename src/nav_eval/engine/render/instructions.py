"""Instructions that numba has no name for: on a line of memory, and on a vector of numbers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

NUMBER, COUNT = ir.IntType(32), ir.IntType(64)
WIDTH = 16
"""Numbers of 32 bits that `spread` writes: a vector of AVX-512, two of AVX2."""
FETCHED = 8
"""Indices whose texels `fetch` loads."""
UNALIGNED = 4
"""Bytes: a vector may begin at any number."""
FIRSTS, SECONDS = [0, 2, 8, 10, 4, 6, 12, 14], [1, 3, 9, 11, 5, 7, 13, 15]
"""Of pairs 0, 1, 4, 5 and then 2, 3, 6, 7."""


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to array[index]."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


def _as_vector(builder: Any, place: Any, width: int) -> Any:
    """Pointer to the numbers of 32 bits that begin there."""
    return builder.bitcast(place, ir.VectorType(NUMBER, width).as_pointer())


def _shuffled(builder: Any, first: Any, second: Any, order: list[int]) -> Any:
    """The numbers of two vectors in an order."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(NUMBER, len(order)), order))


def _spread(_typing: Any, target: Any, at: Any, value: Any) -> Any:
    """Write a number of 32 bits to the WIDTH places of an array from `at` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.cast(builder, arguments[2], signature.args[2], signature.args[0].dtype)
        one = builder.insert_element(ir.Constant(ir.VectorType(NUMBER, WIDTH), ir.Undefined), number, NUMBER(0))
        place = _as_vector(builder, _place(context, builder, signature.args[0], *arguments[:2]), WIDTH)
        builder.store(_shuffled(builder, one, one, [0] * WIDTH), place, align=UNALIGNED)
        return context.get_dummy_value()

    return types.void(target, at, value), generate


def _fetch(_typing: Any, texels: Any, row: Any, indices: Any, taps: Any, step: Any, below: Any) -> Any:
    """Load the texels at the FETCHED indices row[indices] and on, right of them, `below` further on and right of that.

    They are written to row[taps] and on, `step` further on, and so forth: two texels by one load, FETCHED by one store.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places = [builder.add(arguments[2], COUNT(k)) for k in range(FETCHED)]
        at = [builder.load(_place(context, builder, signature.args[1], arguments[1], place)) for place in places]
        target = arguments[3]
        for further in (COUNT(0), arguments[5]):
            texel = [builder.add(builder.zext(index, COUNT), further) for index in at]
            pairs = [_place(context, builder, signature.args[0], arguments[0], index) for index in texel]
            pair = [builder.load(_as_vector(builder, place, 2), align=UNALIGNED) for place in pairs]
            two = [_shuffled(builder, pair[k], pair[k + 1], [*range(4)]) for k in range(0, FETCHED, 2)]
            four = [_shuffled(builder, two[k], two[k + 2], [*range(8)]) for k in (0, 1)]
            for order in (FIRSTS, SECONDS):
                place = _place(context, builder, signature.args[1], arguments[1], target)
                builder.store(_shuffled(builder, *four, order), _as_vector(builder, place, FETCHED), align=UNALIGNED)
                target = builder.add(target, arguments[4])
        return context.get_dummy_value()

    return types.void(texels, row, indices, taps, step, below), generate


def _choose(_typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """`yes if condition else no` without a branch."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(context.cast(builder, arguments[0], signature.args[0], types.boolean), *arguments[1:])

    return yes(condition, yes, yes), generate


spread: Any = intrinsic(_spread)
choose: Any = intrinsic(_choose)
fetch: Any = intrinsic(_fetch)
