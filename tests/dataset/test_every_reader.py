"""No file is taken for another task's: every reader is given every other data set's file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzz.dataset_seeds import DOCUMENTS, ISAAC, UNSUPPORTED
from graphs import SCAN, grid_scan, node, walked
from nav_eval import evaluate
from nav_eval.cli.score import score
from nav_eval.dataset.detect import VLN_TYPES, detect_type
from nav_eval.dataset.registry import DATASETS, load_dataset
from nav_eval.dataset.signs import UNSUPPORTED as REFUSED
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.geometry import rotate
from nav_eval.runs.preflight import validate_playable
from rooms import write_room

FIRST_OBJECTNAV = next(document for name, document in DOCUMENTS if name == "objectnav" and len(document) == 1)
"""Whose goals are points, too, with the name of what is there; by itself it is told to be ObjectNav."""
PATHS, SPOKEN = {"r2r", "r4r", "fgr2r"}, {"r2r-ce", "rxr-ce"}
"""Data sets whose records differ by keys that none of them needs, and which are one task."""


def reads(reader: str, name: str) -> bool:
    """Whether `reader` may take the file of the data set `name`."""
    paths = reader in PATHS - {"fgr2r"} and name in PATHS  # FG-R2R asks for its parts
    families = (paths, {reader, name} <= SPOKEN, {reader, name} == {"pointnav", "imagenav"})
    return reader == name or any(families) or (reader == "vln" and name in VLN_TYPES)


def write(folder: Path, document: Any) -> Path:
    path = folder / "data.json"
    path.write_text(json.dumps(document))
    return path


def test_every_data_set_has_a_file_here() -> None:
    assert {name for name, _ in DOCUMENTS} == set(DATASETS.names()) - {"vln"}
    assert {name for name, _ in UNSUPPORTED} == set(REFUSED)


@pytest.mark.parametrize("reader", DATASETS.names())
def test_a_file_is_read_as_what_it_is_or_not_at_all(tmp_path: Path, reader: str) -> None:
    wrong = []
    for number, (name, document) in enumerate(DOCUMENTS):
        path = write(tmp_path, document)
        wanted = reads(reader, name) or (document is FIRST_OBJECTNAV and reader in ("pointnav", "imagenav"))
        try:
            read = bool(list(load_dataset(reader, path))) or None
        except DatasetError:
            read = False
        if read != wanted or not (wanted or validate_dataset(path, type=reader).faults):
            wrong.append((number, name))
    assert wrong == []


def test_it_is_recognised_and_has_no_faults(tmp_path: Path) -> None:
    for name, document in DOCUMENTS:
        path = write(tmp_path, document)
        found = detect_type(str(path)), validate_dataset(path).faults
        assert found == ("pointnav" if name == "imagenav" else name, [])


IDS = ("episode_id", "inst_idx", "idx", "instruction_id", "path_id")
"""What data sets call the id of an episode, or of the path whose instructions are episodes."""


def test_an_empty_id_is_a_fault_of_every_data_set(tmp_path: Path) -> None:
    for name, document in DOCUMENTS:
        spoiled = json.loads(json.dumps(document))
        records = spoiled if isinstance(spoiled, list) else spoiled.get("episodes", [])
        if not records or "id" in records[0]:  # REVERIE's is a name of path and object
            continue
        key = next(key for key in IDS if key in records[0])
        records[0][key] = ""
        found = validate_dataset(write(tmp_path, spoiled), type=name).faults
        assert [(fault.path.rpartition(".")[2], fault.message) for fault in found if "id is" in fault.message] == [
            (key, "the id is empty")
        ], name


@pytest.mark.parametrize(("name", "document"), UNSUPPORTED)
def test_what_is_known_and_not_supported_is_refused_by_its_name(tmp_path: Path, name: str, document: Any) -> None:
    path = write(tmp_path, document)
    for reader in (None, *DATASETS.names()):
        ((fault),) = validate_dataset(path, type=reader).faults
        assert fault.message.startswith(f"is {REFUSED[name][0]}, which is not supported: "), reader
        with pytest.raises(DatasetError, match="which is not supported"):
            list(load_dataset(reader or detect_type(str(path)), path))


def test_a_content_file_tells_what_its_index_is(tmp_path: Path) -> None:
    index = write(tmp_path, {"episodes": []})
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "x8F.json").write_text(json.dumps(dict(DOCUMENTS)["goat"]))
    assert detect_type(str(index)) == "goat"
    (tmp_path / "content" / "x8F.json").write_text(json.dumps(dict(UNSUPPORTED)["eqa"]))
    ((fault),) = validate_dataset(index).faults
    assert "is embodied question answering" in str(fault)


def test_ovons_kinds_of_a_category_are_goals_too(tmp_path: Path) -> None:
    document = next(
        document
        for name, document in DOCUMENTS
        if name == "objectnav" and "children_object_categories" in str(document)
    )
    (episode,) = load_dataset("objectnav", write(tmp_path, document))
    assert len(episode.goals) == 2


def test_a_dialogue_is_the_instruction_of_cvdn(tmp_path: Path) -> None:
    first, hidden = load_dataset("vln", write(tmp_path, dict(DOCUMENTS)["cvdn"]))
    assert first.instruction is not None
    assert first.instruction.text == "<NAV> Left or right? <ORA> Left. <TAR> plant"
    assert (first.episode_id, first.start_node, [goal.node for goal in first.goals]) == ("12", "a", ["c"])
    assert first.reference_nodes == ("a", "b", "c")
    assert (hidden.has_goal, hidden.instruction and hidden.instruction.text) == (False, "<TAR> plant")


def test_soon_tells_the_whole_description(tmp_path: Path) -> None:
    first, _ = load_dataset("vln", write(tmp_path, dict(DOCUMENTS)["soon"]))
    assert first.instruction is not None
    assert (first.episode_id, first.instruction.text) == ("3_0", "Find a red chair by the window.")
    assert first.instruction.extra["attribute"] == "It is red."
    assert list(first.extra["success_nodes"]) == ["c", "b"]


def test_isaacs_frame_is_turned_and_every_manner_is_an_episode(tmp_path: Path) -> None:
    """Against InternNav's formulas, which turn Habitat's frame into Isaac's: [x, -z, y], and a yaw of 90 degrees."""
    formal, casual, single = load_dataset("vln", write(tmp_path, dict(DOCUMENTS)["vlnverse"]))
    assert [one.episode_id for one in (formal, casual, single)] == ["5_formal", "5_casual", "6"]
    assert casual.instruction is not None
    assert casual.instruction.text == "Head over to the sofa."
    assert [[x, -z, y] for x, y, z in formal.reference_path] == [[1.0, 2.0, 0.5], [2.7320508, 3.0, 0.5]]
    assert formal.goals[0].position == formal.reference_path[-1]
    (x, y, z, w), half = formal.start_rotation, math.sqrt(0.5)
    isaac = [half * (y - w), half * (x + z), half * (z - x), -half * (w + y)]
    assert isaac == pytest.approx([-0.9659258, 0, 0, -0.2588190], abs=1e-7)  # the turn by 360 degrees more is the same
    start, end = map(np.array, formal.reference_path)
    assert rotate(formal.start_rotation, (0.0, 0.0, -1.0)) == pytest.approx(tuple((end - start) / 2), abs=1e-6)


