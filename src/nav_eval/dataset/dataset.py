"""What every file-based data set has in common: its files, its filters, its stream of episodes and its writer.

Layout as in Habitat: a main file, and for some families a folder `content/` beside it with one file per scene. A
format adds how a record becomes episodes (`read`) and back (`records`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from nav_eval.admission import Blaming
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.dataset.fields import Fields, Origin, Report, stopping
from nav_eval.dataset.inspection import checked_object, report_oddities
from nav_eval.dataset.signs import refuse_others
from nav_eval.dataset.streaming import MAX_BYTES, JsonStream
from nav_eval.errors import ConfigError, DatasetError

GoalSource: TypeAlias = Callable[[Fields], tuple[Goal, ...]]
"""Finds the goals of a record: in the record itself, or in a table of the file."""

NO_CONTENT = "there is none, and no folder content/ with episodes beside the file: unpack the whole archive"
_SUFFIXES = (".json.gz", ".json", ".glb", ".gltf", ".obj", ".ply", ".basis")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRequest:
    """Which episodes of which file. `scenes`: scene ids or bare scene names; None means all. `gt_path`: see r2r_ce."""

    data_path: str
    gt_path: str | None = None
    scenes: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    max_bytes: int = MAX_BYTES
    instructions_per_path: int | None = None


def scene_name(scene_id: str) -> str:
    """The bare name of a scene id or content file: "mp3d/x8F/x8F.glb" -> "x8F"; a bare name stays."""
    name = scene_id.rsplit("/", 1)[-1]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _join(one: Any, other: Any) -> Any:
    """Two files' values of one member: tables are put together, of anything else the later one stays."""
    return one | other if isinstance(one, dict) and isinstance(other, dict) else other


class EpisodeFiles(Protocol):
    """What a loader answers: episodes in file order, and the files that they come from."""

    def __iter__(self) -> Iterator[Episode]: ...

    @property
    def files(self) -> Sequence[str]: ...


def records(
    dataset: EpisodeFiles, report: Report | None = None, *, thorough: bool = False
) -> Iterator[tuple[Fields, Episode]]:
    """Episodes with their records; those of a plug-in's format have an empty one. `report`: by default the first
    fault raises DatasetError."""
    if isinstance(dataset, FileDataset):
        yield from dataset.episodes(report or dataset.stopping, thorough=thorough)
    else:
        files = ", ".join(dataset.files)
        none = Fields({}, Origin(files, report or stopping(files)), "")
        yield from ((none, episode) for episode in dataset)


