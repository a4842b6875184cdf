"""What a run wrote of its episodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def lines(folder: Path, name: str = "episodes.jsonl") -> list[dict[str, Any]]:
    """Of a file of the run; none where there is no file yet."""
    path = folder / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def records(folder: Path, name: str = "episodes.jsonl") -> list[dict[str, Any]]:
    """The same without how long it took."""
    return [{key: value for key, value in line.items() if key != "timing"} for line in lines(folder, name)]


def walked(folder: Path) -> dict[str, Any]:
    """Episode -> where it began, and its steps."""
    return {line["episode_id"]: [line["start"], line["steps"]] for line in lines(folder, "trajectories.jsonl")}
