"""Compiles the software renderer once for a machine, with a message, before any worker needs it.

Machine code lands in the cache directory (see jit.py); a process that comes later loads it in a tenth of a second.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.frame import OUTPUTS
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.jit import cache_home, source_hash
from nav_eval.logging import get_logger


def warm() -> float:
    """Compile whatever is not compiled yet by drawing one small frame; the seconds it took."""
    marker = _marker()
    if not is_warm():
        get_logger(__name__).warning(
            "Compiling the renderer for this machine, once: about 20 seconds. Kept in %s.", cache_home()
        )
    started = time.perf_counter()
    from nav_eval.engine.render.cpu import CpuRenderer
    from nav_eval.engine.render.prepared import build

    CpuRenderer(build(_sample()), Lens(16, 16, 90.0), OUTPUTS).render((0.0, 0.0, 1.0), 0.0)
    seconds = time.perf_counter() - started
    if not marker.exists():
        get_logger(__name__).warning("Compiled the renderer in %.1f s.", seconds)
        _touch(marker)
    return seconds


def is_warm() -> bool:
    """True if this version of the renderer was compiled into the present cache before."""
    return _marker().exists()


def _marker() -> Path:
    import numba

    return cache_home() / "kernels" / f"render-{source_hash(Path(__file__).parent)}-numba{numba.__version__}.warm"


def _touch(marker: Path) -> None:
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
    except OSError as error:
        get_logger(__name__).warning("The cache cannot be written (%s): the next process compiles again.", error)


def _sample() -> Scene:
    """A textured triangle with holes: every kernel has something to do."""
    return Scene(
        name="warm",
        positions=np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.float32),
        triangles=np.array([[0, 1, 2]], np.int32),
        material_ids=np.zeros(1, np.int32),
        materials=(Material(texture=0, alpha_mode="mask", base_color=(0.5, 1.0, 1.0, 1.0)),),
        uvs=np.array([[0, 0], [1, 0], [0, 1]], np.float32),
        textures=(np.full((4, 4, 4), 255, np.uint8),),
    )
