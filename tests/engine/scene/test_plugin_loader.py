"""A plug-in's scene format is a part of the scene: what was cached of it does not outlive the code that made it."""

from __future__ import annotations

import sys
from importlib import reload
from pathlib import Path

import pytest

from nav_eval.engine.scene.load import load_scene
from nav_eval.registry import import_plugins

LOADER = """
import numpy as np
from nav_eval import register_scene_format
from nav_eval.engine.scene.scene import Material, Scene

@register_scene_format("size")
def load(source):
    size = SCALE * float(source.read())
    points = np.array([[0, 0, 0], [0, 0, size], [size, 0, 0]], np.float32)
    return Scene("size", points, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32), (Material(),))
"""


def test_changed_code_is_another_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "two.size").write_text("2")
    digests = []
    for scale in (1, 1, 10):
        (tmp_path / "size_plugin.py").write_text(LOADER.replace("SCALE", str(scale)))
        import_plugins(["size_plugin"])
        reload(sys.modules["size_plugin"])
        digests.append(load_scene(tmp_path / "two.size").digest)
    assert digests[0] == digests[1] != digests[2]
