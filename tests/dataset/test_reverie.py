"""REVERIE as its authors ship it, in both forms of its boxes: read, checked, played, scored with RGS and RGSPL."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from graphs import SCAN, grid_scan, node, walked
from nav_eval import evaluate
from nav_eval.cli.score import score
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.runs.preflight import validate_playable
from playing import document

# The end of 1357 is (3, 0); the table 66 is seen from (3, 0) and (2, 0), the bed 7 only from a side room.
ITEMS = [
    {
        "distance": 6.0,
        "ix": 208,
        "scan": SCAN,
        "heading": 4.59,
        "path_id": 1357,
        "objId": object_id,
        "id": f"1357_{object_id}",
        "instructions": ["Clean the coffee table.", "Wipe it."],
        "path": walked([node(0, 0), node(3, 0)]),
        "instructions_l": ["Walk to the end of the hall."],
    }
    for object_id in (66, 7)
]
SEEN = {"66": [(3, 0), (2, 0)], "7": [(3, 2)], "99": [(0, 0)]}


def one(name: str, visible: bool = True) -> dict[str, Any]:
    return {"name": name, "visible_pos": [6, 7] if visible else [], "bbox2d": [[585, 382, 55, 98]] * 2 * visible}


def boxes_of(cell: tuple[int, int]) -> dict[str, Any]:
    """What is seen from a viewpoint; every object is listed, most of them without a view."""
    return {name: one(f"thing {name}", cell in cells) for name, cells in SEEN.items()}


CELLS = [(x, y) for y in range(3) for x in range(4)]


def write_boxes(folder: Path, form: str) -> Path:
    if form == "bbox":
        (folder / form).mkdir()
        for cell in CELLS:
            (folder / form / f"{SCAN}_{node(*cell)}.json").write_text(json.dumps({node(*cell): boxes_of(cell)}))
        (folder / form / "otherscan_a.json").write_text("not read")
    else:
        (folder / form).write_text(json.dumps({f"{SCAN}_{node(*cell)}": boxes_of(cell) for cell in CELLS}))
    return folder / form


@pytest.fixture
def world(tmp_path: Path) -> list[str]:
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / f"{SCAN}_connectivity.json").write_text(json.dumps(grid_scan(4, 3)))
    (tmp_path / "REVERIE_val_seen.json").write_text(json.dumps(ITEMS))
    return [f"dataset.data_path={tmp_path / 'REVERIE_val_seen.json'}", f"simulator.connectivity_dir={tmp_path}/graphs"]


@pytest.mark.parametrize("form", ["bbox", "BBoxes.json", "BBoxes_v2.json"])
def test_the_boxes_say_where_an_object_is_seen_from(tmp_path: Path, world: list[str], form: str) -> None:
    data = tmp_path / "REVERIE_val_seen.json"
    assert detect_type(str(data)) == "reverie"
    write_boxes(tmp_path, form)
    dataset = load_dataset("vln", data)
    episodes = list(dataset)
    assert [episode.episode_id for episode in episodes] == ["1357_66_0", "1357_66_1", "1357_7_0", "1357_7_1"]
    assert {tuple(episode.extra["success_nodes"]) for episode in episodes[:2]} == {(node(2, 0), node(3, 0))}
    assert [episode.goals[0].object_id for episode in episodes] == ["66", "66", "7", "7"]
    assert len(dataset.files) == (1 + len(CELLS) if form == "bbox" else 2)
    assert validate_playable(data, None, None, world[1:]).faults == []


def test_boxes_of_another_house_are_a_fault(tmp_path: Path, world: list[str]) -> None:
    (tmp_path / "BBoxes.json").write_text(json.dumps({f"other_{node(0, 0)}": boxes_of((3, 0))}))
    faults = validate_dataset(tmp_path / "REVERIE_val_seen.json").faults
    assert [fault.path for fault in faults] == ["[0].objId", "[1].objId"]
    assert f"sees object 66 of scan {SCAN}" in faults[0].message


def test_the_first_release_has_no_id_and_a_hidden_split_no_object(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{key: value for key, value in ITEMS[0].items() if key != "id"}]))
    assert [episode.episode_id for episode in load_dataset("reverie", path)] == ["1357_66_0", "1357_66_1"]
    hidden = {**ITEMS[0], "path": ITEMS[0]["path"][:1]}
    del hidden["objId"], hidden["path_id"]
    path.write_text(json.dumps([hidden]))
    assert detect_type(str(path)) == "reverie"
    first, _ = load_dataset("reverie", path)
    assert (first.episode_id, first.has_goal) == ("1357_66_0", False)


def by_duet(walk: list[str], said: Any, item: dict[str, Any]) -> dict[str, float]:
    """VLN-DUET map_nav_src/reverie/env.py, written anew: a shortest way on the grid is 2 m for each cell."""
    grid = nx.grid_2d_graph(4, 3)
    cells = {node(*cell): cell for cell in CELLS}
    distance = {a: {b: 2.0 * nx.shortest_path_length(grid, cells[a], cells[b]) for b in cells} for a in cells}
    length = sum(distance[a][b] for a, b in pairwise(walk))
    expected = sum(distance[a][b] for a, b in pairwise(item["path"]))
    goals = {node(*cell) for cell in SEEN[str(item["objId"])]}
    share = expected / max(length, expected, 0.01)
    success, found = float(walk[-1] in goals), float(str(said) == str(item["objId"]))
    seen = float(any(place in goals for place in walk))
    told = {"success": success, "oracle_success": seen, "spl": success * share, "path_length": length}
    return told | {"rgs": found, "rgspl": found * share}


def test_it_is_scored_as_duet_does(tmp_path: Path, world: list[str]) -> None:
    write_boxes(tmp_path, "BBoxes.json")
    walks = [
        ([[node(0, 0)], [node(1, 0)], [node(0, 0), node(1, 0), node(2, 0)]], 66),  # back and on: a detour
        ([[node(0, 0)], [node(1, 0), node(2, 0), node(3, 0)]], "7"),  # the place, the wrong thing
        ([[node(0, 0)], [node(1, 0), node(2, 0), node(3, 0)]], 7),  # the thing, from where it is not seen
        ([[node(0, 0)]], None),
    ]
    ids = ["1357_66_0", "1357_66_1", "1357_7_0", "1357_7_1"]
    rows = [{"instr_id": name, "trajectory": walk, "pred_objid": said} for name, (walk, said) in zip(ids, walks)]
    submission, lines = tmp_path / "a.json", tmp_path / "lines.jsonl"
    submission.write_text(json.dumps(rows))
    assert score(submission, *world, benchmark="reverie", episodes=lines) == 0
    found = {row["episode_id"]: row["metrics"] for row in map(json.loads, lines.read_text().splitlines())}
    for name, (walk, said) in zip(ids, walks):
        expected = by_duet([place for part in walk for place in part], said, ITEMS[name.startswith("1357_7")])
        assert {key: found[name][key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert [found[name]["rgs"] for name in ids] == [1.0, 0.0, 1.0, 0.0]


def test_a_submission_without_objects_has_no_rgs(tmp_path: Path, world: list[str]) -> None:
    write_boxes(tmp_path, "BBoxes.json")
    rows = [{"instr_id": f"1357_{name}", "trajectory": [[node(0, 0), 0, 0]]} for name in ("66_0", "66_1", "7_0", "7_1")]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert score(tmp_path / "a.json", *world, benchmark="reverie", out=tmp_path / "told.json") == 0
    assert "rgs" not in document(tmp_path, "told.json")["metrics"]


def test_it_is_played(tmp_path: Path, world: list[str]) -> None:
    write_boxes(tmp_path, "BBoxes.json")
    overrides = [*world, "agent_service.agent=shortest_path", "task.convention=reverie"]
    results = evaluate("reverie", overrides=overrides, out=tmp_path / "run")
    assert results.metrics["success"]["mean"] == 0.5  # the bed is not seen from the path's end
