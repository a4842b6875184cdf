"""StreamVLN: images/<id>/rgb/NNN.jpg and annotations.json; its reader puts the last action, stop, there itself."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from PIL import Image

from nav_eval.results.files import write_bytes
from nav_eval_extras.collecting.formats.base import Format, conversation, require_even, steps_of, wordings, write_rows
from nav_eval_extras.collecting.pictures import Video
from nav_eval_extras.collecting.walking import Walk

BEGINS = -1
"""What stands before the first action."""
FILM = "questions/{episode_index:06d}/{number}.mp4"


class StreamVLN(Format):
    """What streamvln/dataset/vln_action_dataset.py reads. Depth, poses and the rest lie beside the pictures.

    Of annotations.json it does not read clauses, languages, scene_id and episode_ids.
    """

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        scene = re.sub(r"\W+", "-", walk.route.key[0].rsplit("/", 1)[-1].split(".", 1)[0])
        name = f"images/{scene}_{self.about.benchmark}_{index:06d}"
        fresh = self.out / f"{name}.tmp"
        shutil.rmtree(fresh, ignore_errors=True)
        digits = max(3, len(str(self.about.max_steps)))  # the reader sorts names as texts
        for kind, ending, files in (
            ("rgb", "jpg", walk.rgb),
            ("depth", "png", walk.depth),
            ("semantic", "png", walk.semantic),
        ):
            if files:
                (fresh / kind).mkdir(parents=True)
            for number, data in enumerate(files, 1):
                (fresh / kind / f"{number:0{digits}d}.{ending}").write_bytes(data)
        (fresh / "steps.json").write_text(json.dumps(steps_of(walk)))
        shutil.rmtree(self.out / name, ignore_errors=True)
        fresh.rename(self.out / name)
        self._film(walk, index)
        return {
            "id": index,
            "video": name,
            "instructions": [one.text for one in walk.route.wordings],
            "actions": [BEGINS, *walk.expert_actions[:-1]],
            "clauses": [one.clauses for one in walk.route.wordings],
            "languages": [one.language for one in walk.route.wordings],
            "scene_id": walk.route.key[0],
            "episode_ids": [one["episode_id"] for one in wordings(walk)],
        }

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        write_rows(self.out / "annotations.json", records)

    def _film(self, walk: Walk, index: int) -> None:
        """Films of the frames that are asked about: their reader of questions takes no other pictures."""
        for number, asked in enumerate(walk.questions):
            require_even(walk.lens)
            video = Video(walk.lens.width, walk.lens.height, fps=1)
            for frame in asked["frames"]:
                video.add(np.array(Image.open(io.BytesIO(walk.rgb[frame]))))
            file = self.out / FILM.format(episode_index=index, number=number)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(file, video.close())

    def question(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """What LazySupervisedDataset in streamvln/streamvln_train.py reads."""
        asked = conversation(f"<image>\n{row['question']}", row["answer"])
        return {**row, "video": FILM.format(**row), "conversations": asked}

    def loading(self) -> str:
        return (
            "`annotations.json` and `images/` are what StreamVLN's `--video_folder` takes. `depth/` holds millimetres "
            "(16-bit PNG), `steps.json` poses, camera poses, intrinsics, distances and pixels of each step."
        )
