"""The README as a package index shows it: without its pictures, whose files an index does not have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"^!\[.*\]\(docs/.*\)\n\n", re.MULTILINE)


class LongDescription(MetadataHookInterface):
    """What hatchling asks when it builds the distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": PICTURE.sub("", text)}
