"""SOON on the navigation graph, in the rows that VLN-DUET made of it: find an object that is described.

A record is a path with its instructions, each in parts; the agent is told the whole (`full`). Its boxes say from which
viewpoints the object is seen, and where. There is no heading: the agent begins as in DUET's evaluation, at 1.52 rad.
Source: cshizhe/VLN-DUET map_nav_src/soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.dataset.fields import Fields, record_of
from nav_eval.dataset.r2r import path_of, walk_of
from nav_eval.dataset.tokens import tokenize
from nav_eval.geometry import yaw_rotation

HEADING = 1.52


class SoonDataset(FileDataset):
    """Called `<path_id>_<k>`. `extra["success_nodes"]`: the viewpoints that see the object."""

    type: ClassVar[str] = "soon"
    scene_key: ClassVar[str] = "scan"
    bare_list: ClassVar[bool] = True

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("path_id"))
        path_id = record.own_id("path_id")
        nodes = [box.text("image_id") for box in record.children("bboxes")]
        walk = walk_of(record) | {
            "start_rotation": yaw_rotation(-HEADING),
            "extra": record.rest("scan", "path", "instructions") | {"success_nodes": nodes},
        }
        told = record.children("instructions")
        if not told:
            record.fault("instructions", "there is no instruction")
        for k, parts in enumerate(told):
            text, name = parts.text("full"), f"{path_id}_{k}"
            said = Instruction(text=text, tokens=tokenize(text), instruction_id=name, extra=parts.rest("full"))
            yield Episode(episode_id=name, instruction=said, **walk)

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for (scan, path_id), group in groupby(episodes, key=path_of):
            first, *others = group
            kept = {key: value for key, value in first.extra.items() if key != "success_nodes"}
            told = [one.instruction or Instruction(text="") for one in (first, *others)]
            yield {
                "path_id": path_id,
                **record_of(kept, scan=scan, path=list(first.reference_nodes) or [first.start_node]),
                "instructions": [{**one.extra, "full": one.text} for one in told],
            }
