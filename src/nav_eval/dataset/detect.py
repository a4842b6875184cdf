"""Tells a data set file's format from its first record, for `nav-eval validate` and for the type "vln"."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nav_eval.dataset.dataset import DatasetRequest, FileDataset
from nav_eval.dataset.registry import DATASETS
from nav_eval.dataset.streaming import MAX_BYTES, JsonStream
from nav_eval.dataset.vln import VLNDataset
from nav_eval.errors import DatasetError

VLN_TYPES = ("r2r", "r4r", "rxr", "reverie", "fgr2r", "ndh", "r2r-ce", "rxr-ce")


def open_vln(request: DatasetRequest) -> FileDataset:
    """The specification's "vln": its own episodes, or any format with instructions. Reads the file's beginning."""
    found = detect_type(request.data_path, request.max_bytes)
    if found == "vln":
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
    """The format's name; raises DatasetError if the file is none that we know, or cannot be read.

    Damaged records and content files are passed over as long as one further on can be told.
    """
    trouble: DatasetError | None = None
    for file in (path, *_content(path)):
        try:
            found = _detect(file, max_bytes)
        except DatasetError as error:
            trouble = trouble or error
        else:
            if found is not None:
                return found
    raise trouble or DatasetError(
        f"{path}: there is no episode in it or in a folder content/ beside it, so its type is unknown. "
        "Unpack the whole archive, or name the type."
    )


def _detect(file: str, max_bytes: int) -> str | None:
    """The format of one file; None if it holds no records."""
    members: set[str] = set()
    record: Any = None
    for part in JsonStream(file, max_bytes=max_bytes):
        if part.number is None:
            members.add(part.key)
            continue
        record = part.value
        found = _type_of(record, members) if isinstance(record, dict) else None
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


def _content(path: str) -> list[str]:
    return sorted(str(file) for file in (Path(path).parent / "content").glob("*.json*"))


def _type_of(record: Mapping[str, Any], members: set[str]) -> str | None:
    if "demonstration_id" in record or ("scan" in record and isinstance(record.get("instruction"), str)):
        return "rxr"
    if "instructions" in record and ("objId" in record or "ix" in record):
        return "reverie"
    for key, name in _SIGNS.items():
        if key in record:
            return name
    instruction = record.get("instruction")
    if told := {name for part in _parts(instruction) for name in part}:
        if "text" in told and "instruction_text" not in told:
            return "vln"
        return "rxr-ce" if "language" in told else "r2r-ce"
    if "reference_path" in record:
        return "vln"  # whose instruction is missing
    if "object_category" in record or "goals_by_category" in members:
        return "objectnav"
    return "pointnav" if "start_position" in record else None


def _parts(instruction: Any) -> list[Mapping[str, Any]]:
    """The specification prints an instruction as a list of its parts."""
    parts = instruction if isinstance(instruction, list) else [instruction]
    return [part for part in parts if isinstance(part, Mapping)]


_SIGNS = {
    "new_instructions": "fgr2r",
    "first_path_id": "r4r",
    "dialog_history": "ndh",
    "goal_image_id": "instance-imagenav",
    "instructions": "r2r",
    "path_id": "r2r",
}
_TRIES = 100
