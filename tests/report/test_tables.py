"""Tables for papers and Parquet, read back with other readers or by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from nav_eval.cli.report import make_context, report
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.best import best
from nav_eval.report.source import Run
from nav_eval.report.tables import Figure, latex, markdown, results_table, table
from playing import document
from report.conftest import episodes_of, renamed


def none(metric: str) -> set[int]:
    """Nothing is bold."""
    return set()


def test_figures_are_those_of_results_json(entries: list[Run]) -> None:
    table = results_table(entries, none)
    recorded = document(entries[0].path)["metrics"]["success"]
    cell = table.rows[0][table.header.index("success ↑")]
    assert cell == Figure(f"{recorded['mean']:.4f}", f"[{recorded['ci95'][0]:.4f}, {recorded['ci95'][1]:.4f}]")
    assert table.rows[1][0] == "shortest_path (oracle)"
    assert "profile r2r v2" in table.caption


def test_latex(entries: list[Run]) -> None:
    text = latex(results_table(entries, none))
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    assert len({len(re.split(r"(?<!\\)&", row)) for row in rows}) == 1
    assert r"navigation\_error (m) $\downarrow$" in text
    assert r"spl $\uparrow$" in text
    assert text.count("{") == text.count("}")


def test_a_papers_table_begins_with_what_ranks(entries: list[Run]) -> None:
    """TL NE OSR SR SPL nDTW of a task of one's own leave out what it is about."""
    told = [replace(run, config=run.config.model_copy(deep=True)) for run in entries]
    for primary, header in (("steps", ["steps", "TL", "NE"]), ("spl", ["TL", "NE", "OSR"])):
        for run in told:
            run.config.benchmark.__dict__["primary"] = primary
        assert [cell.split()[0] for cell in table(told, "paper", none).header[1:4]] == header


def test_best_is_bold_and_so_is_what_ties_with_it(tmp_path: Path, runs: list[Path]) -> None:
    """Two that reach every goal, and one that never moves: 12 of 12 against 0 of 12 cannot be chance."""
    entered = [runs[2]]
    for name in ("one", "other"):
        entered.append(renamed(runs[1], tmp_path / name, privileged=False, agent=name))
    report(*map(str, entered), out=tmp_path / "t.tex")
    text = (tmp_path / "t.tex").read_text()
    rows = {
        cells[1]: cells[2:] for line in text.splitlines() if len(cells := line.removesuffix(r" \\").split(" & ")) == 8
    }
    assert [cell.split("}")[0] for cell in rows["one"][1:]] == [r"\textbf{0.00", *[r"\textbf{100.0"] * 4]
    assert rows["other"] == rows["one"]
    assert not any("textbf" in cell for cell in (*rows["stop"], rows["one"][0]))
    assert r"\scriptsize [75.8, 100.0]" in rows["one"][2], "Wilson's interval of 12 in 12"
    assert rows["agent"][0] == "TL"
    assert "bold where no other is surely better" in text
    report(str(entered[0]), str(entered[1]), out=tmp_path / "t.md")
    assert "**1.0000** \\[0.7575, 1.0000\\]" in (tmp_path / "t.md").read_text()


def test_oracles_and_single_runs_are_not_best(entries: list[Run]) -> None:
    assert best(entries, make_context(), "success") == {0, 2}, "12 episodes do not part chance from standing still"
    assert best(entries[1:], make_context(), "success") == set()
    assert best(entries, make_context(), "path_length") == set()


@pytest.mark.parametrize(("service", "name"), [({"name": "Follower", "version": "2"}, "Follower"), ({}, "Seq2Seq")])
def test_a_class_goes_by_its_own_name(entries: list[Run], service: dict[str, str], name: str) -> None:
    told = replace(entries[0], manifest={**entries[0].manifest, "agent": "team.models:Seq2Seq", "service": service})
    assert results_table([told], none).rows[0][0] == name


def test_results_from_before_they_held_definitions_give_the_same_table(entries: list[Run]) -> None:
    assert entries[0].summary["definitions"]["success"]["kind"] == "rate"
    old = [replace(run, summary={**run.summary, "definitions": {}}) for run in entries]
    assert results_table(old, none) == results_table(entries, none)


def test_a_definition_that_is_none_is_refused(entries: list[Run]) -> None:
    damaged = replace(entries[0], summary={**entries[0].summary, "definitions": {"success": {"kind": "ratio"}}})
    with pytest.raises(RunDirectoryError, match=r"results\.json: the definitions of its metrics are damaged"):
        results_table([damaged], none)


def test_hostile_names_stay_text(entries: list[Run]) -> None:
    name = r"\input{x} $1$ 100% a_b | <b> `x` [l](j)" + "\n\n# h"
    table = results_table([replace(entries[0], manifest={**entries[0].manifest, "agent": name})], none)
    text = latex(table)
    assert r"\input" not in text.replace(r"\textbackslash{}input", "")
    assert r"100\%" in text
    lines = markdown(table).splitlines()
    assert len(lines) == 5
    assert len({len(re.split(r"(?<!\\)\|", line)) for line in lines[2:]}) == 1
    assert r"\<b\>" in lines[4]


def test_parquet(tmp_path: Path, runs: list[Path]) -> None:
    with pytest.raises(ConfigError, match="cannot be public"):
        report(*map(str, runs), out=tmp_path / "t.parquet", public=True)
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
