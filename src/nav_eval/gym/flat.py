"""Observations as one flat dictionary of arrays, for trainers that refuse nested ones.

A part of a structure is called "structure/part"; a single number is an array (1,); a bound that is infinite becomes
UNBOUNDED, because a checker warns of infinities. Texts stay what they are in `forms`: UTF-8 bytes, padded with zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

UNBOUNDED = 1e9
"""Metres, pixels, ids: beyond what is measured."""


def flat_space(space: spaces.Dict) -> spaces.Dict:
    """The space of what `flat_arrays` returns."""
    leaves: dict[str, Any] = dict(_leaves(space.spaces))
    return spaces.Dict({name: _bound(leaf) for name, leaf in leaves.items()})


def flat_arrays(observations: Mapping[str, Any], *, batch: int = 0) -> dict[str, Any]:
    """Views of the arrays by flat name; `batch`: how many first axes count environments."""
    return {name: leaf[..., None] if leaf.ndim == batch else leaf for name, leaf in _leaves(observations)}


def _leaves(tree: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in tree.items():
        parts = value.spaces if isinstance(value, spaces.Dict) else value
        found += _leaves(parts, f"{before}{name}/") if isinstance(parts, Mapping) else [(before + name, value)]
    return found


def _bound(box: spaces.Box) -> spaces.Box:
    low, high = np.atleast_1d(box.low), np.atleast_1d(box.high)
    if box.dtype.kind == "f":
        low, high = low.clip(-UNBOUNDED), high.clip(max=UNBOUNDED)
    return spaces.Box(low, high, dtype=box.dtype.type)
