"""The specification's own examples. They are quoted in docs/specification.md, each under a comment that names its
section, and cut out of there; where the specification itself is at hand, the quotes are compared with it.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "specification.md"
QUOTE = re.compile(r"(?ms)^<!-- specification: ([\d.]+) -->\n```[^\n]*\n(.*?)^```$")
SECTION = re.compile(r"(?ms)^#{2,3} (\d+(?:\.\d+)?)\.? ([^\n]*)\n(.*?)(?=^#{2,3} \d|\Z)")
BLOCK = re.compile(r"(?ms)^```\w*\n(.*?)^```$")

QUOTES = dict(QUOTE.findall(PAGE.read_text(encoding="utf-8")))
"""Section -> its example, character by character."""
SECTION_9 = QUOTES["9"]


def sections(text: str) -> dict[str, list[str]]:
    """Number of each section of the specification -> its blocks."""
    return {number: BLOCK.findall(body) for number, _, body in SECTION.findall(text)}
