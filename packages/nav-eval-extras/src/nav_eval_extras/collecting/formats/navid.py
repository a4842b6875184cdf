"""NaVid and Uni-NaVid: a film for each decision and annotations.json, a conversation for each film and instruction.

Their reader takes a frame a second of the whole film, and the last one for the present view, so that each decision has
a film of its own: the episode's first frames, encoded once. Uni-NaVid's reader draws frames of a film whose id holds
NAV_ID, and both know a navigation question by words that it holds.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval_extras.collecting.formats.answers import decisions, sentence, words
from nav_eval_extras.collecting.formats.base import Format, conversation, require_even, wordings, write_rows
from nav_eval_extras.collecting.pictures import splice
from nav_eval_extras.collecting.walking import Walk

FOLDER = "nav_videos"
QUESTION = (
    "Imagine you are a robot programmed for navigation tasks. You have been given a video of historical observations "
    "and an image of the current observation <image>. Your assigned task is: '{}'. Analyze this series of images to "
)


class NaVid(Format):
    """What LazySupervisedDataset in navid/train/train.py reads, asked as navid_agent.py asks."""

    fps = 1
    depth = False
    prompt: ClassVar[str] = QUESTION + (
        "decide your next move, which could involve turning left or right by a specific degree or moving forward a "
        "certain distance."
    )

    def __init__(self, out: Any, about: Any) -> None:
        super().__init__(out, about)
        require_even(about.lens)

    def _answers(self, walk: Walk) -> Iterator[tuple[int, str]]:
        for step, labels in decisions(walk):
            yield step, sentence(labels, self.about)

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        answers = list(self._answers(walk))
        fresh = self.out / FOLDER / f"{index:06d}.tmp"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for step, _ in answers:
            splice(str(fresh / f"{step}.mp4"), [io.BytesIO(walk.video)], step + 1)
        size = sum(film.stat().st_size for film in fresh.iterdir())
        shutil.rmtree(fresh.with_suffix(""), ignore_errors=True)
        fresh.rename(fresh.with_suffix(""))
        return {
            "index": index,
            "wordings": wordings(walk),
            "languages": [one.language for one in walk.route.wordings],
            "answers": answers,
            "size": size,
        }

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        write_rows(self.out / "annotations.json", (row for record in records for row in self._rows(record)))

    def _rows(self, record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for number, wording in enumerate(record["wordings"]):
            for step, answer in record["answers"]:
                yield {
                    "id": f"NAV_ID_{record['index']}_{number}_{step}",
                    "video": f"{FOLDER}/{record['index']:06d}/{step}.mp4",
                    "conversations": conversation(self.prompt.format(wording["text"]), answer),
                    "episode_id": wording["episode_id"],
                    "language": wording["language"],
                }

    def loading(self) -> str:
        return "`annotations.json` is a `--data_path`, this folder the `--video_folder`, with `--video_fps 1`."


class UniNaVid(NaVid):
    """What LazySupervisedDataset in uninavid/train/train.py reads, asked as offline_eval_uninavid.py asks."""

    prompt = QUESTION + (
        "determine your next four actions. The predicted action should be one of the following: forward, left, right, "
        "or stop."
    )

    def _answers(self, walk: Walk) -> Iterator[tuple[int, str]]:
        for step, labels in decisions(walk, 4, alike=False):
            yield step, words(labels)
