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

SOURCES = (ROOT / "src" / "nav_eval", ROOT / "packages" / "nav-eval-sdk" / "src" / "nav_eval_sdk")
PREFIX = re.compile(r"^(nav-eval(-agent)?: |WARNING +)")
OWN_WORDS = 20
"""Least letters of a string without its placeholders."""
PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = [block for block in blocks(PAGE) if block.language == "text"] if PAGE.is_file() else []


@pytest.mark.parametrize("block", MESSAGES, ids=lambda block: f"line {block.line}")
def test_a_quoted_message_is_in_the_source(block: Block) -> None:
    assert is_said(block.text), block.text


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
