"""A metric made of a function by its decorator: measured as any other, and found wherever metrics are shown."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

import nav_eval
from documentation import catalogue
from nav_eval import evaluate
from nav_eval.cli import make_app
from nav_eval.cli.report import make_context
from nav_eval.core.definitions import Definition
from nav_eval.core.interfaces import MetricContext
from nav_eval.errors import ConfigError
from nav_eval.metrics.formula import metric
from nav_eval.metrics.registry import METRICS
from nav_eval.report.document import make_document
from nav_eval.report.words import metric_words, short_name
from nav_eval.testing import check_metric, demand
from playing import document

LINE = [(0.0, 0.0, 0.0), (3.0, 0.0, 4.0), (3.0, 0.0, 8.0)]


@metric("detour_for_test", label="Way round", short="WR", unit="m", better="lower")
def detour(*, path_length: float, shortest_path_length: float) -> float:
    """Metres walked beyond the shortest path. The straight way is none."""
    return path_length - min(shortest_path_length, path_length)


@metric("paces_for_test", category="efficiency", requires=("path_length",))
def paces(
    *,
    path_length: float,
    context: MetricContext,
    stride: Annotated[float, Field(gt=0, description="of one pace, m")] = 0.5,
) -> float:
    """Paces until the agent ended."""
    return path_length / stride + len(context.goals)


def test_a_formula_is_measured_from_what_its_parameters_name(play: Any) -> None:
    assert nav_eval.metric is metric
    values = play(["detour_for_test"], LINE, goals=LINE[-1:])
    assert values["detour_for_test"] == 9.0 - values["shortest_path_length"]
    assert METRICS.get("detour_for_test").requires == ("path_length", "shortest_path_length")
    assert detour(path_length=5.0, shortest_path_length=4.0) == 1.0


def test_a_parameter_with_a_default_is_an_option_and_context_is_the_episodes(play: Any) -> None:
    assert play(["paces_for_test"], LINE, goals=LINE[-1:])["paces_for_test"] == 19.0
    assert play(["paces_for_test"], LINE, goals=LINE[-1:], options={"stride": 3.0})["paces_for_test"] == 4.0
    with pytest.raises(ConfigError, match="stride"):
        METRICS.get("paces_for_test").Options.of({"stride": 0})


@pytest.mark.parametrize("name", ["detour_for_test", "paces_for_test"])
def test_it_conforms(name: str) -> None:
    demand(check_metric(name))


def test_the_kit_takes_its_options() -> None:
    demand(check_metric("paces_for_test", stride=2.0))
    with pytest.raises(ConfigError, match="strid"):
        list(check_metric("paces_for_test", strid=2.0))


def test_it_has_a_value_of_an_agent_that_never_moved(play: Any) -> None:
    assert play(["detour_for_test"], LINE[:1], goals=LINE[-1:], stop=False)["detour_for_test"] == 0.0


def several(*lengths: float) -> float:
    return sum(lengths)


@pytest.mark.parametrize(
    ("formula", "requires", "told"),
    [
        (several, None, r"given all by name, but not lengths\."),
        (detour, ("path_length",), "`requires` is path_length, the parameters"),
        (detour, ("path_length", "shortest_path_length", "steps"), "Write the same names"),
    ],
)
def test_a_formula_that_cannot_be_called_is_refused(formula: Any, requires: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        metric("bad_for_test", requires=requires)(formula)
    assert "bad_for_test" not in METRICS


def test_a_taken_name_and_a_wrong_word_are_refused() -> None:
    with pytest.raises(ConfigError, match="registered already"):
        metric("spl")(detour)
    with pytest.raises(ConfigError, match="`better` is 'up'"):
        metric("bad_for_test", better="up")(detour)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="`short` is 3"):
        metric("bad_for_test", short=3)(detour)  # type: ignore[arg-type]


@pytest.mark.parametrize("first", ["METRICS.get('success')", "import nav_eval.metrics.trajectory", "list(METRICS)"])
def test_our_own_are_all_there_whatever_is_asked_first(first: str) -> None:
    code = (
        f"from nav_eval.metrics.registry import METRICS\n{first}\nprint(METRICS.get('spl').name, len(METRICS.names()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name, count = done.stdout.split()
    assert (name, int(count) >= 37) == ("spl", True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "walk"
    told = ["task.measurements=[success,detour_for_test]", "dataset.limit=2", "simulator.sensors={}"]
    evaluate("pointnav-demo", overrides=[*told, "agent_service.agent=shortest_path"], out=out)
    return out


def test_a_new_metric_is_found_wherever_metrics_are_shown(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In results, tables, reports and lists, with nothing written but its decorator and its docstring."""
    rows = list(csv.DictReader((run / "results.csv").open()))
    assert all(float(row["detour_for_test"]) >= 0 for row in rows)
    recorded = document(run)["definitions"]["detour_for_test"]
    said = {"label": "Way round", "short": "WR", "unit": "m", "better": "lower", "category": "navigation"}
    assert said.items() <= recorded.items()
    assert recorded["about"] == "Metres walked beyond the shortest path"
    app = make_app()
    for name, shown in (("all.tex", r"detour\_for\_test (m) $\downarrow$"), ("wr.tex", r"& WR $\downarrow$")):
        columns = ["--columns", "all" if name == "all.tex" else "success,detour_for_test"]
        assert app(["report", str(run), "--out", str(tmp_path / name), *columns]) == 0
        assert shown in (tmp_path / name).read_text()
    assert app(["report", str(run), "--out", str(tmp_path / "board.csv")]) == 0
    assert "detour_for_test" in next(csv.reader((tmp_path / "board.csv").open()))
    capsys.readouterr()
    assert app(["list", "metrics", "--json"]) == 0
    listed = {row["name"]: row["about"] for row in json.loads(capsys.readouterr().out)}
    assert listed["detour_for_test"] == "navigation, mean, m, lower is better"


def test_a_report_calls_it_what_it_says_of_itself(run: Path) -> None:
    definitions = make_document([run], make_context())["definitions"]
    assert definitions["detour_for_test"]["words"]["en"] == ("Way round (m)", "Metres walked beyond the shortest path")
    assert definitions["success"]["words"]["zh"] == ("成功率", "智能体在成功距离内停下")


def test_the_words_of_a_metric_come_from_its_declaration() -> None:
    """A run of an older version, which recorded neither label nor short name, has those of today."""
    assert short_name("oracle_success", Definition(kind="rate")) == "OSR"
    assert short_name("of_somebody", Definition()) == "of_somebody"
    assert metric_words("navigation_error", Definition(unit="m"))["en"][0] == "Navigation error (m)"
    assert metric_words("of_somebody", Definition(unit="s"))["zh"][0] == "Of somebody（秒）"


def test_it_stands_in_the_table_of_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METRICS.get("detour_for_test"), "__module__", "nav_eval.metrics.behaviour")
    row = next(line for line in catalogue.metrics() if "detour_for_test" in line)
    assert row.split(" | ")[1:] == ["Way round", "Metres walked beyond the shortest path", "m", "lower |"]
