"""Which part of an instruction tells which part of its path, where the data set says so: those that nav_eval generates.

The file <split>_clauses.json(.gz) lies beside the episodes: by episode id the clauses, which joined are the
instruction, and where each is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.dataset.streaming import JsonStream
from nav_eval.errors import DatasetError
from nav_eval.geometry import Vec3

NEAR = 1.0
"""m; whoever comes no nearer to where a clause ends has not done it."""


@dataclass(frozen=True)
class Clauses:
    """Of one instruction. `ends`: for each clause where it is done, m; the same for all wordings of a path."""

    texts: tuple[str, ...]
    ends: tuple[Vec3, ...]


UNCUT = Clauses((), ())


def load_clauses(files: Sequence[str], max_bytes: int) -> Mapping[str, Clauses]:
    """By episode id what lies beside the first of a data set's files, empty where nothing does.

    Raises DatasetError if that is damaged.
    """
    if not files:
        return {}
    main = Path(files[0])
    split, dot, suffix = main.name.partition(".")
    file = main.with_name(f"{split}_clauses{dot}{suffix}")
    if not file.is_file():
        return {}
    return {part.key: _read(part.value, file) for part in JsonStream(str(file), max_bytes=max_bytes, records="")}


def _read(entry: Any, file: Path) -> Clauses:
    try:
        pairs = zip(entry["clauses"], entry["ends"], strict=True)
        texts, ends = zip(*((text, (x, y, z)) for text, (x, y, z) in pairs), strict=True)
        return Clauses(texts, ends)
    except (KeyError, TypeError, ValueError):
        raise DatasetError(f"{file}: is damaged. Generate the episodes again, or remove this file.") from None


def clause_indices(way: Any, ends: Sequence[Vec3]) -> list[int]:
    """(T, 3) positions, m -> for each the number of the clause that is carried out there, from 0; -1: not known.

    The next begins where the way comes nearest to the end of the one before.
    """
    indices = np.full(len(way), 0 if ends else -1)
    begun = 0
    for end in ends[:-1]:
        gaps = np.linalg.norm(way[begun:] - np.array(end), axis=1)
        if gaps.min() > NEAR:
            break
        begun += int(gaps.argmin())
        indices[begun:] += 1
    found: list[int] = indices.tolist()
    return found
