"""What stands in a room of each type, and in which order it is tried: large and defining things first.

Every rule may fail to find a place and then leaves the thing out; the defining objects (a bed, a toilet, a kitchen
line) are tried in smaller sizes first before that.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture import bath, beds, decor, kitchen, lamps, seating, storage, tables
from nav_eval.worlds.furniture.made import Made
from nav_eval.worlds.item import Item
from nav_eval.worlds.plan import Plan, Room
from nav_eval.worlds.space import OPPOSITE, TURN_OF, Space, Spot
from nav_eval.worlds.things.catalogue import Stock
from nav_eval.worlds.things.dress import dress

Rule = Callable[[Space, Stream], None]


def furnish(plan: Plan, room: Room, stream: Stream, stock: Stock) -> list[Item]:
    """The furniture and the small things of one room; `on` of the items counts within the returned list."""
    space = Space(plan, room, stream.child("spots"))
    rule = _RULES.get(room.type)
    if room.type == "stairs" and room.storey == 1:
        space.ceiling(lamps.ceiling_lamp(stream), *room.clear.centre)
    if rule is not None:
        _lights(space, stream.child("lights"))
        rule(space, stream.child("things"))
    dress(space, stock, stream.child("dress"))
    return space.items


def _lights(space: Space, stream: Stream) -> None:
    """Ceiling lamps: one per 4 m of the longer side; a pendant where people sit."""
    r = space.rect
    count = max(1, max(r.width, r.depth) // 4200)
    office = space.room.type in ("office", "open office", "meeting room", "copy room")
    if space.room.type in ("dining room",):
        return
    for k in range(count):
        share = (2 * k + 1, 2 * count)
        x, z = r.centre
        if r.width >= r.depth:
            x = r.x0 + r.width * share[0] // share[1]
        else:
            z = r.z0 + r.depth * share[0] // share[1]
        made = lamps.light_panel(stream) if office else lamps.ceiling_lamp(stream)
        space.ceiling(made, x, z)


def _pictures(space: Space, stream: Stream, count: int) -> None:
    for _ in range(count):
        space.hang(decor.picture(stream), stream.between(130, 145) * 10)


def _plants(space: Space, stream: Stream, percent: int) -> None:
    if stream.chance(percent):
        space.against_wall(decor.plant(stream), front=0, where="corner")


def _smaller(space: Space, makes: list[Made], **options: object) -> Spot | None:
    """The first of several sizes that fits."""
    for made in makes:
        spot = space.against_wall(made, **options)  # type: ignore[arg-type]
        if spot:
            return spot
    return None


def bedroom(space: Space, stream: Stream) -> None:
    widths = (1.6, 1.4, 0.95) if stream.chance(70) else (0.95,)
    bed = _smaller(space, [beds.bed(stream, w) for w in widths], front=600, where="middle")
    if bed:
        stand = tables.nightstand(stream)
        for sign in (1, -1):
            made = stand if sign == 1 else tables.nightstand(stream)
            along = sign * int((bed.made.size[0] + made.size[0]) * 500 + 25)
            x, z = bed.aside(along)
            spot = Spot(made, x, z, bed.turn)
            back = int((bed.made.size[2] - made.size[2]) * 500)
            dx, dz = bed.ahead(-back)
            space.stand(made, spot.x + dx - bed.x, spot.z + dz - bed.z, bed.turn)
        space.hang(decor.picture(stream, 0.9), 1400, near=bed)
        x, z = bed.ahead(500)
        space.lay(decor.rug(stream, bed.made.size[0] + 1.0, 1.7), x, z, bed.turn)
    _smaller(space, [storage.wardrobe(stream) for _ in range(3)], front=650, where="corner")
    if stream.chance(60):
        space.against_wall(storage.dresser(stream), front=550)
    if stream.chance(50):
        _desk_and_chair(space, stream, False)
    _plants(space, stream, 55)
    if stream.chance(30):
        space.against_wall(seating.armchair(stream), front=300, where="corner")
    _pictures(space, stream, 2)


def living_room(space: Space, stream: Stream) -> None:
    makes = [seating.sofa(stream, n) for n in (3, 2)]
    sofa = _smaller(space, makes, front=1500, where="middle") or _smaller(space, makes, front=500)
    sofa = sofa or space.in_middle(makes[1], stream.below(4)) or space.in_middle(makes[1], stream.below(4))
    if sofa:
        _sofa_group(space, stream, sofa)
        if sofa.side:
            space.hang(decor.picture(stream, 1.1), 1350, near=sofa)
    space.against_wall(storage.bookshelf(stream), front=500, where="corner")
    space.against_wall(seating.armchair(stream), front=400, where="corner")
    if space.rect.width * space.rect.depth > 26_000_000:
        space.against_wall(storage.sideboard(stream), front=500)
        space.against_wall(storage.bookshelf(stream), front=500)
    _plants(space, stream, 95)
    space.against_wall(lamps.floor_lamp(stream), front=0, where="corner")
    _pictures(space, stream, 3)
    _plants(space, stream, 50)


def _sofa_group(space: Space, stream: Stream, sofa: Spot) -> None:
    """Coffee table and rug before the sofa, the television across or to the side."""
    table = tables.coffee_table(stream)
    x, z = sofa.ahead(int((sofa.made.size[2] + table.size[2]) * 500 + 420))
    space.reserved = [zone for zone in space.reserved if zone != space.front_of(sofa, 500)]
    space.stand(table, x, z, sofa.turn)
    space.lay(decor.rug(stream, sofa.made.size[0] * 0.95 + 0.3, 1.9), x, z, sofa.turn)
    stand = storage.tv_stand(stream)
    if not sofa.side:
        space.against_wall(stand, front=500)
        return
    across = OPPOSITE[sofa.side]
    at = sofa.x if sofa.side in "ns" else sofa.z
    spot = space.spot_at(stand, across, at)
    if space.fits(spot, 500):
        space.put(spot, 500)
        return
    space.against_wall(stand, sides=across, front=500) or space.against_wall(stand, front=500)


def kitchen_room(space: Space, stream: Stream) -> None:
    r = space.rect
    sizes = [w for w in (4.2, 3.6, 3.0, 2.4, 1.8) if w * 1000 < max(r.width, r.depth) - 30]
    tall = [kitchen.kitchen_line(stream, w) for w in sizes if w > 2.0]
    low = [kitchen.kitchen_line(stream, w, low=True) for w in sizes]
    line = _smaller(space, [*tall, *low], front=700, where="corner")
    fridge = kitchen.fridge(stream)
    spot = None
    if line:
        for sign in (1, -1):
            x, z = line.aside(sign * int((line.made.size[0] + fridge.size[0]) * 500 + 25))
            dx, dz = line.ahead(int((fridge.size[2] - line.made.size[2]) * 500))
            spot = spot or space.stand(fridge, x + dx - line.x, z + dz - line.z, line.turn, 500)
    if spot is None:
        space.against_wall(fridge, front=700, where="corner")
    if r.width > 2900 and r.depth > 2900:
        _table_with_chairs(space, stream, 1.2, 0.8, 2)
    _plants(space, stream, 40)
    _pictures(space, stream, 1)


def dining_room(space: Space, stream: Stream) -> None:
    table = _table_with_chairs(space, stream, 1.8, 0.95, 4) or _table_with_chairs(space, stream, 1.4, 0.85, 4)
    x, z = (table.x, table.z) if table else space.rect.centre
    space.ceiling(lamps.pendant(stream), x, z)
    if table:
        space.lay(decor.rug(stream, table.made.size[0] + 1.4, 2.3), table.x, table.z, table.turn)
    space.against_wall(storage.sideboard(stream), front=500, where="middle")
    _plants(space, stream, 80)
    _pictures(space, stream, 3)


def _table_with_chairs(space: Space, stream: Stream, w: float, d: float, chairs: int) -> Spot | None:
    """A table near the room's middle with chairs along its long sides and, if there is room, at its ends."""
    turn = 0 if space.rect.width >= space.rect.depth else 1
    made = tables.dining_table(stream, w, d)
    spot = space.in_middle(made, turn)
    if spot is None:
        return None
    wood, cloth = stream.choice(("wood", "wood2")), stream.choice(("fabric2", "fabric3", "leather"))
    row = max(1, chairs // 2)
    for side in (1, -1):
        for k in range(row):
            along = int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000)
            _chair_at(space, spot, along, side * int(d * 500 + 70), 2 if side == 1 else 0, (wood, cloth), stream)
    if w > 1.5:
        for side in (1, -1):
            _chair_at(space, spot, side * int(w * 500 + 100), 0, 3 if side == 1 else 1, (wood, cloth), stream)
    return spot


