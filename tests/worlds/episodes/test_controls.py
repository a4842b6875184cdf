"""What `nav-eval generate` is asked for: how far apart, how long, how dealt, how many rooms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.errors import ConfigError
from nav_eval_worlds import collection, workers
from nav_eval_worlds.episodes.controls import Controls, controls_of
from nav_eval_worlds.episodes.records import point_records
from nav_eval_worlds.episodes.searches import instance_records, object_records
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.splits import split_scenes
from nav_eval_worlds.episodes.vln import vln_paths
from worlds.buildings import OPEN_PLAN, make_site

Ways = list[tuple[Any, Any]]
"""Start and goal of each episode; None for a goal that is a thing with many places around it."""


def vln(site: Site, controls: Controls) -> Ways:
    return [(path.start, path.goal) for path in vln_paths(site, 8, "asked", controls).paths]


def points(site: Site, controls: Controls) -> Ways:
    found = point_records(site, 8, "asked", controls)
    return [(one["start_position"], one["goals"][0]["position"]) for one in found]


def objects(site: Site, controls: Controls) -> Ways:
    return [(one["start_position"], None) for one in object_records(site, 8, "asked", controls)[0]]


def instances(site: Site, controls: Controls) -> Ways:
    return [(one["start_position"], None) for one in instance_records(site, 8, "asked", controls)[0]]


@cache
def found(ways: Callable[[Site, Controls], Ways], task: str, least: float | None, spacing: float) -> Ways:
    return ways(make_site(*OPEN_PLAN), controls_of(task, least, spacing))


def nearest(places: Sequence[Any]) -> float:
    return min(math.dist(a, b) for a, b in combinations([place for place in places if place], 2))


@pytest.mark.parametrize(
    ("ways", "task"), [(points, "pointnav"), (vln, "vln"), (objects, "objectnav"), (instances, "instance_imagenav")]
)
def test_starts_and_goals_are_as_far_apart_as_asked(ways: Callable[[Site, Controls], Ways], task: str) -> None:
    usual, apart = (list(zip(*found(ways, task, None, wish), strict=True)) for wish in (0.0, 3.0))
    assert len(apart[0]) == len(usual[0])
    for side in (0, 1) if apart[1][0] else (0,):
        assert nearest(apart[side]) >= 3.0
    assert nearest(usual[0]) < 3.0


@pytest.mark.parametrize(("ways", "task"), [(points, "pointnav"), (vln, "vln")])
def test_no_way_on_the_navmesh_is_shorter_than_asked(ways: Callable[[Site, Controls], Ways], task: str) -> None:
    site = make_site(*OPEN_PLAN)
    long, usual = (found(ways, task, wish, 0.0) for wish in (11.0, None))
    assert len(long) == len(usual)
    assert min(site.navmesh.geodesic_distance(start, goal) for start, goal in long) >= 11.0 - 1e-4
    assert min(site.navmesh.geodesic_distance(start, goal) for start, goal in usual) < 11.0


def test_no_object_is_nearer_on_the_navmesh_than_asked() -> None:
    site = make_site(*OPEN_PLAN)
    episodes, goals = object_records(site, 4, "asked", controls_of("objectnav", 6.0, 0.0))
    assert len(episodes) == 4
    for one in episodes:
        wanted = [goal for name, of in goals.items() if name.endswith(f"_{one['object_category']}") for goal in of]
        views = [view["agent_state"]["position"] for goal in wanted for view in goal["view_points"]]
        assert min(site.navmesh.geodesic_distance(one["start_position"], view) for view in views) >= 6.0 - 1e-4


def sizes(count: int, *ratios: str) -> list[int]:
    sites: Any = [f"scene {number}" for number in range(count)]
    splits = split_scenes(sites, (Fraction(ratios[0]), Fraction(ratios[1]), Fraction(ratios[2])))
    assert splits.get("val_seen") == splits.get("train")
    parts = [splits.get(split, []) for split in ("train", "val_unseen", "test")]
    assert [site for part in parts for site in part] == sites
    return [len(part) for part in parts]


def test_scenes_are_dealt_by_the_ratios_and_to_one_split_each() -> None:
    assert sizes(10, "8", "1", "1") == [8, 1, 1]
    assert sizes(20, "0.8", "0.1", "0.1") == [16, 2, 2]
    assert sizes(3, "8", "1", "1") == [1, 1, 1]
    assert sizes(15, "8", "1", "1") == [12, 2, 1]
    assert sizes(5, "0", "0", "1") == [0, 0, 5]
    with pytest.raises(ConfigError, match="3 splits without a common scene, and there are 2"):
        sizes(2, "8", "1", "1")


def test_each_building_of_a_range_draws_its_number_of_rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[str, int]] = []

    class Sketch:
        def __init__(self, seed: str, rooms: int, *_: object) -> None:
            built.append((seed, rooms))
            self.name = seed

        def save(self, folder: Path) -> Path:
            return folder / self.name

    monkeypatch.setattr(workers, "generate_world", Sketch)
    seeds = [f"0-{number}" for number in range(40)]
    for _ in range(2):
        list(collection.make_scenes(tmp_path, seeds, range(4, 9), 1, "home", 20_000))
    list(collection.make_scenes(tmp_path, seeds[7:8], range(4, 9), 1, "home", 20_000))
    assert {rooms for _, rooms in built} == {4, 5, 6, 7, 8}
    assert built[:40] == built[40:80]
    assert built[80] == built[7]
    with pytest.raises(ConfigError, match="rooms is 1000"):
        list(collection.make_scenes(tmp_path, seeds, range(4, 1001), 1, "home", 20_000))
    assert len(built) == 81


@pytest.mark.parametrize(
    ("least", "spacing"), [(-1.0, 0.0), (31.0, 0.0), (math.nan, 0.0), (2.0, -1.0), (2.0, math.inf)]
)
def test_what_no_path_can_be_is_refused(least: float, spacing: float) -> None:
    with pytest.raises(ConfigError, match=r"--(min-length|spacing) .*: give metres"):
        controls_of("vln", least, spacing)


def test_photographs_say_how_much_of_them_is_the_object() -> None:
    """Never more than the object's box covers of the picture, and never so little that nobody sees it."""
    site = make_site(*OPEN_PLAN)
    _, goals = instance_records(site, 8, "asked")
    photos = [(goal, photo) for goal in goals.values() for photo in goal["image_goals"]]
    assert len(photos) > 10
    for goal, photo in photos:
        assert 0.02 <= photo["frame_coverage"] <= covered_by_box(site.rooms.things[goal["object_id"]], photo) + 0.01


def covered_by_box(thing: SemanticObject, photo: dict[str, Any]) -> float:
    """The share of a square picture that the rectangle round a thing's eight corners covers; 1 if one is behind."""
    corners = np.array(list(product(*((c - s / 2, c + s / 2) for c, s in zip(thing.center, thing.size, strict=True)))))
    seen = Rotation.from_quat(photo["rotation"]).inv().apply(corners - photo["position"])
    if seen[:, 2].max() > -0.05:
        return 1.0
    flat = seen[:, :2] / -seen[:, 2:] / np.tan(np.radians(photo["hfov"] / 2))
    low, high = np.clip(flat.min(axis=0), -1, 1), np.clip(flat.max(axis=0), -1, 1)
    return float(np.prod((high - low) / 2))
