"""Signs that somebody does not attend to what they are shown: remarks for whoever reads the results, no verdicts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

FEW = 3
"""Fewer decisions than this tell nothing."""
HASTY_SECONDS = 0.1
"""Half the time of a simple reaction to something seen."""


def only_forward(actions: Sequence[str]) -> bool:
    """Whether somebody walked straight on to the end: move_forward and no other action but a last stop."""
    names = [one for one in actions if one != "stop"]
    return len(names) >= FEW and set(names) == {"move_forward"}


def hasty(actions: Sequence[str], seconds: Sequence[float]) -> bool:
    """Whether the median of these decisions' times is shorter than anybody needs to look.

    Only a change of action counts: a key that is held down repeats one as fast as frames come.
    """
    changes = [spent for spent, (before, after) in zip(seconds[1:], pairwise(actions)) if before != after]
    return len(seconds) >= FEW and statistics.median([seconds[0], *changes]) < HASTY_SECONDS
