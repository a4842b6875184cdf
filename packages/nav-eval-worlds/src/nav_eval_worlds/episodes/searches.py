"""Episodes that look for one thing or room, as ObjectNav, HM3D-OVON and InstanceImageNav write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Vec3, euclidean
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.goals import CATEGORIES, View, floor_points, photographs, view_points
from nav_eval_worlds.episodes.records import Record, apart, frame, turn
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.sights import names_in, things_called

_WAYS = ("hallway", "foyer", "stairs")
"""Rooms that one passes through, and that nobody is sent to."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A thing or a room that may be looked for, and the places where one has found it."""

    id: int
    position: Vec3
    region: int
    views: list[View]


def object_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> tuple[list[Record], Record]:
    """ObjectNav episodes and their `goals_by_category`."""
    named = {kind: [t for t in site.rooms.things.values() if t.category == kind] for kind in CATEGORIES}
    stream = Stream("objects", site.scene_id, seed)
    return _searches(site, count, stream, in_sight(site, named), controls or CONTROLS["objectnav"])


def open_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> tuple[list[Record], Record]:
    """The same of what HM3D-OVON is: of everything that has a name, up to `count` names drawn."""
    stream = Stream("ovon", site.scene_id, seed)
    called = things_called(site.rooms, "en")
    named = {name: called[name] for name in stream.shuffled(sorted(called))[:count]}
    return _searches(site, count, stream, in_sight(site, named), controls or CONTROLS["ovon"])


def room_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> tuple[list[Record], Record]:
    """RoomNav episodes as ObjectNav's files have them: a room of a kind, with places on its floor as view points."""
    rooms, (_, named) = site.rooms.rooms, names_in(site.rooms, "en")
    lookalike = any(room.category == "foyer" and room.id not in named for room in rooms.values())
    left_out = {*_WAYS, *(["living room"] if lookalike else [])}
    sought: dict[str, list[Sought]] = {}
    for room in (rooms[one] for one in named):
        if room.category not in left_out and (views := floor_points(site, room)):
            x, y, z = ((low + high) / 2 for low, high in zip(room.low, room.high, strict=True))
            sought.setdefault(room.category, []).append(Sought(room.id, (x, y, z), room.id, views))
    stream = Stream("rooms sought", site.scene_id, seed)
    return _searches(site, count, stream, sought, controls or CONTROLS["roomnav"])


def in_sight(site: Site, named: Mapping[str, Iterable[SemanticObject]], most: int = 60) -> dict[str, list[Sought]]:
    """What can be seen from somewhere of the things of each name; names of which nothing can be seen are left out."""
    seen = {
        name: [Sought(t.id, t.center, t.region, views) for t in things if (views := view_points(site, t, most=most))]
        for name, things in named.items()
    }
    return {name: found for name, found in seen.items() if found}


def _searches(
    site: Site, count: int, stream: Stream, sought: Mapping[str, list[Sought]], controls: Controls
) -> tuple[list[Record], Record]:
    """Episodes that begin outside the rooms that they look for, and what they look for, by scene and name."""
    scene = site.scene_id.rsplit("/", 1)[-1]
    goals = {f"{scene}_{name}": [goal_record(one, name) for one in found] for name, found in sought.items()}
    episodes: list[Record] = []
    rooms, names = sorted(site.rooms.rooms), sorted(sought)
    for attempt in range(count * 60 if names else 0):
        if len(episodes) == count:
            break
        room, name = stream.choice(rooms), names[attempt % len(names)]
        start = site.draw_point(room, stream)
        if start is None or site.rooms.rooms[room].category == name or not apart(start, None, episodes, controls):
            continue
        record = _search(site, len(episodes), start, name, sought[name], controls, stream)
        if record:
            episodes.append(record)
    return episodes, goals


def goal_record(one: Sought, name: str) -> Record:
    """As ObjectNav's tables have it."""
    return {
        "position": list(one.position),
        "radius": None,
        "object_id": one.id,
        "object_name": f"{one.region}_{one.id}",
        "object_category": name,
        "room_id": None,
        "room_name": None,
        "view_points": [
            {"agent_state": {"position": list(v.position), "rotation": list(v.rotation)}, "iou": v.seen}
            for v in one.views
        ],
    }


def _search(
    site: Site, number: int, start: Vec3, name: str, found: list[Sought], controls: Controls, stream: Stream
) -> Record | None:
    owners = [one for one in found for _ in one.views]
    places = [view.position for one in found for view in one.views]
    best, geodesic = site.nearest(start, places)
    goal = places[best]
    if not controls.allow(start, goal, geodesic):
        return None
    low, high = site.scene.positions.min(axis=0), site.scene.positions.max(axis=0)
    info = {
        "geodesic_distance": geodesic,
        "euclidean_distance": euclidean(start, goal),
        "closest_goal_object_id": owners[best].id,
        "navigation_bounds": [[float(v) for v in low], [float(v) for v in high]],
        "best_viewpoint_position": list(goal),
    }
    return frame(site, number, start, turn(stream), info) | {"shortest_paths": [], "object_category": name}


def instance_records(
    site: Site, count: int, seed: str, controls: Controls | None = None
) -> tuple[list[Record], Record]:
    """InstanceImageNav episodes and their `goals` table, photographs included."""
    controls = controls or CONTROLS["instance_imagenav"]
    stream = Stream("instances", site.scene_id, seed)
    name = Path(site.scene_id).stem
    wanted = [t for t in site.rooms.things.values() if t.category in CATEGORIES]
    goals: Record = {}
    known: list[tuple[SemanticObject, int]] = []
    for thing in stream.shuffled(wanted):
        views = view_points(site, thing)
        images = photo_records(site, thing, stream)
        if views and images:
            sought = Sought(thing.id, thing.center, thing.region, views)
            goals[f"{name}_{thing.id}"] = goal_record(sought, thing.category) | {"image_goals": images}
            known.append((thing, len(images)))
    episodes: list[Record] = []
    rooms = sorted(site.rooms.rooms)
    for attempt in range(count * 60 if known else 0):
        if len(episodes) == count:
            break
        thing, shown = known[attempt % len(known)]
        start = site.draw_point(stream.choice(rooms), stream)
        if start is None or not apart(start, None, episodes, controls):
            continue
        places = [tuple(v["agent_state"]["position"]) for v in goals[f"{name}_{thing.id}"]["view_points"]]
        record = _instance_episode(site, len(episodes), start, thing, places, controls, stream)
        if record:
            episodes.append(record | {"goal_image_id": stream.below(shown)})
    return episodes, goals


def photo_records(site: Site, thing: SemanticObject, stream: Stream) -> list[Record]:
    """A thing's photographs as InstanceImageNav's and GOAT-Bench's tables have them."""
    return [
        {
            "position": list(photo.position),
            "rotation": list(photo.rotation),
            "hfov": photo.hfov,
            "image_dimensions": list(photo.size),
            "object_coverage": photo.seen,
            "frame_coverage": photo.pixels,
        }
        for photo in photographs(site, thing, stream.child("photos", thing.id))
    ]


def _instance_episode(
    site: Site, number: int, start: Vec3, thing: SemanticObject, places: list[Any], controls: Controls, stream: Stream
) -> Record | None:
    best, geodesic = site.nearest(start, places)
    if not controls.allow(start, places[best], geodesic):
        return None
    info = {"geodesic_distance": geodesic, "euclidean_distance": euclidean(start, places[best])}
    return frame(site, number, start, turn(stream), info) | {
        "goal_object_id": str(thing.id),
        "object_category": thing.category,
    }
