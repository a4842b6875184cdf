"""REVERIE: R2R's paths told from their ends, with the object that is asked for there.

Success is to end where the object is visible. That stands in the boxes that REVERIE ships beside its episodes, a file
for each viewpoint (bbox/<scan>_<viewpoint>.json) or one for all (BBoxes.json, DUET's). Nothing is judged without them.
Source: YuankaiQi/REVERIE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from nav_eval.dataset.dataset import GoalSource
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import Fields
from nav_eval.dataset.r2r import R2RDataset
from nav_eval.dataset.streaming import JsonStream
from nav_eval.errors import DatasetError

BESIDE = ("BBoxes_v2.json", "BBoxes.json", "bbox", "BBox")
"""What the boxes are called where they lie beside the episodes."""


class ReverieDataset(R2RDataset):
    """Called `<id>_<k>` (<path_id>_<objId>_<k>). `extra["success_nodes"]`: the viewpoints that see the object."""

    type: ClassVar[str] = "reverie"
    _seen: Mapping[tuple[str, str], tuple[str, ...]] | None = None

    @property
    def boxes(self) -> Path | None:
        """The file or folder of the boxes: `gt_path`, or what lies beside the episodes."""
        if self.request.gt_path is not None:
            return Path(self.request.gt_path)
        beside = (Path(self.request.data_path).with_name(name) for name in BESIDE)
        return next((path for path in beside if path.exists()), None)

    @property
    def box_files(self) -> list[str]:
        """Those of the scans that the episodes are in."""
        boxes = self.boxes
        if boxes is None or not boxes.is_dir():
            return [] if boxes is None else [str(boxes)]
        records = (part.value for part in self._stream(self.request.data_path))
        scans = {record.get("scan") for record in records if isinstance(record, dict)}
        return sorted(str(file) for file in boxes.glob("*_*.json") if file.name.partition("_")[0] in scans)

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.episode_files, *self.box_files)

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        name = record.identifier("id") if "id" in record else f"{record.label('path_id')}_{record.label('objId')}"
        sought = record.label("objId")
        named = Fields({**record.values, "path_id": name}, record.origin, record.path)
        told = record.rest("scan", "path", "instructions")
        if sought and self.boxes is not None:
            told["success_nodes"] = self._visible(record, sought)
        for episode in super().read(named, goals):
            aims = tuple(replace(goal, object_id=sought or None) for goal in episode.goals)
            yield replace(episode, goals=aims, extra=told)

    @classmethod
    def record(cls, scan: str, path_id: str, episodes: list[Episode]) -> dict[str, Any]:
        kept = episodes[0].extra
        own = ("path_id",) if "path_id" in kept or "id" not in kept else ()
        record = super().record(scan, path_id, episodes) | {key: kept[key] for key in own if key in kept}
        return {key: value for key, value in record.items() if key != "success_nodes" and (key != "path_id" or own)}

    def _visible(self, record: Fields, sought: str) -> list[str]:
        if self._seen is None:
            self._seen = _read_boxes(self.box_files, self.request.max_bytes)
        nodes = self._seen.get((record.label("scan"), sought), ())
        if not nodes:
            record.fault("objId", f"no viewpoint in {self.boxes} sees object {sought} of scan {record.label('scan')}")
        return list(nodes)


def _read_boxes(files: Iterable[str], max_bytes: int) -> dict[tuple[str, str], tuple[str, ...]]:
    """(scan, object) -> the viewpoints that see it."""
    seen: dict[tuple[str, str], dict[str, None]] = {}
    for file in files:
        for part in JsonStream(file, max_bytes=max_bytes, records=""):
            scan, _, node = part.key.rpartition("_")
            scan = scan or Path(file).name.partition("_")[0]
            for name, one in _objects(file, part.key, part.value):
                if one.get("visible_pos"):
                    seen.setdefault((scan, name), {})[node] = None
    return {key: tuple(nodes) for key, nodes in seen.items()}


def _objects(file: str, key: str, value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise DatasetError(f"{file}: {key}: expected objects by id. Give REVERIE's BBoxes.json or its folder bbox.")
    yield from value.items()
