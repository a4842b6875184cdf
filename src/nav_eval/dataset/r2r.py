"""Room-to-Room and its kin on the navigation graph: R2R, R4R and FG-R2R.

A record is a path with its instructions; each instruction is an episode of its own, `<path_id>_<k>`, as the official
evaluation counts. R2R's heading turns the other way than our yaw. A one-node path is a hidden test split.
Sources: Matterport3DSimulator tasks/R2R, google-research r4r, Fine-Grained-R2R.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from sys import intern
from typing import Any, ClassVar

from nav_eval.dataset.dataset import FileDataset, GoalSource
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.dataset.fields import Fields
from nav_eval.dataset.tokens import tokenize
from nav_eval.errors import DatasetError
from nav_eval.geometry import yaw_of, yaw_rotation


class R2RDataset(FileDataset):
    """R2R and R4R. `extra` holds the record's other keys (path_id, heading, distance), shared by its episodes."""

    type: ClassVar[str] = "r2r"
    scene_key: ClassVar[str] = "scan"
    bare_list: ClassVar[bool] = True
    numbers_instructions: ClassVar[bool] = True

    def read(self, record: Fields, goals: GoalSource) -> Iterator[Episode]:
        record = record.of_episode(record.label("path_id"))
        path_id = record.own_id("path_id")
        walk = walk_of(record) | {
            "start_rotation": yaw_rotation(-record.number("heading")),
            "extra": record.rest("scan", "path", "instructions"),
        }
        texts = record.texts("instructions")
        if not texts:
            record.fault("instructions", "there is no instruction")
        told = zip(texts, self.details(record, len(texts)))
        for k, (text, extra) in enumerate(islice(told, self.request.instructions_per_path)):
            name = f"{path_id}_{k}"
            said = Instruction(text=text, tokens=tokenize(text), instruction_id=name, extra=extra)
            yield Episode(episode_id=name, instruction=said, **walk)

    def details(self, record: Fields, count: int) -> list[Mapping[str, Any]]:
        """What the record tells of each of its `count` instructions besides the text."""
        return [{}] * count

    @classmethod
    def records(cls, episodes: Iterable[Episode], members: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        for (scan, path_id), group in groupby(episodes, key=path_of):
            yield cls.record(scan, path_id, list(group))

    @classmethod
    def record(cls, scan: str, path_id: str, episodes: list[Episode]) -> dict[str, Any]:
        """One path; its instructions are numbered by their place, so none may be left out."""
        for k, episode in enumerate(episodes):
            if episode.episode_id != f"{path_id}_{k}":
                raise DatasetError(
                    f"episode {episode.episode_id}: R2R files number instructions by place, and this would be "
                    f"{path_id}_{k}. Write every instruction of a path, in order."
                )
        first = episodes[0]
        return {
            "path_id": int(path_id) if path_id.isdecimal() and path_id == str(int(path_id)) else path_id,
            **first.extra,
            "heading": heading_of(first),
            "scan": scan,
            "path": list(first.reference_nodes) or [first.start_node],
            "instructions": [episode.instruction.text if episode.instruction else "" for episode in episodes],
        }


class R4RDataset(R2RDataset):
    """R4R: two R2R paths joined; written like R2R."""

    type: ClassVar[str] = "r4r"


class FGR2RDataset(R2RDataset):
    """FG-R2R: each instruction's `extra` has `sub_instructions` (lists of words) and their `chunk_view` node ranges."""

    type: ClassVar[str] = "fgr2r"

    def details(self, record: Fields, count: int) -> list[Mapping[str, Any]]:
        """The fourth instruction of a path may have none."""
        parts = _sub_instructions(record)
        views = record.items("chunk_view")
        for key, found in (("new_instructions", parts), ("chunk_view", views)):
            if len(found) > count:
                record.fault(key, f"there are {len(found)} for {count} instructions")
        return [
            {
                **({"sub_instructions": parts[k]} if k < len(parts) else {}),
                **({"chunk_view": views[k]} if k < len(views) else {}),
            }
            for k in range(count)
        ]

    @classmethod
    def record(cls, scan: str, path_id: str, episodes: list[Episode]) -> dict[str, Any]:
        record = super().record(scan, path_id, episodes)
        details = [episode.instruction.extra if episode.instruction else {} for episode in episodes]
        parts = [detail["sub_instructions"] for detail in details if "sub_instructions" in detail]
        views = [detail["chunk_view"] for detail in details if "chunk_view" in detail]
        as_text = not isinstance(episodes[0].extra.get("new_instructions"), list)
        return record | {"new_instructions": repr(parts) if as_text else parts, "chunk_view": views}


def walk_of(record: Fields) -> dict[str, Any]:
    """The scene, start, goal and reference of an Episode along `path` of `scan`; one node alone is a hidden split."""
    path = tuple(map(intern, record.texts("path")))  # the episodes of a data set share few nodes
    if not path:
        record.fault("path", "the path is empty")
    return {
        "scene_id": record.scene_id("scan"),
        "start_node": path[0] if path else None,
        "goals": (Goal(node=path[-1]),) if len(path) > 1 else (),
        "reference_nodes": path if len(path) > 1 else (),
    }


def _sub_instructions(record: Fields) -> list[Any]:
    """FG-R2R writes this list as a string in Python's notation."""
    value = record.values.get("new_instructions")
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    if not isinstance(value, list):
        record.fault("new_instructions", "expected a list of sub-instructions, or its text in Python's notation")
        return []
    return value


def heading_of(episode: Episode) -> float:
    """The record's own heading, unless the episode was turned since it was read."""
    heading = episode.extra.get("heading")
    if heading is not None and yaw_rotation(-heading) == episode.start_rotation:
        return float(heading)
    return -yaw_of(episode.start_rotation)


def path_of(episode: Episode) -> tuple[str, str]:
    """Scene and id of the path of an episode that is called `<path_id>_<k>`."""
    return episode.scene_id, episode.episode_id.rpartition("_")[0]
