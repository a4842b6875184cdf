"""Markdown as HTML that can do nothing: HTML in it is text, and pictures are only those of one's own folder.

A link leads to the web, to a mail address, to this site, or it is no link; this is decided here, of what the parser has
found, and not by the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["html_block", "html_inline"])
AWAY = re.compile(r"https?://[^\s/\\?#@]+([/?#][!-~]*)?|mailto:[^\s?]+@[^\s?]+", re.IGNORECASE)
HERE = re.compile(r"/[a-z0-9-][a-z0-9/-]*")
PAGE = re.compile(r"([a-z0-9][a-z0-9-]{0,39})(\.zh)?\.md")
FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@dataclass(frozen=True)
class Links:
    """Addresses of a page and of a file beside it, {} in the place of its name.

    `home`: of the first page; away from the server, whose own pages are then not there, it is another one.
    """

    page: str
    file: str
    home: str = "/"

    def to(self, address: str) -> str | None:
        """What a link to this address says; None where there must be none."""
        if (page := PAGE.fullmatch(address)) is not None:
            return self.page.format(page[1])
        if FILE.fullmatch(address):
            return self.file.format(address)
        if address == "/":
            return self.home
        allowed = AWAY.fullmatch(address) or (self.home == "/" and HERE.fullmatch(address))
        return address if allowed else None


@lru_cache(maxsize=128)
def html(text: str, links: Links) -> SafeString:
    tokens = PARSER.parse(text)
    for token in _each(tokens):
        _confine(token, links)
    made: str = PARSER.renderer.render(tokens, PARSER.options, {})
    return mark_safe(made)


@lru_cache(maxsize=128)
def heading(text: str) -> str:
    """The words of the first # line; "" without one."""
    tokens = PARSER.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.tag == "h1":
            return "".join(one.content for one in _each([inline]) if one.type in ("text", "code_inline"))
    return ""


def _each(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _each(token.children or ())


def _confine(token: Token, links: Links) -> None:
    token.attrs.pop("style", None)  # a table's alignment; our pages allow no inline style
    if token.type == "table_open":
        token.attrs["tabindex"] = "0"  # on a phone it scrolls, by the keyboard too
    elif token.type == "link_open":
        address = links.to(str(token.attrs.pop("href")))
        token.attrs |= {"href": address, "rel": "noopener noreferrer"} if address else {}
    elif token.type == "image":
        source = str(token.attrs["src"])
        if FILE.fullmatch(source):
            token.attrs["src"] = links.file.format(source)
        else:
            token.type = "text"
