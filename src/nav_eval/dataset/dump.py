"""Writes episodes as a data set file of any format; what was read and written back reads the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nav_eval.dataset.dataset import FileDataset, scene_name
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


def dump_by_scene(
    type: str,  # noqa: A002 - the configuration's own key
    episodes: Iterable[Episode],
    path: str | Path,
    header: Mapping[str, Any] = NO_HEADER,
) -> None:
    """Write a main file without episodes and `content/<scene>.json.gz` beside it, as Habitat's large sets are."""
    format_ = _format(type)
    scenes: dict[str, list[Episode]] = {}
    for episode in episodes:
        scenes.setdefault(scene_name(episode.scene_id), []).append(episode)
    content = Path(path).parent / "content"
    content.mkdir(parents=True, exist_ok=True)
    for scene, group in scenes.items():
        dump_dataset(type, group, content / f"{scene}.json.gz", _header_of(scene, header, format_.table_key))
    shared = {key: value for key, value in header.items() if key != format_.table_key}
    write_object(str(path), [("episodes", []), *shared.items()])


def _members(records: Iterator[Any], members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The other members come last: the records fill them in."""
    yield "episodes", records
    yield from members.items()


def _header_of(scene: str, header: Mapping[str, Any], table_key: str | None) -> Mapping[str, Any]:
    table = header.get(table_key or "")
    if not isinstance(table, dict):
        return header
    own = {key: value for key, value in table.items() if key.startswith((f"{scene}.", f"{scene}_"))}
    return {**header, str(table_key): own}


def _format(name: str) -> type[FileDataset]:
    member: Any = VLNDataset if name == VLNDataset.type else DATASETS.get(name)
    if isinstance(member, type) and issubclass(member, FileDataset):
        return member
    raise DatasetError(f"{name}: this data set type cannot be written. Choose the type of one file format.")
