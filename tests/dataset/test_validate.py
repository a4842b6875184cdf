"""The validator finds every fault that is planted, at its place, and none in what the owners released."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from nav_eval.cli.inspect import validate
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.runs.preflight import validate_playable

REAL = {
    "r2r/R2R_val_seen.json": "r2r",
    "r4r/R4R_val_seen.json": "r4r",
    "fgr2r/FGR2R_val_seen.json": "fgr2r",
    "r2r-ce/val_seen.json.gz": "r2r-ce",
    "pointnav/habitat-test-scenes_val.json.gz": "pointnav",
    "pointnav/gibson.val_mini.json.gz": "pointnav",
    "pointnav/challenge-2020/val_mini/val_mini.json.gz": "pointnav",
    "objectnav/challenge-2020/val_mini/val_mini.json.gz": "objectnav",
    "imagenav/gibson_Cantwell.json.gz": "pointnav",
}


def counted(file: Path) -> tuple[int, int, int]:
    """Episodes, scenes, instructions: of the plain JSON."""
    records = []
    for part in [file, *(file.parent / "content").glob("*")]:
        data = part.read_bytes()
        document = json.loads(gzip.decompress(data) if part.suffix == ".gz" else data)
        records += document if isinstance(document, list) else document["episodes"]
    told = sum(len(item.get("instructions", [None] * ("instruction" in item))) for item in records)
    scenes = {item.get("scan") or item["scene_id"] for item in records}
    return (told if "scan" in records[0] else len(records), len(scenes), told)


@pytest.mark.parametrize("file", REAL)
def test_released_files_are_good(released: Path, file: str) -> None:
    assert detect_type(str(released / file)) == REAL[file]
    graphs = [f"simulator.connectivity_dir={released}/r2r/connectivity"]
    on_graph = REAL[file] in ("r2r", "r4r", "fgr2r")
    found = validate_playable(released / file, None, None, graphs if on_graph else [])
    assert found.faults == []
    assert (found.episodes, len(found.scenes), found.instructions) == counted(released / file)


def test_ndh_is_good_but_for_scans_that_r2r_val_seen_has_not(released: Path) -> None:
    graphs = released / "r2r/connectivity"
    items = json.loads((released / "ndh/NDH_val_seen.json").read_bytes())
    absent = [str(item["inst_idx"]) for item in items if not (graphs / f"{item['scan']}_connectivity.json").exists()]
    overrides = [f"simulator.connectivity_dir={graphs}"]
    faults = validate_playable(released / "ndh/NDH_val_seen.json", None, None, overrides).faults
    assert [fault.episode for fault in faults] == absent
    assert all(fault.message.startswith("unknown scan") for fault in faults)


POINT: dict[str, Any] = {
    "episode_id": "7",
    "scene_id": "s.glb",
    "start_position": [0, 0, 0],
    "start_rotation": [0, 0, 0, 1],
    "goals": [{"position": [0, 0, 1]}],
}
SPOKEN = {**POINT, "instruction": {"instruction_text": "go"}}


def faults_of(tmp_path: Path, content: Any, name: str = "a.json", **options: Any) -> list[tuple[str, str, str]]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return [(fault.episode, fault.path, fault.message) for fault in validate_dataset(path, **options).faults]


def faults_in_world(tmp_path: Path, content: Any, *overrides: str) -> list[tuple[str, str, str]]:
    """What `nav-eval validate a.json OVERRIDES` finds."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    found = validate_playable(path, None, None, overrides)
    return [(fault.episode, fault.path, fault.message) for fault in found.faults]


def test_every_fault_of_a_file_is_listed(tmp_path: Path) -> None:
    episodes = [
        POINT,
        {**POINT, "episode_id": "8", "start_position": [0, math.nan, 0], "start_rotation": [0, 0, 0, 3]},
        {**POINT, "episode_id": "7"},
        5,
        {**POINT, "episode_id": "9", "goals": [{"position": "here"}], "info": {"geodesic_distance": math.inf}},
        {**POINT, "episode_id": "10", "start_room": "\ud800"},
    ]
    found = faults_of(tmp_path, {"episodes": episodes})
    assert [(episode, path) for episode, path, _ in found] == [
        ("", "episodes[1].start_position[1]"),
        ("8", "episodes[1].start_position"),
        ("8", "episodes[1].start_rotation"),
        ("7", "episodes[2]"),
        ("", "episodes[3]"),
        ("", "episodes[4].info.geodesic_distance"),
        ("9", "episodes[4].goals[0].position"),
        ("", "episodes[5].start_room"),
    ]
    assert "appears twice" in found[3][2]


def test_a_radius_is_no_less_than_nothing(tmp_path: Path) -> None:
    for radius, faults in ((-0.2, 1), (0, 0)):
        found = faults_of(tmp_path, {"episodes": [{**POINT, "goals": [{"position": [0, 0, 1], "radius": radius}]}]})
        assert [(episode, path) for episode, path, _ in found] == [("7", "episodes[0].goals[0].radius")] * faults
        assert all(message == "expected metres, at least 0, got -0.2" for *_, message in found)


