"""Every loader on the real files, against the files' own contents read with plain json, and against other releases."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from dataset.reading import raw
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.imagenav import goal_rotation, goal_yaw
from nav_eval.dataset.objectnav import object_category
from nav_eval.dataset.registry import DATASETS, load_dataset
from nav_eval.dataset.streaming import open_bytes
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.geometry import IDENTITY, wrap_angle, yaw_of
from playing import document
from recordings import SHARED_DATA

REAL = SHARED_DATA.is_dir()
R2R = "r2r/R2R_val_seen.json"
CE = "r2r-ce/val_seen.json.gz"


def by_id(episodes: list[Episode]) -> dict[str, Episode]:
    found = {episode.episode_id: episode for episode in episodes}
    assert len(found) == len(episodes)
    return found


@pytest.mark.parametrize(("name", "file"), [("r2r", R2R), ("r4r", "r4r/R4R_val_seen.json")])
def test_r2r_has_one_episode_per_instruction(released: Path, name: str, file: str) -> None:
    episodes = by_id(list(load_dataset(name, released / file)))
    items = raw(released / file)
    assert len(episodes) == sum(len(item["instructions"]) for item in items)
    for item in items:
        for k, text in enumerate(item["instructions"]):
            episode = episodes[f"{item['path_id']}_{k}"]
            assert episode.instruction is not None
            assert (episode.instruction.text, episode.scene_id) == (text, item["scan"])
            assert (episode.start_node, *episode.reference_nodes[1:]) == tuple(item["path"])
            assert [goal.node for goal in episode.goals] == [item["path"][-1]]
            assert math.isclose(wrap_angle(yaw_of(episode.start_rotation) + item["heading"]), 0, abs_tol=1e-12)


def test_a_path_of_val_seen_has_four_instructions(released: Path) -> None:
    episodes = by_id(list(load_dataset("r2r", released / R2R)))
    assert len(episodes) == (1021 if REAL else 61)
    assert sum(key.endswith("_3") for key in episodes) == 1


def test_yaw_agrees_with_r2r_ce(shared_data: Path) -> None:
    """R2R-CE holds the same headings as quaternions, rounded to 30 degrees."""
    walks = {episode.extra["path_id"]: episode for episode in load_dataset("r2r", shared_data / R2R)}
    for episode in load_dataset("r2r-ce", shared_data / CE):
        walk = walks[episode.extra["trajectory_id"]]
        turn = wrap_angle(yaw_of(episode.start_rotation) - yaw_of(walk.start_rotation))
        assert abs(turn) < math.radians(15)


def test_fgr2r_keeps_sub_instructions(released: Path) -> None:
    episodes = list(load_dataset("fgr2r", released / "fgr2r/FGR2R_val_seen.json"))
    first = episodes[0].instruction
    assert first is not None
    if REAL:
        assert first.extra["sub_instructions"][0] == ["exit", "the", "bedroom"]
        assert first.extra["chunk_view"] == [[1, 3], [3, 4], [4, 5]]
    else:
        assert first.extra["sub_instructions"] == [first.text.split()[:6], first.text.split()[6:]]
        assert first.extra["chunk_view"] == [[1, 2], [2, len(episodes[0].reference_nodes)]]
    bare = [e for e in episodes if e.instruction is not None and "sub_instructions" not in e.instruction.extra]
    assert len(bare) == 1


def test_ndh_starts_where_a_model_of_the_authors_started(released: Path) -> None:
    """Their simulator rounds the heading to 30 degrees."""
    episodes = by_id(list(load_dataset("ndh", released / "ndh/NDH_val_seen.json")))
    walks = raw(next((released / "ndh").glob("val-seq2seq-*.json")))
    assert len(walks) == len(episodes) == (382 if REAL else 20)
    for walk in walks:
        episode = episodes[str(walk["inst_idx"])]
        node, heading, _ = walk["trajectory"][0]
        assert episode.start_node == node
        step = math.pi / 6
        ours = round((-yaw_of(episode.start_rotation)) % (2 * math.pi) / step) * step
        assert math.isclose(wrap_angle(ours - heading), 0, abs_tol=1e-9)


def test_ndh_tells_the_dialogue(released: Path) -> None:
    episodes = by_id(list(load_dataset("ndh", released / "ndh/NDH_val_seen.json")))
    told = episodes["109" if REAL else "2"]
    instruction = told.instruction
    assert instruction is not None
    if REAL:
        assert instruction.text == (
            "<NAV> Should I continue forward? <ORA> yes, you want to go straight and go down the stairs on your right "
            "<TAR> towel"
        )
    else:
        assert instruction.text == "<NAV> Should I stop? <ORA> no, walk on <TAR> towel"
    assert instruction.tokens[:3] == ("<NAV>", "should", "i")
    assert len(told.goals) == (3 if REAL else 2)
    assert told.reference_nodes == tuple(told.extra["player_path"])


def test_r2r_ce_joins_the_expert(released: Path) -> None:
    dataset = load_dataset("r2r-ce", released / CE)
    episodes = by_id(list(dataset))
    truth = raw(released / "r2r-ce/val_seen_gt.json.gz")
    names = ["stop", "move_forward", "turn_left", "turn_right"]
    assert episodes.keys() == truth.keys()
    for key, episode in episodes.items():
        assert episode.gt_locations == tuple(map(tuple, truth[key]["locations"]))
        assert episode.gt_actions == tuple(names[action] for action in truth[key]["actions"])
    assert [Path(file).name for file in dataset.files] == ["val_seen.json.gz", "val_seen_gt.json.gz"]


def test_the_experts_paths_are_read_once_for_all_iterations(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes through its episodes six times before the first is played."""
    opened: list[str] = []

    def noted(file: str) -> Any:
        opened.append(Path(file).name)
        return open_bytes(file)

    monkeypatch.setattr("nav_eval.dataset.streaming.open_bytes", noted)
    dataset = load_dataset("r2r-ce", released / CE)
    first, second = list(dataset), list(dataset)
    assert first == second
    assert first[0].gt_actions
    assert sorted(opened) == ["val_seen.json.gz", "val_seen.json.gz", "val_seen_gt.json.gz"]


