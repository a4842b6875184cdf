"""Places from which a goal object is seen, and photographs of it.

View points lie on a grid around the object, within a metre of its box, and each is kept only if a ray reaches the
object: the rule of ObjectNav's own view points. `iou` is the share of the object's sampled surface in sight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nav_eval.engine.scene.scene import SemanticObject, SemanticRegion
from nav_eval.geometry import Quaternion, Vec3, yaw_rotation, yaw_towards
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.exact import Stream

SPACING, NEAR = 0.25, 1.0
SPREAD, INSIDE = 0.5, 0.4
"""Metres between places on a room's floor, and from them to its edges: as far as a success may be from one of them."""
LEAST_PIXELS = 0.02
"""Share of a photograph's pixels below which nobody could say what it shows."""
CATEGORIES = ("chair", "bed", "plant", "toilet", "tv_monitor", "sofa")
"""HM3D ObjectNav's six."""


@dataclass(frozen=True, slots=True)
class View:
    """A place on the floor, the rotation that faces the object, and how much of it is seen."""

    position: Vec3
    rotation: Quaternion
    seen: float


@dataclass(frozen=True, slots=True)
class Photo:
    """A camera pose that has the object in its middle; which share of its surface is seen, and of the pixels its."""

    position: Vec3
    rotation: Quaternion
    hfov: int
    size: tuple[int, int]
    seen: float
    pixels: float


def view_points(site: Site, thing: SemanticObject, eye: float = 0.88, most: int = 60) -> list[View]:
    """Up to `most` places around an object from which it is in sight."""
    floor = site.rooms.rooms[thing.region].low[1]
    low_x, high_x = thing.center[0] - thing.size[0] / 2 - NEAR, thing.center[0] + thing.size[0] / 2 + NEAR
    low_z, high_z = thing.center[2] - thing.size[2] / 2 - NEAR, thing.center[2] + thing.size[2] / 2 + NEAR
    spots = [
        (low_x + i * SPACING, floor + 0.2, low_z + k * SPACING)
        for i in range(int((high_x - low_x) / SPACING) + 1)
        for k in range(int((high_z - low_z) / SPACING) + 1)
    ]
    places = [place for spot in spots if (place := _standing(site, spot))]
    shares = site.shares_seen(places, thing.id, 4.0, eye)
    out = [_view(place, thing, seen) for place, seen in zip(places, shares, strict=True) if seen > 0]
    return out[:: max(1, -(-len(out) // most))]


def floor_points(site: Site, room: SemanticRegion) -> list[View]:
    """Places all over a room's floor, so far inside that nobody would say that one stands in its doorway."""
    floor = room.low[1] + 0.2
    spots = [(x, floor, z) for x in _spread(room.low[0], room.high[0]) for z in _spread(room.low[2], room.high[2])]
    return [View(place, (0.0, 0.0, 0.0, 1.0), 1.0) for spot in spots if (place := _standing(site, spot))]


def _spread(low: float, high: float) -> list[float]:
    """From one end to the other, at most SPREAD apart; none where a room is too narrow to stand that far inside."""
    length = high - low - 2 * INSIDE
    parts = max(1, math.ceil(length / SPREAD))
    return [low + INSIDE + length * k / parts for k in range(parts + 1)] if length >= 0 else []


def _standing(site: Site, spot: Vec3) -> Vec3 | None:
    """The walkable point at a spot, if there is one."""
    point = site.navmesh.snap(spot)
    if not math.isfinite(point[0]) or math.hypot(point[0] - spot[0], point[2] - spot[2]) > 0.05:
        return None
    place = (float(point[0]), float(point[1]), float(point[2]))
    return place if site.on_floor(place) else None


def _view(place: Vec3, thing: SemanticObject, seen: float) -> View:
    return View(place, yaw_rotation(yaw_towards(place, thing.center)), seen)


def photographs(site: Site, thing: SemanticObject, stream: Stream, count: int = 3) -> list[Photo]:
    """Pictures of an object from different places, the camera at varied heights and fields of view."""
    views = sorted(view_points(site, thing, 1.25), key=lambda v: -v.seen)[:20]
    out: list[Photo] = []
    for view in stream.shuffled(views):
        if len(out) == count:
            break
        height = stream.between(80, 150) / 100
        camera = (view.position[0], view.position[1] + height, view.position[2])
        hfov = stream.choice((60, 75, 90))
        yaw, pitch = _towards(camera, thing.center)
        pixels = site.share_of_picture(camera, yaw, pitch, hfov, thing.id)
        if pixels >= LEAST_PIXELS:
            out.append(Photo(camera, _turn(yaw, pitch), hfov, (512, 512), view.seen, pixels))
    return out


def _towards(camera: Vec3, target: Vec3) -> tuple[float, float]:
    """Yaw and pitch towards a point."""
    flat = math.hypot(target[0] - camera[0], target[2] - camera[2])
    return yaw_towards(camera, target), math.atan2(target[1] - camera[1], max(flat, 1e-6))


def _turn(yaw: float, pitch: float) -> Quaternion:
    cy, sy, cp, sp = math.cos(yaw / 2), math.sin(yaw / 2), math.cos(pitch / 2), math.sin(pitch / 2)
    return (cy * sp, sy * cp, -sy * sp, cy * cp)
