"""Which camera it is that sees: nobody tells how high it is and how wide it sees, but its depth shows both.

Where a level camera sees the floor, depth times row is the same all over the picture: its height by the tangent of
half its angle. The angle shows in a turn on the spot: only with the right one does what was seen before lie where it is
seen now. Pictures are then fitted into the view of the camera that the network was trained with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.senses import SIDE, in_the_middles
from nav_eval_baselines.learned.surroundings import HEIGHT

ANGLE = 90
"""Of the camera that the network was trained with, degrees."""
TOLERANCE = 0.05
"""Metres that do not count as another height."""
ANGLES = np.arange(40, 121)
"""Degrees that are tried."""
CLEARLY = 0.4
"""An angle must fit better than the present one by this factor."""
MAX_TURNS = 8
APART = 0.1
"""Of two depths, by share: what differs more has moved, or was hidden."""
LOWEST, BIN, BINS = 0.2, 0.025, 160
"""Metres: of a camera, and of a bin of heights."""
CLEAR = (0.1, 8.0)
"""Metres of depth that is measured by."""
_WIDE = (np.arange(2 * SIDE) + 0.5) / SIDE - 1
_MIDDLES = (2 * np.arange(SIDE) + 1) / SIDE - 1
_ROWS = slice(SIDE // 2 - 14, SIDE // 2 + 14, 4)
_TANGENTS = np.tan(np.radians(ANGLES / 2))[:, None, None]


class Camera:
    """Of one episode; `height` m, `angle` degrees from left to right: those of the training until others show."""

    def __init__(self) -> None:
        self.height, self.angle = HEIGHT, ANGLE
        self._heights = np.zeros(BINS)
        self._misfits = np.zeros(len(ANGLES))
        self._before: Any = None
        self._turns = 0

    @property
    def tangent(self) -> float:
        """Of half the angle."""
        return float(np.tan(np.radians(self.angle / 2)))

    def look(self, depth: Any, pose: Any) -> bool:
        """Whether it is another camera than was thought. `depth` (H, W, 1) m; `pose`: x, y, m, and the compass, rad."""
        metres, before = in_the_middles(depth)[..., 0], self._before
        if before and np.array_equal(metres, before[0]):
            return False
        self._heights += heights(metres, depth.shape[0] / depth.shape[1])
        self._before = metres, pose
        if before and self._turns < MAX_TURNS and turned(before[1], pose):
            self._misfits += misfits(before[0], metres, pose[2] - before[1][2])
            self._turns += 1
        return self._conclude()

    def _conclude(self) -> bool:
        was = self.height, self.angle
        best = self._misfits.argmin()
        if self._misfits[best] < CLEARLY * self._misfits[self.angle - ANGLES[0]]:
            self.angle = int(ANGLES[best])
        height = floor(self._heights) * self.tangent
        if height and abs(height - self.height) > TOLERANCE:
            self.height = height
        return was != (self.height, self.angle)

    def fit(self, rgb: Any, depth: Any) -> tuple[Any, Any]:
        """Both as a camera of ANGLE, up and across, sees them.

        What this one does not see: of the sides no depth is measured; above, all goes on as it was, and so it does
        below, down to the floor.
        """
        height, width = depth.shape[:2]
        if self.angle == ANGLE and height == width:
            return rgb, depth
        up, across = self.tangent * height / width, self.tangent
        metres = np.where(np.abs(_WIDE)[:, None] < across, seen_as(depth, up, across), 0)
        below = up < _WIDE
        metres[below] = np.minimum(metres[below], (self.height / _WIDE[below])[:, None, None])
        return seen_as(rgb, up, across), metres


def seen_as(image: Any, up: float, across: float) -> Any:
    """(2 SIDE, 2 SIDE, ...) of 90 degrees, its edges drawn out, of one with these tangents of half its angles."""
    rows, columns = ((_WIDE / limit + 1) / 2 * size for limit, size in zip((up, across), image.shape))
    return image[rows.astype(int).clip(0, len(image) - 1)][:, columns.astype(int).clip(0, image.shape[1] - 1)]


def turned(before: Any, pose: Any) -> bool:
    """On the spot, and by more than an error."""
    return bool(np.hypot(*(pose[:2] - before[:2])) < 0.02 and abs(np.sin(pose[2] - before[2])) > 0.1)


def heights(metres: Any, aspect: float) -> Any:
    """(BINS,) how many depths of (SIDE, SIDE) lie how far below a camera of 90 degrees."""
    below = metres * (aspect * _MIDDLES)[:, None]
    seen = (metres > CLEAR[0]) & (metres < CLEAR[1]) & (below > LOWEST)
    return np.bincount(np.minimum(below[seen] / BIN, BINS - 1).astype(int), minlength=BINS)


def floor(heights: Any) -> float:
    """Metres down to the lowest level of which much is seen, 0 where none is: walls are seen at all levels alike."""
    near = np.convolve(heights, np.ones(3), "same")
    lowest = int(np.flatnonzero(near >= 0.3 * near.max())[-1])
    level = lowest - 3 + int(near[lowest - 3 : lowest + 1].argmax())
    first = round(LOWEST / BIN)
    if near[level] <= 3 * np.median(near[first : level + 1]):
        return 0.0
    around = np.arange(level - 1, min(level + 2, BINS))
    return float(np.average((around + 0.5) * BIN, weights=heights[around]))


def misfits(before: Any, now: Any, turn: float) -> Any:
    """(ANGLES,) how badly depths (SIDE, SIDE) fit those from before a turn to the left, rad, by the camera's angle."""
    ahead = before[_ROWS]
    right = ahead * _MIDDLES * _TANGENTS
    sine, cosine = np.sin(turn), np.cos(turn)
    farther = np.maximum(ahead * cosine - right * sine, CLEAR[0])
    places = (right * cosine + ahead * sine) / (farther * _TANGENTS), _MIDDLES[_ROWS, None] * ahead / farther
    cells = np.stack([((one + 1) / 2 * SIDE).astype(int) for one in places])
    inside = (ahead > CLEAR[0]) & (ahead < CLEAR[1]) & ((cells >= 0) & (cells < SIDE)).all(0)
    columns, rows = cells.clip(0, SIDE - 1)
    seen = now[rows, columns]
    inside &= seen > CLEAR[0]
    apart = np.minimum(np.abs(np.log(farther / np.maximum(seen, CLEAR[0]))), APART)
    return np.where(inside, apart, 0).sum((1, 2)) / np.maximum(inside.sum((1, 2)), 1)