def test_r2r_ce_fields(released: Path) -> None:
    item = raw(released / CE)["episodes"][0]
    episode = next(iter(load_dataset("vln", released / CE)))
    assert episode.key == (item["scene_id"], str(item["episode_id"]))
    assert episode.instruction is not None
    assert episode.instruction.text == item["instruction"]["instruction_text"]
    assert episode.instruction.vocabulary_ids == tuple(item["instruction"]["instruction_tokens"])
    assert (episode.goals[0].position, episode.goals[0].radius) == (tuple(item["goals"][0]["position"]), 3.0)
    assert episode.start_rotation == tuple(item["start_rotation"])
    assert [list(point) for point in episode.reference_path] == item["reference_path"]
    assert episode.info == item["info"]


def test_pointnav_scene_prefix_and_content(released: Path) -> None:
    first = next(iter(load_dataset("pointnav", released / "pointnav/habitat-test-scenes_val.json.gz")))
    assert first.scene_id == "habitat-test-scenes/skokloster-castle.glb"
    main = released / "pointnav/challenge-2020/val_mini/val_mini.json.gz"
    dataset = load_dataset("pointnav", main)
    assert len(list(dataset)) == len(raw(main.parent / "content" / "Pablo.json.gz")["episodes"])
    assert [Path(file).name for file in dataset.files] == ["val_mini.json.gz", "Pablo.json.gz"]


def test_objectnav_resolves_goals(released: Path) -> None:
    file = released / "objectnav/challenge-2020/val_mini/val_mini.json.gz"
    whole = raw(file)
    for episode, item in zip(load_dataset("objectnav", file), whole["episodes"], strict=True):
        goals = whole["goals_by_category"][f"{Path(item['scene_id']).name}_{item['object_category']}"]
        assert object_category(episode) == item["object_category"]
        assert [goal.object_id for goal in episode.goals] == [str(goal["object_id"]) for goal in goals]
        assert [len(goal.view_points) for goal in episode.goals] == [len(goal["view_points"]) for goal in goals]
        point = goals[-1]["view_points"][-1]
        found = episode.goals[-1].view_points[-1]
        assert [*found.position, found.iou] == [*point["agent_state"]["position"], point["iou"]]


def test_objectnav_episodes_of_a_category_share_their_goals(released: Path) -> None:
    file = released / "objectnav/challenge-2020/val_mini/val_mini.json.gz"
    tables: dict[str, set[int]] = {}
    for episode in list(load_dataset("objectnav", file)):
        tables.setdefault(object_category(episode), set()).add(id(episode.goals))
    assert all(len(places) == 1 for places in tables.values())


