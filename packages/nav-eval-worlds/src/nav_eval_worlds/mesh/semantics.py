"""The semantic sidecar of a world: objects and rooms with their boxes, as the scene loader reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nav_eval.engine.scene.scene import SemanticObject, SemanticRegion
from nav_eval_worlds import GENERATOR
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.plan.floor_plan import Plan
from nav_eval_worlds.shares import Assets

WALKABLE = ("floor", "stairs", "rug", "doormat", "doorway", "door")
"""The categories of what is walked on; all else is in the way."""


def regions(plan: Plan) -> tuple[SemanticRegion, ...]:
    """Every room; a stairwell is one region over both storeys (its upper cell included)."""
    out = []
    for room in plan.rooms:
        r = room.clear
        top = room.base + (plan.pitch if room.type == "stairs" and room.storey == 0 else room.ceiling)
        low = (r.x0 / 1000, room.base / 1000, r.z0 / 1000)
        out.append(SemanticRegion(room.id, room.type, room.storey, low, (r.x1 / 1000, top / 1000, r.z1 / 1000)))
    return tuple(out)


def objects(items: Sequence[Item], mesh: Mesh) -> tuple[SemanticObject, ...]:
    """Every item with the box of its vertices; ids count from 1 in the order of the items."""
    low = np.full((len(items) + 1, 3), np.inf)
    high = np.full((len(items) + 1, 3), -np.inf)
    np.minimum.at(low, mesh.objects, mesh.positions)
    np.maximum.at(high, mesh.objects, mesh.positions)
    centre, size = ((low[1:] + high[1:]) / 2).tolist(), (high[1:] - low[1:]).tolist()
    return tuple(
        SemanticObject(k + 1, item.category, item.room, _triple(centre[k]), _triple(size[k]), item.joins, item.design)
        for k, item in enumerate(items)
    )


def sidecar(
    found: Sequence[SemanticObject], rooms: Sequence[SemanticRegion], items: Sequence[Item], assets: Assets
) -> dict[str, Any]:
    """The content of `<name>.semantic.json`: also which split's small things stand here, and the shape of each."""
    return {
        "generator": GENERATOR,
        "assets": assets,
        "objects": [_thing(thing, item) for thing, item in zip(found, items, strict=True)],
        "regions": [
            {"id": r.id, "category": r.category, "storey": r.storey, "low": list(r.low), "high": list(r.high)}
            for r in rooms
        ],
        "walkable": list(WALKABLE),
    }


def _thing(o: SemanticObject, item: Item) -> dict[str, Any]:
    members = {"id": o.id, "category": o.category, "region": o.region, "center": list(o.center), "size": list(o.size)}
    return (
        members
        | ({"joins": list(o.joins)} if o.joins else {})
        | {key: name for key, name in (("variant", item.variant), ("design", item.design)) if name}
    )


def _triple(values: list[float]) -> tuple[float, float, float]:
    return values[0], values[1], values[2]
