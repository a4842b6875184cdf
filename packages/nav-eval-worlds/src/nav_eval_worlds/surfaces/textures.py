"""Procedural textures: building materials, fabrics and surfaces of things. All tile, none is flat.

Each painter takes (stream, colour) and returns (H, W, 3) floats of 0 to 255; `SCALES` tells how many metres one
repeat covers. Pictures and views that are drawn once per object are in nav_eval_worlds.surfaces.artworks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, sin_turns
from nav_eval_worlds.surfaces.noise import Colour, axes, cell_values, mixed, noise, shade

Painter = Callable[[Stream, Colour], Floats]
_S = (256, 256)
_L = (512, 512)
_JOINT = 0.005
"""Of a repeat: joints between tiles are 4 to 6 mm wide, one texel."""


def planks(stream: Stream, colour: Colour) -> Floats:
    """A floor of boards along u. (512, 512, 3), 0 to 255."""
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
    """Square panels of strips whose direction alternates. (512, 512, 3), 0 to 255."""
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


def herringbone(stream: Stream, colour: Colour) -> Floats:
    """Short boards laid in zigzag: each column of boards rises, the next one falls. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    columns, rows = 6, 12
    column = np.floor(x * columns)
    inside = x * columns - column
    rising = column % 2 < 1
    slope = np.where(rising, inside, 1 - inside)
    across = y * rows + slope * (rows / columns)
    board = np.floor(across)
    number = (board % rows + rows * column).astype(np.int64)
    tone = 0.82 + 0.28 * cell_values(stream, number)
    grain = noise(stream, _L, (100, 60), 2)
    edge = across - board
    image = shade(colour, tone * (0.86 + 0.2 * grain))
    gap = (edge < 0.05) | (inside < 0.015)
    return np.where(gap[..., None], image * 0.6, image)


def wood(stream: Stream, colour: Colour) -> Floats:
    """Veneer with its grain along u: long fine lines, a faint arched figure, a joint between two boards.

    (256, 256, 3), 0 to 255.
    """
    _, y = axes(_S)
    warp = noise(stream, _S, (3, 2), 2)
    lines = noise(stream, _S, (128, 2), 2) * 0.6 + noise(stream, _S, (48, 3), 2) * 0.4
    pores = noise(stream, _S, (128, 14))
    figure = y * 4.0 + warp * 2.6
    rings = figure - np.floor(figure)
    dark = rings * rings * rings
    board = np.where(y < 0.5, 0.03, -0.03)
    joint = np.where(np.minimum(np.abs(y - 0.5), np.minimum(y, 1 - y)) < 0.003, -0.16, 0.0)
    figure = 0.2 * lines - 0.055 * dark - np.where(pores > 0.84, 0.05, 0.0)
    return shade(colour, 0.9 + figure + board + joint)


def _tiles(
    stream: Stream, colour: Colour, rows: int, columns: int, grout: Colour, spread: float, brick: bool
) -> Floats:
    """Glazed tiles: each even, a little darker or lighter than its neighbours, bright along one edge, dull joints."""
    x, y = axes(_L)
    row = np.floor(y * rows)
    across = x * columns + (np.where(row % 2 < 1, 0.0, 0.5) if brick else 0.0)
    column = np.floor(across)
    tile = (row * columns + column % columns).astype(np.int64)
    fx, fy = across - column, y * rows - row
    tone = 1 - spread + 2 * spread * cell_values(stream, tile) + 0.02 * (0.5 - fy)
    image = shade(colour, tone * (0.985 + 0.02 * noise(stream, _L, (6, 6), 2)))
    wx, wy = _JOINT * columns, _JOINT * rows
    joint = (fx < wx) | (fy < wy)
    alike = abs(sum(colour) - sum(grout)) < 60
    lit, dim = (fx < wx * 1.6) | (fy < wy * 1.6), (fx > 1 - wx * 0.6) | (fy > 1 - wy * 0.6)
    image = image * np.where(lit, 1.05, np.where(dim, 0.95, 1.0))[..., None]
    return np.where(
        joint[..., None], shade(grout, (0.8 if alike else 0.94) + 0.1 * noise(stream, _L, (128, 128))), image
    )


