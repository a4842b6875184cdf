"""Templates, scripts and style sheets of pages can be read in a diff."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS, KINDS = ("src", "packages", "theme"), (".html", ".js", ".css")
TEMPLATES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS]


def test_no_line_of_a_template_is_too_long_for_a_diff() -> None:
    assert {path.suffix for path in TEMPLATES} == {*KINDS}
    assert len(TEMPLATES) > 80
    lines = ((path, line) for path in TEMPLATES for line in path.read_text(encoding="utf-8").splitlines())
    assert [f"{path.relative_to(ROOT)}: {line}" for path, line in lines if len(line) > 160] == []
