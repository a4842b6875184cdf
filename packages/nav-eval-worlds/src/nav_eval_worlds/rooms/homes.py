"""What stands in the rooms of a home, in the order in which it is tried: large and defining things first.

Every rule may fail to find a place and then leaves the thing out; the defining objects (a bed, a toilet, a kitchen
line) are tried in smaller sizes first before that.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture import bath, beds, chairs, decor, grand, kitchen, lamps, plants, sofas, storage, tables
from nav_eval_worlds.furniture.made import Made, askew
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import OPPOSITE, Rect
from nav_eval_worlds.rooms.groups import (
    across,
    chair_before,
    desk_and_chair,
    floor_area,
    greenery,
    pictures,
    reading_group,
    release,
    rug,
    smaller,
    table_before,
)
from nav_eval_worlds.rooms.space import Space, Spot

_HEARTHS = frozenset(("classic", "rustic", "coastal"))
_LARGE = 24_000_000
"""Square millimetres from which a room has something in its middle, too."""


def bedroom(space: Space, stream: Stream) -> None:
    style = space.style
    widths = (1.6, 1.4, 0.95) if stream.chance(70) else (0.95,)
    bed = smaller(space, (beds.bed(stream, style, w) for w in widths), front=600, where="middle")
    single = beds.panel_bed(stream, 0.95)
    bed = bed or space.against_wall(single, front=300) or space.against_wall(single, front=0)
    bed = bed or space.in_middle(single, stream.below(4))
    if bed:
        _beside_bed(space, stream, bed)
    smaller(space, (storage.wardrobe(stream, style) for _ in range(3)), front=650, where="corner")
    if stream.chance(65):
        space.against_wall(storage.dresser(stream, style), front=550)
    if stream.chance(45):
        desk_and_chair(space, stream, False)
    greenery(space, stream, 60)
    if stream.chance(35):
        space.against_wall(sofas.armchair(stream, style), front=300, where="corner")
        space.against_wall(lamps.floor_lamp(stream, style), front=0, where="corner")
    if stream.chance(35):
        space.against_wall(grand.mirror(stream, style), front=400)
    extras = (None, None, grand.bench(stream), grand.exercise_bike(stream), beds.cot(stream))
    extra = stream.choice((*extras, storage.bookshelf(stream, style)))
    if extra:
        space.against_wall(extra, front=500 if extra.category == "bookshelf" else 300)
    if stream.chance(30):
        space.against_wall(grand.cupboard_door(stream), front=500)
    pictures(space, stream, 2)


def _beside_bed(space: Space, stream: Stream, bed: Spot) -> None:
    """Nightstands of one kind left and right, a picture above, a rug and perhaps a bench at the foot."""
    stand = tables.nightstand(stream)
    for sign in (1, -1):
        left = sign * int((bed.made.size[0] + stand.size[0]) * 500 + 25)
        space.stand(stand, *bed.point(left, -int((bed.made.size[2] - stand.size[2]) * 500)), bed.turn)
    if stream.chance(75):
        space.hang(decor.picture(stream, 0.9), 1400, near=bed)
    if bed.made.size[2] > 1.5:
        rug(space, stream, bed.made.size[0] + 1.0, 1.7, bed.point(ahead=500), bed.turn)
    if bed.made.size[0] > 1.3 and stream.chance(35):
        seat = grand.bench(stream, 1.2)
        release(space, bed)
        space.stand(seat, *bed.point(ahead=int((bed.made.size[2] + seat.size[2]) * 500 + 30)), bed.turn)


def living_room(space: Space, stream: Stream) -> None:
    style, large = space.style, floor_area(space) > _LARGE
    hearth = None
    if stream.chance(60 if style.name in _HEARTHS else 15):
        hearth = space.against_wall(
            grand.fireplace(stream, style, space.room.ceiling / 1000), front=900, where="middle"
        )
    makes = [sofas.sofa(stream, style, n) for n in (3, 2)]
    across = OPPOSITE[hearth.side] if hearth and stream.chance(50) else ""
    sofa = smaller(space, makes, sides=across, front=1500, where="middle") if across else None
    sofa = sofa or smaller(space, makes, front=1500, where="middle") or smaller(space, makes, front=500)
    sofa = sofa or space.in_middle(makes[1], stream.below(4)) or space.in_middle(makes[1], stream.below(4))
    if sofa:
        _sofa_group(space, stream, sofa)
        if sofa.side:
            space.hang(decor.picture(stream, 1.1), 1350, near=sofa)
    if large:
        _second_group(space, stream)
    space.against_wall(storage.bookshelf(stream, style), front=500, where="corner")
    space.against_wall(sofas.armchair(stream, style), front=400, where="corner")
    if large or stream.chance(40):
        space.against_wall(storage.sideboard(stream, style), front=500)
    if large:
        space.against_wall(storage.bookshelf(stream, style), front=500)
    greenery(space, stream, 95)
    space.against_wall(lamps.floor_lamp(stream, style), front=0, where="corner")
    if stream.chance(12):
        space.against_wall(grand.aquarium(stream), front=400)
    if stream.chance(20):
        space.against_wall(grand.mirror(stream, style), front=300)
    pictures(space, stream, 3)
    greenery(space, stream, 60)
    greenery(space, stream, 40)


def _sofa_group(space: Space, stream: Stream, sofa: Spot) -> None:
    """Coffee table and rug before the sofa, chairs across or at its sides, the television across or to the side."""
    low, at = table_before(space, stream, sofa)
    rug(space, stream, sofa.made.size[0] * 0.95 + 0.3, 1.9, at, sofa.turn)
    _television(space, stream, sofa)
    if low and stream.chance(65):
        across(space, stream, low)


def _television(space: Space, stream: Stream, sofa: Spot) -> None:
    stand = storage.tv_stand(stream, space.style)
    if ("wall_screen" in space.style.likes and stream.chance(60)) or stream.chance(12):
        bare = storage.plinth_sideboard(stream)
        stand = Made(bare.category, bare.model, bare.size, (), bare.design)
    spot = None
    if sofa.side:
        side = OPPOSITE[sofa.side]
        spot = space.spot_at(stand, side, sofa.x if sofa.side in "ns" else sofa.z)
        spot = space.put(spot, 500) if space.fits(spot, 500) else space.against_wall(stand, sides=side, front=500)
    spot = spot or space.against_wall(stand, front=500)
    if spot and not stand.on:
        space.hang(storage.wall_screen(stream), 1000, near=spot)


def _second_group(space: Space, stream: Stream) -> None:
    """What stands in the middle of a large room that has space left: to eat, to play, to read."""
    kinds = ["dining", "dining", "reading", "reading", "piano", "pool", "plants"]
    for kind in stream.shuffled(kinds)[:3]:
        if kind == "dining" and _dining_group(space, stream):
            return
        if kind == "reading" and reading_group(space, stream):
            return
        if kind == "piano":
            made = grand.piano(stream, space.style)
            spot = space.amid(made, stream.below(4)) if made.size[2] > 1 else space.against_wall(made, front=700)
            if spot:
                seat = grand.piano_stool(stream)
                if spot.side:
                    release(space, spot)
                space.stand(seat, *spot.point(ahead=int((made.size[2] + seat.size[2]) * 500 + 60)), spot.turn + 2)
                return
        if kind == "pool" and space.amid(grand.pool_table(stream), stream.below(2)):
            return
        if kind == "plants":
            for _ in range(2):
                space.amid(plants.plant(stream, space.style), 0, 700)


def kitchen_room(space: Space, stream: Stream) -> None:
    r, style = space.rect, space.style
    look = kitchen.fitted(stream, style, space.room.ceiling / 1000)
    sizes = [w for w in (4.2, 3.6, 3.0, 2.4, 1.8, 1.2) if w * 1000 < max(r.width, r.depth) - 30]
    tall = (kitchen.kitchen_line(stream, look, w) for w in sizes if w > 2.0)
    low = (kitchen.kitchen_line(stream, look, w, low=True) for w in sizes)
    cold = kitchen.fridge(stream, style)
    fridge = space.against_wall(cold, front=600, where="corner") or space.against_wall(cold, front=450)
    fridge = fridge or space.against_wall(kitchen.low_fridge(stream), front=450, where="corner")
    line = _units(space, chain(tall, low), fridge)
    if line:
        if stream.chance(65):
            _second_run(space, stream, look, line)
        if stream.chance(50):
            space.lay(decor.rug(stream, 1.5, 0.6), *line.point(ahead=int(line.made.size[2] * 500) + 380), line.turn)
    if not (line and _island(space, stream, look, line)) and r.width > 2900 and r.depth > 2900:
        _dining_group(space, stream, small=True)
    if stream.chance(40):
        space.against_wall(storage.sideboard(stream, style), front=500)
    greenery(space, stream, 50)
    pictures(space, stream, 1)


def _units(space: Space, makes: Iterable[Made], fridge: Spot | None) -> Spot | None:
    """The largest units that fit, beside the refrigerator if they can be."""
    for made in makes:
        beside = [] if fridge is None else [_beside(space, made, fridge, sign) for sign in (1, -1)]
        fitting = [spot for spot in beside if space.fits(spot, 700)]
        if fitting:
            return space.put(fitting[0], 700)
        if found := space.against_wall(made, front=700, where="corner"):
            return found
    return None


def _beside(space: Space, made: Made, other: Spot, sign: int) -> Spot:
    """At the same wall, to one side of what stands there."""
    x, z = other.point(sign * int((made.size[0] + other.made.size[0]) * 500 + 25))
    return space.spot_at(made, other.side, x if other.side in "ns" else z)


def _second_run(space: Space, stream: Stream, look: kitchen.Fitted, line: Spot) -> Spot | None:
    """Units along the wall round the corner (an L), or along the wall across (a galley)."""
    r, near = space.rect, line.rect
    release(space, line)
    ends = {"w": near.x0 - r.x0, "e": r.x1 - near.x1, "n": near.z0 - r.z0, "s": r.z1 - near.z1}
    found = None
    for side in sorted(side for side in ends if side not in (line.side, OPPOSITE[line.side])):
        for w in (2.4, 1.8, 1.2):
            if ends[side] > 120 or found:
                continue
            made = kitchen.kitchen_line(stream, look, w, low=True, cooks=False, sinks=False)
            half = int(w * 500) + 15
            low, high = (near.z1, near.z0) if side in "we" else (near.x1, near.x0)
            along = low + half if line.side in "nw" else high - half
            spot = space.spot_at(made, side, along)
            if space.fits(spot, 700):
                found = space.put(spot, 500)
    if found is None and min(r.width, r.depth) > 2700 and stream.chance(50):
        made = kitchen.kitchen_line(stream, look, 1.8, low=True, cooks=False, sinks=False)
        found = space.against_wall(made, sides=OPPOSITE[line.side], front=900)
    zone = space.front_of(line, 500)
    if found:
        taken = found.rect
        zone = Rect(
            max(zone.x0, taken.x1) if found.side == "w" else zone.x0,
            max(zone.z0, taken.z1) if found.side == "n" else zone.z0,
            min(zone.x1, taken.x0) if found.side == "e" else zone.x1,
            min(zone.z1, taken.z0) if found.side == "s" else zone.z1,
        )
    space.reserved.append(zone)
    return found


def _island(space: Space, stream: Stream, look: kitchen.Fitted, line: Spot) -> Spot | None:
    """An island before the line, its stools on the far side."""
    if not stream.chance(75):
        return None
    for w in (2.2, 1.8, 1.4):
        spot = space.amid(kitchen.island(stream, look, w), line.turn, 900)
        if spot:
            made = chairs.stool(stream, space.style)
            count = int(w / 0.62)
            for k in range(count):
                left = int(((2 * k + 1) / (2 * count) - 0.5) * w * 900)
                at = spot.point(left, int(spot.made.size[2] * 500 + 30))
                space.stand(made, *at, spot.turn + 2, under=spot)
            if not any(item.category == "lamp" and _near(item, spot) for item in space.items):
                space.ceiling(lamps.dome_pendant(stream), spot.x, spot.z, spot.turn)
            return spot
    return None


def _near(item: Item, spot: Spot) -> bool:
    """Less than 1.2 m beside each other."""
    return max(abs(item.at[0] - spot.x), abs(item.at[2] - spot.z)) < 1200


def dining_room(space: Space, stream: Stream) -> None:
    style = space.style
    table = _dining_group(space, stream) or _table_at_wall(space, stream) or _table_on_the_way(space, stream)
    x, z = (table.x, table.z) if table else space.rect.centre
    space.ceiling(lamps.pendant(stream, style), x, z, table.turn if table else 0)
    if table:
        rug(space, stream, table.made.size[0] + 1.4, 2.3, (table.x, table.z), table.turn)
    space.against_wall(storage.sideboard(stream, style), front=500, where="middle")
    if stream.chance(45):
        space.against_wall(storage.glass_shelf(stream) if stream.chance(50) else storage.hutch(stream), front=500)
    greenery(space, stream, 80)
    greenery(space, stream, 40)
    if stream.chance(30):
        space.against_wall(tables.console(stream), front=300)
    pictures(space, stream, 3)


def _dining_group(space: Space, stream: Stream, small: bool = False) -> Spot | None:
    """A table with chairs of one kind: long, or round."""
    sizes = ((1.2, 0.8, 2),) if small else ((2.2, 1.0, 6), (1.8, 0.95, 4), (1.4, 0.85, 4), (1.1, 0.75, 2))
    if stream.chance(35):
        table = _round_group(space, stream)
        if table:
            return table
    for w, d, count in sizes:
        table = _table_with_chairs(space, stream, w, d, count, small)
        if table:
            return table
    return None


def _round_group(space: Space, stream: Stream) -> Spot | None:
    spot = space.amid(tables.small_table(stream, space.style), 0, 1100)
    if spot:
        made = chairs.dining_chair(stream, space.style)
        out = int(spot.made.size[0] * 500 + 110)
        for (dx, dz), turn in (((0, 1), 2), ((0, -1), 0), ((1, 0), 3), ((-1, 0), 1)):
            space.stand(made, spot.x + dx * out, spot.z + dz * out, turn, under=spot)
    return spot


def _table_with_chairs(space: Space, stream: Stream, w: float, d: float, count: int, small: bool) -> Spot | None:
    """A table near the room's middle with chairs along its long sides and, if there is room, at its ends."""
    turn = 0 if space.rect.width >= space.rect.depth else 1
    made = tables.dining_table(stream, space.style, w, d)
    spot = space.amid(made, turn, 850) or (space.in_middle(made, turn) if w < 1.5 and not small else None)
    if spot is None:
        return None
    chair, other = chairs.dining_chair(stream, space.style), None
    if w > 1.5 and stream.chance(20):
        other = grand.bench(stream, w * 0.8)
    row = max(1, count // 2)
    for side in (1, -1):
        if other and side == -1:
            _seat_at(space, spot, 0, -int(d * 500 + 40), 0, other, None)
            continue
        for k in range(row):
            along = int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000)
            _seat_at(space, spot, along, side * int(d * 500 + 70), 2 if side == 1 else 0, chair, stream)
    if w > 1.5:
        for side in (1, -1):
            _seat_at(space, spot, side * int(w * 500 + 215), 0, 3 if side == 1 else 1, chair, stream)
    return spot


