"""The report as a reader meets it, driven in headless Chromium; what it must say is worked out from the run's files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from browsing import patient
from nav_eval.report.page import write_page
from report.conftest import HOSTILE, Visit, episodes_of, serious_faults

Open = Callable[..., Visit]


@pytest.fixture
def page(visit: Open, page_file: Path) -> Any:
    return visit().open(page_file)


def test_opens_from_a_file_without_network_or_error(visit: Open, page_file: Path) -> None:
    guest = visit()
    page = guest.open(page_file)
    page.locator("#episodes a").first.click()
    page.wait_for_selector("#episode")
    assert guest.errors == []
    assert {url for url in guest.requests if not url.startswith("data:")} == {page_file.as_uri()}


def test_policy_stops_scripts_and_connections(page: Any) -> None:
    page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';
        const b = document.createElement('b'); b.setAttribute('onclick', 'window.hacked = 1');
        document.body.append(s, b); b.click(); }"""
    )
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("fetch('https://example.org').then(() => 'open', () => 'shut')") == "shut"
    page.evaluate("new Promise((done) => { setTimeout('window.hacked = 1', 0); setTimeout(done, 50) })")
    assert page.evaluate("window.hacked") is None


def test_hostile_text_is_shown_as_text(visit: Open, page_file: Path, runs: list[Path]) -> None:
    guest = visit()
    page = guest.open(page_file)
    for index in range(0, 10, 2):
        page.goto(f"{page_file.as_uri()}#episode={10 + index // 2}_0")
        quote = page.wait_for_selector("#episode blockquote").text_content()
        assert quote.strip() == HOSTILE[index // 2].replace("\x00", "\x00").strip()
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0
    assert guest.errors == []


def test_the_answer_comes_first(visit: Open, pair_file: Path, runs: list[Path]) -> None:
    page = visit().open(pair_file)
    brief = page.locator(".brief").inner_text()
    stop = episodes_of(runs[2])
    # All 12 disagree: 2 * 0.5 ** 12 by the sign test. An oracle competes with nobody: the table alone compares it.
    assert page.locator(".answer").inner_text().startswith("stop reached the goal in 0 of 12 episodes")
    success = next(row for row in page.locator(".figures tbody tr").all_inner_texts() if "McNemar" in row)
    assert "< 0.001" in success
    assert "shortest_path better" in success
    assert "Most frequent failure: never moved" in brief
    assert f"What went wrong first: never moved ({len(stop)})." in brief
    assert f"nothing, all {len(stop)} episodes count" in brief
    assert "shortest_path is an oracle" in brief
    assert page.locator(".board").count() == 0
    error = sum(e["metrics"]["navigation_error"] for e in stop) / len(stop)
    assert f"it ended {error:.2f} m from the goal" in brief


def test_figures_are_printed_as_papers_do_and_exact_on_demand(page: Any, runs: list[Path]) -> None:
    random = [episode["metrics"] for episode in episodes_of(runs[0])]
    mean = {name: sum(m[name] for m in random) / len(random) for name in ("spl", "navigation_error")}
    figures = page.locator(".figures tbody tr").all_inner_texts()
    spl, error = (next(row for row in figures if row.startswith(name)) for name in ("SPL (%)", "Navigation error (m)"))
    assert f"{100 * mean['spl']:.1f} [" in spl
    assert f"{mean['navigation_error']:.2f} [" in error
    page.get_by_label("exact values").check()
    assert f"{mean['spl']:.6g}"[:7] in page.locator(".figures tbody").first.inner_text()


def test_a_chart_is_saved_for_a_paper(page: Any) -> None:
    files = {}
    for kind in ("SVG", "PDF"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).first.click()
        files[kind] = Path(download.value.path()).read_bytes()
    drawing = ElementTree.fromstring(files["SVG"])
    words = [part.text for part in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"SR", "SPL", "Metric (n = 12)", "100", "random"} <= set(words)
    assert all(part.get("class") is None for part in drawing.iter())
    pdf = files["PDF"]
    start = int(re.search(rb"startxref\n(\d+)", pdf)[1])  # type: ignore[index]
    places = [int(row[:10]) for row in pdf[start:].splitlines()[3:8]]
    assert [pdf[place : place + 7] for place in places] == [b"%d 0 obj" % n for n in range(1, 6)]
    stream = re.search(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", pdf, re.DOTALL)
    assert stream is not None
    assert int(stream[1]) == len(stream[2])
    assert b"(SPL) Tj" in stream[2]
    assert b"NaN" not in pdf
    assert b"undefined" not in pdf


def rows(page: Any) -> list[str]:
    return page.locator("table.episodes tbody tr").all_inner_texts()


def test_search_filter_sort_and_clear(page: Any, runs: list[Path]) -> None:
    total = len(rows(page))
    assert total == len(episodes_of(runs[0]))
    page.get_by_label("Search scene, id, instruction").fill("door 3")
    assert len(rows(page)) == 1
    assert "13_1" in rows(page)[0]
    page.get_by_label("Search scene, id, instruction").fill("")
    lost = [e for e in episodes_of(runs[0]) if e["metrics"]["success"] == 0]
    page.get_by_label("Outcome of random").select_option("failure")
    assert len(rows(page)) == len(lost)
    assert f"{len(lost)} of {total} episodes" in page.locator("#episodes p[role=status]").inner_text()
    link = page.locator("#causes tbody td:nth-child(2) button").first
    count = int(link.locator("strong").inner_text())
    link.click()
    page.locator("#episodes option[value^='cause:']:checked").wait_for(state="attached")
    assert len(rows(page)) == count
    page.get_by_role("button", name="Clear filters").click()
    assert len(rows(page)) == total
    page.locator("th button", has_text="to goal").first.click()
    shown = page.locator("table.episodes tbody tr td.number:nth-child(6)").all_inner_texts()
    errors = sorted(round(e["metrics"]["navigation_error"], 2) for e in episodes_of(runs[0]))
    assert [float(text.removesuffix(" m")) for text in shown] == errors


def test_a_filtered_list_is_a_link_and_a_step_back(visit: Open, page_file: Path, runs: list[Path]) -> None:
    page = visit().open(page_file)
    total = len(rows(page))
    page.get_by_label("Outcome of random").select_option("failure")
    failed = len(rows(page))
    box = page.get_by_label("Search scene, id, instruction")
    box.press_sequentially("door")
    both = rows(page)
    assert 0 < len(both) < failed < total
    assert page.evaluate("location.hash") == "#episodes?outcome=failure%3Arandom&search=door"
    again = visit().open(page_file, "?lang=zh&theme=dark" + page.evaluate("location.hash"))
    assert len(rows(again)) == len(both)
    assert again.locator("#episodes select option:checked").first.get_attribute("value") == "failure"
    page.locator("table.episodes a").first.click()
    page.get_by_role("link", name="All episodes").click()
    assert rows(page) == both
    for _ in range(3):
        page.go_back()
    page.locator("#episodes option[value=failure]:checked").wait_for(state="attached")
    assert len(rows(page)) == failed
    page.go_back()
    page.locator("#episodes option[value=failure]:checked").wait_for(state="detached")
    assert len(rows(page)) == total


@pytest.mark.parametrize("hostile", ["outcome=failure", "outcome=gone:random", "scene=nowhere&length=1-x", "cause=%"])
def test_filters_that_are_not_here_hide_nothing(visit: Open, page_file: Path, hostile: str) -> None:
    guest = visit()
    page = guest.open(page_file, f"#episodes?{hostile}")
    assert len(rows(page)) == 12
    assert guest.errors == []


def test_runs_that_differ(page: Any, runs: list[Path]) -> None:
    page.get_by_label("only where some succeed and some do not").check()
    columns = zip(*([e["metrics"]["success"] for e in episodes_of(run)] for run in runs), strict=True)
    assert len(rows(page)) == sum(len(set(column)) > 1 for column in columns)


def test_groups_are_sorted_by_the_mean_over_all_agents(visit: Open, document: dict[str, Any], tmp_path: Path) -> None:
    # (0 · 4 + 1 · 4 + 0.5 · 2) / 10 and (0.25 · 4 + 0.25 · 4 + 0 · 2) / 10, though one agent does better in the second.
    figures = {"hall": [(0.0, 4), (1.0, 4), (0.5, 2)], "yard": [(0.25, 4), (0.25, 4), (0.0, 2)]}
    groups = [
        {"kind": "scene", "label": name, "n": 4, "runs": [{"success": [mean, None, None, n]} for mean, n in found]}
        for name, found in figures.items()
    ]
    write_page({**document, "groups": groups}, tmp_path / "r.html")
    page = visit().open(tmp_path / "r.html")
    table = page.locator("table", has=page.get_by_role("columnheader", name="all agents"))
    assert table.locator("tbody th").all_inner_texts() == ["yard", "hall"]
    assert table.locator("tbody td:nth-child(4)").all_inner_texts() == ["20.0", "50.0"]


def test_what_is_open_stays_open_on_the_way_to_another_section(page: Any) -> None:
    page.locator("#about-definitions summary").click()
    page.locator(".contents").get_by_role("link", name="Episodes").click()
    page.wait_for_url("**#episodes")
    assert page.locator("#about-definitions").get_attribute("open") is not None


def test_what_was_excluded_has_the_signs_of_the_figures(page: Any) -> None:

    def signs(place: str) -> dict[str, str]:
        """By the agent's name, the class of its sign."""
        found = page.locator(place).filter(has=page.locator(".mark")).all()
        return {one.inner_text().strip(): one.locator(".mark").get_attribute("class") for one in found}

    drawn = signs("#causes thead th")
    assert len(set(drawn.values())) == 3
    assert signs("#excluded h3") == drawn


def test_nothing_fits(page: Any) -> None:
    page.get_by_label("Search scene, id, instruction").fill("no such words")
    assert "No episode matches" in page.locator("#episodes").inner_text()


def test_episode_view_tells_what_happened(visit: Open, page_file: Path, runs: list[Path]) -> None:
    page = visit().open(page_file, "#episode=10_1")
    record = episodes_of(runs[0])[1]
    text = page.locator("#episode").inner_text()
    assert f"Episode {record['episode_id']}" in text
    assert "Walk to door 0." in text
    assert f"It ended {record['metrics']['navigation_error']:.2f} m from the goal" in text
    assert f"in {record['steps']} steps" in text
    assert page.locator("svg.floor .goal").count() == 1
    assert page.locator("svg.floor .reference").get_attribute("d").count("L") == 2
    assert page.locator("svg.rose .spoke").count() >= 2


def test_an_episode_stays_named_where_its_row_is_scrolled_sideways(visit: Open, page_file: Path) -> None:
    page = visit(viewport={"width": 360, "height": 800}).open(page_file)
    lefts = page.evaluate(
        """() => { const table = document.querySelector("table.episodes"), holder = table.closest(".wide");
        holder.scrollLeft = 1000;
        const left = (e) => e.getBoundingClientRect().left;
        const first = [...table.rows].map((row) => left(row.cells[0]));
        return [holder.scrollLeft, left(table), left(holder), Math.min(...first), Math.max(...first)]; }"""
    )
    scrolled, table, *sticky = lefts
    assert scrolled > 100
    assert table < sticky[0]
    assert len({*sticky}) == 1


def test_slider_by_keyboard(visit: Open, page_file: Path) -> None:
    page = visit().open(page_file, "#episode=10_1")
    page.locator("select").first.select_option("2")
    slider = page.get_by_label("Step", exact=True)
    last = int(slider.get_attribute("max"))
    assert f"Step {last} of {last}: stop" in page.locator(".step").inner_text()
    slider.focus()
    page.keyboard.press("Home")
    assert page.locator(".step").inner_text().startswith("Start")
    page.keyboard.press("ArrowRight")
    assert f"Step 1 of {last}: move to viewpoint" in page.locator(".step").inner_text()
    assert "walked 2.00 m" in page.locator(".step").inner_text()
    assert page.locator(".way.ahead").count() == 1


def test_scale_bar_agrees_with_metres(visit: Open, page_file: Path) -> None:
    """The grid's nodes are 2 m apart: the bar must be as long on the screen as that many metres of them."""
    page = visit().open(page_file, "#episode=10_1")
    ratio = page.evaluate(
        """() => { const box = (e) => e.getBoundingClientRect();
        const nodes = [...document.querySelectorAll('svg.floor .node')];
        const x = nodes.map((n) => box(n).left + box(n).width / 2).sort((a, b) => a - b);
        const gaps = x.slice(1).map((v, i) => v - x[i]).filter((gap) => gap > 5);
        const bar = document.querySelector('svg.floor .scale line');
        const line = bar.getScreenCTM(), a = bar.x1.baseVal.value * line.a, b = bar.x2.baseVal.value * line.a;
        return [Math.abs(b - a) / Number(bar.dataset.metres), Math.min(...gaps) / 2]; }"""
    )
    assert ratio[0] == pytest.approx(ratio[1], rel=0.02)


def test_language_and_theme(page: Any, page_file: Path) -> None:
    page.locator("#language").click()
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert "总览" in page.locator("h2").first.inner_text()
    assert "最常见的失败" in page.locator(".brief").inner_text()
    page.goto(f"{page.url}#episode=10_1")
    page.reload()
    page.wait_for_selector("#page[data-ready]")
    assert "停止" in page.locator("#episode .step").inner_text()
    page.locator("#language").click()
    assert page.evaluate("document.documentElement.lang") == "en"
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert page.url == f"{page_file.as_uri()}?lang=en&theme=dark#episode=10_1"


def test_runs_stand_in_the_order_of_the_leaderboard_everywhere(page: Any) -> None:
    names = ["random", "stop", "shortest_path"]
    for place in (".board tbody th", "#failures thead >> nth=0 >> th", "#distributions tbody th", ".brief > ul > li"):
        told = page.locator(place).all_inner_texts()
        assert [next(name for name in names if name in text) for text in told if any(n in text for n in names)] == names


def test_the_rules_of_the_causes_open_and_their_heading_is_seen(page: Any) -> None:
    page.get_by_role("link", name="How this is decided").first.click()
    page.locator("#rules[open] dl").wait_for()
    rules, contents = (page.locator(one).bounding_box() for one in ("#rules", ".contents"))
    assert rules["y"] >= contents["y"] + contents["height"] - 1


def test_a_chinese_browser_gets_chinese(visit: Open, page_file: Path, browser: Any) -> None:
    context = patient(browser, locale="zh-CN")
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector("#page[data-ready]")
    assert "失败分析" in page.locator("nav.contents").inner_text()
    assert "。 " not in page.locator("#overview").inner_text()
    untranslated = re.search(r"\b(brief|page|table|excluded|about|groups|outcomes)\.\w+", page.inner_text("body"))
    assert untranslated is None
    context.close()


def test_phone_width_has_no_sideways_scroll(visit: Open, page_file: Path) -> None:
    page = visit(viewport={"width": 360, "height": 740}).open(page_file)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(f"{page_file.as_uri()}#episode=10_0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_everything_is_reached_by_tab(visit: Open, page_file: Path) -> None:
    page = visit().open(page_file, "#episode=10_1")
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("((e) => e.id || e.ariaLabel || e.textContent)(document.activeElement)"))
    assert {"language", "theme", "Step", "Play", "Next episode"} <= seen


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", "#episode=10_1"])
def test_no_serious_accessibility_issue(visit: Open, page_file: Path, axe: str, theme: str, fragment: str) -> None:
    guest = visit(color_scheme=theme, bypass_csp=True)
    page = guest.open(page_file, fragment)
    assert serious_faults(page, axe) == []


def test_prints(page: Any) -> None:
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator(".controls").first.is_visible()
