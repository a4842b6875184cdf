"""Hugging Face `datasets`: a Parquet file for each episode, a row for each step, pictures in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval_extras.collecting.formats.base import About, Format, require_pyarrow
from nav_eval_extras.collecting.formats.tables import IMAGE, lists, matrix, scalar, texts, vector, write_table
from nav_eval_extras.collecting.walking import Walk


class Datasets(Format):
    """What `datasets.load_dataset(FOLDER)` reads."""

    def __init__(self, out: Path, about: About) -> None:
        require_pyarrow()
        super().__init__(out, about)

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        steps = len(walk)
        told, tags = zip(*((one.text, one.language) for one in walk.route.wordings))
        columns = {
            "rgb": (IMAGE, walk.rgb),
            "depth": (IMAGE, walk.depth),
            **({"semantic": (IMAGE, walk.semantic)} if walk.semantic else {}),
            "action": (scalar("int64"), np.array(walk.actions)),
            "expert_action": (scalar("int64"), np.array(walk.expert_actions)),
            "pose": (vector("float64", 7), np.array(walk.poses)),
            "camera_pose": (matrix(4, 4), np.array(walk.cameras)),
            "intrinsics": (matrix(3, 3), np.stack([walk.intrinsics] * steps)),
            "distance_to_goal": (scalar("float32"), np.array(walk.distances)),
            "goal_pixel": (vector("int32", 2), np.array(walk.goals)),
            "subgoal": (vector("int32", 3), np.array(walk.subgoals)),
            "instructions": (texts(), [told] * steps),
            "languages": (texts(), [tags] * steps),
            "clauses": (lists(texts()), [[one.clauses for one in walk.route.wordings]] * steps),
            "clause_index": (scalar("int64"), np.array(walk.clauses)),
            "scene_id": (scalar("string"), [walk.route.key[0]] * steps),
            "episode_index": (scalar("int64"), np.full(steps, index)),
            "step": (scalar("int64"), np.arange(steps)),
        }
        write_table(self.out / f"data/train-{index:06d}.parquet", columns)
        return {"languages": tags}

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        """There is nothing to list: the folder is the list."""

    def configs(self) -> str:
        return "configs:\n- config_name: default\n  data_files: data/*.parquet\n"

    def loading(self) -> str:
        return "`datasets.load_dataset(FOLDER)`; `depth` is in millimetres (16 bits)."
