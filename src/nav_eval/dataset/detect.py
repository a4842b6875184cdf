"""Tells a data set file's format from its first record, for `nav-eval validate` and for the type "vln"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nav_eval.dataset.dataset import DatasetRequest, FileDataset
from nav_eval.dataset.registry import DATASETS
from nav_eval.dataset.signs import refuse_unsupported, type_of
from nav_eval.dataset.streaming import MAX_BYTES, JsonStream
from nav_eval.dataset.vln import VLNDataset
from nav_eval.errors import DatasetError

VLN_TYPES = ("r2r", "r4r", "rxr", "reverie", "soon", "fgr2r", "ndh", "cvdn", "r2r-ce", "rxr-ce", "vlnverse")


def open_vln(request: DatasetRequest) -> FileDataset:
    """The specification's "vln": its own episodes, or any format with instructions. Reads the file's beginning."""
    found = _known_type(request.data_path, request.max_bytes)
    if found in ("vln", None):
        return VLNDataset(request)
    if found == "pointnav":
        raise DatasetError(
            f"{request.data_path}: its episodes have no instruction, and a vln task is told by one. Give each of them "
            '"instruction": {"text": "..."}; a file of another task is named by task.type and dataset.type.'
        )
    if found not in VLN_TYPES:
        raise DatasetError(f"{request.data_path}: looks like {found}, not like vln. Set dataset.type={found}.")
    return open_as(found, request)


def open_as(type_name: str, request: DatasetRequest) -> FileDataset:
    """A built-in format by name."""
    dataset = DATASETS.get(type_name)(request)
    if not isinstance(dataset, FileDataset):
        raise DatasetError(f"{request.data_path}: {type_name} is a plug-in that reads no data set files of its own.")
    return dataset


def detect_type(path: str, max_bytes: int = MAX_BYTES) -> str:
    """The format's name; raises DatasetError if the file is none that we know, or cannot be read."""
    found = _known_type(path, max_bytes)
    if found is None:
        raise DatasetError(
            f"{path}: there is no episode in it or in a folder content/ beside it, so its type is unknown. "
            "Unpack the whole archive, or name the type."
        )
    return found


def _known_type(path: str, max_bytes: int) -> str | None:
    """`detect_type`, or None where there is no episode.

    Damaged records and content files are passed over as long as one further on can be told.
    """
    trouble: DatasetError | None = None
    for file in (path, *sorted(map(str, Path(path).parent.glob("content/*.json*")))):
        try:
            found = _detect(file, max_bytes)
        except DatasetError as error:
            trouble = trouble or error
        else:
            if found is not None:
                return found
    if trouble is not None:
        raise trouble
    return None


def _detect(file: str, max_bytes: int) -> str | None:
    """The format of one file; None if it holds no records."""
    members: set[str] = set()
    record: Any = None
    for part in JsonStream(file, max_bytes=max_bytes):
        if part.number is None:
            members.add(part.key)
            continue
        record = part.value
        found = type_of(record, members) if isinstance(record, dict) else None
        refuse_unsupported(found, file)
        if found is not None:
            return found
        if part.number == _TRIES:
            break
    if members & {"goals_by_category", "category_to_task_category_id"}:
        return "objectnav"
    if record is None:
        return None
    keys = sorted(record)[:8] if isinstance(record, dict) else type(record).__name__
    raise DatasetError(f"{file}: no known data set has such records ({keys}). Name the type, or give another file.")


_TRIES = 100
