"""Signs that somebody does not attend to what they are shown: remarks for whoever reads the results, no verdicts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

FEW = 3
"""Fewer decisions than this tell nothing."""
HASTY_SECONDS = 0.1
"""Half the time of a simple reaction to something seen."""


def only_forward(actions: Sequence[str]) -> bool:
    """Whether somebody walked straight on to the end: move_forward and no other action but a last stop."""
    names = [one for one in actions if one != "stop"]
    return len(names) >= FEW and set(names) == {"move_forward"}


def hasty(seconds: Sequence[float]) -> bool:
    """Whether the median of these decisions' times is shorter than anybody needs to look."""
    return len(seconds) >= FEW and statistics.median(seconds) < HASTY_SECONDS
