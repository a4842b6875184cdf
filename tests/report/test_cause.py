"""Why episodes failed, on a hand-made flat of three rooms in a row, each 4 m by 4 m; the reference goes from the first
to the second."""

from __future__ import annotations

import numpy as np
import pytest

from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval.report.cause import Cause, cause, inside, to_path
from nav_eval.report.scenery import EpisodeFacts
from nav_eval.report.track import Track, centimetres

ROOMS = tuple(
    SemanticRegion(i, name, 0, (4.0 * i, 0.0, 0.0), (4.0 * i + 4, 2.5, 4.0))
    for i, name in enumerate(("foyer", "kitchen", "study"))
)
WAY = centimetres([(2, 0.1, 2), (5, 0.1, 2), (7, 0.1, 2)])
FACTS = EpisodeFacts(reference=WAY, goals=WAY[-1:])
BARE = EpisodeFacts(goals=WAY[-1:])


def walked(*spots: tuple[float, float], stopped: bool = True, hits: tuple[int, ...] = ()) -> Track:
    places = [*spots, spots[-1]] if stopped else [*spots]
    points = centimetres([(x, 0.1, z) for x, z in places])
    actions = "f" * (len(spots) - 1) + "s" * stopped
    return Track(points, np.zeros(len(points), np.int16), actions, hits, np.zeros(0, np.float32))


WALL = walked((2, 2), *[(2.3, 2)] * 12, hits=tuple(range(1, 12, 2)))


@pytest.mark.parametrize(
    ("outcome", "track", "facts", "expected"),
    [
        ("stopped_far", walked((2, 2), (5, 2), (7.9, 2), (8.4, 2)), FACTS, Cause("wrong_room", 3, "study")),
        ("stopped_far", walked((2, 2), (2, 2.9), (2, 3.2), (9, 2)), FACTS, Cause("left_path", 2)),
        ("passed_goal", walked((2, 2), (6.5, 2), (9, 2)), FACTS, Cause("passed_goal", 1)),
        ("not_stopped", walked((2, 2), (6.5, 2), (7, 2), stopped=False), FACTS, Cause("not_stopped", 1)),
        ("stuck", WALL, FACTS, Cause("blocked", 2)),
        ("stopped_near", walked((2, 2), (5.5, 2)), FACTS, Cause("short_in_room", 2)),
        ("stopped_far", walked((2, 2), (3, 2)), FACTS, Cause("short_on_path", 2)),
        ("out_of_steps", walked((2, 2), (3, 2), stopped=False), FACTS, Cause("endless", 1)),
        ("stopped_far", walked((2, 2), (9, 2)), BARE, Cause("untold", 2)),
        ("agent_timeout", walked((2, 2), (9, 2)), FACTS, Cause("aborted")),
        ("no_move", walked((2, 2)), FACTS, Cause("no_move")),
        ("stopped_far", None, FACTS, Cause("untold")),
        ("success", walked((2, 2), (7, 2)), FACTS, None),
        ("not_scored", walked((2, 2), (7, 2)), FACTS, None),
    ],
)
def test_what_went_wrong_first(outcome: str, track: Track | None, facts: EpisodeFacts, expected: Cause | None) -> None:
    assert cause(outcome, track, facts, ROOMS, 1.0) == expected


def test_sliding_along_a_wall_is_no_obstacle() -> None:
    way = walked(*((2 + 0.1 * i, 2.0) for i in range(20)), hits=tuple(range(19)))
    assert cause("stopped_far", way, FACTS, ROOMS, 1.0) == Cause("short_on_path", 20)


def test_a_place_that_may_be_in_two_rooms_is_in_no_wrong_one() -> None:
    """Boxes of real scans overlap."""
    rooms = (*ROOMS, SemanticRegion(3, "house", 0, (0.0, 0.0, 0.0), (12.0, 2.5, 4.0)))
    found = cause("stopped_far", walked((2, 2), (5, 2), (8.4, 2)), FACTS, rooms, 5.0)
    assert found is not None
    assert found.kind == "short_in_room"
    assert inside(rooms, WAY).tolist() == [[True, False, False, True], *[[False, True, False, True]] * 2]


def test_distance_to_a_path() -> None:
    """Beside its middle, beyond its end, on it."""
    points = centimetres([(3, 0.1, 5), (10, 0.1, 6), (6, 0.1, 2)])
    assert to_path(points, WAY) == pytest.approx([300, 500, 0])
