"""Which rooms a home or an office of n rooms has, and how large they like to be."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import Kind


@dataclass(frozen=True, slots=True)
class RoomType:
    """`width`: least and most clear width along the corridor, mm. `upstairs`: fit for an upper storey."""

    name: str
    width: tuple[int, int]
    upstairs: bool = True


ROOM_TYPES = {
    room.name: room
    for room in (
        RoomType("living room", (4800, 6200), upstairs=False),
        RoomType("kitchen", (3000, 4200), upstairs=False),
        RoomType("dining room", (3200, 4200), upstairs=False),
        RoomType("bedroom", (3300, 4400)),
        RoomType("bathroom", (2100, 2700)),
        RoomType("study", (2800, 3800)),
        RoomType("laundry room", (2000, 2600)),
        RoomType("storage room", (1800, 2400)),
        RoomType("reception", (5000, 6500), upstairs=False),
        RoomType("open office", (5600, 8000)),
        RoomType("office", (2900, 4000)),
        RoomType("meeting room", (4000, 5600)),
        RoomType("break room", (3600, 4800)),
        RoomType("copy room", (2400, 3200)),
        RoomType("hallway", (1300, 1700)),
        RoomType("foyer", (2400, 4000)),
        RoomType("stairs", (2240, 2240)),
    )
}
CIRCULATION = ("hallway", "foyer", "stairs")
"""What a plan has beyond the rooms that are asked for."""

_FIRST = {
    "home": ("living room", "kitchen", "bedroom", "bathroom", "bedroom", "dining room", "study", "bathroom", "bedroom",
             "laundry room"),
    "office": ("reception", "office", "meeting room", "bathroom", "office", "break room", "open office", "office",
               "copy room", "meeting room"),
}  # fmt: skip
_MORE = {
    "home": ("bedroom", "bathroom", "study", "storage room", "bedroom", "bedroom", "living room", "bathroom"),
    "office": ("office", "office", "open office", "meeting room", "bathroom", "office", "storage room", "break room"),
}


_OF_GRAMMAR = {
    "studio": ("living room", "bathroom", "kitchen", "bedroom"),
    "cubicles": ("reception", "open office", "meeting room", "bathroom", "break room", "office", "office", "copy room"),
}


def programme(kind: Kind, grammar: str, rooms: int, storeys: int, stream: Stream) -> list[list[str]]:
    """Room types of each storey; the first is the public room by the entrance."""
    first, more = _OF_GRAMMAR.get(grammar, _FIRST[kind]), _MORE[kind]
    names = list(first[:rooms])
    for index in range(rooms - len(names)):
        names.append(more[(index + stream.below(2)) % len(more)])
    if storeys == 1:
        return [names]
    upper = [i for i in range(len(names) - 1, 0, -1) if ROOM_TYPES[names[i]].upstairs][: rooms // 2]
    return [[n for i, n in enumerate(names) if i not in upper], [names[i] for i in sorted(upper)]]