def floor_tiles(stream: Stream, colour: Colour) -> Floats:
    """(512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 4, 4, (150, 145, 138), 0.025, False)


def checker_tiles(stream: Stream, colour: Colour) -> Floats:
    """Two tones in a chessboard. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    dark = (np.floor(x * 4) + np.floor(y * 4)) % 2 < 1
    image = _tiles(stream, colour, 4, 4, (140, 136, 130), 0.02, False)
    return np.where(dark[..., None], image * 0.62, image)


def wall_tiles(stream: Stream, colour: Colour) -> Floats:
    """(512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 8, 4, (206, 205, 200), 0.018, True)


def square_tiles(stream: Stream, colour: Colour) -> Floats:
    """(512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 8, 8, (196, 196, 192), 0.014, False)


def slab_tiles(stream: Stream, colour: Colour) -> Floats:
    """Large format with thin joints. (512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 2, 2, (150, 148, 144), 0.02, False)


def clay_tiles(stream: Stream, colour: Colour) -> Floats:
    """(512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 4, 4, (176, 160, 144), 0.07, False)


def zellige(stream: Stream, colour: Colour) -> Floats:
    """Small hand-made tiles, each with its own depth of glaze. (512, 512, 3), 0 to 255."""
    return _tiles(stream, colour, 10, 10, (214, 212, 206), 0.06, False)


def hex_tiles(stream: Stream, colour: Colour) -> Floats:
    """Hexagons: a texel belongs to the nearest of two staggered lattices of centres. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    u, v = x * 7, y * 8
    dx0, dy0 = u - np.floor(u) - 0.5, (v - np.floor(v / 2) * 2 - 1) * 0.8660254
    u1, v1 = u + 0.5, v + 1.0
    dx1, dy1 = u1 - np.floor(u1) - 0.5, (v1 - np.floor(v1 / 2) * 2 - 1) * 0.8660254
    first = dx0 * dx0 + dy0 * dy0 <= dx1 * dx1 + dy1 * dy1
    dx, dy = np.abs(np.where(first, dx0, dx1)), np.abs(np.where(first, dy0, dy1))
    rim = 0.5 - np.maximum(dx, dx * 0.5 + dy * 0.8660254)
    cell = np.where(first, np.floor(u) + 16 * np.floor(v / 2), 200 + np.floor(u1) % 7 + 16 * (np.floor(v1 / 2) % 4))
    tone = 0.93 + 0.1 * cell_values(stream, cell.astype(np.int64))
    image = shade(colour, tone * (0.95 + 0.07 * noise(stream, _S, (6, 6), 3)))
    return np.where((rim < 0.03)[..., None], image * 0.72, image)


def pattern_tiles(stream: Stream, colour: Colour) -> Floats:
    """Cement tiles with one drawn motif: a star, petals or quarter circles, in two tones. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    u, v = np.abs(x * 6 - np.floor(x * 6) - 0.5), np.abs(y * 6 - np.floor(y * 6) - 0.5)
    r = u * u + v * v
    corner = (0.5 - u) * (0.5 - u) + (0.5 - v) * (0.5 - v)
    motif = (
        (u + v < 0.34) & (np.maximum(u, v) > 0.1),
        (np.minimum(u, v) < 0.09 - 0.25 * r) | (corner < 0.02),
        ((corner < 0.19) & (corner > 0.11)) | (r < 0.02),
    )[stream.below(3)]
    second = stream.choice(((72, 88, 104), (96, 84, 76), (150, 96, 72), (86, 110, 104)))
    image = np.where(motif[..., None], shade(second, np.ones(_L)), shade(colour, np.ones(_L) * 1.04))
    joint = (u > 0.488) | (v > 0.488)
    return np.where(joint[..., None], image * 0.8, image) * (0.96 + 0.06 * noise(stream, _L, (24, 24), 3))[..., None]


