"""The words that are ours are few, and both languages explain the same ones."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
ENGLISH, CHINESE = DOCS / "concepts/glossary.md", DOCS / "zh/concepts/glossary.md"
MAX_TERMS = 60
ROW = re.compile(r"(?m)^\| `([^`]+)` \| (.+) \|$")


def terms(page: Path) -> list[str]:
    return [term for term, _ in ROW.findall(page.read_text(encoding="utf-8"))]


def test_both_languages_explain_the_same_terms_each_once() -> None:
    assert terms(ENGLISH) == terms(CHINESE)
    assert len(set(terms(ENGLISH))) == len(terms(ENGLISH))


def test_there_are_no_more_than_a_reader_can_learn() -> None:
    assert 20 <= len(terms(ENGLISH)) <= MAX_TERMS


def test_every_row_is_a_term() -> None:
    """Three tables, each with a heading of two lines."""
    for page in (ENGLISH, CHINESE):
        rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        assert len(rows) == len(terms(page)) + 3 * 2