def test_keys_that_stand_twice(tmp_path: Path) -> None:
    text = b'{"episodes": [%s], "x": {"a": {"b": 1, "b": 2}}, "episodes": []}' % json.dumps(POINT)[:-1].encode().join(
        [b"", b', "info": {"k": 1, "k": 1}, "scene_id": "t.glb"}']
    )
    assert sorted(path for _, path, message in faults_of(tmp_path, text) if "twice" in message) == [
        "episodes",
        "episodes[0].info.k",
        "episodes[0].scene_id",
        "x.a.b",
    ]


WHOLE_FILES = {
    "empty": (b"", "the file is empty"),
    "not JSON": (b"# Read me", "not JSON"),
    "truncated": (b'{"episodes": [' + json.dumps(POINT).encode() + b", {", "cut off"),
    "truncated gzip": (gzip.compress(json.dumps([POINT] * 9).encode())[:-9], "cut off or damaged"),
    "not UTF-8": (b'[{"a": "\xff"}]', "not UTF-8"),
    "no episodes": (b'{"episodes": []}', "there is no episode"),
    "other list": (b'[{"a": 1}]', "no known data set has such records"),
    "numbers": (b"[1, 2]", "no known data set has such records"),
}


@pytest.mark.parametrize("kind", WHOLE_FILES)
def test_a_broken_file_is_one_fault(tmp_path: Path, kind: str) -> None:
    content, message = WHOLE_FILES[kind]
    (fault,) = faults_of(tmp_path, content)
    assert message in fault[2]


def test_a_named_type_with_no_episodes(tmp_path: Path) -> None:
    for name in ("r2r-ce", "vln"):
        assert faults_of(tmp_path, {"episodes": []}, type=name) == [("", "episodes", "there is no episode")]


@pytest.mark.parametrize("kind", [None, "objectnav"])
def test_an_index_without_its_content_says_what_is_missing(tmp_path: Path, kind: str | None) -> None:
    index = {"episodes": [], "category_to_task_category_id": {"chair": 0}}
    ((_, _, message),) = faults_of(tmp_path, index, type=kind)
    assert "no folder content/" in message
    with pytest.raises(DatasetError, match="no folder content/"):
        list(load_dataset("objectnav", tmp_path / "a.json"))


def test_gzip_bomb(tmp_path: Path) -> None:
    bomb = gzip.compress(json.dumps([POINT]).encode() + b" " * 9_000_000)
    (fault,) = faults_of(tmp_path, bomb, max_bytes=1_000_000, type="imagenav")
    assert "unpacks to more than 1000000 bytes" in fault[2]


def test_a_broken_content_file_does_not_hide_the_next(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "a.json").write_text("[")
    (tmp_path / "content" / "b.json").write_text(json.dumps({"episodes": [{**POINT, "start_position": 0}]}))
    (tmp_path / "val.json").write_text('{"episodes": []}')
    found = validate_dataset(tmp_path / "val.json").faults
    assert [(Path(fault.file).name, fault.path) for fault in found] == [
        ("a.json", ""),
        ("b.json", "episodes[0].start_position"),
    ]


def test_ground_truth_that_does_not_match(tmp_path: Path) -> None:
    truth = {
        "7": {"locations": [[0, 0, 0], [0, 0]], "actions": [1, 9], "forward_steps": 1},
        "99": {"locations": [], "actions": [1], "forward_steps": 2},
    }
    (tmp_path / "a_gt.json").write_text(json.dumps(truth))
    episodes = [SPOKEN, {**SPOKEN, "episode_id": "8", "reference_path": []}]
    assert [(episode, path) for episode, path, _ in faults_of(tmp_path, {"episodes": episodes})] == [
        ("7", "7.locations[1]"),
        ("7", "7.actions"),
        ("7", "7.forward_steps"),
        ("99", "99.locations"),
        ("99", "99.forward_steps"),
        ("8", ""),
        ("8", "episodes[1].reference_path"),
        ("99", "99"),
    ]


def test_a_part_of_a_split_with_the_whole_ground_truth_is_one_notice(tmp_path: Path, capsys: Any) -> None:
    """OpenNav and ETP-R1 publish 100 episodes of val_unseen, for which the whole split's gt file serves."""
    whole = {str(key): {"locations": [[0, 0, 0]], "actions": [0], "forward_steps": 0} for key in range(1, 1840)}
    (tmp_path / "a_gt.json").write_text(json.dumps(whole))
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"episodes": [{**SPOKEN, "episode_id": key} for key in range(1, 101)]}))
    found = validate_dataset(path)
    assert found.faults == []
    (notice,) = found.notices
    assert "1739 of 1839 paths" in str(notice)
    assert validate(path) == 0
    assert capsys.readouterr().out.count("1739") == 1
    path.write_text(json.dumps({"episodes": [{**SPOKEN, "episode_id": key} for key in (1, 2000)]}))
    assert len(validate_dataset(path).faults) == 1 + 1838  # another split's file: an episode has no path in it