def terrazzo(stream: Stream, colour: Colour) -> Floats:
    """Chips of three stones in a pale ground. (256, 256, 3), 0 to 255."""
    image = shade(colour, 0.95 + 0.06 * noise(stream, _S, (40, 40), 2))
    for tone in ((150, 110, 90), (96, 104, 104), (206, 172, 130)):
        image = np.where((noise(stream, _S, (44, 44)) > 0.8)[..., None], shade(tone, np.ones(_S)), image)
    return image


def marble(stream: Stream, colour: Colour) -> Floats:
    """Polished stone with two depths of veins, warped. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    warp, fine, cloud = noise(stream, _L, (3, 3), 4), noise(stream, _L, (5, 5), 5), noise(stream, _L, (2, 2), 3)
    thick = 1 - np.minimum(np.abs(warp - 0.5) * 26, 1.0)
    thin = 1 - np.minimum(np.abs(sin_turns(x + 2 * y + fine * 2.2)) * 9, 1.0)
    vein = np.clip(0.75 * thick * (cloud - 0.2) + 0.4 * thin * fine, 0, 1)
    pale = max(colour) < 120
    return mixed(shade(colour, 0.95 + 0.07 * cloud), (206, 204, 200) if pale else (122, 120, 120), vein * 0.75)


def concrete(stream: Stream, colour: Colour) -> Floats:
    """Cast in boards: soft clouds, few pores. (256, 256, 3), 0 to 255."""
    pits = noise(stream, _S, (128, 128))
    image = shade(colour, 0.93 + 0.06 * noise(stream, _S, (3, 3), 4) + 0.03 * noise(stream, _S, (64, 64), 2))
    return np.where((pits > 0.95)[..., None], image * 0.88, image)


def brick(stream: Stream, colour: Colour) -> Floats:
    """A running bond of bricks of many shades, rough joints. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    rows, columns = 14, 4
    row = np.floor(y * rows)
    across = x * columns + np.where(row % 2 < 1, 0.0, 0.5)
    column = np.floor(across)
    own = (row * columns + column % columns).astype(np.int64)
    tone = 0.8 + 0.32 * cell_values(stream, own)
    rough = noise(stream, _L, (96, 96), 2)
    image = shade(colour, tone * (0.88 + 0.18 * rough))
    image = image * (1 + (cell_values(stream, own) - 0.5)[..., None] * np.asarray((0.1, -0.04, -0.12)))
    fy, fx = np.abs(y * rows - row - 0.5), np.abs(across - column - 0.5)
    joint = (fy > 0.435 - 0.05 * rough) | (fx > 0.478 - 0.015 * rough)
    shadow = (y * rows - row > 0.86) & ~joint
    image = np.where(shadow[..., None], image * 0.82, image)
    return np.where(joint[..., None], shade((200, 194, 184), 0.88 + 0.14 * rough), image)


def plaster(stream: Stream, colour: Colour) -> Floats:
    """Painted plaster: the stipple of a roller, stronger on dark paint, and next to no unevenness.

    (256, 256, 3), 0 to 255.
    """
    fine = noise(stream, _S, (128, 128)) + 0.35 * noise(stream, _S, (100, 100))
    strong = 0.02 * max(1.0, 420.0 / (sum(colour) + 60))
    return shade(colour, 0.965 + 0.008 * noise(stream, _S, (3, 3)) + strong * fine)


