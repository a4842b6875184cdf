"""The Ladder (Blum & Hardt 2015, algorithm 1): a public score moves only if a submission beats it by more than a step.

What it then shows is rounded to the step. So a thousand tries tell a team as much as the few that moved its score, and
cannot be added up to a way of fitting the test set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

ROUNDING = 1e-12
"""What is above the step by so little is so by floating point alone."""
DECIMALS = 12
"""A multiple of 0.01 is then written as one."""


@dataclass(frozen=True)
class Released:
    """The public score after a submission, and by which submission (its place in the sequence) it came about."""

    score: float
    by: int


def climb(scores: Iterable[float], step: float, *, higher: bool) -> list[Released]:
    """What is public after each of a team's scores, given in the order in which they were found."""
    sign = 1.0 if higher else -1.0
    shown = Released(-sign * math.inf, -1)
    released = []
    for n, score in enumerate(scores):
        if sign * (score - shown.score) > step + ROUNDING:
            shown = Released(round(round(score / step) * step, DECIMALS), n)
        released.append(shown)
    return released
