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
"""Where the first and the second numbers of pairs stand that lie in the order 0, 1, 4, 5 and 2, 3, 6, 7: so that no
half of a vector is crossed."""


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
        def place(array: int, index: Any) -> Any:
            return _place(context, builder, signature.args[array], arguments[array], index)

        at = [builder.load(place(1, builder.add(arguments[2], COUNT(k)))) for k in range(FETCHED)]
        found = []
        for further in (COUNT(0), arguments[5]):
            texel = [place(0, builder.add(builder.zext(index, COUNT), further)) for index in at]
            found += _parted(builder, [builder.load(_as_vector(builder, at, 2), align=UNALIGNED) for at in texel])
        for k, vector in enumerate(found):
            target = place(1, builder.add(arguments[3], builder.mul(arguments[4], COUNT(k))))
            builder.store(vector, _as_vector(builder, target, FETCHED), align=UNALIGNED)
        return context.get_dummy_value()

    return types.void(texels, row, indices, taps, step, below), generate


def _parted(builder: Any, pairs: list[Any]) -> list[Any]:
    """A vector of the first numbers of FETCHED pairs, and one of the second ones."""
    two = [_shuffled(builder, pairs[k], pairs[k + 1], [*range(4)]) for k in range(0, FETCHED, 2)]
    outer, inner = (_shuffled(builder, two[k], two[k + 2], [*range(8)]) for k in (0, 1))
    return [_shuffled(builder, outer, inner, order) for order in (FIRSTS, SECONDS)]


def _choose(_typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """`yes if condition else no` without a branch."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(context.cast(builder, arguments[0], signature.args[0], types.boolean), *arguments[1:])

    return yes(condition, yes, yes), generate


spread: Any = intrinsic(_spread)
choose: Any = intrinsic(_choose)
fetch: Any = intrinsic(_fetch)
