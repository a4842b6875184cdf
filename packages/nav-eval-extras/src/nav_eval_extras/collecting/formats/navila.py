"""NaVILA: train/<episode>/frame_<n>.jpg and annotations.json, a question and an answer for each decision."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nav_eval_extras.collecting.formats.answers import decisions, sentence
from nav_eval_extras.collecting.formats.base import Format, conversation, write_rows
from nav_eval_extras.collecting.walking import Walk

FOLDER = "train"


class NaVILA(Format):
    """What LazyVLNCEDataset in llava/data/dataset.py reads; its image folder is `train`."""

    depth = False

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
            "answers": [(step, sentence(labels, self.about)) for step, labels in decisions(walk)],
        }

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        write_rows(self.out / "annotations.json", (row for record in records for row in self._rows(record)))

    def _rows(self, record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for text, language in zip(record["instructions"], record["languages"]):
            for step, answer in record["answers"]:
                frames = [f"{record['index']}/frame_{number}.jpg" for number in range(step + 1)]
                yield {"video_id": str(record["index"]), "q": text, "a": answer, "frames": frames, "language": language}

    def question(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """What LazySupervisedDataset there reads, of a data set of type `torch`."""
        images = [f"{row['episode_index']}/frame_{number}.jpg" for number in row["frames"]]
        asked = "<image>\n" * len(images) + row["question"]
        return {**row, "images": images, "conversations": conversation(asked, row["answer"])}

    def loading(self) -> str:
        return f"`annotations.json` and `{FOLDER}/` are a `vlnce` data set of NaVILA's `datasets_mixture.py`."
