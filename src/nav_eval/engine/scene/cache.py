"""One copy of each scene per process: bounded, shared by all sessions, keyed by content.

A path whose files have not changed since it was read costs a few stat calls. Two paths with the same content share
one Scene. Who asks while a scene is being read waits for that one reading.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.axes import UpAxis
from nav_eval.engine.scene.images import Pictures
from nav_eval.engine.scene.load import read_scene
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.source import SceneSource, Stamp, stamp

DEFAULT_BYTES = 4 << 30
_Asked = tuple[Path, UpAxis, float]


def scene_bytes(scene: Scene) -> int:
    """Bytes of all arrays of a scene; pictures count whether they are decoded already or not."""
    beyond = 0 if scene.sky is None else _picture_bytes(scene.sky.pictures)
    return _picture_bytes(scene.textures) + beyond + sum(array.nbytes for array in scene.arrays)


def _picture_bytes(pictures: Iterable[NDArray[np.uint8]]) -> int:
    return 4 * pictures.pixels if isinstance(pictures, Pictures) else sum(picture.nbytes for picture in pictures)


class SceneCache:
    """Scenes by content, the least recently used dropped first once they exceed `max_bytes`.

    The newest scene stays even if it is larger alone. A dropped scene lives on with the sessions that hold it.
    """

    def __init__(self, max_bytes: int = DEFAULT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._scenes: OrderedDict[tuple[str, ...], Scene] = OrderedDict()
        self._known: dict[_Asked, tuple[dict[Path, Stamp | None], tuple[str, ...]]] = {}
        self._gates: dict[_Asked, threading.Lock] = {}

    def get(self, path: str | Path, up: UpAxis = "auto", scale: float = 1.0) -> Scene:
        """The scene, read if need be; SceneError as from load_scene."""
        asked: _Asked = (Path(path).absolute(), up, scale)
        with self._lock:
            scene = self._lookup(asked)
            gate = self._gates.setdefault(asked, threading.Lock())
        if scene is not None:
            return scene
        with gate:
            with self._lock:
                scene = self._lookup(asked)
            if scene is not None:
                return scene
            source = SceneSource(asked[0])
            return self._keep(asked, source, read_scene(source, up, scale))

    @property
    def nbytes(self) -> int:
        """What the held scenes take."""
        with self._lock:
            return sum(scene_bytes(scene) for scene in self._scenes.values())

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._scenes.clear()
            self._known.clear()

    def _lookup(self, asked: _Asked) -> Scene | None:
        stamps, key = self._known.get(asked, (None, ()))
        if stamps is None or key not in self._scenes or any(stamp(path) != was for path, was in stamps.items()):
            return None
        self._scenes.move_to_end(key)
        return self._scenes[key]

    def _keep(self, asked: _Asked, source: SceneSource, scene: Scene) -> Scene:
        """Remember `scene`, or hand out the one of the same content that is held already."""
        key = (scene.digest, scene.name)
        with self._lock:
            scene = self._scenes.setdefault(key, scene)
            self._scenes.move_to_end(key)
            self._known[asked] = (source.stamps, key)
            total = sum(scene_bytes(held) for held in self._scenes.values())
            while total > self._max_bytes and len(self._scenes) > 1:
                total -= scene_bytes(self._scenes.popitem(last=False)[1])
        return scene


@cache
def shared_scenes() -> SceneCache:
    """The cache of this process."""
    return SceneCache()
