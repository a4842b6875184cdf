"""Room-across-Room on the navigation graph: JSON Lines, one instruction in each row, in four languages.

A guide's row has the instruction and the path that it describes. A follower's row has only the path that somebody
walked by a guide's instruction, so it is read with the guides' file beside it, and its own path is the reference.
Source: google-research-datasets/RxR.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.dataset.fields import Fields, Origin, record_of
from nav_eval.dataset.r2r import heading_of, walk_of
from nav_eval.dataset.streaming import JsonStream
from nav_eval.dataset.tokens import tokenize
from nav_eval.errors import DatasetError
from nav_eval.geometry import yaw_rotation

_OF_GUIDE = ("scan", "heading", "instruction", "language", "path_id")
"""What a follower's row takes from its guide's. The times of the words would fill the memory."""


class RxRDataset(FileDataset):
    """A guide's episode is called by its `instruction_id`, a follower's by its `demonstration_id`."""

    type: ClassVar[str] = "rxr"
    scene_key: ClassVar[str] = "scan"
    bare_list: ClassVar[bool] = True
    _guides: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def guide_file(self) -> str | None:
        """The guides' file that a followers' file needs; None where `data_path` is not called as one."""
        main = Path(self.request.data_path)
        return str(main.with_name(main.name.replace("follower", "guide"))) if "follower" in main.name else None

    @property
    def files(self) -> tuple[str, ...]:
        return self.episode_files if self.guide_file is None else (*self.episode_files, self.guide_file)

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        name = "demonstration_id" if "demonstration_id" in record else "instruction_id"
        record = record.of_episode(record.label(name))
        yield Episode(
            **walk_of(record),
            episode_id=record.own_id(name),
            start_rotation=yaw_rotation(-record.number("heading")),
            instruction=_instruction(record),
            extra=record.rest("scan", "path", "instruction", "language"),
        )

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            own: dict[str, Any] = {"path": list(episode.reference_nodes) or [episode.start_node]}
            if "demonstration_id" in episode.extra:
                yield {key: value for key, value in episode.extra.items() if key not in _OF_GUIDE} | own
            else:
                yield _guide_record(episode) | own

    def _readable(self, origin: Origin, thorough: bool) -> Iterator[tuple[Fields, GoalSource]]:
        for record, goals in super()._readable(origin, thorough):
            if "demonstration_id" not in record:
                yield record, goals
            elif guide := self._guide_of(record):
                yield Fields({**guide, **record.values}, record.origin, record.path), goals

    def _guide_of(self, record: Fields) -> Mapping[str, Any] | None:
        """What the guide of a follower's row said."""
        if self._guides is None:
            self._guides = self._read_guides()
        found = self._guides.get(record.label("instruction_id"))
        if found is None:
            record = record.of_episode(record.label("demonstration_id"))
            record.fault("instruction_id", f"{self.guide_file} has no instruction of this id")
        return found

    def _read_guides(self) -> Mapping[str, Mapping[str, Any]]:
        """By instruction id."""
        file = self.guide_file
        if file is None or not Path(file).is_file():
            raise DatasetError(
                f"{self.request.data_path}: its rows are followers', which have no instructions of their own. Call the "
                "file rxr_<split>_follower.jsonl.gz, as RxR does, and put the guides' file beside it: "
                f"{file or 'rxr_<split>_guide.jsonl.gz'}."
            )
        rows = (part.value for part in JsonStream(file, max_bytes=self.request.max_bytes))
        return {
            str(row.get("instruction_id")): {key: row[key] for key in _OF_GUIDE if key in row}
            for row in rows
            if isinstance(row, dict)
        }


def _instruction(record: Fields) -> Instruction:
    text = record.text("instruction")
    return Instruction(
        text=text,
        tokens=tokenize(text),
        language=record.text("language") if "language" in record else "en",
        instruction_id=record.identifier("instruction_id"),
    )


def _guide_record(episode: Episode) -> dict[str, Any]:
    told = episode.instruction or Instruction(text="")
    return record_of(
        episode.extra,
        instruction_id=told.instruction_id or episode.episode_id,
        scan=episode.scene_id,
        heading=heading_of(episode),
        language=None if told.language == "en" else told.language,
    ) | {"instruction": told.text}
