"""Scenes: meshes, materials and semantics, read from the formats their owners ship."""

from nav_eval.simulator.scene.load import load_scene
from nav_eval.simulator.scene.scene import Material, Scene, SemanticObject, SemanticRegion

__all__ = ["Material", "Scene", "SemanticObject", "SemanticRegion", "load_scene"]
