"""What is read and written back is the same: real files, and any file of every format that hypothesis thinks of."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataset.reading import raw
from nav_eval.dataset.dataset import DatasetRequest
from nav_eval.dataset.detect import open_as
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode, Goal, Instruction, ViewPoint
from nav_eval.dataset.registry import DATASETS, load_dataset
from nav_eval.dataset.tokens import tokenize
from nav_eval.errors import DatasetError

REAL = [
    ("r2r", "r2r/R2R_val_seen.json"),
    ("r4r", "r4r/R4R_val_seen.json"),
    ("fgr2r", "fgr2r/FGR2R_val_seen.json"),
    ("ndh", "ndh/NDH_val_seen.json"),
    ("r2r-ce", "r2r-ce/val_seen.json.gz"),
    ("pointnav", "pointnav/habitat-test-scenes_val.json.gz"),
    ("pointnav", "pointnav/gibson.val_mini.json.gz"),
    ("pointnav", "pointnav/challenge-2020/val_mini/content/Pablo.json.gz"),
    ("objectnav", "objectnav/challenge-2020/val_mini/val_mini.json.gz"),
    ("imagenav", "imagenav/gibson_Cantwell.json.gz"),
]


def shape(value: Any) -> Any:
    """Keys and JSON types, numbers alike."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "number" if type(value) in (int, float) else type(value).__name__


def rewrite(name: str, source: Path, *targets: Path) -> None:
    dataset = open_as(name, DatasetRequest(data_path=str(source)))
    for target in targets:
        dump_dataset(name, dataset, target, dataset.header)


@pytest.mark.parametrize(("name", "file"), REAL)
def test_real_files(released: Path, tmp_path: Path, name: str, file: str) -> None:
    plain, packed = tmp_path / "copy.json", tmp_path / "copy.json.gz"
    rewrite(name, released / file, plain, packed)
    written, expected = raw(plain), raw(released / file)
    assert written == expected
    assert shape(written) == shape(expected)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


TEXT = st.text(max_size=12)
NAME = st.text(min_size=1, max_size=8).filter(lambda text: "/" not in text)
NUMBER = st.floats(-1e6, 1e6) | st.integers(-50, 50)
VECTOR = st.lists(NUMBER, min_size=3, max_size=3)
ROTATION = st.floats(-math.pi, math.pi).map(lambda yaw: [0, math.sin(yaw / 2), -0.0, math.cos(yaw / 2)])
HEADING = st.floats(0, 6.3)
ID = TEXT.filter(bool) | st.integers(0, 999)
Strategy = st.SearchStrategy[Any]


def fixed(keys: Mapping[str, Strategy], **optional: Strategy) -> Strategy:
    return st.fixed_dictionaries({**keys}, optional=optional)


def few(item: Strategy, most: int = 2) -> Strategy:
    return st.lists(item, max_size=most)


def some(item: Strategy, most: int = 3, by: str = "") -> Strategy:
    """At least one; those of one id are one."""
    return st.lists(item, min_size=1, max_size=most, unique_by=(lambda one: str(one[by])) if by else None)


EXTRA = fixed({}, start_room=st.none() | TEXT, shortest_paths=st.none() | st.just([]))
SCENE = st.builds("{}{}.glb".format, st.sampled_from(["", "data/scene_datasets/", "mp3d/x/"]), NAME)
FRAME = {"episode_id": ID, "scene_id": SCENE, "start_position": VECTOR, "start_rotation": ROTATION}
INFO = {"info": st.none() | st.dictionaries(TEXT, st.floats(0, 99) | TEXT, max_size=2)}
RADIUS = {"radius": st.none() | st.floats(0.1, 3)}
POINT_GOALS = {"goals": few(fixed({"position": VECTOR}, **RADIUS))}
VIEW = fixed({"agent_state": fixed({"position": VECTOR}, rotation=ROTATION)}, iou=st.floats(0, 1))
SIZE = st.lists(st.integers(1, 999), min_size=2, max_size=2)
IMAGE = fixed(
    {"position": VECTOR, "rotation": ROTATION, "hfov": st.integers(20, 120), "image_dimensions": SIZE},
    frame_coverage=st.floats(0, 1),
)
OBJECT = {"position": VECTOR, "object_id": ID, "object_category": NAME, "view_points": few(VIEW)}
SPOKEN = fixed(
    {"instruction_text": TEXT},
    instruction_tokens=few(st.integers(0, 99), 3),
    instruction_id=ID,
    language=st.sampled_from(["en-US", "hi-IN"]),
    timed_instruction=st.just([{"word": "go", "start_time": 0.5, "end_time": 1}]),
)


