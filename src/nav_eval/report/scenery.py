"""What the data set and the simulator know of a run's episodes: instruction, reference path, goals, shortest way, maps.

A report must come out where the data has gone, too: what cannot be had is left out, and `notes` say why.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from nav_eval.core.capabilities import HasGraph, HasScene
from nav_eval.core.interfaces import Simulator, Task
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.engine.scene.scene import Scene as Building
from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval.errors import NavEvalError
from nav_eval.geometry import Vec3
from nav_eval.report.context import ReportContext
from nav_eval.report.mesh import MAX_BYTES, SceneMesh, scene_mesh
from nav_eval.report.source import Run
from nav_eval.report.topdown import Map, scene_maps
from nav_eval.report.track import Ints, centimetres

MAX_GOALS = 60


class Shape(Protocol):
    """Makes the mesh of a building, of about `most` bytes."""

    def __call__(self, scene: Building, most: int = ...) -> SceneMesh | None: ...


@dataclass(frozen=True, slots=True)
class Scene:
    """A building: its storeys' maps and, where the simulator has them, its shape and its rooms."""

    maps: tuple[Map, ...] = ()
    mesh: SceneMesh | None = None
    rooms: tuple[SemanticRegion, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """What was asked. `reference` and `goals`: (N, 3) cm; `shortest`: m, inf where no way leads to a goal.

    `parts`: pieces of the instruction and the share of the reference path at which each ends, where a data set says so.
    """

    text: str | None = None
    language: str = ""
    category: str | None = None
    reference: Ints = field(default_factory=lambda: centimetres(()))
    reference_kind: str = "none"
    goals: Ints = field(default_factory=lambda: centimetres(()))
    shortest: float | None = None
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Scenery:
    """Everything that the runs of a report share."""

    episodes: Mapping[EpisodeKey, EpisodeFacts] = field(default_factory=dict)
    scenes: Mapping[str, Scene] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def look_up(
    run: Run, context: ReportContext, keys: Sequence[EpisodeKey], *, shape: Shape | None = scene_mesh
) -> Scenery:
    """Read the episodes with these keys and visit each of their scenes once; `shape` makes the scenes' meshes."""
    notes: list[str] = []
    try:
        same = {key: key for key in keys}
        found = ((same.get(episode.key), episode) for episode in context.episodes(run.config))
        groups = _by_scene(
            replace(episode.lighter(), scene_id=key[0], episode_id=key[1]) for key, episode in found if key
        )
        task = context.task(run.config)
    except NavEvalError as error:
        return Scenery(notes=(f"The data set could not be read, so instructions and goals are missing: {error}",))
    facts: dict[EpisodeKey, EpisodeFacts] = {}
    scenes: dict[str, Scene] = {}
    try:
        with closing(context.backend(run.config.blind(), task)) as backend, closing(backend.open_session()) as session:
            most = MAX_BYTES // max(1, len(groups))
            for scene_id, members in groups.items():
                notes += _visit(
                    session, scene_id, members, task, run, facts, scenes, shape and partial(shape, most=most)
                )
    except NavEvalError as error:
        notes.append(f"The simulator could not be opened, so there are no maps: {error}")
    for left in groups.values():
        facts |= {episode.key: episode_facts(episode, task, None) for episode in left}
    return Scenery(facts, scenes, tuple(notes))


def _by_scene(episodes: Iterable[Episode]) -> dict[str, deque[Episode]]:
    groups: dict[str, deque[Episode]] = defaultdict(deque)
    for episode in episodes:
        groups[episode.scene_id].append(episode)
    return groups


def _visit(
    session: Simulator,
    scene_id: str,
    members: deque[Episode],
    task: Task,
    run: Run,
    facts: dict[EpisodeKey, EpisodeFacts],
    scenes: dict[str, Scene],
    shape: Callable[[Building], SceneMesh | None] | None,
) -> list[str]:
    """Fill in the scene and the facts of its episodes, which then go: 100,000 of both would not fit into memory.

    A scene that cannot be opened costs its own map only.
    """
    try:
        session.start(members[0])
        visited = (tuple(point / 100) for e in members if e.key in run.tracks for point in run.tracks[e.key].positions)
        rooms = session.scene().regions if isinstance(session, HasScene) else ()
        scenes[scene_id] = Scene(tuple(scene_maps(session, visited)), rooms=rooms)
        while members:
            session.start(members[0])
            facts[members[0].key] = episode_facts(members[0], task, session)
            members.popleft()
    except NavEvalError as error:
        return [f"There is no map of scene {scene_id}: {error}"]
    if shape and isinstance(session, HasScene):
        try:
            scenes[scene_id] = replace(scenes[scene_id], mesh=shape(session.scene()))
        except NavEvalError as error:
            return [f"There is no 3-D view of scene {scene_id}: {error}"]
    return []


def episode_facts(episode: Episode, task: Task, session: Simulator | None) -> EpisodeFacts:
    """With a session that stands at the episode's start, node positions and the shortest way are looked up too."""
    reference, kind = task.reference(episode)
    goals = task.goals(episode)
    shortest = _shortest(episode, goals, session)
    instruction = episode.instruction
    followed = centimetres(_positions(reference, session))
    return EpisodeFacts(
        text=instruction.text if instruction else None,
        language=instruction.language if instruction else "",
        category=next((goal.category for goal in episode.goals if goal.category), None),
        reference=followed,
        reference_kind=kind,
        goals=_thinned(centimetres(_positions(goals, session))),
        shortest=shortest,
        parts=_parts(instruction.extra, followed) if instruction else (),
    )


def _parts(extra: Mapping[str, Any], reference: Ints) -> tuple[tuple[str, float], ...]:
    """FG-R2R's sub-instructions, each with the share of the path's length at the last node of its view."""
    texts, views = extra.get("sub_instructions") or (), extra.get("chunk_view") or ()
    if len(reference) < 2 or len(texts) != len(views):
        return ()
    walked = np.concatenate([[0.0], np.linalg.norm(np.diff(reference, axis=0), axis=1).cumsum()])
    shares = walked / max(walked[-1], 1.0)
    last = len(shares) - 1
    return tuple(
        (" ".join(words), float(shares[min(view[1] - 1, last)])) for words, view in zip(texts, views, strict=True)
    )


def _shortest(episode: Episode, goals: Sequence[Place], session: Simulator | None) -> float | None:
    if session is not None and goals:
        return session.distance_to(session.get_agent_state().place, goals)
    stated = episode.info.get("geodesic_distance")
    return float(stated) if isinstance(stated, int | float) and not math.isnan(stated) else None


def _positions(places: Iterable[Place], session: Simulator | None) -> list[Vec3]:
    if not isinstance(session, HasGraph):
        return [place.position for place in places]
    positions = session.graph().positions
    return [positions.get(place.node or "", place.position) for place in places]


def _thinned(goals: Ints) -> Ints:
    """At most MAX_GOALS of many view points, spread over them all."""
    if len(goals) <= MAX_GOALS:
        return goals
    kept: Ints = goals[np.linspace(0, len(goals) - 1, MAX_GOALS).astype(int)]
    return kept
