"""What a picture is painted with: an easel of 4 to 3 or 3 to 4, its short side 1, x to the right and y down.

Edges are blended. Shapes, lines, leaves and block letters are all that drawn pictures are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.surfaces.noise import Colour, noise

SHORT, _LONG = 120, 160
"""Texels of the sides."""
LONG = _LONG / SHORT
_LETTERS = {
    "A": "25755", "B": "65656", "C": "34443", "E": "74647", "H": "55755", "I": "72227", "J": "11152", "K": "55655",
    "L": "44447", "M": "57755", "N": "57775", "O": "25552", "P": "65644", "R": "65655", "S": "34216", "T": "72222",
    "U": "55557", "V": "55552", "X": "55255", "Y": "55222", "Z": "71247", "1": "26227", "6": "34652", "8": "25252",
    "9": "25316",
}  # fmt: skip


@dataclass
class Easel:
    """A picture as it is made; `colours` are those of the home. x: (1, W); y: (H, 1)."""

    stream: Stream
    upright: bool
    colours: Sequence[Colour]
    wide: float = field(init=False)
    high: float = field(init=False)
    x: Floats = field(init=False)
    y: Floats = field(init=False)
    image: Floats = field(init=False)

    def __post_init__(self) -> None:
        columns, rows = (SHORT, _LONG) if self.upright else (_LONG, SHORT)
        self.wide, self.high = columns / SHORT, rows / SHORT
        self.x = ((np.arange(columns) + 0.5) / SHORT)[None]
        self.y = ((np.arange(rows) + 0.5) / SHORT)[:, None]
        self.image = np.full((rows, columns, 3), 240.0)

    def any(self) -> Colour:
        """One of the home's colours."""
        return self.stream.choice(self.colours)

    def part(self, low: int, high: int) -> float:
        """A random number of percent as a share."""
        return self.stream.between(low, high) / 100

    def grain(self, cells: int, octaves: int = 2) -> Floats:
        """Noise of the picture's shape (H, W), 0 to 1, with so many cells to each side."""
        return noise(self.stream, (self.image.shape[0], self.image.shape[1]), (cells, cells), octaves)

    def ground(self, colour: Colour, below: Colour | None = None) -> None:
        """One colour everywhere, or one above that turns into another below."""
        share = np.broadcast_to(self.y / self.high, self.image.shape[:2])[..., None]
        self.image = np.asarray(colour, np.float64) * (1 - share) + np.asarray(below or colour, np.float64) * share

    def fill(self, inside: Floats, colour: Colour, tone: Floats | float = 1.0) -> None:
        """Paint where `inside` is positive: its distance from the edge. inside, tone: (H, W), or 1 for either;
        the short side is 1, and `tone` multiplies the colour."""
        share = np.broadcast_to(np.clip(inside * SHORT + 0.5, 0, 1), self.image.shape[:2])
        rows, columns = np.flatnonzero(share.any(axis=1)), np.flatnonzero(share.any(axis=0))
        if not len(rows):
            return
        part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        own = np.asarray(colour, np.float64) * np.broadcast_to(tone, share.shape)[part][..., None]
        share = share[part][..., None]
        self.image[part] = self.image[part] * (1 - share) + own * share

    def box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        self.fill(np.minimum(np.minimum(self.x - x0, x1 - self.x), np.minimum(self.y - y0, y1 - self.y)), colour)

    def ellipse(self, x: float, y: float, rx: float, ry: float, colour: Colour, lit: float = 0.0) -> None:
        """`lit`: how much brighter its upper left is."""
        u, v = (self.x - x) / rx, (self.y - y) / ry
        r = np.sqrt(u * u + v * v)
        self.fill((1 - r) * min(rx, ry), colour, 1.0 - lit * (u + v) * 0.5)

    def ring(self, x: float, y: float, radius: float, thick: float, colour: Colour) -> None:
        u, v = self.x - x, self.y - y
        self.fill(thick / 2 - np.abs(np.sqrt(u * u + v * v) - radius), colour)

    def stroke(self, x0: float, y0: float, x1: float, y1: float, thick: float, colour: Colour) -> None:
        dx, dy = x1 - x0, y1 - y0
        t = np.clip(((self.x - x0) * dx + (self.y - y0) * dy) / (dx * dx + dy * dy + 1e-12), 0, 1)
        u, v = self.x - x0 - t * dx, self.y - y0 - t * dy
        self.fill(thick / 2 - np.sqrt(u * u + v * v), colour)

    def leaf(self, x: float, y: float, dx: float, dy: float, fat: float, colour: Colour) -> None:
        """A pointed leaf from (x, y) along (dx, dy), `fat` of its length thick."""
        size = dx * dx + dy * dy
        t = ((self.x - x) * dx + (self.y - y) * dy) / size
        across = np.abs((self.x - x) * dy - (self.y - y) * dx) / np.sqrt(np.asarray(size))
        room = np.clip(t * (1 - t), 0, 1) * (4 * fat / 2) * float(np.sqrt(np.asarray(size)))
        self.fill(np.where((t > 0) & (t < 1), room - across, -1.0), colour, 0.92 + 0.16 * np.clip(t, 0, 1))

    def land(self, level: float, rise: float, bumps: int, colour: Colour, tone: Floats | float = 1.0) -> None:
        """Everything below a line of hills. tone: (H, W), multiplies the colour."""
        line = noise(self.stream, (1, self.image.shape[1]), (1, bumps), 3) - 0.5
        self.fill(self.y - level - rise * line, colour, tone)

    def word(self, text: str, x: float, y: float, dot: float, colour: Colour) -> None:
        """Block letters from the upper left; `dot`: a letter's stroke."""
        for place, letter in enumerate(text):
            for row, octal in enumerate(_LETTERS.get(letter, "00000")):
                for column in range(3):
                    if int(octal) >> (2 - column) & 1:
                        x0, y0 = x + (place * 4 + column) * dot, y + row * dot
                        self.box(x0, y0, x0 + dot * 1.12, y0 + dot * 1.12, colour)

    def titled(self, text: str, y: float, colour: Colour, wide: float = 0.8, tall: float = 0.185) -> None:
        """A word across the middle, at most `wide` and `tall` of the whole."""
        dot = min(self.wide * wide / (4 * len(text) - 1), tall / 5 * self.high)
        self.word(text, (self.wide - dot * (4 * len(text) - 1)) / 2, y, dot, colour)

    def matted(self, margin: float, colour: Colour = (246, 244, 238)) -> None:
        """A border of paper."""
        edge = np.minimum(np.minimum(self.x, self.wide - self.x), np.minimum(self.y, self.high - self.y))
        self.fill(margin - edge, colour)

    def brushed(self, depth: float = 0.14) -> None:
        """The strokes of a brush on canvas."""
        self.image = self.image * (1 - depth / 2 + depth * self.grain(40))[..., None]
