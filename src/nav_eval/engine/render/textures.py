"""Textures as the software renderer reads them: mip levels cut into tiles of 16 x 16 texels.

A tile is stored 17 x 17, its last row and column repeated from its neighbours, so that the four texels of a
bilinear sample lie in one tile. A level holds one texel more on each side, which the wrap mode fills: coordinate
u in [0, 1] becomes column u * width + 0.5, always inside. Any size works, not powers of two alone.
Textures that no material uses are left out, and one that several materials use is stored once for each wrap mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.layout import LEVELS, LIGHTMAPPED, MODULATED, TEXTURED, U32, Materials
from nav_eval.engine.render.tiling import BORDERED, SIDE, halve, level_shapes, tile, tile_grid
from nav_eval.engine.scene.scene import Material, Scene

WRAP = {"repeat": 0, "clamp": 1, "mirror": 2}
SOLID = SIDE + 3
"""Texels of a plain colour: the four that one bilinear sample reads lie within."""
BYTES_PER_TEXEL = 4 * 1.13 * 4 / 3

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TextureSet:
    """All texels in one array: SOLID black ones for the background, SOLID for each material's colour, the textures."""

    texels: NDArray[np.uint32]
    materials: Materials
    notes: tuple[str, ...]


def pack(scene: Scene, budget_bytes: int) -> TextureSet:
    """Tile every texture that a material uses, at most `budget_bytes` in all (larger ones are halved first)."""
    materials = scene.materials or (Material(),)
    images, notes = halve_to_budget(scene, budget_bytes)
    kinds = {(m.texture, m.wrap) for m in materials if m.texture >= 0}
    lightmaps = sorted({m.lightmap for m in materials if m.lightmap >= 0})
    total = SOLID * (1 + len(materials)) + sum(_texel_count(images[texture].shape) for texture, _ in kinds)
    total += sum(_texel_count(images[lightmap].shape, 1) for lightmap in lightmaps)
    texels = np.empty(total, np.uint32)
    texels[: SOLID * (1 + len(materials))] = np.repeat([0xFF000000, *map(_rgba8, materials)], SOLID)
    table = _empty_table(len(materials))
    placed: dict[tuple[int, tuple[str, str]], int] = {}
    position = SOLID * (1 + len(materials))
    for row, material in enumerate(materials):
        _describe(table, row, material, scene)
        key = (material.texture, material.wrap)
        if material.texture < 0:
            table.tiles[row] = (SOLID * (1 + row), 1)
        elif key in placed:
            _copy_levels(table, placed[key], row)
        else:
            placed[key] = row
            position = _place(images[material.texture], material.wrap, table, row, texels, position)
    for lightmap in lightmaps:
        rows = [row for row, material in enumerate(materials) if material.lightmap == lightmap]
        position = _place_lightmap(images[lightmap], table, rows, texels, position)
    return TextureSet(texels, table, notes)


def halve_to_budget(scene: Scene, budget_bytes: int) -> tuple[dict[int, Image], tuple[str, ...]]:
    """The textures that materials use, by index, halved where they would not fit, and what was done.

    Each texture (H, W, 4).
    """
    used = sorted({k for material in scene.materials for k in (material.texture, material.lightmap) if k >= 0})
    halvings = plan_halvings({k: scene.textures[k].shape[:2] for k in used}, budget_bytes)
    images = {k: _halved(scene.textures[k], halvings[k]) for k in used}
    return images, _notes(scene, halvings, budget_bytes)


def plan_halvings(shapes: Mapping[int, tuple[int, ...]], budget_bytes: int) -> dict[int, int]:
    """How often each texture is halved: always the largest next, until all fit."""
    halvings = dict.fromkeys(shapes, 0)
    sizes = {k: shape[0] * shape[1] * BYTES_PER_TEXEL for k, shape in shapes.items()}
    while sizes and sum(sizes.values()) > budget_bytes:
        largest = max(sizes, key=lambda k: sizes[k])
        if sizes[largest] < 4096:
            break
        halvings[largest] += 1
        sizes[largest] /= 4
    return halvings


