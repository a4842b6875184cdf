"""Instructions measured by the reference listener, and their landmarks by the renderer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from nav_eval.engine.render.renderer import make_renderer
from nav_eval.worlds.episodes.controls import Controls
from nav_eval.worlds.episodes.listener import follow
from nav_eval.worlds.episodes.site import EYE, Site, densified
from nav_eval.worlds.episodes.steps import Pass, Stop
from nav_eval.worlds.episodes.vln import VlnPath, vln_paths
from nav_eval.worlds.plan import Kind

MakeSite = Callable[[int, int, int, Kind, float], Site]
CASES: list[tuple[int, int, int, Kind]] = [
    (2, 7, 1, "home"),
    (3, 10, 1, "home"),
    (7, 9, 2, "home"),
    (4, 13, 2, "office"),
]


@pytest.fixture(scope="module")
def paths() -> dict[tuple[int, int, int, Kind], list[VlnPath]]:
    return {}


@pytest.fixture
def told(
    make_site: MakeSite, paths: dict[tuple[int, int, int, Kind], list[VlnPath]]
) -> list[tuple[Site, list[VlnPath]]]:
    """Ten paths on each of four buildings."""
    out = []
    for case in CASES:
        site = make_site(*case, 0.1)
        if case not in paths:
            paths[case] = vln_paths(site, 10, "test")
        out.append((site, paths[case]))
    return out


def reaches(site: Site, path: VlnPath, text: str) -> bool:
    """Whether the listener, started where the path starts, ends within 3 m of the path's goal, on foot."""
    end = follow(site.rooms, path.start, path.rotation, text)
    if end is None:
        return False
    there = site.navmesh.snap((end[0], end[1] + 0.1, end[2]))
    return bool(np.isfinite(there[0])) and site.navmesh.geodesic_distance(there, path.goal) < 3.0


def test_the_listener_arrives(told: list[tuple[Site, list[VlnPath]]]) -> None:
    hits = [reaches(site, path, t.text) for site, paths in told for path in paths for t in path.told]
    assert len(hits) >= 150
    assert np.mean(hits) >= 0.95


def test_swapped_instructions_lead_astray(told: list[tuple[Site, list[VlnPath]]]) -> None:
    hits = [
        reaches(site, path, other.told[0].text)
        for site, paths in told
        for path in paths
        for other in paths
        if other is not path
    ]
    assert np.mean(hits) < 0.2


def test_both_languages_lead_to_the_same_place(told: list[tuple[Site, list[VlnPath]]]) -> None:
    for site, paths in told:
        for path in paths:
            ends = {follow(site.rooms, path.start, path.rotation, t.text) for t in path.told}
            assert len(ends) == 1
            assert {t.language for t in path.told} == {"en", "zh"}
            assert len({t.text for t in path.told}) >= 4


def test_every_landmark_is_in_some_frame_along_the_path(told: list[tuple[Site, list[VlnPath]]]) -> None:
    """Rendered all round from points half a metre apart: the renderer knows nothing of the voxels."""
    for site, paths in told[:2]:
        camera = make_renderer("cpu", site.scene, width=160, height=120, hfov=90, outputs=("semantic",))
        for path in paths[:5]:
            seen: set[int] = set()
            for x, y, z in densified(list(path.reference), 0.5):
                for quarter in range(4):
                    frame = camera.render((x, y + EYE, z), quarter * math.pi / 2, -0.15)
                    seen |= set(np.unique(frame.semantic).tolist())
            kinds = {site.rooms.things[k].category for k in seen if k in site.rooms.things}
            assert path.landmark in seen
            named = {step.thing for step in path.steps if isinstance(step, Pass | Stop)}
            assert named <= kinds


def test_paths_are_as_long_as_asked_and_well_recorded(make_site: MakeSite) -> None:
    site = make_site(3, 10, 1, "home", 0.1)
    wish = Controls(min_length=8.0, max_length=15.0, min_rooms=3, max_rooms=5)
    for path in vln_paths(site, 3, "controls", wish):
        assert 8.0 <= path.geodesic <= 15.0
        assert 3 <= len(path.rooms) <= 5
        length = sum(math.dist(a, b) for a, b in zip(path.reference, path.reference[1:], strict=False))
        assert length == pytest.approx(path.geodesic, rel=1e-3)
        assert path.walk.locations[0] == path.start
        assert path.walk.actions.count(1) == len(path.walk.locations) - 1
        assert path.walk.actions[-1] == 0
        assert site.navmesh.geodesic_distance(path.walk.locations[-1], path.goal) < 0.25


def test_the_same_seed_gives_the_same_paths(make_site: MakeSite) -> None:
    site = make_site(2, 7, 1, "home", 0.1)
    assert vln_paths(site, 2, "a") == vln_paths(site, 2, "a") != vln_paths(site, 2, "b")
