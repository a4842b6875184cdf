"""Scenes: meshes, materials and semantics, read from the formats that their owners ship."""

from nav_eval.engine.scene.cache import SceneCache, scene_bytes, shared_scenes
from nav_eval.engine.scene.formats import SCENE_FORMATS, SceneLoader, register_scene_format
from nav_eval.engine.scene.info import SceneInfo, scene_info
from nav_eval.engine.scene.load import load_scene
from nav_eval.engine.scene.resolve import resolve_scene
from nav_eval.engine.scene.scene import Material, Scene, SemanticObject, SemanticRegion
from nav_eval.engine.scene.source import SceneSource

__all__ = [
    "SCENE_FORMATS",
    "Material",
    "Scene",
    "SceneCache",
    "SceneInfo",
    "SceneLoader",
    "SceneSource",
    "SemanticObject",
    "SemanticRegion",
    "load_scene",
    "register_scene_format",
    "resolve_scene",
    "scene_bytes",
    "scene_info",
    "shared_scenes",
]
