"""A metric whose value is a record has a column for each of its numbers, or a line that says why not."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from nav_eval.cli.report import make_context, report
from nav_eval.cli.table import metrics_table
from nav_eval.report.document import make_document
from nav_eval.runs.comparison import compare_runs
from playing import document, lines, play
from rooms import write_room

PLUGIN = '''
from nav_eval import Metric, register_metric


@register_metric("legs")
class Legs(Metric):
    """How it went: turns and walks."""

    name = "legs"
    category = "efficiency"
    kind = "record"
    needs = ("actions",)

    def reset_metric(self, context):
        self.turns, self.walks = 0, 0

    def update_metric(self, step, others):
        self.turns += step.action.name.startswith("turn")
        self.walks += step.action.name == "move_forward"

    def get_metric(self):
        return {"turns": self.turns, "walks": self.walks, "last": "stop"}
'''


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("legs")
    (folder / "legs.py").write_text(PLUGIN)
    given = ["plugins=[legs]", "agent_service.agent=random", "task.measurements=[success,steps,legs,trajectory]"]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return play(folder / "run", [*write_room(folder), *given], "pointnav").path


def test_its_numbers_are_columns_and_what_is_none_is_told(run: Path) -> None:
    results = document(run)
    records = [line["metrics"] for line in lines(run)]
    for name in ("turns", "walks"):
        mean = sum(record["legs"][name] for record in records) / len(records)
        assert results["metrics"][f"legs.{name}"]["mean"] == pytest.approx(mean)
        assert results["definitions"][f"legs.{name}"]["kind"] == "mean"
    table = metrics_table(results)
    assert "legs.turns" in table
    assert [line for line in table.splitlines() if "legs.last" in line] == [
        "note: legs: no figure and no column for legs.last, no number; episodes.jsonl holds each episode's."
    ]
    assert "note: trajectory: no figure" in table


def test_results_csv_has_them_and_ends_with_the_means_of_results_json(run: Path) -> None:
    with (run / "results.csv").open() as file:
        *episodes, last = csv.DictReader(file)
    turns = [line["metrics"]["legs"]["turns"] for line in lines(run)]
    assert [float(row["legs.turns"]) for row in episodes] == turns
    assert (last["scene_id"], last["episode_id"]) == ("all", "mean")
    for name in ("success", "steps", "legs.turns", "legs.walks"):
        assert float(last[name]) == document(run)["metrics"][name]["mean"]


def test_compare_and_report_have_them(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "again")
    assert {"legs.turns", "legs.walks"} <= {row["metric"] for row in compare_runs([run, tmp_path / "again"])}
    page = make_document([run], make_context(allow_plugins=True))
    assert {"legs.turns", "legs.walks"} <= set(page["metrics"])
    for ending in (".md", ".csv"):
        report(str(run), out=tmp_path / f"table{ending}", allow_plugins=True)
        assert "legs.turns" in (tmp_path / f"table{ending}").read_text()
