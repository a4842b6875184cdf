"""Which camera it is that sees: nobody tells how high it is and how wide it sees, but its depth shows both.

Where a level camera sees the floor, depth times row is the same all over the picture: its height by the tangent of
half its angle. The angle shows in a turn on the spot: only with the right one does what was seen before lie where it is
seen now. What the camera of the training would see there is then made of its pictures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.senses import FAR, SIDE, in_the_middles, nearness, picture
from nav_eval_baselines.learned.surroundings import CAMERA

ANGLE = 90
"""Of the camera that the network was trained with, degrees; it is CAMERA m high."""
TOLERANCE = 0.05
"""Metres that do not count as another height."""
ANGLES = np.arange(40, 121)
"""Degrees that are tried."""
CLEARLY = 0.4
"""An angle must fit better than the present one by this factor."""
MAX_TURNS = 8
APART = 0.1
"""Of two depths, by share: what differs more has moved, or was hidden."""
FEW = 50
"""Depths that tell nothing: one view hardly overlaps the other."""
LOWEST, BIN, BINS = 0.2, 0.025, 160
"""Metres: of a camera, and of a bin of heights."""
NEAREST, NEAR, FARTHEST = 0.1, 1.5, 8.0
"""Metres of depth between which the angle is measured, and the height from NEAR on."""
MUCH = 0.05
"""Of the lower half of a picture: so much at one level is floor, unless more lies lower."""
STEP = 8
"""Rows."""
_WIDE = (np.arange(2 * SIDE) + 0.5) / SIDE - 1
_MIDDLES = (2 * np.arange(SIDE) + 1) / SIDE - 1
_ROWS = slice(SIDE // 2 - 14, SIDE // 2 + 14, 4)
_FLOOR = nearness(CAMERA / np.maximum(_MIDDLES, 1e-3))[:, None]
_TANGENTS = np.tan(np.radians(ANGLES / 2))[:, None, None]


class Camera:
    """Of one episode; `height` m, `angle` degrees from left to right: those of the training until others show."""

    def __init__(self) -> None:
        self.height, self.angle = CAMERA, ANGLE
        self._heights = np.zeros(BINS)
        self._level = 0.0
        self._misfits = np.zeros(len(ANGLES))
        self._before: Any = None
        self._turns = 0

    @property
    def tangent(self) -> float:
        """Of half the angle."""
        return 1.0 if self.angle == ANGLE else float(np.tan(np.radians(self.angle / 2)))

    def look(self, depth: Any, pose: Any) -> bool:
        """Whether it is another camera than was thought. `depth` (H, W, 1) m; `pose`: x, y, m, and the compass, rad."""
        metres, before = in_the_middles(depth)[..., 0], self._before
        if before and np.array_equal(metres, before[0]):
            return False
        self._heights = np.maximum(self._heights, heights(metres, depth.shape[0] / depth.shape[1]))
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
        self._level = floor(self._heights) or self._level
        height = self._level * self.tangent
        if height and abs(height - self.height) > TOLERANCE:
            self.height = height
        return was != (self.height, self.angle)

    def picture(self, rgb: Any, depth: Any) -> tuple[Any, Any]:
        """What senses.picture makes of what the camera of the training would see here; of that (SIDE, SIDE) the
        nearness, 0 on the sides that this camera does not see.

        Beyond the edges all is as it is on them, and where the other camera looks behind something, as it is in front.
        """
        up, across = self.tangent * depth.shape[0] / depth.shape[1], self.tangent
        if (up, across) != (1, 1):
            rgb, depth = drawn_out(rgb, up, across), drawn_out(depth, up, across)
        shown = picture(rgb, depth)
        if self.height != CAMERA:
            shown = lifted(shown, CAMERA - self.height)
        if (up, across, self.height) != (1, 1, CAMERA):
            shown[3] = np.maximum(shown[3], _FLOOR)
        return shown, np.where(np.abs(_MIDDLES) < across, shown[3], 0)


def drawn_out(image: Any, up: float, across: float) -> Any:
    """(2 SIDE, 2 SIDE, ...) of 90 degrees, of one with these tangents of half its angles."""
    rows, columns = ((_WIDE / limit + 1) / 2 * size for limit, size in zip((up, across), image.shape))
    return image[rows.astype(int).clip(0, len(image) - 1)][:, columns.astype(int).clip(0, image.shape[1] - 1)]


def lifted(shown: Any, up: float) -> Any:
    """A picture as it is seen from `up` m higher: what is near moves down more, and hides what is behind it."""
    rows, columns = np.indices((SIDE, SIDE))
    moved = rows + np.rint(up * SIDE / 2 / (-FAR * np.log(shown[3]))).astype(int)
    inside = (moved >= 0) & (moved < SIDE)
    later = slice(None, None, -1 if up > 0 else 1)
    source = np.full((SIDE, SIDE), -1)
    source[moved[inside][later], columns[inside][later]] = rows[inside][later]
    below = np.minimum.accumulate(np.where(source < 0, SIDE, rows)[::-1])[::-1]
    above = np.maximum.accumulate(np.where(source < 0, 0, rows))
    source = np.take_along_axis(source, np.where(below < SIDE, below, above), 0).clip(0)
    return shown[:, source, columns]


def turned(before: Any, pose: Any) -> bool:
    """On the spot, and by more than an error."""
    return bool(np.hypot(*(pose[:2] - before[:2])) < 0.02 and abs(np.sin(pose[2] - before[2])) > 0.1)


def heights(metres: Any, aspect: float) -> Any:
    """(BINS,) of the lower half of depths (SIDE, SIDE) the share that lies so far below a camera of 90 degrees, level.

    From one row to STEP rows below, level ground comes nearer as the rows are deeper, and a wall does not. What is
    near is left out: it may be a table that hides the floor.
    """
    deep = aspect * _MIDDLES[SIDE // 2 :, None]
    here, under = metres[SIDE // 2 : -STEP], metres[SIDE // 2 + STEP :]
    below = here * deep[:-STEP]
    level = (under > 0) & (under**2 * deep[STEP:] < here * below)
    seen = level & (here > NEAR) & (here < FARTHEST) & (below > LOWEST)
    return np.bincount((below[seen] / BIN).astype(int).clip(0, BINS - 1), minlength=BINS) / (SIDE * SIDE / 2)


def floor(heights: Any) -> float:
    """Metres down to the lowest level of which much is seen, of shares as `heights` tells them; 0 where none is."""
    near = np.convolve(heights, np.ones(3), "same")
    lowest = int(np.flatnonzero(near >= 0.3 * near.max())[-1])
    level = lowest - 3 + int(near[lowest - 3 : lowest + 1].argmax())
    if near.max() < MUCH:
        return 0.0
    around = np.arange(level - 1, min(level + 2, BINS))
    return float(np.average((around + 0.5) * BIN, weights=heights[around]))


def misfits(before: Any, now: Any, turn: float) -> Any:
    """(ANGLES,) how badly depths (SIDE, SIDE) fit those from before a turn to the left, rad, by the camera's angle."""
    ahead = before[_ROWS]
    right = ahead * _MIDDLES * _TANGENTS
    sine, cosine = np.sin(turn), np.cos(turn)
    farther = np.maximum(ahead * cosine - right * sine, NEAREST)
    places = (right * cosine + ahead * sine) / (farther * _TANGENTS), _MIDDLES[_ROWS, None] * ahead / farther
    cells = np.stack([((one + 1) / 2 * SIDE).astype(int) for one in places])
    inside = (ahead > NEAREST) & (ahead < FARTHEST) & ((cells >= 0) & (cells < SIDE)).all(0)
    columns, rows = cells.clip(0, SIDE - 1)
    seen = now[rows, columns]
    inside &= seen > NEAREST
    apart = np.minimum(np.abs(np.log(farther / np.maximum(seen, NEAREST))), APART)
    count = inside.sum((1, 2))
    return np.where(count < FEW, APART, np.where(inside, apart, 0).sum((1, 2)) / np.maximum(count, 1))