def _notes(scene: Scene, halvings: dict[int, int], budget_bytes: int) -> tuple[str, ...]:
    halved = sum(1 for times in halvings.values() if times)
    if not halved:
        return ()
    return (
        f"{scene.name}: {halved} of {len(halvings)} textures were halved to fit {budget_bytes / 2**20:.0f} MiB; "
        "raise texture_budget_mib to keep them whole.",
    )


def _empty_table(count: int) -> Materials:
    return Materials(
        flags=np.zeros(count, np.int32),
        wrap=np.zeros((count, 2), np.int32),
        top=np.zeros(count, np.int32),
        cutoff=np.zeros(count, np.int32),
        factor=np.ones((count, 4), np.float32),
        tiles=np.zeros((count, LEVELS, 2), np.int32),
        size=np.zeros((count, LEVELS, 2), np.float32),
        light_tiles=np.zeros((count, 2), np.int32),
        light_size=np.zeros((count, 2), np.float32),
    )


def _describe(table: Materials, row: int, material: Material, scene: Scene) -> None:
    """A plain colour is written into its texels; a factor on a texture, vertex colours or a lightmap multiply later."""
    textured, lightmapped = material.texture >= 0, material.lightmap >= 0 and scene.light_uvs is not None
    factor = np.clip(np.asarray(material.base_color, np.float32), 0.0, 1.0) if textured else np.ones(4)
    modulated = (scene.colors is not None and not lightmapped) or bool((factor[:3] != 1.0).any())
    table.flags[row] = TEXTURED * textured + MODULATED * modulated + LIGHTMAPPED * lightmapped
    table.factor[row] = factor
    table.wrap[row] = [WRAP[mode] for mode in material.wrap]
    table.cutoff[row] = int(np.ceil(np.clip(material.alpha_cutoff, 0.0, 1.0) * 255.0))


def _rgba8(material: Material) -> int:
    channels = np.rint(np.clip(material.base_color, 0.0, 1.0) * 255.0).astype(np.int64)
    return int(channels[0] | channels[1] << 8 | channels[2] << 16 | channels[3] << 24)


def _copy_levels(table: Materials, source: int, row: int) -> None:
    for column in (table.top, table.tiles, table.size):
        column[row] = column[source]


def _place(image: Image, wrap: tuple[str, str], table: Materials, row: int, texels: U32, position: int) -> int:
    """Write the image's mip levels to texels[position:]; the position after them."""
    shapes = level_shapes(image.shape[0], image.shape[1], LEVELS - 1)
    table.top[row] = (len(shapes) - 1) * 256
    for level, (height, width) in enumerate(shapes):
        rows, columns = tile_grid(height, width)
        end = position + rows * columns * BORDERED
        table.tiles[row, level:] = (position, columns)
        table.size[row, level:] = (width * 256.0, height * 256.0)
        tile(image, wrap, texels[position:end])
        position = end
        if level + 1 < len(shapes):
            image = halve(image)
    return position


def _place_lightmap(image: Image, table: Materials, rows: list[int], texels: U32, position: int) -> int:
    """Write one level to texels[position:] for the materials `rows`; the position after it."""
    height, width = image.shape[:2]
    down, across = tile_grid(height, width)
    end = position + down * across * BORDERED
    tile(image, ("clamp", "clamp"), texels[position:end])
    table.light_tiles[rows] = (position, across)
    table.light_size[rows] = (width * 256.0, height * 256.0)
    return end


def _texel_count(shape: tuple[int, ...], levels: int = LEVELS - 1) -> int:
    """Texels of an image and its mip levels, tiled."""
    grids = [tile_grid(*level) for level in level_shapes(shape[0], shape[1], levels)]
    return sum(rows * columns for rows, columns in grids) * BORDERED


def _halved(image: Image, times: int) -> Image:
    for _ in range(times):
        image = halve(image)
    return image