def records(*parts: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> st.SearchStrategy[list[Any]]:
    keys = {key: value for part in parts for key, value in part.items()}
    return some(st.builds(lambda record, extra: {**extra, **record}, fixed(keys, **(optional or {})), EXTRA))


def table_of(items: list[Any], objects: list[Any], key: str) -> dict[str, Any]:
    scene = items[0]["scene_id"].rsplit("/", 1)[-1]
    for item in items:
        item["scene_id"] = items[0]["scene_id"]
    if key == "goals_by_category":
        return {"episodes": items, key: {f"{scene}_{item['object_category']}": objects for item in items}}
    names = [f"{scene.removesuffix('.glb')}_{item['goal_object_id']}" for item in items]
    return {"episodes": items, key: dict.fromkeys(names, objects[0])}


def sought_one_by_one(items: list[Any]) -> dict[str, Any]:
    scenes = {item["scene_id"].rsplit("/", 1)[-1] for item in items}
    image = {"position": [1, 2, 3], "rotation": [0, 0, 0, 1], "hfov": 90, "image_dimensions": [4, 3]}
    bed = {"position": [0, 0, 0], "object_id": "b", "object_category": "bed", "image_goals": [image]}
    return {"episodes": items, "goals": {f"{scene}_bed": [bed] for scene in scenes}}


PLACE = {"scan": NAME, "path": some(NAME, 4)}
WALK = {**PLACE, "path_id": st.integers(0, 9999) | NAME, "heading": HEADING, "instructions": some(TEXT)}
WALKS = some(fixed(WALK, distance=NUMBER, x=st.none()), by="path_id")


def with_parts(walks: list[Any]) -> list[Any]:
    for walk in walks:
        words = [[[text], ["x"]] for text in walk["instructions"]]
        walk |= {"new_instructions": repr(words), "chunk_view": [[[1, 2]] for _ in words]}
    return walks


SAID = few(fixed({"nav_idx": st.integers(0, 3), "role": st.just("oracle"), "message": TEXT}))
START = fixed({"heading": HEADING, "elevation": st.just(17.5), "pano": NAME})
ASKED = {"scan": NAME, "target": TEXT, "dialog_history": SAID}
DIALOG = fixed(
    {**ASKED, "inst_idx": st.integers(0, 999), "start_pano": START},
    end_panos=few(NAME),
    planner_path=few(NAME),
    player_path=few(NAME),
)
TALK = fixed(
    {**ASKED, "idx": st.integers(0, 999), "start_pano": NAME},
    end_panos=few(NAME),
    nav_steps=few(NAME),
    planner_nav_steps=few(NAME),
)
CE = records(FRAME, {"instruction": SPOKEN}, optional={**INFO, **POINT_GOALS, "reference_path": few(VECTOR)}).map(
    lambda items: {"episodes": items, "instruction_vocab": {"itos": ["a"]}}
)
POINTS = records(FRAME, optional={**INFO, **POINT_GOALS})
RXR = fixed(
    {**PLACE, "instruction_id": st.integers(0, 9999), "heading": HEADING, "instruction": TEXT},
    language=st.sampled_from(["en-IN", "te-IN"]),
    path_id=st.integers(0, 99),
    split=NAME,
)
SOUGHT = some(fixed({**WALK, "ix": st.integers(0, 99), "objId": st.integers(0, 99)}), by="path_id").map(
    lambda walks: [{**walk, "id": f"{walk['path_id']}_{walk['objId']}"} for walk in walks]
)
FULL = fixed({"full": TEXT, "attribute": TEXT})
BOXES = few(fixed({"image_id": NAME, "obj_name": st.none() | NAME}))
SEEN = some(fixed({**PLACE, "path_id": NAME, "instructions": some(FULL, 2), "bboxes": BOXES}), by="path_id")
ISAAC = records(
    {
        "episode_id": ID,
        "scan": NAME,
        "start_position": VECTOR,
        "start_rotation": st.just([0.6, 0.0, 0.0, 0.8]),
        "instruction": fixed({"instruction_text": TEXT | st.dictionaries(NAME, TEXT, min_size=1)}),
    },
    optional={"reference_path": few(VECTOR, 3), "trajectory_id": ID},
)
CYLINDER = fixed({"position": VECTOR, "object_category": NAME, "room_id": st.none()})
CYLINDERS = records(FRAME, {"goals": some(CYLINDER), "object_index": st.just(0)}, optional=INFO)


def in_episodes(items: list[Any]) -> dict[str, Any]:
    return {"episodes": items}


DOCUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "r2r": WALKS,
    "r4r": WALKS,
    "rxr": some(RXR),
    "soon": SEEN,
    "cvdn": some(TALK),
    "vlnverse": ISAAC.map(in_episodes),
    "multion": CYLINDERS.map(in_episodes),
    "reverie": SOUGHT,
    "fgr2r": WALKS.map(with_parts),
    "ndh": some(DIALOG),
    "r2r-ce": CE,
    "rxr-ce": CE,
    "vln": WALKS,
    "pointnav": POINTS.map(in_episodes),
    "imagenav": POINTS,
    "objectnav": st.builds(
        lambda items, goals: table_of(items, goals, "goals_by_category"),
        records(FRAME, {"object_category": NAME, "goals": st.just([])}, optional=INFO),
        some(fixed(OBJECT, **RADIUS), 2),
    ),
    "goat": records(
        FRAME, {"goals": st.just([]), "tasks": st.just([["bed", "object", None], ["bed", "image", "b", 0]])}
    ).map(sought_one_by_one),
    "instance-imagenav": st.builds(
        lambda items, goals: table_of(items, goals, "goals"),
        records(FRAME, {"goal_object_id": ID, "goal_image_id": st.just(0), "goals": st.just([])}),
        some(fixed({**OBJECT, "image_goals": some(IMAGE, 2)}), 1),
    ),
}


