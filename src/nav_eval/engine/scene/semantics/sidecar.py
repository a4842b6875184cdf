"""nav_eval's own semantic sidecar, `<name>.semantic.json`, for scenes that are made or annotated with our tools.

    {"objects": [{"id": 7, "category": "chair", "region": 2, "center": [x, y, z], "size": [x, y, z]},
                 {"id": 8, "category": "door", "region": 2, "joins": [1, 2]}, ...],
     "regions": [{"id": 2, "category": "kitchen", "storey": 0, "low": [x, y, z], "high": [x, y, z]}, ...],
     "walkable": ["floor", "stairs", "rug"]}

Metres, y up, in nav_eval's frame. `region`, `center`, `size`, `storey`, `low` and `high` may be absent; a box that is
absent is measured on the object's triangles. `joins` are the two regions between which a door (category "door"), an
opening ("doorway") or a stair leads: instructions are told from it; from `design`, where it is known, how a thing is
called. `walkable`, which may be absent, are the categories that are walked on: a navmesh is then built of these alone,
with all else as obstacles. Which triangle shows which object stands in the
GLB: `extras.object_id` of a primitive, mesh or node (an integer above 0), or the vertex attribute `_OBJECT_ID`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.errors import SceneError

_Vector = tuple[float, float, float]
_Id = Annotated[int, Meta(ge=0, lt=2**31)]


class _Object(Struct):
    id: _Id
    category: str
    region: Annotated[int, Meta(ge=-1, lt=2**31)] = -1
    center: _Vector = (0.0, 0.0, 0.0)
    size: _Vector = (0.0, 0.0, 0.0)
    joins: tuple[_Id, _Id] | None = None
    design: str = ""


class _Region(Struct):
    id: _Id
    category: str
    storey: int = 0
    low: _Vector = (0.0, 0.0, 0.0)
    high: _Vector = (0.0, 0.0, 0.0)


class _Sidecar(Struct):
    objects: list[_Object] = []
    regions: list[_Region] = []
    walkable: list[str] = []


_SIDECAR = msgspec.json.Decoder(_Sidecar)
"""Made here, because a type that threads show to msgspec for the first time together can end the process."""


def attach(scene: Scene, text: bytes, name: str) -> Scene:
    """`scene` with the sidecar's objects and regions; SceneError for a file that does not follow the format."""
    try:
        stored = _SIDECAR.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SceneError(f"{name}: not a semantic sidecar ({error}). Write it again, or remove it.") from error
    for kind, ids in (("object", [o.id for o in stored.objects]), ("region", [r.id for r in stored.regions])):
        counts = Counter(ids)
        if len(counts) < len(ids):
            twice = next(i for i, count in counts.items() if count > 1)
            raise SceneError(f"{name}: {kind} {twice} appears twice. Give each {kind} an id of its own.")
    _check_joins(stored, name)
    objects = tuple(
        SemanticObject(o.id, o.category, o.region, o.center, o.size, o.joins, o.design) for o in stored.objects
    )
    regions = tuple(SemanticRegion(r.id, r.category, r.storey, r.low, r.high) for r in stored.regions)
    return replace(scene, objects=objects, regions=regions, walkable=frozenset(stored.walkable))


def _check_joins(stored: _Sidecar, name: str) -> None:
    known = {region.id for region in stored.regions}
    for thing in stored.objects:
        if thing.joins and (thing.joins[0] == thing.joins[1] or not known.issuperset(thing.joins)):
            raise SceneError(f"{name}: object {thing.id} joins {list(thing.joins)}. Name two of the regions there.")
