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
"""Degrees that are tried, in the first MAX_TURNS; one must fit better than the present one by the factor CLEARLY."""
CLEARLY, MAX_TURNS = 0.4, 8
APART, FEW = 0.1, 50
"""Depths that differ by a larger share are of something else; so few in both pictures tell nothing."""
NEAREST, NEAR, FARTHEST = 0.1, 1.5, 8.0
"""Metres of depth between which the angle is measured; the height from NEAR on, for a table may hide the floor."""
LOWEST, BIN, BINS = 0.2, 0.025, 160
"""Metres: of a camera, and of a bin of heights."""
MUCH, STEP = 0.05, 8
"""Of the lower half of a picture: so much at one level is floor, unless as good as that lies lower. Rows."""
_WIDE, MIDDLES = ((2 * np.arange(side) + 1) / side - 1 for side in (2 * SIDE, SIDE))
_ROWS = slice(SIDE // 2 - 14, SIDE // 2 + 14, 4)
FLOOR = nearness(CAMERA / np.maximum(MIDDLES, 1e-3))[:, None]
_TANGENTS = np.tan(np.radians(ANGLES / 2))[:, None, None]


class Camera:
    """Of one episode; `height` m, `angle` degrees from left to right: those of the training until others show."""

    def __init__(self) -> None:
        self.height, self.angle = CAMERA, ANGLE
        self._level, self._levels = 0.0, np.zeros(BINS)
        self._misfits, self._turns = np.zeros(len(ANGLES)), 0
        self._before: Any = None

    @property
    def tangent(self) -> float:
        """Of half the angle."""
        return 1.0 if self.angle == ANGLE else float(np.tan(np.radians(self.angle / 2)))

    def look(self, depth: Any, pose: Any) -> bool:
        """Whether it is another camera than was thought. `depth` (H, W, 1) m; `pose`: x, y, m, and the compass, rad."""
        metres, before = in_the_middles(depth)[..., 0], self._before
        if before and np.array_equal(metres, before[0]):
            return False
        self._before = metres, pose
        self._levels = np.maximum(self._levels, levels(metres, depth.shape[0] / depth.shape[1]))
        if before and self._turns < MAX_TURNS and turned(before[1], pose):
            self._misfits += misfits(before[0], metres, pose[2] - before[1][2])
            self._turns += 1
        return self._conclude()

    def _conclude(self) -> bool:
        was, best = (self.height, self.angle), self._misfits.argmin()
        if self._misfits[best] < CLEARLY * self._misfits[self.angle - ANGLES[0]]:
            self.angle = int(ANGLES[best])
        self._level = lowest(self._levels) or self._level
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
        if (up, across, self.height) == (1, 1, CAMERA):
            shown = picture(rgb, depth)
            return shown, shown[3]
        shown = lifted(picture(drawn_out(rgb, up, across), drawn_out(depth, up, across)), CAMERA - self.height)
        shown[3] = np.maximum(shown[3], FLOOR)
        return shown, np.where(np.abs(MIDDLES) < across, shown[3], 0)


def drawn_out(image: Any, up: float, across: float) -> Any:
    """(2 SIDE, 2 SIDE, ...) of 90 degrees, of one with these tangents of half its angles."""
    rows, columns = ((_WIDE / limit + 1) / 2 * size for limit, size in zip((up, across), image.shape))
    return image[rows.astype(int).clip(0, len(image) - 1)][:, columns.astype(int).clip(0, image.shape[1] - 1)]


def lifted(shown: Any, up: float) -> Any:
    """A picture as it is seen from `up` m higher: what is near moves down more, and hides what is behind it."""
    rows, columns = np.indices((SIDE, SIDE))
    moved = rows + np.rint(up * SIDE / 2 / np.maximum(-FAR * np.log(shown[3]), NEAREST)).astype(int)
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


def levels(metres: Any, aspect: float) -> Any:
    """(BINS,) of the lower half of depths (SIDE, SIDE) the share that lies so far below a camera of 90 degrees, level.

    From one row to STEP rows below, level ground comes nearer as the rows are deeper, and a wall does not.
    """
    deep = aspect * MIDDLES[SIDE // 2 :, None]
    here, under = metres[SIDE // 2 : -STEP], metres[SIDE // 2 + STEP :]
    below = here * deep[:-STEP]
    level = (under > 0) & (under**2 * deep[STEP:] < here * below)
    seen = level & (here > NEAR) & (here < FARTHEST) & (below > LOWEST)
    return np.bincount((below[seen] / BIN).astype(int).clip(0, BINS - 1), minlength=BINS) / (SIDE * SIDE / 2)


def lowest(levels: Any) -> float:
    """Metres down to the lowest level of which much is seen, of shares (BINS,); 0 where none is."""
    near = np.convolve(levels, np.ones(3), "same")
    if near.max() < MUCH:
        return 0.0
    last = int(np.flatnonzero(near >= 0.3 * near.max())[-1])
    level = last - 3 + int(near[last - 3 : last + 1].argmax())
    around = np.arange(level - 1, min(level + 2, BINS))
    return float(np.average((around + 0.5) * BIN, weights=levels[around]))


def misfits(before: Any, now: Any, turn: float, tangents: Any = _TANGENTS) -> Any:
    """(N,) how badly depths (SIDE, SIDE) fit those from before a turn to the left, rad; `tangents` (N, 1, 1): of half
    the camera's angle, ANGLES where none is given."""
    ahead, sine, cosine = before[_ROWS], np.sin(turn), np.cos(turn)
    right = ahead * MIDDLES * tangents
    farther = np.maximum(ahead * cosine - right * sine, NEAREST)
    spots = (right * cosine + ahead * sine) / (farther * tangents), MIDDLES[_ROWS, None] * ahead / farther
    cells = np.stack([((spot + 1) / 2 * SIDE).astype(int) for spot in spots])
    columns, rows = cells.clip(0, SIDE - 1)
    seen = now[rows, columns]
    both = (ahead > NEAREST) & (ahead < FARTHEST) & (seen > NEAREST) & ((cells >= 0) & (cells < SIDE)).all(0)
    apart = np.minimum(np.abs(np.log(farther / np.maximum(seen, NEAREST))), APART)
    count = both.sum((1, 2))
    return np.where(count < FEW, APART, (both * apart).sum((1, 2)) / np.maximum(count, 1))
