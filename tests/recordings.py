"""Recorded answers of navmeshes: Habitat's in the shared folder, where that is, and those of recorded/ everywhere.

Both have the same files, but for arrays, which are npz there and json here; recorded/README.md says what made them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
SHARED_DATA = Path(os.environ.get("NAV_EVAL_SHARED_DATA") or ROOT.parent / "shared" / "data").resolve()
OWN_SCENES = ("rooms", "storeys")
HABITATS_SCENES = ("gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "house_200k")
SCENES = (*HABITATS_SCENES, *OWN_SCENES) if SHARED_DATA.is_dir() else OWN_SCENES
"""Of which there are recordings."""


def folder_of(scene: str) -> Path:
    """Where the recordings of a scene lie."""
    own = Path(__file__).parent / "recorded"
    return own / scene if scene in OWN_SCENES else SHARED_DATA / "habitat-parity" / scene


def file_of(scene: str) -> Path:
    """The scene's meshes."""
    return folder_of(scene) / "scene.glb" if scene in OWN_SCENES else SHARED_DATA / "scenes" / f"{scene}.glb"


def read(scene: str, name: str) -> Any:
    """The document NAME.json."""
    return json.loads((folder_of(scene) / f"{name}.json").read_text())


def arrays(scene: str, name: str) -> dict[str, Any]:
    """The arrays of NAME.npz or NAME-arrays.json; what is a fraction there is float32."""
    if scene not in OWN_SCENES:
        return dict(np.load(folder_of(scene) / f"{name}.npz"))
    found = {key: np.array(value) for key, value in read(scene, f"{name}-arrays").items()}
    return {key: value.astype(np.float32) if value.dtype.kind == "f" else value for key, value in found.items()}
