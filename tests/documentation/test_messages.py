"""Every message that docs/troubleshooting.md quotes is one that the source can still say.

Each `text` block of the page is one message. It must match a string of the source whose placeholders stand for
anything; a string counts only if what it says itself is long enough to be told from others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from documentation.pages import ROOT, Block, blocks
from nav_eval.cli.chinese import catalogue

SOURCES = (
    ROOT / "src" / "nav_eval",
    ROOT / "packages" / "nav-eval-sdk" / "src" / "nav_eval_sdk",
    ROOT / "packages" / "nav-eval-worlds" / "src" / "nav_eval_worlds",
    ROOT / "packages" / "nav-eval-extras" / "src" / "nav_eval_extras",
)
PREFIX = re.compile(r"^(nav-eval(-agent)?: |WARNING +)")
OWN_WORDS = 20
"""Least letters of a string without its placeholders."""
PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = [block for block in blocks(PAGE) if block.language == "text"] if PAGE.is_file() else []
CHINESE = [block for block in blocks(PAGE.parent / "zh" / PAGE.name) if block.language == "text"]


@pytest.mark.parametrize("block", MESSAGES, ids=lambda block: f"line {block.line}")
def test_a_quoted_message_is_in_the_source(block: Block) -> None:
    assert is_said(block.text), block.text


@pytest.mark.parametrize(("english", "chinese"), zip(MESSAGES, CHINESE), ids=lambda block: f"line {block.line}")
def test_the_chinese_page_quotes_what_is_printed_and_the_english(english: Block, chinese: Block) -> None:
    told, same, nothing = chinese.text.rpartition(english.text)
    assert (same, nothing) == (english.text, "")
    assert all(any(pattern.search(line) for pattern in chinese_patterns()) for line in told.splitlines())


@cache
def chinese_patterns() -> tuple[re.Pattern[str], ...]:
    lines = (line for chinese in catalogue().entries.values() for line in chinese.splitlines())
    parts = (re.split(r"\{\d+\}", line) for line in lines)
    return tuple(re.compile(".*".join(map(re.escape, those))) for those in parts if max(map(len, those)) > 3)


@pytest.mark.parametrize("message", ["the moon is not in the folder that holds it.", "…: … is … or ….", ""])
def test_what_nobody_says_is_not_found(message: str) -> None:
    assert not is_said(message)


def is_said(message: str) -> bool:
    plain = " ".join(PREFIX.sub("", message.strip()).split())
    return any(pattern.search(plain) for pattern in patterns())


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(dict.fromkeys(pattern for folder in SOURCES for path in folder.rglob("*.py") for pattern in of(path)))


def of(path: Path) -> Iterator[re.Pattern[str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts = _parts(node)
        if sum(map(len, parts)) >= OWN_WORDS:
            yield re.compile(".*".join(map(re.escape, parts)))


def _parts(node: ast.AST) -> list[str]:
    """What a string says between its placeholders."""
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(v.value) if isinstance(v, ast.Constant) else "\0" for v in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = re.sub(r"\{\w*\}|%[sd]", "\0", node.value)
    else:
        return []
    return [re.sub(r"\s+", " ", part) for part in text.split("\0")]