def test_every_format_has_documents() -> None:
    assert set(DOCUMENTS) == set(DATASETS.names())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_any_document(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.json.gz"

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(document=DOCUMENTS[name])
    def round_trip(document: Any) -> None:
        source.write_text(json.dumps(document))
        form = "r2r" if name == "vln" else name
        rewrite(form, source, target)
        assert raw(target) == document
        assert shape(raw(target)) == shape(document)
        assert list(load_dataset(name, target)) == list(load_dataset(name, source))

    round_trip()


def said(text: str) -> Instruction:
    return Instruction(text=text, tokens=tokenize(text))


BED = Goal(position=(0.0, 0.5, 0.0), radius=0.2, object_id="bed_1", category="bed")
OUR_OWN = Episode(
    episode_id="house_3",
    scene_id="demo/house_1.glb",
    start_position=(1.0, 0.0, -2.5),
    start_rotation=(0.0, 1.0, 0.0, 0.0),
    goals=(replace(BED, view_points=(ViewPoint(position=(0.0, 0.0, 1.0)),)),),
    info={"geodesic_distance": 3.25},
)


@pytest.mark.parametrize("name", ["pointnav", "r2r-ce", "objectnav"])
def test_episodes_of_our_own_making(tmp_path: Path, name: str) -> None:
    made = replace(OUR_OWN, instruction=said("Go on. ") if name == "r2r-ce" else None)
    dump_dataset(name, [made], tmp_path / "a.json")
    (read,) = load_dataset(name, tmp_path / "a.json")
    assert replace(read, extra={}) == made


def test_graph_episodes_of_our_own_making(tmp_path: Path) -> None:
    made = [
        Episode(
            episode_id=f"12_{k}",
            scene_id="scan",
            start_node="a",
            start_rotation=(0.0, 0.0, 0.0, 1.0),
            reference_nodes=("a", "b"),
            goals=(Goal(node="b"),),
            instruction=said("Go."),
        )
        for k in range(2)
    ]
    dump_dataset("r2r", made, tmp_path / "a.json")
    read = list(load_dataset("r2r", tmp_path / "a.json"))
    told = attrgetter("episode_id", "start_node", "goals", "start_rotation")
    assert list(map(told, read)) == list(map(told, made))
    with pytest.raises(DatasetError, match="Write every instruction"):
        dump_dataset("r2r", made[1:], tmp_path / "a.json")


def test_what_json_cannot_hold_leaves_no_file(tmp_path: Path) -> None:
    bad = replace(OUR_OWN, info={"geodesic_distance": math.inf})
    with pytest.raises(DatasetError, match="Leave out NaN and inf"):
        dump_dataset("pointnav", [OUR_OWN, bad], tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_the_same_episodes_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        dump_dataset("pointnav", [OUR_OWN], tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_a_type_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DATASETS._members, "someone_elses", lambda request: [])
    with pytest.raises(DatasetError, match="cannot be written"):
        dump_dataset("someone_elses", [OUR_OWN], tmp_path / "a.json")
