"""What is written for others: a spreadsheet in which nothing may run, and files that are written row by row."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from nav_eval.config.loader import load_config
from nav_eval.config.schema import SensorConfig
from nav_eval.core.aggregate import MetricsAggregator
from nav_eval.core.definitions import Definition
from nav_eval.core.types import EpisodeResult
from nav_eval.results.export import export_csv, results_document
from nav_eval.results.files import write_json_list, write_json_object
from nav_eval.results.sensor_class import sensor_class
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


@pytest.mark.parametrize(
    ("sensors", "named"),
    [
        ("instruction rgb", "RGB"),
        ("rgb depth collision", "RGB-D"),
        ("depth compass", "depth+pose"),
        ("rgb depth semantic gps compass", "RGB-D+semantics+pose"),
        ("panorama rgb depth", "panorama"),
        ("depth_panorama gps", "panorama+pose"),
        ("skybox navigable heading", "panorama"),
        ("viewpoint navigable", "panorama"),
        ("instruction objects", "none+semantics"),
        ("", "none"),
    ],
)
def test_sensors_have_a_class(sensors: str, named: str) -> None:
    assert sensor_class({name: SensorConfig() for name in sensors.split()}) == named


def test_a_sensor_counts_by_its_type_and_results_name_the_class() -> None:
    assert sensor_class({"front": SensorConfig(type="rgb"), "rgb": SensorConfig(type="gps")}) == "RGB+pose"
    config = load_config("r2r-ce", overrides=["profile=streamvln"], environment={})
    summed = MetricsAggregator({}, summarise_metric).aggregate_metrics([])
    assert results_document(config, summed)["sensor_class"] == sensor_class(config.simulator.sensors)
    assert sensor_class(config.simulator.sensors).startswith("RGB-D")


ROWS: list[Any] = [{"b": [], "a": {"x": [1, 2.5, None, True]}}, [], {}, "two\nlines of 中文", 7]


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], []])
def test_a_list_and_an_object_row_by_row(tmp_path: Path, rows: list[Any]) -> None:
    members = {f'{number}\n"': row for number, row in enumerate(rows)}
    write_json_list(tmp_path / "list.json", iter(rows))
    write_json_object(tmp_path / "object.json", iter(members.items()))
    for name, content in (("list", rows), ("object", members)):
        written = (tmp_path / f"{name}.json").read_text(encoding="utf-8")
        assert written == json.dumps(content, indent=2, ensure_ascii=False) + "\n"
