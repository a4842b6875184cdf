"""What the model is given of an observation: a small picture of colour and depth, and how the body moved."""

from __future__ import annotations

from typing import Any

import numpy as np

STOP, FORWARD, LEFT, RIGHT = range(4)
"""The places of the actions in what the network says."""
SIDE = 112
"""Pixels of the picture's sides: 224 / 2."""
CELLS = 14
"""Of a picture's side, of each of which is told what is in it."""
FAR = 3.0
"""Metres at which nearness is 1 / e."""
FARTHEST = 10.0
"""Metres at which there is taken to be what no depth was measured of: cameras say 0."""
MOTION = 8
"""Numbers that tell of the body."""
REFLECTED = np.array([1, -1, 1, -1, 1, -1, 1, 1], np.float32)
"""Their signs in a mirror."""


def picture(rgb: Any, depth: Any) -> Any:
    """(4, SIDE, SIDE) float32 in 0 .. 1: colours, and nearness, of (H, W, 3) uint8 and (H, W, 1) metres.

    Colours are averaged over each small pixel's block, depths are those in the middles, because none lies between two.
    """
    metres = in_the_middles(depth)
    measured = np.where(metres > 0, metres, FARTHEST)
    return np.concatenate([_averaged(rgb), nearness(measured)], axis=-1).transpose(2, 0, 1)


def nearness(metres: Any) -> Any:
    return np.exp(-np.asarray(metres, np.float32) / FAR)


def _averaged(image: Any) -> Any:
    """(SIDE, SIDE, 3) float32 in 0 .. 1."""
    rows, columns = (np.arange(SIDE) * size // SIDE for size in image.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(image, rows, axis=0, dtype=np.float32), columns, axis=1)
    counts = np.diff(rows, append=image.shape[0])[:, None] * np.diff(columns, append=image.shape[1])
    return sums / (255 * np.maximum(counts, 1)[..., None]).astype(np.float32)


def in_the_middles(image: Any) -> Any:
    """(SIDE, SIDE, ...): the pixel in the middle of each block."""
    rows, columns = ((2 * np.arange(SIDE) + 1) * size // (2 * SIDE) for size in image.shape[:2])
    return image[rows][:, columns]


def motion(gps: Any, compass: Any, before: Any, steps: Any) -> Any:
    """(..., MOTION): where it is, m ahead and right of the start, where it looks, and what the last action did.

    `gps` (..., 2) m; `compass` (...) rad; `before` (..., 3): both, one step ago; `steps` (...): taken so far.
    """
    moved = np.hypot(gps[..., 0] - before[..., 0], gps[..., 1] - before[..., 1])
    turned = np.sin(compass - before[..., 2])
    heading = [np.cos(compass), np.sin(compass)]
    first = [np.asarray(steps) == 0, np.asarray(steps) / 100]
    return np.stack([gps[..., 0] / 10, gps[..., 1] / 10, *heading, 4 * moved, 4 * turned, *first], -1).astype(
        np.float32
    )
