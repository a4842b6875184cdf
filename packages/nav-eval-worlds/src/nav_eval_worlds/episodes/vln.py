"""Vision-and-language episodes: a path through rooms, told in several ways in English and Chinese."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.errors import SceneError
from nav_eval.geometry import Quaternion, Vec3, yaw_rotation
from nav_eval.progress import ProgressCallback, no_progress
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.follower import Walk, walk
from nav_eval_worlds.episodes.site import Site, densified
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.kinds import KINDS
from nav_eval_worlds.language.routes import clear_at_first, ends, stretches, tell
from nav_eval_worlds.language.speaker import say, styles_of
from nav_eval_worlds.language.steps import Step
from nav_eval_worlds.language.wording import LANGUAGES

GOAL_RADIUS = 3.0
SPACINGS = (3.3, 1.5, 0.0)
"""Metres between goals: first wide, then less; last, paths may share a goal if they start in different rooms.
None is below the spacing that is asked."""
ROUNDS = 3
"""Starts drawn for each pair of a thing and a room before goals may lie nearer to each other."""
MIN_PLACES = 4
"""Of sixty tries; a thing with fewer stands in a corner that people do not walk up to."""
_HAND = 0.3
"""Metres more than from the best side that one may be kept off a thing."""
ROTATIONS = tuple(yaw_rotation(math.radians(15 * k)) for k in range(24))


@dataclass(frozen=True, slots=True)
class Told:
    """One wording. `language` is "en" or "zh"; `clauses`: of each step of the path what tells it."""

    language: str
    clauses: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.clauses)


@dataclass(frozen=True, slots=True)
class VlnPath:
    """A path with its instructions; `landmark` is the object one stops at, `ends` where each step is done (m)."""

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
    ends: tuple[Vec3, ...]
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a site has to offer: paths, and of the last round of draws what was wrong with those that gave none."""

    paths: tuple[VlnPath, ...]
    refused: Mapping[str, int]


def vln_paths(
    site: Site, count: int, seed: str, controls: Controls | None = None, on_progress: ProgressCallback = no_progress
) -> Drawn:
    """`count` paths, goals well apart as long as there are such; fewer where the building has no more to offer.

    `on_progress` hears of each path that is found, and in the end of those that are not.
    SceneError where the scene does not say which rooms its doors join.
    """
    if len(site.rooms.rooms) > 1 and not site.rooms.doors:
        raise SceneError(
            f"{site.scene_id}: no door says which rooms it joins, which instructions need. Generate the scene again, "
            "or write `joins` into its .semantic.json."
        )
    draw = _Draw(site, controls or CONTROLS["vln"], seed)
    for spacing in (max(wide, draw.controls.spacing) for wide in SPACINGS):
        for _ in range(ROUNDS):
            draw.refused.clear()
            for index in draw.open_pairs():
                if len(draw.paths) == count:
                    return draw.drawn()
                if draw.attempt(index, spacing):
                    on_progress(1 / count)
    on_progress(1 - len(draw.paths) / count)
    return draw.drawn()


class _Draw:
    """Paths found so far among all pairs of a thing to stop at and a room to start in, and why others were refused."""

    def __init__(self, site: Site, controls: Controls, seed: str) -> None:
        self.site, self.controls = site, controls
        self.stream = Stream("vln", site.scene_id, seed)
        self.pairs = self.stream.child("pairs").shuffled(_pairs(site, controls))
        self.closed: set[int] = set()
        """Pairs that have a path, or that no start makes tellable."""
        self.paths: list[VlnPath] = []
        self.tries = 0
        self.refused: Counter[str] = Counter()
        self._places: dict[int, list[Vec3]] = {}

    def open_pairs(self) -> list[int]:
        return [index for index in range(len(self.pairs)) if index not in self.closed]

    def drawn(self) -> Drawn:
        return Drawn(tuple(self.paths), dict(self.refused))

    def attempt(self, index: int, spacing: float) -> bool:
        """Draw a start for a pair; keep the path, or count why not. Whether there is one."""
        self.tries += 1
        found = self._path(index, spacing)
        if isinstance(found, VlnPath):
            self.paths.append(found)
            self.closed.add(index)
        else:
            self.refused[found] += 1
        return isinstance(found, VlnPath)

    def _path(self, index: int, spacing: float) -> VlnPath | str:
        target, room = self.pairs[index]
        site, stream = self.site, self.stream.child("path", self.tries)
        places = self._places_at(target)
        if not places:
            self.closed.add(index)
            return "end where nobody can stand"
        free = [self._far(place, spacing) for place in places]
        start = site.draw_point(room, stream) if any(free) else None
        if start is None:
            return "end too near another goal"
        if not self.controls.apart(start, (path.start for path in self.paths)):
            return "start too near another start"
        arrival = site.nearest(start, places)[0]  # one comes to it there: "by the bed" is not beyond the bed
        if not free[arrival]:
            return "end too near another goal"
        goal = places[arrival]
        geodesic, corners = site.path(start, goal)
        if not self.controls.allow(start, goal, geodesic):
            return "are shorter or longer than asked"
        parts = stretches(site.rooms, corners)
        if parts is None or not self.controls.min_rooms <= len(parts) <= self.controls.max_rooms:
            return "pass fewer or more rooms than asked"
        rotations = clear_at_first(site.rooms, parts[0], ROTATIONS)
        if not rotations:
            return "cannot be told without doubt"
        rotation = stream.choice(rotations)
        trace = walk(site, start, rotation, goal)
        walked = stretches(site.rooms, list(trace.locations)) if trace else None
        if trace is None or walked is None or [part.room for part in walked] != [part.room for part in parts]:
            return "cannot be walked in steps of 0.25 m"
        steps = tell(site, parts, walked, rotation, target.id)
        if steps is None:
            self.closed.add(index)
            return "cannot be told without doubt"
        told = tuple(_instructions(steps, stream))
        reference = tuple(site.on_navmesh(point) for point in densified(corners, 2.0))
        passed = tuple(part.room for part in parts)
        return VlnPath(
            site.scene_id, start, rotation, goal, geodesic, reference, trace, target.id, passed, tuple(steps),
            ends(parts, walked), told,
        )  # fmt: skip

    def _far(self, place: Vec3, spacing: float) -> bool:
        """Whether a goal is that far from all others."""
        return all(math.dist(place, path.goal) >= spacing for path in self.paths)

    def _places_at(self, target: SemanticObject) -> list[Vec3]:
        if target.id not in self._places:
            self._places[target.id] = _places_at(self.site, target, self.stream.child("places", target.id))
        return self._places[target.id]


