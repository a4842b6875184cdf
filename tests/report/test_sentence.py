"""The sentence for a paper says what was played, and the page's "How to cite" says the same."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from nav_eval.cli.report import make_context, report
from nav_eval.report.document import make_document
from playing import lines, play
from rooms import write_room

HOMES = "dataset.generate={seed: pairs, scenes: 2, rooms: 2, per_scene: 3}"
"""Of tests/extras/test_collecting.py."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two agents in two generated homes, on the usual settings but for these."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("stop", "random"):
        given = [HOMES, f"agent_service.agent={agent}", "evaluation.max_steps=5", "simulator.sensors={gps: {}}"]
        play(folder / agent, given, "pointnav-demo")
    return [folder / "stop", folder / "random"]


def printed(capsys: pytest.CaptureFixture[str], *runs: Path, public: bool = False) -> str:
    capsys.readouterr()
    assert report(*map(str, runs), sentence=True, public=public) == 0
    return capsys.readouterr().out.strip()


def test_it_says_what_was_played_and_what_is_not_the_benchmarks(
    runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (len(lines(runs[0])), len({line["scene_id"] for line in lines(runs[0])})) == (6, 2)
    assert printed(capsys, runs[0]) == (
        "stop was evaluated on 6 episodes in 2 homes of pointnav-demo, worlds v13 (split val_unseen, "
        "generator’s seed “pairs”, run’s seed 0), scoring profile pointnav v2, "
        f"with nav-eval {version('nav-eval')}. Settings that differ from the benchmark’s: "
        "dataset.generate.scenes=2, dataset.generate.rooms=2, "
        "evaluation.max_steps=5, simulator.sensors=[gps]. Brackets are 95 % intervals."
    )
    assert not (runs[0] / "report.html").exists()


def test_it_speaks_chinese(
    runs: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")
    said = printed(capsys, runs[0])
    assert "stop 在 pointnav-demo, worlds v13（划分 val_unseen，生成种子“pairs”，运行种子 0）的 2 座住宅中" in said
    assert " 2 座住宅中的 6 个回合上评测" in said
    assert "与基准不同的设置：dataset.generate.scenes=2，" in said


def test_two_runs_have_one_sentence_and_a_public_one_keeps_the_seed(
    runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(capsys, *runs)
    assert said.startswith("stop and random were evaluated on the same 6 episodes in 2 homes of pointnav-demo")
    assert "“pairs”" in said
    assert "“pairs”" not in printed(capsys, *runs, public=True)


def test_the_page_says_the_same(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    document = make_document(runs, make_context())
    assert document["sentence"]["en"] == printed(capsys, *runs)
    assert [run["sentence"]["en"] for run in document["runs"]] == [printed(capsys, run) for run in runs]


def test_where_the_data_lies_is_no_setting_and_a_benchmark_of_ones_own_has_none_to_differ_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["agent_service.agent=stop", *write_room(tmp_path, scenes=2), "task.measurements=[ndtw]"]
    play(tmp_path / "room", given, "pointnav")
    said = printed(capsys, tmp_path / "room")
    assert "6 episodes in 2 scenes of pointnav (split unknown, run’s seed 0)" in said
    assert str(tmp_path) not in said
    assert "task.measurements=[ndtw]" in said
    play(tmp_path / "own", [*given, "benchmark.name=own"], "pointnav")
    assert "Settings" not in printed(capsys, tmp_path / "own")
