"""Small things for a room whose large ones stand: on tables and shelves, on the floor by the walls, at the table's
places, on desks in use. What hangs and is fastened is in nav_eval_worlds.things.walls.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.things.carriers import Carriers, Wish, inward
from nav_eval_worlds.things.catalogue import Stock
from nav_eval_worlds.things.lived_in import leave
from nav_eval_worlds.things.walls import dress_walls

OFFICES = frozenset(("office", "open office", "meeting room", "break room", "reception", "copy room"))
_EATING = frozenset(("dining room", "kitchen", "break room"))
_CHILD = 1.1
"""Beds narrower than this (metres) are a child's."""

_ON: dict[str, tuple[Wish, ...]] = {
    "nightstand": (
        ("alarm_clock", 60, "back"), ("book", 55, "any"), ("drinking_glass", 45, "any"), ("phone", 45, "front"),
        ("photo_frame", 35, "back"), ("tissue_box", 30, "any"), ("candle", 20, "any"),
    ),
    "chest_of_drawers": (
        ("photo_frame", 80, "back"), ("candle", 60, "any"), ("figurine", 50, "back"), ("book", 60, "any"),
        ("cactus", 45, "back"), ("photo_frame", 50, "any"), ("tray", 30, "middle"), ("hair_dryer", 25, "any"),
        ("toiletry", 40, "back"), ("radio", 20, "back"), ("hat", 25, "any"),
    ),
    "counter": (
        ("microwave", 45, "back"), ("kettle", 90, "back"), ("toaster", 75, "back"), ("coffee_machine", 55, "back"),
        ("dish_rack", 60, "middle"), ("knife_block", 75, "back"), ("cutting_board", 75, "middle"),
        ("paper_towel", 60, "back"), ("utensils", 75, "back"), ("jar", 80, "back"), ("jar", 80, "back"),
        ("jar", 60, "back"), ("bottle", 75, "back"), ("bottle", 55, "back"), ("fruit", 50, "any"),
        ("food_box", 55, "back"), ("teapot", 40, "any"), ("blender", 35, "back"), ("mug", 75, "any"),
        ("mug", 60, "any"), ("soap_dispenser", 75, "back"), ("pan", 45, "any"), ("plate", 40, "any"),
        ("radio", 20, "back"),
    ),
    "sink": (
        ("soap_dispenser", 85, "back"), ("toothbrush_cup", 85, "back"), ("toiletry", 80, "back"),
        ("toiletry", 65, "any"), ("soap", 50, "front"), ("tissue_box", 35, "any"), ("hair_dryer", 30, "any"),
        ("drinking_glass", 35, "back"), ("toiletry", 45, "any"), ("cactus", 20, "back"),
    ),
    "toilet": (("tissue_box", 25, "any"), ("toiletry", 35, "any"), ("candle", 25, "any"), ("cactus", 20, "any")),
    "washing_machine": (
        ("detergent", 80, "back"), ("detergent", 60, "back"), ("laundry", 60, "any"), ("folded_towel", 55, "any"),
        ("iron", 25, "any"),
    ),
    "printer": (("paper_stack", 60, "any"), ("stapler", 40, "any")),
    "refrigerator": (("food_box", 45, "front"), ("basket", 30, "any"), ("food_box", 35, "front")),
    "bookshelf": (
        ("photo_frame", 70, "any"), ("figurine", 60, "any"), ("candle", 45, "any"), ("book", 60, "any"),
        ("globe", 40, "any"), ("cactus", 50, "any"), ("alarm_clock", 25, "any"), ("jar", 25, "any"),
        ("board_game", 45, "any"), ("speaker", 25, "any"), ("standing_books", 60, "any"),
    ),
    "shelf": (
        ("paint_can", 50, "any"), ("toolbox", 45, "any"), ("jar", 60, "any"), ("jar", 50, "any"),
        ("detergent", 50, "any"), ("bucket", 25, "any"), ("bottle", 45, "any"), ("board_game", 35, "any"),
        ("food_box", 50, "any"), ("folded_towel", 35, "any"), ("folder", 40, "any"), ("crate", 35, "any"),
    ),
    "fireplace": (
        ("candle", 80, "any"), ("photo_frame", 75, "any"), ("figurine", 60, "any"), ("candle", 50, "any"),
        ("alarm_clock", 40, "middle"), ("photo_frame", 40, "any"), ("cactus", 30, "any"),
    ),
    "piano": (("photo_frame", 70, "any"), ("book", 50, "any"), ("candle", 40, "any"), ("figurine", 40, "any")),
    "cupboard": (
        ("plate", 60, "any"), ("plate", 50, "any"), ("teapot", 50, "any"), ("jar", 60, "any"), ("mug", 60, "any"),
        ("drinking_glass", 60, "any"), ("tray", 40, "any"), ("bottle", 40, "any"), ("candle", 40, "any"),
    ),
    "bench": (("cushion", 40, "any"), ("bag", 30, "any"), ("hat", 25, "any"), ("magazine", 25, "any")),
    "shower": (("toiletry", 80, "back"), ("toiletry", 60, "back")),
}  # fmt: skip
_ON_AT_WORK: dict[str, tuple[Wish, ...]] = {
    "sink": (("soap_dispenser", 95, "back"), ("tissue_box", 50, "any"), ("paper_towel", 70, "back"),
        ("cactus", 30, "back")),
    "toilet": (),
    "bookshelf": (
        ("folder", 90, "any"), ("folder", 80, "any"), ("standing_books", 80, "any"), ("standing_books", 60, "any"),
        ("paper_tray", 45, "any"), ("cactus", 50, "any"), ("photo_frame", 35, "any"), ("globe", 25, "any"),
        ("speaker", 20, "any"), ("folder", 60, "any"), ("book", 60, "any"),
    ),
    "bench": (("bag", 50, "any"), ("magazine", 45, "any"), ("cushion", 30, "any")),
}  # fmt: skip
"""Where an office's list is its own."""
_CABINETS: dict[str, tuple[Wish, ...]] = {
    "living room": (
        ("speaker", 65, "back"), ("speaker", 45, "back"), ("game_console", 55, "front"), ("photo_frame", 60, "back"),
        ("candle", 45, "any"), ("book", 45, "any"), ("record_player", 25, "middle"), ("remote_control", 40, "front"),
        ("cactus", 40, "back"), ("router", 35, "back"), ("figurine", 35, "any"),
    ),
    "dining room": (
        ("candle", 75, "back"), ("tray", 50, "middle"), ("bottle", 55, "back"), ("photo_frame", 50, "back"),
        ("teapot", 40, "any"), ("plate", 40, "any"), ("radio", 30, "back"), ("candle", 40, "any"),
        ("drinking_glass", 50, "any"), ("drinking_glass", 50, "any"), ("fruit", 35, "any"),
    ),
    "office": (
        ("desk_printer", 45, "middle"), ("folder", 70, "back"), ("paper_stack", 70, "any"), ("cactus", 40, "back"),
        ("paper_tray", 40, "any"), ("mug", 30, "any"), ("telephone", 25, "any"), ("folder", 40, "back"),
    ),
}  # fmt: skip
_HALL_TABLE: tuple[Wish, ...] = (
    ("photo_frame", 55, "back"), ("candle", 40, "any"), ("tray", 50, "any"), ("hat", 35, "any"), ("phone", 30, "any"),
    ("magazine", 40, "any"), ("telephone", 30, "any"), ("router", 25, "back"), ("figurine", 35, "back"),
    ("bag", 25, "any"),
)  # fmt: skip
_COFFEE_TABLE: tuple[Wish, ...] = (
    ("magazine", 70, "any"), ("remote_control", 80, "any"), ("mug", 65, "any"), ("book", 60, "any"),
    ("candle", 50, "any"), ("mug", 45, "any"), ("open_book", 25, "any"), ("tray", 25, "any"),
    ("drinking_glass", 35, "any"), ("board_game", 20, "any"), ("phone", 30, "any"), ("headphones", 20, "any"),
)  # fmt: skip
_DESK: tuple[Wish, ...] = (
    ("pen_pot", 85, "back"), ("paper_stack", 75, "any"), ("notebook", 60, "front"), ("mug", 65, "any"),
    ("phone", 40, "front"), ("headphones", 35, "any"), ("folder", 40, "back"), ("book", 45, "any"),
    ("photo_frame", 40, "back"), ("stapler", 35, "any"), ("calculator", 25, "any"), ("tablet", 20, "any"),
    ("cactus", 30, "back"), ("speaker", 20, "back"),
)  # fmt: skip
_OFFICE_DESK: tuple[Wish, ...] = (("telephone", 75, "any"), ("paper_tray", 50, "any"), *_DESK)
_FLOOR: dict[str, tuple[Wish, ...]] = {
    "bedroom": (
        ("floor_mirror", 40, "corner"), ("shoes", 75, "any"), ("shoes", 45, "any"), ("basket", 45, "corner"),
            ("bag", 40, "any"), ("bin", 40, "corner"),
        ("guitar", 22, "corner"), ("pouf", 25, "any"), ("suitcase", 22, "corner"), ("fan", 20, "corner"),
        ("backpack", 35, "any"), ("yoga_mat", 20, "corner"), ("dumbbell", 18, "any"), ("book", 30, "any"),
    ),
    "child": (
        ("toy_chest", 80, "any"), ("toy", 85, "any"), ("toy", 80, "any"), ("toy", 60, "any"), ("ball", 70, "corner"),
        ("teddy_bear", 70, "any"), ("board_game", 45, "any"), ("backpack", 60, "any"), ("shoes", 60, "any"),
        ("pouf", 40, "any"), ("toy", 50, "any"),
    ),
    "living room": (
        ("basket", 60, "corner"), ("pouf", 50, "any"), ("pet_bed", 35, "any"), ("cat_tree", 25, "corner"),
        ("guitar", 25, "corner"), ("toy", 35, "any"), ("speaker", 35, "corner"), ("ball", 20, "corner"),
        ("book", 40, "any"), ("scratching_post", 15, "corner"), ("fan", 18, "corner"), ("toy", 25, "any"),
        ("bag", 25, "any"),
    ),
    "kitchen": (
        ("bin", 95, "corner"), ("pet_bowl", 40, "any"), ("crate", 40, "any"), ("broom", 35, "corner"),
        ("bag", 35, "any"), ("step_ladder", 20, "any"), ("bucket", 20, "corner"),
    ),
    "dining room": (("bench", 35, "any"), ("crate", 40, "corner"), ("basket", 40, "corner"),
        ("speaker", 30, "corner"), ("pouf", 20, "any")),
    "bathroom": (
        ("towel_rack", 55, "any"), ("toilet_brush", 90, "any"), ("bin", 75, "any"), ("scale", 65, "any"),
            ("basket", 50, "corner"),
        ("bucket", 18, "corner"),
    ),
    "study": (
        ("bin", 95, "any"), ("book", 60, "any"), ("backpack", 45, "any"), ("guitar", 25, "corner"),
        ("folder", 35, "any"), ("speaker", 30, "corner"), ("fan", 25, "corner"), ("pet_bed", 20, "corner"),
        ("yoga_mat", 20, "corner"),
    ),
    "laundry room": (
        ("ironing_board", 75, "corner"), ("bucket", 70, "corner"), ("broom", 60, "corner"), ("laundry", 55, "any"),
        ("vacuum_cleaner", 45, "corner"), ("step_ladder", 30, "any"), ("detergent", 40, "any"), ("bin", 40, "any"),
    ),
    "storage room": (
        ("vacuum_cleaner", 75, "corner"), ("step_ladder", 65, "any"), ("broom", 65, "corner"), ("toolbox", 65, "any"),
        ("paint_can", 75, "any"), ("suitcase", 65, "any"), ("crate", 60, "any"), ("bucket", 50, "any"),
        ("ball", 35, "corner"), ("fan", 30, "corner"), ("ironing_board", 35, "corner"), ("crate", 40, "any"),
    ),
    "hallway": (
        ("shoe_rack", 60, "any"), ("bench", 50, "any"), ("floor_mirror", 25, "corner"), ("shoes", 85, "any"),
        ("shoes", 75, "any"), ("umbrella_stand", 60, "corner"), ("shoes", 50, "any"),
        ("bag", 40, "any"), ("backpack", 40, "any"), ("umbrella", 30, "corner"), ("pet_bed", 15, "corner"),
        ("suitcase", 15, "corner"), ("shoes", 35, "any"),
    ),
    "office": (("bin", 95, "any"), ("bag", 60, "any"), ("backpack", 45, "any"), ("folder", 40, "any"),
        ("umbrella", 30, "corner")),
    "open office": (
        ("bin", 95, "any"), ("bin", 80, "any"), ("water_dispenser", 80, "any"), ("bag", 70, "any"),
        ("backpack", 60, "any"), ("umbrella_stand", 50, "corner"), ("crate", 30, "any"),
    ),
    "meeting room": (("bin", 80, "corner"), ("bag", 40, "any"), ("water_dispenser", 30, "corner")),
    "break room": (("bin", 95, "corner"), ("bin", 60, "any"), ("water_dispenser", 70, "any"), ("crate", 30, "any")),
    "reception": (("umbrella_stand", 80, "corner"), ("bin", 70, "corner"), ("water_dispenser", 60, "corner"),
        ("suitcase", 40, "any")),
    "copy room": (("bin", 95, "any"), ("crate", 60, "any"), ("paper_stack", 60, "any"), ("step_ladder", 40, "any")),
    "office bathroom": (("bin", 95, "corner"), ("toilet_brush", 95, "any"), ("toilet_brush", 60, "any"),
        ("bucket", 15, "corner")),
    "office hallway": (
        ("bin", 75, "corner"), ("water_dispenser", 45, "any"), ("umbrella_stand", 50, "corner"), ("crate", 20, "any"),
    ),
}  # fmt: skip


