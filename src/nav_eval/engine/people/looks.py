"""How people look: measures, skin, hair and clothes, dealt from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nav_eval.engine.people.solids import Colour

SKINS: tuple[Colour, ...] = (
    (0.93, 0.76, 0.66),
    (0.88, 0.69, 0.57),
    (0.80, 0.60, 0.46),
    (0.68, 0.48, 0.35),
    (0.52, 0.35, 0.25),
    (0.40, 0.27, 0.20),
)
HAIRS: tuple[Colour, ...] = (
    (0.09, 0.07, 0.06),
    (0.17, 0.11, 0.08),
    (0.28, 0.18, 0.11),
    (0.42, 0.28, 0.16),
    (0.66, 0.51, 0.32),
    (0.55, 0.54, 0.53),
    (0.40, 0.17, 0.09),
)
TOPS: tuple[Colour, ...] = (
    (0.20, 0.27, 0.42),
    (0.56, 0.17, 0.17),
    (0.83, 0.82, 0.79),
    (0.22, 0.36, 0.29),
    (0.72, 0.55, 0.24),
    (0.25, 0.25, 0.27),
    (0.47, 0.57, 0.68),
    (0.60, 0.42, 0.47),
    (0.38, 0.29, 0.44),
    (0.66, 0.62, 0.55),
)
BOTTOMS: tuple[Colour, ...] = (
    (0.20, 0.25, 0.36),
    (0.31, 0.38, 0.50),
    (0.17, 0.17, 0.19),
    (0.46, 0.40, 0.31),
    (0.34, 0.34, 0.35),
    (0.28, 0.22, 0.18),
)
SHOES: tuple[Colour, ...] = (
    (0.12, 0.11, 0.11),
    (0.33, 0.22, 0.15),
    (0.80, 0.80, 0.79),
    (0.28, 0.30, 0.35),
    (0.55, 0.18, 0.17),
)
LOOKS = 64
"""How many different people there are: a body is sewn once and kept."""
STYLES = ("tshirt", "sweater", "stripes", "jacket", "shirt", "hoodie")
CUTS = ("short", "bob", "long", "bun", "crop", "bald")


@dataclass(frozen=True, slots=True)
class Look:
    """One person's. `height` m; `girth` 1 is slim average; `curve` from 0 to 1: hips wider, shoulders narrower."""

    height: float
    girth: float
    curve: float
    skin: Colour
    hair: Colour
    cut: str
    top: Colour
    under: Colour
    style: str
    bottom: Colour
    legs: str
    shoes: Colour
    beard: bool
    glasses: bool
    folds: float


def dealt(seed: int) -> Look:
    """The same look for the same seed."""
    draw = np.random.default_rng(seed)
    curve = float(draw.random() < 0.5) * float(0.7 + 0.3 * draw.random())
    womanly = curve > 0
    skin = SKINS[int(draw.integers(len(SKINS)))]
    hairs = HAIRS[:3] if sum(skin) < 1.6 else HAIRS
    cuts = ("bob", "long", "bun", "short") if womanly else ("short", "crop", "short", "bald")
    legs = str(
        draw.choice(["trousers", "jeans", "skirt", "leggings"] if womanly else ["trousers", "jeans", "jeans", "shorts"])
    )
    return Look(
        height=float((1.66 if womanly else 1.78) + 0.06 * np.clip(draw.normal(), -1.8, 1.8)),
        girth=float(draw.choice([0.93, 1.0, 1.06, 1.16])),
        curve=curve,
        skin=skin,
        hair=hairs[int(draw.integers(len(hairs)))],
        cut=str(draw.choice(cuts)),
        top=TOPS[int(draw.integers(len(TOPS)))],
        under=TOPS[int(draw.integers(len(TOPS)))],
        style=str(draw.choice(STYLES)),
        bottom=BOTTOMS[int(draw.integers(2) if legs == "jeans" else draw.integers(2, len(BOTTOMS)))],
        legs=legs,
        shoes=SHOES[int(draw.integers(len(SHOES)))],
        beard=bool(not womanly and draw.random() < 0.35),
        glasses=bool(draw.random() < 0.25),
        folds=float(draw.random() * 6.28),
    )
