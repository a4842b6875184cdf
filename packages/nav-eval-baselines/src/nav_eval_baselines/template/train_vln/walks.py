"""Walks as the policy sees them: what the detector tells, the body's motion, and what the oracle would have done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.gym import rollouts, text
from nav_eval_baselines.learned.senses import REFLECTED, motion, nearness
from nav_eval_baselines.learned.surroundings import BANDS, DIRECTIONS, Surroundings
from nav_eval_baselines.learned.words import LONGEST, Reader
from train_vln.detector import detected
from train_vln.make_data import read_split
from train_vln.model import Detector
from train_vln.naming import tagged

KEPT = "around.pt"
"""Of a collection, what the walker had around it; the oracle keeps nothing, so there it is detected in the pictures."""
Kept: TypeAlias = dict[str, list[tuple[Any, Any]]]
"""Of each instruction, poses (T, 3) and what was around (T, PLACES, K + BANDS) of those who were told it; an
environment's last walk has steps to spare."""
LOOK_AHEAD = 1.0
"""Metres."""
SUCCESS, STEP = 2.5, 0.01
"""What nav_eval's dense reward adds at a success and takes for a step."""


@dataclass(frozen=True)
class Walk:
    """`around` (T, PLACES, K + BANDS) uint8, `motion` (T, MOTION), `expert` (T,) -1: none, `goal` (T, 3).

    `goal`: how near it is, and where, ahead and right; `way` (T,): the direction in which the shortest way leads, of
    DIRECTIONS with a fraction, DIRECTIONS itself where the oracle stops, -1: none.

    `key`: scene and episode; `texts`: of each wording of its path, which all tell the same way, the numbers of its
    words and the kinds they name.
    """

    around: Any
    motion: Any
    expert: Any
    goal: Any
    key: tuple[str, str]
    way: Any = None
    texts: Sequence[tuple[list[int], list[int]]] = ()


def encode(folder: Path, homes: Path, split: str, seer: Detector) -> None:
    """Keep a collection's walks, encoded, in a file beside it that is there when it is whole, and not its pictures,
    which are large."""
    _save(list(_encoded(folder, Paths(homes, split), seer)), folder.with_suffix(".pt"))
    shutil.rmtree(folder)


def join(folders: Sequence[Path], file: Path) -> None:
    """The encoded walks of these folders in one such file; the folders go."""
    parts = [torch.load(folder.with_suffix(".pt"), weights_only=False) for folder in folders]
    _save([walk for part in parts for walk in part], file)
    shutil.rmtree(file.with_suffix(""))


def _save(walks: list[Walk], file: Path) -> None:
    unfinished = file.with_suffix(".part")
    torch.save(walks, unfinished)
    unfinished.replace(file)


def encoded(file: Path, homes: Path, split: str, kinds: Sequence[str], reader: Reader) -> list[Walk]:
    """The walks of a file, with what their paths are told by and where the shortest way leads."""
    paths = Paths(homes, split)

    def read(key: tuple[str, str]) -> list[tuple[list[int], list[int]]]:
        return [(reader.numbers(text), tagged(text, kinds)[:LONGEST]) for text in paths.texts(key)]

    walks = torch.load(file, weights_only=False)
    return [replace(walk, texts=read(walk.key), way=paths.way(walk)) for walk in walks]


def _encoded(folder: Path, paths: Paths, seer: Detector) -> Iterator[Walk]:
    kept = folder / KEPT
    known: Kept = torch.load(kept, weights_only=False) if kept.is_file() else {}
    for one in rollouts(folder):
        key = (str(one["scene_id"]), str(one["episode_id"]))
        poses, compass = np.concatenate([one["gps"], one["compass"]], -1), one["compass"][:, 0]
        around = _known(known.get(text(one["instruction.text"]), ()), poses)
        yield Walk(
            _around(seer, one["rgb"], one["depth"], poses) if around is None else around,
            motions(one["gps"], compass),
            one["expert_action"],
            np.column_stack([nearness_of_goal(one), towards(paths.goal(key), one["gps"], compass)]),
            key,
        )


def _known(walked: Sequence[tuple[Any, Any]], poses: Any) -> Any:
    """(T, PLACES, K + BANDS) of the walk through these poses (T, 3), or None."""
    shortest_first = sorted(walked, key=lambda walk: len(walk[0]))
    same = (around for places, around in shortest_first if np.array_equal(places[: len(poses)], poses))
    return next((around[: len(poses)] for around in same), None)


def _around(seer: Detector, rgb: Any, depth: Any, poses: Any) -> Any:
    """(T, PLACES, K + BANDS) of one walk."""
    surroundings = Surroundings(seer.kinds.out_features)
    near = (255 * nearness(depth[..., 0])).astype(np.uint8)
    return np.stack([surroundings.see(*one) for one in zip(near / np.float32(255), detected(seer, rgb, near), poses)])


