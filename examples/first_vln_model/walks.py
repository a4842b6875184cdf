"""Walks from the LeRobot files that nav-eval collect wrote, and what the network is given of each step."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image
from pyarrow import parquet

from nav_eval_baselines.learned.senses import CELLS, REFLECTED, SIDE, motion, picture
from nav_eval_baselines.learned.surroundings import Surroundings
from nav_eval_baselines.learned.words import LONGEST, MIRRORED, UNKNOWN, tokens

SMALL = SIDE // 2
"""Pixels of a side."""
PLACES, TOLD = 25, 8
"""24 directions and here; of each its colour, and how near the floor ends, or is unknown, and where one has been."""

NEAR = 2.0
"""Metres from the goal at which to stop: one who should stop only at it has few steps to learn that from."""


class Senses:
    """Of one episode: picture (4, SMALL, SMALL) uint8, of colour and nearness; around (PLACES, TOLD) uint8, of a map
    of what was seen and bumped into so far; motion (8,) float32."""

    def __init__(self) -> None:
        self._map, self._before, self._steps = Surroundings(3), None, 0

    def see(self, rgb: Any, depth: Any, pose: Any) -> tuple[Any, Any, Any]:
        """`rgb` (H, W, 3) uint8, `depth` (H, W, 1) m; `pose`: m ahead and right of the start, and to the left, rad."""
        full = picture(rgb, depth)
        colours = full[:3].reshape(3, CELLS, SIDE // CELLS, CELLS, SIDE // CELLS).mean((2, 4)).transpose(1, 2, 0)
        around = self._map.see(full[3], colours, pose)
        moved = motion(pose[:2], pose[2], pose if self._before is None else self._before, self._steps)
        self._before, self._steps = pose, self._steps + 1
        return (255 * full.reshape(4, SMALL, 2, SMALL, 2).mean((2, 4))).astype(np.uint8), around, moved


def read(folder: Path) -> Iterator[dict[str, Any]]:
    """Each walk: arrays with a row for each step, and `texts`, each the words of its parts."""
    info = json.loads((folder / "meta" / "info.json").read_text())
    for line in (folder / "meta" / "episodes.jsonl").read_text().splitlines():
        one = json.loads(line)
        number = one["episode_index"]
        place = {"episode_chunk": number // info["chunks_size"], "episode_index": number}
        table = parquet.read_table(folder / info["data_path"].format(**place)).to_pydict()
        film = folder / info["video_path"].format(video_key="observation.images.rgb", **place)
        parts = [clauses or [text] for clauses, text in zip(one["clauses"], one["tasks"])]
        picture, around, moved = map(np.stack, zip(*_seen(film, table)))
        yield {
            "picture": picture,
            "around": around,
            "motion": moved,
            "expert": np.array(table["expert_action"]),
            "part": np.array(table["clause_index"]),
            "distance": np.minimum(np.array(table["distance_to_goal"], np.float32), 100),
            "texts": [[tokens(part) for part in text] for text in parts],
        }


def _seen(film: Path, table: Any) -> Iterator[tuple[Any, Any, Any]]:
    senses, poses = Senses(), track(np.array(table["observation.state"]))
    with av.open(str(film)) as container:
        frames = (frame.to_ndarray(format="rgb24") for frame in container.decode(video=0))
        for rgb, cell, pose in zip(frames, table["observation.depth"], poses, strict=True):
            millimetres = np.asarray(Image.open(io.BytesIO(cell["bytes"])))
            yield senses.see(rgb, millimetres[..., None] / np.float32(1000), pose)


def track(state: Any) -> Any:
    """(T, 7) positions and rotations in the world -> (T, 3) float32, what the sensors gps and compass tell."""
    yaw = 2 * np.arctan2(state[:, 4], state[:, 6])
    x, z = (state[:, [0, 2]] - state[0, [0, 2]]).T
    sine, cosine = np.sin(yaw[0]), np.cos(yaw[0])
    turned = (yaw - yaw[0] + np.pi) % (2 * np.pi) - np.pi
    return np.column_stack([-x * sine - z * cosine, x * cosine - z * sine, turned]).astype(np.float32)


def read_once(folder: Path) -> list[dict[str, Any]]:
    """All walks, kept beside the files, because pictures take time to decode."""
    kept, walked = folder / "first.pickle", folder / "meta" / "episodes.jsonl"
    if not kept.is_file() or kept.stat().st_mtime < walked.stat().st_mtime:
        kept.write_bytes(pickle.dumps(list(read(folder))))
    walks: list[dict[str, Any]] = pickle.loads(kept.read_bytes())
    return walks


def drawn(
    walk: Mapping[str, Any], numbers: Mapping[str, int], without: Collection[str], rng: np.random.Generator
) -> list[Any]:
    """Of one of the path's wordings (N,) words and the part that each belongs to; of each step (T, ...) picture,
    around, motion, what the oracle did, part, nearness of the goal. Half of the walks are as in a mirror."""
    parts = walk["texts"][rng.integers(len(walk["texts"]))]
    told = [(word, number) for number, part in enumerate(parts) for word in part][:LONGEST]
    picture, around, motion, expert = (walk[name] for name in ("picture", "around", "motion", "expert"))
    if "stops" not in without:
        expert = np.where(walk["distance"] < NEAR, 0, expert)
    if "mirror" not in without and rng.random() < 0.5:
        told = [(MIRRORED.get(word, word), number) for word, number in told]
        around = around[:, [*(-np.arange(24) % 24), 24]][..., [0, 1, 2, 4, 3, 6, 5, 7]]
        picture, motion, expert = picture[..., ::-1].copy(), motion * REFLECTED, np.array([0, 1, 3, 2])[expert]
    words = np.array([[numbers.get(word, UNKNOWN), number] for word, number in told])
    return [words[:, 0], words[:, 1], picture, around, motion, expert, walk["part"], np.exp(-walk["distance"] / 3)]
