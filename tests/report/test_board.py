"""The leaderboard of three runs and more: ranks, what stands beside them, files, and how the page behaves."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import quote

import pytest

from nav_eval.cli.report import make_context, report
from nav_eval.errors import ConfigError
from nav_eval.report.board import make_board, with_entries
from nav_eval.report.document import ReportOptions, make_document
from nav_eval.report.page import write_page
from nav_eval.report.published import published
from nav_eval.runs.ranks import rank_runs
from report.conftest import Visit, episodes_of, read, renamed, serious_faults

Open = Callable[..., Visit]
LINKS = ("name=Mine,url=https://example.org/m,paper=https://example.org/p?a=1,2", "run=stop,name=Still")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, runs: list[Path]) -> list[Path]:
    """Eight runs: random and stop in turns, and an oracle."""
    folder = tmp_path_factory.mktemp("many")
    made = [renamed(runs[0 if i % 2 else 2], folder / f"run{i}", agent=f"agent {i}") for i in range(7)]
    return [*made, runs[1]]


@pytest.fixture(scope="module")
def board_file(tmp_path_factory: pytest.TempPathFactory, many: list[Path]) -> Path:
    path = tmp_path_factory.mktemp("board") / "report.html"
    options = ReportOptions(("name=Mine,url=https://example.org/m",), None, published("r2r"))
    write_page(make_document(many, make_context(), options), path)
    return path


@pytest.fixture
def page(visit: Open, board_file: Path) -> Any:
    return visit().open(board_file)


def test_the_order_is_that_of_the_measure_and_an_oracle_has_no_rank(runs: list[Path]) -> None:
    found = make_board(read(runs), make_context())
    means = [sum(e["metrics"]["spl"] for e in episodes_of(run)) / 12 for run in runs]
    assert means[0] > means[2] == 0.0
    assert found.metric == "spl"
    assert found.order == (0, 2, 1)
    places = found.places(read(runs))
    assert places.keys() == {0, 2}
    told = rank_runs([runs[0], runs[2]]).places
    assert [(places[i].rank, places[i].rank_ci95) for i in (0, 2)] == [(one.rank, one.rank_ci95) for one in told]


def test_the_benchmark_says_what_ranks_and_by_overrules_it(tmp_path: Path, runs: list[Path]) -> None:
    paths = [copytree(run, tmp_path / run.name) for run in runs]
    text = (paths[0] / "config.yaml").read_text()
    (paths[0] / "config.yaml").write_text(re.sub("primary: spl", "primary: oracle_success", text))
    assert make_board(read(paths), make_context()).metric == "oracle_success"
    error = make_board(read(paths), make_context(), "navigation_error")
    assert error.ranking is not None
    assert not error.ranking.higher_is_better
    with pytest.raises(ConfigError, match="no such measure of which more or less is better"):
        make_board(read(paths), make_context(), "spll")


def test_runs_by_other_rules_are_listed_without_ranks(tmp_path: Path, runs: list[Path]) -> None:
    other = renamed(runs[0], tmp_path / "other", profile={"name": "mine", "version": "9"})
    document = make_document([*runs, other], make_context())
    assert "profile is" in document["board"]["refused"]
    assert document["board"]["places"] == [None] * 4
    assert document["board"]["order"][0] == 1
    hidden = make_document([*runs, other], make_context(), public=True)
    assert hidden["board"]["refused"] == "different"


def test_entries_in_order_or_by_directory(runs: list[Path]) -> None:
    first, oracle, still = (run.entry for run in with_entries(read(runs), LINKS))
    assert (first.name, first.url, first.paper) == ("Mine", "https://example.org/m", "https://example.org/p?a=1,2")
    assert oracle.name == ""
    assert still.name == "Still"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("Mine", "write name="),
        ("name=x,url=javascript:alert(1)", "url must begin with https://"),
        ("run=nobody,name=x", "no single run directory is called 'nobody'"),
    ],
)
def test_an_entry_that_is_none(runs: list[Path], entry: str, told: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(told)):
        with_entries(read(runs), [entry])


def test_what_is_in_no_figure_is_counted(tmp_path: Path, runs: list[Path]) -> None:
    cut = renamed(runs[0], tmp_path / "cut", finished=None)
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        (cut / name).write_text("".join((cut / name).read_text().splitlines(keepends=True)[2:]))
    document = make_document([*runs, cut], make_context())
    assert [run["n_excluded"] for run in document["runs"]] == [0, 0, 0, 2]
    assert document["board"]["n"] == 10
    assert document["board"]["places"][0]["left_out"] == 2


def test_a_latex_table_is_what_papers_print(tmp_path: Path, runs: list[Path]) -> None:
    paths = [str(run) for run in runs]
    report(*paths, out=tmp_path / "t.tex", with_published="r2r", entry=["name=Mine"])
    text = (tmp_path / "t.tex").read_text()
    random = [e["metrics"] for e in episodes_of(runs[0])]
    mean = {name: sum(m[name] for m in random) / 12 for name in random[0] if name != "trajectory"}
    row = next(line for line in text.splitlines() if line.startswith("1 & Mine & "))
    plain = re.sub(r"\\textbf\{([\d.]+)\}", r"\1", re.sub(r" \{\\scriptsize \[[^]]*\]\}", "", row))
    figures = [
        *(f"{mean[n]:.2f}" for n in ("path_length", "navigation_error")),
        *(f"{100 * mean[n]:.1f}" for n in ("oracle_success", "success", "spl", "ndtw")),
    ]
    assert plain == f"1 & Mine & {' & '.join(figures)} \\\\"
    header = (
        r"rank & agent & TL & NE $\downarrow$ & OSR $\uparrow$ & SR $\uparrow$ & SPL $\uparrow$ & nDTW $\uparrow$ \\"
    )
    assert header in text
    assert r"\begin{tabularx}{\textwidth}" in text
    assert r"\toprule" in text
    assert re.search(
        r"- & NvEM\$\^\\dagger\$ \(val\\_\\allowbreak\{\}unseen\) & \S+ & 4.2603 & 67.90 & 60.11 & 54.97 & - ", text
    )
    assert text.index(r"\midrule", text.index("Mine")) < text.index("NvEM")
    report(*paths, out=tmp_path / "t.md", columns="spl,path_length")
    header = (tmp_path / "t.md").read_text().splitlines()[2]
    assert header == "| rank | agent | SPL ↑ | TL |"
    assert (tmp_path / "t.md").read_text().splitlines()[3] == "| ---: | --- | ---: | ---: |"
    assert "not run here. Rank by SPL, shared where the difference may be chance}" in text
    assert r"- & shortest\_\allowbreak{}path (oracle)" in text
    with pytest.raises(ConfigError, match=re.escape("no run has a measure 'sppl'. Did you mean 'spl'")):
        report(*paths, out=tmp_path / "t.md", columns="sppl")


def test_a_spreadsheet_has_every_measure_in_full(tmp_path: Path, runs: list[Path]) -> None:
    report(*map(str, runs), out=tmp_path / "t.csv", with_published="r2r", entry=["name==1+1"])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    recorded = json.loads((runs[0] / "results.json").read_text())["metrics"]["spl"]
    assert rows[0]["entry"] == "'=1+1"
    assert [float(rows[0][name]) for name in ("spl", "spl_low", "spl_high")] == [recorded["mean"], *recorded["ci95"]]
    assert (rows[0]["rank"], rows[2]["rank"], rows[2]["entry"]) == ("1", "", "shortest_path (oracle)")
    theirs = next(row for row in rows if row["entry"] == "NavGPT2-FlanT5-XL" and row["split"] == "test")
    assert (theirs["success"], theirs["navigation_error"], theirs["rank"]) == ("0.7076", "3.39", "")
    assert theirs["published_at"].startswith("https://github.com/GengzeZhou/NavGPT-2/")


def test_the_page_ranks_sorts_and_hands_out_files(
    visit: Open, board_file: Path, many: list[Path], tmp_path: Path
) -> None:
    guest = visit()
    page = guest.open(board_file)
    assert page.locator("h1").inner_text() == "Leaderboard: r2r"
    assert page.locator(".answer").inner_text().startswith("Rank 1 by SPL is shared by agent 1, agent 3 and 5 more")
    entries = page.locator(".board tbody:not(.others) th").all_inner_texts()
    assert [text.split("\n")[0].strip() for text in entries][-1] == "shortest_path"
    assert "it has no rank" in entries[-1]
    assert page.get_by_role("link", name="Mine").get_attribute("href") == "https://example.org/m"
    told = json.loads((many[0] / "results.json").read_text())["sensor_class"]
    shown = page.locator(".board tbody:not(.others) tr").first.locator("td").all_inner_texts()
    assert told == "panorama+pose"
    assert "panorama + pose" in shown
    page.locator("#board-navigation_error").click()
    errors = page.locator(".board tbody:not(.others) td.number:nth-child(5)").all_inner_texts()
    assert [float(text) for text in errors] == sorted(map(float, errors))
    report(*map(str, many), out=tmp_path / "b.tex", with_published="r2r", entry=["name=Mine,url=https://example.org/m"])
    with page.expect_download() as download:
        page.get_by_role("button", name="LaTeX").click()
    assert Path(download.value.path()).read_text() == (tmp_path / "b.tex").read_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown").click()
    cells = [line.split(" | ")[:2] for line in Path(download.value.path()).read_text().splitlines()[4:12]]
    shown = page.locator(".board tbody:not(.others) td.rank")
    ranks = [rank.removeprefix("| ").replace("-", "–") for rank, _ in cells]
    assert ranks == [text.split("\n")[0] for text in in_ranks(page, shown)]
    assert cells[0][0] == "| 1"
    report(*map(str, many), out=tmp_path / "b.md")
    wide = (tmp_path / "b.md").read_text().splitlines()
    assert wide[4].startswith("| 1 (1–7) | "), "12 episodes do not part chance from standing still, of 21 pairs"
    assert wide[0].endswith("in brackets the 95% interval of the rank")
    assert guest.errors == []


def in_ranks(page: Any, shown: Any) -> list[str]:
    """Of the board in its own order."""
    page.locator("#board-rank").click()
    texts: list[str] = shown.all_inner_texts()
    return texts


def test_runs_of_one_agent_are_named_once(visit: Open, runs: list[Path], tmp_path: Path) -> None:
    """Their row holds what is reckoned of both: no figure of one of them."""
    played = ((0, "mine@1"), (2, "mine@2"), (0, "still"))
    made = [renamed(runs[i], tmp_path / name, agent=name.partition("@")[0], service={}) for i, name in played]
    write_page(make_document(made, make_context(), ReportOptions(("name=Ours",))), tmp_path / "report.html")
    page = visit().open(tmp_path / "report.html")
    assert "is shared by still and Ours, 2 seeds:" in page.inner_text("main")
    rows = page.locator(".board tbody tr").all_inner_texts()
    means = [100 * sum(e["metrics"]["spl"] for e in episodes_of(run)) / 12 for run in made]
    assert [row.split("\t")[2].split()[0] for row in rows] == [f"{means[2]:.1f}", f"{(means[0] + means[1]) / 2:.1f}"]
    assert f"± {abs(means[0] - means[1]) / 2**0.5:.1f}" in rows[1]
    legend = " ".join(page.locator("figure").first.locator("text").all_text_contents())
    assert "Ours, 2 seeds" in legend
    assert "@" not in legend


def test_an_entry_is_of_all_seeds_of_an_agent(runs: list[Path], tmp_path: Path) -> None:
    made = read(renamed(runs[0], tmp_path / name) for name in ("a@1", "b@1", "a@2"))
    for told in (["name=A", "name=B"], ["run=b,name=B", "run=a@2,name=A"]):
        assert [run.entry.name for run in with_entries(made, told)] == ["A", "B", "A"]
    with pytest.raises(ConfigError, match=r"more entries than agents \(2\)"):
        with_entries(made, ["name=A", "name=B", "name=C"])


def test_six_entries_are_drawn_and_the_reader_says_which(page: Any) -> None:
    ticks = page.locator(".board input[type=checkbox]")
    assert [ticks.nth(i).is_checked() for i in range(8)] == [True] * 6 + [False] * 2
    ticks.nth(0).uncheck()
    ticks.nth(7).check()
    assert "shortest_path" in page.locator("#failures thead").first.inner_text()


def test_published_results_are_marked_and_chosen_by_split(page: Any) -> None:
    others = page.locator(".others")
    assert "Published results on r2r, not run here" in others.inner_text()
    assert others.locator("tr").count() == 1 + 5
    page.get_by_role("button", name=f"Show all {len(published('r2r'))} published results").click()
    assert others.locator("tr").count() == 1 + len(published("r2r"))
    page.get_by_label("Published results").select_option("test")
    assert others.locator("tr").count() == 1 + sum(one.split == "test" for one in published("r2r"))
    assert {row["split"] for row in beside(page)} == {"test"}
    page.get_by_label("Published results").select_option("none")
    assert others.count() == 0
    assert beside(page) == []
    page.get_by_label("Published results").select_option("test")
    source = others.get_by_role("link", name="as its authors print it").first
    assert source.get_attribute("href").startswith("https://")


def test_what_is_said_of_published_results_is_said_in_the_readers_language(visit: Open, board_file: Path) -> None:
    page = visit().open(board_file, "?lang=zh")
    page.locator("#all-others").click()
    told = page.locator(".others").inner_text()
    notes = {(one.note, one.note_zh) for one in published("r2r") if one.note}
    assert notes
    assert [pair for pair in notes if pair[1] not in told or pair[0] in told] == []


def beside(page: Any) -> list[dict[str, str]]:
    """The published results in the page's spreadsheet."""
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    rows = csv.DictReader(io.StringIO(Path(download.value.path()).read_text()))
    return [row for row in rows if row["published_at"]]


