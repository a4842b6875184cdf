"""The registry of scene formats: a file's ending, without the dot, to the function that reads it.

A loader takes a SceneSource and returns a Scene in the file's own frame; load_scene turns it upright, checks it
and adds semantics. A plug-in registers with `@SCENE_FORMATS.register("ext")`, or by an entry point in the group
`nav_eval.scene_formats`.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_eval.registry import Registry
from nav_eval.simulator.scene.scene import Scene
from nav_eval.simulator.scene.source import SceneSource

SceneLoader = Callable[[SceneSource], Scene]

SCENE_FORMATS: Registry[SceneLoader] = Registry(
    "scene_formats",
    {
        "glb": "nav_eval.simulator.scene.gltf.loader:load_gltf",
        "gltf": "nav_eval.simulator.scene.gltf.loader:load_gltf",
        "obj": "nav_eval.simulator.scene.obj:load_obj",
        "ply": "nav_eval.simulator.scene.ply:load_ply",
    },
)
