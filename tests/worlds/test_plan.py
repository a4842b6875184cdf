"""Floor plans: nothing overlaps, every room is reached, doors and windows lie in the right walls."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval_worlds.plan.floor_plan import Kind, Plan, wall_line
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.plan.programme import CIRCULATION

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
