"""Which rooms a door joins: the semantic file against the plan, and against what somebody finds who walks through."""

from __future__ import annotations

import math
from itertools import islice
from typing import get_args

import numpy as np
import pytest

from nav_eval.engine.scene.scene import Scene
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.rooms_map import RoomsMap, rooms_map
from nav_eval_worlds.mesh.semantics import objects, regions
from nav_eval_worlds.mesh.tessellate import tessellate
from nav_eval_worlds.plan.floor_plan import Door, Kind, Plan
from nav_eval_worlds.plan.grammars import GRAMMARS
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.shell.structure import shell_items
from nav_eval_worlds.surfaces.styles import building_style
from worlds.episodes.surveyed import Building

KINDS: list[tuple[str, Kind, int]] = [
    (name, kind, storeys)
    for name, (kinds, _, _, stairs, _) in GRAMMARS.items()
    for kind in get_args(Kind)
    for storeys in (1, 2)
    if kind in kinds and (stairs or storeys == 1)
]
MANY = [
    pytest.param((nth, *of), marks=[pytest.mark.soak] * (nth > 0), id=f"{nth}-{of[0]}-{of[1]}-{of[2]}")
    for of in KINDS
    for nth in range(40)
]


def plan_of(nth: int, grammar: str, kind: Kind, storeys: int) -> Plan:
    """The nth building of a kind that has this grammar."""
    plans = (make_plan(f"ways-{seed}", 2 + seed * 7 % 29, storeys, kind) for seed in range(9999))
    return next(islice((plan for plan in plans if plan.grammar == grammar), nth, None))


def empty(plan: Plan) -> Scene:
    """The building without furniture."""
    items = shell_items(plan, building_style("empty", plan.kind), Stream("empty"))
    mesh = tessellate(items, 20_000)
    return Scene(
        name="empty",
        positions=mesh.positions.astype(np.float32),
        triangles=mesh.triangles,
        material_ids=np.zeros(len(mesh.triangles), np.int32),
        materials=(),
        object_ids=mesh.objects[mesh.triangles[:, 0]],
        objects=objects(items, mesh),
        regions=regions(plan),
    )


@pytest.fixture(scope="module", params=MANY)
def building(request: pytest.FixtureRequest) -> tuple[Plan, Scene]:
    """One of each kind, and its plan."""
    plan = plan_of(*request.param)
    return plan, empty(plan)


def of_plan(door: Door) -> tuple[int, int, str, bool, tuple[float, float]]:
    x, z = door.centre
    return door.a, door.b, "door" if door.leaf else "opening", door.vertical, (x / 1000, z / 1000)


def test_the_map_joins_what_the_plan_joins(building: tuple[Plan, Scene]) -> None:
    plan, scene = building
    found = rooms_map(scene.objects, scene.regions)
    ways = [way for way in found.doors if way.kind != "stairs"]
    assert len(ways) == len(plan.doors)
    for way, door in zip(ways, plan.doors, strict=True):
        told = (way.a, way.b, way.kind, way.along_x)
        assert told == of_plan(door)[:4]
        assert way.middle == pytest.approx(of_plan(door)[4], abs=0.02)
    wells = tuple(room.id for room in plan.rooms if room.type == "stairs")
    assert [(way.a, way.b) for way in found.doors if way.kind == "stairs"] == ([wells] if wells else [])


def test_who_walks_through_finds_the_same_doors(building: tuple[Plan, Scene]) -> None:
    """From walls and gaps alone: as many, between the same rooms, in the same places, framed where there is a frame."""
    _, scene = building
    told, seen = rooms_map(scene.objects, scene.regions), Building(scene)
    ways = [way for way in told.doors if way.kind != "stairs"]
    assert len(seen.gaps) == len(ways)
    for way in ways:
        level = told.rooms[way.a].storey
        near = [gap for gap in seen.gaps if gap.storey == level and math.dist(gap.middle, way.middle) < 0.1]
        assert len(near) == 1, way
        gap = near[0]
        assert {room_of(told, seen, level, gap.a), room_of(told, seen, level, gap.b)} == {way.a, way.b}
        assert gap.framed == (way.kind == "door"), way
        assert (gap.across[0] != 0) == way.along_x


def room_of(told: RoomsMap, seen: Building, storey: int, number: int) -> int:
    """The region in whose middle a surveyed room is found."""
    (x0, z0), (x1, z1) = seen.extent((storey, number))
    return told.room_at((x0 + x1) / 2, seen.floors[storey], (z0 + z1) / 2)
