"""GOAT-Bench's files: a goal for each sub-task, and nothing in it that the agent is not told."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from fuzz.dataset_seeds import GOAT
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError


def written(folder: Path, tasks: list[Any] | None = None, **chair: Any) -> Path:
    document = deepcopy(GOAT)
    document["goals"]["x8F.glb_chair"][0] |= chair
    if tasks is not None:
        document["episodes"][0]["tasks"] = tasks
    path = folder / "val.json"
    path.write_text(json.dumps(document))
    return path


def test_each_sub_task_is_one_goal(tmp_path: Path) -> None:
    (episode,) = load_dataset("goat", written(tmp_path))
    sought, pictured, described = episode.goals
    assert (sought.category, sought.object_id, len(sought.view_points)) == ("chair", None, 4)  # stools are chairs
    assert (pictured.category, pictured.object_id, pictured.image_goals[0].hfov) == (None, "chair_12", 79)
    assert (described.category, described.description) == (None, "a stool of three legs")
    assert {goal.position for goal in episode.goals} == {None}


def test_long_descriptions_are_left_out_with_a_notice(tmp_path: Path) -> None:
    """GOAT-Bench's loader counts what lies between blanks, up to 55."""
    tasks = [["chair", "description", "chair_12"], ["chair", "object", None]]
    told = validate_dataset(written(tmp_path, tasks, lang_desc=" ".join(["far"] * 56)))
    assert (told.faults, [notice.path for notice in told.notices]) == ([], ["tasks[0]"])
    (episode,) = load_dataset("goat", written(tmp_path, tasks, lang_desc=" ".join(["far"] * 56)))
    assert [goal.category for goal in episode.goals] == ["chair"]
    (episode,) = load_dataset("goat", written(tmp_path, tasks, lang_desc=" ".join(["far"] * 55)))
    assert len(episode.goals) == 2


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("chair", r"tasks\[0\]: expected \[category, one of object, image, description, object id, ...\], got 'chair'"),
        (["chair", "smell", "chair_12"], "got .*smell"),
        (["chair", "image", "chair_99", 0], "there is no object 'chair_99' of the category 'chair'"),
        (["chair", "image", "chair_12", 1], "there is no image 1: the object has 1"),
        (["chair", "image", "chair_12"], "there is no image 'chair_12'"),
        (["sofa", "object", None], "goals holds no 'x8F.glb_sofa'"),
        (["chair", "description", "chair_12"], "the object 'chair_12' has no lang_desc"),
    ],
)
def test_what_a_sub_task_lacks_is_said(tmp_path: Path, task: Any, told: str) -> None:
    with pytest.raises(DatasetError, match=rf"val\.json: episode 1: .*{told}"):
        list(load_dataset("goat", written(tmp_path, [task], lang_desc=None)))


def test_a_file_of_nothing_but_episodes_cannot_be_written(tmp_path: Path) -> None:
    episodes = list(load_dataset("goat", written(tmp_path)))
    with pytest.raises(DatasetError, match="needs the table `goals`"):
        dump_dataset("goat", episodes, tmp_path / "new.json")
