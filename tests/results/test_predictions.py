"""A submission is a stranger's file: what it cannot be is said by name, whatever it holds."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nav_eval.errors import PredictionsError
from nav_eval.results import predictions
from nav_eval.results.predictions import read_predictions


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "read as JSON"),
        (
            [{"instr_id": "1_0", "trajectory": [["a", float("nan"), 0]]}],
            "'1_0' is not a trajectory.*nan is not a finite",
        ),
        ([{"instr_id": "1_0", "trajectory": [["a", 10**400, 0]]}], "'1_0' is not a trajectory"),
        ([{"instr_id": "1_0", "trajectory": [[None]]}], "viewpoint None is not text"),
        ([{"instruction_id": 1, "path": [["1.0", 0, 0]]}], "'1.0' is not a finite number"),
        ({"1": [{"position": [0, 0, 0], "heading": None, "stop": True}]}, "None is not a finite number"),
        ({"1": [{"position": [0, 0, 0], "heading": 0, "stop": "false"}]}, "stop is 'false', not true or false"),
        ([{"instruction_id": 1, "path": [[0, 0, 1e300]]}], "farther than 1e\\+06 m"),
        ([{"instr_id": "\ud800", "trajectory": ["a"]}], "half of a surrogate"),
        ([{"instr_id": "1_0", "trajectory": ["a"] * 100_001}], "100001 poses; at most 100000"),
        ([{"instr_id": "1_0", "trajectory": 7}], r"'1_0' is not a trajectory: it is written in another way; `"),
        ({"1": [{"heading": 0, "stop": True}]}, r"'1' is not a trajectory: it has no 'position'\.$"),
        ([{"instr_id": "1_0"}], r"'1_0' is not a trajectory: it has no 'path'\.$"),
        ([{"instruction_id": 1, "path": [[0, 0]]}], r"\[0, 0\] is not \[x, y, z\]"),
        ([{"instr_id": "x" * 9999, "trajectory": []}], r"xxx\.\.\. is not a trajectory"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: Any, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(PredictionsError, match=message) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 500
    assert "Error" not in str(caught.value)


def test_a_file_that_would_fill_the_memory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, [{"instr_id": "1_0", "trajectory": ["a"]}])
    monkeypatch.setattr(predictions, "MAX_BYTES", 10)
    with pytest.raises(PredictionsError, match="at most 10 are read"):
        read_predictions(path)


WALKS = [{"instr_id": "1_0", "trajectory": [["a", 0.0, 0.0], ["b", 0.5, 0.25]]}]


def zipped(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def nodes(path: Path) -> dict[str, list[str | None]]:
    return {name: [state.node for state in one.states] for name, one in read_predictions(path).items()}


@pytest.mark.parametrize("name", ["a.json.gz", "a.json", "a.zip"])
def test_packed_files_are_those_inside(tmp_path: Path, name: str) -> None:
    plain = json.dumps(WALKS).encode()
    for data in (gzip.compress(plain), zipped({"val/submit.json": plain, "__MACOSX/val/._submit.json": b"x"})):
        (tmp_path / name).write_bytes(data)
        assert read_predictions(tmp_path / name) == read_predictions(written(tmp_path, WALKS))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(json.dumps(WALKS * 99).encode())[:-30], "damaged or locked"),
        (zipped({"a.json": b"[]", "b.jsonl": b""}), r"must hold one .json or .jsonl file; it holds a.json, b.jsonl"),
        (zipped({"read.me": b"hello"}), "it holds none"),
        (zipped({"a.json": b"[]"})[:-40], "damaged or locked"),
        (gzip.compress(b" " * 70_000_000), "it unpacks to more than 67108864 bytes"),
        (zipped({"a.json": b" " * 70_000_000}), "it unpacks to more than 67108864 bytes"),
        (zipped({"a.json": b"[]"}).replace(b"PK\x01\x02", b"PK\x01\x03"), "damaged or locked"),
    ],
    ids=["cut gzip", "two files", "no file", "cut zip", "huge gzip", "huge zip", "damaged zip"],  # data hold the time
)
def test_an_archive_that_holds_something_else_is_told(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(PredictionsError, match=message):
        read_predictions(path)


def test_duet_writes_the_viewpoints_that_each_action_led_through(tmp_path: Path) -> None:
    """An action that leads back goes through several; none of them may be lost."""
    rows = [{"instr_id": "1_0", "trajectory": [["a"], ["b", "c"], [], ["d"]], "details": {"stop": 0.5}}]
    assert nodes(written(tmp_path, rows)) == {"1_0": ["a", "b", "c", "d"]}
    by_key = {"1_0": {"trajectory": [["a"], ["b"]]}}
    assert nodes(written(tmp_path, by_key)) == {"1_0": ["a", "b"]}


def test_objects_and_directions_come_along(tmp_path: Path) -> None:
    rows = [
        {"instr_id": "4774_267_1", "trajectory": [["a", 0.0, 0.0]], "predObjId": 402},
        {"instr_id": "4774_267_2", "trajectory": [["a"]], "pred_objid": "17"},
        {"instr_id": "9_0", "trajectory": {"path": [["a"], ["b"]], "obj_heading": [0.25], "obj_elevation": [0.5]}},
    ]
    first, second, third = read_predictions(written(tmp_path, rows)).values()
    assert (first.object_id, second.object_id, third.object_id) == ("402", "17", None)
    assert (third.direction, [state.node for state in third.states]) == ((0.25, 0.5), ["a", "b"])


def test_rxr_rows_are_viewpoints_or_points(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"instruction_id": k, "path": ["a", "b"]}) + "\n" for k in (1, 2))
    assert nodes(written(tmp_path, rows)) == {"1": ["a", "b"], "2": ["a", "b"]}
    assert nodes(written(tmp_path, rows.splitlines()[0])) == {"1": ["a", "b"]}
    path = written(tmp_path, {"instruction_id": 1, "path": [[0, 0, 0], [1, 0, 0]]})
    assert [state.position for state in read_predictions(path)["1"].states] == [(0, 0, 0), (1, 0, 0)]


@pytest.mark.parametrize(
    "table",
    [
        {"1": {"success": 1.0, "spl": 0.5}},
        {"success": 0.5, "spl": 0.25},
        [{"episode_id": 1, "success": 1, "spl": 0.5}],
        {"instr_id": ["1_0"], "nav_error": [0.5]},
        {"schema": 2, "metrics": {"success": {"mean": 0.5}, "spl": {"mean": 0.25}}},
        "episode_id,scene_id,success,spl\n1,a,1,0.5\n",
    ],
)
def test_a_table_of_metrics_is_told_to_be_one(tmp_path: Path, table: Any) -> None:
    with pytest.raises(PredictionsError, match=r"is a table of metrics .*, not of trajectories"):
        read_predictions(written(tmp_path, table))
