"""Time that runs down, whatever is done to the wall clock meanwhile, also for whoever it is sent to."""

from __future__ import annotations

import time


class Deadline:
    """Counts from when it is made. Pickled, it takes along the seconds that are left: clocks of processes differ."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds; negative when they are over."""
        return self._until - time.monotonic()

    def __reduce__(self) -> tuple[type[Deadline], tuple[float]]:
        return Deadline, (self.left,)
