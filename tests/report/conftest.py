"""Run directories made by the real command's code, pages made of them, and a browser to look at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from browsing import patient
from graphs import item, node, write_r2r
from nav_eval.cli.report import make_context
from nav_eval.report.document import make_document
from nav_eval.report.page import write_page
from nav_eval.report.source import Run, read_run
from playing import lines, play

AGENTS = ("random", "shortest_path", "stop")
HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    "</script><script>window.hacked=1</script>",
    "{{7*7}} ${7*7} javascript:alert(1) ]]> --> \u202egnp.exe \x00 \ud7ff",
    "转到厨房，停在冰箱前。" * 20,
)


def hostile_items() -> list[dict[str, Any]]:
    """Twelve paths on the grid; the instructions try to break out of the page."""
    paths = [[node(x, y), node(x + 1, y), node(x + 2, y)] for x in (0, 1) for y in (0, 1, 2)]
    return [item(10 + i, path, [HOSTILE[i % len(HOSTILE)], f"Walk to door {i}."]) for i, path in enumerate(paths)]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Overrides that point r2r at a small graph with hostile instructions."""
    return write_r2r(tmp_path_factory.mktemp("data"), items=hostile_items())


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory, data: list[str]) -> list[Path]:
    """One finished run directory per agent."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in AGENTS:
        play(folder / agent, [*data, f"agent_service.agent={agent}", "agent_service.secret=k0", "seed=3"])
    return [folder / agent for agent in AGENTS]


@pytest.fixture(scope="session")
def document(runs: list[Path]) -> dict[str, Any]:
    return make_document(runs, make_context())


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(document, path)
    return path


@pytest.fixture(scope="session")
def pair_file(tmp_path_factory: pytest.TempPathFactory, runs: list[Path]) -> Path:
    """The page of two runs: paired tests, and no board."""
    path = tmp_path_factory.mktemp("pair") / "report.html"
    write_page(make_document([runs[1], runs[2]], make_context()), path)
    return path


@pytest.fixture
def entries(runs: list[Path]) -> list[Run]:
    return read(runs)


class Visit:
    """A page that is open, and everything that it should not have done: requests, console errors."""

    def __init__(self, browser: Any, **settings: Any) -> None:
        self.context = patient(browser, locale="en-US", **settings)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.errors.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: Path, fragment: str = "") -> Any:
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_selector("#page[data-ready]")
        return self.page


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    made: list[Visit] = []

    def make(**settings: Any) -> Visit:
        made.append(Visit(browser, **settings))
        return made[-1]

    yield make
    for one in made:
        one.context.close()


episodes_of = lines


def renamed(run: Path, to: Path, **manifest: Any) -> Path:
    """A copy, whose manifest says something else."""
    copytree(run, to)
    (to / "manifest.json").write_text(json.dumps(json.loads((to / "manifest.json").read_text()) | manifest))
    return to


def read(paths: Iterable[Path]) -> list[Run]:
    context = make_context()
    return [read_run(path, context.config(path)) for path in paths]


def serious_faults(page: Any, axe: str) -> list[Any]:
    """What axe finds in the page's accessibility that is serious or critical."""
    page.add_script_tag(content=axe)
    faults = "r.violations.map((v) => [v.id, v.impact, v.nodes[0].html + v.nodes[0].failureSummary])"
    found = page.evaluate(f"axe.run().then((r) => {faults})")
    return [one for one in found if one[1] in ("serious", "critical")]
