"""How untidy a home is, and what lies about in it then."""

from __future__ import annotations

from collections.abc import Sequence

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.rooms.space import Space, Spot
from nav_eval_worlds.things.carriers import Carriers, Wish
from nav_eval_worlds.things.catalogue import Stock

_SEAT = (300, 620)
_LEFT_ON: dict[str, tuple[Wish, ...]] = {
    "counter": (("dishes", 90, "any"), ("pan", 70, "any"), ("dishes", 60, "any"), ("letters", 35, "any")),
    "desk": (("letters", 75, "any"), ("charger", 65, "back"), ("mug", 45, "any"), ("letters", 45, "any"),
        ("dishes", 20, "any"), ("laptop", 25, "middle")),
    "table": (("dishes", 55, "any"), ("letters", 45, "any"), ("laptop", 30, "any"), ("charger", 25, "any"),
        ("drinking_glass", 50, "any"), ("bag", 15, "any")),
    "nightstand": (("charger", 60, "any"), ("mug", 40, "any"), ("dishes", 20, "any")),
    "cabinet": (("letters", 55, "any"), ("charger", 40, "any"), ("parcel", 20, "any"), ("hat", 20, "any")),
    "chest_of_drawers": (("garment", 45, "any"), ("letters", 35, "any"), ("charger", 30, "any")),
    "bench": (("garment", 55, "any"), ("backpack", 40, "any"), ("parcel", 30, "any")),
    "washing_machine": (("garment", 60, "any"),),
}  # fmt: skip
"""Chances in percent in the untidiest home."""
_SOFT: dict[str, tuple[Wish, ...]] = {
    "bed": (("garment", 85, "any"), ("garment", 55, "any"), ("laptop", 35, "any"), ("clothes_heap", 40, "front"),
        ("charger", 25, "any")),
    "sofa": (("garment", 55, "any"), ("blanket", 40, "any"), ("laptop", 30, "any"), ("backpack", 20, "any"),
        ("dishes", 15, "any")),
    "chair": (("garment", 45, "any"), ("bag", 15, "any")),
}  # fmt: skip
_DROPPED: dict[str, tuple[tuple[str, int], ...]] = {
    "bedroom": (("garment", 90), ("clothes_heap", 55), ("shoes", 60), ("garment", 55), ("backpack", 30), ("book", 35)),
    "child": (("bricks", 95), ("garment", 75), ("toy", 80), ("bricks", 60), ("teddy_bear", 50), ("ball", 60),
        ("toy", 55), ("clothes_heap", 35)),
    "living room": (("bricks", 35), ("garment", 40), ("shoes", 35), ("parcel", 35), ("bag", 35), ("charger", 35)),
    "bathroom": (("garment", 65), ("clothes_heap", 35)),
    "hallway": (("shoes", 80), ("parcel", 60), ("bag", 55), ("shoes", 60), ("backpack", 45)),
    "laundry room": (("clothes_heap", 95), ("garment", 60)),
    "kitchen": (("bag", 55), ("parcel", 30)),
    "study": (("parcel", 45), ("paper_stack", 55), ("charger", 45), ("bag", 30)),
    "dining room": (("bag", 35), ("parcel", 25)),
    "storage room": (("parcel", 95), ("parcel", 80), ("parcel", 60)),
    "office": (("parcel", 45), ("bag", 60), ("backpack", 50)),
    "open office": (("backpack", 80), ("bag", 70), ("backpack", 50), ("parcel", 40)),
    "copy room": (("parcel", 95), ("parcel", 60)),
}  # fmt: skip


def leave(carriers: Carriers, kind: str, stream: Stream) -> None:
    """Puts what was not put away onto the furniture and the floor of a room that is dressed as `kind`."""
    space, mess = carriers.space, carriers.stock.mess
    for index, item in enumerate(list(space.items)):
        if item.support == "floor" and _may_hold(space, item):
            soft = item.category in _SOFT
            wishes = _SOFT[item.category] if soft else _LEFT_ON.get(item.category, ())
            seat = (350, 900) if item.category == "bed" else _SEAT
            carriers.wish(index, _ease(wishes, mess), seat if soft else (300, 1350), 3)
    for name, chance in _DROPPED.get(kind, ()):
        if stream.chance(chance * mess // 100):
            _drop(space, carriers.stock, name, stream)


def _ease(wishes: Sequence[Wish], mess: int) -> list[Wish]:
    return [(name, chance * mess // 100, where) for name, chance, where in wishes]


def _may_hold(space: Space, item: Item) -> bool:
    """Of chairs only those with space before their back: others are pushed under tables."""
    return item.category != "chair" or item.size[0] > 0.6


def _drop(space: Space, stock: Stock, name: str, stream: Stream) -> None:
    """Somewhere on the floor where it is in nobody's way."""
    made, r = stock.take(name, stream), space.rect
    for _ in range(8):
        x, z = r.x0 + stream.below(max(1, r.width)), r.z0 + stream.below(max(1, r.depth))
        spot = Spot(made, x, z, stream.below(4))
        if space.fits(spot):
            space.put(spot)
            return
