"""Rays among boxes: which one a ray meets first, and on which of its faces."""

from __future__ import annotations

from nav_eval.jit import inner, kernel
from nav_eval_worlds.rays.march import F64, I64, Scalar


@kernel(_nrt=False)
def meet(low: F64, high: F64, starts: F64, ways: F64, far: F64, hit: I64, axis: I64, nearest: bool) -> None:
    """Of rays (N, 3) among boxes (B, 3), metres: `far` (N,), in lengths of the ray, the number `hit` (N,) of a box, -1
    for none, and the `axis` (N,) of the face that is met; of any box, if not `nearest`.

    A box that a ray starts in is not met.
    """
    for k in range(len(starts)):
        far[k], hit[k], axis[k] = 1e9, -1, 0
        x, y, z = 1.0 / whole(ways[k, 0]), 1.0 / whole(ways[k, 1]), 1.0 / whole(ways[k, 2])
        for box in range(len(low)):
            one, two = (low[box, 1] - starts[k, 1]) * y, (high[box, 1] - starts[k, 1]) * y
            into, out, face = min(one, two), max(one, two), 1
            one, two = (low[box, 0] - starts[k, 0]) * x, (high[box, 0] - starts[k, 0]) * x
            if min(one, two) > into:
                into, face = min(one, two), 0
            out = min(out, max(one, two))
            if into >= min(out, far[k]):
                continue
            one, two = (low[box, 2] - starts[k, 2]) * z, (high[box, 2] - starts[k, 2]) * z
            if min(one, two) > into:
                into, face = min(one, two), 2
            if 0.0 < into < min(out, max(one, two), far[k]):
                far[k], hit[k], axis[k] = into, box, face
                if not nearest:
                    break


@inner(_nrt=False, forceinline=True)
def whole(way: Scalar) -> Scalar:
    """A part of a direction that one can divide by."""
    return way if abs(way) > 1e-9 else 1e-9
