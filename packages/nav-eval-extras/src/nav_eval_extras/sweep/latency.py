"""Success against latency: the same episodes under `evaluation.clock=charged`, an answer taking longer in each run.

Every run is a folder of the sweep's, DIR/latency-0, DIR/latency-0.5, ...; beside them lies latency.csv.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.orchestrator import Watcher
from nav_eval.errors import ConfigError
from nav_eval.results.files import write_bytes
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.evaluation import run_benchmark

FILE = "latency.csv"
MEASURED = "measured"
SHOWN = ("success", "spl", "ndtw", "steps", "agent_latency")
"""Means that are shown on the terminal, as far as they are measured; the file has all."""
Runs = Mapping[str, Mapping[str, Any]]
"""Latency as it was asked for -> results.json."""


def latencies(text: str) -> list[str]:
    """Of `0,0.5,measured`: seconds that every answer is charged with, or as long as it takes. Raises ConfigError."""
    words = [word.strip() for word in text.strip("[]").split(",") if word.strip()]
    names = [word if word == MEASURED else _seconds(word) for word in words]
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"latencies: {text!r} names nothing, or something twice. Write latencies=0,0.5,2")
    return names


def _seconds(word: str) -> str:
    try:
        seconds = float(word)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 3600:
        raise ConfigError(f"latencies: {word!r} is no time from 0 to 3600 s. Write latencies=0,0.5,2,measured")
    return f"{seconds:g}"


def charged(latency: str) -> list[str]:
    """The overrides of one run."""
    return ["evaluation.clock=charged", f"evaluation.latency_s={'null' if latency == MEASURED else latency}"]


def sweep_latencies(
    configs: Mapping[str, Config], out: Path | None = None, *, resume: bool = False, watchers: Sequence[Watcher] = ()
) -> tuple[Runs, Path, bool]:
    """Play a benchmark at each latency; results.json of each, the sweep's folder, and whether no episode failed.

    Raises what run_benchmark raises; what is played stays, and `resume` goes on with what is missing.
    """
    folder = RunDirectory.named(out, next(iter(configs.values())), "-sweep").path
    runs, blameless = {}, True
    for latency, config in configs.items():
        done = run_benchmark(config, folder / f"latency-{latency}", resume=resume, watchers=watchers)
        runs[latency], blameless = done.document, blameless and done.results.blameless
    write_bytes(folder / FILE, latency_csv(runs).encode())
    return runs, folder, blameless


def latency_csv(runs: Runs) -> str:
    """A row for each latency: of every metric its mean and 95 % interval, empty where it has none."""
    names = list(dict.fromkeys(name for document in runs.values() for name in document["metrics"]))
    columns = [column for name in names for column in (name, f"{name}_low", f"{name}_high")]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["latency_s", "n_episodes", "n_failed", *columns])
    for latency, document in runs.items():
        cells = (cell for name in names for cell in _cells(document["metrics"].get(name, {})))
        writer.writerow([latency, document["n_episodes"], document["n_failed"], *cells])
    return table.getvalue()


def _cells(summary: Mapping[str, Any]) -> tuple[Any, ...]:
    return (summary.get("mean"), *(summary.get("ci95") or (None, None)))


def latency_lines(runs: Runs) -> list[str]:
    """A table for a terminal: means, of success with its interval."""
    names = [name for name in SHOWN if any(name in document["metrics"] for document in runs.values())]
    rows = [["latency_s", *names, "failed"]]
    for latency, document in runs.items():
        cells = (_figure(name, document["metrics"].get(name, {})) for name in names)
        rows.append([latency, *cells, str(document["n_failed"])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.rjust, row, widths)) for row in rows]


def _figure(name: str, summary: Mapping[str, Any]) -> str:
    mean, low, high = _cells(summary)
    if mean is None:
        return "-"
    return f"{mean:.4f}" + (f" [{low:.4f}, {high:.4f}]" if name == "success" and low is not None else "")
