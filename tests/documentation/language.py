"""The language of the page that is made: the product's catalogue, and zh.po beside this for what they add."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from nav_eval.cli.chinese import catalogue
from nav_eval_sdk.chinese import Catalogue, entries

_chinese = False


@contextmanager
def chinese() -> Iterator[None]:
    """What `translate` answers within is Chinese."""
    global _chinese
    _chinese = True
    try:
        yield
    finally:
        _chinese = False


def in_chinese() -> bool:
    """Whether the page that is made is a Chinese one."""
    return _chinese


def translate(text: str) -> str:
    """`text` in the language of the page."""
    return _texts().translate(text) if _chinese and text else text


@cache
def _texts() -> Catalogue:
    return Catalogue({**catalogue().entries, **entries(Path(__file__).parent)})
