"""Reads documentation pages as scripts: what a reader would type, in order, in one shell per page.

A fenced block is run according to its language. `sh` runs as it stands; `python` runs as a script; any block with
`title="name"` is written to that file; `yaml`, `json` and `toml` without a title are only parsed; `text` is output.
Three comments, invisible on the page, steer a block that follows: `<!-- needs: docker -->` runs it only where that is
there (`soak`: in `make soak` only; `quick`: everywhere else), `<!-- background -->` leaves it running to the end of the
page, as in a second terminal, `<!-- output -->` says that the page's commands print it to the letter, with any lines
where it has a line of `...`. A comment that begins with `<!-- setup` holds shell lines that a test needs and a reader
does not; $CHECKOUT is the project's root and $SHARED_DATA the real data, or a set of our own that stands in (only under
`needs: shared-data`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("*.md", "docs/**/*.md", "docker/*.md", "examples/*/*.md", "unity/*.md")
PAGES = sorted(page for folder in FOLDERS for page in ROOT.glob(folder))
FENCE = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,})(?P<language>[\w+-]*)(?P<info>.*)$")
TITLE = re.compile(r'title="([^"]+)"')
NEEDS = re.compile(r"<!-- needs: ([\w-]+) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block (or a setup comment) of a page."""

    line: int
    language: str
    text: str
    title: str | None = None
    needs: str | None = None
    background: bool = False
    output: bool = False


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page in order."""
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    needs, background, output = None, False, False
    for number, line in lines:
        fence = FENCE.match(line)
        if line.strip() == "<!-- setup":
            yield Block(number, "sh", _until(lines, "-->"), needs=needs)
            needs = None
        elif found := NEEDS.match(line.strip()):
            needs = found[1]
        elif line.strip() == "<!-- background -->":
            background = True
        elif line.strip() == "<!-- output -->":
            output = True
        elif fence:
            text = _until(lines, fence["mark"], len(fence["indent"]))
            title = TITLE.search(fence["info"])
            yield Block(number, fence["language"], text, title[1] if title else None, needs, background, output)
            needs, background, output = None, False, False


def _until(lines: Iterator[tuple[int, str]], end: str, indent: int = 0) -> str:
    taken = []
    for _, line in lines:
        if line.strip() == end:
            return "\n".join(taken) + "\n"
        taken.append(line[indent:])
    raise ValueError(f"a block that {end!r} should end is left open")


def script(page: Path, present: set[str]) -> str:
    """One bash script of a page; blocks that need what is not `present` are left out."""
    parts = ["set -euo pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for block in blocks(page):
        if block.needs is None or block.needs in present:
            parts.append(f"echo '@@ {page.name}, line {block.line}' >&2")
            parts.append(_command(block))
    return "\n".join(parts) + "\n"


def _command(block: Block) -> str:
    if block.title:
        return f"mkdir -p \"$(dirname '{block.title}')\"\n{_heredoc(f'cat > {block.title!r}', block.text)}"
    if block.language == "python":
        return _heredoc("python -", block.text) if not block.background else _heredoc("python -u - &", block.text)
    if block.language != "sh":
        return ":"
    return f"(\n{block.text}) &" if block.background else block.text


def _heredoc(command: str, text: str) -> str:
    return f"{command} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK"
