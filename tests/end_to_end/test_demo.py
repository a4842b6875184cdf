"""The demonstration gives whoever runs it again the same figures."""

from __future__ import annotations

import json
from pathlib import Path

from graphs import write_r2r
from nav_eval.core.orchestrator import Watcher
from nav_eval.runs import demo
from nav_eval.runs.registry import benchmark_config


def walks(folder: Path, seed: int) -> list[list[str]]:
    """What the served random agent did in each episode."""
    config = benchmark_config("r2r", overrides=[*write_r2r(folder / "data"), f"seed={seed}"])
    demo._evaluate("random", config, folder, lambda _: None, Watcher())
    rows = map(json.loads, (folder / "random" / "trajectories.jsonl").read_text().splitlines())
    return [row["steps"] for row in rows]


def test_its_random_agent_draws_from_the_seed(tmp_path: Path) -> None:
    once, again, other = (walks(tmp_path / name, seed) for name, seed in (("a", 0), ("b", 0), ("c", 1)))
    assert once == again
    assert once != other
