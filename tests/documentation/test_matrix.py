"""The table of data sets is of every type, and each row is proved by tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from documentation.matrix import ALONE, READ, REFUSED, ROWS
from documentation.pages import ROOT
from nav_eval.dataset.registry import DATASETS

TESTS = Path(__file__).parents[1]


def test_every_type_has_a_row() -> None:
    assert {row.type for row in ROWS} == set(DATASETS.names())


def test_the_tests_of_the_rows_exist() -> None:
    for test in {ALONE, READ, REFUSED, *(test for row in ROWS for test in row.tests)}:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE), test


def test_the_conventions_of_the_rows_exist() -> None:
    folder = ROOT / "src" / "nav_eval" / "configs" / "convention"
    assert {name for row in ROWS for name in row.conventions} <= {path.stem for path in folder.glob("*.yaml")}