def test_imagenav_reads_a_bare_list(released: Path) -> None:
    file = released / "imagenav/gibson_Cantwell.json.gz"
    episodes = list(load_dataset("imagenav", file))
    assert len(episodes) == len(raw(file))
    yaws = [episode.goals[0].extra["yaw"] for episode in episodes]
    assert all(0 <= yaw < 2 * math.pi for yaw in yaws)
    assert len(set(yaws)) == len(yaws)


def test_goal_yaw_is_the_sha_256_of_the_key() -> None:
    """`printf gibson/Cantwell.glb/0 | sha256sum` begins with the eight bytes below."""
    share = int("56ef6182e539715e", 16) / 2**64
    assert goal_yaw("gibson/Cantwell.glb", "0") == pytest.approx(share * 2 * math.pi, abs=1e-15)


def test_goal_rotation_prefers_the_files_own(tmp_path: Path) -> None:
    goals = [{"position": [0, 0, 0]}, {"position": [0, 0, 0], "rotation": [0, 0, 0, 1]}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**POINT, "goals": goals}]))
    (episode,) = load_dataset("imagenav", path)
    expected = wrap_angle(goal_yaw("s.glb", "7"))
    assert yaw_of(goal_rotation(episode, episode.goals[0])) == pytest.approx(expected)
    assert goal_rotation(episode, episode.goals[1]) == IDENTITY


POINT: dict[str, Any] = {
    "episode_id": 7,
    "scene_id": "s.glb",
    "start_position": [0, 0, 0],
    "start_rotation": [0, 0, 0, 1],
}
WALK: dict[str, Any] = {"path_id": 3, "scan": "S", "path": ["a"], "heading": 0.5, "instructions": ["go", "go on"]}
SPOKEN = {**POINT, "instruction": {"instruction_text": "go"}}
NAMED = {**POINT, "object_category": "bed"}
PICTURED = {**POINT, "goal_object_id": "4", "goal_image_id": 0}
DIALOG = {
    "inst_idx": 5,
    "scan": "S",
    "target": "bed",
    "dialog_history": [],
    "start_pano": {"pano": "a", "heading": 0.0, "elevation": 0.0},
}

ROW: dict[str, Any] = {
    "split": "test_standard",
    "instruction_id": 26,
    "annotator_id": 19,
    "language": "hi-IN",
    "path_id": 11,
    "scan": "S",
    "path": ["a"],
    "heading": 3.1,
    "instruction": "बाईं ओर",
    "timed_instruction": [{"word": "बाईं", "start_time": 0.4, "end_time": 1.0}],
    "edit_distance": 0.1,
}

HIDDEN = {
    "r2r": [WALK],
    "r4r": [WALK],
    "rxr": [ROW],
    "soon": [
        {**{key: WALK[key] for key in ("path_id", "scan", "path")}, "instructions": [{"full": "go"}], "bboxes": []}
    ],
    "cvdn": [{"idx": 5, "scan": "S", "target": "bed", "dialog_history": [], "nav_steps": [], "start_pano": "a"}],
    "multion": {"episodes": [{**POINT, "goals": [], "distractors": []}]},
    "vlnverse": {
        "episodes": [
            {
                **{k: v for k, v in POINT.items() if k != "scene_id"},
                "scan": "S",
                "instruction": {"instruction_text": "go"},
            }
        ]
    },
    "goat": {"episodes": [{**POINT, "goals": [], "tasks": [["bed", "object", None]]}]},
    "reverie": [{**WALK, "id": "3_66", "ix": 208, "instructions_l": ["go"]}],
    "fgr2r": [{**WALK, "new_instructions": "[]", "chunk_view": []}],
    "ndh": [DIALOG],
    "r2r-ce": {"episodes": [SPOKEN]},
    "rxr-ce": {"episodes": [SPOKEN]},
    "vln": [WALK],
    "pointnav": {"episodes": [POINT]},
    "imagenav": [POINT],
    "objectnav": {"episodes": [{**NAMED, "goals": []}], "category_to_task_category_id": {"bed": 0}},
    "instance-imagenav": {"episodes": [{**PICTURED, "goals": []}]},
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_test_split_loads_without_goals(tmp_path: Path, name: str) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps(HIDDEN[name]))
    episodes = list(load_dataset(name, path))
    assert episodes
    assert not any(episode.has_goal for episode in episodes)


