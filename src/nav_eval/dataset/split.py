"""Which split a data set file is known to be, so that no figure carries a guessed label.

A file says it itself (a member `split`, or its first record, as RxR's instructions do), or its name is one that the
field gives to a split. Any other file's split is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nav_eval.dataset.streaming import MAX_BYTES, JsonStream
from nav_eval.errors import DatasetError

_ROLE = re.compile(r"_(guide|follower)$")
_NAME = re.compile(
    r"(?:.*[_.-])?(?P<compound>val_(?:train_)?seen|val_unseen|val_mini)"
    r"|(?:[A-Z][A-Za-z0-9]*_)?(?P<plain>train|val|test|minival|test_(?:standard|challenge))"
)
"""`val_unseen` says what it is wherever it ends a name; `test` only alone or after a data set's name (R2R_test)."""


def known_split(path: str | Path, max_bytes: int = MAX_BYTES) -> str | None:
    """The split that the file at `path` is known to be, by its content, else by its name; None if by neither."""
    return _by_content(str(path), max_bytes) or _by_name(Path(path).name)


def same_split(one: str, other: str) -> bool:
    """Whether two names are of one split; RxR's roles (`val_seen_guide`) are parts of it."""
    return _ROLE.sub("", one) == _ROLE.sub("", other)


def _by_content(path: str, max_bytes: int) -> str | None:
    """Reads no further than the first record. A file that cannot be read says nothing: its loader tells why."""
    try:
        for part in JsonStream(path, max_bytes=max_bytes):
            if part.key == "split" and isinstance(part.value, str):
                return part.value
            if part.number is not None:
                return _of_record(part.value)
    except DatasetError:
        pass
    return None


def _of_record(record: Any) -> str | None:
    for holder in (record, record.get("instruction") if isinstance(record, Mapping) else None):
        split = holder.get("split") if isinstance(holder, Mapping) else None
        if isinstance(split, str) and split:
            return split
    return None


def _by_name(name: str) -> str | None:
    stem = _ROLE.sub("", re.sub(r"\.jsonl?(\.gz)?$", "", name))
    found = _NAME.fullmatch(stem)
    return found and (found["compound"] or found["plain"])
