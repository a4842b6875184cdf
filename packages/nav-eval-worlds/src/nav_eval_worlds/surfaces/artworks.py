"""Images drawn once: screens, book backs, rugs, a mirror's reflection; what hangs framed is in repertoire."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.surfaces.noise import Colour, axes, cell_values, mixed, noise, shade

Artist = Callable[[Stream], Floats]
BRIGHT: tuple[Colour, ...] = (
    (196, 84, 60), (222, 166, 70), (70, 110, 130), (46, 62, 92), (150, 168, 130), (214, 196, 170), (120, 60, 78),
    (232, 222, 205), (88, 120, 84),
)  # fmt: skip


def screen(stream: Stream) -> Floats:
    """A dark display with the room's faint reflection. (128, 192, 3), 0 to 255."""
    size = (128, 192)
    x, y = axes(size)
    tone = 20 + 26 * np.clip(1 - np.abs(x * 1.4 - y - 0.25) * 2.2, 0, 1) + 10 * noise(stream, size, (6, 8), 3)
    return np.stack([tone, tone * 1.05, tone * 1.25], axis=-1)


def books(stream: Stream) -> Floats:
    """Backs of books side by side. (128, 512, 3), 0 to 255."""
    size = (128, 512)
    _, y = axes(size)
    image = np.zeros((*size, 3))
    x = 0
    while x < size[1]:
        w = min(stream.between(8, 22), size[1] - x)
        tone = np.asarray(stream.choice((*BRIGHT, (60, 50, 46), (200, 190, 170), (108, 30, 34))), dtype=np.float64)
        image[:, x : x + w] = tone * stream.between(70, 105) / 100
        if stream.chance(70):
            a, b = stream.between(10, 40), stream.between(60, 110)
            image[a : a + 3, x + 1 : x + w - 1] = 226
            image[b : b + 5, x + 2 : x + w - 2] = tone * 0.5 + 110
        image[:, x] *= 0.4
        x += w
    return image * (0.85 + 0.2 * noise(stream, size, (20, 60), 2) - 0.1 * y)[..., None]


def rug(stream: Stream, kind: str, colours: Sequence[Colour]) -> Floats:
    """A woven rug of one kind: persian, border, kilim, geometric, circles, lines, berber, worn or plain.

    (256, 384, 3), 0 to 255.
    """
    size = (256, 384)
    x, y = axes(size)
    ground, border, accent = stream.shuffled(colours)[:3]
    edge = np.minimum(np.minimum(x, 1 - x) * 1.5, np.minimum(y, 1 - y))
    n = stream.choice((6, 8, 10))
    u, v = x * n * 1.5, y * n
    du, dv = np.abs(u - np.floor(u) - 0.5), np.abs(v - np.floor(v) - 0.5)
    cx, cy = np.abs(x - 0.5) * 1.5, np.abs(y - 0.5)
    motifs = {
        "persian": (du * du + dv * dv < 0.05) | ((np.abs(cx + cy - 0.36) < 0.02) | (cx * cx + cy * cy < 0.02)),
        "border": (edge > 0.14) & (edge < 0.16),
        "kilim": np.abs(v - np.floor(v) - 0.5) < np.abs(u * 0.5 - np.floor(u * 0.5) - 0.5),
        "geometric": (np.floor(u * 0.5) + np.floor(v * 0.5)) % 2 < 1,
        "circles": (du * du + dv * dv < 0.16) & (du * du + dv * dv > 0.05),
        "lines": (y * n * 1.5) % 1.0 < 0.28,
        "berber": (np.abs(du - dv) < 0.05) | (np.abs(du + dv - 0.5) < 0.03),
        "worn": noise(stream, size, (20, 30), 3) > 0.56,
    }
    image = shade(ground, np.ones(size))
    if kind in motifs:
        image = np.where(motifs[kind][..., None], np.asarray(accent, dtype=np.float64), image)
    if kind in ("persian", "border", "kilim"):
        image = np.where((edge < 0.11)[..., None], np.asarray(border, dtype=np.float64), image)
        knots = (edge > 0.035) & (edge < 0.08) & (du > 0.25)
        image = np.where(knots[..., None], np.asarray(accent, dtype=np.float64), image)
    if kind == "worn":
        image = image * 0.6 + 70.0
    return image * (0.72 + 0.3 * noise(stream, size, (128, 192)) + 0.1 * noise(stream, size, (4, 6), 2))[..., None]