def dress(space: Space, stock: Stock, stream: Stream) -> None:
    """Puts small things into a furnished room: they block no way, and stand within what carries them."""
    carriers = Carriers(space, stock, stream.child("on"))
    for index, item in enumerate(list(space.items)):
        if item.support == "floor":
            _RULES.get(item.category, _dress_by_list)(carriers, index, item)
    leave(carriers, _kind(space), stream.child("mess"))
    _floor(space, stock, stream.child("floor"))
    dress_walls(carriers, stream.child("walls"))


_SPACIOUS = 13_000_000
"""Square millimetres from which a room is large."""
_ONCE = frozenset(
    ("towel_rack", "toilet_brush", "scale", "shoe_rack", "bench", "bin", "toy_chest", "pet_bed", "pet_bowl",
     "water_dispenser", "step_ladder")
)  # fmt: skip


Rule = Callable[[Carriers, int, Item], None]


def _dress_by_list(carriers: Carriers, index: int, item: Item) -> None:
    """What the list has for a category; on shelves at any height."""
    at_work = carriers.space.plan.kind == "office"
    wishes = (_ON | _ON_AT_WORK if at_work else _ON).get(item.category)
    if wishes and carriers.space.room.type == "reception" and item.category == "counter":
        wishes = (("keyboard", 100, "middle"), *_OFFICE_DESK)
    if wishes:
        shelves = item.category in ("bookshelf", "shelf", "shower", "refrigerator", "cupboard")
        carriers.wish(index, wishes, (60, 1950) if shelves else (300, 1350))


