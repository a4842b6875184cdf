"""All makers of small things, their variants, and who may have which.

A variant is a shape: "mug-3". It belongs to train, val or test for good (of a maker's variants, ordered by a hash of
their names, the first is for val, the second for test, three for train, and so on), so that homes of one split hold
no object of another. A home has few variants of a kind: its mugs, switches and sockets match.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.shares import Assets
from nav_eval_worlds.things import belongings, fixtures, kitchenware, mess, pastimes, stationery, washroom
from nav_eval_worlds.things.sketch import Shape

Maker = Callable[[Shape, Stream], Made]
_DEALT = ("val", "test", "train", "train", "train")

MAKERS: dict[str, Maker] = {
    function.__name__.rstrip("_"): function
    for function in (
        kitchenware.mug, kitchenware.plate, kitchenware.drinking_glass, kitchenware.cutlery, kitchenware.kettle,
        kitchenware.toaster, kitchenware.microwave, kitchenware.coffee_machine, kitchenware.teapot,
        kitchenware.knife_block, kitchenware.cutting_board, kitchenware.pan, kitchenware.jar, kitchenware.bottle,
        kitchenware.fruit, kitchenware.utensils, kitchenware.dish_rack, kitchenware.paper_towel, kitchenware.food_box,
        kitchenware.blender, kitchenware.tray,
        washroom.soap_dispenser, washroom.soap, washroom.toothbrush_cup, washroom.toiletry, washroom.toilet_paper,
        washroom.toilet_brush, washroom.scale, washroom.folded_towel, washroom.hung_towel, washroom.tissue_box,
        washroom.hair_dryer, washroom.vacuum_cleaner, washroom.ironing_board, washroom.broom, washroom.bucket,
        washroom.detergent, washroom.iron, washroom.laundry,
        pastimes.book, pastimes.open_book, pastimes.standing_books, pastimes.magazine, pastimes.remote_control,
        pastimes.game_console, pastimes.speaker, pastimes.radio, pastimes.record_player, pastimes.candle,
        pastimes.photo_frame, pastimes.figurine, pastimes.globe, pastimes.alarm_clock, pastimes.cactus,
        pastimes.board_game, pastimes.guitar, pastimes.fan, pastimes.cushion, pastimes.blanket, pastimes.teddy_bear,
        pastimes.toy, pastimes.ball, pastimes.toy_chest,
        stationery.keyboard, stationery.mouse, stationery.headphones, stationery.phone, stationery.tablet,
        stationery.telephone, stationery.paper_stack, stationery.paper_tray, stationery.folder, stationery.pen_pot,
        stationery.notebook, stationery.calculator, stationery.stapler, stationery.desk_printer, stationery.router,
        stationery.bin_, stationery.water_dispenser,
        belongings.shoes, belongings.backpack, belongings.bag, belongings.suitcase, belongings.umbrella_stand,
        belongings.umbrella, belongings.doormat, belongings.hat, belongings.pet_bed, belongings.pet_bowl,
        belongings.cat_tree, belongings.scratching_post, belongings.dumbbell, belongings.yoga_mat, belongings.pouf,
        belongings.step_ladder, belongings.paint_can, belongings.toolbox, belongings.crate, belongings.coat_hooks,
        belongings.basket_, belongings.shoe_rack, belongings.bench, belongings.floor_mirror, belongings.towel_rack,
        mess.garment, mess.clothes_heap, mess.dishes, mess.letters, mess.charger, mess.parcel, mess.bricks, mess.laptop,
        fixtures.radiator, fixtures.light_switch, fixtures.socket, fixtures.thermostat, fixtures.wall_clock,
        fixtures.wall_mirror, fixtures.wall_shelf, fixtures.calendar, fixtures.poster, fixtures.pin_board,
        fixtures.wall_hanging, fixtures.gallery, fixtures.bathrobe, fixtures.key_rack, fixtures.vent,
            fixtures.intercom, fixtures.fire_extinguisher,
        fixtures.first_aid_kit, fixtures.smoke_detector, fixtures.ceiling_vent, fixtures.sprinkler, fixtures.blind,
    )
}  # fmt: skip
FIXED = frozenset(
    ("radiator", "light_switch", "socket", "smoke_detector", "vent", "ceiling_vent", "sprinkler", "thermostat", "blind",
     "plate", "drinking_glass", "cutlery", "toilet_paper", "keyboard", "mouse", "telephone", "fire_extinguisher")
)  # fmt: skip
"""Of these a home has one variant only: they were bought together."""


_MANY = frozenset(
    ("cactus", "figurine", "candle", "jar", "photo_frame", "book", "standing_books", "toiletry", "bottle", "toy",
     "garment", "parcel", "mug", "cushion")
)  # fmt: skip
"""Of these it has six: they were bought one by one."""
_RARE = {"cactus": 4, "globe": 1, "record_player": 1, "guitar": 1, "teddy_bear": 4, "teapot": 2, "figurine": 8}
"""How many of these a building has at most on its furniture and sills."""


_AT_WORK = {
    "candle": "cactus", "figurine": "pen_pot", "toy": "notebook", "teddy_bear": "cushion", "alarm_clock": "stapler",
    "radio": "speaker", "record_player": "router", "game_console": "router", "board_game": "folder", "hat": "notebook",
    "blanket": "magazine", "laundry": "bag", "clothes_heap": "bag", "shoes": "bag",
    "toothbrush_cup": "soap_dispenser", "hair_dryer": "tissue_box", "toiletry": "tissue_box",
    "folded_towel": "paper_towel", "bathrobe": "hung_towel", "wall_hanging": "pin_board",
}  # fmt: skip
"""What an office has in place of what only homes have."""


@cache
def numbers(name: str, assets: Assets = "all") -> tuple[int, ...]:
    """The variants of a maker that a split may have."""
    shape = Shape(0)
    MAKERS[name](shape, Stream("count"))
    if assets == "all":
        return tuple(range(shape.count))
    ordered = sorted(range(shape.count), key=lambda k: hashlib.sha256(f"{name}-{k}".encode()).digest())
    return tuple(sorted(k for place, k in enumerate(ordered) if assets == _DEALT[place % len(_DEALT)]))


def variants(assets: Assets = "all") -> tuple[str, ...]:
    """The names of all variants, or of those of one split."""
    return tuple(f"{name}-{k}" for name in MAKERS for k in numbers(name, assets))


@dataclass
class Stock:
    """What one home or office has of each thing; `mess`: how much of it lies about, in percent."""

    stream: Stream
    assets: Assets = "all"
    kind: Kind = "home"
    mess: int = 50
    _made: dict[tuple[str, int], Made] = field(default_factory=dict)
    _placed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.mess = self.stream.child("mess").choice((35, 55, 75, 90, 100, 100))

    def spend(self, name: str) -> bool:
        """Whether the building may have one more of what it has few of; it counts as placed."""
        name = self._fit(name)
        self._placed[name] += 1
        return self._placed[name] <= _RARE.get(name, 1 << 30)

    def _fit(self, name: str) -> str:
        """The thing, or what an office has in its place."""
        return _AT_WORK.get(name, name) if self.kind == "office" else name

    def take(self, name: str, stream: Stream) -> Made:
        """One of the building's pieces of a kind, or its only one."""
        name = self._fit(name)
        pieces = 1 if name in FIXED else 6 if name in _MANY else 3
        piece = stream.below(pieces)
        if (name, piece) not in self._made:
            number, look = self.variant(name, piece)
            self._made[name, piece] = replace(MAKERS[name](Shape(number), look), variant=f"{name}-{number}")
        return self._made[name, piece]

    def variant(self, name: str, piece: int = 0) -> tuple[int, Stream]:
        """The number and the colours of one piece of the home."""
        look = self.stream.child(name, piece)
        return look.choice(numbers(name, self.assets)), look
