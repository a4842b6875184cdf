"""LeRobot v3.0: many episodes in a Parquet file and in a video, and meta/ that says where in them each is.

An episode is first written to files of its own, as in v2.1; when those of a file are whole they are joined, without
encoding again. A kill leaves whole files, and episodes' own that the next call joins.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nav_eval.results.files import write_atomically, write_json
from nav_eval_extras.collecting.formats.lerobot import CHUNK, RGB, TOLD, LeRobot
from nav_eval_extras.collecting.formats.tables import write_tables
from nav_eval_extras.collecting.pictures import splice
from nav_eval_extras.collecting.walking import Walk

FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
DATA, VIDEO, EPISODES = f"data/{FILE}.parquet", f"videos/{{video_key}}/{FILE}.mp4", f"meta/episodes/{FILE}.parquet"
SINGLE = "joining"
"""The folder of episodes that are not in a file of many yet."""
ROWS = 1000


class LeRobotV3(LeRobot):
    """What LeRobotDataset of codebase version 3.0 reads."""

    version = "v3.0"
    episodes_a_file: ClassVar[int] = 50
    """About the hundred megabytes that LeRobot fills a file with, at 640x480."""

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        self._join(index // self.episodes_a_file)
        return super().write(walk, index)

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        self._join(math.inf)
        super().finish(records)

    def _files(self, index: int) -> tuple[Path, Path]:
        single = self.out / SINGLE / f"{index // self.episodes_a_file}" / f"{index:06d}.parquet"
        return single, single.with_suffix(".mp4")

    def _join(self, below: float) -> None:
        """Make the files whose number is below this one, where their episodes are still single."""
        for folder in (self.out / SINGLE).glob("*"):
            if int(folder.name) < below:
                self._join_file(folder, _place(int(folder.name)))
                shutil.rmtree(folder)
        if below == math.inf:
            shutil.rmtree(self.out / SINGLE, ignore_errors=True)

    def _join_file(self, folder: Path, place: Mapping[str, int]) -> None:
        """Leaves a file that is there: a kill may have come when some of its single episodes were gone."""
        from pyarrow import parquet

        data, film = self.out / DATA.format(**place), self.out / VIDEO.format(video_key=RGB, **place)
        films = [str(path) for path in sorted(folder.glob("*.mp4"))]
        film.parent.mkdir(parents=True, exist_ok=True)
        if not film.exists():
            write_atomically(film, lambda fresh: splice(str(fresh), films))
        if not data.exists():
            write_tables(data, (parquet.read_table(path) for path in sorted(folder.glob("*.parquet"))))

    def _list(self, meta: Path, tasks: Iterable[Mapping[str, Any]], records: Iterable[Mapping[str, Any]]) -> None:
        write_tables(meta / "tasks.parquet", [_tasks(list(tasks))])
        write_tables(self.out / EPISODES.format(**_place(0)), _tables(self._rows(records)))
        write_json(meta / "stats.json", _whole(record["stats"] for record in records))

    def _rows(self, records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        begun = 0
        for index, record in enumerate(records):
            if index % self.episodes_a_file == 0:
                file_begun = begun
            ended = begun + record["length"]
            place = _place(index // self.episodes_a_file)
            yield {
                **{name: record[name] for name in TOLD},
                **{f"data/{name}": value for name, value in place.items()},
                "dataset_from_index": begun,
                "dataset_to_index": ended,
                **{f"videos/{RGB}/{name}": value for name, value in place.items()},
                f"videos/{RGB}/from_timestamp": (begun - file_begun) / self.fps,
                f"videos/{RGB}/to_timestamp": (ended - file_begun) / self.fps,
                **{f"meta/episodes/{name}": value for name, value in _place(0).items()},
                **{f"stats/{of}/{name}": one for of, stats in record["stats"].items() for name, one in stats.items()},
            }
            begun = ended

    def _layout(self, episodes: int) -> dict[str, Any]:
        return {"data_files_size_in_mb": 100, "video_files_size_in_mb": 200, "data_path": DATA, "video_path": VIDEO}


def _place(file: int) -> dict[str, int]:
    return {"chunk_index": file // CHUNK, "file_index": file % CHUNK}


def _tables(rows: Iterator[dict[str, Any]]) -> Iterator[Any]:
    import pyarrow as pa

    schema = None
    while some := list(islice(rows, ROWS)):
        table = pa.Table.from_pylist(some, schema=schema)
        schema = table.schema
        yield table


def _tasks(tasks: list[Mapping[str, Any]]) -> Any:
    """A row a task, in the order of their numbers; to pandas, which reads it, the texts are the index."""
    import pyarrow as pa

    kinds = {"task_index": ("int64", "int64"), "language": ("unicode", "object"), "task": ("unicode", "object")}
    columns = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": dtype, "metadata": None}
        for name, (kind, dtype) in kinds.items()
    ]
    told = {"index_columns": ["task"], "column_indexes": [], "columns": columns}
    table = pa.table({name: [task[name] for task in tasks] for name in kinds})
    return table.replace_schema_metadata({"pandas": json.dumps(told)})


def _whole(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Episodes' statistics -> those of all frames."""
    whole: dict[str, dict[str, Any]] = {}
    for part in parts:
        for name, said in part.items():
            now = {key: np.array(value) for key, value in said.items()}
            now["variance"] = now.pop("std") ** 2
            whole[name] = _both(whole[name], now) if name in whole else now
    for said in whole.values():
        said["std"] = np.sqrt(said.pop("variance"))
    return {name: {key: value.tolist() for key, value in said.items()} for name, said in whole.items()}


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    count = one["count"] + other["count"]
    share = other["count"] / count
    mixed = {key: one[key] + share * (other[key] - one[key]) for key in ("mean", "variance")}
    mixed["variance"] += share * (1 - share) * (other["mean"] - one["mean"]) ** 2
    least, most = np.minimum(one["min"], other["min"]), np.maximum(one["max"], other["max"])
    return {"min": least, "max": most, **mixed, "count": count}
