"""From a path on the navmesh to what one would say about it: doors passed, stairs climbed, things passed by."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval.geometry import Quaternion, Vec3, rotate
from nav_eval.worlds.episodes.relations import Walker, is_corridor, pass_door, resolve, side_of, way_to
from nav_eval.worlds.episodes.rooms_map import DoorWay, RoomsMap
from nav_eval.worlds.episodes.site import Site, densified
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ROOM_NAMES, THINGS


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a path in one room; `door` leads out of it, None in the last."""

    room: int
    points: tuple[Vec3, ...]
    door: DoorWay | None


def stretches(rooms: RoomsMap, path: list[Vec3]) -> list[Stretch] | None:
    """The rooms of a path in order; None if it cannot be told (a missing door, a room entered twice)."""
    runs: list[tuple[int, list[Vec3]]] = []
    for point in densified(path, 0.1):
        room = rooms.room_at(*point)
        if room == 0:
            continue
        if not runs or runs[-1][0] != room:
            runs.append((room, []))
        runs[-1][1].append(point)
    if not runs or len({room for room, _ in runs}) != len(runs):
        return None
    out = []
    for k, (room, points) in enumerate(runs):
        door = _door_between(rooms, room, runs[k + 1][0], points[-1]) if k + 1 < len(runs) else None
        if k + 1 < len(runs) and door is None:
            return None
        out.append(Stretch(room, tuple(points), door))
    return out


def _door_between(rooms: RoomsMap, a: int, b: int, at: Vec3) -> DoorWay | None:
    ways = [door for door in rooms.doors_of(a) if door.other(a) == b]
    return min(ways, key=lambda d: (d.middle[0] - at[0]) ** 2 + (d.middle[1] - at[2]) ** 2, default=None)


def tell(site: Site, parts: list[Stretch], rotation: Quaternion, target: int) -> list[Step] | None:
    """The steps along a path to the thing `target`; None if a listener could take another door."""
    rooms = site.rooms
    forward = rotate(rotation, (0.0, 0.0, -1.0))
    start = parts[0].points[0]
    walker = Walker(parts[0].room, (start[0], start[2]), (forward[0], forward[2]))
    steps: list[Step] = []
    for index, part in enumerate(parts):
        if part.door is None:
            break
        steps += _passed(site, part, index, target)
        if part.door.id < 0:
            steps.append(Climb(rooms.rooms[part.door.other(part.room)].storey > rooms.rooms[part.room].storey))
        else:
            here, there = rooms.rooms[part.room].category, rooms.rooms[part.door.other(part.room)].category
            way = way_to(rooms, walker, part.door)
            if here not in ROOM_NAMES or there not in ROOM_NAMES or resolve(rooms, walker, there, way) != part.door:
                return None
            steps.append(Go(here, there, way))
        walker = pass_door(rooms, walker, part.door)
    return [*steps, Stop(rooms.things[target].category)]


def _passed(site: Site, part: Stretch, index: int, target: int) -> list[Step]:
    """At most one thing that stands beside the way and is seen from it."""
    rooms, points = site.rooms, part.points
    if len(points) < 12 or part.door is None or part.door.id < 0:
        return []
    if is_corridor(rooms, part.room) and index > 0 and not _straight(points):
        return []
    for thing in rooms.things_in(part.room):
        if thing.id == target or thing.category not in THINGS or len(rooms.things_in(part.room, thing.category)) > 1:
            continue
        gaps = [(p[0] - thing.center[0]) ** 2 + (p[2] - thing.center[2]) ** 2 for p in points]
        near = gaps.index(min(gaps))
        if gaps[near] > 2.6 or not 3 <= near <= len(points) - 4 or not site.sees(points[max(0, near - 6)], thing.id):
            continue
        a, b = points[near - 3], points[near + 3]
        side = side_of(
            (b[0] - a[0], b[2] - a[2]), (points[near][0], points[near][2]), (thing.center[0], thing.center[2])
        )
        return [Pass(thing.category, side)]
    return []


def _straight(points: tuple[Vec3, ...]) -> bool:
    a, b = points[0], points[-1]
    size = ((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5
    return bool(size > 0.085 * len(points))