def _pairs(site: Site, controls: Controls) -> list[tuple[SemanticObject, int]]:
    """Things to stop at, each with the rooms from which a walk there passes as many rooms as asked."""
    rooms = site.rooms
    far = {room: rooms.rooms_between(room) for room in rooms.rooms}
    return [
        (target, room)
        for target in _targets(site)
        for room, region in rooms.rooms.items()
        if region.category != "stairs"
        and room != target.region
        and controls.min_rooms <= far[target.region].get(room, math.inf) + 1 <= controls.max_rooms
    ]


def _targets(site: Site) -> list[SemanticObject]:
    """Things one can name without doubt: the only ones of their kind in their room."""
    rooms = site.rooms
    return [
        thing
        for thing in rooms.things.values()
        if thing.category in KINDS
        and rooms.rooms[thing.region].category != "stairs"
        and 0.4 < max(thing.size) < 2.6
        and len(rooms.things_in(thing.region, thing.category)) == 1
    ]


def _instructions(steps: list[Step], stream: Stream) -> list[Told]:
    told = [(name, style) for name in LANGUAGES for style in styles_of(stream.child(name, "styles"))]
    return [Told(name, say(steps, name, style, stream.child(name, style))) for name, style in told]


def _places_at(site: Site, target: SemanticObject, stream: Stream, count: int = 16) -> list[Vec3]:
    """Walkable places within a step of the thing, from where it is in sight; none where there are hardly any.

    Left out is from where one would have to walk round to come right up to it: what lies on a bed, across the bed.
    """
    out: list[Vec3] = []
    for _ in range(60):
        point = site.draw_point(target.region, stream, tries=8)
        if point is not None and 0.15 < _gap(point, target) < 1.2 and site.sees(point, target.id):
            out.append(point)
        if len(out) == count:
            break
    if len(out) < MIN_PLACES:
        return []
    ends = [_gap(_approach_point(site, point, target), target) for point in out]
    best = min([*ends, *(_gap(point, target) for point in _around(site, target))])
    return [point for point, end in zip(out, ends, strict=True) if end < best + _HAND]


def _around(site: Site, thing: SemanticObject) -> list[Vec3]:
    """Walkable places a foot from the corners and sides of a thing."""
    low, half = site.rooms.rooms[thing.region].low[1], [thing.size[k] / 2 + _HAND for k in (0, 2)]
    ring = [(i, k) for i in (-1, 0, 1) for k in (-1, 0, 1) if (i, k) != (0, 0)]
    spots = [(thing.center[0] + i * half[0], low + 0.2, thing.center[2] + k * half[1]) for i, k in ring]
    found = [(spot, site.navmesh.snap(spot)) for spot in spots]
    near = [at for spot, at in found if math.dist((spot[0], spot[2]), (at[0], at[2])) < 0.1]
    return [at for at in ((float(x), float(y), float(z)) for x, y, z in near) if site.on_floor(at)]


def _approach_point(site: Site, point: Vec3, thing: SemanticObject) -> Vec3:
    """Where one comes who walks straight at a thing."""
    x, z = (
        min(max(point[k], thing.center[k] - thing.size[k] / 2), thing.center[k] + thing.size[k] / 2) for k in (0, 2)
    )
    end = site.navmesh.step(point, (x, point[1], z), sliding=False)
    return float(end[0]), float(end[1]), float(end[2])


def _gap(point: Vec3, thing: SemanticObject) -> float:
    """Horizontal distance from a point to a thing's box."""
    dx = max(abs(point[0] - thing.center[0]) - thing.size[0] / 2, 0.0)
    dz = max(abs(point[2] - thing.center[2]) - thing.size[2] / 2, 0.0)
    return math.hypot(dx, dz)
