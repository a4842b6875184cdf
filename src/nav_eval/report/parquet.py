"""Results as Parquet, one row per run and episode, for whoever analyses them with other tools (extra [parquet])."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nav_eval.errors import ConfigError
from nav_eval.report.source import Run, common_definitions
from nav_eval.results.files import write_atomically


def write_parquet(runs: Sequence[Run], out: Path) -> None:
    """Columns: run, scene_id, episode_id, status, failure_reason, steps, and every metric that is a number."""
    try:
        from pyarrow import Table, parquet
    except ImportError:
        raise ConfigError(
            f"{out}: Parquet needs the package pyarrow. Install it: pip install 'nav-eval[parquet]'"
        ) from None
    table = Table.from_pylist(rows(runs))
    write_atomically(out, lambda fresh: parquet.write_table(table, fresh))


def rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """All rows have all columns; a value that an episode lacks is None, an unreachable goal is inf."""
    names = list(common_definitions(runs))
    return [
        {
            "run": run.path.name,
            "scene_id": result.scene_id,
            "episode_id": result.episode_id,
            "status": result.status,
            "failure_reason": result.failure_reason,
            "steps": result.steps,
            **{name: _number(result.metrics.get(name)) for name in names},
        }
        for run in runs
        for result in run.results.values()
    ]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
