"""Episodes as records of the field's own files, key for key: R2R-CE, PointNav, ImageNav, ObjectNav, InstanceImageNav.

Each function yields the records of one scene; nav_eval_worlds.episodes.splits puts them into files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Quaternion, Vec3, euclidean, yaw_rotation
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.goals import CATEGORIES, View, photographs, view_points
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.vln import GOAL_RADIUS, Told, VlnPath
from nav_eval_worlds.exact import Stream

Record = dict[str, Any]


def vln_records(paths: Sequence[VlnPath], first_id: int) -> tuple[list[Record], dict[str, Record]]:
    """R2R-CE episodes (tokens are left to the writer) and their `_gt` entries; an episode per wording."""
    episodes, truth = [], {}
    number = first_id
    for trajectory, path in enumerate(paths, start=first_id):
        for told in path.told:
            episodes.append(
                {
                    "episode_id": number,
                    "trajectory_id": trajectory,
                    "scene_id": path.scene_id,
                    "start_position": list(path.start),
                    "start_rotation": list(path.rotation),
                    "info": {"geodesic_distance": path.geodesic},
                    "goals": [{"position": list(path.goal), "radius": GOAL_RADIUS}],
                    "instruction": {"instruction_text": told.text, "instruction_tokens": []} | _language(told),
                    "reference_path": [list(point) for point in path.reference],
                }
            )
            truth[str(number)] = {
                "locations": [list(point) for point in path.walk.locations],
                "actions": list(path.walk.actions),
                "forward_steps": len(path.walk.locations) - 1,
            }
            number += 1
    return episodes, truth


def clause_records(paths: Sequence[VlnPath], first_id: int) -> dict[str, Record]:
    """`_clauses` entries of the same episodes: of each part of the instruction its text, and where it is done, m."""
    wordings = [(path, told) for path in paths for told in path.told]
    return {
        str(number): {"clauses": list(told.clauses), "ends": [list(end) for end in path.ends]}
        for number, (path, told) in enumerate(wordings, start=first_id)
    }


def _language(told: Told) -> Record:
    """R2R-CE's English has no such member; RxR's name for it tells the rest apart."""
    return {} if told.language == "en" else {"language": told.language}


def point_records(site: Site, count: int, seed: str, controls: Controls | None = None, tries: int = 80) -> list[Record]:
    """PointNav (and ImageNav) episodes between random points of the main floor."""
    controls = controls or CONTROLS["pointnav"]
    stream = Stream("points", site.scene_id, seed)
    out: list[Record] = []
    for _ in range(count * tries):
        if len(out) == count:
            break
        start, goal = site.draw_anywhere(stream), site.draw_anywhere(stream)
        if start is None or goal is None or not _apart(start, goal, out, controls):
            continue
        geodesic, corners = site.path(start, goal)
        if not controls.allow(start, goal, geodesic) or not _enough_rooms(site, corners, controls):
            continue
        info = {"geodesic_distance": geodesic, "difficulty": _difficulty(geodesic)}
        goals = [{"position": list(goal), "radius": None}]
        out.append(_frame(site, len(out), start, _turn(stream), info) | {"goals": goals})
    return out


def _apart(start: Vec3, goal: Vec3 | None, others: list[Record], controls: Controls) -> bool:
    """Whether a start is as far from the starts of other episodes as asked, and a goal, if given, from their goals."""
    goals = [] if goal is None else [other["goals"][0]["position"] for other in others]
    starts_apart = controls.apart(start, (other["start_position"] for other in others))
    return starts_apart and (goal is None or controls.apart(goal, goals))


def _enough_rooms(site: Site, corners: list[Vec3], controls: Controls) -> bool:
    if controls.min_rooms <= 1 and controls.max_rooms >= 20:
        return True
    from nav_eval_worlds.language.routes import stretches

    parts = stretches(site.rooms, corners)
    return parts is not None and controls.min_rooms <= len(parts) <= controls.max_rooms


def _difficulty(geodesic: float) -> str:
    return "easy" if geodesic < 6 else "medium" if geodesic < 12 else "hard"


def _turn(stream: Stream) -> Quaternion:
    return yaw_rotation(math.radians(15 * stream.below(24)))


def _frame(site: Site, number: int, start: Vec3, rotation: Quaternion, info: Record) -> Record:
    """The keys that Habitat's navigation episodes share."""
    return {
        "episode_id": str(number),
        "scene_id": site.scene_id,
        "start_position": list(start),
        "start_rotation": list(rotation),
        "info": info,
        "goals": [],
        "shortest_paths": None,
        "start_room": None,
    }


