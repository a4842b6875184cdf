"""The buildings of the custom simulator: scene, navmesh and renderers, each made once and shared by all sessions.

A world is known by its scene id. What a run does not need is not loaded: without a camera the triangles are read only
if a navmesh must be built, so that an offline score needs the .navmesh file alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nav_eval.config.schema import SimulatorConfig
from nav_eval.engine.navmesh.mesh import NavMesh, load_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.prepared import PreparedScene, prepare
from nav_eval.engine.scene.cache import shared_scenes
from nav_eval.engine.scene.resolve import resolve_scene
from nav_eval.engine.scene.source import safe_relative
from nav_eval.errors import ConfigError, SceneError
from nav_eval.reading import file_sha256
from nav_eval.simulator.people.footing import Footing
from nav_eval.simulator.people.lighting import Lighting

if TYPE_CHECKING:
    from nav_eval.engine.render.frame import Renderer
    from nav_eval.engine.scene.scene import Scene

WORLDS_KEPT = 8
WHOLE = (".glb", ".ply")
"""Endings of formats that are one file each."""


class World:
    """One building; `fixed`: its file, whatever the scene is called."""

    def __init__(self, config: SimulatorConfig, scene_id: str, fixed: str | None = None) -> None:
        self._config = config
        self._fixed = fixed
        self._scene_id = scene_id
        self._lock = threading.RLock()
        self._renderers: dict[tuple[Lens, tuple[str, ...]], Renderer] = {}

    @cached_property
    def scene_path(self) -> Path:
        """The scene's file; raises SceneError where there is none."""
        if self._fixed is not None:
            return Path(self._fixed)
        if self._config.scenes_dir is None:
            raise ConfigError("simulator.scenes_dir: backend custom needs the folder that holds the scenes.")
        return resolve_scene(self._config.scenes_dir, self._scene_id)

    @cached_property
    def navmesh_path(self) -> Path | None:
        """The navmesh that lies beside the scene, or None."""
        if not self._config.navmesh:
            return None
        beside = [path.with_suffix(".navmesh") for path in self._scene_files()]
        return next((path for path in beside if path.is_file()), None)

    def _scene_files(self) -> list[Path]:
        try:
            return [self.scene_path]
        except SceneError:
            name = safe_relative(self._scene_id.removeprefix("data/scene_datasets/"), "scene id")
            return [Path(str(self._config.scenes_dir)) / name]

    @property
    def scene(self) -> Scene:
        return shared_scenes().get(self.scene_path, self._config.up, self._config.scale)

    @property
    def navmesh(self) -> NavMesh:
        """Read from the file beside the scene, else built with the body's measures and cached."""
        with self._lock:
            return self._navmesh

    @cached_property
    def _navmesh(self) -> NavMesh:
        loaded = load_navmesh(self.navmesh_path) if self.navmesh_path else None
        return loaded or self._build()

    def _build(self) -> NavMesh:
        from nav_eval.engine.recast import build_or_load

        scene = self.scene
        built = build_or_load(scene.positions, scene.triangles, self.navmesh_settings, scene.floors)
        return NavMesh.from_bytes(built, self._scene_id)

    @property
    def navmesh_settings(self) -> NavmeshSettings:
        body = self._config.body
        return NavmeshSettings(
            agent_height=body.height,
            agent_radius=body.radius,
            agent_max_climb=body.max_climb,
            agent_max_slope=body.max_slope,
        )

    @cached_property
    def footing(self) -> Footing:
        """The floor under people's feet."""
        return Footing(self)

    @cached_property
    def lighting(self) -> Lighting:
        """The light on people."""
        return Lighting(self)

    def renderer(self, lens: Lens, outputs: Sequence[str]) -> Renderer:
        """One per lens and set of outputs, shared by all sessions."""
        from nav_eval.engine.render.renderer import make_renderer

        key = (lens, tuple(sorted(outputs)))
        with self._lock:
            if key not in self._renderers:
                self._renderers[key] = make_renderer(
                    self._config.renderer,
                    self._prepared if self._config.renderer == "cpu" else self.scene,
                    width=lens.width,
                    height=lens.height,
                    hfov=lens.hfov,
                    outputs=key[1],
                    shading=self._config.shading,
                    antialiasing=self._config.antialiasing,
                    threads=self._config.renderer_threads,
                )
            return self._renderers[key]

    def load(self, cameras: Mapping[Lens, Sequence[str]]) -> NavMesh:
        """What walking and `cameras`, their outputs, need."""
        for lens, outputs in cameras.items():
            self.renderer(lens, outputs)
        return self.navmesh

    @cached_property
    def _prepared(self) -> PreparedScene:
        return prepare(self.scene)

    def assets(self, *, triangles: bool) -> Mapping[str, str]:
        """SHA-256 of the files that matter: the navmesh, and the scene where its `triangles` are used or built upon."""
        found = {}
        if self.navmesh_path is not None:
            found[f"{self._scene_id}: navmesh"] = file_sha256(self.navmesh_path)
        if triangles or self.navmesh_path is None:
            found[f"{self._scene_id}: scene"] = self._content()
        return found

    def _content(self) -> str:
        """Of the file that holds a whole scene, else of all the files that its loader reads."""
        return file_sha256(self.scene_path) if self.scene_path.suffix.lower() in WHOLE else self.scene.digest

    def close(self) -> None:
        with self._lock:
            for renderer in self._renderers.values():
                renderer.close()
            self._renderers.clear()


class Worlds:
    """The most recently used worlds of a process, one load for all who ask."""

    def __init__(self, config: SimulatorConfig, kept: int = WORLDS_KEPT, fixed: str | None = None) -> None:
        self._config = config
        self._fixed = fixed
        self._kept = kept
        self._worlds: OrderedDict[str, World] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, scene_id: str) -> World:
        with self._lock:
            world = self._worlds.pop(scene_id, None) or World(self._config, scene_id, self._fixed)
            self._worlds[scene_id] = world
            while len(self._worlds) > self._kept:
                self._worlds.popitem(last=False)
            return world

    def close(self) -> None:
        with self._lock:
            for world in self._worlds.values():
                world.close()
            self._worlds.clear()