def wainscot(stream: Stream, colour: Colour) -> Floats:
    """Painted panelling as high as one repeat: two fields with mouldings between stiles and rails, a cap's shadow.

    (512, 512, 3), 0 to 255.
    """
    x, y = axes(_L)
    field = x * 2 - np.floor(x * 2)
    left, right, top, foot = field * 0.45, (1 - field) * 0.45, y * 0.9, (1 - y) * 0.9
    inside = np.minimum(np.minimum(left, right) - 0.06, np.minimum(top - 0.07, foot - 0.16))
    sunlit = (np.minimum(left, top - 0.01) > np.minimum(right, foot - 0.1)) * 1.0
    ogee = np.where(inside < 0.012, 1.05 - 0.24 * (1 - sunlit), 0.86 + 0.2 * (1 - sunlit))
    tone = np.where((inside > 0) & (inside < 0.026), ogee, np.where(inside > 0, 0.985, 1.0))
    tone = np.where((field < 0.006) & (inside < -0.05), 0.93, tone) * np.where(top < 0.012, 0.8, 1.0)
    return shade(colour, tone * (0.97 + 0.03 * noise(stream, _L, (128, 128))))


def render(stream: Stream, colour: Colour) -> Floats:
    """An outer wall's coat: coarse grain, and streaks that rain has left. (256, 256, 3), 0 to 255."""
    x = noise(stream.child("streaks"), _S, (3, 24), 3)
    tone = 0.74 + 0.2 * noise(stream.child("grain"), _S, (128, 128), 2) + 0.16 * noise(stream, _S, (4, 4), 4)
    return shade(colour, tone + 0.14 * x)


def boards(stream: Stream, colour: Colour) -> Floats:
    """Weatherboards: each overlaps the one below and throws a shadow on it. (256, 256, 3), 0 to 255."""
    _, y = axes(_S)
    at = y * 8
    down = at - np.floor(at)
    tone = 0.84 + 0.2 * down - 0.5 * (down < 0.1) + 0.08 * (down > 0.94)
    each = cell_values(stream.child("each"), np.floor(at).astype(np.int64))
    grain = noise(stream.child("grain"), _S, (128, 6), 2)
    return shade(colour, tone * (0.86 + 0.1 * each + 0.14 * grain))


def beadboard(stream: Stream, colour: Colour) -> Floats:
    """Painted tongue and groove, upright. (256, 256, 3), 0 to 255."""
    x, _ = axes(_S)
    at = x * 10 - np.floor(x * 10)
    groove = np.where(at < 0.07, 0.74, np.where(at < 0.12, 1.05, 1.0))
    return plaster(stream, colour) * groove[..., None]


def panelled(stream: Stream, colour: Colour) -> Floats:
    """Painted panels with a moulding. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    light = np.where((x + y < 1.0), 1.06, 0.84)
    moulding = np.where((edge > 0.09) & (edge < 0.12), light, np.where((edge > 0.12) & (edge < 0.13), 0.9, 1.0))
    return plaster(stream, colour) * moulding[..., None]


def slats(stream: Stream, colour: Colour) -> Floats:
    """Upright wooden battens before a dark felt. (256, 256, 3), 0 to 255."""
    x, _ = axes(_S)
    at = x * 20 - np.floor(x * 20)
    tone = 0.86 + 0.2 * cell_values(stream, np.floor(x * 20).astype(np.int64))
    image = shade(colour, tone * (0.88 + 0.2 * noise(stream, _S, (3, 120), 2)))
    return np.where((at > 0.72)[..., None], image * 0.28, image)


def stripes(stream: Stream, colour: Colour) -> Floats:
    """(256, 256, 3), 0 to 255."""
    x, _ = axes(_S)
    at = x * 6 - np.floor(x * 6)
    tone = np.where((at < 0.5) | ((at > 0.72) & (at < 0.78)), 1.0, 0.92)
    return plaster(stream, colour) * tone[..., None]


def _cells(x: Floats, y: Floats, n: int, drop: float = 0.5) -> tuple[Floats, Floats]:
    """Coordinates from -0.5 to 0.5 within n x n cells, every second column dropped by a half."""
    u = x * n
    v = y * n + np.floor(u) % 2 * drop
    return u - np.floor(u) - 0.5, v - np.floor(v) - 0.5


def circles(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of rings and dots. (256, 256, 3), 0 to 255."""
    dx, dy = _cells(*axes(_S), 4)
    r = dx * dx + dy * dy
    motif = np.where((r < 0.2) & (r > 0.12), 0.88, np.where(r < 0.03, 0.82, 1.0))
    return plaster(stream, colour) * motif[..., None]