def _table_at_wall(space: Space, stream: Stream) -> Spot | None:
    """Where the middle of a room is a way through: a small table at a wall, a chair at each free side."""
    for w, d in ((1.1, 0.75), (0.9, 0.65), (0.75, 0.6)):
        made = tables.dining_table(stream, space.style, w, d)
        spot = space.against_wall(made, front=450, where="middle") or space.against_wall(made, front=0)
        if spot:
            release(space, spot, 450)
            chair = chairs.dining_chair(stream, space.style)
            _seat_at(space, spot, 0, int(d * 500 + 70), 2, chair, None)
            for side in (1, -1):
                _seat_at(space, spot, side * int(w * 500 + 215), 0, 3 if side == 1 else 1, chair, None)
            return spot
    return None


def _table_on_the_way(space: Space, stream: Stream) -> Spot | None:
    """Where a room is open on all sides: a table in its middle, before openings that one still gets through."""
    kept, space.reserved = space.reserved, []
    sizes = ((1.4, 0.85, 4), (1.1, 0.75, 2), (0.9, 0.65, 2), (0.75, 0.6, 2))
    found = (_table_with_chairs(space, stream, w, d, count, False) for w, d, count in sizes)
    table = next((spot for spot in found if spot), None)
    space.reserved += kept
    return table


