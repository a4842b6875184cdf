"""What stands in the rooms of an office, in the order in which it is tried, as in homes."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture import bath, chairs, decor, grand, kitchen, sofas, storage, tables
from nav_eval_worlds.furniture.made import askew
from nav_eval_worlds.rooms.groups import (
    across,
    chair_before,
    desk_and_chair,
    floor_area,
    greenery,
    pictures,
    reading_group,
    rug,
    smaller,
    table_before,
)
from nav_eval_worlds.rooms.homes import basin_and_toilet, kitchen_room
from nav_eval_worlds.rooms.space import Space, Spot


def office_room(space: Space, stream: Stream) -> None:
    style = space.style
    desk = None
    if stream.chance(25):
        desk = space.against_wall(tables.corner_desk(stream), front=600)
        if desk:
            _chair_in_notch(space, stream, desk)
    desk = desk or desk_and_chair(space, stream, True) or _desk_amid(space, stream)
    if desk and stream.chance(50):
        desk_and_chair(space, stream, True)
    space.against_wall(storage.filing_cabinet(stream), front=500, where="corner")
    space.against_wall(storage.bookshelf(stream, style), front=500)
    if stream.chance(40):
        space.against_wall(sofas.armchair(stream, style), front=300, where="corner")
    greenery(space, stream, 70)
    if stream.chance(50):
        space.hang(decor.whiteboard(stream), 950)
    pictures(space, stream, 1)


def _desk_amid(space: Space, stream: Stream) -> Spot | None:
    """A desk that stands free, where all walls are of glass."""
    desk = space.in_middle(tables.desk(stream, space.style, True), stream.below(4), 700)
    if desk:
        chair_before(space, stream, desk)
    return desk


def _chair_in_notch(space: Space, stream: Stream, desk: Spot) -> None:
    """The chair of an L-shaped desk stands between its wings."""
    space.stand(chairs.office_chair(stream, space.style), *desk.point(280, 360), desk.turn + 2, under=desk)


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
                    chair_before(space, stream, desk)
        for sign in (1, -1) if screens else ():
            x, z = _at(space, turn, sign * (columns * pitch // 2 + 230), across)
            space.stand(grand.partition(stream, 1.5), x, z, turn + 1)
    for _ in range(2):
        space.against_wall(storage.filing_cabinet(stream), front=500)
    if stream.chance(60):
        space.against_wall(grand.standing_board(stream), front=300)
    _copier(space, stream)
    for percent in (100, 90, 70, 50):
        greenery(space, stream, percent)
    space.hang(decor.whiteboard(stream), 950)
    pictures(space, stream, 2)


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
                    at = table.point(int(((2 * k + 1) / (2 * row) - 0.5) * w * 1000), side * 955)
                    turn_in = table.turn + (2 if side == 1 else 0)
                    for chair in (askew(made, stream.between(-50, 50) / 1000), made):
                        if space.stand(chair, *at, turn_in):
                            break
            break
    _board_and_screen(space, stream, "we" if turn == 0 else "ns")
    greenery(space, stream, 80)
    greenery(space, stream, 40)
    pictures(space, stream, 1)


def _board_and_screen(space: Space, stream: Stream, ends: str) -> None:
    """A whiteboard along the table and a screen across from its end, else where they fit."""
    beside = "".join(side for side in "nesw" if side not in ends)
    boards, screens = (1.6, 1.2), [storage.wall_screen(stream, w) for w in (1.9, 1.4, 1.2)]
    if not any(space.hang(decor.whiteboard(stream, w), 950, sides) for sides in (beside, "") for w in boards):
        space.against_wall(grand.standing_board(stream), front=200)
    if not any(space.hang(screen, 1000, sides) for sides in (ends, "") for screen in screens):
        space.against_wall(storage.tv_stand(stream, space.style), front=400)


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
        behind = spot.point(ahead=-int(counter.size[2] * 500 + 360))
        space.stand(chairs.office_chair(stream, style), *behind, spot.turn)
    sofa = smaller(space, (sofas.sofa(stream, style, n) for n in (3, 2)), front=900, where="middle")
    if sofa:
        low, at = table_before(space, stream, sofa)
        rug(space, stream, 2.4, 1.7, at, sofa.turn)
        if low:
            across(space, stream, low)
    _copier(space, stream)
    reading_group(space, stream)
    space.against_wall(sofas.armchair(stream, style), front=400)
    for _ in range(3):
        greenery(space, stream, 90)
    if space.rect.width > 3000:
        space.against_wall(storage.bookshelf(stream, style), front=500, where="corner")
    if stream.chance(30):
        space.against_wall(kitchen.vending_machine(stream), front=600)
    pictures(space, stream, 3)


def copy_room(space: Space, stream: Stream) -> None:
    space.against_wall(decor.printer(stream), front=700)
    space.against_wall(storage.storage_shelf(stream), front=500)
    space.against_wall(storage.filing_cabinet(stream), front=500)
    space.against_wall(decor.boxes(stream), front=0, where="corner")
    if floor_area(space) > 9_000_000:
        space.against_wall(tables.plain_table(stream, 1.4, 0.7), front=500)


def _copier(space: Space, stream: Stream) -> None:
    """In a corner, where no room of the office is for printing: of an open office, else of the reception."""
    types = [room.type for room in space.plan.rooms]
    home = next((name for name in ("copy room", "open office") if name in types), "reception")
    if space.room.type == home:
        space.against_wall(decor.printer(stream), front=600, where="corner")


def washroom(space: Space, stream: Stream) -> None:
    basin_and_toilet(space, stream, 2)
    space.against_wall(bath.toilet(stream, space.style), front=550)
    space.hang(bath.towel_rail(stream), 900)
    greenery(space, stream, 30)


def corridor(space: Space, stream: Stream) -> None:
    """Benches and plants where it is wide; what is a hall has seats; pictures all along."""
    long, wide = max(space.rect.width, space.rect.depth), min(space.rect.width, space.rect.depth)
    if wide > 1250:
        for _ in range(1 + long // 7000):
            if stream.chance(60):
                space.against_wall(grand.bench(stream), front=0)
            greenery(space, stream, 70)
    if wide > 3400:
        reading_group(space, stream)
        space.against_wall(sofas.sofa(stream, space.style, 2), front=500)
        greenery(space, stream, 90)
    pictures(space, stream, max(1, long // 3000))
