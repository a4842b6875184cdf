"""LeRobot v2.1: a Parquet file and a video for each episode, and meta/ that lists them.

Beside LeRobot's own columns stand InternData-N1's: pose, goal and relative_goal_frame_id of a camera that is named by
its height and tilt. Every wording of a path is a task; a frame's task_index is that of the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nav_eval.results.files import write_bytes, write_json, write_lines
from nav_eval_extras.collecting.formats.base import Format, require_even, require_pyarrow
from nav_eval_extras.collecting.formats.tables import IMAGE, matrix, scalar, vector, write_table
from nav_eval_extras.collecting.pictures import Video
from nav_eval_extras.collecting.walking import Walk

RGB, DEPTH, SEMANTIC = "observation.images.rgb", "observation.depth", "observation.semantic"
CHUNK = 1000
DATA = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
TOLD = ("episode_index", "tasks", "length", "languages", "clauses", "scene_id", "episode_ids")
"""What is said of each episode."""
POSE = ["x", "y", "z", "qx", "qy", "qz", "qw"]


class LeRobot(Format):
    """What LeRobotDataset of codebase version 2.1 reads, and its converter to 3.0."""

    fps = 5
    version: ClassVar[str] = "v2.1"

    def __init__(self, out: Any, about: Any) -> None:
        require_pyarrow()
        super().__init__(out, about)
        require_even(about.lens)
        self._camera = f"{round(100 * about.height)}cm_0deg"
        self._frames = 0
        self._tasks: dict[str, int] = {}

    def resume(self, records: Iterable[Mapping[str, Any]]) -> None:
        self._frames, self._tasks = 0, {}
        for record in records:
            self._frames += record["length"]
            self._number(record["tasks"])

    def _number(self, tasks: Iterable[str]) -> list[int]:
        return [self._tasks.setdefault(task, len(self._tasks)) for task in tasks]

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        tasks = [one.text for one in walk.route.wordings]
        table, film = self._files(index)
        film.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(film, walk.video)
        begun, steps = self._frames, len(walk)
        own = {
            "timestamp": (scalar("float32"), np.arange(steps) / self.fps),
            "frame_index": (scalar("int64"), np.arange(steps)),
            "episode_index": (scalar("int64"), np.full(steps, index)),
            "index": (scalar("int64"), np.arange(begun, begun + steps)),
            "task_index": (scalar("int64"), np.full(steps, self._number(tasks)[0])),
        }
        columns = {**self._columns(walk), **own}
        write_table(table, columns)
        self._frames += steps
        stats = {name: _statistics(np.array(values)) for name, (kind, values) in columns.items() if kind != IMAGE}
        return {
            "episode_index": index,
            "tasks": tasks,
            "length": steps,
            "languages": [one.language for one in walk.route.wordings],
            "clauses": [one.clauses for one in walk.route.wordings],
            "scene_id": walk.route.key[0],
            "episode_ids": [one.episode_id for one in walk.route.wordings],
            "stats": {RGB: _colours(np.stack(walk.thumbnails)), **stats},
        }

    def _files(self, index: int) -> tuple[Path, Path]:
        """Where an episode's table and its film are written."""
        place = {"episode_chunk": index // CHUNK, "episode_index": index}
        return self.out / DATA.format(**place), self.out / VIDEO.format(video_key=RGB, **place)

    def _columns(self, walk: Walk) -> dict[str, tuple[dict[str, Any], Any]]:
        """Name -> its feature, and a value for each step."""
        subgoals = np.array(walk.subgoals)
        columns = {
            "observation.state": (vector("float32", 7), np.array(walk.poses)),
            "action": (scalar("int64"), np.array(walk.actions)),
            "expert_action": (scalar("int64"), np.array(walk.expert_actions)),
            f"pose.{self._camera}": (matrix(4, 4), np.array(walk.cameras)),
            f"goal.{self._camera}": (vector("int32", 2), subgoals[:, 1:]),
            f"relative_goal_frame_id.{self._camera}": (scalar("int32"), subgoals[:, 0]),
            "goal_pixel": (vector("int32", 2), np.array(walk.goals)),
            "distance_to_goal": (scalar("float32"), np.array(walk.distances)),
            "clause_index": (scalar("int64"), np.array(walk.clauses)),
            "observation.camera_intrinsic": (matrix(3, 3), np.stack([walk.intrinsics] * len(walk))),
            DEPTH: (IMAGE, walk.depth),
        }
        return {**columns, **({SEMANTIC: (IMAGE, walk.semantic)} if walk.semantic else {})}

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        meta = self.out / "meta"
        meta.mkdir(exist_ok=True)
        self.resume(records)
        languages = {task: tag for record in records for task, tag in zip(record["tasks"], record["languages"])}
        tasks = ({"task_index": at, "task": task, "language": languages[task]} for task, at in self._tasks.items())
        self._list(meta, tasks, records)
        episodes = sum(1 for _ in records)
        info = {
            "codebase_version": self.version,
            "robot_type": "nav_eval",
            "total_episodes": episodes,
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
            "chunks_size": CHUNK,
            "fps": self.fps,
            "splits": {"train": f"0:{episodes}"},
            "features": self._features(),
        }
        write_json(meta / "info.json", info | self._layout(episodes))

    def _list(self, meta: Path, tasks: Iterable[Mapping[str, Any]], records: Iterable[Mapping[str, Any]]) -> None:
        """Write what lists tasks and episodes."""
        write_lines(meta / "tasks.jsonl", tasks)
        write_lines(meta / "episodes.jsonl", ({name: record[name] for name in TOLD} for record in records))
        statistics = ({name: record[name] for name in ("episode_index", "stats")} for record in records)
        write_lines(meta / "episodes_stats.jsonl", statistics)

    def _layout(self, episodes: int) -> dict[str, Any]:
        """What info.json says of the files."""
        chunks = -(-episodes // CHUNK)
        return {"total_videos": episodes, "total_chunks": chunks, "data_path": DATA, "video_path": VIDEO}

    def _features(self) -> dict[str, Any]:
        lens = self.about.lens
        picture = {"shape": [lens.height, lens.width, 3], "names": ["height", "width", "channels"]}
        grey = {"dtype": "image", "shape": [lens.height, lens.width, 1], "names": picture["names"]}
        film = {
            "video.height": lens.height,
            "video.width": lens.width,
            "video.codec": Video.CODEC,
            "video.pix_fmt": Video.PIXELS,
            "video.is_depth_map": False,
            "video.fps": self.fps,
            "video.channels": 3,
            "has_audio": False,
        }
        pixel = {"dtype": "int32", "shape": [2], "names": ["column", "row"]}
        return {
            RGB: {"dtype": "video", **picture, "info": film},
            DEPTH: grey,
            **({SEMANTIC: grey} if self.about.semantic else {}),
            "observation.state": {"dtype": "float32", "shape": [7], "names": POSE},
            "action": _single("int64"),
            "expert_action": _single("int64"),
            f"pose.{self._camera}": {"dtype": "float32", "shape": [4, 4], "names": None},
            f"goal.{self._camera}": pixel,
            f"relative_goal_frame_id.{self._camera}": _single("int32"),
            "goal_pixel": pixel,
            "distance_to_goal": _single("float32"),
            "clause_index": _single("int64"),
            "observation.camera_intrinsic": {"dtype": "float32", "shape": [3, 3], "names": None},
            "timestamp": _single("float32"),
            **{name: _single("int64") for name in ("frame_index", "episode_index", "index", "task_index")},
        }

    def loading(self) -> str:
        return (
            f"LeRobot {self.version}: `{DEPTH}` is in millimetres (16 bits), `action` what was done after the frame. "
            "An episode's `tasks` are all instructions of its path, `languages` their tags, `clauses` their parts, "
            "of which `clause_index` names one."
        )


def _single(dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": [1], "names": None}


def _statistics(values: Any) -> dict[str, Any]:
    """Of a column (T, ...), as LeRobot's files have them."""
    kept = values.astype(np.float64).reshape(len(values), *(values.shape[1:] or (1,)))
    # A distance is inf where no goal can be reached from there; JSON has no such number.
    kept = np.where(np.isfinite(kept), kept, 0.0)
    said = {"min": kept.min(0), "max": kept.max(0), "mean": kept.mean(0), "std": kept.std(0)}
    return {name: value.tolist() for name, value in said.items()} | {"count": [len(values)]}


def _colours(pictures: Any) -> dict[str, Any]:
    """Of (T, H, W, 3) uint8: each channel's, from 0 to 1, shaped (3, 1, 1)."""
    flat = np.ascontiguousarray(pictures.reshape(-1, 3).T) / 255.0  # rows are added up far faster than columns
    said = {"min": flat.min(1), "max": flat.max(1), "mean": flat.mean(1), "std": flat.std(1)}
    return {name: value.reshape(3, 1, 1).tolist() for name, value in said.items()} | {"count": [len(pictures)]}
