"""Files that are written row by row are those that the standard library would write of the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nav_eval.results.files import write_json_list, write_json_object

ROWS: list[Any] = [{"b": [], "a": {"x": [1, 2.5, None, True]}}, [], {}, "two\nlines of 中文", 7]


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], []])
def test_a_list_and_an_object_row_by_row(tmp_path: Path, rows: list[Any]) -> None:
    members = {f'{number}\n"': row for number, row in enumerate(rows)}
    write_json_list(tmp_path / "list.json", iter(rows))
    write_json_object(tmp_path / "object.json", iter(members.items()))
    for name, content in (("list", rows), ("object", members)):
        written = (tmp_path / f"{name}.json").read_text(encoding="utf-8")
        assert written == json.dumps(content, indent=2, ensure_ascii=False) + "\n"
