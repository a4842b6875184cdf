"""One call from a seed to a world: plan, furniture, mesh, light, textures; and its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.scene.scene import Material, Scene, SemanticObject, SemanticRegion, Sky, of_categories
from nav_eval.errors import ConfigError
from nav_eval.progress import ProgressCallback, no_progress, share_of
from nav_eval_worlds.exact import Floats, Stream, quantise
from nav_eval_worlds.light.bake import bake
from nav_eval_worlds.light.daylight import Daylight, draw_daylight
from nav_eval_worlds.light.reflections import Face, reflecting, reflections
from nav_eval_worlds.mesh.glb import write_glb
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.semantics import WALKABLE, objects, regions, sidecar
from nav_eval_worlds.mesh.tessellate import tessellate
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.outside.sky import make_sky, outdoors, shade_outdoors
from nav_eval_worlds.plan.floor_plan import Kind, Plan
from nav_eval_worlds.plan.openings import MAX_ROOMS, make_plan
from nav_eval_worlds.rooms.furnish import furnish
from nav_eval_worlds.shares import ASSETS, Assets
from nav_eval_worlds.shell.facade import facade_items
from nav_eval_worlds.shell.fittings import fitting_items
from nav_eval_worlds.shell.structure import shell_items
from nav_eval_worlds.shell.windows import window_items
from nav_eval_worlds.surfaces.hanging import hung
from nav_eval_worlds.surfaces.palette import REFLECTION, Palette
from nav_eval_worlds.surfaces.styles import Style, building_style
from nav_eval_worlds.things.catalogue import Stock

MIN_TRIANGLES, MAX_TRIANGLES = 20_000, 1_000_000


@dataclass(frozen=True, slots=True)
class World:
    """A generated building. `textures`: (H, W, 3) uint8 per material.

    `colors` (V, 4) uint8: baked light, which `lightmap` (H, W, 3) uint8 has more finely for the large flat surfaces.
    """

    name: str
    plan: Plan
    items: tuple[Item, ...]
    mesh: Mesh
    colors: NDArray[np.uint8]
    lightmap: NDArray[np.uint8]
    textures: tuple[NDArray[np.uint8], ...]
    palette: Palette
    daylight: Daylight
    sky: Sky
    objects: tuple[SemanticObject, ...]
    regions: tuple[SemanticRegion, ...]
    assets: Assets = "all"

    @property
    def sidecar(self) -> dict[str, Any]:
        """The content of `<name>.semantic.json`."""
        return sidecar(self.objects, self.regions, self.items, self.assets)

    @property
    def digest(self) -> str:
        """SHA-256 of the decoded content: geometry, texels, light and semantics, not of any file encoding."""
        mesh, total = self.mesh, hashlib.sha256()
        floats = (mesh.positions.astype(np.float32), quantise(mesh.uvs).astype(np.float32))
        arrays: tuple[NDArray[Any], ...] = (*floats, mesh.triangles, mesh.materials, mesh.objects, self.colors)
        for array in (*arrays, mesh.light_uvs, *self.textures, self.lightmap, self.sky.faces):
            total.update(np.ascontiguousarray(array).tobytes())
        total.update(json.dumps(self.sidecar, sort_keys=True).encode())
        return total.hexdigest()

    def glb(self) -> bytes:
        """The world as a binary glTF file."""
        return write_glb(self.name, self.mesh, self.colors, self.palette, self.textures, self.lightmap, self.sky)

    def scene(self) -> Scene:
        """The world as the loader would give it, without a detour over a file."""
        mesh = self.mesh
        opaque = [np.dstack([t, np.full(t.shape[:2], 255, np.uint8)]) for t in (*self.textures, self.lightmap)]
        looks, owner = mesh.looks()
        lightmap = len(self.textures)
        return Scene(
            name=self.name,
            positions=mesh.positions.astype(np.float32),
            triangles=mesh.triangles,
            material_ids=owner,
            materials=tuple(
                Material(name=mesh.names[k], texture=k, lightmap=lightmap if lit else -1) for k, lit in looks
            ),
            uvs=quantise(scaled(mesh, self.palette)).astype(np.float32),
            light_uvs=mesh.light_uvs,
            colors=self.colors,
            textures=tuple(opaque),
            object_ids=mesh.objects[mesh.triangles[:, 0]],
            objects=self.objects,
            regions=self.regions,
            walkable=frozenset(WALKABLE),
            digest=self.digest,
            sky=self.sky,
        )

    def navmesh(self, settings: NavmeshSettings | None = None) -> bytes:
        """The bytes of a `.navmesh` file for the world."""
        from nav_eval.engine.recast.build import build_navmesh

        mesh = self.mesh
        walked = of_categories(WALKABLE, self.objects, mesh.objects[mesh.triangles[:, 0]])
        return build_navmesh(mesh.positions.astype(np.float32), mesh.triangles, settings or NavmeshSettings(), walked)

    def save(self, folder: Path, settings: NavmeshSettings | None = None) -> Path:
        """Writes `<name>.glb`, `.semantic.json` and `.navmesh`; returns the path of the first."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.glb"
        path.write_bytes(self.glb())
        text = json.dumps(self.sidecar, indent=1)
        path.with_suffix(".semantic.json").write_text(text + "\n", encoding="utf-8")
        path.with_suffix(".navmesh").write_bytes(self.navmesh(settings))
        return path


