"""Which artwork is in which frame: none twice, neighbours of different kinds, some groups a series of one kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from nav_eval_worlds.exact import Floats, Stream, length
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.surfaces.easel import LONG
from nav_eval_worlds.surfaces.repertoire import art_name, kinds_of

_MOST = 64
"""Artworks of a building; from then on they are had again, so that textures stay small."""
_SERIES = 45
"""Percent of groups that are of one kind."""


def hung(items: Sequence[Item], stream: Stream, building: Kind) -> list[Item]:
    """The items with an artwork of its own in each frame, of a kind that hangs in homes or offices."""
    stock = _Stock(stream, kinds_of(building))
    return [_filled(item, stock) for item in items]


@dataclass
class _Stock:
    stream: Stream
    all_kinds: Sequence[int]
    kinds: list[int] = field(default_factory=list)
    names: dict[bool, list[str]] = field(default_factory=lambda: {True: [], False: []})
    again: int = 0

    def kind(self) -> int:
        """Each once, in random order, before any comes again."""
        self.kinds = self.kinds or self.stream.shuffled(self.all_kinds)
        return self.kinds.pop()

    def take(self, kind: int, upright: bool) -> str:
        """A new artwork's material; when there are enough, one of those that hang already."""
        own, count = self.names[upright], sum(map(len, self.names.values()))
        if count < _MOST or not own:
            own.append(art_name(count, kind, upright))
            return own[-1]
        self.again += 1
        return own[self.again % len(own)]


def _filled(item: Item, stock: _Stock) -> Item:
    framed = [k for k, quad in enumerate(item.model.quads) if re.fullmatch(r"art\d+", quad.material)]
    if not framed:
        return item
    quads = list(item.model.quads)
    series = len(framed) > 2 and stock.stream.chance(_SERIES)
    kind = stock.kind()
    for k in framed:
        kind = kind if series or k == framed[0] else stock.kind()
        wide, high = _sides(quads[k].corners)
        name = stock.take(kind, high > wide)
        quads[k] = replace(quads[k], material=name, uvs=_cut(quads[k].uvs, wide / high))
    return replace(item, model=replace(item.model, quads=quads))


def _sides(corners: Floats) -> tuple[float, float]:
    return float(length(corners[1] - corners[0])), float(length(corners[2] - corners[1]))


def _cut(uvs: Floats, aspect: float) -> Floats:
    """Texture coordinates, 0 to 1 across a frame, of the middle of an artwork that is not stretched in it."""
    whole = 1 / LONG if aspect < 1 else LONG
    share = (1.0, whole / aspect) if aspect > whole else (aspect / whole, 1.0)
    return (uvs - 0.5) * share + 0.5
