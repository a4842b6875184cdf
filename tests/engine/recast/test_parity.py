"""Our navmeshes of scenes are those that Habitat saved, byte for byte, and those that Recast builds from C++."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.recast.shapes import Summary
from nav_eval.engine.navmesh.file import NavmeshFile, parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh
from nav_eval.engine.scene.load import load_scene
from recordings import OWN_SCENES, SCENES, file_of, folder_of, read


def built(name: str) -> bytes:
    scene = load_scene(file_of(name), up="y")
    return build_navmesh(scene.positions, scene.triangles, NavmeshSettings(**read(name, "nav")["settings"]))


@pytest.mark.parametrize("name", SCENES)
def test_bytes_are_those_that_habitat_saved(name: str) -> None:
    """Of ours, which Recast in WebAssembly built, but for the order in the tree of boxes.

    The tree is made with the C library's qsort, which orders equals as it likes: glibc's in Habitat and so ours, musl's
    in WebAssembly. So each polygon must have its box there, and each other node the box round those below.
    """
    ours, theirs = built(name), (folder_of(name) / "scene.navmesh").read_bytes()
    if name not in OWN_SCENES:
        assert ours == theirs
        return
    files = parse_navmesh(ours), parse_navmesh(theirs)
    assert without_tree(files[0]) == without_tree(files[1])
    assert leaves(files[0]) == leaves(files[1])
    check_tree(files[0])
    check_tree(files[1])


def without_tree(file: NavmeshFile) -> tuple[object, ...]:
    """Everything else, as bytes where it is a tile's."""
    (tile,) = file.tiles
    parts = [part.tobytes() for name, part in tile.sections.items() if name != "bv_nodes"]
    return file.settings, file.params, tile.ref, tile.header.tobytes(), parts


def leaves(file: NavmeshFile) -> list[tuple[object, ...]]:
    """(polygon, lower corner, upper corner) by polygon."""
    nodes = file.tiles[0].sections["bv_nodes"]
    return sorted((int(n["index"]), *n["bmin"].tolist(), *n["bmax"].tolist()) for n in nodes if n["index"] >= 0)


def check_tree(file: NavmeshFile) -> None:
    nodes = file.tiles[0].sections["bv_nodes"]
    for at in np.flatnonzero(nodes["index"] < 0):
        below = nodes[at + 1 : at - nodes["index"][at]]
        below = below[below["index"] >= 0]
        assert nodes["bmin"][at].tolist() == below["bmin"].min(axis=0).tolist()
        assert nodes["bmax"][at].tolist() == below["bmax"].max(axis=0).tolist()


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
