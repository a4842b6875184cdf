"""Procedural textures: building materials, fabrics and surfaces of things. All tile, none is flat.

Each painter takes (stream, colour) and returns (H, W, 3) floats of 0 to 255; `SCALES` tells how many metres one
repeat covers. Pictures and views that are drawn once per object are in nav_eval.worlds.artworks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nav_eval.worlds.exact import Floats, Stream, sin_turns
from nav_eval.worlds.noise import Colour, axes, cell_values, noise, shade

Painter = Callable[[Stream, Colour], Floats]
_S = (256, 256)
_L = (512, 512)


def planks(stream: Stream, colour: Colour) -> Floats:
    """A floor of boards along u."""
    x, y = axes(_L)
    rows = 14
    row = np.floor(y * rows).astype(np.int64)
    along = x * 2 + cell_values(stream, row)
    board = row * 3 + np.floor(along).astype(np.int64) % 2
    tone = 0.82 + 0.26 * cell_values(stream, board)
    warp = noise(stream, _L, (rows * 2, 4), 2)
    grain = noise(stream, _L, (160, 4), 2) * 0.6 + noise(stream, _L, (60, 10), 2) * 0.4
    rings = sin_turns(grain * 3.0 + warp * 2.0 + tone * 9.0) * 0.035
    image = shade(colour, tone * (0.86 + 0.22 * grain + rings))
    gap = (np.minimum(y * rows - row, 1 - (y * rows - row)) < 0.02) | (along - np.floor(along) < 0.004)
    return np.where(gap[..., None], image * 0.5, image)


def parquet(stream: Stream, colour: Colour) -> Floats:
    """Square panels of strips whose direction alternates."""
    x, y = axes(_L)
    n, strips = 4, 5
    cx, cy = np.floor(x * n), np.floor(y * n)
    across = (cx + cy) % 2 < 1
    inside = np.where(across, y * n - cy, x * n - cx)
    strip = np.floor(inside * strips).astype(np.int64)
    tone = 0.8 + 0.3 * cell_values(stream, strip + strips * (cx + n * cy).astype(np.int64))
    grain = np.where(across, noise(stream, _L, (120, 8), 2), noise(stream, _L, (8, 120), 2))
    image = shade(colour, tone * (0.85 + 0.22 * grain))
    edge = inside * strips - strip
    return np.where(((edge < 0.04) | (x * n - cx < 0.008) | (y * n - cy < 0.008))[..., None], image * 0.62, image)


def wood(stream: Stream, colour: Colour) -> Floats:
    """Veneer with its grain along u."""
    _, y = axes(_S)
    warp = noise(stream, _S, (3, 2), 3)
    grain = noise(stream, _S, (90, 3), 2)
    rings = sin_turns(y * 7.0 + warp * 3.5)
    return shade(colour, 0.84 + 0.07 * rings * rings + 0.2 * grain + 0.08 * noise(stream, _S, (4, 4), 2))


def _tiles(
    stream: Stream, colour: Colour, rows: int, columns: int, grout: Colour, spread: float, brick: bool
) -> Floats:
    x, y = axes(_S)
    row = np.floor(y * rows)
    across = x * columns + (np.where(row % 2 < 1, 0.0, 0.5) if brick else 0.0)
    column = np.floor(across)
    tile = (row * columns + column % columns).astype(np.int64)
    tone = 1 - spread + 2 * spread * cell_values(stream, tile)
    marble = noise(stream, _S, (4, 4), 4)
    veins = 1 - np.minimum(np.abs(marble - 0.5) * 14, 1.0)
    image = shade(colour, tone * (0.93 + 0.1 * noise(stream, _S, (8, 8), 3) - 0.07 * veins))
    fx, fy = across - column, y * rows - row
    wx, wy = 0.012 * columns, 0.012 * rows
    joint = (fx < wx) | (fy < wy)
    lit = (fx < wx * 2) | (fy < wy * 2)
    image = np.where(lit[..., None], image * 1.05, image)
    return np.where(joint[..., None], shade(grout, 0.9 + 0.2 * noise(stream, _S, (64, 64))), image)


def floor_tiles(stream: Stream, colour: Colour) -> Floats:
    return _tiles(stream, colour, 3, 3, (150, 145, 138), 0.05, False)


def checker_tiles(stream: Stream, colour: Colour) -> Floats:
    """Two tones in a chessboard."""
    x, y = axes(_S)
    dark = (np.floor(x * 4) + np.floor(y * 4)) % 2 < 1
    image = _tiles(stream, colour, 4, 4, (140, 136, 130), 0.04, False)
    return np.where(dark[..., None], image * 0.62, image)


def wall_tiles(stream: Stream, colour: Colour) -> Floats:
    return _tiles(stream, colour, 8, 4, (205, 205, 200), 0.035, True)


def plaster(stream: Stream, colour: Colour) -> Floats:
    """Painted plaster: roller texture and faint unevenness."""
    fine = noise(stream, _S, (90, 90), 2)
    return shade(colour, 0.93 + 0.06 * noise(stream, _S, (3, 3), 4) + 0.055 * fine)


def wallpaper(stream: Stream, colour: Colour) -> Floats:
    """Stripes or a small motif over plaster."""
    x, y = axes(_S)
    if stream.chance(50):
        band = sin_turns(x * 8.0) * 0.5 + 0.5
        motif = np.where(band > 0.6, 0.91, 1.0)
    else:
        u, v = x * 6, y * 6 + np.floor(x * 6) % 2 * 0.5
        dx, dy = u - np.floor(u) - 0.5, v - np.floor(v) - 0.5
        r = dx * dx + dy * dy
        motif = np.where((r < 0.06) & (r > 0.025), 0.86, np.where(r < 0.008, 0.82, 1.0))
    return plaster(stream, colour) * motif[..., None]


def carpet(stream: Stream, colour: Colour) -> Floats:
    """Loops: strong fine grain, soft patches."""
    return shade(colour, 0.72 + 0.36 * noise(stream, _S, (256, 256)) + 0.16 * noise(stream, _S, (5, 5), 3))


def fabric(stream: Stream, colour: Colour) -> Floats:
    """A plain weave with slubs."""
    x, y = axes(_S)
    over = (np.floor(x * 64) + np.floor(y * 64)) % 2
    warp, weft = noise(stream, _S, (6, 64), 1), noise(stream, _S, (64, 6), 1)
    tone = 0.83 + 0.045 * over + 0.14 * np.where(over > 0, warp, weft) + 0.1 * noise(stream, _S, (4, 4), 3)
    return shade(colour, tone)


def leather(stream: Stream, colour: Colour) -> Floats:
    creases = noise(stream, _S, (40, 40), 2)
    lines = 1 - np.minimum(np.abs(creases - 0.5) * 10, 1.0)
    return shade(colour, 0.9 + 0.2 * noise(stream, _S, (5, 5), 3) - 0.12 * lines)


def metal(stream: Stream, colour: Colour) -> Floats:
    """Brushed, the strokes along u, with a soft reflection."""
    _, y = axes(_S)
    glint = sin_turns(y + 0.1) * 0.06
    return shade(colour, 0.86 + 0.12 * noise(stream, _S, (128, 3)) + glint + 0.1 * noise(stream, _S, (3, 3), 2))


def smooth(stream: Stream, colour: Colour) -> Floats:
    """Lacquer, ceramic, plastic: nearly even, faintly mottled."""
    image = shade(colour, 0.93 + 0.08 * noise(stream, _S, (4, 4), 3) + 0.02 * noise(stream, _S, (100, 100)))
    return image + (noise(stream, _S, (128, 128))[..., None] - 0.5) * 9


def stone(stream: Stream, colour: Colour) -> Floats:
    """Speckled worktop."""
    speckle = noise(stream, _S, (128, 128))
    image = shade(colour, 0.85 + 0.2 * noise(stream, _S, (6, 6), 4))
    image = np.where((speckle > 0.8)[..., None], image * 1.18, image)
    return np.where((speckle < 0.2)[..., None], image * 0.68, image)


def basket(stream: Stream, colour: Colour) -> Floats:
    x, y = axes(_S)
    u, v = x * 16, y * 16
    turn = (np.floor(u) + np.floor(v)) % 2 < 1
    across = np.where(turn, u - np.floor(u), v - np.floor(v))
    return shade(colour, 0.6 + 0.55 * across * (1 - across) * 2 + 0.15 * noise(stream, _S, (32, 32)))


def leaf(stream: Stream, colour: Colour) -> Floats:
    x, y = axes(_S)
    vein = np.abs(x * 4 - np.floor(x * 4) - 0.5)
    tone = (
        0.75
        + 0.35 * noise(stream, _S, (6, 6), 3)
        + np.where(vein < 0.03, 0.15, 0.0)
        + 0.05 * sin_turns(y * 10 + vein * 2)
    )
    return shade(colour, tone)


def rough(stream: Stream, colour: Colour) -> Floats:
    """Soil, clay, cardboard."""
    return shade(colour, 0.78 + 0.3 * noise(stream, _S, (24, 24), 4) + 0.08 * noise(stream, _S, (4, 4)))


PAINTERS: dict[str, Painter] = {
    function.__name__: function
    for function in (
        planks, parquet, wood, floor_tiles, checker_tiles, wall_tiles, plaster, wallpaper, carpet, fabric, leather,
        metal, smooth, stone, basket, leaf, rough,
    )
}  # fmt: skip
SCALES = {
    "planks": 2.0, "parquet": 1.8, "wood": 1.0, "floor_tiles": 1.35, "checker_tiles": 1.2, "wall_tiles": 1.2,
    "plaster": 1.6, "wallpaper": 1.0, "carpet": 0.9, "fabric": 0.45, "leather": 0.8, "metal": 0.8, "smooth": 1.0,
    "stone": 0.8, "basket": 0.35, "leaf": 0.5, "rough": 0.6,
}  # fmt: skip
"""Metres that one repeat covers."""