class Paths:
    """What a split tells of the path of an episode, which is known by scene and number."""

    def __init__(self, homes: Path, split: str) -> None:
        self._homes = homes
        self._meshes: dict[str, Any] = {}
        self._episodes = {(one["scene_id"], str(one["episode_id"])): one for one in read_split(homes, split)}
        self._texts: dict[tuple[str, int], list[str]] = {}
        for one in self._episodes.values():
            same = self._texts.setdefault((one["scene_id"], one["trajectory_id"]), [])
            same.append(one["instruction"]["instruction_text"])

    def texts(self, key: tuple[str, str]) -> list[str]:
        return self._texts[key[0], self._episodes[key]["trajectory_id"]]

    def goal(self, key: tuple[str, str]) -> Any:
        """(2,) metres ahead and right of the start."""
        start, axes = self._frame(key)
        return axes @ np.subtract(self._episodes[key]["goals"][0]["position"], start)

    def way(self, walk: Walk) -> Any:
        """(T,) where the point of the shortest way to the goal lies that is LOOK_AHEAD metres on."""
        start, axes = self._frame(walk.key)
        field = self._mesh(walk.key[0]).distance_field(self._episodes[walk.key]["goals"][0]["position"])
        places = walk.motion[:, :2].astype(np.float64) * 10
        ways = [field.path(tuple(place)) for place in places @ axes + start]
        points = np.array([_along(way) if len(way) else start for way in ways])
        north, east = ((points - start) @ axes.T - places).T
        heading = np.arctan2(walk.motion[:, 3], walk.motion[:, 2])
        found = (np.arctan2(east, north) + heading) * DIRECTIONS / (2 * np.pi) % DIRECTIONS
        lost = (walk.expert < 0) | ~np.array([len(way) > 0 for way in ways])
        return np.where(lost, -1, np.where(walk.expert == 0, DIRECTIONS, found)).astype(np.float32)

    def _frame(self, key: tuple[str, str]) -> tuple[Any, Any]:
        """Where the walk starts, and what is ahead and right there, (2, 3)."""
        one = self._episodes[key]
        axes = [rotated(one["start_rotation"], axis) for axis in ((0, 0, -1), (1, 0, 0))]
        return np.array(one["start_position"]), np.array(axes)

    def _mesh(self, scene: str) -> Any:
        if scene not in self._meshes:
            self._meshes[scene] = load_navmesh((self._homes / scene).with_suffix(".navmesh"))
        return self._meshes[scene]


def _along(path: Any) -> Any:
    """(3,) the point LOOK_AHEAD metres along a path (n, 3), or its end."""
    metres = np.append(0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))
    return np.array([np.interp(LOOK_AHEAD, metres, path[:, axis]) for axis in range(3)])


def rotated(quaternion: Sequence[float], vector: Sequence[float]) -> Any:
    """(3,) a vector turned by a quaternion x, y, z, w."""
    axis, w = np.array(quaternion[:3]), quaternion[3]
    half = np.cross(axis, vector) + w * np.array(vector)
    return np.array(vector) + 2 * np.cross(axis, half)


def towards(goal: Any, gps: Any, compass: Any) -> Any:
    """(T, 2) where the goal lies, ahead and right of the agent: a vector of length d / (1 + d)."""
    north, east = (goal - gps).T
    sine, cosine = np.sin(compass), np.cos(compass)
    away = np.stack([north * cosine - east * sine, north * sine + east * cosine], -1)
    return away / (1 + np.hypot(*away.T))[:, None]


def motions(gps: Any, compass: Any) -> Any:
    poses = np.concatenate([gps, compass[:, None]], -1)
    before = np.concatenate([poses[:1], poses[:-1]])
    return motion(gps, compass, before, np.arange(len(gps)))


def nearness_of_goal(one: Any) -> Any:
    """(T,) exp(-m / FAR), counted back from the end by the metres that each step gained."""
    metrics = json.loads(str(one["metrics"]))
    gained = one["reward"] + STEP
    gained[-1] -= SUCCESS * metrics["success"]
    return nearness(np.maximum(metrics["distance_to_goal"] + np.cumsum(gained[::-1])[::-1], 0))


def padded(walks: Sequence[Walk], rng: np.random.Generator, mirror: Any) -> tuple[Tensor, ...]:
    """Words and tags (B, N), around, motion, expert, way and goal (B, T, ...); tags, expert and way end with -1.

    Half of the walks are seen in a mirror; `mirror` numbers the words that are then said.
    """
    shown = [reflected if rng.random() < 0.5 else _as_it_is for _ in walks]
    rows = [show(walk, int(rng.integers(len(walk.texts))), mirror) for show, walk in zip(shown, walks)]
    words, tags, around, motion, expert, way, goal = zip(*rows)
    held = (_padded(words, 0, np.int64), _padded(tags, -1, np.int64))
    seen = _padded(around, 0, np.uint8).astype(np.float32) / 255
    rest = (_padded(motion, 0, np.float32), _padded(expert, -1, np.int64), _padded(way, -1, np.float32))
    return tuple(map(torch.from_numpy, (*held, seen, *rest, _padded(goal, 0, np.float32))))


def _as_it_is(walk: Walk, text: int, mirror: Any) -> tuple[Any, ...]:
    words, tags = map(np.array, walk.texts[text])
    return words, tags, walk.around, walk.motion, walk.expert, walk.way, walk.goal


def reflected(walk: Walk, text: int, mirror: Any) -> tuple[Any, ...]:
    """The walk in a world whose left and right are exchanged."""
    words, tags = map(np.array, walk.texts[text])
    places = np.append(-np.arange(DIRECTIONS) % DIRECTIONS, DIRECTIONS)
    bands = np.arange(walk.around.shape[-1])
    bands[-BANDS:] = bands[-BANDS:][[1, 0, 3, 2, 4]]
    around = walk.around[:, places][..., bands]
    expert = np.array([0, 1, 3, 2, -1])[walk.expert]
    way = np.where((walk.way >= 0) & (walk.way < DIRECTIONS), -walk.way % DIRECTIONS, walk.way)
    return mirror[words], tags, around, walk.motion * REFLECTED, expert, way, walk.goal * (1, 1, -1)


def _padded(rows: Sequence[Any], fill: int, kind: Any) -> Any:
    out = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), fill, kind)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