def _cabinet(carriers: Carriers, index: int, item: Item) -> None:
    kind = carriers.space.room.type
    carriers.wish(index, _CABINETS.get("office" if kind in OFFICES or kind == "study" else kind, _HALL_TABLE))


def _table(carriers: Carriers, index: int, item: Item) -> None:
    kind, seats = carriers.space.room.type, _seats(carriers, item)
    if kind in _EATING and seats:
        if carriers.stream.chance(65):
            _lay_table(carriers, index, seats)
        carriers.wish(
            index, (("fruit", 40, "middle"), ("candle", 40, "middle"), ("bottle", 40, "middle"), ("mug", 45, "any"))
        )
    elif kind == "meeting room":
        for x, z, turn in seats:
            name = carriers.stream.choice(("notebook", "paper_stack", "tablet", "notebook"))
            if carriers.stream.chance(70):
                carriers.lay(index, name, *_inside(item, x, z, turn, 190, 0), turn)
            if carriers.stream.chance(50):
                carriers.lay(
                    index, carriers.stream.choice(("mug", "drinking_glass")), *_inside(item, x, z, turn, 260, 200), turn
                )
    else:
        carriers.wish(index, _HALL_TABLE if kind in ("hallway", "foyer") else _COFFEE_TABLE)


def _seats(carriers: Carriers, table: Item) -> list[tuple[int, int, int]]:
    """Of each chair at a table: its place in the table's frame, and the quarter turn of one who sits on it."""
    out = []
    w, d = (round(table.size[k] * 500) for k in (0, 2))
    for item in carriers.space.items:
        if item.category == "chair":
            x, z = inward(table, item.at)
            if abs(x) < w + 500 and abs(z) < d + 500:
                across = abs(x) - w > abs(z) - d
                out.append((x, z, (1 if x > 0 else 3) if across else (0 if z > 0 else 2)))
    return out


