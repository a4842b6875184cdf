"""Instructions followed by a stranger who shares nothing with the speaker, and their landmarks seen by the renderer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from typing import TypeAlias

import numpy as np
import pytest

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.render.frame import Renderer
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.errors import SceneError
from nav_eval.geometry import Vec3
from nav_eval_worlds.episodes.controls import Controls
from nav_eval_worlds.episodes.site import EYE, Site, densified
from nav_eval_worlds.episodes.vln import VlnPath, vln_paths
from nav_eval_worlds.language.kinds import KINDS, SEEN
from nav_eval_worlds.language.routes import stretches
from nav_eval_worlds.language.sights import noun
from nav_eval_worlds.language.steps import Climb, Go, Stop
from nav_eval_worlds.world import generate_world
from worlds.buildings import ATTIC, HOME, OFFICE, OPEN_PLAN, RELEASED, Case, make_paths, make_site, make_world
from worlds.episodes.stranger import LOOKS, Walk, walk
from worlds.episodes.surveyed import Building

CASES = [HOME, OPEN_PLAN, ATTIC, OFFICE]
MORE: list[Case] = [
    (seed, 4 + seed * 5 % 14, 1 + (seed % 3 == 0), "office" if seed % 3 == 1 else "home") for seed in range(100, 140)
]


Told: TypeAlias = tuple[Site, Building, tuple[VlnPath, ...]]
Walked: TypeAlias = tuple[VlnPath, str, bool, Walk]
"""A path, the language of one of its texts, and where that led: near to the goal or not."""


@cache
def told(case: Case) -> Told:
    site = make_site(*case)
    return site, Building(site.scene), make_paths(case)


def fresh(case: Case) -> Told:
    """Twenty paths on a building that is not kept."""
    world = generate_world(*case, 20_000)
    site = Site(f"{world.name}.glb", world.scene(), NavMesh.from_bytes(world.navmesh()))
    return site, Building(site.scene), vln_paths(site, 20, "test").paths


def walked(site: Site, building: Building, path: VlnPath, text: str) -> tuple[bool, Walk]:
    """Whether the stranger, started where the path starts, ends within 3 m of the path's goal, on foot."""
    found = walk(building, site.navmesh, path.start, path.rotation, text)
    near = found.end is not None and site.navmesh.geodesic_distance(found.end, path.goal) < 3.0
    return near, found


def walks(told: Told) -> list[Walked]:
    site, building, paths = told
    return [(path, said.language, *walked(site, building, path, said.text)) for path in paths for said in path.told]


@cache
def followed(case: Case) -> list[Walked]:
    return walks(told(case))


def arrivals(walks: list[Walked], language: str) -> tuple[list[bool], list[bool], list[bool]]:
    """Of every text whether it leads to the goal, of all to be walked past, and to be seen, whether it was there."""
    found = [(near, walk) for _, told, near, walk in walks if told == language]
    passed, seen = ([there for _, walk in found for there in getattr(walk, name)] for name in ("passed", "seen"))
    return [near for near, _ in found], passed, seen


