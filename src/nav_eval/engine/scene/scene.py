"""A loaded scene: flat, immutable arrays that every session of a process shares.

All positions are metres in the one frame of nav_eval, y up and -z forward (conventions: a Z-up file is turned by
(x, y, z) -> (x, z, -y) when it is read). Node transforms are applied; there is no scene graph left.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import NavmeshError
from nav_eval.registry import nearest

if TYPE_CHECKING:
    from nav_eval.engine.navmesh.mesh import NavMesh

AlphaMode = Literal["opaque", "mask", "blend"]


@dataclass(frozen=True, slots=True)
class Material:
    """How a triangle is coloured: texture x base colour factor x vertex colour, unlit.

    `base_color`: RGBA factor, 0 to 1, as stored in the file. `texture`: index into Scene.textures, or -1.
    `lightmap`: index of a texture of baked light, which takes the place of the vertex colours, or -1. It lies on
    Scene.light_uvs, is never mipmapped, and its byte 128 stands for 1.
    `alpha_cutoff` counts for mode "mask" only. `wrap` is (s, t): "repeat", "clamp" or "mirror".
    """

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: int = -1
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    wrap: tuple[str, str] = ("repeat", "repeat")
    lightmap: int = -1


@dataclass(frozen=True, slots=True)
class SemanticObject:
    """One annotated object: `id` is what the semantic sensor shows; `region` names a room id, or is -1.

    `joins` are the two regions between which a door, an opening or a stair leads; `design` says which of the things of
    its category it is ("bunk_bed"), where that is known.
    """

    id: int
    category: str
    region: int = -1
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    joins: tuple[int, int] | None = None
    design: str = ""


@dataclass(frozen=True, slots=True)
class SemanticRegion:
    """One annotated room: axis-aligned box in metres, and the storey it lies on."""

    id: int
    category: str
    storey: int = 0
    low: tuple[float, float, float] = (0.0, 0.0, 0.0)
    high: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def holds(self, x: float, y: float, z: float, slack: float = 0.02) -> bool:
        """Whether a point of a floor, m, is in the room: not on a threshold, nor on the floor above or below."""
        return (
            self.low[0] - slack <= x <= self.high[0] + slack
            and self.low[2] - slack <= z <= self.high[2] + slack
            and self.low[1] - 0.6 <= y <= self.high[1] - 1.0
        )


@dataclass(frozen=True)
class Sky:
    """What is seen where no triangle is: K pictures at infinity, each from a height on.

    pictures: K of 6 * N * N RGBA pixels, like `faces`, or (K, 6, N, N, 4) uint8; they may not be decoded yet. above: K
    heights, metres, ascending: a camera at height y sees the last picture whose height is at most y, or the first.
    """

    pictures: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]
    above: tuple[float, ...]

    @cached_property
    def faces(self) -> NDArray[np.uint8]:
        """(K, 6, N, N, 4) uint8 sRGB: front (-z), left (-x), back, right, up, down.

        Each is what a camera with a field of view of 90 degrees sees; the top of `up` is behind, that of `down` in
        front.
        """
        side = math.isqrt(self.pictures[0].size // 24)
        faces = np.asarray(self.pictures).reshape(-1, 6, side, side, 4)
        faces.flags.writeable = False
        return faces

    def seen_from(self, height: float) -> int:
        """Which picture a camera at that height sees."""
        return max(sum(start <= height for start in self.above) - 1, 0)


@dataclass(frozen=True, slots=True)
class Scene:
    """V vertices, T triangles (counter-clockwise seen from the front), M materials, K textures.

    positions (V, 3) float32; triangles (T, 3) int32; material_ids (T,) int32 into `materials`;
    uvs (V, 2) float32, v down as in glTF, or None; light_uvs (V, 2) float32 in [0, 1], or None;
    colors (V, 4) uint8, or None; object_ids (T,) int32, 0 = none.
    textures: each (H, W, 4) uint8 sRGB as stored. `digest`: SHA-256 of the files that were read; where the scene was
    turned upright, of that and the turn, so that it stands for the geometry.
    """

    name: str
    positions: NDArray[np.float32]
    triangles: NDArray[np.int32]
    material_ids: NDArray[np.int32]
    materials: tuple[Material, ...]
    uvs: NDArray[np.float32] | None = None
    colors: NDArray[np.uint8] | None = None
    textures: Sequence[NDArray[np.uint8]] = ()
    object_ids: NDArray[np.int32] | None = None
    objects: tuple[SemanticObject, ...] = ()
    regions: tuple[SemanticRegion, ...] = ()
    digest: str = ""
    light_uvs: NDArray[np.float32] | None = None
    sky: Sky | None = None
    notes: tuple[str, ...] = field(default=())
    """What was repaired while reading, one line each."""
    walkable: frozenset[str] = frozenset()
    """The categories of what is walked on, where the file says it; else any level surface may be."""

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that it holds but its pictures, which may not be decoded yet. Their shapes are those of the fields."""
        optional = (self.uvs, self.light_uvs, self.colors, self.object_ids)
        geometry = (self.positions, self.triangles, self.material_ids)
        return (*geometry, *(array for array in optional if array is not None))

    @property
    def floors(self) -> NDArray[np.bool_] | None:
        """(T,) which triangles belong to what is walked on; None where nothing says it."""
        if not self.walkable or self.object_ids is None:
            return None
        return of_categories(self.walkable, self.objects, self.object_ids)

    @property
    def bare(self) -> bool:
        """Whether its surfaces look all the same, as in a scan without textures, so that only light shows them."""
        pictures = (*self.textures, *(() if self.colors is None else (self.colors,)))
        return all(_one_colour(picture) for picture in pictures)

    def build_navmesh(self, **settings: Any) -> NavMesh:
        """A navmesh over this scene, from the cache if it was built before; `settings` are NavmeshSettings' fields.

        NavmeshError for a setting that is unknown or that no build can use.
        """
        from nav_eval.engine.navmesh.mesh import NavMesh
        from nav_eval.engine.navmesh.settings import NavmeshSettings
        from nav_eval.engine.recast import build_or_load

        known = [field.name for field in fields(NavmeshSettings)]
        for name in settings:
            if name not in known:
                raise NavmeshError(f"navmesh setting {name!r} does not exist.{nearest(name, known)}")
        checked = NavmeshSettings(**settings).checked()
        return NavMesh.from_bytes(build_or_load(self.positions, self.triangles, checked, self.floors), self.name)


def of_categories(
    categories: Collection[str], objects: Iterable[SemanticObject], object_ids: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """(T,) which triangles show objects of these categories; object_ids (T,)."""
    return np.isin(object_ids, [thing.id for thing in objects if thing.category in categories])


def _one_colour(picture: NDArray[np.uint8]) -> bool:
    """(..., 4): whether all pixels or vertices have one colour; a few are looked at first."""
    pixels = picture.reshape(-1, picture.shape[-1])
    return len(pixels) == 0 or all(bool((some == pixels[0]).all()) for some in (pixels[::997], pixels))
