"""What a collection leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def annotations(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "annotations.json").read_text())
    return found
