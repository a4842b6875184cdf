"""The two number types of the build kernels: int64 for counts and indices, float32 for lengths.

Numba compiles a kernel again for every combination of argument types, and a literal is a type of its own; writing
`long(0)` where a counter starts keeps each kernel to one variant. To a type checker they are an int and a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def long(value: Any) -> int: ...

    def single(value: Any) -> float: ...

else:
    from numpy import float32 as single
    from numpy import int64 as long

__all__ = ["long", "single"]
