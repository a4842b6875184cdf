"""Vision-and-language episodes: a path through rooms, told in several ways in English and Chinese."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Quaternion, Vec3, yaw_rotation
from nav_eval.worlds.episodes.chinese import in_chinese
from nav_eval.worlds.episodes.controls import Controls
from nav_eval.worlds.episodes.english import in_english
from nav_eval.worlds.episodes.follower import Walk, walk
from nav_eval.worlds.episodes.routes import Stretch, stretches, tell
from nav_eval.worlds.episodes.site import Site, densified
from nav_eval.worlds.episodes.steps import Step
from nav_eval.worlds.episodes.words import THINGS
from nav_eval.worlds.exact import Stream

GOAL_RADIUS = 3.0
PHRASINGS = 3
EASY_TRIES = 40
"""Attempts per path before goals may lie nearer to each other."""


@dataclass(frozen=True, slots=True)
class Told:
    """One wording. `language` is "en" or "zh"."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class VlnPath:
    """A path with its instructions; `landmark` is the object one stops at, `named` every object that is mentioned."""

    scene_id: str
    start: Vec3
    rotation: Quaternion
    goal: Vec3
    geodesic: float
    reference: tuple[Vec3, ...]
    walk: Walk
    landmark: int
    rooms: tuple[int, ...]
    steps: tuple[Step, ...]
    told: tuple[Told, ...]


def vln_paths(site: Site, count: int, seed: str, controls: Controls | None = None, tries: int = 240) -> list[VlnPath]:
    """Up to `count` paths with goals well apart; fewer where the building has no more to offer."""
    controls = controls or Controls(min_length=6.5, max_length=30.0, min_rooms=2)
    stream = Stream("vln", site.scene_id, seed)
    out: list[VlnPath] = []
    targets = _targets(site, stream)
    for attempt in range(count * tries):
        if len(out) == count or not targets:
            break
        target = targets[attempt % len(targets)]
        spacing = 3.3 if attempt < count * EASY_TRIES else 1.5
        path = _one(site, target, controls, stream.child("path", attempt), [p.goal for p in out], spacing)
        if path is not None:
            out.append(path)
    return out


def _targets(site: Site, stream: Stream) -> list[SemanticObject]:
    """Things one can name without doubt: the only ones of their kind in their room, rooms taking turns."""
    rooms = site.rooms
    by_room: dict[int, list[SemanticObject]] = {}
    for thing in rooms.things.values():
        alone = len(rooms.things_in(thing.region, thing.category)) == 1
        if thing.category in THINGS and alone and 0.4 < max(thing.size) < 2.6:
            by_room.setdefault(thing.region, []).append(thing)
    lists = [stream.shuffled(things) for things in stream.shuffled(list(by_room.values()))]
    longest = max((len(things) for things in lists), default=0)
    return [things[k] for k in range(longest) for things in lists if k < len(things)]


def _one(
    site: Site, target: SemanticObject, controls: Controls, stream: Stream, taken: list[Vec3], spacing: float
) -> VlnPath | None:
    start_room = stream.choice(sorted(site.rooms.rooms))
    start = None if start_room == target.region else site.draw_point(start_room, stream)
    if start is None or site.rooms.rooms[start_room].category == "stairs":
        return None
    goal = _arrival(site, start, _places_at(site, target, stream))
    if goal is None or any(math.dist(goal, other) < spacing for other in taken):
        return None
    geodesic, corners = site.path(start, goal)
    if not controls.allow(start, goal, geodesic):
        return None
    parts = stretches(site.rooms, corners)
    if parts is None or not controls.min_rooms <= len(parts) <= controls.max_rooms:
        return None
    return _told(site, parts, corners, geodesic, target.id, stream)


def _told(
    site: Site, parts: list[Stretch], corners: list[Vec3], geodesic: float, target: int, stream: Stream
) -> VlnPath | None:
    rotation = yaw_rotation(math.radians(15 * stream.below(24)))
    start, goal = corners[0], corners[-1]
    steps = tell(site, parts, rotation, target)
    trace = walk(site, start, rotation, goal) if steps else None
    if steps is None or trace is None:
        return None
    told = [Told("en", in_english(steps, k, stream.child("en", k))) for k in range(PHRASINGS)]
    told += [Told("zh", in_chinese(steps, k, stream.child("zh", k))) for k in range(PHRASINGS)]
    reference = tuple(densified(corners, 2.0))
    rooms = tuple(part.room for part in parts)
    return VlnPath(
        site.scene_id, start, rotation, goal, geodesic, reference, trace, target, rooms, tuple(steps), tuple(told)
    )


def _places_at(site: Site, target: SemanticObject, stream: Stream, count: int = 5) -> list[Vec3]:
    """Walkable places within a step of the thing, from where it is in sight."""
    out: list[Vec3] = []
    for _ in range(30):
        point = site.draw_point(target.region, stream, tries=8)
        if point is not None and 0.15 < _gap(point, target) < 1.2 and site.sees(point, target.id):
            out.append(point)
        if len(out) == count:
            break
    return out


def _arrival(site: Site, start: Vec3, places: list[Vec3]) -> Vec3 | None:
    """Where one first comes to the thing: "by the bed" is not beyond the bed."""
    return min(places, key=lambda place: site.path(start, place)[0], default=None)


def _gap(point: Vec3, thing: SemanticObject) -> float:
    """Horizontal distance from a point to a thing's box."""
    dx = max(abs(point[0] - thing.center[0]) - thing.size[0] / 2, 0.0)
    dz = max(abs(point[2] - thing.center[2]) - thing.size[2] / 2, 0.0)
    return math.hypot(dx, dz)