def test_an_address_names_an_episode_and_whose(visit: Open, board_file: Path) -> None:
    """Copied, it leads whoever opens it to the same agent, one that the charts leave out too."""
    guest = visit()
    guest.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = guest.open(board_file, "#episode=12_1")
    assert "Episode 12_1" in page.locator("#episode").inner_text()
    page.locator("select").first.select_option(label="agent 3")
    page.get_by_role("link", name="Next episode").click()
    assert page.evaluate("location.hash") == "#episode=13_0&run=agent%203"
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied.").wait_for()
    address = page.evaluate("navigator.clipboard.readText()")
    assert address == f"{board_file.as_uri()}#episode=13_0&run=agent%203"
    for wanted in ("agent 3", "shortest_path"):
        opened = visit().open(board_file, f"#episode=13_0&run={quote(wanted)}")
        assert opened.locator("select").first.locator("option:checked").inner_text() == wanted
    page.goto(f"{board_file.as_uri()}#episode=99_9")
    assert "There is no such episode" in page.locator("main").inner_text()


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_the_board_fits_and_is_accessible(visit: Open, board_file: Path, axe: str, width: int, theme: str) -> None:
    guest = visit(viewport={"width": width, "height": 800}, color_scheme=theme, bypass_csp=True)
    page = guest.open(board_file)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_faults(page, axe) == []
