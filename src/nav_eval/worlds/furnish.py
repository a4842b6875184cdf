"""What stands in a room of each type, and in which order it is tried: large and defining things first.

Every rule may fail to find a place and then leaves the thing out; the defining objects (a bed, a toilet, a kitchen
line) are tried in smaller sizes first before that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture import bath, beds, chairs, decor, grand, kitchen, lamps, plants, sofas, storage, tables
from nav_eval.worlds.furniture.made import Made, askew
from nav_eval.worlds.item import Item
from nav_eval.worlds.plan import Plan, Rect, Room
from nav_eval.worlds.space import OPPOSITE, TURN_OF, Space, Spot
from nav_eval.worlds.styles import Style
from nav_eval.worlds.things.catalogue import Stock
from nav_eval.worlds.things.dress import dress

Rule = Callable[[Space, Stream], None]
_HEARTHS = frozenset(("classic", "rustic", "coastal"))
_LARGE = 24_000_000
"""Square millimetres from which a room has something in its middle, too."""


def furnish(plan: Plan, room: Room, style: Style, stream: Stream, stock: Stock) -> list[Item]:
    """The furniture and the small things of one room; `on` of the items counts within the returned list."""
    space = Space(plan, room, stream.child("spots"), style)
    rule = _RULES.get(room.type)
    if room.type == "stairs" and room.storey == 1:
        space.ceiling(lamps.disc_lamp(stream), *room.clear.centre)
    if rule is not None:
        _lights(space, stream.child("lights"))
        rule(space, stream.child("things"))
    dress(space, stock, stream.child("dress"))
    return space.items


def _area(space: Space) -> int:
    return space.rect.width * space.rect.depth


def _lights(space: Space, stream: Stream) -> None:
    """Ceiling lamps: one per 4 m of the longer side, all of a room alike; a pendant where people eat."""
    r = space.rect
    count = max(1, max(r.width, r.depth) // 4200)
    office = space.room.type in ("office", "open office", "meeting room", "copy room")
    if space.room.type in ("dining room",):
        return
    low = space.room.type in ("hallway", "bathroom", "laundry room", "storage room")
    made = lamps.light_panel(stream) if office else lamps.ceiling_lamp(stream, space.style)
    if low and made.size[1] > 0.3:
        made = lamps.rim_lamp(stream)
    for k in range(count):
        share = (2 * k + 1, 2 * count)
        x, z = r.centre
        if r.width >= r.depth:
            x = r.x0 + r.width * share[0] // share[1]
        else:
            z = r.z0 + r.depth * share[0] // share[1]
        space.ceiling(made, x, z, 0 if r.width >= r.depth else 1)


def _pictures(space: Space, stream: Stream, count: int) -> None:
    for _ in range(count):
        space.hang(decor.picture(stream), stream.between(130, 145) * 10)


def _plants(space: Space, stream: Stream, percent: int) -> None:
    if stream.chance(percent):
        space.against_wall(plants.plant(stream, space.style), front=0, where="corner")


def _rug(space: Space, stream: Stream, w: float, d: float, at: tuple[int, int], turn: int) -> None:
    """A rug, smaller where it does not fit; now and then a round one."""
    round_one = stream.chance(25) and d > 1.2
    for share in (1.0, 0.85, 0.7):
        made = decor.round_rug(stream, (w + d) / 2 * share) if round_one else decor.rug(stream, w * share, d * share)
        if space.lay(made, *at, turn):
            return


def _smaller(space: Space, makes: Iterable[Made], **options: object) -> Spot | None:
    """The first of several sizes that fits."""
    for made in makes:
        spot = space.against_wall(made, **options)  # type: ignore[arg-type]
        if spot:
            return spot
    return None


def _release(space: Space, spot: Spot, deep: int = 500) -> None:
    """Gives back the zone in front of an object, for what belongs there."""
    zone = space.front_of(spot, deep)
    space.reserved = [kept for kept in space.reserved if kept != zone]


def bedroom(space: Space, stream: Stream) -> None:
    style = space.style
    widths = (1.6, 1.4, 0.95) if stream.chance(70) else (0.95,)
    bed = _smaller(space, (beds.bed(stream, style, w) for w in widths), front=600, where="middle")
    bed = bed or _smaller(space, [beds.panel_bed(stream, 0.95)], front=300)
    if bed:
        _beside_bed(space, stream, bed)
    _smaller(space, (storage.wardrobe(stream, style) for _ in range(3)), front=650, where="corner")
    if stream.chance(65):
        space.against_wall(storage.dresser(stream, style), front=550)
    if stream.chance(45):
        _desk_and_chair(space, stream, False)
    _plants(space, stream, 60)
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
    _pictures(space, stream, 2)


def _beside_bed(space: Space, stream: Stream, bed: Spot) -> None:
    """Nightstands of one kind left and right, a picture above, a rug and perhaps a bench at the foot."""
    stand = tables.nightstand(stream)
    for sign in (1, -1):
        x, z = bed.aside(sign * int((bed.made.size[0] + stand.size[0]) * 500 + 25))
        dx, dz = bed.ahead(-int((bed.made.size[2] - stand.size[2]) * 500))
        space.stand(stand, x + dx - bed.x, z + dz - bed.z, bed.turn)
    if stream.chance(75):
        space.hang(decor.picture(stream, 0.9), 1400, near=bed)
    if bed.made.size[2] > 1.5:
        _rug(space, stream, bed.made.size[0] + 1.0, 1.7, bed.ahead(500), bed.turn)
    if bed.made.size[0] > 1.3 and stream.chance(35):
        seat = grand.bench(stream, 1.2)
        _release(space, bed)
        x, z = bed.ahead(int((bed.made.size[2] + seat.size[2]) * 500 + 30))
        space.stand(seat, x, z, bed.turn)


def living_room(space: Space, stream: Stream) -> None:
    style, large = space.style, _area(space) > _LARGE
    hearth = None
    if stream.chance(60 if style.name in _HEARTHS else 15):
        hearth = space.against_wall(
            grand.fireplace(stream, style, space.room.ceiling / 1000), front=900, where="middle"
        )
    makes = [sofas.sofa(stream, style, n) for n in (3, 2)]
    across = OPPOSITE[hearth.side] if hearth and stream.chance(50) else ""
    sofa = _smaller(space, makes, sides=across, front=1500, where="middle") if across else None
    sofa = sofa or _smaller(space, makes, front=1500, where="middle") or _smaller(space, makes, front=500)
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
    _plants(space, stream, 95)
    space.against_wall(lamps.floor_lamp(stream, style), front=0, where="corner")
    if stream.chance(12):
        space.against_wall(grand.aquarium(stream), front=400)
    if stream.chance(20):
        space.against_wall(grand.mirror(stream, style), front=300)
    _pictures(space, stream, 3)
    _plants(space, stream, 60)
    _plants(space, stream, 40)


def _sofa_group(space: Space, stream: Stream, sofa: Spot) -> None:
    """Coffee table and rug before the sofa, chairs across or at its sides, the television across or to the side."""
    low, (x, z) = _table_before(space, stream, sofa)
    _rug(space, stream, sofa.made.size[0] * 0.95 + 0.3, 1.9, (x, z), sofa.turn)
    _television(space, stream, sofa)
    if low and stream.chance(65):
        _across(space, stream, low)


def _table_before(space: Space, stream: Stream, sofa: Spot) -> tuple[Spot | None, tuple[int, int]]:
    """A coffee table before a sofa, in the notch of an L-shaped one; and where it should be."""
    table = tables.coffee_table(stream, space.style)
    aside, rear = sofa.made.notch or (0.0, sofa.made.size[2] / 2)
    ax, az = sofa.aside(int(aside * 1000))
    bx, bz = sofa.ahead(int((rear + table.size[2] / 2) * 1000 + 400))
    at = (ax + bx - sofa.x, az + bz - sofa.z)
    _release(space, sofa)
    return space.stand(table, *at, sofa.turn, under=sofa if sofa.made.notch else None), at


def _across(space: Space, stream: Stream, table: Spot) -> None:
    """Two armchairs on the far side of a coffee table, or one at its end."""
    made = sofas.armchair(stream, space.style)
    x, z = table.ahead(int((table.made.size[2] + made.size[2]) * 500 + 400))
    for sign in (1, -1):
        dx, dz = table.aside(sign * int(made.size[0] * 500 + 130))
        space.stand(made, x + dx - table.x, z + dz - table.z, table.turn + 2)
    for sign in (1, -1):
        if stream.chance(50):
            x, z = table.aside(sign * int((table.made.size[0] + made.size[2]) * 500 + 350))
            space.stand(made, x, z, table.turn - sign)


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
        if kind == "reading" and _reading_group(space, stream):
            return
        if kind == "piano":
            made = grand.piano(stream, space.style)
            spot = space.amid(made, stream.below(4)) if made.size[2] > 1 else space.against_wall(made, front=700)
            if spot:
                seat = grand.piano_stool(stream)
                if spot.side:
                    _release(space, spot)
                x, z = spot.ahead(int((made.size[2] + seat.size[2]) * 500 + 60))
                space.stand(seat, x, z, spot.turn + 2)
                return
        if kind == "pool" and space.amid(grand.pool_table(stream), stream.below(2)):
            return
        if kind == "plants":
            for _ in range(2):
                space.amid(plants.plant(stream, space.style), 0, 700)


def _reading_group(space: Space, stream: Stream) -> Spot | None:
    """A small table with two armchairs facing each other on a rug."""
    table = space.amid(tables.drum_table(stream), stream.below(2), 1500) or space.amid(
        tables.nest_table(stream), 0, 1300
    )
    if table:
        made = sofas.armchair(stream, space.style)
        for sign, turn in ((1, 3), (-1, 1)):
            x, z = table.aside(sign * int((table.made.size[0] + made.size[2]) * 500 + 180))
            space.stand(made, x, z, table.turn + turn)
        _rug(space, stream, 2.3, 1.7, (table.x, table.z), table.turn)
    return table


def kitchen_room(space: Space, stream: Stream) -> None:
    r, style = space.rect, space.style
    look = kitchen.fitted(stream, style, space.room.ceiling / 1000)
    sizes = [w for w in (4.2, 3.6, 3.0, 2.4, 1.8) if w * 1000 < max(r.width, r.depth) - 30]
    tall = (kitchen.kitchen_line(stream, look, w) for w in sizes if w > 2.0)
    low = (kitchen.kitchen_line(stream, look, w, low=True) for w in sizes)
    line = _smaller(space, chain(tall, low), front=700, where="corner")
    fridge = kitchen.fridge(stream, style)
    spot = None
    if line:
        if stream.chance(65):
            _second_run(space, stream, look, line)
        for sign in (1, -1):
            x, z = line.aside(sign * int((line.made.size[0] + fridge.size[0]) * 500 + 25))
            dx, dz = line.ahead(int((fridge.size[2] - line.made.size[2]) * 500))
            spot = spot or space.stand(fridge, x + dx - line.x, z + dz - line.z, line.turn, 500)
    if spot is None:
        space.against_wall(fridge, front=700, where="corner")
    if not (line and _island(space, stream, look, line)) and r.width > 2900 and r.depth > 2900:
        _dining_group(space, stream, small=True)
    if stream.chance(40):
        space.against_wall(storage.sideboard(stream, style), front=500)
    _plants(space, stream, 50)
    _pictures(space, stream, 1)


def _second_run(space: Space, stream: Stream, look: kitchen.Fitted, line: Spot) -> Spot | None:
    """Units along the wall round the corner (an L), or along the wall across (a galley)."""
    r, near = space.rect, line.rect
    _release(space, line)
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
                x, z = spot.aside(int(((2 * k + 1) / (2 * count) - 0.5) * w * 900))
                dx, dz = spot.ahead(int(spot.made.size[2] * 500 + 30))
                space.stand(made, x + dx - spot.x, z + dz - spot.z, spot.turn + 2, under=spot)
            if not any(item.category == "lamp" and _near(item, spot) for item in space.items):
                space.ceiling(lamps.dome_pendant(stream), spot.x, spot.z, spot.turn)
            return spot
    return None


def _near(item: Item, spot: Spot) -> bool:
    """Less than 1.2 m beside each other."""
    return max(abs(item.at[0] - spot.x), abs(item.at[2] - spot.z)) < 1200


def dining_room(space: Space, stream: Stream) -> None:
    style = space.style
    table = _dining_group(space, stream)
    x, z = (table.x, table.z) if table else space.rect.centre
    space.ceiling(lamps.pendant(stream, style), x, z, table.turn if table else 0)
    if table:
        _rug(space, stream, table.made.size[0] + 1.4, 2.3, (table.x, table.z), table.turn)
    space.against_wall(storage.sideboard(stream, style), front=500, where="middle")
    if stream.chance(45):
        space.against_wall(storage.glass_shelf(stream) if stream.chance(50) else storage.hutch(stream), front=500)
    _plants(space, stream, 80)
    _plants(space, stream, 40)
    if stream.chance(30):
        space.against_wall(tables.console(stream), front=300)
    _pictures(space, stream, 3)


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
            _seat_at(space, spot, 0, -int(d * 500 + 40), 0, other)
            continue
        for k in range(row):
            along = int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000)
            _seat_at(space, spot, along, side * int(d * 500 + 70), 2 if side == 1 else 0, chair)
    if w > 1.5:
        for side in (1, -1):
            _seat_at(space, spot, side * int(w * 500 + 215), 0, 3 if side == 1 else 1, chair)
    return spot


def _seat_at(space: Space, table: Spot, along: int, ahead: int, turn: int, made: Made) -> None:
    ax, az = table.aside(along)
    bx, bz = table.ahead(ahead)
    space.stand(made, ax + bx - table.x, az + bz - table.z, table.turn + turn, under=table)


def bathroom(space: Space, stream: Stream) -> None:
    style, office = space.style, space.plan.kind == "office"
    basin = bath.vanity(stream, style, 2 if office or _area(space) > 9_000_000 else 1)
    space.against_wall(basin, front=600) or space.against_wall(bath.vanity(stream, style), front=500)
    space.against_wall(bath.toilet(stream, style), front=550) or space.against_wall(
        bath.close_toilet(stream), front=450
    )
    if office:
        space.against_wall(bath.toilet(stream, style), front=550)
    elif stream.chance(65):
        space.against_wall(bath.bathtub(stream, style), front=400, where="corner") or space.against_wall(
            bath.shower(stream, style), front=500, where="corner"
        )
    else:
        space.against_wall(bath.shower(stream, style), front=500, where="corner")
    if stream.chance(40) and not office:
        space.against_wall(bath.washing_machine(stream), front=500)
    elif stream.chance(35):
        space.against_wall(bath.towel_shelf(stream), front=300)
    space.hang(bath.towel_rail(stream), 900)
    x, z = space.rect.centre
    if stream.chance(60) and not office:
        space.lay(decor.rug(stream, 0.9, 0.6), x, z, 0)
    if stream.chance(40) and not office:
        space.against_wall(decor.laundry_basket(stream), front=0, where="corner")
    _plants(space, stream, 30)


def study(space: Space, stream: Stream) -> None:
    style = space.style
    desk = None
    if _area(space) > 13_000_000 and stream.chance(35):
        desk = space.amid(tables.desk(stream, style), stream.below(4), 1000)
        if desk:
            _chair_before(space, stream, desk)
    if desk is None:
        _desk_and_chair(space, stream, stream.chance(50))
    for _ in range(2):
        space.against_wall(storage.bookshelf(stream, style), front=500, where="corner")
    if stream.chance(60):
        space.against_wall(sofas.armchair(stream, style), front=400, where="corner")
        space.against_wall(lamps.floor_lamp(stream, style), front=0, where="corner")
    extras = (grand.exercise_bike, grand.treadmill, grand.upright_piano, grand.aquarium)
    if stream.chance(60):
        space.against_wall(stream.choice(extras)(stream), front=500)
    _plants(space, stream, 80)
    _rug(space, stream, 1.9, 1.3, space.rect.centre, stream.below(2))
    if stream.chance(30):
        space.against_wall(grand.cupboard_door(stream), front=500)
    _pictures(space, stream, 2)


def _desk_and_chair(space: Space, stream: Stream, office: bool) -> Spot | None:
    """A desk at a wall, its user's chair pulled out before it (the desk's drawers face the user)."""
    desk = space.against_wall(tables.desk(stream, space.style, office), front=850)
    desk = desk or space.against_wall(tables.pin_desk(stream), front=700)
    if desk:
        _chair_before(space, stream, desk)
    return desk


def _chair_before(space: Space, stream: Stream, desk: Spot) -> None:
    straight = chairs.office_chair(stream, space.style)
    _release(space, desk)
    for chair in (askew(straight, stream.between(-90, 90) / 1000), straight):
        x, z = desk.ahead(int((desk.made.size[2] + chair.size[2]) * 500 + 20))
        if space.stand(chair, x, z, desk.turn + 2):
            return


def laundry_room(space: Space, stream: Stream) -> None:
    made = bath.washing_machine(stream)
    first = space.against_wall(made, front=600, where="middle")
    if first:
        for sign in (1, -1):
            x, z = first.aside(sign * 630)
            space.stand(made, x, z, first.turn, 500)
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
        _plants(space, stream, 70)
        if stream.chance(60):
            space.against_wall(decor.coat_rack(stream), front=0, where="corner")
        if stream.chance(45):
            space.against_wall(grand.framed_mirror(stream), front=0)
        if max(space.rect.width, space.rect.depth) > 7000:
            space.against_wall(storage.low_shelf(stream), front=0)
            space.against_wall(tables.console(stream), front=0)
            _plants(space, stream, 60)
    if min(space.rect.width, space.rect.depth) > 3400:
        _reading_group(space, stream)
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
    _pictures(space, stream, max(1, max(r.width, r.depth) // 3000))


def office_room(space: Space, stream: Stream) -> None:
    style = space.style
    desk = None
    if stream.chance(25):
        desk = space.against_wall(tables.corner_desk(stream), front=600)
        if desk:
            _chair_in_notch(space, stream, desk)
    desk = desk or _desk_and_chair(space, stream, True)
    if desk and stream.chance(50):
        _desk_and_chair(space, stream, True)
    space.against_wall(storage.filing_cabinet(stream), front=500, where="corner")
    space.against_wall(storage.bookshelf(stream, style), front=500)
    if stream.chance(40):
        space.against_wall(sofas.armchair(stream, style), front=300, where="corner")
    _plants(space, stream, 70)
    if stream.chance(50):
        space.hang(decor.whiteboard(stream), 950)
    _pictures(space, stream, 1)


def _chair_in_notch(space: Space, stream: Stream, desk: Spot) -> None:
    """The chair of an L-shaped desk stands between its wings."""
    x, z = desk.aside(280)
    dx, dz = desk.ahead(360)
    space.stand(chairs.office_chair(stream, space.style), x + dx - desk.x, z + dz - desk.z, desk.turn + 2, under=desk)


def open_office(space: Space, stream: Stream) -> None:
    """Clusters of desks back to back in the middle, each with its chair; screens at their ends in some offices."""
    r = space.rect
    turn = 0 if r.width >= r.depth else 1
    wide, deep = (r.width, r.depth) if turn == 0 else (r.depth, r.width)
    made, screens = tables.desk(stream, space.style, True), stream.chance(50)
    pitch = int(made.size[0] * 1000) + 60
    columns, rows = max(1, (wide - 1900) // pitch), max(1, (deep - 600) // 3900)
    half = int(made.size[2] * 500) + 15
    for row in range(rows):
        across = -deep // 2 + deep * (2 * row + 1) // (2 * rows)
        for k in range(columns):
            along = (2 * k - columns + 1) * pitch // 2
            for sign in (1, -1):
                x, z = _at(space, turn, along, across + sign * half)
                desk = space.stand(made, x, z, turn if sign == 1 else turn + 2)
                if desk:
                    _chair_before(space, stream, desk)
        for sign in (1, -1) if screens else ():
            x, z = _at(space, turn, sign * (columns * pitch // 2 + 230), across)
            space.stand(grand.partition(stream, 1.5), x, z, turn + 1)
    for _ in range(2):
        space.against_wall(storage.filing_cabinet(stream), front=500)
    if stream.chance(60):
        space.against_wall(grand.standing_board(stream), front=300)
    for percent in (100, 90, 70, 50):
        _plants(space, stream, percent)
    space.hang(decor.whiteboard(stream), 950)
    _pictures(space, stream, 2)


def _at(space: Space, turn: int, along: int, across: int) -> tuple[int, int]:
    cx, cz = space.rect.centre
    return (cx + along, cz + across) if turn == 0 else (cx + across, cz - along)


def meeting_room(space: Space, stream: Stream) -> None:
    turn = 0 if space.rect.width >= space.rect.depth else 1
    made = chairs.office_chair(stream, space.style)
    for w in (3.0, 2.4, 1.8):
        table = space.in_middle(tables.meeting_table(stream, w), turn)
        if table:
            row = int(w / 0.75)
            for side in (1, -1):
                for k in range(row):
                    along = int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000)
                    ax, az = table.aside(along)
                    bx, bz = table.ahead(side * 955)
                    at, turn_in = (ax + bx - table.x, az + bz - table.z), table.turn + (2 if side == 1 else 0)
                    for chair in (askew(made, stream.between(-50, 50) / 1000), made):
                        if space.stand(chair, *at, turn_in):
                            break
            break
    space.hang(decor.whiteboard(stream), 950)
    if stream.chance(50):
        space.hang(storage.wall_screen(stream), 1050)
    else:
        space.against_wall(storage.tv_stand(stream, space.style), front=400)
    if stream.chance(35):
        space.against_wall(grand.standing_board(stream), front=200)
    _plants(space, stream, 80)
    _plants(space, stream, 40)
    _pictures(space, stream, 1)


def break_room(space: Space, stream: Stream) -> None:
    kitchen_room(space, stream)
    space.against_wall(kitchen.vending_machine(stream), front=600)
    space.against_wall(kitchen.vending_machine(stream), front=600)
    if stream.chance(50):
        space.against_wall(sofas.sofa(stream, space.style, 2), front=500)


def reception(space: Space, stream: Stream) -> None:
    style = space.style
    counter = tables.reception_desk(stream)
    spot = space.in_middle(counter, stream.below(4), 700)
    if spot:
        x, z = spot.ahead(-int(counter.size[2] * 500 + 360))
        space.stand(chairs.office_chair(stream, style), x, z, spot.turn)
    sofa = _smaller(space, (sofas.sofa(stream, style, n) for n in (3, 2)), front=900, where="middle")
    if sofa:
        low, (x, z) = _table_before(space, stream, sofa)
        _rug(space, stream, 2.4, 1.7, (x, z), sofa.turn)
        if low:
            _across(space, stream, low)
    _reading_group(space, stream)
    space.against_wall(sofas.armchair(stream, style), front=400)
    for _ in range(3):
        _plants(space, stream, 90)
    if space.rect.width > 3000:
        space.against_wall(storage.bookshelf(stream, style), front=500, where="corner")
    if stream.chance(30):
        space.against_wall(kitchen.vending_machine(stream), front=600)
    _pictures(space, stream, 3)


def copy_room(space: Space, stream: Stream) -> None:
    space.against_wall(decor.printer(stream), front=700)
    space.against_wall(storage.storage_shelf(stream), front=500)
    space.against_wall(storage.filing_cabinet(stream), front=500)
    space.against_wall(decor.boxes(stream), front=0, where="corner")
    if _area(space) > 9_000_000:
        space.against_wall(tables.plain_table(stream, 1.4, 0.7), front=500)


_RULES: dict[str, Rule] = {
    "bedroom": bedroom,
    "living room": living_room,
    "kitchen": kitchen_room,
    "dining room": dining_room,
    "bathroom": bathroom,
    "study": study,
    "laundry room": laundry_room,
    "storage room": storage_room,
    "hallway": hallway,
    "foyer": hallway,
    "office": office_room,
    "open office": open_office,
    "meeting room": meeting_room,
    "break room": break_room,
    "reception": reception,
    "copy room": copy_room,
}
assert set(TURN_OF) == set("nesw")
