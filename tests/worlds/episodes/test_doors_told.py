"""Which doors may be told by a side or a number, on maps made by hand: only what everybody counts alike."""

from __future__ import annotations

import math
import re

import pytest

from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.relations import Walker, Way, side_of_door, turn_towards, way_to
from nav_eval_worlds.language.rooms_map import DoorWay, Flat, RoomsMap
from nav_eval_worlds.language.speaker import STYLES, say
from nav_eval_worlds.language.steps import Go, Noun, Stop
from nav_eval_worlds.language.wording import LANGUAGES

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


HALL = SemanticRegion(1, "hallway", 0, (0.0, 0.0, 0.0), (12.0, 3.0, 1.5))
AT_THE_END = Walker(1, (0.5, 0.75), (1.0, 0.0))


def corridor(*ways: tuple[float, str, str]) -> RoomsMap:
    """A corridor of 12 m along x with ways on its left: where along it, of which kind, into which room."""
    doors, rooms = [], {1: HALL}
    for k, (x, kind, room) in enumerate(ways, start=2):
        doors.append(DoorWay(k, kind, 1, k, (x, 0.0), 0.0, False))
        rooms[k] = SemanticRegion(k, room, 0, (x - 1.0, 0.0, -4.0), (x + 1.0, 3.0, -0.1))
    return RoomsMap(rooms, tuple(doors), {})


def test_nothing_is_counted_that_some_would_not_count() -> None:
    plain = corridor((4.0, "door", "study"), (9.0, "door", "bedroom"))
    assert way_to(plain, AT_THE_END, plain.doors[-1]) == Way("straight", "left", 2, last=True)
    for between in ((6.0, "opening", "kitchen"), (6.0, "door", "stairs")):
        doubtful = corridor((4.0, "door", "study"), between, (9.0, "door", "bedroom"))
        assert way_to(doubtful, AT_THE_END, doubtful.doors[-1]) is None
        assert way_to(doubtful, AT_THE_END, doubtful.doors[0]) is not None, "it comes before the doubtful one"


def test_a_door_of_the_wall_one_came_in_through_has_a_side() -> None:
    hall = corridor((2.0, "door", "study"), (6.0, "door", "bedroom"), (9.0, "door", "bathroom"))
    before, entry, after = hall.doors
    come_in = Walker(1, entry.middle, (0.0, 1.0), entry)
    assert side_of_door(hall, come_in, (1.0, 0.0), after) == "left"
    assert side_of_door(hall, come_in, (-1.0, 0.0), before) == "right"


def test_a_door_three_metres_on_is_not_walked_up_to() -> None:
    plain = corridor((3.5, "door", "study"), (9.0, "door", "bedroom"))
    assert [way.near for door in plain.doors if (way := way_to(plain, AT_THE_END, door))] == [True, False]


@pytest.mark.parametrize(("degrees", "turn"), [(20, "straight"), (50, ""), (58, ""), (62, "right"), (90, "right")])
def test_left_and_right_are_sixty_degrees_and_more(degrees: int, turn: str) -> None:
    angle = math.radians(degrees)
    towards = (math.sin(angle), -math.cos(angle))
    assert turn_towards((0.0, -1.0), towards) == turn
    assert turn_towards((0.0, -1.0), (-towards[0], towards[1])) == turn.replace("right", "left")


@pytest.mark.parametrize(("degrees", "alike"), [(50, True), (70, False)])
def test_of_two_ways_in_view_the_turn_tells_which_is_meant(degrees: int, alike: bool) -> None:
    ahead = door(3, (4.0, 0.0), False)
    aside = door(4, (4.0 + 3.0 * math.tan(math.radians(degrees)), 5.0), False)
    both = office(ENTRY, ahead, aside)
    both.rooms[4] = SemanticRegion(4, "kitchen", 0, (9.0, 0.0, 3.0), (12.0, 3.0, 6.0))
    assert way_to(both, COMING_IN, ahead) == Way("straight", alike=alike)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", STYLES)
def test_straight_on_is_said_where_another_way_leads_to_such_a_room(language: str, style: str) -> None:
    begins = Walker(1, (4.5, 4.0), (0.0, -1.0))
    ahead, left = door(3, (4.5, 0.0), False), door(4, (0.0, 4.0), True)
    way = way_to(office(ahead, left), begins, ahead)
    assert way == Way("straight", alike=True)
    steps = [Go("open office", "office", way), Stop(Noun("desk"), room="office")]
    for seed in range(20):
        text = "".join(say(steps, language, style, Stream("alike", seed)))
        assert re.search("straight|forward|ahead|直|往前", text), text
