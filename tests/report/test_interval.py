"""One figure has one interval: on the page, in its charts and in what it hands out."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.cli.report import make_context
from nav_eval.core.definitions import Definition
from nav_eval.core.types import EpisodeResult
from nav_eval.report.board import make_board
from nav_eval.report.document import assemble, board_record
from nav_eval.report.figures import Group, breakdown, numbers
from nav_eval.report.interval import in_other_buildings, interval
from nav_eval.report.page import write_page
from nav_eval.report.scenery import Scenery
from nav_eval.report.source import Run
from nav_eval.report.tables import comma_separated, results_table
from nav_eval.results.statistics import summarise_metric, wilson
from report.conftest import Visit


def with_intervals(run: Run, **intervals: tuple[float, float]) -> Run:
    """The run as if its episodes lay in six buildings."""
    metrics = {
        name: {**entry, "n_scenes": 6, "ci95": list(intervals.get(name, entry["ci95"])), "ci95_scenes": [0.25, 0.5]}
        for name, entry in run.summary["metrics"].items()
    }
    return replace(run, summary={**run.summary, "metrics": metrics})


def test_a_figure_has_one_interval_for_these_episodes_and_one_for_other_buildings() -> None:
    told = {"ci95": [0.1, 0.25], "ci95_scenes": [0.0, 0.4], "n_scenes": 6}
    assert (interval(told), in_other_buildings(told)) == ((0.1, 0.25), (0.0, 0.4))
    assert in_other_buildings({**told, "n_scenes": 4}) is None
    assert interval({**told, "ci95": [0.5, 0.5]}) is None
    assert (interval(None), interval({"ci95": None})) == (None, None)


def test_none_of_n_is_no_certainty() -> None:
    none = summarise_metric(Definition(kind="rate"), [0.0] * 36, list("abcdef") * 6)
    assert interval(none) == wilson(0, 36)
    assert in_other_buildings(none) == pytest.approx((0.0, 0.524), abs=1e-3)
    alike = summarise_metric(Definition(), [7.0] * 36, list("abcdef") * 6)
    assert (interval(alike), in_other_buildings(alike)) == (None, None)


def test_page_and_files_give_the_same_interval(
    visit: Callable[..., Visit], entries: list[Run], runs: list[Path], tmp_path: Path
) -> None:
    entries = [with_intervals(run, spl=(0.125, 0.375)) for run in entries]
    board = make_board(entries, make_context())
    table = results_table(entries, lambda metric: set())
    assert table.rows[0][table.header.index("spl ↑")].beside == "[0.1250, 0.3750]"  # type: ignore[union-attr]
    rows = list(csv.DictReader(io.StringIO(comma_separated(entries, board))))
    assert {(row["spl_low"], row["spl_high"]) for row in rows} == {("0.125", "0.375")}
    document: dict[str, Any] = assemble(entries, Scenery(), None, board.order)
    write_page(document | {"board": board_record(entries, board, ())}, tmp_path / "r.html")
    text = visit().open(tmp_path / "r.html").locator("#overview").inner_text()
    assert text.count("[12.5, 37.5]") == 2 * len(entries)
    assert "other buildings [25.0, 50.0]" in text


def test_an_interval_of_a_group_ends_where_its_measure_does(entries: list[Run]) -> None:
    """Of six buildings one alone is walked."""
    spl = entries[0].definitions["spl"]
    results = {
        (f"s{i}", str(k)): EpisodeResult(f"s{i}", str(k), "ok", None, {"spl": float(i == 0)}, 1, {})
        for i in range(6)
        for k in range(10)
    }
    values = numbers(replace(entries[0], results=results), list(results), ["spl"])
    group = Group("length", "0-5", np.arange(len(results)))
    (row,) = breakdown([values], [scene for scene, _ in results], [group], {"spl": spl})
    mean, low, high, n = row["runs"][0]["spl"]
    assert (mean, n) == (pytest.approx(1 / 6), 60)
    assert 0 <= low < 1 / 6 < high <= 1