def object_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> tuple[list[Record], Record]:
    """ObjectNav episodes and their `goals_by_category`."""
    controls = controls or CONTROLS["objectnav"]
    stream = Stream("objects", site.scene_id, seed)
    name = site.scene_id.rsplit("/", 1)[-1]
    goals: Record = {}
    found: dict[str, list[tuple[SemanticObject, list[View]]]] = {}
    for category in CATEGORIES:
        seen = [(t, view_points(site, t)) for t in site.rooms.things.values() if t.category == category]
        seen = [(thing, views) for thing, views in seen if views]
        if seen:
            found[category] = seen
            goals[f"{name}_{category}"] = [_object_goal(thing, views) for thing, views in seen]
    episodes: list[Record] = []
    rooms, categories = sorted(site.rooms.rooms), sorted(found)
    for attempt in range(count * 60 if categories else 0):
        if len(episodes) == count:
            break
        start = site.draw_point(stream.choice(rooms), stream)
        category = categories[attempt % len(categories)]
        if start is None or not _apart(start, None, episodes, controls):
            continue
        record = _object_episode(site, len(episodes), start, category, found[category], controls, stream)
        if record:
            episodes.append(record)
    return episodes, goals


def _object_goal(thing: SemanticObject, views: list[View]) -> Record:
    return {
        "position": list(thing.center),
        "radius": None,
        "object_id": thing.id,
        "object_name": f"{thing.region}_{thing.id}",
        "object_category": thing.category,
        "room_id": None,
        "room_name": None,
        "view_points": [
            {"agent_state": {"position": list(v.position), "rotation": list(v.rotation)}, "iou": v.seen} for v in views
        ],
    }


def _object_episode(
    site: Site,
    number: int,
    start: Vec3,
    category: str,
    found: list[tuple[SemanticObject, list[View]]],
    controls: Controls,
    stream: Stream,
) -> Record | None:
    owners = [thing for thing, views in found for _ in views]
    places = [view.position for _, views in found for view in views]
    distances = site.navmesh.geodesic_distances([start] * len(places), places)
    best = int(distances.argmin())
    geodesic, goal = float(distances[best]), places[best]
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
    return _frame(site, number, start, _turn(stream), info) | {"shortest_paths": [], "object_category": category}


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
        photos = photographs(site, thing, stream.child("photos", thing.id))
        if views and photos:
            images = [
                {
                    "position": list(photo.position),
                    "rotation": list(photo.rotation),
                    "hfov": photo.hfov,
                    "image_dimensions": list(photo.size),
                    "object_coverage": photo.seen,
                    "frame_coverage": photo.pixels,
                }
                for photo in photos
            ]
            goals[f"{name}_{thing.id}"] = _object_goal(thing, views) | {"image_goals": images}
            known.append((thing, len(images)))
    episodes: list[Record] = []
    rooms = sorted(site.rooms.rooms)
    for attempt in range(count * 60 if known else 0):
        if len(episodes) == count:
            break
        thing, shown = known[attempt % len(known)]
        start = site.draw_point(stream.choice(rooms), stream)
        if start is None or not _apart(start, None, episodes, controls):
            continue
        places = [tuple(v["agent_state"]["position"]) for v in goals[f"{name}_{thing.id}"]["view_points"]]
        record = _instance_episode(site, len(episodes), start, thing, places, controls, stream)
        if record:
            episodes.append(record | {"goal_image_id": stream.below(shown)})
    return episodes, goals


def _instance_episode(
    site: Site, number: int, start: Vec3, thing: SemanticObject, places: list[Any], controls: Controls, stream: Stream
) -> Record | None:
    distances = site.navmesh.geodesic_distances([start] * len(places), places)
    best = int(distances.argmin())
    geodesic = float(distances[best])
    if not controls.allow(start, places[best], geodesic):
        return None
    info = {"geodesic_distance": geodesic, "euclidean_distance": euclidean(start, places[best])}
    return _frame(site, number, start, _turn(stream), info) | {
        "goal_object_id": str(thing.id),
        "object_category": thing.category,
    }
