"""How buildings hang together: the measure on a plan drawn by hand, and how many kinds a hundred homes are."""

from __future__ import annotations

from collections import Counter

import pytest

from nav_eval_worlds.plan.floor_plan import Door, Plan, Rect, Room
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.plan.topology import clusters, topology


def door(number: int, a: int, b: int, vertical: bool, line: int, low: int, high: int) -> Door:
    return Door(number, a, b, 0, vertical, line, low, high, 2050, high - low < 1000)


BY_HAND = Plan(
    "home", "", 1, 2880,
    (
        Room(1, "living room", 0, Rect(0, 0, 4000, 4000)),
        Room(2, "kitchen", 0, Rect(4000, 0, 8000, 4000)),
        Room(3, "hallway", 0, Rect(0, 4000, 8000, 6000)),
        Room(4, "bedroom", 0, Rect(0, 6000, 4000, 10000)),
    ),
    (
        door(1, 1, 2, True, 4000, 300, 3700), door(2, 1, 3, False, 4000, 1000, 1900),
        door(3, 2, 3, False, 4000, 6000, 6900), door(4, 3, 4, False, 6000, 1000, 1900),
    ),
    (), None,
)  # fmt: skip
"""Three rooms in a ring round a corridor, a fourth beyond it: an L."""


def test_the_measure_of_a_plan_drawn_by_hand() -> None:
    found = topology(BY_HAND)
    assert (found.rooms, found.ways, found.cycles, found.depth) == (4, 4, 1, 2)
    assert found.degrees == (0, 1, 2, 1)
    assert (found.halls, found.zones, found.hub) == (1, 1, 1.0)
    assert found.corridor == pytest.approx(16 / 64)
    assert found.concavity == pytest.approx(1 - 64 / 72)
    assert found.kind == "open plan, rings, compact"


def test_a_hundred_homes_are_of_six_kinds_at_least() -> None:
    """Kinds of which there are at least three."""
    plans = [make_plan(f"kinds-{seed}", 4 + seed % 12, 1 + (seed % 4 == 0), "home") for seed in range(100)]
    often = [kind for kind, count in Counter(topology(plan).kind for plan in plans).items() if count >= 3]
    assert clusters(plans) == len(often) >= 6
