"""Navigation from Dialog History (CVDN): a dialogue so far, a target object, and the panoramas that end the search.

As in the authors' own loader, the agent starts at `start_pano` with its heading, the text is the dialogue with
speaker marks, and the supervision is the trusted path: the player's where it passed the planner's goal, else the
planner's. Test records have neither paths nor `end_panos`. Source: mmurray/cvdn tasks/NDH.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.dataset.fields import Fields, record_of
from nav_eval.dataset.tokens import tokenize
from nav_eval.geometry import yaw_of, yaw_rotation

_MARKS = {"navigator": "<NAV>", "oracle": "<ORA>"}


class NDHDataset(FileDataset):
    """One episode per record; `extra` holds the record's other keys, planner_path and player_path among them."""

    type: ClassVar[str] = "ndh"
    scene_key: ClassVar[str] = "scan"
    bare_list: ClassVar[bool] = True

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("inst_idx"))
        start = record.child("start_pano")
        yield Episode(
            episode_id=record.own_id("inst_idx"),
            scene_id=record.scene_id("scan"),
            start_node=start.text("pano"),
            start_rotation=yaw_rotation(-start.number("heading")),
            instruction=dialogue(record, "inst_idx"),
            goals=tuple(Goal(node=node) for node in record.texts("end_panos")),
            reference_nodes=trusted_path(record.texts("planner_path"), record.texts("player_path")),
            extra=record.rest("inst_idx", "scan", "end_panos"),
        )

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            yield _defaults(episode) | record_of(
                episode.extra,
                inst_idx=episode.episode_id,
                scan=episode.scene_id,
                end_panos=[goal.node for goal in episode.goals],
            )


def trusted_path(planner: Sequence[str], player: Sequence[str]) -> tuple[str, ...]:
    """The player's path if it walked through the planner's goal after its first node, else the planner's."""
    return tuple(player if planner and planner[-1] in player[1:] else planner)


def dialogue(record: Fields, name: str) -> Instruction:
    """What was said, each turn after the mark of who said it, and the target; `name`: the key of the id."""
    turns = [
        (_MARKS.get(turn.text("role"), "<ORA>"), turn.text("message")) for turn in record.children("dialog_history")
    ]
    turns.append(("<TAR>", record.text("target")))
    return Instruction(
        text=" ".join(f"{mark} {message}" for mark, message in turns),
        tokens=tuple(token for mark, message in turns for token in (mark, *tokenize(message))),
        instruction_id=record.label(name),
    )


def _defaults(episode: Episode) -> dict[str, Any]:
    """What a record needs besides the typed fields, for an episode that no NDH file gave."""
    text = episode.instruction.text if episode.instruction else ""
    heading = -yaw_of(episode.start_rotation)
    return {
        "target": text.removeprefix("<TAR> "),
        "dialog_history": [],
        "start_pano": {"heading": heading, "elevation": 0.0, "pano": episode.start_node},
        **({"planner_path": list(episode.reference_nodes)} if episode.reference_nodes else {}),
    }
