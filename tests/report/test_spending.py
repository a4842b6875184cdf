"""Costs and the model's words in the report; what it must show is added up from the agents' own numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.cli.report import make_context
from nav_eval.report.columns import WordBudget
from nav_eval.report.document import make_document
from nav_eval.report.page import write_page
from nav_eval.report.track import Track
from nav_eval_sdk import VLNAgent
from playing import play
from report.conftest import Visit

MARKUP = "<img src=x onerror='window.hacked=1'> door \u202e"


class Thrifty(VLNAgent):
    cents = 1

    def reset(self, episode: dict[str, Any]) -> None:
        self._left = 3

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        self._left -= 1
        usage = {"input_tokens": 1000, "output_tokens": 5, "requests": 1, "cost": {"USD": self.cents / 100}}
        return {"action": "turn_left" if self._left else "stop", "usage": usage, "said": f"{self._left} left {MARKUP}"}


class Lavish(Thrifty):
    cents = 50


@pytest.fixture(scope="module")
def spending_page(tmp_path_factory: pytest.TempPathFactory, data: list[str], runs: list[Path]) -> Path:
    folder = tmp_path_factory.mktemp("spending")
    for agent in (Thrifty, Lavish):
        play(folder / agent.__name__, data, agent=agent)
    paths = [folder / "Thrifty", folder / "Lavish", runs[0]]
    write_page(make_document(paths, make_context()), folder / "report.html")
    return folder / "report.html"


def test_costs_of_an_episode_stand_in_a_table_and_a_picture(visit: Callable[..., Visit], spending_page: Path) -> None:
    guest = visit()
    page = guest.open(spending_page)
    head, *rows = (row.split("\t") for row in page.locator("#usage tr").all_inner_texts())
    order = [cell.strip() for cell in head[1:]]
    costs = {"Thrifty": "0.0300 USD", "Lavish": "1.50 USD"}
    assert {row[0]: row[1:] for row in rows} == {
        "Tokens in": ["3,000" if agent in costs else "–" for agent in order],
        "Tokens out": ["15" if agent in costs else "–" for agent in order],
        "Requests": ["3" if agent in costs else "–" for agent in order],
        "Cost": [costs.get(agent, "–") for agent in order],
    }
    assert page.locator("#usage svg.chart .mark").count() == 3 + 2  # the legend's, and two agents that told a cost
    assert guest.errors == []


def test_an_episode_shows_what_the_model_said_at_each_step(visit: Callable[..., Visit], spending_page: Path) -> None:
    guest = visit()
    page = guest.open(spending_page)
    page.goto(f"{spending_page.as_uri()}#episode=10_1&run=Lavish")
    quote = page.locator(".answer-said")
    assert quote.inner_text().startswith("0 left <img src=x")
    page.locator(".steps .pager button").first.click()
    assert not quote.is_visible()
    page.evaluate("document.activeElement.blur()")  # arrows belong to a button that has the focus
    page.keyboard.press("ArrowRight")
    assert quote.inner_text().startswith("2 left")
    assert "1.50 USD" in page.locator(".fates").inner_text()
    assert page.evaluate("window.hacked") is None
    assert guest.errors == []


def test_a_page_without_costs_says_nothing_of_them(visit: Callable[..., Visit], page_file: Path) -> None:
    page = visit().open(page_file)
    assert page.locator("#usage, .answer-said").count() == 0


def test_words_that_do_not_fit_are_left_out_episode_by_episode() -> None:
    def track(*said: tuple[int, str]) -> Track:
        return Track(np.zeros((1, 3), np.int32), np.zeros(1, np.int16), "", (), np.zeros(0, np.float32), said=said)

    budget = WordBudget(10)
    assert budget.kept(track((0, "four"), (2, "four"))) == [[0, "four"], [2, "four"]]
    assert budget.kept(track((0, "three"))) == []
    assert budget.kept(track((1, "ab"))) == [[1, "ab"]]
