"""Boxes of objects and regions, measured on the triangles where a sidecar gives none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion

NO_SIZE = (0.0, 0.0, 0.0)


def with_boxes(scene: Scene) -> Scene:
    """`scene` with a box for every object that has triangles, and for every region that has such objects."""
    if scene.object_ids is None or not (scene.objects or scene.regions):
        return scene
    boxes = _boxes(scene)
    objects = tuple(_with_size(o, boxes) for o in scene.objects)
    return replace(scene, objects=objects, regions=tuple(_enclosing(r, objects) for r in scene.regions))


def _boxes(scene: Scene) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Lowest and highest corner by object id."""
    assert scene.object_ids is not None
    order = np.argsort(scene.object_ids, kind="stable")
    ids, starts = np.unique(scene.object_ids[order], return_index=True)
    corners = scene.positions[scene.triangles[order]]
    low = np.minimum.reduceat(corners.min(axis=1), starts, axis=0)
    high = np.maximum.reduceat(corners.max(axis=1), starts, axis=0)
    return {int(number): (low[row], high[row]) for row, number in enumerate(ids)}


def _with_size(thing: SemanticObject, boxes: dict[int, tuple[np.ndarray, np.ndarray]]) -> SemanticObject:
    if thing.size != NO_SIZE or thing.id not in boxes:
        return thing
    low, high = boxes[thing.id]
    x, y, z = ((low + high) / 2).tolist()
    width, height, depth = (high - low).tolist()
    return replace(thing, center=(x, y, z), size=(width, height, depth))


def _enclosing(region: SemanticRegion, objects: tuple[SemanticObject, ...]) -> SemanticRegion:
    own = [o for o in objects if o.region == region.id and o.size != NO_SIZE]
    if region.low != region.high or not own:
        return region
    centers, sizes = np.array([o.center for o in own]), np.array([o.size for o in own])
    low, high = (centers - sizes / 2).min(axis=0).tolist(), (centers + sizes / 2).max(axis=0).tolist()
    return replace(region, low=(low[0], low[1], low[2]), high=(high[0], high[1], high[2]))