def _seat_at(space: Space, table: Spot, along: int, ahead: int, turn: int, made: Made, stream: Stream | None) -> None:
    """A seat pushed under a table; as somebody left it, if `stream` says so and the way stays free."""
    if stream and stream.chance(45):
        back, aslant = stream.between(60, 200), askew(made, stream.between(-45, 45) / 1000)
        pulled = _further(along, back), 0
        if ahead:
            pulled = along, _further(ahead, back)
        if _stands(space, table, *pulled, turn, aslant):
            return
    _stands(space, table, along, ahead, turn, made)


def _further(at: int, by: int) -> int:
    return at + by if at > 0 else at - by


def _stands(space: Space, table: Spot, along: int, ahead: int, turn: int, made: Made) -> bool:
    return bool(space.stand(made, *table.point(along, ahead), table.turn + turn, under=table))


def bathroom(space: Space, stream: Stream) -> None:
    style = space.style
    basin_and_toilet(space, stream, 2 if floor_area(space) > 9_000_000 else 1)
    if stream.chance(65):
        space.against_wall(bath.bathtub(stream, style), front=400, where="corner") or space.against_wall(
            bath.shower(stream, style), front=500, where="corner"
        )
    else:
        space.against_wall(bath.shower(stream, style), front=500, where="corner")
    if stream.chance(40):
        space.against_wall(bath.washing_machine(stream), front=500)
    elif stream.chance(35):
        space.against_wall(bath.towel_shelf(stream), front=300)
    space.hang(bath.towel_rail(stream), 900)
    x, z = space.rect.centre
    if stream.chance(60):
        space.lay(decor.rug(stream, 0.9, 0.6), x, z, 0)
    if stream.chance(40):
        space.against_wall(decor.laundry_basket(stream), front=0, where="corner")
    greenery(space, stream, 30)


