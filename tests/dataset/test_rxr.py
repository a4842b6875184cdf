"""RxR on the graph as Google ships it: JSON Lines, guides and followers, read, checked, played and scored."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from graphs import SCAN, grid_scan, node, walked
from nav_eval import evaluate
from nav_eval.cli.score import score
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.split import known_split
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.runs.preflight import validate_playable
from recordings import SHARED_DATA

TEXTS = {"en-US": "Walk on.", "en-IN": "Keep going.", "hi-IN": "आगे चलें", "te-IN": "ముందుకు నడవండి"}


def guide(number: int, language: str = "en-US", **other: Any) -> dict[str, Any]:
    path = walked([node(0, 0), node(2, 0), node(2, 1)])
    return {
        "path_id": 11,
        "split": "val_seen",
        "scan": SCAN,
        "heading": 0.5,
        "path": path,
        "instruction_id": number,
        "annotator_id": 19,
        "language": language,
        "instruction": TEXTS[language],
        "timed_instruction": [{"word": "Walk", "start_time": 0.4, "end_time": 1.0}],
        "edit_distance": 0.1,
        **other,
    }


def follower(demonstration: int, instruction: int, path: list[str]) -> dict[str, Any]:
    metrics = {"ne": 0.0, "sr": 1.0, "spl": 1.0, "dtw": 0.0, "ndtw": 1.0, "sdtw": 1.0}
    names = {"demonstration_id": demonstration, "instruction_id": instruction, "annotator_id": 43}
    return {**names, "path": path, "metrics": metrics}


def write_rows(path: Path, rows: list[Any]) -> Path:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


GUIDES = [guide(26 + k, language) for k, language in enumerate(TEXTS)]


@pytest.fixture
def world(tmp_path: Path) -> list[str]:
    """The overrides that point at the graph and at a guides' file."""
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / f"{SCAN}_connectivity.json").write_text(json.dumps(grid_scan(4, 3)))
    data = write_rows(tmp_path / "rxr_val_seen_guide.jsonl.gz", GUIDES)
    return [f"dataset.data_path={data}", f"simulator.connectivity_dir={tmp_path / 'graphs'}"]


@pytest.mark.parametrize("name", ["rxr_val_seen_guide.jsonl.gz", "rxr_val_seen_guide.jsonl", "guide.json"])
def test_each_row_is_an_instruction(tmp_path: Path, name: str) -> None:
    path = write_rows(tmp_path / name, GUIDES)
    assert detect_type(str(path)) == "rxr"
    assert known_split(path) == "val_seen"
    episodes = list(load_dataset("vln", path))
    assert [(e.episode_id, e.instruction and e.instruction.language) for e in episodes] == [
        (str(26 + k), language) for k, language in enumerate(TEXTS)
    ]
    assert [e.instruction and e.instruction.text for e in episodes] == list(TEXTS.values())
    assert episodes[0].reference_nodes == tuple(GUIDES[0]["path"])
    assert [goal.node for goal in episodes[0].goals] == [node(2, 1)]
    assert [e.episode_id for e in load_dataset("rxr", path, languages=["en"])] == ["26", "27"]
    assert validate_dataset(path).faults == []


def test_a_follower_walks_by_the_guides_instruction(tmp_path: Path) -> None:
    write_rows(tmp_path / "rxr_val_seen_guide.jsonl.gz", GUIDES)
    other = walked([node(0, 0), node(0, 1), node(2, 1)])
    path = write_rows(tmp_path / "rxr_val_seen_follower.jsonl.gz", [follower(90, 28, other)])
    (episode,) = load_dataset("rxr", path, scenes=[SCAN])
    assert (episode.episode_id, episode.scene_id, episode.reference_nodes) == ("90", SCAN, tuple(other))
    assert episode.instruction is not None
    assert (episode.instruction.text, episode.instruction.instruction_id) == (TEXTS["hi-IN"], "28")
    dataset = load_dataset("rxr", path)
    assert [Path(file).name for file in dataset.files] == [path.name, "rxr_val_seen_guide.jsonl.gz"]
    assert detect_type(str(path)) == "rxr"
    dump_dataset("rxr", dataset, tmp_path / "again.jsonl")
    assert json.loads((tmp_path / "again.jsonl").read_text()) == follower(90, 28, other)


