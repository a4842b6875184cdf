"""What hangs on walls: no artwork twice, of many kinds, in the home's colours, never stretched."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.decor import picture
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.surfaces.hanging import hung
from nav_eval_worlds.surfaces.paintings import KINDS, art_of, painting


def _frames(count: int) -> list[tuple[str, float, float]]:
    """(material, width over height of the frame, of the part of the artwork in it)."""
    stream = Stream("frames")
    items = [Item("picture", 0, picture(stream).model) for _ in range(count)]
    out = []
    for item in hung(items, Stream("art")):
        for quad in item.model.quads:
            if re.fullmatch(r"art\d+", quad.material):
                wide, high = np.ptp(quad.corners[:, 0]), np.ptp(quad.corners[:, 1])
                u, v = np.ptp(quad.uvs, axis=0)
                out.append((quad.material, wide / high, u / v))
    return out


def test_no_artwork_hangs_twice_and_none_is_stretched() -> None:
    frames = _frames(50)
    assert len({name for name, _, _ in frames}) == len(frames) == 50
    kinds = Counter(art_of(int(name[3:]))[0] for name, _, _ in frames)
    assert len(kinds) == len(KINDS) >= 20
    assert max(kinds.values()) <= 3
    for name, aspect, shown in frames[:20]:
        drawn = painting(Stream("any"), *art_of(int(name[3:])), ((180, 90, 60), (60, 90, 120)))
        assert drawn.std() > 8, "something is to be seen"
        rows, columns, _ = drawn.shape
        assert abs(shown * columns / rows - aspect) < 1e-6 * aspect
        assert (rows > columns) == (aspect < 1)


def test_a_crowded_building_has_its_artworks_again() -> None:
    names = [name for name, _, _ in _frames(90)]
    assert len(set(names)) == 64
    assert all(a != b for a, b in pairwise(names))


def test_pictures_take_the_colours_of_the_home() -> None:
    for kind in (k for k, kind in enumerate(KINDS) if kind.__name__ in ("arches", "fields", "strokes", "lettering")):
        own = [painting(Stream("one", kind), kind, False, [colour] * 3) for colour in ((200, 60, 40), (40, 60, 200))]
        assert own[0][..., 0].mean() > own[1][..., 0].mean() + 5