def basin_and_toilet(space: Space, stream: Stream, basins: int) -> None:
    """A vanity and a toilet, smaller ones where they do not fit."""
    style = space.style
    basin = bath.vanity(stream, style, basins)
    space.against_wall(basin, front=600) or space.against_wall(bath.vanity(stream, style), front=500)
    space.against_wall(bath.toilet(stream, style), front=550) or space.against_wall(
        bath.close_toilet(stream), front=450
    )


def study(space: Space, stream: Stream) -> None:
    style = space.style
    desk = None
    if floor_area(space) > 13_000_000 and stream.chance(35):
        desk = space.amid(tables.desk(stream, style), stream.below(4), 1000)
        if desk:
            chair_before(space, stream, desk)
    if desk is None:
        desk_and_chair(space, stream, stream.chance(50))
    for _ in range(2):
        space.against_wall(storage.bookshelf(stream, style), front=500, where="corner")
    if stream.chance(60):
        space.against_wall(sofas.armchair(stream, style), front=400, where="corner")
        space.against_wall(lamps.floor_lamp(stream, style), front=0, where="corner")
    extras = (grand.exercise_bike, grand.treadmill, grand.upright_piano, grand.aquarium)
    if stream.chance(60):
        space.against_wall(stream.choice(extras)(stream), front=500)
    greenery(space, stream, 80)
    rug(space, stream, 1.9, 1.3, space.rect.centre, stream.below(2))
    if stream.chance(30):
        space.against_wall(grand.cupboard_door(stream), front=500)
    pictures(space, stream, 2)


