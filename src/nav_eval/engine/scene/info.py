"""What a scene file holds, for `nav-eval scene info`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nav_eval.engine.scene.axes import UpAxis, frame_of
from nav_eval.engine.scene.cache import scene_bytes
from nav_eval.engine.scene.load import read_scene
from nav_eval.engine.scene.source import SceneSource

Vector = tuple[float, float, float]
WIDEST, HIGHEST, SMALLEST = 1000.0, 150.0, 0.5
"""Metres."""


@dataclass(frozen=True, slots=True)
class SceneInfo:
    """Counts, sizes in metres (y up) and bytes; `up_axis` is the file's, with the rule that told it."""

    name: str
    path: str
    digest: str
    up_axis: str
    vertices: int
    triangles: int
    materials: int
    textures: int
    texture_megapixels: float
    memory_bytes: int
    low: Vector
    high: Vector
    size: Vector
    vertex_colors: bool
    objects: int
    categories: tuple[str, ...]
    regions: int
    storeys: int
    notes: tuple[str, ...]


def scene_info(path: str | Path, up: UpAxis = "auto", scale: float = 1.0) -> SceneInfo:
    """Read the scene and count; SceneError as from load_scene."""
    source = SceneSource(Path(path))
    scene = read_scene(source, up, scale)
    frame = frame_of(source, up, scale)
    low, high = scene.positions.min(axis=0).tolist(), scene.positions.max(axis=0).tolist()
    size = (high[0] - low[0], high[1] - low[1], high[2] - low[2])
    return SceneInfo(
        name=scene.name,
        path=str(path),
        digest=scene.digest,
        up_axis=f"{'+-'[min(frame.up) < 0]}{'xyz'[_longest(frame.up)]} ({frame.reason})",
        vertices=len(scene.positions),
        triangles=len(scene.triangles),
        materials=len(scene.materials),
        textures=len(scene.textures),
        texture_megapixels=sum(texture.shape[0] * texture.shape[1] for texture in scene.textures) / 1e6,
        memory_bytes=scene_bytes(scene),
        low=(low[0], low[1], low[2]),
        high=(high[0], high[1], high[2]),
        size=size,
        vertex_colors=scene.colors is not None,
        objects=len(scene.objects),
        categories=tuple(sorted({thing.category for thing in scene.objects})),
        regions=len(scene.regions),
        storeys=len({region.storey for region in scene.regions}),
        notes=(*_implausible(size), *scene.notes),
    )


def _implausible(size: Vector) -> tuple[str, ...]:
    """A warning where no building is so large, or so small, in metres."""
    shown = " x ".join(f"{side:.3g}" for side in size)
    if max(size[0], size[2]) > WIDEST or size[1] > HIGHEST:
        return (f"{shown} m is large for a building. In millimetres: --scale 0.001 (simulator.scale=0.001)",)
    if max(size) < SMALLEST:
        return (f"{shown} m is small for a building. In kilometres: --scale 1000 (simulator.scale=1000)",)
    return ()


def _longest(vector: Vector) -> int:
    return max(range(3), key=lambda axis: abs(vector[axis]))
