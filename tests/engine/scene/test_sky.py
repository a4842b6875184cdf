"""The sky that a glTF file names: six faces in one image, and files that are damaged there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.scene.made import Glb, simple
from nav_eval.engine.scene.load import load_scene
from nav_eval.errors import SceneError


def with_sky(extras: Any, shape: tuple[int, ...] = (24, 4, 3)) -> Glb:
    made = simple()
    made.image(np.arange(np.prod(shape), dtype=np.uint8).reshape(shape))
    made.json["scenes"] = [{"nodes": [0], "extras": extras}]
    return made


def test_faces_lie_one_below_the_other(tmp_path: Path) -> None:
    entries = [{"image": 0}, {"image": 0, "above": 2.5}]
    sky = load_scene(with_sky({"nav_eval_sky": entries}).save(tmp_path / "a.glb")).sky
    assert sky is not None
    assert sky.above == (0.0, 2.5)
    assert sky.faces.shape == (2, 6, 4, 4, 4)
    stored = np.arange(24 * 4 * 3, dtype=np.uint8).reshape(24, 4, 3)
    assert np.array_equal(sky.faces[1, 5, ..., :3], stored[20:])
    assert not sky.faces.flags.writeable


@pytest.mark.parametrize("extras", [None, 7, ["nav_eval_sky"], {"sky": "blue"}])
def test_other_extras_are_nobodys_sky(extras: Any, tmp_path: Path) -> None:
    assert load_scene(with_sky(extras).save(tmp_path / "b.glb")).sky is None


@pytest.mark.parametrize(
    ("entries", "shape"),
    [
        ("blue", (24, 4, 3)),
        ([], (24, 4, 3)),
        ([{"image": 5}], (24, 4, 3)),
        ([{"above": 1.0}], (24, 4, 3)),
        ([{"image": 0, "above": 3.0}, {"image": 0, "above": 1.0}], (24, 4, 3)),
        ([{"image": 0}], (20, 4, 3)),
        ([{"image": 0}] * 17, (24, 4, 3)),
    ],
)
def test_a_damaged_sky_is_refused(entries: Any, shape: tuple[int, ...], tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"sky|image 5"):
        load_scene(with_sky({"nav_eval_sky": entries}, shape).save(tmp_path / "c.glb"))
