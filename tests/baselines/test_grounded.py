"""The rules of `grounded`: what they read in texts of people, and how far they come in homes that nobody chose."""

from __future__ import annotations

import pytest

import nav_eval
from nav_eval_baselines.grounded import GroundedAgent
from nav_eval_baselines.reading import destination, kind_of_room, landmark


@pytest.mark.parametrize(
    ("text", "room", "thing"),
    [
        ("Leave the bedroom, walk down the hall into the kitchen and wait by the fridge.", "kitchen", "refrigerator"),
        ("Exit the study. Take the second door on your right. Stop next to the printer.", "", "printer"),
        ("Go past the dining room table into the living room. Stop at the TV.", "living room", "tv_monitor"),
        ("Walk out of the living room and into the hallway. Wait at the coat rack.", "hallway", "clothes"),
        ("Enter the bathroom through the third door on your left and stop near the tub.", "bathroom", "bathtub"),
        ("Turn around and stop by the bed.", "", "bed"),
        ("走出卧室，左转进入卫生间，在马桶旁停下。", "bathroom", "toilet"),
        ("从厨房走到客厅，停在沙发前。", "living room", "sofa"),
        ("离开书房，走到走廊，进右边第一扇门。停在床边。", "", "bed"),
        ("", "", ""),
    ],
)
def test_end_of_an_instruction(text: str, room: str, thing: str) -> None:
    assert (destination(text.lower()), landmark(text.lower())) == (room, thing)


@pytest.mark.parametrize(
    ("contents", "room"),
    [
        ({"bed", "desk", "lamp", "towel"}, "bedroom"),
        ({"desk", "bookshelf", "plant", "lamp"}, "study"),
        ({"toilet", "washing_machine", "sink"}, "bathroom"),
        ({"table", "lamp"}, ""),
    ],
)
def test_what_stands_in_a_room_tells_its_kind(contents: set[str], room: str) -> None:
    assert kind_of_room(contents) == room


@pytest.mark.soak
def test_reaches_a_third_of_the_goals_in_homes_that_nobody_chose() -> None:
    """Random walkers reach none; eighty episodes are known to about a tenth."""
    homes = "dataset.generate={seed: held, scenes: 2, rooms: 5, detail: 30000, per_scene: 16}"
    results = nav_eval.evaluate("vln-demo", agent=GroundedAgent, overrides=[homes, "dataset.sample=80"])
    assert results.metrics["success"]["mean"] >= 1 / 3