def _inside(item: Item, x: int, z: int, turn: int, deep: int, right: int) -> tuple[int, int]:
    """A place on a table before one who sits at (x, z): `deep` mm from the edge, `right` mm to the right."""
    w, d = (round(item.size[k] * 500) for k in (0, 2))
    return {
        0: (x + right, d - deep), 2: (x - right, deep - d), 1: (w - deep, z - right), 3: (deep - w, z + right),
    }[turn]  # fmt: skip


def _lay_table(carriers: Carriers, index: int, seats: list[tuple[int, int, int]]) -> None:
    item = carriers.space.items[index]
    for x, z, turn in seats:
        for name, deep, right in (("plate", 170, 0), ("cutlery", 170, -190), ("drinking_glass", 300, 170)):
            carriers.lay(index, name, *_inside(item, x, z, turn, deep, right), turn)


def _desk(carriers: Carriers, index: int, item: Item) -> None:
    """A keyboard and a mouse before the screen, and what gathers round them."""
    for other in carriers.space.items:
        if other.on == index and other.category == "tv_monitor":
            x, z = inward(item, other.at)
            if carriers.lay(index, "keyboard", x, z + 270):
                carriers.lay(index, "mouse", x + 340, z + 280) or carriers.lay(index, "mouse", x - 340, z + 280)
            break
    office = carriers.space.room.type in OFFICES
    carriers.wish(index, _OFFICE_DESK if office else _DESK)