def test_vlnverse_is_played(tmp_path: Path) -> None:
    """With a copy of the scene as .glb, by the rules that docs/data.md names."""
    write_room(tmp_path)
    start, end = [-2.0, 2.0, 0.0], [2.0, 2.5, 0.0]
    places = {"scan": "room0", "start_position": start, "reference_path": [start, end]}
    path = write(tmp_path, {"episodes": [ISAAC | places]})
    data = [f"dataset.data_path={path}", f"simulator.scenes_dir={tmp_path / 'rooms'}", "dataset.type=vlnverse"]
    quick = ["simulator.sensors={instruction: {}}", "agent_service.agent=shortest_path"]
    results = evaluate("r2r-ce", overrides=[*data, *quick], out=tmp_path / "run")
    assert (results.n_episodes, results.metrics["success"]["mean"]) == (2, 1.0)
    assert validate_playable(path, None, None, data[1:2]).faults == []


@pytest.mark.parametrize(("name", "rules"), [("soon", "r2r"), ("cvdn", "ndh")])
def test_soon_and_cvdn_are_played(tmp_path: Path, name: str, rules: str) -> None:
    """By the rules of the benchmark that docs/data.md names, from the start to the end of the path."""
    path = walked([node(0, 0), node(2, 0), node(2, 1)])
    document = json.loads(json.dumps(dict(DOCUMENTS)[name][:1]))
    places = {"scan": SCAN, "path": path, "planner_nav_steps": path, "nav_steps": path}
    ends = {"start_pano": path[0], "end_panos": [path[-1]]}
    record = document[0] | {key: value for key, value in (places | ends).items() if key in document[0]}
    (tmp_path / f"{SCAN}_connectivity.json").write_text(json.dumps(grid_scan(4, 3)))
    data = [f"dataset.data_path={write(tmp_path, [record])}", f"simulator.connectivity_dir={tmp_path}"]
    agent = [f"dataset.type={name}", "agent_service.agent=shortest_path"]
    results = evaluate(rules, overrides=[*data, *agent], out=tmp_path / "run")
    assert (results.n_episodes, results.metrics["success"]["mean"], results.metrics["spl"]["mean"]) == (1, 1.0, 1.0)
    overrides = [*data, f"dataset.type={name}"]
    assert score(tmp_path / "run" / "submission.json", *overrides, benchmark=rules, out=tmp_path / "told.json") == 0
    assert json.loads((tmp_path / "told.json").read_text())["metrics"]["success"]["mean"] == 1.0
    assert validate_playable(tmp_path / "data.json", None, None, data[1:]).faults == []
