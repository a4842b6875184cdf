"""By which keys a record is known to be of one data set and not of another, and what is known but not supported.

Readers ask this of a file's first record, so that no file is taken for another task's: a reader of points would find
goals in nearly every file of the field.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from nav_eval.errors import DatasetError

_SIGNS = {
    "new_instructions": "fgr2r",
    "first_path_id": "r4r",
    "demonstration_id": "rxr",
    "inst_idx": "ndh",
    "nav_steps": "cvdn",
    "dialog_history": "cvdn",
    "goal_image_id": "instance-imagenav",
    "tasks": "goat",
    "question": "eqa",
}
_ORDERED = frozenset({"object_index", "currGoalIndex", "distractors"})
"""Keys of MultiON alone."""
_PATHS = frozenset({"r2r", "r4r", "fgr2r"})
_SPOKEN = frozenset({"r2r-ce", "rxr-ce"})
_READ_BY: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_PATHS, _PATHS),
    **dict.fromkeys(_SPOKEN, _SPOKEN),
    "imagenav": frozenset({"pointnav"}),
    **{
        name: frozenset({name})
        for name in ("rxr", "reverie", "soon", "ndh", "cvdn", "vlnverse", "pointnav", "objectnav")
    },
    **{name: frozenset({name}) for name in ("multion", "goat", "instance-imagenav")},
}
"""Reader -> the data sets whose records it reads. A reader that is not here, such as a plug-in's, is not asked."""
_ANYBODYS = ("pointnav", "vln")
"""A start alone, or with a path: the reader says which key it lacks."""
UNSUPPORTED = {
    "eqa": (
        "embodied question answering",
        "no task asks a question. Its navigation part can be written as pointnav or objectnav episodes",
    ),
    "soon-raw": (
        "SOON as it was first released",
        "a record holds several paths, and its instructions have no ids. Give the rows that VLN-DUET made of it "
        "(<split>_enc.jsonl)",
    ),
}
"""Recognised, and refused by name, with what would be needed."""


def type_of(record: Mapping[str, Any], members: Collection[str] = ()) -> str | None:
    """The data set that `record` is of, as far as its keys tell; `members`: those of its file read before it."""
    for key, name in _SIGNS.items():
        if key in record:
            return name
    if "bboxes" in record and "instructions" in record:
        return "soon" if _one_path(record) else "soon-raw"
    if "scan" in record and isinstance(record.get("instruction"), str):
        return "rxr"
    if "scan" in record and "start_position" in record:
        return "vlnverse"
    if "instructions" in record and ("objId" in record or "ix" in record):
        return "reverie"
    if "instructions" in record or "path_id" in record:
        return "r2r"
    return _instruction_format(record) or _sought(record, members)


def refuse_unsupported(found: str | None, file: str) -> None:
    """Raises DatasetError for what is known and not supported."""
    if found in UNSUPPORTED:
        name, why = UNSUPPORTED[found]
        raise DatasetError(f"{file}: is {name}, which is not supported: {why}.")


def refuse_others(reader: str, record: Any, members: Collection[str], file: str) -> None:
    """Raises DatasetError where `record` is surely of a data set that `reader` is not made for."""
    if reader not in _READ_BY or not isinstance(record, Mapping):
        return
    found = type_of(record, members)
    refuse_unsupported(found, file)
    if found in (None, *_ANYBODYS, *_READ_BY[reader]) and not (found == "vln" and "instruction" in record):
        return
    if found == "objectnav" and reader in ("pointnav", "imagenav") and not _told_by_category(record, members):
        return  # points, each with the object that is there
    raise DatasetError(f"{file}: looks like {found}, not like {reader}. Set dataset.type={found}.")


def _one_path(record: Mapping[str, Any]) -> bool:
    path = record.get("path")
    return isinstance(path, list) and all(isinstance(node, str) for node in path)


def _instruction_format(record: Mapping[str, Any]) -> str | None:
    if told := {name for part in _parts(record.get("instruction")) for name in part}:
        if "text" in told and "instruction_text" not in told:
            return "vln"
        return "rxr-ce" if "language" in told else "r2r-ce"
    return "vln" if "reference_path" in record else None  # whose instruction is missing


def _parts(instruction: Any) -> list[Mapping[str, Any]]:
    """The specification prints an instruction as a list of its parts."""
    parts = instruction if isinstance(instruction, list) else [instruction]
    return [part for part in parts if isinstance(part, Mapping)]


def _sought(record: Mapping[str, Any], members: Collection[str]) -> str | None:
    category, goals = record.get("object_category"), record.get("goals")
    listed = goals if isinstance(goals, list) else []
    named = [goal.get("object_category") for goal in listed if isinstance(goal, Mapping)]
    kinds = {str(name) for name in named if name}
    if isinstance(category, list) or _ORDERED & record.keys() or len(kinds) > 1:
        return "multion"
    if any(name.startswith("cylinder_") for name in kinds):
        return "multion"  # of a single goal
    if kinds or _told_by_category(record, members):
        return "objectnav"
    return "pointnav" if "start_position" in record else None


def _told_by_category(record: Mapping[str, Any], members: Collection[str]) -> bool:
    return "object_category" in record or "goals_by_category" in members
