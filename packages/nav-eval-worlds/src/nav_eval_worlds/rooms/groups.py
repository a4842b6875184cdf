"""Groups of furniture that rooms of several types have, and how their pieces stand to each other."""

from __future__ import annotations

from collections.abc import Iterable

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture import chairs, decor, plants, sofas, tables
from nav_eval_worlds.furniture.made import Made, askew
from nav_eval_worlds.rooms.space import Space, Spot


def floor_area(space: Space) -> int:
    return space.rect.width * space.rect.depth


def pictures(space: Space, stream: Stream, count: int) -> None:
    for _ in range(count):
        space.hang(decor.picture(stream), stream.between(130, 145) * 10)


def greenery(space: Space, stream: Stream, percent: int) -> None:
    if stream.chance(percent):
        space.against_wall(plants.plant(stream, space.style), front=0, where="corner")


def rug(space: Space, stream: Stream, w: float, d: float, at: tuple[int, int], turn: int) -> None:
    """A rug, smaller where it does not fit; now and then a round one."""
    round_one = stream.chance(25) and d > 1.2
    for share in (1.0, 0.85, 0.7):
        made = decor.round_rug(stream, (w + d) / 2 * share) if round_one else decor.rug(stream, w * share, d * share)
        aslant = askew(made, stream.between(-12, 12) / 1000)
        if (w < 1.9 and stream.chance(60) and space.lay(aslant, *at, turn)) or space.lay(made, *at, turn):
            return


def smaller(space: Space, makes: Iterable[Made], **options: object) -> Spot | None:
    """The first of several sizes that fits."""
    for made in makes:
        spot = space.against_wall(made, **options)  # type: ignore[arg-type]
        if spot:
            return spot
    return None


def release(space: Space, spot: Spot, deep: int = 500) -> None:
    """Gives back the zone in front of an object, for what belongs there."""
    zone = space.front_of(spot, deep)
    space.reserved = [kept for kept in space.reserved if kept != zone]


def table_before(space: Space, stream: Stream, sofa: Spot) -> tuple[Spot | None, tuple[int, int]]:
    """A coffee table before a sofa, in the notch of an L-shaped one; and where it should be."""
    table = tables.coffee_table(stream, space.style)
    aside, rear = sofa.made.notch or (0.0, sofa.made.size[2] / 2)
    at = sofa.point(int(aside * 1000), int((rear + table.size[2] / 2) * 1000 + 400))
    release(space, sofa)
    return space.stand(table, *at, sofa.turn, under=sofa if sofa.made.notch else None), at


def across(space: Space, stream: Stream, table: Spot) -> None:
    """Two armchairs on the far side of a coffee table, or one at its end."""
    made = sofas.armchair(stream, space.style)
    ahead = int((table.made.size[2] + made.size[2]) * 500 + 400)
    for sign in (1, -1):
        space.stand(made, *table.point(sign * int(made.size[0] * 500 + 130), ahead), table.turn + 2)
    for sign in (1, -1):
        if stream.chance(50):
            left = sign * int((table.made.size[0] + made.size[2]) * 500 + 350)
            space.stand(made, *table.point(left), table.turn - sign)


def reading_group(space: Space, stream: Stream) -> Spot | None:
    """A small table with two armchairs facing each other on a rug."""
    table = space.amid(tables.drum_table(stream), stream.below(2), 1500) or space.amid(
        tables.nest_table(stream), 0, 1300
    )
    if table:
        made = sofas.armchair(stream, space.style)
        for sign, turn in ((1, 3), (-1, 1)):
            left = sign * int((table.made.size[0] + made.size[2]) * 500 + 180)
            space.stand(made, *table.point(left), table.turn + turn)
        rug(space, stream, 2.3, 1.7, (table.x, table.z), table.turn)
    return table


def desk_and_chair(space: Space, stream: Stream, office: bool) -> Spot | None:
    """A desk at a wall, its user's chair pulled out before it (the desk's drawers face the user)."""
    desk = space.against_wall(tables.desk(stream, space.style, office), front=850)
    desk = desk or space.against_wall(tables.pin_desk(stream), front=700)
    if desk:
        chair_before(space, stream, desk)
    return desk


def chair_before(space: Space, stream: Stream, desk: Spot) -> None:
    straight = chairs.office_chair(stream, space.style)
    release(space, desk)
    for chair in (askew(straight, stream.between(-90, 90) / 1000), straight):
        at = desk.point(ahead=int((desk.made.size[2] + chair.size[2]) * 500 + 20))
        if space.stand(chair, *at, desk.turn + 2):
            return
