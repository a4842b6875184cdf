"""A recorded trajectory in a few bytes per step: centimetres, whole degrees, one letter per action.

Quantising keeps a report of 2,000 episodes under 3 MB; half a centimetre is finer than any line on a screen. Numbers
that score anything are never taken from here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from nav_eval.core.types import EpisodeResult
from nav_eval.errors import RunDirectoryError
from nav_eval.geometry import Quaternion, Vec3, yaw_of
from nav_eval.results.records import SCHEMA

Ints = npt.NDArray[np.int32]

CODES = {
    "stop": "s",
    "move_forward": "f",
    "turn_left": "l",
    "turn_right": "r",
    "look_up": "u",
    "look_down": "d",
    "move_to": "m",
    "velocity": "v",
    "waypoint": "w",
    "found": "o",
    "wait": "p",
}
OTHER = "?"


@dataclass(frozen=True, slots=True)
class Track:
    """One episode's way. positions (N + 1, 3) cm, yaws (N + 1,) degrees, both with the start; N actions.

    `people`: (N + 1, 3) cm of each other who walked there, as far as it is known; `collided`: indices of the steps that
    touched a wall; `latency`: seconds of each answer,
    (N,) or fewer where an answer held several actions; `said`: the index of a step and what the model said with it.
    """

    positions: Ints
    yaws: npt.NDArray[np.int16]
    actions: str
    collided: tuple[int, ...]
    latency: npt.NDArray[np.float32]
    people: tuple[Ints, ...] = ()
    said: tuple[tuple[int, str], ...] = ()

    @property
    def stopped(self) -> bool:
        return "s" in self.actions


def track_of(result: EpisodeResult) -> Track | None:
    """The track of a result that is still in memory; None for an episode that never began."""
    if result.start is None:
        return None
    states = [result.start, *(step.state for step in result.trajectory)]
    return Track(
        positions=centimetres([state.position for state in states]),
        yaws=np.array([round(math.degrees(yaw_of(state.rotation))) for state in states], np.int16),
        actions="".join(CODES.get(step.action.name, OTHER) for step in result.trajectory),
        collided=tuple(i for i, step in enumerate(result.trajectory) if step.collided),
        latency=np.array([step.latency for step in result.trajectory if step.asked], np.float32),
        people=_people([step.events.get("people", {}).get("poses", ()) for step in result.trajectory]),
        said=tuple((i, step.said) for i, step in enumerate(result.trajectory) if step.said),
    )


def flat_track(track: Track) -> tuple[Any, ...]:
    """Plain values, for whole_track."""
    people = tuple(way.tobytes() for way in track.people)
    arrays = track.positions.tobytes(), track.yaws.tobytes(), track.latency.tobytes()
    return *arrays, track.actions, track.collided, people, track.said


def whole_track(plain: tuple[Any, ...]) -> Track:
    positions, yaws, latency, actions, collided, people, said = plain
    return Track(
        positions=points_of(positions),
        yaws=np.frombuffer(yaws, np.int16),
        actions=actions,
        collided=collided,
        latency=np.frombuffer(latency, np.float32),
        people=tuple(map(points_of, people)),
        said=said,
    )


def points_of(data: bytes) -> Ints:
    """(N, 3) of the bytes of such an array."""
    return np.frombuffer(data, np.int32).reshape(-1, 3)


class _Pose(msgspec.Struct):
    position: Vec3
    rotation: Quaternion


class _Pedestrians(msgspec.Struct):
    poses: list[list[float]]


class _Events(msgspec.Struct, frozen=True):
    people: _Pedestrians | None = None


class _Step(msgspec.Struct):
    action: str
    position: Vec3
    rotation: Quaternion
    collided: bool = False
    place: int = 0
    said: str = ""
    events: _Events = _Events()


class _Timing(msgspec.Struct):
    latency: list[float]


class TrackLine(msgspec.Struct):
    """What is read of a line of trajectories.jsonl."""

    schema: int
    scene_id: str
    episode_id: str
    start: _Pose | None
    steps: list[_Step]
    timing: _Timing


TRACK_LINE = msgspec.json.Decoder(TrackLine)


def read_track(line: TrackLine) -> Track | None:
    """The track of a line; None for an episode that never began."""
    if line.schema != SCHEMA:
        raise RunDirectoryError(
            f"trajectories.jsonl: record version {line.schema} is not {SCHEMA}. Use the manifest's version."
        )
    if line.start is None:
        return None
    poses: list[_Pose | _Step] = [line.start, *line.steps]
    return Track(
        positions=centimetres([pose.position for pose in poses]),
        yaws=np.array([round(math.degrees(yaw_of(pose.rotation))) for pose in poses], np.int16),
        actions="".join(CODES.get(step.action, OTHER) for step in line.steps),
        collided=tuple(i for i, step in enumerate(line.steps) if step.collided),
        latency=np.array(
            [seconds for step, seconds in zip(line.steps, line.timing.latency) if not step.place], np.float32
        ),
        people=_people([step.events.people.poses if step.events.people else () for step in line.steps]),
        said=tuple((i, step.said) for i, step in enumerate(line.steps) if step.said),
    )


def _people(poses: Sequence[Sequence[Sequence[float]]]) -> tuple[Ints, ...]:
    """Ways of people of their poses after each step; at the start they are shown where they are after the first."""
    if not poses or not all(len(each) == len(poses[0]) for each in poses):
        return ()
    return tuple(centimetres([pose[:3] for pose in (way[0], *way)]) for way in zip(*poses, strict=True))


def centimetres(points: Iterable[Sequence[float]]) -> Ints:
    """(N, 3) whole centimetres of points in metres; points that are not finite are left out."""
    rows = np.array([point for point in points if all(map(math.isfinite, point))], np.float64).reshape(-1, 3)
    return np.rint(np.clip(rows, -1e6, 1e6) * 100).astype(np.int32)


def deltas(points: Ints) -> Ints | npt.NDArray[np.int16]:
    """(N, 3) flattened to (3 N,), each point as its difference from the one before: small numbers pack well.

    A copy, because a view would keep a second array; in the smallest type that holds it.
    """
    flat = np.diff(points, axis=0, prepend=np.zeros((1, 3), np.int32)).ravel()
    narrow = flat.astype(np.int16)
    return narrow if (narrow == flat).all() else flat
