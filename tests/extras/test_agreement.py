"""Agreement of people, against its definition by pairs; learning, against what was drawn."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from nav_eval_extras.annotate.agreement import agreement, halves
from nav_eval_extras.annotate.journal import Played


def test_pairs_and_chance_are_counted_one_by_one() -> None:
    """Chance: any two outcomes of all, drawn with replacement (Fleiss 1971)."""
    rng = np.random.default_rng(0)
    for each in (2, 3, 5):
        outcomes = (rng.random((12, each)) < rng.random((12, 1))).tolist()
        pairs = [a == b for one in outcomes for a, b in combinations(one, 2)]
        every = [outcome for one in outcomes for outcome in one]
        chance = sum(a == b for a, b in product(every, every)) / len(every) ** 2
        alike, kappa = agreement(outcomes)
        assert alike == pytest.approx(sum(pairs) / len(pairs))
        assert kappa == pytest.approx((alike - chance) / (1 - chance))


def test_where_all_fare_alike_there_is_no_kappa() -> None:
    assert agreement([[True, True], [True, True]]) == (1.0, None)
    assert agreement([[True, True], [False, False]]) == (1.0, 1.0)


def played(person: int, second: int, *, success: bool) -> Played:
    at = f"2026-01-01T00:00:{second:02}+00:00"
    return Played(person=person, at=at, path="", episode="", key="", actions=[], seconds=[], success=success)


def test_learning_follows_the_order_in_which_each_person_played() -> None:
    mixed = [played(2, 9, success=True), played(1, 3, success=True), played(1, 1, success=False)]
    mixed += [played(1, 2, success=True), played(2, 4, success=False)]
    assert halves(mixed) == (0.0, 1.0)
    assert halves(mixed[:1]) is None
