"""Our navmeshes of real scenes are Habitat's, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.recast.shapes import Summary
from nav_eval.engine.navmesh.file import parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh
from nav_eval.engine.scene.load import load_scene

SCENES = ("gz_aws_small_house", "gz_cafe", "house_200k", "ifc_LargeBuilding_nodoors")


@pytest.mark.parametrize("name", SCENES)
def test_bytes_are_those_that_habitat_saved(shared_data: Path, name: str) -> None:
    scene = load_scene(shared_data / "scenes" / f"{name}.glb", up="y")
    recorded = shared_data / "habitat-parity" / name
    settings = NavmeshSettings(**json.loads((recorded / "nav.json").read_text())["settings"])
    assert build_navmesh(scene.positions, scene.triangles, settings) == (recorded / "scene.navmesh").read_bytes()


@pytest.mark.parametrize("name", ["playcanvas_vr-gallery.glb", "dungeon.obj", "three_pathfinding_level.glb"])
def test_other_scenes_build_something_plausible(released: Path, name: str) -> None:
    scene = load_scene(released / "scenes" / name, up="y")
    data = build_navmesh(scene.positions, scene.triangles, NavmeshSettings())
    built = Summary(data)
    extent = scene.positions.max(axis=0) - scene.positions.min(axis=0)
    assert built.area > 1.0
    assert built.vertices[:, 0].min() >= scene.positions[:, 0].min()
    assert built.areas.max() < extent[0] * extent[2]
    assert parse_navmesh(data).to_bytes() == data
