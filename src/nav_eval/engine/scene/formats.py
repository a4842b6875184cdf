"""The registry of scene formats: a file's ending, without the dot, to the function that reads it.

A loader takes a SceneSource and returns a Scene in the file's own frame; load_scene turns it upright, checks it
and adds semantics. A plug-in registers with `@register_scene_format("ext")`, or by an entry point in the group
`nav_eval.scene_formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nav_eval.admission import file_of
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import ConfigError
from nav_eval.registry import Registry, check_named

SceneLoader = Callable[[SceneSource], Scene]
L = TypeVar("L", bound=SceneLoader)


def _admit(ending: str, member: Any) -> Any:
    if not callable(member) or (isinstance(member, type) and not issubclass(member, Scene)):
        called = getattr(member, "__qualname__", repr(member))
        raise ConfigError(
            f"scene format {ending!r}{file_of(member)}: {called} is no function. "
            "Write def load(source): that returns a nav_eval.engine.scene.Scene."
        )
    return member


SCENE_FORMATS: Registry[SceneLoader] = Registry(
    "scene_formats",
    {
        "glb": "nav_eval.engine.scene.gltf.loader:load_gltf",
        "gltf": "nav_eval.engine.scene.gltf.loader:load_gltf",
        "obj": "nav_eval.engine.scene.obj:load_obj",
        "ply": "nav_eval.engine.scene.ply:load_ply",
    },
    _admit,
)


def register_scene_format(ending: str) -> Callable[[L], L]:
    """Decorator: make a SceneLoader known for files with `ending` (no dot). Raises ConfigError if it is taken."""
    check_named(ending, "register_scene_format")
    return SCENE_FORMATS.register(ending.lower().lstrip("."))
