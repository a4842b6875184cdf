"""`nav-eval report --against`: a page with another evaluator's values beside the run's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nav_eval import evaluate
from nav_eval.cli.report import report
from nav_eval.errors import ConfigError
from report.conftest import Visit, episodes_of


def test_a_page_says_what_differs_and_which_radius_explains_it(
    visit: Callable[..., Visit], data: list[str], tmp_path: Path
) -> None:
    """The run calls an end a success within 1 m; who calls every end but the farthest one has another radius."""
    run = tmp_path / "run"
    options = [*data, "agent_service.agent=random", "seed=3", "evaluation.success_distance=1"]
    evaluate("r2r", overrides=options, out=run)
    ends = {one["episode_id"]: one["metrics"]["navigation_error"] for one in episodes_of(run)}
    *_, last, farthest = sorted(set(ends.values()))
    theirs = {name: {"success": float(away <= last), "nav_error": away} for name, away in ends.items()}
    differ = sum(1 <= away <= last for away in ends.values())
    assert differ
    table, page_file = tmp_path / "stats.json", tmp_path / "page.html"
    table.write_text(json.dumps(theirs))
    assert report(str(run), out=page_file, against=table, no_3d=True) == 0
    page = visit().open(page_file)
    table_of = page.locator("#against tbody tr").all_inner_texts()
    rows = {row.split("\t")[0].partition(" (")[0].casefold(): row.split("\t") for row in table_of}
    assert f"{len(ends)} episodes of stats.json beside this run’s own." in page.locator("#against").inner_text()
    assert rows["navigation error"][3:] == [f"none of {len(ends)}", "–", "–"]
    assert rows["success"][3] == f"{differ} of {len(ends)}"
    reason, _, rest = rows["success"][5].removeprefix("with evaluation.success_distance=").partition(" ")
    assert (last < float(reason) <= farthest, rest) == (True, "all are equal")
    page.click("#language")
    assert f"用 evaluation.success_distance={reason} 则全部相同" in page.locator("#against").inner_text()


def test_it_is_the_page_of_one_run(runs: list[Path], tmp_path: Path) -> None:
    wanted = "makes the whole page of one run"
    with pytest.raises(ConfigError, match=wanted):
        report(*map(str, runs[:2]), out=tmp_path / "a.html", against=tmp_path / "t.json")
    with pytest.raises(ConfigError, match=wanted):
        report(str(runs[0]), out=tmp_path / "a.html", against=tmp_path / "t.json", public=True)
    with pytest.raises(ConfigError, match=wanted):
        report(str(runs[0]), out=tmp_path / "a.csv", against=tmp_path / "t.json")
