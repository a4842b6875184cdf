"""Matterport3D's skyboxes: six faces in file order; a missing or damaged picture is named."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.errors import SceneError
from nav_eval.simulator.sensors.graph import SkyboxSensor

SIMULATOR = cast(
    Any, SimpleNamespace(get_agent_state=lambda: SimpleNamespace(node="node"), episode=SimpleNamespace(scene_id="scan"))
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    faces = tmp_path / "scan"
    faces.mkdir()
    for index in range(6):
        pixels = np.full((32, 32, 3), 40 * index, np.uint8)
        Image.fromarray(pixels).save(faces / f"node_skybox{index}_{'sami' if index % 2 else 'small'}.jpg")
    return tmp_path


def sensor(folder: Path) -> SkyboxSensor:
    return SkyboxSensor("skybox", SensorConfig(width=8), SimulatorConfig(skybox_dir=str(folder)))


def test_six_faces_in_file_order(folder: Path) -> None:
    seen = sensor(folder).observe(SIMULATOR)
    assert seen.shape == (6, 8, 8, 3)
    assert np.abs(seen.mean(axis=(1, 2, 3)) - 40.0 * np.arange(6)).max() < 2


@pytest.mark.parametrize("damage", [b"", b"\xff\xd8\xff\xe0", b"GIF89a", None], ids=["empty", "cut", "gif", "missing"])
def test_a_damaged_or_missing_face_is_named(folder: Path, damage: bytes | None) -> None:
    face = folder / "scan" / "node_skybox3_sami.jpg"
    if damage is None:
        face.unlink()
    else:
        face.write_bytes(damage)
    with pytest.raises(SceneError, match="node_skybox3_sami"):
        sensor(folder).observe(SIMULATOR)
