"""Markdown that the generated pages are made of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

from documentation.language import translate

CHINESE = "\u3000-\u303f\u4e00-\u9fff\uff00-\uffef"
"""Of a regular expression's brackets: no blank parts these from a word."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table between empty lines; nothing without rows."""
    lines = [_row(row) for row in rows]
    if lines:
        yield from ("", _row([*map(translate, head)]), _row(["---"] * len(head)), *lines, "")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def code(text: object) -> str:
    """As code, or nothing for nothing. A bar would end a table's cell, even in code: it is escaped by `table`."""
    return f"`{text}`" if str(text) else ""


def names(items: Iterable[str]) -> str:
    return ", ".join(map(code, items))


def about(thing: object) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def prose(text: str) -> str:
    """Words of a help text as Markdown, in the page's language: options, names and patterns become code."""
    pieces = _pieces(translate(" ".join(text.split())))
    return "".join(_words(piece) if index % 2 == 0 else code(piece.strip("`")) for index, piece in pieces)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Words at even places, what must stay together as code at odd ones."""
    together = r"(`[^`]*`|[\w.]+=(?:'[^']*'|\[[^\]]*\]|\.\.\.)|\[key=value \.\.\.\])"
    return enumerate(re.split(together, text))


def _words(text: str) -> str:
    return re.sub(rf"[^\s(),;{CHINESE}]*[^\s(),;.:{CHINESE}]", lambda word: _word(word[0]), text)


def _word(word: str) -> str:
    if re.match(r"--\w|[^_]*\w[=_]|<", word):
        return code(word)
    return re.sub(r"([<>*_\[\]{}])", r"\\\1", word)
