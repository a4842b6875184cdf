"""Matterport3D's skyboxes: six faces in file order; a missing or damaged picture is named."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from graphs import colour_of, node, write_r2r, write_skyboxes
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.errors import SceneError
from nav_eval.geometry import yaw_of
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
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


def test_an_equirectangular_one_looks_along_the_heading_wherever_the_scanner_looked(tmp_path: Path) -> None:
    """Scans of viewpoints are turned otherwise each; a move keeps the heading."""
    own = [*write_r2r(tmp_path), *write_skyboxes(tmp_path), "simulator.sensors.skybox.options.kind=equirectangular"]
    with opened(benchmark_config("r2r", overrides=own)) as plan, closing(plan.backend.open_session()) as session:
        session.reset(next(iter(plan.episodes)))
        for action in (Action("turn_left"), Action("move_to", {"viewpoint": node(1, 0)}), Action("turn_right")):
            session.advance(action)
            yaw = yaw_of(session.get_agent_state().rotation)
            seen = session.observe()["skybox"]
            assert seen.shape == (64, 128, 3)
            assert np.abs(seen.astype(float) - colour_of(around(yaw, 128))).mean() < 2


def around(yaw: float, width: int) -> np.ndarray:
    """Directions of the pixels of a sphere, (W / 2, W, 3), whose middle looks along `yaw`."""
    to_left = yaw - ((np.arange(width) + 0.5) / width * 2 * np.pi - np.pi)[None, :]
    up = (np.pi / 2 - (np.arange(width // 2) + 0.5) / (width // 2) * np.pi)[:, None]
    return np.stack(np.broadcast_arrays(-np.sin(to_left) * np.cos(up), np.sin(up), -np.cos(to_left) * np.cos(up)), -1)


@pytest.mark.parametrize("damage", [b"", b"\xff\xd8\xff\xe0", b"GIF89a", None], ids=["empty", "cut", "gif", "missing"])
def test_a_damaged_or_missing_face_is_named(folder: Path, damage: bytes | None) -> None:
    face = folder / "scan" / "node_skybox3_sami.jpg"
    if damage is None:
        face.unlink()
    else:
        face.write_bytes(damage)
    with pytest.raises(SceneError, match="node_skybox3_sami"):
        sensor(folder).observe(SIMULATOR)
