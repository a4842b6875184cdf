"""A scene makes its own navmesh; what is in it is tested with the navmesh."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.scene.made import SQUARE, simple
from nav_eval.engine.scene import load_scene
from nav_eval.errors import NavmeshError


def test_a_floor_becomes_walkable(tmp_path: Path) -> None:
    floor = SQUARE[:, [0, 2, 1]] * 6
    scene = load_scene(simple(floor, [[0, 2, 1], [0, 3, 2]]).save(tmp_path / "floor.glb"))
    navmesh = scene.build_navmesh(agent_radius=0.1)
    assert navmesh.area == pytest.approx(5.8**2, rel=0.05)
    assert scene.build_navmesh(agent_radius=0.5).area < navmesh.area
    with pytest.raises(NavmeshError, match="agent_radius"):
        scene.build_navmesh(agent_radus=0.5)
    with pytest.raises(NavmeshError, match="cell_size"):
        scene.build_navmesh(cell_size=0)