def test_followers_without_guides_say_what_is_missing(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rxr_val_seen_follower.jsonl", [follower(90, 28, ["a"])])
    with pytest.raises(DatasetError, match=r"put the guides' file beside it: .*rxr_val_seen_guide\.jsonl"):
        list(load_dataset("rxr", path))
    write_rows(tmp_path / "rxr_val_seen_guide.jsonl", GUIDES[:1])
    ((fault),) = validate_dataset(path).faults
    assert (fault.episode, fault.path) == ("90", "row 1.instruction_id")


@pytest.mark.parametrize(
    ("row", "path", "message"),
    [
        ({**guide(30), "instruction": None}, "row 5.instruction", "expected a string"),
        ({**guide(30), "path": []}, "row 5.path", "the path is empty"),
        ({**guide(30), "heading": "north"}, "row 5.heading", "expected a finite number"),
        ([1], "row 5", "expected an object"),
    ],
)
def test_a_fault_names_its_row(tmp_path: Path, row: Any, path: str, message: str) -> None:
    found = validate_dataset(write_rows(tmp_path / "rxr_guide.jsonl", [*GUIDES, row])).faults
    assert any(fault.path == path and message in fault.message for fault in found)


def test_a_row_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rxr_guide.jsonl"
    path.write_text(json.dumps(GUIDES[0]) + "\n" + json.dumps(GUIDES[1])[:-9])
    ((fault),) = validate_dataset(path).faults
    assert "row 2: the JSON text is cut off" in fault.message


def test_json_lines_of_other_data_sets_are_read_too(tmp_path: Path) -> None:
    """Records of any format, one in each row, are those of its list."""
    walk = {"path_id": 3, "scan": "S", "path": ["a", "b"], "heading": 0.5, "instructions": ["go", "go on"]}
    point = {"episode_id": 7, "scene_id": "s.glb", "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1]}
    for name, record in (("r2r", walk), ("pointnav", {**point, "goals": [{"position": [1, 0, 0]}]})):
        rows, whole = write_rows(tmp_path / "a.jsonl", [record]), tmp_path / "a.json"
        whole.write_text(json.dumps([record]))
        assert detect_type(str(rows)) == name
        assert list(load_dataset(name, rows)) == list(load_dataset(name, whole))


def test_it_is_checked_played_and_scored(tmp_path: Path, world: list[str]) -> None:
    assert validate_playable(tmp_path / "rxr_val_seen_guide.jsonl.gz", None, None, world[1:]).faults == []
    out = tmp_path / "run"
    agent = "agent_service.agent=shortest_path"
    results = evaluate("rxr", overrides=[*world, agent, "task.convention=rxr", "dataset.split=val_seen"], out=out)
    assert {name: results.metrics[name]["mean"] for name in ("success", "ndtw")} == {"success": 1.0, "ndtw": 1.0}
    for naming in ("{}", "11_{}"):  # RxR's own, and HAMT's
        rows = [{"instruction_id": naming.format(row["instruction_id"]), "path": row["path"]} for row in GUIDES]
        submission, told = write_rows(tmp_path / "mine.jsonl.gz", rows), tmp_path / "told.json"
        assert score(submission, *world, "task.convention=rxr", benchmark="rxr", out=told) == 0
        document = json.loads(told.read_text())
        assert (document["metrics"]["ndtw"]["mean"], document["convention"]) == (1.0, "rxr")


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="needs Matterport3D's graphs")
def test_the_sample_of_its_readme_scores_as_google_says(tmp_path: Path) -> None:
    """The follower 26 of instruction 26; its own places of the viewpoints differ from the graph's by a few cm."""
    names = "d38a4c31821c48ac9082d896e628c128 1d6a100cf3d34326936ef7d0a50840d9 87998608d4844fcfaca266bd5aba6516"
    rest = "5248918af65645a28a65f59d3424598a e0b2917ecb6d4e31846957451348f80a"
    path = f"{names} {rest}".split()
    data = write_rows(tmp_path / "guide.jsonl", [guide(26, scan="2n8kARJN3HM", path=path, heading=3.105381634905035)])
    walk = [*path[:2], "d8eb4eab2d3442e1a3a7a74fc810be22", *path[2:]]
    submission, told = write_rows(tmp_path / "a.jsonl", [{"instruction_id": 26, "path": walk}]), tmp_path / "told.json"
    graphs = f"simulator.connectivity_dir={SHARED_DATA}/r2r/connectivity"
    assert score(submission, f"dataset.data_path={data}", graphs, benchmark="rxr", out=told) == 0
    found = {name: value["mean"] for name, value in json.loads(told.read_text())["metrics"].items()}
    assert (found["navigation_error"], found["success"]) == (0.0, 1.0)
    assert found["spl"] == pytest.approx(0.9479355350139731, abs=1e-3)
    assert found["ndtw"] == pytest.approx(0.9020566069282614, abs=3e-3)
