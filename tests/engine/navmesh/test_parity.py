"""Every recorded answer of Habitat, and of Detour asked as Habitat asks it, on their own navmeshes, to the last bit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nav_eval.engine.navmesh.mesh import NavMesh
from recordings import HABITATS_SCENES, OWN_SCENES, SCENES, arrays, folder_of, read

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Recording:
    nav: NavMesh
    arrays: dict[str, Any]
    pairs: list[dict[str, Any]]
    off_mesh: list[dict[str, Any]]
    topdown: dict[str, Any]


@cache
def _recording(scene: str) -> Recording:
    pairs, off_mesh = read(scene, "nav")["pairs"], read(scene, "offmesh")
    return Recording(
        _mesh(folder_of(scene) / "scene.navmesh"), arrays(scene, "nav"), pairs, off_mesh, arrays(scene, "topdown")
    )


def _mesh(path: Path) -> NavMesh:
    return NavMesh.from_bytes(path.read_bytes())


@pytest.fixture(params=SCENES)
def recorded(request: pytest.FixtureRequest) -> Recording:
    return _recording(request.param)


def assert_bits(ours: Any, theirs: Any, share: float = 0.999) -> None:
    a, b = np.asarray(ours, np.float32), np.asarray(theirs, np.float32)
    assert a.shape == b.shape
    same = (a.view(np.int32) == b.view(np.int32)) | (np.isnan(a) & np.isnan(b))
    same = same.reshape(len(a), -1).all(axis=1)
    assert same.mean() >= share, f"{(~same).sum()} of {len(same)} differ, first {a[~same][0]} for {b[~same][0]}"


def test_geodesics(recorded: Recording) -> None:
    nav, a, b = recorded.nav, recorded.arrays["start"], recorded.arrays["end"]
    assert_bits([nav.geodesic_distance(p, q) for p, q in zip(a, b)], recorded.arrays["geodesic"])
    assert_bits(nav.geodesic_distances(b, a), recorded.arrays["geodesic_reverse"])
    raised = a + np.array([0, 0.5, 0], np.float32)
    assert_bits(nav.geodesic_distances(raised, b), recorded.arrays["geodesic_start_raised_0p5"])


@pytest.mark.parametrize("goal", [tuple, np.array, lambda p: [p], lambda p: np.array([p])])
def test_corners(recorded: Recording, goal: Callable[[list[float]], Any]) -> None:
    for pair in recorded.pairs:
        path = recorded.nav.shortest_path(np.array(pair["start"]), goal(pair["end"]))
        np.testing.assert_array_equal(path.points, np.array(pair["points"], np.float32).reshape(-1, 3))


def test_points_off_the_mesh(recorded: Recording) -> None:
    nav = recorded.nav
    for pair in recorded.off_mesh:
        path = nav.shortest_path(pair["start"], pair["end"])
        assert path.length == np.float32(pair["geodesic"])
        np.testing.assert_array_equal(path.points, np.array(pair["points"], np.float32).reshape(-1, 3))
        ours = [nav.snap(pair["start"]), nav.snap(pair["end"]), nav.step(pair["start"], pair["end"])]
        assert_bits(ours, [[float(x) for x in pair[key]] for key in ("snap_start", "snap_end", "try_step")], share=1)


def test_snap_and_navigable(recorded: Recording) -> None:
    points = recorded.arrays["random_points"]
    assert_bits(recorded.nav.snap_all(points), recorded.arrays["snap"], share=1)
    assert [recorded.nav.is_navigable(p) for p in points] == recorded.arrays["is_navigable"].tolist()


def test_islands(recorded: Recording) -> None:
    for name in ("start", "end"):
        ours = [recorded.nav.island_of(p) for p in recorded.arrays[name]]
        assert ours == recorded.arrays[f"island_{name}"].tolist()
    radii = [recorded.nav.island_radius(p) for p in recorded.arrays["start"]]
    np.testing.assert_allclose(radii, recorded.arrays["island_radius"], rtol=1e-5)


def test_obstacle_distance(recorded: Recording) -> None:
    ours = [recorded.nav.distance_to_obstacle(p) for p in recorded.arrays["start"]]
    np.testing.assert_allclose(ours, recorded.arrays["obstacle_distance"], atol=1e-4)


@pytest.mark.parametrize("length", ["0.25", "1.0", "4.0"])
def test_sliding_steps(recorded: Recording, length: str) -> None:
    nav, starts, ends = recorded.nav, recorded.arrays["start"], recorded.arrays[f"end_{length}"]
    assert_bits([nav.step(a, b) for a, b in zip(starts, ends)], recorded.arrays[f"slide_{length}"])
    assert_bits(nav.steps(starts, ends), recorded.arrays[f"slide_{length}"])


def test_steps_without_sliding(recorded: Recording) -> None:
    ours = recorded.nav.steps(recorded.arrays["start"], recorded.arrays["end_0.25"], sliding=False)
    assert_bits(ours, recorded.arrays["noslide_0.25"], share=0.985)


def test_topdown(recorded: Recording) -> None:
    expected = recorded.topdown
    ours = recorded.nav.topdown(float(expected["mpp"]), float(expected["height"]), float(expected["eps"]))
    np.testing.assert_array_equal(ours, expected["map"])


def test_area_and_islands_of_the_readme() -> None:
    table = dict(zip(HABITATS_SCENES, [(142.7, 4), (187.0, 5), (727.7, 28), (197.2, 4)], strict=True))
    for scene in OWN_SCENES:
        table[scene] = (round(read(scene, "nav")["area"], 1), read(scene, "nav")["islands"])
    for scene in SCENES:
        nav = _recording(scene).nav
        assert (round(nav.area, 1), len(nav.islands)) == table[scene]


def test_pointnav_episodes(shared_data: Path) -> None:
    """Recorded as Detour's length from the goal to the start."""
    with gzip.open(shared_data / "pointnav" / "habitat-test-scenes_val.json.gz") as file:
        episodes = json.load(file)["episodes"]
    assert len(episodes) == 100
    names = ("skokloster-castle", "van-gogh-room")
    meshes = {name: _mesh(shared_data / "scenes" / f"{name}.navmesh") for name in names}
    for episode in episodes:
        nav = meshes[Path(episode["scene_id"]).stem]
        ours = nav.geodesic_distance(episode["goals"][0]["position"], episode["start_position"])
        assert ours == pytest.approx(episode["info"]["geodesic_distance"], abs=1e-4)


def test_golden_geodesics(shared_data: Path) -> None:
    golden = json.loads((shared_data / "habitat-golden" / "geodesic_single_end.json").read_text())["single_end"]
    nav = _mesh(shared_data / "scenes" / "van-gogh-room.navmesh")
    assert golden
    for case in golden:
        assert nav.geodesic_distance(case["start"], case["end"]) == pytest.approx(case["expected"], abs=1e-4)


def test_golden_topdown(shared_data: Path) -> None:
    nav = _mesh(shared_data / "scenes" / "van-gogh-room.navmesh")
    expected = np.load(shared_data / "habitat-golden" / "van-gogh-room_topdown_binary.npy")
    np.testing.assert_array_equal(nav.topdown(0.1, max_y_delta=0.5), expected)
