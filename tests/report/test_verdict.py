"""Who is better: the same two sentences on the terminal and on the page, in both languages, and one row for seeds."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

from nav_eval.cli.report import make_context, report
from nav_eval.cli.score import compare
from nav_eval.core.definitions import Definition
from nav_eval.report.document import make_document
from nav_eval.report.verdict import few, sentences, verdict
from nav_eval.results.compare import RunRecords
from nav_eval.results.ranking import Ranking, rank
from nav_eval.runs.comparison import compare_runs
from nav_eval.runs.ranks import headline, rank_runs, ranking_table
from report.conftest import episodes_of, renamed

SPL = Definition(unit="share", better="higher")
ERROR = Definition(unit="m", better="lower")


def ranking(seed: int, buildings: int, gap: float, metric: str = "spl") -> Ranking:
    rng = np.random.default_rng(seed)
    base = rng.random((buildings, 10)) * 0.4
    entries = [
        RunRecords(
            name,
            {(f"b{b}", str(i)): {metric: float(v)} for b, row in enumerate(base + add) for i, v in enumerate(row)},
            {},
            {metric: SPL if metric == "spl" else ERROR},
        )
        for name, add in (("weak", 0.0), ("strong", gap + rng.normal(0, 0.05, (buildings, 10))))
    ]
    return rank(entries, metric, higher_is_better=metric == "spl")


def test_the_two_statements_are_never_mixed() -> None:
    assert verdict("en", ranking(0, 8, 0.3), SPL, {})[0].startswith(
        "On these episodes strong is better than weak by SPL: "
    )
    assert verdict("en", ranking(0, 8, 0.3), SPL, {})[1].startswith("In other buildings strong is better too [")
    few_buildings = verdict("en", ranking(0, 2, 0.3), SPL, {})
    assert few_buildings[0].startswith("On these episodes strong is better than weak by SPL: ")
    assert few_buildings[1] == "In other buildings: not known; about 3 more buildings would tell."
    assert sentences("en", ranking(0, 1, 0.3), SPL, {})[1:] == [
        "In other buildings: not known; one building shows no spread between buildings.",
        "1 building says nothing about other buildings: use five or more.",
    ]
    assert sentences("zh", ranking(0, 1, 0.3), SPL, {})[1:] == [
        "换到其他建筑：未知；只有一座建筑，看不出建筑之间的差别。",
        "1 座建筑不足以说明其他建筑的情形：至少要五座。",
    ]
    near = verdict("en", ranking(0, 8, 0.001), SPL, {})
    assert "cannot be told apart by SPL" in near[0]
    assert near[1].startswith("In other buildings: not known; ")
    chinese = verdict("zh", ranking(0, 2, 0.3), SPL, {"strong": "甲", "weak": "乙"})
    assert chinese[0].startswith("在这些回合上，按 SPL，甲 优于 乙：")
    assert chinese[1] == "换到其他建筑：未知；大约还需 3 座建筑才能判断。"
    assert few("en", 1) == "1 building says nothing about other buildings: use five or more."
    assert few("en", 4) == "4 buildings say nothing about other buildings: use five or more."
    assert few("en", 5) is None


def test_figures_of_a_measure_of_which_less_is_better() -> None:
    told = verdict("en", ranking(3, 8, 0.3, "navigation_error"), ERROR, {})[0]
    assert told.startswith("On these episodes weak is better than strong by NE: 0.")
    difference = told.split("difference ")[1]
    value, low, high = (float(x.strip(" [],")) for x in difference.replace("[", ",").split(",")[:3])
    assert 0 < low < value < high


@pytest.fixture
def opened(tmp_path: Path, runs: list[Path]) -> list[Path]:
    """The oracle's run as that of an agent who competes, three times with seeds; random; stop."""
    found = [runs[0], runs[2]]
    for seed in (1, 2, 3):
        found.append(renamed(runs[1], tmp_path / f"walker@{seed}", privileged=False, agent="walker"))
        lines = episodes_of(found[-1])
        for line in lines[:seed]:  # each seed loses as many episodes as its number
            line["metrics"] |= {"spl": 0.0, "success": 0.0}
        (found[-1] / "episodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        results = json.loads((found[-1] / "results.json").read_text())
        results["metrics"]["spl"]["mean"] = results["metrics"]["success"]["mean"] = 1 - seed / 12
        (found[-1] / "results.json").write_text(json.dumps(results))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_gives_the_same_answer(opened: list[Path], language: str) -> None:
    """compare, rank and the report of the same runs, whichever way round they are named."""
    for paths in ([opened[2], opened[0]], [opened[1], opened[0], opened[2]]):
        ranking = rank_runs(paths)
        assert ranking.ahead is not None
        terminal = headline(paths, language)
        document: dict[str, Any] = make_document(paths, make_context(), solid=False)
        page = document["verdict"][language]
        names = {str(path): json.loads((path / "manifest.json").read_text())["agent"] for path in paths}
        for path, name in names.items():
            terminal = [line.replace(path, name) for line in terminal]
        assert terminal == page
        pair = {ranking.ahead.first, ranking.ahead.second}
        (row,) = [r for r in compare_runs(paths) if r["metric"] == "spl" and {r["first"], r["second"]} == pair]
        assert (row["sure"], row["p_adjusted"]) == (ranking.ahead.sure, ranking.ahead.p_adjusted)
        assert (ranking.places[0].rank, ranking.places[1].rank != 1) == (1, row["sure"] or len(paths) > 2)


def test_a_table_is_compared_where_the_primary_measure_ranks_nobody(
    tmp_path: Path, runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = copytree(runs[0], tmp_path / "nowhere")
    lines = episodes_of(nowhere)
    for line in lines:
        line["metrics"]["spl"] = None
    (nowhere / "episodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert compare(nowhere, runs[2]) == 0
    told = capsys.readouterr().out
    assert re.search(r"spl +nothing to compare", told)
    assert re.search(r"success +0\.\d+ -> ", told)


def test_seeds_of_one_agent_are_one_row_everywhere(
    tmp_path: Path, opened: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Losing 1, 2 and 3 of 12: a mean of 10/12, a spread of 1/12; the best of the three stands nowhere."""
    places = {Path(p.name).name: p for p in rank_runs(opened).places}
    assert list(places) == ["walker", "random", "stop"]
    walker = places["walker"]
    assert (walker.rank, walker.n_seeds, walker.mean) == (1, 3, pytest.approx(10 / 12))
    assert walker.seed_spread == pytest.approx(1 / 12)
    assert ", 3 seeds (spread 0.0833)" in ranking_table(rank_runs(opened))[2]
    assert {r["first"] for r in compare_runs(opened)} | {r["second"] for r in compare_runs(opened)} == {
        *map(str, opened[:2]),
        str(tmp_path / "walker"),
    }
    report(*map(str, opened), sentence=True)
    sentence = capsys.readouterr().out
    assert sentence.startswith("3 agents were evaluated")
    assert "± is the standard deviation over seeds" in sentence
    for ending in ("tex", "md", "csv"):
        report(*map(str, opened), out=tmp_path / f"t.{ending}")
    (row,) = [line for line in (tmp_path / "t.tex").read_text().splitlines() if "walker" in line]
    assert "walker, 3 seeds" in row
    assert r"\textbf{83.3} {\scriptsize $\pm$8.3 [" in row
    assert "91.7" not in (tmp_path / "t.tex").read_text().replace(row, "")
    (row,) = [line for line in (tmp_path / "t.md").read_text().splitlines() if "walker" in line]
    assert "**0.8333** ±0.0833" in row
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert [(line["run"], line["rank"]) for line in rows] == [("walker", "1"), ("random", "2"), ("stop", "2")]
    low, mean, high = (float(rows[0][f"success{end}"]) for end in ("_low", "", "_high"))
    assert mean == pytest.approx(10 / 12)
    assert 0 < low < mean < high <= 1
    agents = make_document(opened, make_context(), solid=False)["agents"]
    assert [[Path(opened[i]).name for i in one["runs"]] for one in agents] == [
        ["random"], ["stop"], ["walker@1", "walker@2", "walker@3"],
    ]  # fmt: skip
    told = agents[2]["metrics"]["success"]
    assert (told["mean"], told["spread"], *told["ci95"]) == pytest.approx((mean, 1 / 12, low, high), abs=1e-6)
