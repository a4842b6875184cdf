"""What a floor plan of a storey shows: rooms and things where a scene knows them, else the floor of its navmesh.

The page, `nav-eval scene view --kind plan` and the videos draw the same plan. A navmesh keeps the agent's radius from
every wall, so walls are drawn where the floor, grown by that radius, ends: straight, whatever the navmesh's cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.report.storeys import REACH

Box = tuple[float, float, float, float]
"""Least x and z, greatest x and z; metres."""

FLOOR_DELTA = 0.5
"""Metres: floor within this of a storey's height lies on it."""
DEFAULT_RADIUS = 0.1
MIN_ISLAND = 1.0
"""Square metres: smaller floor that nothing leads to is a thing's top."""
MAX_SHARED = 0.05
"""Rooms whose boxes share more of their area are no boxes: they are named only."""
_MIN_DRAWN_AREA = 0.06
"""Square metres of floor from which on a thing is drawn."""
_NOT_DRAWN = frozenset(("wall", "floor", "ceiling", "lamp", "curtain", "picture", "towel", "whiteboard", "sign"))
_KINDS = {"door": "door", "doorway": "door", "window": "window", "rug": "rug", "plant": "plant"}


@dataclass(frozen=True, slots=True)
class Plan:
    """One storey: `rooms` as category and box, `things` as kind and box from the lowest to the highest.

    `floor`, `stairs`: (N, 2) corners (x, z; metres) of walkable polygons on this level and near it, `radius` (m) from
    the walls; `boxes`: whether the rooms' boxes are their walls.
    """

    rooms: tuple[tuple[str, Box], ...] = ()
    things: tuple[tuple[str, Box], ...] = ()
    boxes: bool = False
    floor: tuple[npt.NDArray[np.float64], ...] = ()
    stairs: tuple[npt.NDArray[np.float64], ...] = ()
    radius: float = DEFAULT_RADIUS

    def to_record(self) -> dict[str, Any]:
        """Whole centimetres; polygons only where the rooms' boxes do not tell."""
        record: dict[str, Any] = {"rooms": [[name, *_whole(box)] for name, box in self.rooms], "boxes": self.boxes}
        if self.boxes:
            return record | {"things": [[kind, *_whole(box)] for kind, box in self.things]}
        polygons = {"floor": self.floor, "stairs": self.stairs}
        return record | {"radius": self.radius} | {name: [_whole(p) for p in some] for name, some in polygons.items()}


def _whole(metres: npt.ArrayLike) -> list[int]:
    return [int(value) for value in np.rint(np.asarray(metres, np.float64) * 100).ravel()]


def scene_plan(scene: Scene, storey: int) -> Plan:
    """The rooms of a storey and what stands in them; an empty plan where no room is known."""
    regions = [region for region in scene.regions if region.storey == storey]
    own = {region.id for region in regions}
    things = sorted(
        (o for o in scene.objects if o.region in own and _is_drawn(o)), key=lambda o: o.center[1] + o.size[1] / 2
    )
    return Plan(
        rooms=tuple((region.category, _box(region.low, region.high)) for region in regions),
        things=tuple((_KINDS.get(o.category, "thing"), _footprint(o)) for o in things),
        boxes=bool(regions) and _overlap_share(regions) <= MAX_SHARED,
    )


def storey_plan(navmesh: NavMesh, height: float, scene: Scene | None) -> Plan:
    """The plan of the storey at `height` (m): its floor, and what the scene, if any, tells of it."""
    known = Plan() if scene is None else scene_plan(scene, _storey_at(scene.regions, height))
    level = _polygons(navmesh)
    settings = navmesh.settings
    return Plan(
        known.rooms,
        known.things,
        known.boxes,
        tuple(polygon for y, polygon in level if abs(y - height) <= FLOOR_DELTA),
        tuple(polygon for y, polygon in level if FLOOR_DELTA < abs(y - height) <= REACH),
        DEFAULT_RADIUS if settings is None else settings.agent_radius,
    )


def _polygons(navmesh: NavMesh) -> list[tuple[float, npt.NDArray[np.float64]]]:
    """Mean height and corners (x, z) of each polygon that can be walked on; table tops and the like are left out."""
    layout, islands = navmesh.layout, navmesh.islands
    least = min(MIN_ISLAND, max((island.area for island in islands), default=0.0))
    ground = {island.index for island in islands if island.area >= least}
    corners = layout.corners.astype(np.float64)
    return [
        (float(corners[i, :n, 1].mean()), corners[i, :n][:, [0, 2]])
        for i, n in enumerate(layout.counts.tolist())
        if layout.walkable[i] and int(layout.island[i]) in ground
    ]


def _storey_at(regions: Sequence[SemanticRegion], height: float) -> int:
    """The storey whose floor is nearest; -1 where none is within half a storey."""
    near = min(regions, key=lambda region: abs(region.low[1] - height), default=None)
    return near.storey if near is not None and abs(near.low[1] - height) <= REACH else -1


def _overlap_share(regions: Sequence[SemanticRegion]) -> float:
    """Area that boxes have in common, as a share of the area of all."""
    boxes = [_box(region.low, region.high) for region in regions]
    common = sum(
        max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
        for a, b in combinations(boxes, 2)
    )
    return common / max(sum((b[2] - b[0]) * (b[3] - b[1]) for b in boxes), 1e-9)


def _is_drawn(thing: SemanticObject) -> bool:
    return thing.category not in _NOT_DRAWN and thing.size[0] * thing.size[2] > _MIN_DRAWN_AREA


def _footprint(thing: SemanticObject) -> Box:
    (x, _, z), (width, _, depth) = thing.center, thing.size
    return x - width / 2, z - depth / 2, x + width / 2, z + depth / 2


def _box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Box:
    return low[0], low[2], high[0], high[2]
