"""Every message that docs/troubleshooting.md quotes is one that the source can still say.

Each `text` block of the page is one message. It must match a string of the source whose placeholders stand for
anything; a string counts only if what it says itself is long enough to be told from others.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from documentation.pages import ROOT, blocks
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
CHINESE = ROOT / "docs" / "zh" / "troubleshooting.md"


def test_a_quoted_message_is_in_the_source() -> None:
    assert [message for message in quoted(PAGE) if not is_said(message)] == []


def test_the_chinese_page_quotes_what_is_printed_and_the_english() -> None:
    parts = [(english, zh.rpartition(english)) for english, zh in zip(quoted(PAGE), quoted(CHINESE), strict=True)]
    assert [english for english, (_, same, after) in parts if (same, after) != (english, "")] == []
    lines = [line for _, (told, *_) in parts for line in told.splitlines()]
    assert [line for line in lines if not any(holds(line, parts) for parts in chinese_parts())] == []


def quoted(page: Path) -> list[str]:
    return [block.text for block in blocks(page) if block.language == "text"]


@cache
def chinese_parts() -> list[list[str]]:
    lines = (line for chinese in catalogue().entries.values() for line in chinese.splitlines())
    parts = (re.split(r"\{\d+\}", line) for line in lines)
    return [those for those in parts if max(map(len, those)) > 3]


def test_what_nobody_says_is_not_found() -> None:
    assert not [one for one in ("the moon is not in the folder that holds it.", "…: … is … or ….", "") if is_said(one)]


def is_said(message: str) -> bool:
    plain = " ".join(PREFIX.sub("", message.strip()).split())
    return any(holds(plain, parts) for parts in strings())


def holds(text: str, parts: list[str]) -> bool:
    """Whether all parts stand in a text, in this order."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


@cache
def strings() -> list[list[str]]:
    """What each string of the source says between its placeholders, where it is enough to be told from others."""
    files = (path for folder in SOURCES for path in folder.rglob("*.py"))
    parts = (_parts(node) for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return [those for those in parts if sum(map(len, those)) >= OWN_WORDS]


def _parts(node: ast.AST) -> list[str]:
    """What a string says between its placeholders."""
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(v.value) if isinstance(v, ast.Constant) else "\0" for v in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = re.sub(r"\{\w*\}|%[sd]", "\0", node.value)
    else:
        return []
    return [re.sub(r"\s+", " ", part) for part in text.split("\0")]
