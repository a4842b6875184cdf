"""Data set formats by name, each imported when it is asked for. Third parties add theirs by an entry point.

A member is called with a DatasetRequest and answers an iterable of episodes with a `files` property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from nav_eval.admission import Blaming, file_of, lacking, takes
from nav_eval.dataset.dataset import DatasetRequest, EpisodeFiles, FileDataset
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.streaming import MAX_BYTES
from nav_eval.errors import ConfigError, DatasetError
from nav_eval.registry import Registry

Loader: TypeAlias = Callable[[DatasetRequest], EpisodeFiles]


def _admit(name: str, member: Any) -> Any:
    told = f"data set {name!r}{file_of(member)}: {getattr(member, '__qualname__', repr(member))}"
    if isinstance(member, type) and lacking(member, ["__iter__"]):
        raise ConfigError(f"{told} has no __iter__. Define it: yield a nav_eval.Episode for each.")
    if not callable(member) or (isinstance(member, type) and not takes(member, ["request"])):
        raise ConfigError(f"{told} is made of the request alone. Write def __init__(self, request):")
    return member


DATASETS: Registry[Loader] = Registry(
    "datasets",
    {
        "r2r": "nav_eval.dataset.r2r:R2RDataset",
        "r4r": "nav_eval.dataset.r2r:R4RDataset",
        "rxr": "nav_eval.dataset.rxr:RxRDataset",
        "reverie": "nav_eval.dataset.reverie:ReverieDataset",
        "fgr2r": "nav_eval.dataset.r2r:FGR2RDataset",
        "soon": "nav_eval.dataset.soon:SoonDataset",
        "cvdn": "nav_eval.dataset.cvdn:CVDNDataset",
        "ndh": "nav_eval.dataset.ndh:NDHDataset",
        "r2r-ce": "nav_eval.dataset.r2r_ce:R2RCEDataset",
        "rxr-ce": "nav_eval.dataset.r2r_ce:RxRCEDataset",
        "vlnverse": "nav_eval.dataset.vlnverse:VLNVerseDataset",
        "pointnav": "nav_eval.dataset.pointnav:PointNavDataset",
        "multion": "nav_eval.dataset.multion:MultiONDataset",
        "goat": "nav_eval.dataset.goat:GoatDataset",
        "objectnav": "nav_eval.dataset.objectnav:ObjectNavDataset",
        "imagenav": "nav_eval.dataset.imagenav:ImageNavDataset",
        "instance-imagenav": "nav_eval.dataset.instance_imagenav:InstanceImageNavDataset",
        "vln": "nav_eval.dataset.detect:open_vln",
    },
    _admit,
)
register_dataset = DATASETS.register
"""Decorator: @register_dataset("name") over what takes a DatasetRequest and answers episodes with their `files`."""


class PluginEpisodes:
    """The episodes of a plug-in's format; what its reader raises or returns wrongly is told as its fault."""

    def __init__(self, name: str, reader: Loader, read: EpisodeFiles) -> None:
        self._name, self._reader, self._read = f"data set {name!r}", reader, read
        files = getattr(read, "files", None)
        if isinstance(files, str) or not isinstance(files, Iterable):
            raise self._wrong("no `files`", "Set self.files = [request.data_path].")
        self.files = tuple(files)

    def __iter__(self) -> Iterator[Episode]:
        with Blaming(f"{self._name} of {', '.join(self.files)}", self._reader, DatasetError):
            for episode in self._read:
                if not isinstance(episode, Episode):
                    raise self._wrong(f"{episode!r:.60} for an episode", "Yield nav_eval.Episode(...).")
                yield episode

    def _wrong(self, what: str, right: str) -> ConfigError:
        return ConfigError(f"{self._name}{file_of(self._reader)} has {what}. {right}")


def open_dataset(name: str, request: DatasetRequest) -> EpisodeFiles:
    """The episodes of a format; nothing is read yet."""
    reader = DATASETS.get(name)
    with Blaming(f"data set {name!r}", reader, DatasetError):
        read = reader(request)
        return read if isinstance(read, FileDataset) else PluginEpisodes(name, reader, read)


def load_dataset(
    type: str,  # noqa: A002 - the configuration's own key
    data_path: str | Path,
    gt_path: str | Path | None = None,
    scenes: Iterable[str] | None = None,
    languages: Iterable[str] | None = None,
    max_bytes: int = MAX_BYTES,
    instructions_per_path: int | None = None,
) -> EpisodeFiles:
    """The episodes of a file; nothing is read yet. `scenes`: ids or bare names; `languages`: "en" includes "en-IN".
    `instructions_per_path`: only the first of each path (R2R and its kin).

    Raises ConfigError for an unknown `type`; iterating raises DatasetError at the first fault.
    """
    request = DatasetRequest(
        data_path=str(data_path),
        gt_path=None if gt_path is None else str(gt_path),
        scenes=None if scenes is None else frozenset(scenes),
        languages=None if languages is None else frozenset(languages),
        max_bytes=max_bytes,
        instructions_per_path=instructions_per_path,
    )
    return open_dataset(type, request)
