"""A small frame that asks for every kernel of the software renderer."""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.camera import Lens, view
from nav_eval.engine.render.frame import OUTPUTS
from nav_eval.engine.render.layout import Camera
from nav_eval.engine.scene.scene import Material, Scene, Sky


def warm() -> None:
    """Compile whatever is not compiled yet, by drawing that frame."""
    from nav_eval.engine.render.attributes import read_depth
    from nav_eval.engine.render.cpu import CpuRenderer
    from nav_eval.engine.render.prepared import build

    lens, place = Lens(16, 16, 90.0), (0.0, 0.0, 1.0)
    CpuRenderer(build(_sample()), lens, OUTPUTS, antialiasing=True).render(place, 0.0)
    camera = Camera(view(place, 0.0), lens.focal, lens.width, lens.height, lens.width)
    read_depth(camera, np.zeros(lens.width * lens.height, np.float32), np.zeros((lens.height, lens.width), np.float32))


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
        sky=Sky(np.zeros((1, 6, 4, 4, 4), np.uint8), (0.0,)),
    )
