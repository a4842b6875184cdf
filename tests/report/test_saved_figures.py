"""Charts saved for a paper, measured in a browser: each is printable as it is, for 1 to 12 agents, however named."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from nav_eval.report.outcome import OUTCOMES
from nav_eval.report.page import write_page
from report.conftest import Visit

COUNT = 12
NAMES = {
    "short": "a{}",
    "middle": "智能体-cma_{}-中文指令",
    "long": "A waypoint predictor with a very large language model, by the team of the_university.of/nowhere {}",
}
LENGTHS = ("5-10", "10-15", "15-20", "20-25", "100-150", "150-200")
FIGURES = {"paper-rates", "paper-lengths", "outcomes", "histogram-navigation_error", "latency"}
KEEP = """() => {
  window.kept = [];
  URL.createObjectURL = (blob) => { window.kept.push(blob); return "#"; };
  HTMLAnchorElement.prototype.click = function () { window.kept.push(this.download); };
}"""
SAVE = """async ([count, kind]) => {
  const ticks = [...document.querySelectorAll(".board input[type=checkbox]")].map((one) => one.id);
  ticks.forEach((id, i) => {
    const tick = document.getElementById(id);
    if (tick.checked !== i < count) tick.click();
  });
  const files = {};
  for (const button of [...document.querySelectorAll(".figure .save")].filter((one) => one.textContent === kind)) {
    button.click();
    const [blob, name] = window.kept.splice(0);
    files[name.split(".")[0]] = new TextDecoder(kind === "PDF" ? "cp1252" : "utf-8").decode(await blob.arrayBuffer());
  }
  return files;
}"""
MEASURE = """(drawing) => {
  const holder = document.createElement("div");
  holder.innerHTML = drawing;
  document.body.append(holder);
  const root = holder.firstElementChild.getBoundingClientRect();
  const box = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return [one.textContent, left - root.left, top - root.top, right - root.left, bottom - root.top];
  };
  const found = (kinds) => [...holder.querySelectorAll(kinds)].map(box);
  const [texts, shapes] = ["text", "line, rect, circle, path"].map(found);
  holder.remove();
  return { width: root.width, height: root.height, texts, shapes };
}"""


def many(document: dict[str, Any], name: str) -> dict[str, Any]:
    """The document of twelve agents, three in turns; every outcome, six classes of length, figures from 0 to 1."""
    turns = [i % len(document["runs"]) for i in range(COUNT)]

    def each(rows: list[Any]) -> list[Any]:
        return [rows[i] for i in turns]

    runs = [
        {
            **run,
            "name": f"run{i}",
            "entry": {"name": name.format(i + 1), "url": "", "paper": ""},
            "outcomes": {kind: 1 + (i * k) % 7 for k, kind in enumerate(OUTCOMES)},
            "metrics": {
                **run["metrics"],
                "soft_spl": {"mean": i / 11, "ci95": [0.0, 1.0], "clustered": False, "n": 1021, "n_nonfinite": 0},
            },
        }
        for i, run in enumerate(each(document["runs"]))
    ]
    figure = [{"success": [i / 11, 0.0, 1.0, 1021]} for i in range(COUNT)]
    return {
        **document,
        "runs": runs,
        "results": each(document["results"]),
        "definitions": {**document["definitions"], "soft_spl": document["definitions"]["spl"]},
        "groups": [{"kind": "length", "label": label, "n": 1021, "runs": figure} for label in LENGTHS],
        "histograms": [{**one, "counts": each(one["counts"])} for one in document["histograms"]],
        "latency": document["latency"] | {k: each(document["latency"][k]) for k in ("counts", "percentiles", "n")},
        "board": {**document["board"], "order": list(range(COUNT)), "places": [None] * COUNT},
    }


@pytest.fixture
def guest(visit: Callable[..., Visit]) -> Visit:
    one = visit()
    one.page.add_init_script(f"({KEEP})()")
    return one


def opened(guest: Visit, document: dict[str, Any], length: str, folder: Path) -> Any:
    write_page(many(document, NAMES[length]), folder / "r.html")
    return guest.open(folder / "r.html", "?lang=zh" if length == "middle" else "")


def apart(one: list[Any], other: list[Any]) -> bool:
    return max(one[1], other[1]) >= min(one[3], other[3]) - 0.5 or max(one[2], other[2]) >= min(one[4], other[4]) - 0.5


def inside(box: list[Any], drawing: dict[str, Any]) -> bool:
    return min(box[1:3]) >= -0.5 and box[3] <= drawing["width"] + 0.5 and box[4] <= drawing["height"] + 0.5


def plain(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("length", NAMES)
def test_words_are_apart_and_inside_and_the_legend_names_every_agent(
    guest: Visit, document: dict[str, Any], length: str, tmp_path: Path
) -> None:
    page = opened(guest, document, length, tmp_path)
    for count in range(COUNT, 0, -1):
        saved = page.evaluate(SAVE, [count, "SVG"])
        assert saved.keys() >= FIGURES
        for name, drawing in saved.items():
            told = page.evaluate(MEASURE, drawing)
            where = f"{name} of {count}"
            assert told["width"] == 340, where
            crossing = [(a[0], b[0]) for a, b in combinations(told["texts"], 2) if not apart(a, b)]
            assert crossing == [], where
            assert [one for one in told["texts"] + told["shapes"] if not inside(one, told)] == [], where
            words = plain("".join(one[0] for one in told["texts"]))
            assert [i for i in range(count) if plain(NAMES[length].format(i + 1)) not in words] == [], where
    assert guest.errors == []


def test_intervals_end_on_the_axis(guest: Visit, document: dict[str, Any], tmp_path: Path) -> None:
    page = opened(guest, document, "short", tmp_path)
    drawing = page.evaluate(SAVE, [COUNT, "SVG"])["paper-lengths"]
    told = page.evaluate(MEASURE, drawing)
    ticks = {one[0]: (one[2] + one[4]) / 2 for one in told["texts"] if one[0] in ("0", "100")}
    upright = [one for one in told["shapes"] if one[3] - one[1] < 3 and one[4] - one[2] > 50]
    assert len(upright) == COUNT * len(LENGTHS)
    assert all(ticks["100"] - 2 < one[2] < one[4] < ticks["0"] + 2 for one in upright)


def test_each_colour_of_the_outcomes_has_one_name(guest: Visit, document: dict[str, Any], tmp_path: Path) -> None:
    page = opened(guest, document, "short", tmp_path)
    told = page.evaluate(MEASURE, page.evaluate(SAVE, [1, "SVG"])["outcomes"])
    words = [one[0] for one in told["texts"]]
    rows = page.locator("table", has=page.locator(".swatch")).first.locator("tbody th").all_inner_texts()
    assert [row.split("\n")[0] for row in rows[:9]] == words[:9]
    assert words[9:] == ["error, or not scored", "a1", *words[11:]]
    assert len(rows) == len(OUTCOMES)


def test_a_pdf_of_chinese_names_holds_their_letters(guest: Visit, document: dict[str, Any], tmp_path: Path) -> None:
    page = opened(guest, document, "middle", tmp_path)
    for name, pdf in page.evaluate(SAVE, [COUNT, "PDF"]).items():
        codes = "".join(re.findall(r"<([0-9a-f]+)> Tj", pdf))
        assert "智能体".encode("utf-16-be").hex() in codes, name
        assert "(-cma_12-) Tj" in pdf, name
        assert re.search(r"NaN|undefined|\?", pdf) is None, name