def _chair_at(
    space: Space, table: Spot, along: int, ahead: int, turn: int, look: tuple[str, str], stream: Stream
) -> None:
    ax, az = table.aside(along)
    bx, bz = table.ahead(ahead)
    made = seating.dining_chair(stream, *look)
    space.stand(made, ax + bx - table.x, az + bz - table.z, table.turn + turn, under=table)


def bathroom(space: Space, stream: Stream) -> None:
    office = space.plan.kind == "office"
    space.against_wall(bath.vanity(stream, 2 if office else 1), front=600) or space.against_wall(
        bath.vanity(stream), front=500
    )
    space.against_wall(bath.toilet(stream), front=550)
    if office:
        space.against_wall(bath.toilet(stream), front=550)
    elif stream.chance(65):
        space.against_wall(bath.bathtub(stream), front=400, where="corner") or space.against_wall(
            bath.shower(stream), front=500, where="corner"
        )
    else:
        space.against_wall(bath.shower(stream), front=500, where="corner")
    if stream.chance(40):
        space.against_wall(bath.washing_machine(stream), front=500)
    space.hang(bath.towel_rail(stream), 900)
    x, z = space.rect.centre
    if stream.chance(60) and not office:
        space.lay(decor.rug(stream, 0.9, 0.6), x, z, 0)
    _plants(space, stream, 20)


