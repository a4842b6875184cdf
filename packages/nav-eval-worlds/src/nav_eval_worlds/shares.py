"""How many scenes of a collection each split has, and which small things may stand in them."""

from __future__ import annotations

from typing import Literal, get_args

Assets = Literal["all", "train", "val", "test"]
ASSETS: tuple[Assets, ...] = get_args(Assets)


def shares(count: int) -> tuple[int, int]:
    """How many of `count` scenes are for train and val_seen, and how many for val_unseen."""
    seen = max(1, count // 2)
    return seen, max(1, (count - seen + 1) // 2) if count > 1 else 0


def assets_of(place: int, count: int) -> Assets:
    """Of which split the small things of a scene are, by its place among `count` scenes in the order of names."""
    seen, unseen = shares(count)
    if count == 1:
        return "all"
    return "train" if place < seen else "val" if place < seen + unseen else "test"
