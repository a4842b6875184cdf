"""Finds every fault of a data set, not only the first: `nav-eval validate`.

The formats' own readers report to a list instead of raising, so what loads and what validates cannot drift apart.
Added to that: ids that stand twice, texts and paths that are empty. What the scenes say of the episodes is
nav_eval.core.preflight's, which takes them from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nav_eval.dataset.dataset import DatasetRequest, records
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.dataset.fields import Fault, Fields
from nav_eval.dataset.registry import open_dataset
from nav_eval.dataset.streaming import MAX_BYTES
from nav_eval.errors import DatasetError

SHOWN = 3


def validate_dataset(
    path: str | Path,
    type: str | None = None,  # noqa: A002 - the configuration's own key
    gt_path: str | Path | None = None,
    max_bytes: int = MAX_BYTES,
    take: Callable[[Fields, Episode], None] = lambda record, episode: None,
) -> Findings:
    """Every fault of the data set at `path`, content and gt files included, in the order met; none means good.

    `type` is told from the file if not given. `take` is called with each episode and its record. A file that unpacks
    to more than `max_bytes` is a fault. Reading a plug-in's format ends at its first fault.
    """
    found = Findings()
    request = DatasetRequest(
        data_path=str(path), gt_path=None if gt_path is None else str(gt_path), max_bytes=max_bytes
    )
    try:
        dataset = open_dataset(type or detect_type(str(path), max_bytes), request)
        for record, episode in records(dataset, found.add, thorough=True):
            found.check(record.of_episode(episode.episode_id), episode)
            take(record, episode)
    except DatasetError as error:
        found.add(Fault(str(path), "", "", str(error).removeprefix(f"{path}: ")))
    if not found.episodes and not found.faults:
        found.add(Fault(str(path), "", "episodes", "there is no episode"))
    return found


def in_lines(faults: Sequence[Fault]) -> Iterator[str]:
    """One line for faults that differ by episode and numbers only: the first of them, how many, and of which."""
    alike: dict[tuple[str, ...], list[Fault]] = {}
    for fault in faults:
        kind = fault.file, *(re.sub(r"\d+(\.\d+)?", "0", text) for text in (fault.path, fault.message))
        alike.setdefault(kind, []).append(fault)
    for first, *others in alike.values():
        names = [other.episode or other.path for other in others]
        more = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
        yield f"{first} (and {len(names)} times more: {more})" if names else str(first)


@dataclass
class Findings:
    """What was counted, and every fault and every notice once."""

    episodes: int = 0
    instructions: int = 0
    scenes: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)
    in_world: bool = False
    """Whether the episodes were looked at in their scenes or graphs, too."""
    _said: set[Fault] = field(default_factory=set)
    _keys: set[EpisodeKey] = field(default_factory=set)
    _record: object = None

    def add(self, fault: Fault) -> None:
        if fault not in self._said:
            self._said.add(fault)
            (self.notices if fault.notice else self.faults).append(fault)

    def check(self, record: Fields, episode: Episode) -> None:
        """Count `episode`, and add the faults that its reader cannot see."""
        self.episodes += 1
        self.instructions += episode.instruction is not None
        self.scenes.add(episode.scene_id)
        if episode.key in self._keys and episode.episode_id:
            record.fault("", f"the id {episode.episode_id!r} appears twice in scene {episode.scene_id!r}")
        self._keys.add(episode.key)
        if episode.instruction is not None and not episode.instruction.text.strip():
            record.fault("instruction", "the instruction is empty")
        if record.values is not self._record:  # the instructions of one R2R path share their record
            self._record = record.values
            _check_place(record, episode)


def _check_place(record: Fields, episode: Episode) -> None:
    if episode.has_goal and record.values.get("reference_path") == []:
        record.fault("reference_path", "the path is empty")
    length = episode.info.get("geodesic_distance")
    if length is not None and not (isinstance(length, int | float) and length >= 0):
        record.fault("info.geodesic_distance", f"expected a distance in metres, got {length!r}")