def test_every_format_is_tried_here() -> None:
    assert set(HIDDEN) == set(DATASETS.names())


FAULTY: dict[str, tuple[str, Any, str]] = {
    "no scan": ("r2r", [{**WALK, "scan": None}], r"episode 3: \[0\]\.scan: expected a string, got None"),
    "no path_id": ("r2r", [{k: v for k, v in WALK.items() if k != "path_id"}], r"\[0\]\.path_id: missing"),
    "empty path": ("r2r", [{**WALK, "path": []}], r"\[0\]\.path: the path is empty"),
    "number in path": ("r2r", [{**WALK, "path": ["a", 3]}], r"\[0\]\.path\[1\]: expected a string, got 3"),
    "NaN heading": ("r2r", [{**WALK, "heading": math.nan}], r"heading: expected a finite number, got nan"),
    "surrogate": ("r2r", [{**WALK, "instructions": ["\ud800"]}], r"instructions\[0\]: .*surrogate"),
    "no object": ("r2r", [WALK, 3], r"\[1\]: expected an object, got 3"),
    "no episodes": ("pointnav", {"x": 1}, "episodes: missing"),
    "episodes no list": ("pointnav", {"episodes": 3}, "episodes: expected a list"),
    "two numbers": ("pointnav", [{**POINT, "start_position": [1, 2]}], r"start_position: expected 3 finite numbers"),
    "truth value": ("pointnav", [{**POINT, "start_position": [1, 2, True]}], "expected 3 finite numbers"),
    "infinite": ("pointnav", [{**POINT, "start_position": [1, 2, math.inf]}], "expected 3 finite numbers"),
    "too far": ("pointnav", [{**POINT, "start_position": [1.0, 2.0, 1e200]}], "at most 1e\\+06"),
    "not unit": ("pointnav", [{**POINT, "start_rotation": [0, 0, 0, 2]}], "not of unit length"),
    "text id": ("pointnav", [{**POINT, "episode_id": 1.5}], "episode_id: expected a string, got 1.5"),
    "goals no list": ("pointnav", [{**POINT, "goals": {}}], "goals: expected a list"),
    "info no object": ("pointnav", [{**POINT, "info": [1]}], "info: expected an object"),
    "no instruction": ("r2r-ce", {"episodes": [POINT]}, "instruction: missing: expected an object"),
    "no goal of it": ("objectnav", {"episodes": [NAMED], "goals_by_category": {}}, "holds no 's.glb_bed'"),
    "no such image": (
        "instance-imagenav",
        {"episodes": [PICTURED], "goals": {"s_4": {"position": [0, 0, 0]}}},
        "there is no image 0",
    ),
    "python text": ("fgr2r", [{**WALK, "new_instructions": "__import__('os')"}], "expected a list of sub-instructions"),
    "no vln": ("vln", {"episodes": [POINT]}, "have no instruction"),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_a_fault_names_file_episode_and_key(tmp_path: Path, kind: str) -> None:
    name, content, message = FAULTY[kind]
    path = tmp_path / "faulty.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DatasetError, match=message) as error:
        list(load_dataset(name, path))
    assert "faulty.json" in str(error.value)


def test_a_missing_expert_is_named(tmp_path: Path) -> None:
    path, truth = tmp_path / "x.json", tmp_path / "other.json.gz"
    path.write_text(json.dumps({"episodes": [SPOKEN]}))
    truth.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(DatasetError, match="episode 7: the gt file has no path") as caught:
        list(load_dataset("r2r-ce", path, gt_path=truth))
    assert f"`nav-eval validate {path} dataset.gt_path={truth}` lists every fault" in str(caught.value)


def test_rxr_ce_languages_and_roles(tmp_path: Path) -> None:
    texts = {"en-US": "Go left", "en-IN": "Go right", "hi-IN": "बाईं ओर", "te-IN": "మీరు గది"}
    episodes = [
        {**POINT, "episode_id": str(i), "instruction": {"instruction_id": 50 + i, "instruction_text": t, "language": k}}
        for i, (k, t) in enumerate(texts.items())
    ]
    path = tmp_path / "val_guide.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))
    truth = {str(i): {"locations": [[0, 0, 0]], "actions": [0], "forward_steps": 0} for i in range(4)}
    (tmp_path / "val_guide_gt.json.gz").write_bytes(gzip.compress(json.dumps(truth).encode()))
    found = list(load_dataset("rxr-ce", path))
    assert [e.instruction and e.instruction.language for e in found] == list(texts)
    assert [e.instruction and e.instruction.instruction_id for e in found] == ["50", "51", "52", "53"]
    assert found[2].instruction is not None
    assert found[2].instruction.tokens == ("बाईं", "ओर")
    assert all(e.gt_actions == ("stop",) for e in found)
    assert [e.episode_id for e in load_dataset("rxr-ce", path, languages=["en"])] == ["0", "1"]
    assert [e.episode_id for e in load_dataset("rxr-ce", path, languages=["te-IN"])] == ["3"]


def test_content_of_other_scenes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    main = tmp_path / "val.json.gz"
    main.write_bytes(gzip.compress(b'{"episodes": []}'))
    wanted = {"episodes": [{**POINT, "scene_id": "hm3d/00800-TEE/TEE.basis.glb"}]}
    (tmp_path / "content" / "TEE.json.gz").write_bytes(gzip.compress(json.dumps(wanted).encode()))
    (tmp_path / "content" / "Other.json.gz").write_bytes(b"broken")
    for scene in ("TEE", "hm3d/00800-TEE/TEE.basis.glb"):
        dataset = load_dataset("pointnav", main, scenes=[scene])
        assert len(list(dataset)) == 1
        assert len(dataset.files) == 2
    assert list(load_dataset("pointnav", main, scenes=["TEE2"])) == []


def test_scenes_filter_on_the_graph(released: Path) -> None:
    scan = raw(released / R2R)[0]["scan"]
    assert {e.scene_id for e in load_dataset("r2r", released / R2R, scenes=[scan])} == {scan}


def test_goals_after_the_episodes(tmp_path: Path) -> None:
    goal = {"position": [1, 2, 3], "object_id": 9, "object_category": "bed", "view_points": []}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"episodes": [NAMED, NAMED], "goals_by_category": {"s.glb_bed": [goal]}}))
    assert [e.goals[0].object_id for e in load_dataset("objectnav", path)] == ["9", "9"]


