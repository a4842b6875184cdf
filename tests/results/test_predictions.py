"""A submission is a stranger's file: what it cannot be is said by name, whatever it holds."""

from __future__ import annotations

import json
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
        ([{"instr_id": "x" * 9999, "trajectory": []}], r"xxx\.\.\. is not a trajectory"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: Any, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(PredictionsError, match=message) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 500


def test_a_file_that_would_fill_the_memory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, [{"instr_id": "1_0", "trajectory": ["a"]}])
    monkeypatch.setattr(predictions, "MAX_BYTES", 10)
    with pytest.raises(PredictionsError, match="at most 10 are read"):
        read_predictions(path)