class FileDataset(ABC):
    """Episodes in file order, read anew and as a stream by each iteration."""

    type: ClassVar[str]
    scene_key: ClassVar[str] = "scene_id"
    has_content: ClassVar[bool] = False
    table_key: ClassVar[str | None] = None
    bare_list: ClassVar[bool] = False
    numbers_instructions: ClassVar[bool] = False
    """Whether an instruction is known by its place among those of a path: the first n of each can be asked for."""

    def __init__(self, request: DatasetRequest) -> None:
        self.request = request
        if request.instructions_per_path is not None and not self.numbers_instructions:
            raise ConfigError(
                f"dataset.instructions_per_path: {self.type} files do not number the instructions of a path. "
                "Leave the key out."
            )
        self._scene_names = frozenset(map(scene_name, request.scenes or ()))

    def __iter__(self) -> Iterator[Episode]:
        return (episode for _, episode in self.episodes(self.stopping))

    @property
    def stopping(self) -> Report:
        """Raises DatasetError, which says how to list every fault: of the main file, which names all the others."""
        gt_path = self.request.gt_path
        return stopping(f"{self.request.data_path}{f' dataset.gt_path={gt_path}' if gt_path else ''}")

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that is read: the main file, then the content files of the wanted scenes."""
        return self.episode_files

    @property
    def episode_files(self) -> tuple[str, ...]:
        return (self.request.data_path, *self._content_files())

    @property
    def header(self) -> Mapping[str, Any] | None:
        """The files' members other than their episodes, for writing back; None where the file is a bare list."""
        header: dict[str, Any] = {}
        for file in self.episode_files:
            stream = self._stream(file)
            for part in stream:
                if part.number is None:
                    header[part.key] = _join(header.get(part.key), part.value)
            if stream.is_list:
                return None
        return header

    def episodes(self, report: Report, *, thorough: bool = False) -> Iterator[tuple[Fields, Episode]]:
        """Every wanted episode with its record. `report` hears of faults.

        `thorough` looks also at what the evaluator never uses, and goes on to the next file when one is unreadable.
        """
        for file in self.episode_files:
            for record, goals in self._readable(Origin(file, report), thorough):
                if self._wants_scene(record):
                    with Blaming(f"{file}: {type(self).__qualname__}.read", self, DatasetError):
                        for episode in self.read(record, goals):
                            if self._wants_language(episode):
                                yield record, episode

    @abstractmethod
    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        """The episodes of one record."""

    @classmethod
    @abstractmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The records of `episodes`. `members` are the file's other members, written last: it may fill them in."""

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        """How the records of a file find their goals; `members` are those of `table_key`'s file."""
        return lambda record: ()

    def _readable(self, origin: Origin, thorough: bool) -> Iterator[tuple[Fields, GoalSource]]:
        try:
            yield from self._records(origin, thorough)
        except DatasetError as error:
            if not thorough:
                raise
            origin.fault("", str(error).removeprefix(f"{origin.file}: "))

    def _records(self, origin: Origin, thorough: bool) -> Iterator[tuple[Fields, GoalSource]]:
        stream = self._stream(origin.file, thorough)
        members: dict[str, Any] = {}
        goals: GoalSource | None = None
        for part in stream:
            if thorough:
                report_oddities(part.value, origin, part.path)
            if part.number is None:
                members[part.key] = part.value
                continue
            if goals is None:
                refuse_others(self.type, part.value, members, origin.file)
            goals = goals or self.goal_source(self._with_table(members, origin.file), origin)
            yield Fields(part.value, origin, part.path), goals
        for key, count in stream.keys.items():
            if count > 1:
                origin.fault(key, "the key appears twice")
        if not stream.is_list and "episodes" not in stream.keys:
            origin.fault("episodes", "missing: expected a list of episodes")
        elif "episodes" in members:
            origin.fault("episodes", "expected a list of episodes")
        elif goals is None and self.has_content and not self._content():
            origin.fault("episodes", NO_CONTENT)

    def _with_table(self, members: Mapping[str, Any], file: str) -> Mapping[str, Any]:
        """`members` if the goal table came before the episodes, else those of a pass of their own."""
        if self.table_key is None or self.table_key in members:
            return members
        return {part.key: part.value for part in self._stream(file) if part.number is None}

    def _stream(self, file: str, thorough: bool = False) -> JsonStream:
        return JsonStream(file, max_bytes=self.request.max_bytes, hook=checked_object if thorough else None)

    def _content_files(self) -> list[str]:
        if not self.has_content:
            return []
        return [str(file) for file in self._content() if self._wants(scene_name(file.name))]

    def _content(self) -> list[Path]:
        folder = Path(self.request.data_path).parent / "content"
        return sorted({*folder.glob("*.json.gz"), *folder.glob("*.json")})

    def _wants_scene(self, record: Fields) -> bool:
        if self.request.scenes is None:
            return True
        scene = record.values.get(self.scene_key)
        return isinstance(scene, str) and self._wants(scene)

    def _wants(self, scene: str) -> bool:
        return self.request.scenes is None or scene_name(scene) in self._scene_names

    def _wants_language(self, episode: Episode) -> bool:
        wanted = self.request.languages
        if wanted is None or episode.instruction is None:
            return True
        return episode.instruction.language in wanted or episode.instruction.primary_language in wanted
