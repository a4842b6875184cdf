"""CVDN: whole dialogues between a navigator and an oracle, with the target; NDH is cut from them, a turn at a time.

The agent is told all that was said and begins where the navigator did, with the heading of the first camera move where
one is recorded, else 2.0 rad, as the field's loaders have it. The region of the end is the goal; the planner's way is
the reference. Hidden splits have neither. Source: mmurray/cvdn tasks/CVDN/data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.dataset.fields import Fields, record_of
from nav_eval.dataset.ndh import dialogue
from nav_eval.geometry import yaw_rotation

HEADING = 2.0


class CVDNDataset(FileDataset):
    """One episode per dialogue, called by its `idx`."""

    type: ClassVar[str] = "cvdn"
    scene_key: ClassVar[str] = "scan"
    bare_list: ClassVar[bool] = True

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("idx"))
        yield Episode(
            episode_id=record.own_id("idx"),
            scene_id=record.scene_id("scan"),
            start_node=_start(record),
            start_rotation=yaw_rotation(-_heading(record)),
            instruction=dialogue(record, "idx"),
            goals=tuple(Goal(node=node) for node in record.texts("end_panos")),
            reference_nodes=record.texts("planner_nav_steps"),
            extra=record.rest("scan", "end_panos", "start_pano"),
        )

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for episode in episodes:
            yield {"idx": episode.episode_id, "target": "", "dialog_history": []} | record_of(
                episode.extra,
                scan=episode.scene_id,
                start_pano=episode.start_node,
                end_panos=[goal.node for goal in episode.goals],
                planner_nav_steps=list(episode.reference_nodes),
            )


def _start(record: Fields) -> str:
    """The field's copies write it as NDH does, too: with its heading."""
    start = record.values.get("start_pano")
    return record.child("start_pano").text("pano") if isinstance(start, dict) else record.text("start_pano")


def _heading(record: Fields) -> float:
    """Of the last adjustment at the first camera record, where the navigator then asked."""
    if isinstance(record.values.get("start_pano"), dict):
        return record.child("start_pano").number("heading")
    for turn in record.children("nav_camera")[:1]:
        for move in turn.children("message")[-1:]:
            return move.number("heading")
    return HEADING
