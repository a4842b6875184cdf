"""Finds the semantic sidecar of a scene and adds its objects, rooms and object ids.

`<name>.semantic.json` is our own; `<scan>.house` + `<scan>_semantic.ply` are Matterport3D's; `<id>.semantic.txt` +
`<id>.semantic.glb` are HM3D's. The owners' annotations lie on a mesh of their own: a triangle of the picture mesh
takes the id of the annotated surface nearest to its middle (semantics/transfer).
"""

from __future__ import annotations

from nav_eval.engine.scene.axes import Frame, scene_stem
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.semantics import sidecar
from nav_eval.engine.scene.semantics.boxes import with_boxes
from nav_eval.engine.scene.source import SceneSource


def with_semantics(source: SceneSource, scene: Scene, frame: Frame) -> Scene:
    """`scene`, turned upright already, with what its sidecar says; unchanged where there is none."""
    stem = scene_stem(source.path)
    text = source.optional(source.path.with_name(f"{stem}.semantic.json"))
    if text is not None:
        return with_boxes(sidecar.attach(scene, text, f"{stem}.semantic.json"))
    text = source.optional(source.path.with_name(f"{stem}.house"))
    if text is not None:
        from nav_eval.engine.scene.semantics import matterport

        return matterport.attach(source, scene, frame, text)
    text = source.optional(source.path.with_name(f"{stem}.semantic.txt"))
    if text is not None:
        from nav_eval.engine.scene.semantics import hm3d

        return with_boxes(hm3d.attach(source, scene, frame, text))
    return scene