def study(space: Space, stream: Stream) -> None:
    _desk_and_chair(space, stream, True)
    for _ in range(2):
        space.against_wall(storage.bookshelf(stream), front=500, where="corner")
    if stream.chance(60):
        space.against_wall(seating.armchair(stream), front=400, where="corner")
    _plants(space, stream, 80)
    x, z = space.rect.centre
    space.lay(decor.rug(stream, 1.9, 1.3), x, z, stream.below(2))
    _pictures(space, stream, 2)


def _desk_and_chair(space: Space, stream: Stream, office: bool) -> Spot | None:
    """A desk at a wall, its user's chair pulled out before it (the desk's drawers face the user)."""
    desk = space.against_wall(tables.desk(stream, office), front=850)
    if desk:
        _chair_before(space, stream, desk)
    return desk


def _chair_before(space: Space, stream: Stream, desk: Spot) -> None:
    chair = seating.office_chair(stream)
    x, z = desk.ahead(int((desk.made.size[2] + chair.size[2]) * 500 + 20))
    zone = space.front_of(desk, 500)
    space.reserved = [kept for kept in space.reserved if kept != zone]
    space.stand(chair, x, z, desk.turn + 2)


def laundry_room(space: Space, stream: Stream) -> None:
    first = space.against_wall(bath.washing_machine(stream), front=600, where="middle")
    if first:
        for sign in (1, -1):
            x, z = first.aside(sign * 630)
            space.stand(bath.washing_machine(stream), x, z, first.turn, 500)
    space.against_wall(decor.drying_rack(stream), front=300)
    space.against_wall(storage.storage_shelf(stream), front=500)
    space.against_wall(decor.laundry_basket(stream), front=0, where="corner")
    space.hang(bath.towel_rail(stream), 1000)


def storage_room(space: Space, stream: Stream) -> None:
    for _ in range(3):
        space.against_wall(storage.storage_shelf(stream), front=500)
    for _ in range(2):
        space.against_wall(decor.boxes(stream), front=0, where="corner")