def diamonds(stream: Stream, colour: Colour) -> Floats:
    """(256, 256, 3), 0 to 255."""
    dx, dy = _cells(*axes(_S), 6, 0.0)
    r = np.abs(dx) + np.abs(dy)
    return plaster(stream, colour) * np.where(np.abs(r - 0.46) < 0.03, 0.84, np.where(r < 0.09, 0.88, 1.0))[..., None]


def damask(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of large ornaments in a half drop. (256, 256, 3), 0 to 255."""
    dx, dy = _cells(*axes(_S), 4)
    a, b = np.abs(dx), np.abs(dy)
    r = a * a * 2.2 + dy * dy
    petals = np.abs(sin_turns(a * 2.2 + dy * 0.7)) * 0.1
    motif = (r < 0.09 + petals) & (r > 0.035) | (r < 0.015) | (a + b * 2.6 < 0.1)
    return plaster(stream, colour) * np.where(motif, 0.87, 1.0)[..., None]


def leaves(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of scattered pairs of leaves. (256, 256, 3), 0 to 255."""
    return _foliage(stream, colour, 7, (110, 134, 104))


def botanic(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of large fronds. (256, 256, 3), 0 to 255."""
    return _foliage(stream, colour, 4, (146, 160, 146))


def _foliage(stream: Stream, colour: Colour, n: int, green: Colour) -> Floats:
    x, y = axes(_S)
    image = plaster(stream, colour)
    for lean in (1.0, -1.0):
        dx, dy = _cells(x, y, n)
        along, across = dy + lean * dx * 0.6, dx - lean * (0.16 - dy * 0.25)
        leaf = (across * across * 22 + (along - 0.02) * (along - 0.02) * 6 < 0.34) & (np.abs(across) > 0.012)
        image = np.where(leaf[..., None], image * 0.55 + np.asarray(green, dtype=np.float64) * 0.45, image)
    return image


def blossoms(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of twigs with flowers of five petals. (256, 256, 3), 0 to 255."""
    image, tone = plaster(stream, colour), stream.choice(((206, 128, 128), (236, 226, 206), (208, 160, 92)))
    x, y = axes(_S)
    dx, dy = _cells(x, y, 5)
    twig = (np.abs(dx - 0.12 * sin_turns(dy * 0.9)) < 0.014) & (dy > -0.42)
    leaf = ((np.abs(dx) - 0.2) * (np.abs(dx) - 0.2) * 3 + (dy - 0.22 + dx * 0.2) * (dy - 0.22 + dx * 0.2) * 9) < 0.05
    image = np.where((twig | leaf)[..., None], image * 0.6 + np.asarray((40.0, 52.0, 38.0)), image)
    for k in range(5):
        turn = np.asarray(k / 5)
        px, py = dx - 0.09 * float(sin_turns(turn)), dy + 0.16 - 0.09 * float(sin_turns(turn + 0.25))
        petal = px * px + py * py < 0.0062
        image = np.where(petal[..., None], image * 0.25 + np.asarray(tone, dtype=np.float64) * 0.75, image)
    heart = dx * dx + (dy + 0.16) * (dy + 0.16) < 0.0022
    return np.where(heart[..., None], np.asarray((226.0, 190.0, 96.0)), image)


def trellis(stream: Stream, colour: Colour) -> Floats:
    """Wallpaper of a lattice of curved lines. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    bend = 0.1 * sin_turns(y * 4)
    lines = np.zeros(_S, dtype=bool)
    for sign in (1.0, -1.0):
        at = x * 4 + sign * bend
        lines |= np.abs(at - np.floor(at) - 0.5) < 0.045
    knots = ((x * 4 - np.floor(x * 4) - 0.5) * (x * 4 - np.floor(x * 4) - 0.5) < 0.01) & (
        np.abs(y * 4 - np.floor(y * 4) - 0.5) < 0.06
    )
    bright = sum(colour) < 420
    return plaster(stream, colour) * np.where(lines | knots, 1.3 if bright else 0.85, 1.0)[..., None]


def grasscloth(stream: Stream, colour: Colour) -> Floats:
    """Woven grass on paper: long horizontal fibres, strips of paper side by side. (256, 256, 3), 0 to 255."""
    x, _ = axes(_S)
    strip = np.where(x < 0.5, 0.008, -0.008)
    return shade(colour, 0.9 + strip + 0.09 * noise(stream, _S, (128, 9)) + 0.03 * noise(stream, _S, (128, 64)))


def carpet(stream: Stream, colour: Colour) -> Floats:
    """Loops: strong fine grain. (256, 256, 3), 0 to 255."""
    return shade(colour, 0.78 + 0.3 * noise(stream, _S, (256, 256)) + 0.1 * noise(stream, _S, (64, 64)))


def carpet_tiles(stream: Stream, colour: Colour) -> Floats:
    """Two by two ribbed tiles, each laid across its neighbours. (512, 512, 3), 0 to 255."""
    x, y = axes(_L)
    column, row = np.floor(x * 2).astype(np.int64), np.floor(y * 2).astype(np.int64)
    along = np.where((column + row) % 2 == 0, x, y)
    ribs = np.abs(along * 64 - np.floor(along * 64) - 0.5)
    worn, tone = 0.1 * noise(stream, _L, (64, 64)), 0.07 * cell_values(stream, column * 2 + row)
    loops = 0.16 * noise(stream, _L, (256, 256))
    seam = np.minimum(np.abs(x * 2 - np.floor(x * 2 + 0.5)), np.abs(y * 2 - np.floor(y * 2 + 0.5))) < 0.004
    value = 0.74 + 0.14 * ribs + loops + worn + tone + 0.05 * ((column + row) % 2)
    return shade(colour, np.where(seam, value * 0.82, value))


def fabric(stream: Stream, colour: Colour) -> Floats:
    """A plain weave with slubs. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    over = (np.floor(x * 96) + np.floor(y * 96)) % 2
    warp, weft = noise(stream, _S, (6, 96), 1), noise(stream, _S, (96, 6), 1)
    tone = 0.88 + 0.04 * over + 0.12 * np.where(over > 0, warp, weft) + 0.02 * noise(stream, _S, (3, 3), 2)
    return shade(colour, tone)


def linen(stream: Stream, colour: Colour) -> Floats:
    """Washed cloth: fine threads, next to no creases. (256, 256, 3), 0 to 255."""
    threads = noise(stream, _S, (128, 10)) + noise(stream, _S, (10, 128))
    return shade(colour, 0.92 + 0.045 * threads + 0.02 * noise(stream, _S, (2, 3), 2))


def drapery(stream: Stream, colour: Colour) -> Floats:
    """Linen in folds, four to a repeat: pale on their ridges, dark where they go in, no two alike; hems at its ends.

    Its light is where a curtain of `decor.curtain` has its folds.

    (512, 512, 3), 0 to 255.
    """
    x, y = axes(_L)
    wander = noise(stream, _L, (3, 4), 2) - 0.5
    at = x * 4 + 0.16 * wander
    ridge = 0.5 + 0.5 * sin_turns(at)
    deep = 0.75 + 0.5 * cell_values(stream.child("fold"), np.floor(x * 4 + 0.25).astype(np.int64) % 4)
    fine = 0.5 + 0.5 * sin_turns(x * 12 + 0.9 * wander + y)
    tone = 1.03 - 0.34 * deep * (1 - ridge) * (1 - ridge) - 0.05 * (1 - ridge) * fine
    threads = noise(stream, _L, (256, 12)) + noise(stream, _L, (12, 256))
    return shade(colour, tone * (0.93 + 0.05 * threads))


def sheer(stream: Stream, colour: Colour) -> Floats:
    """Thin cloth before the light: paler where one layer hangs, greyer where it folds. (512, 512, 3), 0 to 255."""
    x, _ = axes(_L)
    wander = noise(stream, _L, (2, 6), 2) - 0.5
    ridge = 0.5 + 0.5 * sin_turns(x * 4 + 0.2 * wander)
    fine = 0.5 + 0.5 * sin_turns(x * 12 + 1.3 * wander)
    threads = noise(stream, _L, (256, 24)) + noise(stream, _L, (24, 256))
    return shade(colour, 0.99 - 0.1 * (1 - ridge) * (1 - ridge) - 0.035 * fine * ridge + 0.02 * (threads - 1))


def boucle(stream: Stream, colour: Colour) -> Floats:
    """Loops of yarn. (256, 256, 3), 0 to 255."""
    loops = noise(stream, _S, (64, 64))
    return shade(colour, 0.84 + 0.16 * loops * loops + 0.08 * noise(stream, _S, (110, 110)))


def terry(stream: Stream, colour: Colour) -> Floats:
    """Loops of towelling, a woven band across. (256, 256, 3), 0 to 255."""
    _, y = axes(_S)
    loops = shade(colour, 0.86 + 0.18 * noise(stream, _S, (128, 128)))
    return np.where((np.abs(y - 0.8) < 0.05)[..., None], linen(stream, colour) * 0.94, loops)


def velvet(stream: Stream, colour: Colour) -> Floats:
    """Pile that lies this way and that, faintly. (256, 256, 3), 0 to 255."""
    return shade(colour, 0.95 + 0.03 * noise(stream, _S, (2, 2)) + 0.05 * noise(stream, _S, (128, 64)))


def knit(stream: Stream, colour: Colour) -> Floats:
    """Cables of stitches. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    u = x * 12 - np.floor(x * 12) - 0.5
    stitch = y * 24 + np.abs(u) * 1.6
    tone = 0.74 + 0.26 * (1 - np.abs(u) * 1.5) * (0.7 + 0.3 * np.abs(stitch - np.floor(stitch) - 0.5) * 2)
    return shade(colour, tone + 0.06 * noise(stream, _S, (64, 64)))


def plaid(stream: Stream, colour: Colour) -> Floats:
    """A checked blanket. (256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    wide_x, wide_y = (x * 3) % 1.0 < 0.38, (y * 3) % 1.0 < 0.38
    thin = (np.abs((x * 3) % 1.0 - 0.7) < 0.03) | (np.abs((y * 3) % 1.0 - 0.7) < 0.03)
    tone: Floats = 1.12 - 0.24 * wide_x - 0.24 * wide_y + 0.12 * thin
    image: Floats = fabric(stream, colour) * tone[..., None]
    return image


def ticking(stream: Stream, colour: Colour) -> Floats:
    """Cloth with narrow stripes on cream. (256, 256, 3), 0 to 255."""
    x, _ = axes(_S)
    at = x * 8 - np.floor(x * 8)
    stripe = (at < 0.3) | ((at > 0.45) & (at < 0.5))
    return np.where(stripe[..., None], fabric(stream, colour), linen(stream, (232, 226, 212)))


def leather(stream: Stream, colour: Colour) -> Floats:
    """Fine pores, soft creases here and there. (256, 256, 3), 0 to 255."""
    creases = noise(stream, _S, (14, 14), 3)
    lines = 1 - np.minimum(np.abs(creases - 0.5) * 30, 1.0)
    tone = 0.95 + 0.05 * noise(stream, _S, (3, 3)) + 0.05 * noise(stream, _S, (96, 96)) - 0.05 * lines
    return shade(colour, tone)


def metal(stream: Stream, colour: Colour) -> Floats:
    """Finely brushed, the strokes along u, with soft reflections. (256, 256, 3), 0 to 255."""
    _, y = axes(_S)
    glint = sin_turns(y + 0.1) * 0.03
    return shade(colour, 0.97 + 0.028 * noise(stream, _S, (256, 3)) + glint + 0.014 * noise(stream, _S, (256, 16)))


def smooth(stream: Stream, colour: Colour) -> Floats:
    """Lacquer, enamel, ceramic, plastic: clean, with a broad soft sheen and the finest grain.

    (256, 256, 3), 0 to 255.
    """
    _, y = axes(_S)
    tone = 0.972 + 0.016 * sin_turns(y + 0.13) + 0.006 * noise(stream, _S, (2, 2))
    return shade(colour, tone) + (noise(stream, _S, (128, 128))[..., None] - 0.5) * 3.6


def stone(stream: Stream, colour: Colour) -> Floats:
    """Polished granite: small grains of three shades. (256, 256, 3), 0 to 255."""
    grains, flakes = noise(stream, _S, (100, 100)), noise(stream, _S, (64, 64))
    image = shade(colour, 0.94 + 0.06 * noise(stream, _S, (4, 4), 3))
    image = np.where((grains > 0.76)[..., None], image * 1.12, image)
    image = np.where((grains < 0.24)[..., None], image * 0.8, image)
    return np.where((flakes > 0.86)[..., None], image * 0.62, image)


def basket(stream: Stream, colour: Colour) -> Floats:
    """(256, 256, 3), 0 to 255."""
    x, y = axes(_S)
    u, v = x * 16, y * 16
    turn = (np.floor(u) + np.floor(v)) % 2 < 1
    across = np.where(turn, u - np.floor(u), v - np.floor(v))
    return shade(colour, 0.6 + 0.55 * across * (1 - across) * 2 + 0.15 * noise(stream, _S, (32, 32)))


def leaf(stream: Stream, colour: Colour) -> Floats:
    """(256, 256, 3), 0 to 255."""
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
    """Soil, clay, cardboard. (256, 256, 3), 0 to 255."""
    return shade(colour, 0.88 + 0.1 * noise(stream, _S, (48, 48), 3) + 0.06 * noise(stream, _S, (128, 128)))


def water(stream: Stream, colour: Colour) -> Floats:
    """An aquarium's depth: rays from above, gravel below. (256, 256, 3), 0 to 255."""
    _, y = axes(_S)
    rays = noise(stream, (1, 256), (1, 9), 2)
    image = shade(colour, 1.5 - 0.8 * y + 0.35 * rays)
    gravel = 0.86 + 0.03 * noise(stream, (1, 256), (1, 6), 2)
    return np.where((y > gravel)[..., None], shade((196, 172, 136), 0.7 + 0.5 * noise(stream, _S, (60, 60))), image)


_SCALED: dict[Painter, float] = {
    planks: 2.0, parquet: 1.8, herringbone: 1.2, wood: 1.0, floor_tiles: 1.2, checker_tiles: 1.2, wall_tiles: 0.8,
    square_tiles: 1.0, slab_tiles: 1.2, clay_tiles: 1.2, zellige: 1.0, hex_tiles: 0.6, pattern_tiles: 1.2,
    terrazzo: 0.6, marble: 1.2, concrete: 2.0, brick: 0.9, plaster: 1.0, beadboard: 0.9, panelled: 1.3, slats: 0.8,
    stripes: 0.6, circles: 0.5, diamonds: 0.6, damask: 0.8, leaves: 0.7, botanic: 0.9, grasscloth: 0.6, carpet: 0.7,
    carpet_tiles: 1.0, fabric: 0.3, linen: 0.6, boucle: 0.35, terry: 0.5, velvet: 0.8, knit: 0.24, plaid: 0.45,
    ticking: 0.32, leather: 0.4, metal: 0.5, smooth: 1.0, stone: 0.6, basket: 0.16, leaf: 0.5, rough: 0.6, water: 0.8,
    render: 2.2, boards: 1.2, wainscot: 0.9, blossoms: 0.8, trellis: 0.6, drapery: 1.0, sheer: 1.0,
}  # fmt: skip
PAINTERS: dict[str, Painter] = {painter.__name__: painter for painter in _SCALED}
SCALES = {painter.__name__: scale for painter, scale in _SCALED.items()}
"""Metres that one repeat covers."""
