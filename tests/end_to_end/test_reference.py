"""What dtw and coverage were compared with is said, and runs that differ in it are not compared."""

from __future__ import annotations

import csv
import gzip
import json
import math
import shutil

import numpy as np
import pytest

from nav_eval import load_navmesh
from nav_eval.cli.report import report
from nav_eval.cli.table import metrics_table
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.runs.comparison import compare_runs
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import score_predictions
from playing import document, lines, play

QUICK = [
    "agent_service.agent=stop",
    "~simulator.sensors.rgb",
    "~simulator.sensors.depth",
    "task.measurements=[ndtw,waypoint_coverage]",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory, released):
    """Whether a gt file lies beside the episodes -> the overrides; the scene is the same."""
    world = tmp_path_factory.mktemp("reference")
    shutil.copy(released / "scenes" / "van-gogh-room.navmesh", world)
    mesh = load_navmesh(world / "van-gogh-room.navmesh")
    begin, end = ([float(x) for x in mesh.random_point(seed=seed, island=0)] for seed in (1, 2))
    record = {
        "scene_id": "van-gogh-room.glb",
        "start_position": begin,
        "start_rotation": [0, 0, 0, 1],
        "goals": [{"position": end, "radius": 3}],
        "instruction": {"instruction_text": "Go."},
        "reference_path": [begin, end],
    }
    path = {"locations": [begin, begin], "forward_steps": 1, "actions": [1, 0]}
    for name in ("gt", "none"):
        (world / name).mkdir()
        episodes = [record | {"episode_id": number} for number in "12"]
        (world / name / "val_seen.json").write_text(json.dumps({"episodes": episodes}))
    (world / "gt" / "val_seen_gt.json").write_text(json.dumps({"1": path, "2": path}))
    scenes = f"simulator.scenes_dir={world}"
    return {name == "gt": [f"dataset.data_path={world}/{name}/val_seen.json", scenes] for name in ("gt", "none")}


@pytest.fixture(scope="module")
def ran(data, tmp_path_factory):
    """The same -> a run."""
    folder = tmp_path_factory.mktemp("runs")
    return {gt: play(folder / str(gt), [*data[gt], *QUICK], "r2r-ce") for gt in (True, False)}


@pytest.mark.parametrize(
    ("asked", "gt", "kind"),
    [
        (None, True, "gt"),
        (None, False, "densified"),
        ("given", True, "given"),
        ("densified", True, "densified"),
        ("gt", True, "gt"),
        ("given", False, "given"),
    ],
)
def test_the_kind_is_chosen_and_named_wherever_its_figures_are(data, ran, tmp_path, asked, gt, kind):
    done = ran[gt]
    if asked:
        done = play(tmp_path / "run", [*data[gt], *QUICK, f"task.reference={asked}"], "r2r-ce")
    assert document(done.path)["references"] == {kind: 2}
    assert f"reference: {kind} (2 episodes)" in metrics_table(done.document)
    assert [line["reference"] for line in lines(done.path)] == [kind] * 2
    with (done.path / "results.csv").open() as file:
        assert {row["reference"] for row in csv.DictReader(file)} == {kind}
    for ending, columns in ((".tex", "ndtw"), (".md", None), (".csv", None)):
        table = tmp_path / f"table{ending}"
        report(str(done.path), out=table, columns=columns)
        assert f"reference {kind}" in table.read_text() or f",{kind}," in table.read_text()


def test_runs_that_differ_in_it_are_not_compared_and_both_are_named(ran):
    with pytest.raises(RunDirectoryError, match="reference is 'gt' in one and 'densified' in the other"):
        compare_runs([ran[True].path, ran[False].path])


def test_a_run_that_is_mixed_itself_is_not_compared(ran, tmp_path):
    path = shutil.copytree(ran[True].path, tmp_path / "run")
    first, second = lines(path)
    (path / "episodes.jsonl").write_text(f"{json.dumps(first)}\n{json.dumps(second | {'reference': 'densified'})}\n")
    with pytest.raises(RunDirectoryError, match="densified in 1 and gt in 1"):
        compare_runs([path, path])


def test_a_comparison_has_the_order_of_the_runs_own_table(ran, tmp_path):
    printed = list(ran[True].document["metrics"])
    again = shutil.copytree(ran[True].path, tmp_path / "again")
    assert [row["metric"] for row in compare_runs([ran[True].path, again])][: len(printed)] == printed


def test_an_experts_path_that_is_not_there_is_refused_before_the_run(data, tmp_path):
    with pytest.raises(ConfigError, match=r"task\.reference: is gt.*dataset\.gt_path"):
        play(tmp_path / "run", [*data[False], *QUICK, "task.reference=gt"], "r2r-ce")
    assert not (tmp_path / "run").exists()


def test_a_run_from_before_the_kinds_had_these_names_is_compared_with_one_of_today(ran, tmp_path):
    old = shutil.copytree(ran[False].path, tmp_path / "old")
    for file in (old / "episodes.jsonl", old / "results.json"):
        file.write_text(file.read_text().replace('"densified"', '"reference_path"'))
    assert compare_runs([old, ran[False].path])
    report(str(old), out=tmp_path / "old.md")
    assert "reference densified" in (tmp_path / "old.md").read_text()


def warped(agent, reference):
    """Dynamic time warping as the specification writes it: every cell of the table, in double precision."""
    cost = np.linalg.norm(np.asarray(agent)[:, None] - np.asarray(reference)[None], axis=2)
    table = np.full((len(agent) + 1, len(reference) + 1), np.inf)
    table[0, 0] = 0
    for i in range(1, len(agent) + 1):
        for j in range(1, len(reference) + 1):
            table[i, j] = cost[i - 1, j - 1] + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[-1, -1], cost


def test_given_is_the_specifications_formula_to_the_digit(tmp_path, released):
    """Of walks along other episodes' paths, against R2R-CE's file read by json and a table filled by numpy."""
    file = released / "r2r-ce" / "val_seen.json.gz"
    listed = json.loads(gzip.decompress(file.read_bytes()))["episodes"][:40]
    rng = np.random.default_rng(0)
    walks = {}
    for episode in listed:
        corners = np.array([episode["start_position"], *episode["reference_path"][1:]])
        walks[str(episode["episode_id"])] = [corners[0], *corners[1:] + rng.normal(0, 1, corners[1:].shape)]
    poses = {name: [{"position": list(p), "heading": 0.0, "stop": False} for p in walk] for name, walk in walks.items()}
    (tmp_path / "walks.json").write_text(json.dumps(poses))
    given = [
        f"dataset.data_path={file}",
        f"dataset.episodes=[{','.join(walks)}]",
        "task.reference=given",
        "task.measurements=[dtw,ndtw,path_coverage,waypoint_coverage]",
    ]
    scored = score_predictions(benchmark_config("r2r-ce", overrides=given), tmp_path / "walks.json")
    assert scored.results.references == {"given": len(listed)}
    for episode, result in zip(listed, scored.episodes, strict=True):
        reference = episode["reference_path"]
        dtw, cost = warped(walks[result.episode_id], reference)
        nearest = cost.min(0)
        assert result.metrics == pytest.approx(
            {
                "dtw": dtw,
                "ndtw": math.exp(-dtw / (3 * len(reference))),
                "path_coverage": np.exp(-nearest / 3).mean(),
                "waypoint_coverage": (nearest <= 3).mean(),
            },
            rel=1e-13,
        )
