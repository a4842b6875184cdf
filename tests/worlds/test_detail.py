"""Close up a surface shows more than its painter drew, and from afar the same."""

from __future__ import annotations

import numpy as np
import pytest

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.surfaces.detail import COARSE, detailed
from nav_eval_worlds.surfaces.textures import PAINTERS, SCALES


@pytest.mark.parametrize("painter", ["plaster", "planks", "carpet", "wood"])
def test_detail_is_fine_and_vanishes_from_afar(painter: str) -> None:
    image = PAINTERS[painter](Stream("x"), (180, 150, 120))
    fine = detailed(image, painter, SCALES[painter])
    assert fine.shape == (image.shape[0] * 2, image.shape[1] * 2, 3)
    assert SCALES[painter] / fine.shape[1] <= 0.0035
    halved = fine.reshape(image.shape[0], 2, image.shape[1], 2, 3).mean(axis=(1, 3))
    within = np.abs(fine - halved.repeat(2, axis=0).repeat(2, axis=1)).mean()
    assert within > 0.0018 * image.mean()
    blocks = [a.reshape(16, a.shape[0] // 16, 16, -1, 3).mean(axis=(1, 3)) for a in (image, fine)]
    assert np.abs(blocks[0] - blocks[1]).max() < 0.03 * image.mean()
    seams = [np.abs(a[:, 0] - a[:, -1]).mean() for a in (image, fine)]
    assert seams[1] < seams[0] + 0.03 * image.mean()  # it still repeats


def test_what_is_fine_or_smooth_stays() -> None:
    image = PAINTERS["fabric"](Stream("x"), (180, 150, 120))
    assert SCALES["fabric"] / image.shape[1] < COARSE
    assert detailed(image, "fabric", SCALES["fabric"]) is image
    assert detailed(image, "smooth", 1.0) is image
