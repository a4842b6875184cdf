"""Rays among boxes: which one a ray meets first, and on which of its faces."""

from __future__ import annotations

from nav_eval.jit import kernel
from nav_eval_worlds.rays.march import F64, I64


@kernel(_nrt=False)
def meet(low: F64, high: F64, starts: F64, ways: F64, far: F64, hit: I64, axis: I64) -> None:
    """Of rays (N, 3) among boxes (B, 3), metres: `far` (N,), in lengths of the ray, the number `hit` (N,) of a box, -1
    for none, and the `axis` (N,) of the face that is met. A box that a ray starts in is not met."""
    for k in range(len(starts)):
        far[k], hit[k], axis[k] = 1e9, -1, 0
        for box in range(len(low)):
            into, out, face = 0.0, far[k], 0
            for a in range(3):
                way = ways[k, a]
                if abs(way) < 1e-9:
                    way = 1e-9
                one, two = (low[box, a] - starts[k, a]) / way, (high[box, a] - starts[k, a]) / way
                if max(one, two) < out:
                    out = max(one, two)
                if min(one, two) > into:
                    into, face = min(one, two), a
            if 0.0 < into < out:
                far[k], hit[k], axis[k] = into, box, face
