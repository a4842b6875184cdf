"""Floor plans: nothing overlaps, every room is reached, doors and windows lie in the right walls; their topology."""

from __future__ import annotations

import runpy
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval_worlds.plan.floor_plan import Door, Kind, Plan, Rect, Room, wall_line
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.plan.programme import CIRCULATION

topology = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "topology.py"))["topology"]
plans = st.builds(
    lambda seed, rooms, storeys, kind: make_plan(str(seed), rooms, min(storeys, rooms), kind),
    st.integers(0, 10**6),
    st.integers(1, 50),
    st.integers(1, 2),
    st.sampled_from(("home", "office")),
)


@settings(max_examples=60, deadline=None)
@given(plans)
def test_everything_has_its_place(plan: Plan) -> None:
    for check in (rooms_apart, all_reached, doors_shared, windows_outside, glass_columns_and_numbers):
        check(plan)


def rooms_apart(plan: Plan) -> None:
    for a, b in combinations(plan.rooms, 2):
        assert a.storey != b.storey or not a.cell.overlaps(b.cell), (a, b)


def all_reached(plan: Plan) -> None:
    """Through doors and stairs."""
    links = [{door.a, door.b} for door in plan.doors]
    wells = {room.id for room in plan.rooms if room.type == "stairs"}
    if wells:
        links.append(wells)
    seen = {1}
    for _ in plan.rooms:
        seen |= {room for link in links if link & seen for room in link}
    assert seen == {room.id for room in plan.rooms}


def doors_shared(plan: Plan) -> None:
    """Doors lie in the wall of both rooms."""
    for door in plan.doors:
        for room in (plan.room(door.a), plan.room(door.b)):
            sides = "ew" if door.vertical else "ns"
            fits = [
                line == door.line and low < door.low < door.high < high
                for line, low, high in (wall_line(room.cell, side) for side in sides)  # type: ignore[arg-type]
            ]
            assert any(fits), (door, room)
        assert door.high - door.low >= 700


def windows_outside(plan: Plan) -> None:
    """A point half a metre beyond each window lies in no other room of the storey."""
    for window in plan.windows:
        room = plan.room(window.room)
        line, low, high = wall_line(room.cell, window.side)
        assert low < window.low < window.high < high
        out = line + (-500 if window.side in "nw" else 500)
        middle = (window.low + window.high) // 2
        x, z = (middle, out) if window.side in "ns" else (out, middle)
        assert not any(o.storey == room.storey and o.cell.holds(x, z) for o in plan.rooms)


def glass_columns_and_numbers(plan: Plan) -> None:
    """Glass in the wall of both rooms and clear of doors, columns clear of walls, a number beside each door once."""
    for pane in plan.glazing:
        rooms = [plan.room(number).clear for number in (pane.a, pane.b)]
        ends = [(r.z0, r.z1) if pane.vertical else (r.x0, r.x1) for r in rooms]
        assert all(low < pane.low < pane.high < high for low, high in ends)
        lines = [(r.x0, r.x1) if pane.vertical else (r.z0, r.z1) for r in (plan.room(n).cell for n in (pane.a, pane.b))]
        assert all(pane.line in line for line in lines)
        for door in (*plan.doors_of(pane.a), *plan.doors_of(pane.b)):
            beside = door.high + 100 < pane.low or pane.high < door.low - 100
            assert beside or (door.vertical, door.line) != (pane.vertical, pane.line)
    for column in plan.columns:
        clear, r = plan.room(column.room).clear, column.rect
        assert clear.x0 + 1000 < r.x0 < r.x1 < clear.x1 - 1000
        assert clear.z0 + 1000 < r.z0 < r.z1 < clear.z1 - 1000
    assert len({sign.number for sign in plan.signs}) == len(plan.signs)
    assert plan.kind == "office" or not plan.signs


@pytest.mark.parametrize("kind", ["home", "office"])
@pytest.mark.parametrize("rooms", [1, 2, 5, 10, 25, 50])
def test_the_plan_has_the_rooms_that_were_asked_for(rooms: int, kind: Kind) -> None:
    plan = make_plan("seed", rooms, 1, kind)
    assert sum(room.type not in CIRCULATION for room in plan.rooms) == rooms


def test_the_same_seed_gives_the_same_plan() -> None:
    assert make_plan("7", 9, 2, "home") == make_plan("7", 9, 2, "home") != make_plan("8", 9, 2, "home")


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
    assert len(often) >= 6
