"""What an agent has seen of a storey's map: rays over its field of view, up to the next wall or RANGE metres."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nav_eval.report.topdown import GridMap

RANGE = 5.0


def reveal(storey: GridMap, seen: npt.NDArray[np.bool_], x: float, z: float, yaw: float, hfov: float) -> None:
    """Mark in `seen` (rows, columns) what is seen from (x, z) m with `yaw` rad, over `hfov` degrees."""
    cell = storey.meters_per_pixel
    reach = RANGE / cell
    column, row = (x - storey.origin[0]) / cell, (z - storey.origin[1]) / cell
    half = math.radians(hfov) / 2
    angles = yaw + np.arange(-half, half, 0.7 / reach)
    along = np.arange(0, reach, 0.5)
    columns = np.floor(column - np.sin(angles)[:, None] * along).astype(int)
    rows = np.floor(row - np.cos(angles)[:, None] * along).astype(int)
    inside = (rows >= 0) & (columns >= 0) & (rows < seen.shape[0]) & (columns < seen.shape[1])
    rows, columns = np.where(inside, rows, 0), np.where(inside, columns, 0)
    stops = ~inside | (~storey.floor[rows, columns] & (along > 1))
    # The wall itself is seen, what lies behind it is not.
    before = np.cumsum(stops, axis=1) - stops == 0
    lit = before & inside
    seen[rows[lit], columns[lit]] = True
