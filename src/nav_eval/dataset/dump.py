"""Writes episodes as a data set file of any format; what was read and written back reads the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nav_eval.dataset.dataset import FileDataset
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.registry import DATASETS
from nav_eval.dataset.vln import VLNDataset
from nav_eval.dataset.writing import write_list, write_object
from nav_eval.errors import DatasetError

NO_HEADER: Mapping[str, Any] = MappingProxyType({})


def dump_dataset(
    type: str,  # noqa: A002 - the configuration's own key
    episodes: Iterable[Episode],
    path: str | Path,
    header: Mapping[str, Any] | None = NO_HEADER,
) -> None:
    """Write `episodes` as one file, gzip if `path` ends in .gz.

    `header`: the file's other members, as `FileDataset.header` gives them; None asks for a bare list of episodes, where
    the format keeps no table of goals beside them.
    Raises DatasetError if the format cannot hold the episodes.
    """
    format_ = _format(type)
    members = dict(header or {})
    records = format_.records(episodes, members)
    if format_.bare_list or (header is None and format_.table_key is None):
        write_list(str(path), records)
    else:
        write_object(str(path), _members(records, members))


def _members(records: Iterator[Any], members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The other members come last: the records fill them in."""
    yield "episodes", records
    yield from members.items()


def _format(name: str) -> type[FileDataset]:
    member: Any = VLNDataset if name == VLNDataset.type else DATASETS.get(name)
    if isinstance(member, type) and issubclass(member, FileDataset):
        return member
    raise DatasetError(f"{name}: this data set type cannot be written. Choose the type of one file format.")
