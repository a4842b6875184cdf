"""Which doors may be told by a side or a number, on maps made by hand: only what everybody counts alike."""

from __future__ import annotations

from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval.worlds.episodes.relations import Walker, Way, way_to
from nav_eval.worlds.episodes.rooms_map import DoorWay, Flat, RoomsMap

HUB = SemanticRegion(1, "open office", 0, (0.0, 0.0, 0.0), (9.0, 3.0, 8.0))


def office(*doors: DoorWay) -> RoomsMap:
    """A hub, 9 m along x and 8 m along z, whose doors lead to one office each."""
    beyond = {door.b: SemanticRegion(door.b, "office", 0, (9.0, 0.0, 0.0), (12.0, 3.0, 3.0)) for door in doors}
    return RoomsMap({1: HUB} | beyond, doors, {})


def door(number: int, middle: Flat, along_x: bool) -> DoorWay:
    return DoorWay(number, "door", 1, number, middle, 0.0, along_x)


ENTRY = door(2, (4.0, 8.0), False)
FIRST, SECOND = door(3, (0.0, 5.0), True), door(4, (0.0, 2.0), True)
COMING_IN = Walker(1, (4.0, 8.0), (0.0, -1.0), ENTRY)


def test_doors_of_one_wall_are_counted() -> None:
    assert way_to(office(ENTRY, FIRST, SECOND), COMING_IN, SECOND) == Way("straight", "left", 2)


def test_nobody_counts_round_a_corner() -> None:
    beside_the_entry = door(5, (1.5, 8.0), False)
    assert way_to(office(ENTRY, FIRST, SECOND, beside_the_entry), COMING_IN, SECOND) is None
    elsewhere = door(5, (7.5, 8.0), False)
    assert way_to(office(ENTRY, FIRST, SECOND, elsewhere), COMING_IN, SECOND) == Way("straight", "left", 2)


def test_a_door_is_not_right_where_another_is_more_so() -> None:
    begins = Walker(1, (4.0, 4.0), (0.0, -1.0))
    aslant, square = door(3, (9.0, 1.0), True), door(4, (9.0, 4.0), True)
    kitchen = SemanticRegion(4, "kitchen", 0, (9.0, 0.0, 3.0), (12.0, 3.0, 6.0))
    both = office(aslant, square)
    both.rooms[4] = kitchen
    assert way_to(both, begins, aslant) is None
    assert way_to(both, begins, square) == Way("right")
