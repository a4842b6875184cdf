"""Episodes as records of the field's own files, key for key: R2R-CE, PointNav, ImageNav.

Each function yields the records of one scene; nav_eval_worlds.episodes.splits puts them into files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nav_eval.geometry import Quaternion, Vec3, yaw_rotation
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
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
        if start is None or goal is None or not apart(start, goal, out, controls):
            continue
        geodesic, corners = site.path(start, goal)
        if not controls.allow(start, goal, geodesic) or not _enough_rooms(site, corners, controls):
            continue
        info = {"geodesic_distance": geodesic, "difficulty": _difficulty(geodesic)}
        goals = [{"position": list(goal), "radius": None}]
        out.append(frame(site, len(out), start, turn(stream), info) | {"goals": goals})
    return out


def apart(start: Vec3, goal: Vec3 | None, others: list[Record], controls: Controls) -> bool:
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


def turn(stream: Stream) -> Quaternion:
    return yaw_rotation(math.radians(15 * stream.below(24)))


def frame(site: Site, number: int, start: Vec3, rotation: Quaternion, info: Record) -> Record:
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
