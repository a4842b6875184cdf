"""NaVILA: train/<episode>/frame_<n>.jpg and annotations.json, a question and an answer for each decision.

NaVid and Uni-NaVid are trained on the same pairs of frames so far and an action in words.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from nav_eval.results.files import write_atomically
from nav_eval_extras.collecting.formats.base import Format
from nav_eval_extras.collecting.walking import ACTIONS, Walk

FOLDER = "train"
AT_ONCE = 3
"""Equal actions that one answer joins: 75 cm, or 45 degrees where a turn is 15."""


class NaVILA(Format):
    """What LazyVLNCEDataset in llava/data/dataset.py reads; its image folder is `train`."""

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        fresh = self.out / FOLDER / f"{index}.tmp"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for number, data in enumerate(walk.rgb):
            (fresh / f"frame_{number}.jpg").write_bytes(data)
        shutil.rmtree(self.out / FOLDER / f"{index}", ignore_errors=True)
        fresh.rename(self.out / FOLDER / f"{index}")
        return {
            "index": index,
            "instructions": [one.text for one in walk.route.wordings],
            "languages": [one.language for one in walk.route.wordings],
            "expert_actions": walk.expert_actions,
        }

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        def write(fresh: Path) -> None:
            with fresh.open("w", encoding="utf-8") as file:
                separator = "[\n"
                for row in (row for record in records for row in self._rows(record)):
                    file.write(separator + json.dumps(row, ensure_ascii=False))
                    separator = ",\n"
                file.write("\n]\n")

        write_atomically(self.out / "annotations.json", write)

    def _rows(self, record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for text, language in zip(record["instructions"], record["languages"]):
            for step, answer in self._answers(record["expert_actions"]):
                frames = [f"{record['index']}/frame_{number}.jpg" for number in range(step + 1)]
                yield {"video_id": str(record["index"]), "q": text, "a": answer, "frames": frames, "language": language}

    def _answers(self, actions: Iterable[int]) -> Iterator[tuple[int, str]]:
        step = 0
        for action, alike in groupby(actions):
            left = len(list(alike))
            while left:
                count = min(left, AT_ONCE)
                yield step, self._answer(ACTIONS[action], count)
                step, left = step + count, left - count

    def _answer(self, action: str, count: int) -> str:
        words = action.replace("_", " ")
        if action == "stop":
            return "The next action is stop."
        if action == "move_forward":
            return f"The next action is {words} {round(100 * count * self.about.forward_step)} cm."
        return f"The next action is {words} {round(count * self.about.turn_angle)} degrees."

    def loading(self) -> str:
        return f"`annotations.json` and `{FOLDER}/` are a `vlnce` data set of NaVILA's `datasets_mixture.py`."