def _bed(carriers: Carriers, index: int, item: Item) -> None:
    child = item.size[0] < _CHILD
    if carriers.stream.chance(65):
        carriers.put(index, "blanket", "front", (350, 900))
    soft: tuple[Wish, ...] = (
        ("teddy_bear", 85 if child else 8, "any"), ("book", 40, "any"), ("cushion", 55, "any"), ("tablet", 20, "any"),
        ("laundry", 25, "any"), ("bag", 15, "any"), ("toy", 40 if child else 0, "any"), ("open_book", 20, "any"),
    )  # fmt: skip
    carriers.wish(index, soft, (350, 900), 3)


def _sofa(carriers: Carriers, index: int, item: Item) -> None:
    soft: tuple[Wish, ...] = (
        ("cushion", 65, "back"), ("cushion", 40, "back"), ("blanket", 40, "any"), ("remote_control", 25, "any"),
        ("magazine", 30, "any"), ("book", 25, "any"), ("teddy_bear", 15, "any"),
    )  # fmt: skip
    carriers.wish(index, soft, (300, 600), 3)


def _chair(carriers: Carriers, index: int, item: Item) -> None:
    """Armchairs only: others may be pushed under a table."""
    if item.size[0] > 0.72:
        carriers.wish(index, (("cushion", 55, "back"), ("book", 20, "any"), ("bag", 15, "any")), (300, 600), 1)


_RULES: dict[str, Rule] = {
    "desk": _desk, "table": _table, "cabinet": _cabinet, "bed": _bed, "sofa": _sofa, "chair": _chair,
}  # fmt: skip


def _kind(space: Space) -> str:
    """What a room is dressed as: a bedroom with a small bed is a child's."""
    kind = space.use
    if kind == "bedroom" and any(
        item.category == "cot" or (item.category == "bed" and item.size[0] < _CHILD) for item in space.items
    ):
        kind = "child"
    return kind


def _floor(space: Space, stock: Stock, stream: Stream) -> None:
    """Along the walls, where the walkway stays free; in large rooms more of what may stand there twice."""
    wishes = _FLOOR.get(_kind(space), ())
    more = [(name, chance // 2, where) for name, chance, where in wishes if where == "any" and name not in _ONCE]
    large = space.rect.width * space.rect.depth > _SPACIOUS
    for name, chance, where in (*wishes, *(more if large else ())):
        if stream.chance(chance):
            space.against_wall(stock.take(name, stream), front=0, where=where, tries=8)
