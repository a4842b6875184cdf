"""No cracks: from inside a closed, finely tessellated room every pixel sees a wall."""

from __future__ import annotations

import numpy as np

from engine.render.shapes import room
from nav_eval.engine.render.renderer import make_renderer


def test_no_background_in_a_thousand_poses() -> None:
    rng = np.random.default_rng(7)
    renderer = make_renderer("cpu", room(6), width=160, height=120, hfov=90, outputs=("depth",))
    size = 4.0 * np.array([1.0, 0.4, 0.8])
    places = rng.uniform(-0.98, 0.98, (1000, 3)) * size
    places[::10, 0] = size[0] - 0.012  # so close to a wall that the near plane nearly touches it
    yaws, pitches = rng.uniform(-np.pi, np.pi, 1000), rng.uniform(-1.5, 1.5, 1000)
    yaws[::10] = np.pi / 2
    for start in range(0, 1000, 100):
        part = slice(start, start + 100)
        for frame in renderer.render_batch(places[part], yaws[part], pitches[part]):
            assert (frame.depth > 0).all()
