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
from itertools import chain
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
from nav_eval.report.spooled import Spooled
from nav_eval.report.topdown import Map, scene_maps
from nav_eval.report.track import Ints, centimetres, points_of

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
    rows = {key: row for row, key in enumerate(keys)}
    episodes: Spooled[EpisodeKey, Episode] = Spooled(rows, _itself, _itself)
    groups: dict[str, deque[EpisodeKey]] = defaultdict(deque)
    try:
        for episode in context.episodes(run.config):
            if episode.key in rows:
                key = keys[rows[episode.key]]
                episodes.put(key, episode.lighter())
                groups[key[0]].append(key)
        task = context.task(run.config)
    except NavEvalError as error:
        return Scenery(notes=(f"The data set could not be read, so instructions and goals are missing: {error}",))
    facts = Spooled(rows, _flat_facts, _whole_facts)
    scenes: dict[str, Scene] = {}
    try:
        with closing(context.backend(run.config.blind(), task)) as backend, closing(backend.open_session()) as session:
            most = MAX_BYTES // max(1, len(groups))
            for scene_id, members in groups.items():
                notes += _visit(
                    session, scene_id, members, episodes, task, run, facts, scenes, shape and partial(shape, most=most)
                )
    except NavEvalError as error:
        notes.append(f"The simulator could not be opened, so there are no maps: {error}")
    for key in chain.from_iterable(groups.values()):
        facts.put(key, episode_facts(episodes[key], task, None))
    return Scenery(facts, scenes, tuple(notes))


def _itself(episode: Episode) -> Episode:
    return episode


def _visit(
    session: Simulator,
    scene_id: str,
    members: deque[EpisodeKey],
    episodes: Mapping[EpisodeKey, Episode],
    task: Task,
    run: Run,
    facts: Spooled[EpisodeKey, EpisodeFacts],
    scenes: dict[str, Scene],
    shape: Callable[[Building], SceneMesh | None] | None,
) -> list[str]:
    """Fill in the scene and the facts of its `members`; left are those of which a simulator can say nothing.

    A scene that cannot be opened costs its own map only.
    """
    try:
        session.start(episodes[members[0]])
        tracks = filter(None, map(run.tracks.get, members))
        visited = (tuple(point / 100) for track in tracks for point in track.positions)
        rooms = session.scene().regions if isinstance(session, HasScene) else ()
        scenes[scene_id] = Scene(tuple(scene_maps(session, visited)), rooms=rooms)
        while members:
            episode = episodes[members[0]]
            session.start(episode)
            facts.put(members[0], episode_facts(episode, task, session))
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
    shortest = _shortest(episode, () if task.goals_in_order else goals, session)
    instruction = episode.instruction
    named = [] if task.goals_in_order else [goal.category for goal in episode.goals if goal.category]
    nodes: Mapping[str, Vec3] = session.graph().positions if isinstance(session, HasGraph) else {}
    followed = centimetres(_positions(reference, nodes))
    return EpisodeFacts(
        text=instruction.text if instruction else None,
        language=instruction.language if instruction else "",
        category=named[0] if named else None,
        reference=followed,
        reference_kind=kind,
        goals=_thin(centimetres(_positions(goals, nodes))),
        shortest=shortest,
        parts=_parts(instruction.extra, followed) if instruction else (),
    )


def _flat_facts(facts: EpisodeFacts) -> tuple[Any, ...]:
    """Plain values, for _whole_facts."""
    told = facts.text, facts.language, facts.category, facts.reference_kind, facts.shortest, facts.parts
    return *told, facts.reference.tobytes(), facts.goals.tobytes()


def _whole_facts(plain: tuple[Any, ...]) -> EpisodeFacts:
    text, language, category, kind, shortest, parts, reference, goals = plain
    return EpisodeFacts(text, language, category, points_of(reference), kind, points_of(goals), shortest, parts)


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


def _positions(places: Iterable[Place], nodes: Mapping[str, Vec3]) -> list[Vec3]:
    return [nodes.get(place.node or "", place.position) for place in places]


def _thin(goals: Ints) -> Ints:
    """At most MAX_GOALS of many view points, spread over them all."""
    if len(goals) <= MAX_GOALS:
        return goals
    kept: Ints = goals[np.linspace(0, len(goals) - 1, MAX_GOALS).astype(int)]
    return kept
