"""Our navmeshes are those that Habitat saved, byte for byte, and those that Recast builds from C++ of odd scenes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine.recast.shapes import Mesh, Summary, box, join, rectangle
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


FINE = {"cell_height": 0.05}
CASES: dict[str, tuple[dict[str, float], str]] = {
    "defaults": ({}, "8adcb1feb4e74d84"),
    "RxR's agent": ({"agent_height": 0.88, "agent_radius": 0.18}, "c070c6d4d62ffcd5"),
    "triangles": ({"verts_per_poly": 3.0}, "aa0a5b28720cf22b"),
    "four corners, tight": ({"verts_per_poly": 4.0, "edge_max_error": 0.5, "edge_max_len": 1.0}, "85bca789fe517b69"),
    "coarse": ({"cell_size": 0.2, "edge_max_error": 3.0, "region_min_size": 4.0}, "3e82e9b171e72391"),
    "fine heights": (FINE | {"agent_max_climb": 0.3, "detail_sample_dist": 3.0}, "838084cd49289723"),
    "dense samples": (FINE | {"detail_sample_dist": 2.0, "detail_sample_max_error": 0.5}, "78b30ab5663bd7f9"),
    "small regions": ({"agent_radius": 0.0, "region_min_size": 2.0, "region_merge_size": 5.0}, "b5a9ff4375edb21a"),
}
"""The digests are those of tiles that the C++ libraries (Recast and Detour as Debian packages them,
1.5.1+git20210215) made on our heightfields; on the recorded scenes those make what 1.6.0 makes. Scenes are boxes and
ramps on a grid of 7 mm, so that no library's sine can move a vertex."""


def cluttered() -> Mesh:
    """Two storeys joined by a ramp and a stair, with boxes of all sizes standing about."""
    rng = np.random.default_rng(20)
    parts = [rectangle(0, 10.5, 0, 9.1), rectangle(0, 3.5, 5.6, 9.1, y=2.1), rectangle(3.5, 7, 7, 8.4, 2.1, -2.1)]
    parts += [box(0.28 * k, 0.28 * (k + 1), 0, 0.175 * (12 - k), 4.9, 5.6) for k in range(12)]
    for _ in range(40):
        x, z = rng.integers(0, 1400, 2) * 0.007
        w, h, d = rng.integers(10, 180, 3) * 0.007
        parts.append(box(x, x + w, 0, h, z, z + d))
    return join(*parts)


@pytest.mark.parametrize("case", CASES)
def test_tiles_are_those_of_compiled_recast(case: str) -> None:
    changes, digest = CASES[case]
    data = build_navmesh(*cluttered(), NavmeshSettings(**changes))  # type: ignore[arg-type]
    assert hashlib.sha256(parse_navmesh(data).tiles[0].data).hexdigest()[:16] == digest
