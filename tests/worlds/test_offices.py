"""Offices are furnished and decorated as offices: nothing of a home in them, and what people meet and print with."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import Kind, Plan
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.surfaces.palette import Palette
from nav_eval_worlds.surfaces.repertoire import KINDS, art_of
from nav_eval_worlds.surfaces.styles import STYLES, building_style
from nav_eval_worlds.world import _items

PRIVATE = frozenset(
    ("candle", "figurine", "toy", "teddy_bear", "alarm_clock", "board_game", "shoes", "shoe_rack", "hat", "bathrobe",
     "laundry", "wall_hanging", "pet_bed", "scale", "bathtub", "shower", "guitar", "toy_chest")
)  # fmt: skip
AT_HOME = frozenset(("portrait", "flowers", "fruit", "crayons", "family_photo", "bird"))
"""Kinds of pictures."""


@cache
def furnished(kind: Kind) -> list[tuple[Plan, list[Item]]]:
    out = []
    for k in range(6):
        case = (f"work{k}", 5 + 2 * k, 1 + k % 2, kind)
        plan = make_plan(*case)
        stream = Stream("world", case[0], kind, case[1], case[2])
        out.append((plan, _items(plan, building_style(case[0], kind), stream, "all")))
    return out


def kinds_hung(items: list[Item]) -> set[str]:
    names = {quad.material for item in items for quad in item.model.quads}
    return {KINDS[art_of(int(name[3:]))[0]].__name__ for name in names if re.fullmatch(r"art\d+", name)}


@pytest.mark.parametrize("kind", ["home", "office"])
def test_what_homes_have_is_in_no_office(kind: Kind) -> None:
    items = [item for _, items in furnished(kind) for item in items]
    private = {item.category for item in items} & PRIVATE
    pictures = kinds_hung(items) & AT_HOME
    if kind == "home":
        assert len(private) > 12
        assert pictures == AT_HOME
    else:
        assert not private
        assert not pictures
        assert not {item.design for item in items} & {"lantern", "paper_globe", "chandelier"}


def test_people_meet_before_a_screen_and_a_whiteboard() -> None:
    rooms = found = 0
    for plan, items in furnished("office"):
        for room in plan.rooms:
            if room.type == "meeting room":
                own = {item.category for item in items if item.room == room.id}
                rooms, found = rooms + 1, found + ({"tv_monitor", "whiteboard"} <= own)
    assert rooms >= 6
    assert found == rooms


def test_every_office_has_a_copier() -> None:
    for _, items in furnished("office"):
        assert any(item.category == "printer" and item.size[1] > 0.9 for item in items)


def test_offices_have_carpet_in_tiles_laid_crosswise() -> None:
    """The ribs of each tile run across those of its neighbours: brightness changes along x here, along y there."""
    crosswise = {}
    for kind in ("home", "office"):
        tone = Palette("carpet", kind, STYLES[0]).texels("floor_carpet").astype(float).mean(axis=2)
        half = tone.shape[0] // 2
        ways = []
        for top, left in ((0, 0), (0, half), (half, 0), (half, half)):
            tile = tone[top + 8 : top + half - 8, left + 8 : left + half - 8]
            ways.append(np.abs(tile.mean(axis=0) - tile.mean()).mean() / np.abs(tile.mean(axis=1) - tile.mean()).mean())
        crosswise[kind] = ways
    a, b, c, d = crosswise["office"]
    assert min(a, d) > 3
    assert max(b, c) < 1 / 3
    assert max(crosswise["home"]) < 3