def mirror(stream: Stream) -> Floats:
    """The pale, blurred reflection of a room. (128, 128, 3), 0 to 255."""
    size = (128, 128)
    x, y = axes(size)
    image = mixed(shade((196, 206, 210), 1.1 - 0.25 * y), (150, 152, 150), np.clip(y * 3 - 1.8, 0, 1))
    streak = np.clip(1 - np.abs(x + y * 0.5 - 0.7) * 5, 0, 1) * 0.5
    return mixed(image, (244, 248, 250), streak) * (0.92 + 0.12 * noise(stream, size, (4, 4), 3))[..., None]


def board(stream: Stream) -> Floats:
    """A whiteboard: lines of handwriting, some boxes with an arrow between them, and what was wiped off badly.

    (288, 480, 3), 0 to 255.
    """
    size = (288, 480)
    x, y = axes(size)
    image = shade((240, 243, 244), 0.95 + 0.04 * noise(stream, size, (5, 8), 3) + 0.02 * noise(stream, size, (40, 9)))
    inks = [np.asarray(ink) for ink in ((50.0, 60.0, 140.0), (170.0, 50.0, 50.0), (40.0, 40.0, 44.0))]
    for k in range(stream.between(4, 7)):
        y0, x0 = 0.1 + 0.085 * k, stream.between(5, 14) / 100
        x1 = x0 + stream.between(16, 42) / 100
        hand = noise(stream.child("hand", k), (1, size[1]), (1, 96), 2) - 0.5
        words = cell_values(stream.child("words", k), np.floor(x * 34).astype(np.int64)) > 0.22
        lines = np.abs(y - y0 - hand * 0.05) < 0.0045
        image = np.where((lines & words & (x > x0) & (x < x1))[..., None], inks[stream.below(9) // 4], image)
    ink, low = inks[stream.below(3)], stream.between(14, 52) / 100
    for k in range(stream.between(1, 3)):
        dx, dy = np.abs(x - 0.66 - 0.11 * (k % 2) * 2), np.abs(y - low - 0.16 * k)
        box = (np.maximum(dx / 0.07, dy / 0.05) < 1) & (np.maximum(dx / 0.066, dy / 0.044) > 1)
        arrow = (dx < 0.003) & (y > low + 0.16 * k + 0.05) & (y < low + 0.16 * k + 0.11)
        image = np.where((box | arrow)[..., None], ink, image)
    return image


def glow(stream: Stream) -> Floats:
    """A lamp's face. (64, 64, 3), 0 to 255."""
    return shade((255, 246, 224), 0.95 + 0.05 * noise(stream, (64, 64), (8, 8), 2))


def lampshade(stream: Stream) -> Floats:
    """Lit fabric. (128, 128, 3), 0 to 255."""
    size = (128, 128)
    return shade((250, 222, 170), 0.85 + 0.15 * noise(stream, size, (64, 6), 2))


_DIGITS = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")
"""Of each digit five rows of three dots, as octal numbers."""


def digits(stream: Stream) -> Floats:
    """0 to 9 in white on a dark plate, a sixteenth of the width each. (32, 256, 3), 0 to 255."""
    lit = np.zeros((32, 256), bool)
    for k, rows in enumerate(_DIGITS):
        for y, row in enumerate(rows):
            for x in range(3):
                if int(row) >> (2 - x) & 1:
                    lit[1 + y * 6 : 7 + y * 6, k * 16 + 2 + x * 4 : k * 16 + 6 + x * 4] = True
    return np.where(lit[..., None], shade((240, 240, 236), np.ones(lit.shape)), shade((52, 52, 56), np.ones(lit.shape)))


def fire(stream: Stream) -> Floats:
    """Flames over logs in a dark hearth. (96, 128, 3), 0 to 255."""
    size = (96, 128)
    x, y = axes(size)
    tongue = noise(stream, size, (5, 9), 3) * 1.3 - (1 - y) * 0.9 - np.abs(x - 0.5) * 0.7
    image = mixed(shade((30, 22, 20), np.ones(size)), (232, 96, 24), np.clip(tongue * 4 + 0.9, 0, 1))
    image = mixed(image, (255, 214, 110), np.clip(tongue * 5 - 0.1, 0, 1))
    logs = (y > 0.86) | ((y > 0.78) & (np.abs(x - 0.5) < 0.3))
    return np.where(logs[..., None], shade((74, 52, 40), 0.6 + 0.7 * noise(stream, size, (20, 8), 2)), image)


ARTISTS: dict[str, Artist] = {f.__name__: f for f in (digits, screen, books, mirror, board, fire, glow, lampshade)}