def laundry_room(space: Space, stream: Stream) -> None:
    made = bath.washing_machine(stream)
    first = space.against_wall(made, front=600, where="middle")
    if first:
        for sign in (1, -1):
            space.stand(made, *first.point(sign * 630), first.turn, 500)
    space.against_wall(decor.drying_rack(stream), front=300)
    space.against_wall(storage.storage_shelf(stream), front=500)
    space.against_wall(decor.laundry_basket(stream), front=0, where="corner")
    space.hang(bath.towel_rail(stream), 1000)
    if stream.chance(50):
        space.against_wall(grand.cupboard_door(stream), front=500)


def storage_room(space: Space, stream: Stream) -> None:
    for _ in range(3):
        space.against_wall(storage.storage_shelf(stream), front=500)
    for _ in range(2):
        space.against_wall(decor.boxes(stream), front=0, where="corner")
    if stream.chance(30):
        space.against_wall(grand.treadmill(stream), front=300)


def hallway(space: Space, stream: Stream) -> None:
    spacious = min(space.rect.width, space.rect.depth) > 1250
    if spacious:
        console = space.against_wall(tables.console(stream), front=0)
        if console and stream.chance(50):
            space.hang(decor.picture(stream, 0.7), 1300, near=console)
        if stream.chance(50):
            space.against_wall(grand.bench(stream), front=0)
        greenery(space, stream, 70)
        if stream.chance(60):
            space.against_wall(decor.coat_rack(stream), front=0, where="corner")
        if stream.chance(45):
            space.against_wall(grand.framed_mirror(stream), front=0)
        if max(space.rect.width, space.rect.depth) > 7000:
            space.against_wall(storage.low_shelf(stream), front=0)
            space.against_wall(tables.console(stream), front=0)
            greenery(space, stream, 60)
    if min(space.rect.width, space.rect.depth) > 3400:
        reading_group(space, stream)
        space.against_wall(storage.sideboard(stream, space.style), front=400)
        space.against_wall(sofas.sofa(stream, space.style, 2), front=500)
        space.amid(plants.plant(stream, space.style), 0, 1000)
    r = space.rect
    if max(r.width, r.depth) > 3200:
        number = stream.below(3)
        pieces = max(1, max(r.width, r.depth) // 4500)
        for k in range(pieces):
            x, z = r.centre
            if r.width > r.depth:
                x = r.x0 + r.width * (2 * k + 1) // (2 * pieces)
            else:
                z = r.z0 + r.depth * (2 * k + 1) // (2 * pieces)
            space.lay(decor.rug(stream, 2.4, 0.8, number), x, z, 0 if r.width > r.depth else 1)
    pictures(space, stream, max(1, max(r.width, r.depth) // 3000))