def test_first_objectnav_releases_keep_goals_in_the_episode(tmp_path: Path) -> None:
    goal = {"position": [1, 2, 3], "object_id": 9, "object_category": "bed", "view_points": []}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"episodes": [{**POINT, "goals": [goal]}]}))
    (episode,) = load_dataset("objectnav", path)
    assert object_category(episode) == "bed"
    assert episode.has_goal


def test_the_specifications_episode(tmp_path):
    """Section 3.5, field by field; what is written back is what was read."""
    record = {
        "episode_id": "ep_001",
        "scene_id": "scene_123",
        "start_position": [1.5, 0.0, 2.3],
        "start_rotation": [0.0, 0.0, 0.0, 1.0],
        "instruction": {"text": "Walk down the hallway", "tokens": ["walk", "down", "the", "hallway"]},
        "reference_path": [[1.5, 0.0, 2.3], [4.0, 0.0, 2.3]],
        "goals": [{"position": [4.0, 0.0, 2.3], "radius": 3.0}],
    }
    path = tmp_path / "episodes.json"
    path.write_text(
        json.dumps({"episodes": [record, {**record, "episode_id": "2", "instruction": {"text": "Go on."}}]})
    )
    assert validate_dataset(path).faults == []
    dataset = load_dataset("vln", path)
    first, second = dataset
    assert first.key == ("scene_123", "ep_001")
    assert first.instruction.tokens == ("walk", "down", "the", "hallway")
    assert second.instruction.tokens == ("go", "on", ".")
    assert first.goals[0].radius == 3.0
    assert first.reference_path[-1] == first.goals[0].position == (4.0, 0.0, 2.3)
    dump_dataset("vln", dataset, tmp_path / "again.json", dataset.header)
    assert document(tmp_path, "again.json") == json.loads(path.read_text())


def test_the_specifications_episode_has_words_for_tokens(tmp_path):
    record = {"episode_id": "1", "scene_id": "a", "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1]}
    path = tmp_path / "episodes.json"
    path.write_text(json.dumps({"episodes": [{**record, "instruction": {"text": "Go.", "tokens": [4, 2]}}]}))
    assert [fault.path for fault in validate_dataset(path).faults] == [
        f"episodes[0].instruction.tokens[{i}]" for i in (0, 1)
    ]
