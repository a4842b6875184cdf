"""What dtw and coverage were compared with is said, and runs that differ in it are not compared."""

from __future__ import annotations

import json
import shutil

import pytest

from nav_eval.cli.table import metrics_table
from nav_eval.errors import RunDirectoryError
from nav_eval.runs.comparison import compare_runs
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config


@pytest.fixture(scope="module")
def world(tmp_path_factory, released):
    """Two folders with the same episodes and scene; in one a gt file lies beside them."""
    folder = tmp_path_factory.mktemp("reference")
    shutil.copy(released / "scenes" / "van-gogh-room.navmesh", folder)
    return folder


def episodes(folder, world, gt):
    from nav_eval import load_navmesh

    mesh = load_navmesh(world / "van-gogh-room.navmesh")
    begin, end = ([float(x) for x in mesh.random_point(seed=seed, island=0)] for seed in (1, 2))
    record = {
        "episode_id": "1",
        "scene_id": "van-gogh-room.glb",
        "start_position": begin,
        "start_rotation": [0, 0, 0, 1],
        "goals": [{"position": end, "radius": 3}],
        "instruction": {"instruction_text": "Go."},
        "reference_path": [begin, end],
    }
    (folder / "val_seen.json").write_text(json.dumps({"episodes": [record, {**record, "episode_id": "2"}]}))
    path = {"locations": [begin, begin], "forward_steps": 1, "actions": [1, 0]}
    if gt:
        (folder / "val_seen_gt.json").write_text(json.dumps({"1": path, "2": path}))
    return [f"dataset.data_path={folder}/val_seen.json", f"simulator.scenes_dir={world}"]


def run(tmp_path, world, name, gt):
    folder = tmp_path / name
    folder.mkdir()
    quick = [
        "agent_service.agent=stop",
        "~simulator.sensors.rgb",
        "~simulator.sensors.depth",
        "task.measurements=[ndtw,waypoint_coverage]",
    ]
    given = [*episodes(folder, world, gt), *quick]
    return run_benchmark(benchmark_config("r2r-ce", overrides=given), folder / "run")


def test_results_report_and_terminal_say_which(tmp_path, world):
    for name, gt, reference in (("a", True, "gt"), ("b", False, "reference_path")):
        done = run(tmp_path, world, name, gt)
        assert json.loads((done.path / "results.json").read_text())["references"] == {reference: 2}
        assert f"reference: {reference} (2 episodes)" in metrics_table(done.document)
        lines = (done.path / "episodes.jsonl").read_text().splitlines()
        assert [json.loads(line)["reference"] for line in lines] == [reference] * 2


def test_runs_that_differ_in_it_are_not_compared_and_both_are_named(tmp_path, world):
    paths = [run(tmp_path, world, name, gt).path for name, gt in (("a", True), ("b", False))]
    with pytest.raises(RunDirectoryError, match="reference is 'gt' in one and 'reference_path' in the other"):
        compare_runs(paths)


def test_a_run_that_is_mixed_itself_is_not_compared(tmp_path, world):
    path = run(tmp_path, world, "a", True).path
    lines = [json.loads(line) for line in (path / "episodes.jsonl").read_text().splitlines()]
    lines[1]["reference"] = "reference_path"
    (path / "episodes.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(RunDirectoryError, match="gt in 1 and reference_path in 1"):
        compare_runs([path, path])


def test_a_comparison_has_the_order_of_the_runs_own_table(tmp_path, world):
    done = run(tmp_path, world, "a", True)
    printed = list(done.document["metrics"])
    assert [row["metric"] for row in compare_runs([done.path, done.path])][: len(printed)] == printed
