"""What a narrower camera leaves of a picture of the training, as the agent's camera.py makes it up."""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.camera import FLOOR, MIDDLES

NARROWEST, SHARE = 0.5, 1 / 3
"""Tangent of half the narrowest angle, 53 degrees (that of the training is 1), and how many views are narrow."""
_FLOOR = (255 * FLOOR).astype(np.uint8)


def drawn(count: int, rng: np.random.Generator) -> Any:
    """(count,) tangents of half an angle."""
    narrow = rng.random(count) < SHARE
    return np.where(narrow, rng.uniform(NARROWEST, 1, count), 1)


def narrowed(rgb: Any, near: Any, tangents: Any) -> tuple[Any, Any]:
    """Pictures (B, S, S, 3) and their nearness (B, S, S), bytes, with their edges drawn out from these tangents on."""
    seen = [_kept(*one) for one in zip(rgb, near, tangents)]
    return np.stack([one[0] for one in seen]), np.stack([one[1] for one in seen])


def inside(near: Any, tangents: Any) -> Any:
    """Nearness (B, S, S) with nothing on the sides that such cameras do not see."""
    return np.where(np.abs(MIDDLES) < np.asarray(tangents)[:, None, None], near, 0)


def _kept(rgb: Any, near: Any, tangent: float) -> tuple[Any, Any]:
    if tangent == 1:
        return rgb, near
    seen = np.flatnonzero(np.abs(MIDDLES) < tangent)
    places = np.arange(len(MIDDLES)).clip(seen[0], seen[-1])
    return rgb[places][:, places], np.maximum(near[places][:, places], _FLOOR)
