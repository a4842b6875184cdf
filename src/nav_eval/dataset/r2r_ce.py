"""VLN in continuous environments: R2R-CE and RxR-CE, with the expert's own path from the `_gt` file.

Hidden test splits have no goals, info and reference path. The data set's integer tokens are kept for writing back;
the agent's tokens come from the text. RxR's instructions are in three languages (en-US, en-IN, hi-IN, te-IN).
Source: jacobkrantz/VLN-CE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.dataset.fields import Fault, Fields, Origin, Report, record_of
from nav_eval.dataset.goals import frame_record, goal_record, read_frame, read_goals
from nav_eval.dataset.ground_truth import GroundTruth
from nav_eval.dataset.tokens import tokenize
from nav_eval.errors import DatasetError


class R2RCEDataset(FileDataset):
    """R2R-CE. The `_gt` file is `gt_path`, or the file `<split>_gt.json(.gz)` beside the main one if there is one.

    With a `_gt` file every episode must be in it: a missing one raises DatasetError.
    """

    type: ClassVar[str] = "r2r-ce"
    _truth: GroundTruth | None = None

    @property
    def gt_file(self) -> str | None:
        if self.request.gt_path is not None:
            return self.request.gt_path
        main = Path(self.request.data_path)
        split, dot, suffix = main.name.partition(".")
        beside = main.with_name(f"{split}_gt{dot}{suffix}")
        return str(beside) if beside.is_file() else None

    @property
    def files(self) -> tuple[str, ...]:
        return self.episode_files if self.gt_file is None else (*self.episode_files, self.gt_file)

    def episodes(self, report: Report, *, thorough: bool = False) -> Iterator[tuple[Fields, Episode]]:
        truth = self._ground_truth(report, thorough)
        for record, episode in super().episodes(report, thorough=thorough):
            yield record, truth.join(episode) if truth else episode
        if truth and thorough and self.request.scenes is None and self.request.languages is None:
            truth.report_strangers()

    def _ground_truth(self, report: Report, thorough: bool) -> GroundTruth | None:
        """Read once, for a run goes through its episodes several times; looked through, anew."""
        file = self.gt_file
        if file is None:
            return None
        if not thorough:
            self._truth = self._truth or GroundTruth(file, self.stopping, self.request.max_bytes)
            return self._truth
        try:
            return GroundTruth(file, report, self.request.max_bytes, thorough=True)
        except DatasetError as error:
            report(Fault(file, "", "", str(error).removeprefix(f"{file}: ")))
            return None

    def goal_source(self, members: Mapping[str, Any], origin: Origin) -> GoalSource:
        return read_goals

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("episode_id"))
        yield Episode(
            **read_frame(record, "goals", "instruction", "reference_path"),
            goals=goals(record),
            instruction=self.read_instruction(self.instruction_of(record)),
            reference_path=record.vectors("reference_path"),
        )

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            yield frame_record(
                episode,
                goals=[goal_record(goal) for goal in episode.goals],
                instruction=cls.instruction_record(episode.instruction) if episode.instruction else None,
                reference_path=episode.reference_path,
            )

    def instruction_of(self, record: Fields) -> Fields:
        return record.child("instruction")

    def read_instruction(self, instruction: Fields) -> Instruction:
        text = instruction.text("instruction_text")
        return Instruction(
            text=text,
            tokens=tokenize(text),
            language=instruction.text("language") if "language" in instruction else "en",
            instruction_id=instruction.identifier("instruction_id") if "instruction_id" in instruction else None,
            vocabulary_ids=instruction.integers("instruction_tokens") if "instruction_tokens" in instruction else None,
            extra=instruction.rest("instruction_text", "language", "instruction_id", "instruction_tokens"),
        )

    @classmethod
    def instruction_record(cls, instruction: Instruction) -> dict[str, Any]:
        return record_of(
            instruction.extra,
            instruction_id=instruction.instruction_id,
            instruction_text=instruction.text,
            instruction_tokens=instruction.vocabulary_ids,
            language=None if instruction.language == "en" else instruction.language,
        )


class RxRCEDataset(R2RCEDataset):
    """RxR-CE; `data_path` is the file of one role (guide or follower), and its `_gt` file is of the same role."""

    type: ClassVar[str] = "rxr-ce"
