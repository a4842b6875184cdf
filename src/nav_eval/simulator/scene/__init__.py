"""Scenes: meshes, materials and semantics, read from the formats that their owners ship."""

from nav_eval.simulator.scene.cache import SceneCache, scene_bytes, shared_scenes
from nav_eval.simulator.scene.data_check import DataFinding, data_check
from nav_eval.simulator.scene.formats import SCENE_FORMATS, SceneLoader, register_scene_format
from nav_eval.simulator.scene.info import SceneInfo, scene_info
from nav_eval.simulator.scene.load import load_scene
from nav_eval.simulator.scene.resolve import resolve_scene
from nav_eval.simulator.scene.scene import Material, Scene, SemanticObject, SemanticRegion
from nav_eval.simulator.scene.source import SceneSource

__all__ = [
    "SCENE_FORMATS",
    "DataFinding",
    "Material",
    "Scene",
    "SceneCache",
    "SceneInfo",
    "SceneLoader",
    "SceneSource",
    "SemanticObject",
    "SemanticRegion",
    "data_check",
    "load_scene",
    "register_scene_format",
    "resolve_scene",
    "scene_bytes",
    "scene_info",
    "shared_scenes",
]
