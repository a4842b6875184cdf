"""Pictures in mirrors against the renderer: what one meets who looks from the mirror where the light comes from."""

from __future__ import annotations

import math

import numpy as np

from nav_eval.report.views import view_image
from worlds.buildings import OPEN_PLAN, make_world

EYE, BEFORE = 1.4, 1.4


def test_a_mirror_shows_what_is_before_it() -> None:
    """Texels of all mirrors, told by the mesh's own texture coordinates, and a camera turned by the law of mirrors."""
    world = make_world(*OPEN_PLAN)
    mesh, scene = world.mesh, world.scene()
    assert scene.uvs is not None
    near = []
    for k, name in enumerate(mesh.names):
        rows = np.flatnonzero(mesh.materials == k)
        if not name.startswith("reflection") or world.items[mesh.objects[rows[0]] - 1].category != "mirror":
            continue
        points, uvs, normal = mesh.positions[rows], scene.uvs[rows], mesh.normals[rows[0]]
        plane = np.linalg.lstsq(np.c_[uvs, np.ones(len(uvs))], points, rcond=None)[0]
        flat = np.array([normal[0], 0, normal[2]]) / np.hypot(normal[0], normal[2])
        eye = (points.min(axis=0) + points.max(axis=0)) / 2 + flat * BEFORE
        eye[1] = EYE
        picture = world.textures[k].astype(float)
        high, wide = picture.shape[:2]
        for i, j in np.random.default_rng(k).integers(4, np.array([high, wide]) - 4, (6, 2)):
            at = np.array([(j + 0.5) / wide, (i + 0.5) / high, 1.0]) @ plane
            ahead = (at - eye) / np.linalg.norm(at - eye)
            back = ahead - 2 * (ahead @ normal) * normal
            yaw, pitch = math.atan2(-back[0], -back[2]), math.asin(back[1])
            start = at + back * 0.01
            seen = np.asarray(view_image(scene, (start[0], start[1], start[2]), yaw, pitch, (32, 32), 2.0), float)
            texels = picture[i - 2 : i + 3, j - 2 : j + 3].mean(axis=(0, 1))
            near.append(np.abs(seen.mean(axis=(0, 1)) - texels).max())
    assert len(near) >= 6
    assert np.median(near) < 14  # of 255; rooms are shown a quarter brighter than when it was 12
    assert (
        np.mean(np.array(near) < 35) > 0.8
    )  # a mirror that hangs before a pane of glass shows the pane without its picture
