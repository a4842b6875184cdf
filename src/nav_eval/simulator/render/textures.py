"""Textures as the software renderer reads them: mip levels cut into tiles of 16 x 16 texels.

A tile is stored 17 x 17, its last row and column repeated from its neighbours, so that the four texels of a
bilinear sample lie in one tile. A level holds one texel more on each side, which the wrap mode fills: coordinate
u in [0, 1] becomes column u * width + 0.5, always inside. Any size works, not powers of two alone.
Levels are made by a 2 x 2 box filter; odd sizes sample linearly, as OpenGL implementations do (Mesa's u_gen_mipmap).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.simulator.render.layout import LEVELS, MODULATED, TEXTURED, Materials
from nav_eval.simulator.scene.scene import Material, Scene

WRAP = {"repeat": 0, "clamp": 1, "mirror": 2}
SIDE = 16
BORDERED = (SIDE + 1) ** 2
SOLID = SIDE + 3
"""Texels of a plain colour: the four that one bilinear sample reads lie within."""
BYTES_PER_TEXEL = 4 * 1.13 * 4 / 3

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TextureSet:
    """All texels in one array; the first SOLID of them are the background, black."""

    texels: NDArray[np.uint32]
    materials: Materials
    notes: tuple[str, ...]


def pack(scene: Scene, budget_bytes: int) -> TextureSet:
    """Tile every texture that a material uses, at most `budget_bytes` in all (larger ones are halved first)."""
    materials = scene.materials or (Material(),)
    images, notes = halve_to_budget(scene, budget_bytes)
    chunks = [np.full(SOLID, 0xFF000000, np.uint32)]
    table = _empty_table(len(materials))
    placed: dict[tuple[int, tuple[str, str]], int] = {}
    position = SOLID
    for row, material in enumerate(materials):
        _describe(table, row, material, scene.colors is not None)
        if material.texture < 0:
            chunks.append(np.full(SOLID, _rgba8(material), np.uint32))
            table.tiles[row] = (position, 1)
            table.size[row] = 0.0
            position += SOLID
            continue
        key = (material.texture, material.wrap)
        if key in placed:
            _copy_levels(table, placed[key], row)
            continue
        placed[key] = row
        position = _place(images[material.texture], material.wrap, table, row, chunks, position)
    return TextureSet(np.concatenate(chunks), table, notes)


def halve_to_budget(scene: Scene, budget_bytes: int) -> tuple[dict[int, Image], tuple[str, ...]]:
    """The textures that materials use, by index, halved where they would not fit, and what was done."""
    used = sorted({material.texture for material in scene.materials if material.texture >= 0})
    halvings = plan_halvings({k: scene.textures[k].shape[:2] for k in used}, budget_bytes)
    images = {k: _halved(scene.textures[k], halvings[k]) for k in used}
    return images, _notes(scene, halvings, budget_bytes)


def plan_halvings(shapes: dict[int, tuple[int, ...]], budget_bytes: int) -> dict[int, int]:
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
    )


def _describe(table: Materials, row: int, material: Material, vertex_colors: bool) -> None:
    """A plain colour is written into its texels; a factor on a texture, or vertex colours, multiply later."""
    textured = material.texture >= 0
    factor = np.clip(np.asarray(material.base_color, np.float32), 0.0, 1.0) if textured else np.ones(4)
    modulated = vertex_colors or bool((factor[:3] != 1.0).any())
    table.flags[row] = TEXTURED * textured + MODULATED * modulated
    table.factor[row] = factor
    table.wrap[row] = [WRAP[mode] for mode in material.wrap]
    table.cutoff[row] = int(np.ceil(np.clip(material.alpha_cutoff, 0.0, 1.0) * 255.0))


def _rgba8(material: Material) -> int:
    channels = np.rint(np.clip(material.base_color, 0.0, 1.0) * 255.0).astype(np.int64)
    return int(channels[0] | channels[1] << 8 | channels[2] << 16 | channels[3] << 24)


def _copy_levels(table: Materials, source: int, row: int) -> None:
    for column in (table.top, table.tiles, table.size):
        column[row] = column[source]


def _place(
    image: Image,
    wrap: tuple[str, str],
    table: Materials,
    row: int,
    chunks: list[NDArray[np.uint32]],
    position: int,
) -> int:
    """Append the image's mip levels to `chunks`; the position after them."""
    levels = min(LEVELS - 1, int(np.log2(max(image.shape[:2]))) + 1)
    table.top[row] = (levels - 1) * 256
    for level in range(levels):
        tiles, across = tile(image, wrap)
        height, width = image.shape[:2]
        table.tiles[row, level:] = (position, across)
        table.size[row, level:] = (width * 256.0, height * 256.0)
        chunks.append(tiles)
        position += len(tiles)
        if level + 1 < levels:
            image = halve(image)
    return position


def tile(image: Image, wrap: tuple[str, str]) -> tuple[NDArray[np.uint32], int]:
    """The texels of one level in tile order, and the number of tiles in a row."""
    texels = np.ascontiguousarray(image).view(np.uint32)[..., 0]
    height, width = texels.shape
    columns = _border(width, wrap[0])
    rows = _border(height, wrap[1])
    tiles = texels[rows[:, None, :, None], columns[None, :, None, :]]
    return tiles.reshape(-1), len(columns)


def _border(size: int, mode: str) -> NDArray[np.int64]:
    """(tiles, 17) source index of each stored row or column; stored index i holds texel i - 1."""
    tiles = -(-(size + 1) // SIDE)
    index = np.arange(tiles)[:, None] * SIDE + np.arange(SIDE + 1) - 1
    if mode == "repeat":
        return index % size
    return np.clip(index, 0, size - 1)


def halve(image: Image) -> Image:
    """The next mip level: sides halved and rounded down, at least one texel.

    Each axis is rounded by itself, halves upwards: Mesa does so, and Habitat's recorded frames were drawn by it.
    """
    return _halve_axis(_halve_axis(image, 1), 0)


def _halve_axis(image: Image, axis: int) -> Image:
    """Halve one axis by linear interpolation at the new texels' centres."""
    size = image.shape[axis]
    if size == 1:
        return image
    half = size // 2
    place = (np.arange(half) + 0.5) * (size / half) - 0.5
    low = place.astype(np.int64)
    weight = np.rint((place - low) * 256.0).astype(np.uint16)
    weight = weight.reshape([-1 if k == axis else 1 for k in range(image.ndim)])
    first = np.take(image, low, axis).astype(np.uint16)
    second = np.take(image, np.minimum(low + 1, size - 1), axis).astype(np.uint16)
    return ((first * (256 - weight) + second * weight + 128) >> 8).astype(np.uint8)


def _halved(image: Image, times: int) -> Image:
    for _ in range(times):
        image = halve(image)
    return image
