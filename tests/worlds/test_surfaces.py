"""What surfaces show close up and from afar, and the pictures that hang on them: none twice, none stretched."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.decor import picture
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.surfaces.detail import COARSE, detailed
from nav_eval_worlds.surfaces.hanging import hung
from nav_eval_worlds.surfaces.repertoire import KINDS, art_of, artwork
from nav_eval_worlds.surfaces.styles import STYLES
from nav_eval_worlds.surfaces.textures import PAINTERS, SCALES


@pytest.mark.parametrize("painter", ["plaster", "planks", "carpet", "wood"])
def test_detail_is_fine_and_vanishes_from_afar(painter: str) -> None:
    image = PAINTERS[painter](Stream("x"), (180, 150, 120))
    fine = detailed(image, painter, SCALES[painter]).astype(np.float64)
    assert fine.shape == (image.shape[0] * 2, image.shape[1] * 2, 3)
    assert SCALES[painter] / fine.shape[1] <= 0.0035
    halved = fine.reshape(image.shape[0], 2, image.shape[1], 2, 3).mean(axis=(1, 3))
    within = np.abs(fine - halved.repeat(2, axis=0).repeat(2, axis=1)).mean()
    assert within > 0.0018 * image.mean() + 0.04  # of which rounding to bytes makes so much at most
    blocks = [a.reshape(16, a.shape[0] // 16, 16, -1, 3).mean(axis=(1, 3)) for a in (image, fine)]
    assert np.abs(blocks[0] - blocks[1]).max() < 0.03 * image.mean()
    seams = [np.abs(a[:, 0] - a[:, -1]).mean() for a in (image, fine)]
    assert seams[1] < seams[0] + 0.03 * image.mean()  # it still repeats


def test_what_is_fine_or_smooth_stays() -> None:
    image = PAINTERS["fabric"](Stream("x"), (180, 150, 120))
    assert SCALES["fabric"] / image.shape[1] < COARSE
    for found in (detailed(image, "fabric", SCALES["fabric"]), detailed(image, "smooth", 1.0)):
        assert (found == np.floor(image + 0.5)).all()


def _frames(count: int) -> list[tuple[str, float, float]]:
    """(material, width over height of the frame, of the part of the artwork in it)."""
    stream = Stream("frames")
    items = [Item("picture", 0, picture(stream).model) for _ in range(count)]
    out = []
    for item in hung(items, Stream("art"), "home"):
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
    assert len(kinds) == len(KINDS) >= 32
    assert max(kinds.values()) <= 3
    for name, aspect, shown in frames[:20]:
        drawn = artwork(Stream("any"), *art_of(int(name[3:])), ((180, 90, 60), (60, 90, 120)))
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
        own = [artwork(Stream("one", kind), kind, False, [colour] * 3) for colour in ((200, 60, 40), (40, 60, 200))]
        assert own[0][..., 0].mean() > own[1][..., 0].mean() + 5


def test_two_hundred_pictures_are_two_hundred() -> None:
    """Of eight seeds and colours: no two alike even when seen from across a room, in grey."""
    small = []
    for kind in range(len(KINDS)):
        for seed in range(8):
            colours = STYLES[seed].accents + STYLES[seed].fabrics
            drawn = artwork(Stream("print", seed, kind), kind, False, colours)
            assert drawn.shape == (120, 160, 3)
            small.append(drawn.mean(axis=2).reshape(12, 10, 16, 10).mean(axis=(1, 3)).reshape(-1))
    tones = np.array(small)
    apart = np.abs(tones[:, None] - tones[None]).mean(axis=2) + 99 * np.eye(len(tones))
    assert (apart.min(axis=1) > 3).sum() >= 200
