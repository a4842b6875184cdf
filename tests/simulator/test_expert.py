"""The oracle and a goal at the height of the floor: the navmesh lies above it, and geodesic distances hold that.

A slab's top is the floor, y = 0. Habitat's voxels are 0.2 m high and begin at the slab's lower side, so the navmesh of
one 0.22 m thick lies 0.18 m above the floor, and that of one 0.2 m thick 0.2 m.
"""

from __future__ import annotations

import json
import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import trimesh

import nav_eval
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.errors import DatasetError
from nav_eval.runs.preflight import validate_playable
from nav_eval.simulator.ground import height_faults

WITHIN = 0.2


def write_slab(folder: Path, *thicknesses: float) -> list[str]:
    """Scenes of 10 x 10 m and six episodes across each; the overrides that play them as section 9 would."""
    for thickness in thicknesses:
        slab = trimesh.creation.box((10, thickness, 10))
        slab.apply_translation((0, -thickness / 2, 0))
        slab.export(folder / f"slab{thickness}.glb")
    episodes = [
        {
            "episode_id": str(number),
            "scene_id": f"slab{thickness}.glb",
            "start_position": [-2, 0.0, -1 + 0.37 * number],
            "start_rotation": [0, 0, 0, 1],
            "goals": [{"position": [1.9 - 0.13 * number, 0.0, 0.8], "radius": WITHIN}],
        }
        for thickness, number in product(thicknesses, range(6))
    ]
    (folder / "episodes.json").write_text(json.dumps({"episodes": episodes}))
    return [
        f"dataset.data_path={folder / 'episodes.json'}",
        f"simulator.scenes_dir={folder}",
        "simulator.sensors={}",
        "simulator.motion.turn_angle=15",
        f"evaluation.success_distance={WITHIN}",
        "evaluation.max_steps=100",
        "agent_service.agent=shortest_path",
    ]


def test_the_oracle_stops_beside_a_goal_on_the_floor(tmp_path: Path) -> None:
    results = nav_eval.evaluate("pointnav", overrides=write_slab(tmp_path, 0.22, 0.215, 0.205))
    assert [(one.status, one.metrics["success"]) for one in results.episodes] == [("ok", 1.0)] * 18
    assert max(one.steps for one in results.episodes) < 70


def test_it_stops_as_near_as_moves_lead_where_success_is_a_matter_of_millimetres(tmp_path: Path) -> None:
    results = nav_eval.evaluate("pointnav", overrides=write_slab(tmp_path, 0.2005))
    assert {one.status for one in results.episodes} == {"ok"}
    assert max(one.steps for one in results.episodes) < 100


def test_a_goal_that_nobody_can_come_near_enough_to_is_told_before_the_run(tmp_path: Path) -> None:
    overrides = write_slab(tmp_path, 0.2)
    with pytest.raises(DatasetError, match=r"(?s)6 of 6 episodes.*0\.20 m above or below the navmesh.*NavMesh\.snap"):
        nav_eval.evaluate("pointnav", overrides=overrides)
    found = validate_playable(tmp_path / "episodes.json", None, "pointnav", overrides)
    assert len(found.faults) == 6
    assert not validate_playable(
        tmp_path / "episodes.json", None, "pointnav", [*overrides, "evaluation.success_distance=0.3"]
    ).faults


def test_on_a_slope_an_agent_is_nearest_from_the_side(tmp_path: Path) -> None:
    """A ramp of 40 degrees: a goal 0.24 m under it is 0.24 cos(40) = 0.18 m away from where it rises."""
    ramp = trimesh.creation.box((8, 0.1, 4))
    ramp.apply_transform(trimesh.transformations.rotation_matrix(math.radians(40), (0, 0, 1)))
    ramp.export(tmp_path / "ramp.glb")
    mesh: NavMesh = nav_eval.load_scene(tmp_path / "ramp.glb").build_navmesh()
    x, y, z = mesh.snap((0.0, 0.0, 0.0))
    assert not list(height_faults(mesh, [(x, y - 0.24, z)], WITHIN, "detour"))
    assert list(height_faults(mesh, [(x, y - 0.4, z)], WITHIN, "detour"))


def test_a_simulator_measures_to_whatever_numpy_reads(tmp_path: Path) -> None:
    write_slab(tmp_path, 0.22)
    (episode, *_) = nav_eval.load_dataset("pointnav", tmp_path / "episodes.json")
    simulator = nav_eval.make_simulator("custom", scenes_dir=str(tmp_path))
    simulator.reset(episode)
    here, near, far = (-2.0, 0.2, -1.0), (-1.0, 0.2, -1.0), (2.0, 0.2, 1.0)
    straight = simulator.geodesic_distance(here, near)
    assert straight == pytest.approx(1.0)
    for start in (list(here), np.array(here), np.array(here, np.float32), nav_eval.Place(here)):
        for end in (list(near), np.array(near), [far, near], np.array([far, near]), [np.array(far), np.array(near)]):
            assert simulator.geodesic_distance(start, end) == pytest.approx(straight)
    assert simulator.geodesic_distance(here, [nav_eval.Place(far), nav_eval.Place(near)]) == straight
    assert simulator.geodesic_distance(here, []) == math.inf


def test_an_expert_whose_moves_cannot_follow_the_path_does_not_say_that_there_is_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With half turns alone it walks on one line, and the goal lies beside it."""
    keys = [*write_slab(tmp_path, 0.22), "simulator.motion.turn_angle=180", "dataset.limit=1"]
    (played,) = nav_eval.evaluate("pointnav", overrides=keys).episodes
    assert played.status == "evaluator_error"
    assert re.search(r"a path of \d\.\d\d m leads to the goal, but .* turns of 180 degrees", caplog.text)
