"""Tables for papers and Parquet, read back with other readers or by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from nav_eval.cli.report import make_workshop, report
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.source import Run, read_run
from nav_eval.report.tables import latex, markdown, results_table
from report.conftest import episodes_of


@pytest.fixture
def read(runs: list[Path]) -> list[Run]:
    workshop = make_workshop()
    return [read_run(path, workshop.config(path)) for path in runs]


def test_figures_are_those_of_results_json(read: list[Run]) -> None:
    table = results_table(read)
    recorded = json.loads((read[0].path / "results.json").read_text())["metrics"]["success"]
    cell = table.rows[0][table.header.index("success ↑")]
    assert cell == f"{recorded['mean']:.4f} [{recorded['ci95'][0]:.4f}, {recorded['ci95'][1]:.4f}]"
    assert table.rows[1][0] == "shortest_path (oracle)"
    assert "profile r2r v2" in table.caption


def test_latex(read: list[Run]) -> None:
    text = latex(results_table(read))
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    assert len({len(re.split(r"(?<!\\)&", row)) for row in rows}) == 1
    assert r"navigation\_error (m) $\downarrow$" in text
    assert r"spl $\uparrow$" in text
    assert text.count("{") == text.count("}")


def test_results_from_before_they_held_definitions_give_the_same_table(read: list[Run]) -> None:
    assert read[0].summary["definitions"]["success"]["kind"] == "rate"
    old = [replace(run, summary={**run.summary, "definitions": {}}) for run in read]
    assert results_table(old) == results_table(read)


def test_a_definition_that_is_none_is_refused(read: list[Run]) -> None:
    damaged = replace(read[0], summary={**read[0].summary, "definitions": {"success": {"kind": "ratio"}}})
    with pytest.raises(RunDirectoryError, match=r"results\.json: the definitions of its metrics are damaged"):
        results_table([damaged])


def test_hostile_names_stay_text(read: list[Run]) -> None:
    name = r"\input{x} $1$ 100% a_b | <b> `x` [l](j)" + "\n\n# h"
    table = results_table([replace(read[0], manifest={**read[0].manifest, "agent": name})])
    text = latex(table)
    assert r"\input" not in text.replace(r"\textbackslash{}input", "")
    assert r"100\%" in text
    lines = markdown(table).splitlines()
    assert len(lines) == 5
    assert len({len(re.split(r"(?<!\\)\|", line)) for line in lines[2:]}) == 1
    assert r"\<b\>" in lines[4]


def test_the_ending_decides(tmp_path: Path, runs: list[Path]) -> None:
    paths = [str(path) for path in runs]
    assert report(*paths, out=tmp_path / "t.tex") == 0
    assert "toprule" in (tmp_path / "t.tex").read_text()
    assert report(*paths, out=tmp_path / "t.md") == 0
    assert (tmp_path / "t.md").read_text().count("| ---: ") > 3
    with pytest.raises(ConfigError, match="cannot be public"):
        report(*paths, out=tmp_path / "t.parquet", public=True)


def test_parquet(tmp_path: Path, runs: list[Path]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
    report(str(runs[0]), out=tmp_path / "t.parquet")
    rows = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["success"] for row in rows] == [e["metrics"]["success"] for e in episodes_of(runs[0])]
    assert [row["episode_id"] for row in rows] == [e["episode_id"] for e in episodes_of(runs[0])]


def test_rerun(tmp_path: Path, runs: list[Path]) -> None:
    pytest.importorskip("rerun", reason="the extra [rerun] is not installed")
    report(str(runs[1]), out=tmp_path / "t.rrd")
    content = (tmp_path / "t.rrd").read_bytes()
    assert content[:3] == b"RRF"
    assert len(content) > 10_000
