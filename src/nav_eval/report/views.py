"""Pictures of a scene for people: a view from a pose, a floor plan with room names, a contact sheet of rooms.

They take any Scene with regions, generated or loaded, and return PIL images. Plans are drawn from the semantics, so
they need no renderer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.errors import SceneError
from nav_eval.geometry import Vec3, wrap_angle, yaw_towards
from nav_eval.report.plan import scene_plan
from nav_eval.report.plan_painter import PAPER, label, paint_plan

if TYPE_CHECKING:
    from PIL.Image import Image

    from nav_eval.engine.render.frame import Renderer

EYE = 1.45
_YAWS = tuple(math.radians(30 * k) for k in range(12))
_FAR = 8.0
FINER = 2
"""Pixels drawn for each of a sheet's, both ways: people look longer than agents do, and at edges."""
_MARGIN = 0.4
"""Metres of paper round a plan."""
_NOT_SEEN = frozenset(
    (
        "wall",
        "floor",
        "ceiling",
        "door",
        "doorway",
        "window",
        "curtain",
        "picture",
        "rug",
        "lamp",
        "glass_partition",
        "sign",
        "column",
    )
)
_TELLING = frozenset(
    ("bed", "sofa", "toilet", "counter", "bathtub", "shower", "desk", "washing_machine", "refrigerator")
)


def view_image(
    scene: Scene,
    position: Vec3,
    yaw: float,
    pitch: float = 0.0,
    size: tuple[int, int] = (640, 480),
    hfov: float = 79.0,
    finer: int = 1,
) -> Image:
    """What a camera at `position` (metres) sees; angles in rad, hfov in degrees, size = (width, height).

    With `finer` = 1 it is what an agent is sent; with more, drawn so many times as large and made smaller.
    """
    return _shoot(_camera(scene, size, hfov, finer), position, yaw, pitch, finer)


def open_pose(scene: Scene, places: Sequence[Vec3]) -> tuple[Vec3, float]:
    """Of camera positions the one that sees most all round, and the yaw (rad) of its farthest view."""
    from nav_eval.engine.render.renderer import make_renderer

    camera = make_renderer("cpu", scene, width=32, height=24, hfov=79.0, outputs=("depth",))
    seen = [_openness(camera, place) for place in places]
    best = max(range(len(places)), key=lambda k: sum(seen[k]))
    return places[best], _YAWS[max(range(len(_YAWS)), key=seen[best].__getitem__)]


def _openness(camera: Renderer, place: Vec3) -> list[float]:
    """For each of _YAWS how far one sees: metres, the mean over a frame; where nothing is, as over a roof, it is 0."""
    frames = camera.render_batch(np.tile(place, (len(_YAWS), 1)), np.array(_YAWS))
    return [float(np.minimum(frame.depth, _FAR).mean()) for frame in frames]


def contact_sheet(scene: Scene, columns: int = 4, size: tuple[int, int] = (320, 240)) -> Image:
    """One view of each room, named. SceneError for a scene without regions."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    regions = [region for region in _regions(scene) if region.category != "stairs"] or list(_regions(scene))
    camera = _camera(scene, size, 90.0, FINER)
    rows = -(-len(regions) // columns)
    sheet = Pictures.new("RGB", (columns * size[0], rows * size[1]), PAPER)
    for k, region in enumerate(regions):
        position, yaw = room_view(scene, region)
        picture = _shoot(camera, position, yaw, -0.14, FINER)
        label(ImageDraw.Draw(picture), (6, 4), f"{region.category} {region.id}", size[1] // 18)
        sheet.paste(picture, ((k % columns) * size[0], (k // columns) * size[1]))
    return sheet


def room_view(scene: Scene, region: SemanticRegion) -> tuple[Vec3, float]:
    """A camera position and yaw from which much of a room is seen: the best corner, looking to the middle."""
    middle = ((region.low[0] + region.high[0]) / 2, region.low[1] + EYE, (region.low[2] + region.high[2]) / 2)
    things = _furniture(scene, region)
    off = 0.35
    corners = [
        (x, region.low[1] + EYE, z)
        for x in (region.low[0] + off, region.high[0] - off)
        for z in (region.low[2] + off, region.high[2] - off)
    ]
    best = max(corners, key=lambda corner: _worth(corner, yaw_towards(corner, middle), things))
    return best, yaw_towards(best, middle)


def _furniture(scene: Scene, region: SemanticRegion) -> list[SemanticObject]:
    return [o for o in scene.objects if o.region == region.id and o.category not in _NOT_SEEN]


def _worth(position: Vec3, yaw: float, things: list[SemanticObject]) -> float:
    """How much furniture a view holds; less than nothing with the camera inside some."""
    total = 0.0
    for thing in things:
        if _clearance(position, thing) < 0.3:
            return -1.0
        offset = abs(wrap_angle(yaw_towards(position, thing.center) - yaw))
        distance = math.dist(position, thing.center)
        if offset < 0.55 and 0.9 < distance < 6.0:
            size = min((thing.size[0] + thing.size[2]) * thing.size[1], 3.0) ** 0.5
            total += size * (4.0 if thing.category in _TELLING else 1.0)
    return total


def floor_plan(scene: Scene, storey: int = 0, pixels_per_metre: int = 60) -> Image:
    """The rooms of a storey with their names, doors, windows and furniture, seen from above (-z is up)."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    regions = _storey(scene, storey)
    low_x, low_z = plan_origin(scene, storey)
    high_x, high_z = max(r.high[0] for r in regions) + _MARGIN, max(r.high[2] for r in regions) + _MARGIN
    scale = pixels_per_metre
    plan = Pictures.new("RGB", (round((high_x - low_x) * scale), round((high_z - low_z) * scale)), PAPER)
    draw = ImageDraw.Draw(plan)

    paint_plan(draw, scene_plan(scene, storey), lambda x, z: (scale * (x - low_x), scale * (z - low_z)), scale)
    return plan


def plan_origin(scene: Scene, storey: int) -> tuple[float, float]:
    """x and z, metres, of the upper left corner of `floor_plan`."""
    regions = _storey(scene, storey)
    return min(r.low[0] for r in regions) - _MARGIN, min(r.low[2] for r in regions) - _MARGIN


def _storey(scene: Scene, storey: int) -> list[SemanticRegion]:
    regions = [region for region in _regions(scene) if region.storey == storey]
    if not regions:
        raise SceneError(f"{scene.name}: there is no storey {storey}. Choose one of its regions' storeys.")
    return regions


def _regions(scene: Scene) -> tuple[SemanticRegion, ...]:
    if not scene.regions:
        raise SceneError(f"{scene.name}: no regions are known. Put a semantic file beside the scene.")
    return scene.regions


def _clearance(point: Vec3, thing: SemanticObject) -> float:
    """Distance, metres, from a point to a thing's box."""
    gaps = (max(abs(p - c) - s / 2, 0.0) for p, c, s in zip(point, thing.center, thing.size, strict=True))
    return math.hypot(*gaps)


def _camera(scene: Scene, size: tuple[int, int], hfov: float, finer: int) -> Renderer:
    from nav_eval.engine.render.renderer import make_renderer

    width, height = size[0] * finer, size[1] * finer
    return make_renderer("cpu", scene, width=width, height=height, hfov=hfov, outputs=("rgb",), shading="auto")


def _shoot(camera: Renderer, position: Vec3, yaw: float, pitch: float, finer: int) -> Image:
    from PIL import Image as Pictures

    return Pictures.fromarray(camera.render(position, yaw, pitch).rgb).reduce(finer)
