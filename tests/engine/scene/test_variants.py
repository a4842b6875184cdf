"""Compressed and odd files made by gltf-transform load equal to their plain form.

The tool is installed once, by npm, into the cache folder; without node, npm or a network the tests skip.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from nav_eval.engine.scene import Scene, load_scene
from nav_eval.jit import cache_home
from once import once
from patience import PATIENCE

PACKAGES = ["@gltf-transform/cli@4.5.1"]
SCENES = ["three_pathfinding_level", "playcanvas_vr-gallery", "gz_cafe"]
EXACT = ["draco_exact", "meshopt_exact", "unwelded", "instanced", "webp"]
LOSSY = {"draco": 14, "meshopt_quantized": 14, "meshopt_filtered": 14, "quantized": 14}
"""Bits of a position on its mesh's largest side."""


@pytest.fixture(scope="session")
def gltf_transform() -> Path:
    """A folder whose node_modules hold gltf-transform."""
    folder = cache_home() / "test-tools" / "gltf-transform-4.5.1"
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not there: install Node.js to test compressed scenes")
    if fault := once("gltf-transform", lambda: install(folder)):
        pytest.skip(f"npm cannot install gltf-transform ({fault}): check the network")
    return folder


def install(folder: Path) -> str:
    """What kept npm from it, "" if nothing did."""
    if (folder / "node_modules" / "@gltf-transform" / "cli").is_dir():
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        shutil.rmtree(folder, ignore_errors=True)
        return str(error)
    return ""


@pytest.fixture(scope="session", params=SCENES)
def variants(request: pytest.FixtureRequest, gltf_transform: Path, released: Path) -> tuple[Scene, Path]:
    """The plain scene, and the folder with its variants, which are kept beside the tool that makes them."""
    source = released / "scenes" / f"{request.param}.glb"
    return load_scene(source), once(f"variants-{request.param}", lambda: make_variants(source, gltf_transform))


def make_variants(source: Path, tool: Path) -> Path:
    script = Path(__file__).parent / "data" / "variants.mjs"
    made = tool / hashlib.sha256(script.read_bytes() + source.read_bytes()).hexdigest()[:16]
    if not made.is_dir():
        fresh = Path(tempfile.mkdtemp(dir=tool))
        command = ["node", str(shutil.copy(script, fresh)), str(source), str(fresh)]
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)
        with suppress(OSError):  # another run was first
            fresh.rename(made)
        shutil.rmtree(fresh, ignore_errors=True)
    return made


def surface(scene: Scene) -> NDArray[np.float64]:
    """(T, 15) corners and texture coordinates of each triangle, from its least corner on, order kept."""
    uvs = np.zeros((len(scene.positions), 2)) if scene.uvs is None else scene.uvs
    corners = np.concatenate([scene.positions, uvs], axis=1)[scene.triangles].astype(np.float64)
    first = np.lexsort(np.round(corners[:, :, 2::-1], 5).transpose(2, 0, 1), axis=1)[:, 0]
    turned = (first[:, None] + np.arange(3)) % 3
    return np.take_along_axis(corners, turned[:, :, None], axis=1).reshape(-1, 15)


def sorted_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows[np.lexsort(rows.T[::-1])]


@pytest.mark.parametrize("name", EXACT)
def test_lossless_variants_are_equal(variants: tuple[Scene, Path], name: str) -> None:
    plain, folder = variants
    other = load_scene(folder / f"{name}.glb")
    np.testing.assert_array_equal(sorted_rows(surface(other)), sorted_rows(surface(plain)))
    assert_same_look(plain, other)


def test_external_files_are_equal_in_order_too(variants: tuple[Scene, Path]) -> None:
    plain, folder = variants
    other = load_scene(folder / "external.gltf")
    np.testing.assert_array_equal(other.positions[other.triangles], plain.positions[plain.triangles])
    assert_same_look(plain, other)


@pytest.mark.parametrize("name", LOSSY)
def test_quantised_variants_are_within_a_step(variants: tuple[Scene, Path], name: str) -> None:
    """Each triangle of one has a triangle of the other within the quantisation step of the scene's longest side."""
    from scipy.spatial import cKDTree

    plain, folder = variants
    other = load_scene(folder / f"{name}.glb")
    side = float((plain.positions.max(axis=0) - plain.positions.min(axis=0)).max())
    step = side / (2 ** LOSSY[name] - 1) * 1.01
    ours, theirs = (scene.positions[scene.triangles].mean(axis=1) for scene in (plain, other))
    areas = [triangle_areas(scene) for scene in (plain, other)]
    assert cKDTree(theirs).query(ours[areas[0] > 1e-4])[0].max() < step
    assert cKDTree(ours).query(theirs[areas[1] > 1e-4])[0].max() < step
    assert areas[0].sum() == pytest.approx(areas[1].sum(), rel=2e-3)
    assert_same_look(plain, other)


def triangle_areas(scene: Scene) -> NDArray[np.float64]:
    corners = scene.positions[scene.triangles].astype(np.float64)
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas: NDArray[np.float64] = np.linalg.norm(sides, axis=1) / 2
    return areas


def assert_same_look(plain: Scene, other: Scene) -> None:
    """The same pictures, shown by materials of the same colour."""
    assert sorted(t.tobytes() for t in plain.textures) == sorted(t.tobytes() for t in other.textures)
    shown = [{s.materials[m].base_color for m in np.unique(s.material_ids)} for s in (plain, other)]
    assert shown[0] == shown[1]
