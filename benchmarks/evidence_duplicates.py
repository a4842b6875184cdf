"""What two splits' buildings have in common: shapes of things, and pictures, by what their GLB files hold.

Two things have one shape where their triangles have the same sides: nothing that turns, moves or mirrors a thing
changes those. Two pictures are the same if their bytes are. Baked pictures (light, reflections, sky) belong to one
building and are not counted; nor are walls, floors, ceilings and what is built into them.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.load import load_scene
from nav_eval.engine.scene.scene import Scene, SemanticObject

BAKED = ("lightmap", "reflection", "sky")
BUILT = frozenset((
    "wall", "floor", "ceiling", "door", "doorway", "window", "stairs", "column", "partition", "glass_partition",
    "arch", "railing",
))  # fmt: skip
SAME = 1e-4
"""Metres by which the sides of one shape may differ: files hold single precision, and things are turned."""
SMALL = 0.5
"""Metres: a thing whose longest side is shorter is small."""
ART = ("art", "prints")
"""What pictures on walls are called; the other pictures are surfaces."""
Sides = NDArray[np.float64]


def sides(scene: Scene) -> Iterator[tuple[SemanticObject, Sides]]:
    """Of each thing the sorted lengths (3 T,) of the sides of its T triangles, m."""
    ids = scene.object_ids
    if ids is None:
        return
    order = np.argsort(ids, kind="stable")
    first = np.searchsorted(ids[order], [one.id for one in scene.objects])
    last = np.searchsorted(ids[order], [one.id for one in scene.objects], side="right")
    for thing, begin, end in zip(scene.objects, first, last, strict=True):
        if begin < end and thing.category not in BUILT:
            corners = scene.positions[scene.triangles[order[begin:end]]].astype(np.float64)
            yield thing, np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=None)


def alike(ours: Sequence[Sides], theirs: Sequence[Sides]) -> list[bool]:
    """Of each of `ours`, whether one of `theirs` has as many sides of the same lengths."""
    known: dict[int, list[Sides]] = {}
    for one in theirs:
        known.setdefault(len(one), []).append(one)
    stacked = {count: np.stack(rows) for count, rows in known.items()}
    return [len(one) in stacked and bool((np.abs(stacked[len(one)] - one).max(axis=1) < SAME).any()) for one in ours]


def pictures(glb: Path) -> dict[str, str]:
    """Digest -> name of the pictures in a file, but for baked ones."""
    data = glb.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    head, body = json.loads(data[20 : 20 + length]), data[28 + length :]
    found = {}
    for image in head.get("images", ()):
        view = head["bufferViews"][image["bufferView"]]
        begin = view.get("byteOffset", 0)
        if not image.get("name", "").startswith(BAKED):
            found[hashlib.sha256(body[begin : begin + view["byteLength"]]).hexdigest()] = image.get("name", "")
    return found


Shares = Mapping[str, tuple[list[float], list[str]]]
"""What is counted -> of each one whether it is in the other split too (1 or 0), and in which building it is."""


def duplicates(ours: Collection[Path], theirs: Collection[Path]) -> Shares:
    """Of what is in the buildings `ours`, GLB files, what is in any of `theirs` too."""
    known = [one for file in theirs for _, one in sides(load_scene(file))]
    seen = {digest for file in theirs for digest in pictures(file)}
    kinds = ("small things", "large things", "pictures on walls", "pictures of surfaces")
    found: dict[str, tuple[list[float], list[str]]] = {kind: ([], []) for kind in kinds}

    def note(kind: str, same: bool, file: Path) -> None:
        found[kind][0].append(float(same))
        found[kind][1].append(file.name)

    for file in ours:
        things = list(sides(load_scene(file)))
        for (thing, _), same in zip(things, alike([one for _, one in things], known), strict=True):
            note("small things" if max(thing.size) < SMALL else "large things", same, file)
        for digest, name in pictures(file).items():
            note("pictures on walls" if name.startswith(ART) else "pictures of surfaces", digest in seen, file)
    return found
