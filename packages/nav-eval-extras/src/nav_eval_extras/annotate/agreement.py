"""Whether people who play the same episodes fare alike, and whether they get better as they go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean

from nav_eval_extras.annotate.journal import Played


def agreement(outcomes: Sequence[Sequence[bool]]) -> tuple[float, float | None]:
    """Share of pairs of people who fared alike in an episode, and Fleiss' kappa (1971), which takes chance off.

    `outcomes`: of each episode, of two people or more, as many for each episode. None: all fared alike everywhere.
    """
    each = len(outcomes[0])
    wins = [sum(one) for one in outcomes]
    alike = fmean((won * (won - 1) + (each - won) * (each - won - 1)) / (each * (each - 1)) for won in wins)
    rate = fmean(wins) / each
    chance = rate**2 + (1 - rate) ** 2
    return alike, (alike - chance) / (1 - chance) if chance < 1 else None


def halves(played: Iterable[Played]) -> tuple[float, float] | None:
    """Success in the first and in the second half of what each person played, in that order; an odd one is left out."""
    first: list[bool] = []
    second: list[bool] = []
    for _, plays in groupby(sorted(played, key=lambda one: (one.person, one.at)), lambda one: one.person):
        outcomes = [bool(one.success) for one in plays]
        half = len(outcomes) // 2
        first += outcomes[:half]
        second += outcomes[len(outcomes) - half :]
    return (fmean(first), fmean(second)) if first else None
