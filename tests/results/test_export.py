"""results.csv is opened in spreadsheets, and what a participant or a data set wrote must not run there."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from nav_eval.core.aggregate import MetricsAggregator
from nav_eval.core.definitions import Definition
from nav_eval.core.types import EpisodeResult
from nav_eval.results.export import export_csv
from nav_eval.results.statistics import summarise_metric


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    hostile = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]
    results = [EpisodeResult(text, text, "agent_error", text, {"spl": math.inf, "ne": -1.5}, 3, {}) for text in hostile]
    summed = MetricsAggregator({"spl": Definition(), "ne": Definition()}, summarise_metric).aggregate_metrics(results)
    export_csv(tmp_path / "a.csv", results, summed)
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:-1]
    assert [row[0] for row in rows] == [f"'{text}" for text in hostile]
    assert not any(cell[:1] in ("=", "+", "@", "\t", "\r") for row in rows for cell in row)
    assert {tuple(row[5:]) for row in rows} == {("3", "", "", "-1.5", "1", "0", "0")}
