"""Leaves of doors: plain, with a strip of glass, panelled, with panes, of planks, or nearly all of glass.

A leaf stands upright in its own frame: across x, its width along z with the handle's end at +z, from y = 0.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import Style

HALF = 0.02
_PRIVATE = frozenset(("bedroom", "bathroom", "laundry room", "storage room", "copy room"))


def plain_leaf(m: Model, w: float, h: float) -> None:
    m.box((-HALF, 0, -w / 2), (HALF, h, w / 2), "door")


def panelled_leaf(m: Model, w: float, h: float) -> None:
    """Two raised fields, or four."""
    plain_leaf(m, w, h)
    for y0, y1 in ((0.17, 0.87), (1.07, h - 0.15)):
        for z0, z1 in ((-w / 2 + 0.13, -0.04), (0.04, w / 2 - 0.13)):
            m.box((-HALF - 0.006, y0, z0), (HALF + 0.006, y1, z1), "door", skip="d")


def shaker_leaf(m: Model, w: float, h: float) -> None:
    """A frame before flat fields."""
    m.box((-HALF + 0.008, 0, -w / 2), (HALF - 0.008, h, w / 2), "door")
    for z0, z1 in ((-w / 2, -w / 2 + 0.12), (w / 2 - 0.12, w / 2)):
        m.box((-HALF, 0, z0), (HALF, h, z1), "door")
    for k in range(5):
        y = k * (h - 0.12) / 4
        m.box((-HALF, y, -w / 2 + 0.12), (HALF, y + 0.12, w / 2 - 0.12), "door", skip="fb")


def strip_leaf(m: Model, w: float, h: float) -> None:
    """An upright strip of glass beside the handle."""
    plain_leaf(m, w, h)
    z0 = w / 2 - 0.34
    m.box((-HALF - 0.002, 0.3, z0), (HALF + 0.002, h - 0.2, z0 + 0.12), "frosted")


def plank_leaf(m: Model, w: float, h: float) -> None:
    """Upright boards on two cross-pieces, with long hinges."""
    count = 6
    for k in range(count):
        z = -w / 2 + k * w / count
        m.box((-HALF, 0, z), (HALF, h, z + w / count - 0.006), "wood")
    m.box((-HALF + 0.01, 0.01, -w / 2 + 0.01), (HALF - 0.01, h - 0.01, w / 2 - 0.01), "dark")
    for y in (0.25, h - 0.35):
        m.box((-HALF - 0.012, y, -w / 2 + 0.03), (HALF + 0.012, y + 0.11, w / 2 - 0.03), "wood")
        m.box((-HALF - 0.016, y + 0.035, -w / 2), (HALF + 0.016, y + 0.065, w * 0.15), "metal2")


def cottage_leaf(m: Model, w: float, h: float) -> None:
    """Panes above, a panel below."""
    _glaze(m, w, h, 0.85, (3, 2))
    m.box((-HALF - 0.006, 0.16, -w / 2 + 0.14), (HALF + 0.006, 0.72, w / 2 - 0.14), "door", skip="d")


def glazed_leaf(m: Model, w: float, h: float) -> None:
    """One large pane."""
    _glaze(m, w, h, 0.22, (1, 1))


def _glaze(m: Model, w: float, h: float, foot: float, panes: tuple[int, int]) -> None:
    side, top = 0.12, 0.13
    m.box((-HALF, 0, -w / 2), (HALF, foot, w / 2), "door")
    m.box((-HALF, h - top, -w / 2), (HALF, h, w / 2), "door")
    for z0, z1 in ((-w / 2, -w / 2 + side), (w / 2 - side, w / 2)):
        m.box((-HALF, foot, z0), (HALF, h - top, z1), "door", skip="ud")
    low, high, wide = foot, h - top, w - 2 * side
    m.box((-0.004, low, -w / 2 + side), (0.004, high, w / 2 - side), "glass", skip="udfb")
    for k in range(1, panes[0]):
        y = low + k * (high - low) / panes[0]
        m.box((-HALF + 0.004, y - 0.014, -w / 2 + side), (HALF - 0.004, y + 0.014, w / 2 - side), "door", skip="fb")
    for k in range(1, panes[1]):
        z = -wide / 2 + k * wide / panes[1]
        m.box((-HALF + 0.004, low, z - 0.014), (HALF - 0.004, high, z + 0.014), "door", skip="ud")


LEAVES: dict[str, Callable[[Model, float, float], None]] = {
    leaf.__name__: leaf
    for leaf in (plain_leaf, panelled_leaf, shaker_leaf, strip_leaf, plank_leaf, cottage_leaf, glazed_leaf)
}
_OPEN = frozenset(("cottage_leaf", "glazed_leaf"))


def leaves_of(style: Style, stream: Stream) -> tuple[str, str]:
    """The building's two kinds of leaf: of rooms one looks into, and of those one does not."""
    liked = [name for name in LEAVES if name in style.likes] or list(LEAVES)
    closed = [name for name in liked if name not in _OPEN] or ["plain_leaf"]
    return stream.choice(liked), stream.choice(closed)


def leaf(kinds: tuple[str, str], room: str, w: float, h: float) -> Model:
    """The leaf of a room's door, with handles on plates, and hinges."""
    m = Model()
    LEAVES[kinds[1] if room in _PRIVATE else kinds[0]](m, w, h)
    y, z = 1.02, w / 2 - 0.06
    for s in (-1, 1):
        inner = "l" if s > 0 else "r"
        a, b = sorted((s * HALF, s * (HALF + 0.008)))
        m.box((a, y - 0.16, z - 0.02), (b, y + 0.05, z + 0.02), "metal2", skip=inner + "ud")
        a, b = sorted((s * HALF, s * (HALF + 0.05)))
        m.box((a, y - 0.01, z - 0.012), (b, y + 0.012, z + 0.012), "metal2", skip="lr")
        a, b = sorted((s * (HALF + 0.03), s * (HALF + 0.05)))
        m.box((a, y - 0.01, z - 0.12), (b, y + 0.012, z + 0.012), "metal2", skip=inner)
    for low in (0.2, h - 0.3):
        m.box((-HALF - 0.006, low, -w / 2 - 0.005), (HALF + 0.006, low + 0.1, -w / 2 + 0.008), "metal2", skip="udbf")
    return m