def swapped(told: Told, others: int) -> list[bool]:
    """Of the texts of so many other paths whether they lead from a path's start to its goal."""
    site, building, paths = told
    pairs = [(path, (paths * 2)[at + k]) for at, path in enumerate(paths) for k in range(1, others + 1)]
    return [walked(site, building, path, other.told[k].text)[0] for path, other in pairs for k in (0, -1)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_stranger_arrives(language: str) -> None:
    found = [arrivals(followed(case), language) for case in CASES]
    hits, passed, seen = ([true for one in found for true in one[k]] for k in range(3))
    assert len(hits) == 120
    assert np.mean(hits) >= 0.97, "of forty paths one may miss; forty buildings are held to 0.98 below"
    assert len(passed) >= 20
    assert np.mean(passed) >= 0.95
    assert len(seen) >= 30
    assert np.mean(seen) >= 0.97


def test_swapped_instructions_lead_astray() -> None:
    assert np.mean([hit for case in CASES for hit in swapped(told(case), 3)]) < 0.15


@pytest.mark.soak
def test_a_stranger_arrives_in_forty_more_buildings() -> None:
    found: dict[str, list[bool]] = {name: [] for name in ("en", "zh", "passed", "seen", "swapped")}
    for case in MORE:
        told = fresh(case)
        followed_here = walks(told)
        for language in ("en", "zh"):
            hits, passed, seen = arrivals(followed_here, language)
            found[language] += hits
            found["passed"] += passed
            found["seen"] += seen
        found["swapped"] += swapped(told, len(told[2]) - 1)
    rates = {name: float(np.mean(hits)) for name, hits in found.items()}
    assert min(rates["en"], rates["zh"]) >= 0.98, rates
    assert min(rates["passed"], rates["seen"]) >= 0.98, rates
    assert rates["swapped"] < 0.15, rates


def test_a_quarter_of_the_paths_of_two_storeys_climb_and_say_so() -> None:
    for case in CASES[2:]:
        paths = make_paths(case)
        climbing = [path for path in paths if abs(path.start[1] - path.goal[1]) > 1.0]
        assert len(climbing) >= len(paths) / 4
        for path in paths:
            climbs = [step for step in path.steps if isinstance(step, Climb)]
            assert [step.up for step in climbs] == ([path.goal[1] > path.start[1]] if path in climbing else [])
            assert all(walk.climbed == len(climbs) for own, _, _, walk in followed(case) if own is path)


def test_a_room_that_one_passes_is_not_called_as_the_one_that_one_has_left() -> None:
    """Who comes out of a bedroom would take "past the bedroom" for that one."""
    paths = vln_paths(make_site("fresh-e3", 8, 1, "home"), 20, "test").paths
    pairs = [pair for path in paths for pair in pairwise(path.steps)]
    passing = [(before, step.past) for before, step in pairs if isinstance(step, Go | Climb) and step.past]
    rooms = [(before, past.thing.kind) for before, past in passing if past.thing.kind in LOOKS]
    assert rooms
    assert [room for before, room in rooms if isinstance(before, Go) and before.leave == room] == []


def test_three_wordings_in_each_language() -> None:
    for case in CASES:
        for path in make_paths(case):
            texts = {language: {t.text for t in path.told if t.language == language} for language in ("en", "zh")}
            assert {language: len(found) for language, found in texts.items()} == {"en": 3, "zh": 3}


def test_every_landmark_is_in_some_frame_along_the_path() -> None:
    """Rendered all round from points half a metre apart: the renderer knows nothing of the voxels."""
    for site, _, paths in (told(case) for case in CASES[:2]):
        camera = make_renderer("cpu", site.scene, width=160, height=120, hfov=90, outputs=("semantic",))
        for path in paths[:5]:
            seen: set[int] = set()
            for x, y, z in densified(list(path.reference), 0.5):
                for quarter in range(4):
                    frame = camera.render((x, y + EYE, z), quarter * math.pi / 2, -0.15)
                    seen |= set(np.unique(frame.semantic).tolist())
            things = [site.rooms.things[k] for k in seen if k in site.rooms.things]
            kinds = {name for one in things for name in (one.category, site.rooms.rooms[one.region].category)}
            assert path.landmark in seen
            passed = [step.thing if isinstance(step, Stop) else step.past and step.past.thing for step in path.steps]
            assert {thing.kind for thing in passed if thing} <= kinds


def test_what_is_told_to_hang_on_a_wall_hangs_there() -> None:
    """The builder knows: a microwave on a worktop, or a vase in a shelf, touches a wall too."""
    for case in CASES[:2]:
        site, items = make_site(*case), make_world(*case).items
        told = [thing for thing in site.rooms.things.values() if thing.category in SEEN]
        hung = [thing for thing in told if noun(site, thing, placed=True).relation == "wall"]
        assert len(hung) >= 20
        assert {items[thing.id - 1].support for thing in hung} == {"wall"}


def test_from_the_way_one_seldom_sees_another_thing_like_a_landmark() -> None:
    """Rendered all round on the way to a door: what one is told to pass, and to find behind the door or beside it, is
    seen in no room but these and the one that one comes from. The speaker asks every half metre and at voxels; a third
    was mistakable when it asked in one room only.
    """
    found: list[bool] = []
    for case in CASES[:2]:
        site = make_site(*case)
        camera = make_renderer("cpu", site.scene, width=96, height=72, hfov=90, outputs=("semantic",))
        for path in make_paths(case):
            ways = stretches(site.rooms, list(path.walk.locations)) or []
            for before, way, after, step in zip([*ways[:1], *ways], ways, ways[1:], path.steps, strict=False):
                go = step if isinstance(step, Go) else None
                told = [(go.holds, {way.room, after.room}), (go.mark, {way.room})] if go else []
                if go and go.past and go.past.side != "over" and go.past.thing.kind in KINDS:
                    told.append((go.past.thing, {way.room, before.room}))
                seen = looked(camera, way.points[::8]) if any(thing for thing, _ in told) else set()
                others = [site.rooms.things[k] for k in seen & set(site.rooms.things)]
                for thing, rooms in ((thing, rooms) for thing, rooms in told if thing):
                    found.append(any(one.category == thing.kind and one.region not in rooms for one in others))
    assert len(found) >= 20
    assert np.mean(found) <= 0.15


def looked(camera: Renderer, places: Sequence[Vec3], least: int = 9) -> set[int]:
    """The objects that fill so many pixels of a view in one of four directions."""
    seen: set[int] = set()
    for (x, y, z), quarter in product(places, range(4)):
        shown = camera.render((x, y + EYE, z), quarter * math.pi / 2, -0.1).semantic
        ids, counts = np.unique(shown, return_counts=True)
        seen |= set(ids[counts >= least].tolist())
    return seen


FEET = {"few": (1.2, 2.9), "10": (2.4, 3.7), "15": (3.6, 5.5), "20": (5.0, 7.2), "25": (6.4, 8.8), "30": (7.8, 10.5)}
"""Metres that somebody would call a few steps, or so many feet."""


def test_as_far_as_is_told_one_walks() -> None:
    """From where a step begins to where it is done; to a thing one walks up to half a metre less."""
    found = []
    for path in (path for case in (*CASES, RELEASED[0]) for path in make_paths(case)):
        for step, begins, ends in zip(path.steps, (path.start, *path.ends), path.ends, strict=False):
            if (far := getattr(step, "far", "")) and far != "half":
                low, high = FEET[far]
                found.append(low - 0.6 < math.dist(begins, ends) < high + 0.6)
    assert len(found) >= 10
    assert np.mean(found) >= 0.95


def test_paths_are_as_long_as_asked_and_well_recorded() -> None:
    site = make_site(*OPEN_PLAN)
    wish = Controls(min_length=8.0, max_length=15.0, min_rooms=3, max_rooms=5)
    for path in vln_paths(site, 3, "controls", wish).paths:
        assert 8.0 <= path.geodesic <= 15.0
        assert 3 <= len(path.rooms) <= 5
        length = sum(math.dist(a, b) for a, b in zip(path.reference, path.reference[1:], strict=False))
        assert length == pytest.approx(path.geodesic, rel=1e-3)
        assert path.walk.locations[0] == path.start
        assert path.walk.actions.count(1) == len(path.walk.locations) - 1
        assert path.walk.actions[-1] == 0
        assert site.navmesh.geodesic_distance(path.walk.locations[-1], path.goal) < 0.25


def test_forty_paths_are_found_and_few_are_explained() -> None:
    site = make_site(*OPEN_PLAN)
    assert len(vln_paths(site, 40, "many").paths) == 40
    drawn = vln_paths(site, 40, "many", Controls(min_length=24.0, min_rooms=2))
    assert len(drawn.paths) < 40
    assert max(drawn.refused, key=lambda why: drawn.refused[why]) == "are shorter or longer than asked"


def test_doors_that_join_nothing_are_named() -> None:
    site = make_site(*HOME)
    old = tuple(replace(thing, joins=None) for thing in site.scene.objects)
    with pytest.raises(SceneError, match="no door says which rooms it joins"):
        vln_paths(Site(site.scene_id, replace(site.scene, objects=old), site.navmesh), 1, "old")


def test_the_same_seed_gives_the_same_paths() -> None:
    site = make_site(*HOME)
    assert vln_paths(site, 2, "a") == vln_paths(site, 2, "a") != vln_paths(site, 2, "b")