def generate_world(
    seed: str | int,
    rooms: int = 8,
    storeys: int = 1,
    kind: Kind = "home",
    detail: int = 60_000,
    on_progress: ProgressCallback = no_progress,
    assets: Assets = "all",
) -> World:
    """A furnished building of `rooms` rooms (corridors not counted) with about `detail` triangles.

    Its small things are of the variants of `assets`: of train, val or test, or of all. The same arguments give the
    same `digest` on every machine. ConfigError for what cannot be built.
    """
    check_building(rooms, storeys, kind, detail, assets)
    plan = make_plan(str(seed), rooms, storeys, kind)
    style = building_style(str(seed), kind)
    items, faces = reflecting(_items(plan, style, Stream("world", seed, kind, rooms, storeys), assets))
    mesh = tessellate(items, detail)
    on_progress(0.25)
    palette = Palette(str(seed), kind, style)
    daylight = draw_daylight(str(seed), kind)
    textures = tuple(outdoors(name, palette.texels(name), daylight) for name in mesh.names)
    sky = make_sky(str(seed), plan, daylight)
    on_progress(0.15)
    name = f"{kind}_{seed}_{rooms}r{storeys}s"
    colors, lightmap = bake(plan, items, mesh, textures, daylight, share_of(on_progress, 0.6))
    shade_outdoors(mesh, colors, daylight)
    textures = _with_reflections(faces, plan, mesh, palette, textures, (colors, lightmap), sky)
    found = objects(items, mesh)
    return World(
        name, plan, items, mesh, colors, lightmap, textures, palette, daylight, sky, found, regions(plan), assets
    )


def _with_reflections(
    faces: Sequence[Face],
    plan: Plan,
    mesh: Mesh,
    palette: Palette,
    textures: tuple[NDArray[np.uint8], ...],
    light: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    sky: Sky,
) -> tuple[NDArray[np.uint8], ...]:
    """The textures with what mirrors and dark screens show."""
    out = list(textures)
    floors = [plan.room(face.room).base / 1000 for face in faces]
    pictures = reflections(faces, floors, mesh, scaled(mesh, palette), textures, light, sky)
    for k, picture in enumerate(pictures):
        out[mesh.names.index(f"{REFLECTION}{k}")] = picture
    return tuple(out)


def scaled(mesh: Mesh, palette: Palette) -> Floats:
    """(V, 2) texture coordinates in repeats."""
    scales = np.asarray([palette.paint(name).scale or 1.0 for name in mesh.names])
    return np.asarray(mesh.uvs / scales[mesh.materials][:, None])


def check_building(rooms: int, storeys: int, kind: str, detail: int, assets: str) -> None:
    """ConfigError where there can be no such building."""
    if not 1 <= rooms <= MAX_ROOMS:
        raise ConfigError(f"rooms is {rooms}: give 1 to {MAX_ROOMS}.")
    if storeys not in (1, 2) or storeys > rooms:
        raise ConfigError(f"storeys is {storeys} with {rooms} rooms: give 1, or 2 with at least 2 rooms.")
    if kind not in ("home", "office"):
        raise ConfigError(f"kind is {kind!r}: give home or office.")
    if not MIN_TRIANGLES <= detail <= MAX_TRIANGLES:
        raise ConfigError(f"detail is {detail}: give {MIN_TRIANGLES} to {MAX_TRIANGLES} triangles.")
    if assets not in ASSETS:
        raise ConfigError(f"assets is {assets!r}: give all, train, val or test.")


def _items(plan: Plan, style: Style, stream: Stream, assets: Assets) -> list[Item]:
    """The shell, then each room's furniture; `on` counts within the whole list."""
    stock = Stock(stream.child("stock"), assets, plan.kind)
    items = [*shell_items(plan, style, stream.child("shell")), *fitting_items(plan), *facade_items(plan)]
    items += window_items(plan, style, stream.child("windows"))
    for room in plan.rooms:
        offset = len(items)
        for item in furnish(plan, room, style, stream.child("furniture", room.id), stock):
            on = item.on + offset if item.on >= 0 else -1
            items.append(replace(item, on=on))
    return hung(items, stream.child("art"), plan.kind)
