"""The furniture and the small things of a room, by its type."""

from __future__ import annotations

from collections.abc import Callable

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture import lamps
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import Plan, Room
from nav_eval_worlds.rooms import homes, offices
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.surfaces.styles import Style
from nav_eval_worlds.things.catalogue import Stock
from nav_eval_worlds.things.dress import dress

Rule = Callable[[Space, Stream], None]


def furnish(plan: Plan, room: Room, style: Style, stream: Stream, stock: Stock) -> list[Item]:
    """The furniture and the small things of one room; `on` of the items counts within the returned list."""
    space = Space(plan, room, stream.child("spots"), style)
    rule = _RULES.get(space.use)
    if room.type == "stairs" and room.storey == 1:
        space.ceiling(lamps.disc_lamp(stream), *room.clear.centre)
    if rule is not None:
        _lights(space, stream.child("lights"))
        rule(space, stream.child("things"))
    dress(space, stock, stream.child("dress"))
    return space.items


def _lights(space: Space, stream: Stream) -> None:
    """Ceiling lamps: one per 4 m of the longer side, all of a room alike; a pendant where people eat."""
    r = space.rect
    count = max(1, max(r.width, r.depth) // 4200)
    panels = space.room.type in ("office", "open office", "meeting room", "copy room")
    lamp = lamps.office_lamp if space.plan.kind == "office" else lamps.ceiling_lamp
    if space.room.type in ("dining room",):
        return
    low = space.room.type in ("hallway", "bathroom", "laundry room", "storage room")
    made = lamps.light_panel(stream) if panels else lamp(stream, space.style)
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


_RULES: dict[str, Rule] = {
    "bedroom": homes.bedroom,
    "living room": homes.living_room,
    "kitchen": homes.kitchen_room,
    "dining room": homes.dining_room,
    "bathroom": homes.bathroom,
    "study": homes.study,
    "laundry room": homes.laundry_room,
    "storage room": homes.storage_room,
    "hallway": homes.hallway,
    "office bathroom": offices.washroom,
    "office hallway": offices.corridor,
    "office": offices.office_room,
    "open office": offices.open_office,
    "meeting room": offices.meeting_room,
    "break room": offices.break_room,
    "reception": offices.reception,
    "copy room": offices.copy_room,
}