def hallway(space: Space, stream: Stream) -> None:
    spacious = min(space.rect.width, space.rect.depth) > 1250
    if spacious:
        space.against_wall(tables.console(stream), front=0)
        _plants(space, stream, 70)
        if stream.chance(60):
            space.against_wall(decor.coat_rack(stream), front=0, where="corner")
    r = space.rect
    if max(r.width, r.depth) > 3200:
        x, z = r.centre
        space.lay(decor.rug(stream, 2.4, 0.8), x, z, 0 if r.width > r.depth else 1)
    _pictures(space, stream, max(1, max(r.width, r.depth) // 4000))


def office_room(space: Space, stream: Stream) -> None:
    _desk_and_chair(space, stream, True)
    if stream.chance(50):
        _desk_and_chair(space, stream, True)
    space.against_wall(storage.filing_cabinet(stream), front=500, where="corner")
    space.against_wall(storage.bookshelf(stream), front=500)
    _plants(space, stream, 70)
    if stream.chance(50):
        space.hang(decor.whiteboard(stream), 950)
    _pictures(space, stream, 1)


def open_office(space: Space, stream: Stream) -> None:
    """Rows of desks in the middle, each with its chair."""
    r = space.rect
    turn = 0 if r.width >= r.depth else 1
    wide, deep = (r.width, r.depth) if turn == 0 else (r.depth, r.width)
    for row in range(max(1, (deep - 1400) // 2000)):
        for k in range(max(1, (wide - 1400) // 1750)):
            along, across = -wide // 2 + 1500 + k * 1750, -deep // 2 + 1250 + row * 2000
            cx, cz = r.centre
            x, z = (cx + along, cz + across) if turn == 0 else (cx + across, cz - along)
            desk = space.stand(tables.desk(stream, True), x, z, turn)
            if desk:
                _chair_before(space, stream, desk)
    for _ in range(2):
        space.against_wall(storage.filing_cabinet(stream), front=500)
    _plants(space, stream, 100)
    _plants(space, stream, 70)
    space.hang(decor.whiteboard(stream), 950)
    _pictures(space, stream, 2)


def meeting_room(space: Space, stream: Stream) -> None:
    turn = 0 if space.rect.width >= space.rect.depth else 1
    for w in (3.0, 2.4, 1.8):
        table = space.in_middle(tables.meeting_table(stream, w), turn)
        if table:
            row = int(w / 0.75)
            for side in (1, -1):
                for k in range(row):
                    along = int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000)
                    _swivel_at(space, table, along, side * 955, 2 if side == 1 else 0, stream)
            break
    space.hang(decor.whiteboard(stream), 950)
    space.against_wall(storage.tv_stand(stream), front=400)
    _plants(space, stream, 80)
    _pictures(space, stream, 1)


def _swivel_at(space: Space, table: Spot, along: int, ahead: int, turn: int, stream: Stream) -> None:
    ax, az = table.aside(along)
    bx, bz = table.ahead(ahead)
    space.stand(seating.office_chair(stream), ax + bx - table.x, az + bz - table.z, table.turn + turn)


def break_room(space: Space, stream: Stream) -> None:
    kitchen_room(space, stream)
    space.against_wall(kitchen.vending_machine(stream), front=600)


def reception(space: Space, stream: Stream) -> None:
    counter = tables.reception_desk(stream)
    r = space.rect
    spot = space.in_middle(counter, stream.below(4), 700)
    if spot:
        x, z = spot.ahead(-int(counter.size[2] * 500 + 360))
        space.stand(seating.office_chair(stream), x, z, spot.turn)
    sofa = _smaller(space, [seating.sofa(stream, n) for n in (3, 2)], front=900, where="middle")
    if sofa:
        table = tables.coffee_table(stream)
        x, z = sofa.ahead(int((sofa.made.size[2] + table.size[2]) * 500 + 420))
        space.reserved = [zone for zone in space.reserved if zone != space.front_of(sofa, 500)]
        space.stand(table, x, z, sofa.turn)
        space.lay(decor.rug(stream, 2.4, 1.7), x, z, sofa.turn)
    space.against_wall(seating.armchair(stream), front=400)
    for _ in range(2):
        _plants(space, stream, 90)
    if r.width > 3000:
        space.against_wall(storage.bookshelf(stream), front=500, where="corner")
    _pictures(space, stream, 3)


def copy_room(space: Space, stream: Stream) -> None:
    space.against_wall(decor.printer(stream), front=700)
    space.against_wall(storage.storage_shelf(stream), front=500)
    space.against_wall(storage.filing_cabinet(stream), front=500)
    space.against_wall(decor.boxes(stream), front=0, where="corner")


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