def test_a_broken_ground_truth_does_not_hide_the_episodes(tmp_path: Path) -> None:
    (tmp_path / "a_gt.json").write_text("{")
    found = faults_of(tmp_path, {"episodes": [{**SPOKEN, "instruction": {"instruction_text": " "}}]})
    assert [path for _, path, _ in found] == ["", "episodes[0].instruction"]


def graph_row(name: str, x: float, unobstructed: list[bool], included: bool = True) -> dict[str, Any]:
    pose = [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    return {
        "image_id": name,
        "pose": pose,
        "included": included,
        "visible": unobstructed,
        "unobstructed": unobstructed,
        "height": 1.5,
    }


def walk(path_id: int, *path: Any, **other: Any) -> dict[str, Any]:
    return {"path_id": path_id, "scan": "S", "path": path, "heading": 0, "instructions": ["go", "go on"], **other}


def test_paths_are_checked_on_the_graph(tmp_path: Path) -> None:
    rows = [
        graph_row("a", 0, [False, True, False, False, False]),
        graph_row("b", 1, [True, False, True, False, False]),
        graph_row("c", 2, [False, True, False, False, False]),
        graph_row("alone", 9, [False] * 5),
        graph_row("out", 10, [False] * 5, included=False),
    ]
    (tmp_path / "S_connectivity.json").write_text(json.dumps(rows))
    walks = [
        walk(0, "a", "b", "c"),
        walk(1, "a", "c"),
        walk(2, "a", "alone"),
        walk(3, "a", "nowhere"),
        walk(4, "out"),
        walk(5, "a", "b", scan="T"),
        walk(6),
        walk(7, "b"),
        walk(0, "b", "c"),
    ]
    found = faults_in_world(tmp_path, walks, f"simulator.connectivity_dir={tmp_path}")
    assert [(episode, message.split(" (")[0]) for episode, _, message in found if "unknown scan" not in message] == [
        ("6", "the path is empty"),
        ("0_0", "the id '0_0' appears twice in scene 'S'"),
        ("0_1", "the id '0_1' appears twice in scene 'S'"),
        ("1_0", "the graph has no edge from a to c"),
        ("2_0", "the graph has no edge from a to alone"),
        ("2_0", "no goal can be reached on the graph from a"),
        ("3_0", "scan S has no viewpoint 'nowhere'"),
        ("4_0", "there is no goal, but other episodes have one, so this is not a hidden split"),
        ("4_0", "scan S has no viewpoint 'out'"),
        ("6_0", "there is no goal, but other episodes have one, so this is not a hidden split"),
        ("7_0", "there is no goal, but other episodes have one, so this is not a hidden split"),
    ]
    assert [(e, p) for e, p, m in found if "unknown scan 'T'" in m] == [("5_0", "[5].scan")]


@pytest.mark.parametrize(("told", "faults"), [(2.0, 0), (2.05, 0), (1.93, 1), (2.07, 1), (10**400, 1), (math.nan, 2)])
def test_a_path_is_as_long_as_its_distance_says(tmp_path: Path, told: float, faults: int) -> None:
    rows = [graph_row("a", 0, [False, True, False]), graph_row("b", 1, [True, False, True])]
    (tmp_path / "S_connectivity.json").write_text(json.dumps([*rows, graph_row("c", 2, [False, True, False])]))
    walks = [walk(0, "a", "b", "c", distance=told)]
    found = faults_in_world(tmp_path, walks, f"simulator.connectivity_dir={tmp_path}")
    assert len(found) == faults
    assert all(path == "[0].distance" for _, path, _ in found)


def test_one_goal_less_episode_is_a_fault_and_a_split_of_them_is_hidden(tmp_path: Path) -> None:
    without = {**POINT, "episode_id": "8", "goals": []}
    ((episode, path, message),) = faults_in_world(tmp_path, {"episodes": [POINT, without]})
    assert (episode, path) == ("8", "episodes[1].goals")
    assert "not a hidden split" in message
    assert faults_in_world(tmp_path, {"episodes": [without, {**without, "episode_id": "9"}]}) == []


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_reference_has_a_place_for_each_step(tmp_path: Path, count: int) -> None:
    truth = {"7": {"locations": [[0, 0, 0]] * count, "actions": [2, 1, 0], "forward_steps": 1}}
    (tmp_path / "a_gt.json").write_text(json.dumps(truth))
    ((_, path, _),) = faults_of(tmp_path, {"episodes": [SPOKEN]})
    assert path == "7.locations"
    with pytest.raises(DatasetError, match="locations"):
        list(load_dataset("r2r-ce", tmp_path / "a.json"))
