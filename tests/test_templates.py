"""Templates, scripts and style sheets of pages can be read in a diff."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS, KINDS = ("src", "packages", "theme"), (".html", ".js", ".css")
TEMPLATES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_line_of_a_template_is_too_long_for_a_diff(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 160] == []


def test_all_kinds_are_looked_at() -> None:
    assert {path.suffix for path in TEMPLATES} == {*KINDS}
    assert len(TEMPLATES) > 80
