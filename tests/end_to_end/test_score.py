"""Submission files scored offline: what is refused, what is counted, and another evaluator's table (`--against`)."""

from __future__ import annotations

import gzip
import json
import math

import fastdtw
import numpy as np
import pytest
from dtaidistance import dtw_ndim

from graphs import SCAN, default_items, node, write_r2r
from nav_eval import evaluate
from nav_eval.cli.score import score as score_command
from nav_eval.errors import PredictionsError
from nav_eval.results.third_party import match, read_rows
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import score_predictions
from nav_eval_sdk.examples.forward import ForwardAgent as Forward
from playing import document
from rooms import episode, write_room


def walk(*cells):
    return [[node(*cell), 0.0, 0.0] for cell in cells]


GOOD = {f"7_{k}": walk((0, 0), (1, 0), (2, 0), (3, 0)) for k in range(3)} | {
    f"8_{k}": walk((0, 2), (0, 1)) for k in range(2)
}


def score(tmp_path, rows, **options):
    overrides = write_r2r(tmp_path, items=default_items())
    path = tmp_path / "submission.json"
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows))
    return score_predictions(benchmark_config("r2r", overrides=overrides), path, **options)


def listed(predictions):
    return [{"instr_id": name, "trajectory": path} for name, path in predictions.items()]


def test_a_submission_is_scored_on_the_graph(tmp_path):
    scored = score(tmp_path, listed(GOOD))
    by_id = {result.episode_id: result.metrics for result in scored.episodes}
    assert by_id["7_0"]["success"] == 1.0
    assert by_id["7_0"]["path_length"] == 6.0
    assert by_id["8_0"]["navigation_error"] == 4.0
    assert scored.results.metrics["success"]["mean"] == pytest.approx(3 / 5)


def test_a_trajectory_along_no_edge_is_told(tmp_path):
    """Two steps in one are two metres apart twice over: no edge of the grid. Standing still is no move."""
    jump = GOOD | {"7_1": walk((0, 0), (2, 0), (3, 0)), "7_2": walk((0, 0), (0, 0), (1, 0), (2, 0), (3, 0))}
    (note,) = score(tmp_path, listed(jump)).notes
    assert "joined by no edge: 7_1. They" in note
    assert score(tmp_path, listed(GOOD)).notes == []


def test_missing_ids_are_refused_or_counted_as_failures(tmp_path):
    partial = listed(dict(list(GOOD.items())[:3]))
    with pytest.raises(PredictionsError) as fault:
        score(tmp_path, partial)
    teams, scorers = str(fault.value).splitlines()
    assert teams.endswith("2 of 5 episodes are missing: 8_0, 8_1. Complete the file.")
    assert "--allow-partial" in scorers
    scored = score(tmp_path, partial, allow_partial=True)
    assert scored.results.n_failed == 2
    assert scored.results.metrics["success"]["mean"] == pytest.approx(3 / 5)
    assert scored.results.metrics["navigation_error"]["n"] == 5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (listed(GOOD | {"9_0": walk((0, 0))}), "9_0 belong to no episode"),
        (listed(GOOD) + listed({"7_0": walk((0, 0))}), "'7_0' appears twice"),
        (listed(GOOD | {"7_0": walk((1, 0))}), "7_0: the trajectory begins at"),
        (listed(GOOD | {"7_0": [*walk((0, 0)), ["nowhere", 0, 0]]}), "'nowhere' is not a viewpoint"),
        (listed(GOOD | {"7_0": []}), "7_0.*empty"),
        (listed(GOOD | {"7_0": [[5, 0, 0]]}), "7_0"),
        ([{"trajectory": []}], "entry 0 has no instr_id"),
        ([], "holds no predictions"),
        ("{broken", "read as JSON"),
        ("[1, 2]", "entry 0"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, rows, message):
    with pytest.raises(PredictionsError, match=message):
        score(tmp_path, rows)


def test_vln_ce_predictions_without_scenes_get_path_metrics_and_a_statement(released, tmp_path):
    data = released / "r2r-ce" / "val_seen.json.gz"
    truth = json.loads(gzip.decompress((released / "r2r-ce" / "val_seen_gt.json.gz").read_bytes()))
    ids = list(truth)[:6]
    rng = np.random.default_rng(0)
    walks = {name: np.array(truth[name]["locations"]) for name in ids}
    for steps in walks.values():
        steps[1:] += rng.normal(0, 0.1, steps[1:].shape)
    rows = {
        name: [{"position": p.tolist(), "heading": 0.0, "stop": i == len(w) - 1} for i, p in enumerate(w)]
        for name, w in walks.items()
    }
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(rows))
    names = ",".join(f"'{name}'" for name in ids)
    known = {"navigation_error_euclidean", "path_length", "ndtw", "cls", "waypoint_coverage"}
    wanted = ",".join([*known, "success", "sdtw", "collision_rate", "agent_latency"])
    where = [f"dataset.data_path={data}", f"simulator.scenes_dir={tmp_path}"]
    asked = [f"dataset.episodes=[{names}]", f"task.measurements=[{wanted}]"]
    scored = score_predictions(benchmark_config("r2r-ce", overrides=[*where, *asked]), path)
    assert "6 episodes" in scored.notes[0]
    assert set(scored.results.metrics) == known
    for result in scored.episodes:
        reference = np.array(truth[result.episode_id]["locations"])
        length = np.linalg.norm(np.diff(walks[result.episode_id], axis=0), axis=1).sum()
        assert result.metrics["path_length"] == pytest.approx(length)
        distance = dtw_ndim.distance(walks[result.episode_id], reference, inner_dist="euclidean")
        assert result.metrics["ndtw"] == pytest.approx(np.exp(-distance / (3.0 * len(reference))), rel=1e-6)


def test_a_continuous_path_must_begin_at_the_start(released, tmp_path):
    data = released / "r2r-ce" / "val_seen.json.gz"
    overrides = [f"dataset.data_path={data}", f"simulator.scenes_dir={tmp_path}", "dataset.limit=1"]
    first = json.loads(gzip.decompress(data.read_bytes()))["episodes"][0]["episode_id"]
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({str(first): [{"position": [50, 0, 0], "heading": 0, "stop": True}]}))
    with pytest.raises(PredictionsError, match="m away from the start"):
        score_predictions(benchmark_config("r2r-ce", overrides=overrides), path)


def test_ids_that_several_scenes_have_are_told_apart(tmp_path):
    """PointNav's and ObjectNav's files number each scene's episodes from 0."""
    overrides = write_room(tmp_path, scenes=2)
    episodes = [episode(0, f"room{scene}.glb") for scene in range(2)]
    (tmp_path / "rooms.json.gz").write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))
    run = evaluate("pointnav", agent=Forward, overrides=overrides, out=tmp_path / "run")
    file, config = tmp_path / "run" / "submission.json", benchmark_config("pointnav", overrides=overrides)
    paths = json.loads(file.read_text())
    assert len(paths) == len({name.rpartition(":")[0] for name in paths}) == 2
    scored = score_predictions(config, file).results.metrics
    for name in ("navigation_error", "success", "spl", "path_length"):
        assert scored[name]["mean"] == pytest.approx(run.metrics[name]["mean"]), name
    file.write_text(json.dumps({"0": next(iter(paths.values()))}))
    with pytest.raises(PredictionsError, match="scenes have an episode 0: name each episode SCENE:ID"):
        score_predictions(config, file)


# Of the walks of GOOD, worked out by hand: 7 goes 6 m to the goal, 8 takes two steps and is 4 m short.
BY_HAND = {name: {"success": 1.0, "spl": 1.0, "nav_error": 0.0, "trajectory_lengths": 6.0} for name in list(GOOD)[:3]}
BY_HAND |= {name: {"success": 0.0, "spl": 0.0, "nav_error": 4.0, "trajectory_lengths": 2.0} for name in list(GOOD)[3:]}


def as_object(table):
    return json.dumps(table)


def as_rows(table):
    """With the means at the end, as StreamVLN writes them, and one episode twice, as after a resumed run."""
    rows = [{"scene_id": SCAN, "episode_id": name, **row, "episode_instruction": "go"} for name, row in table.items()]
    return "\n".join(json.dumps(row) for row in [*rows, rows[0], {"sucs_all": 0.6, "length": 5}])


def as_columns(table):
    columns = {name: [row[name] for row in table.values()] for name in next(iter(table.values()))}
    return json.dumps({**columns, "instr_id": list(table)})


def as_csv(table):
    names = list(next(iter(table.values())))
    lines = [["instr_id", *names], *([name, *row.values()] for name, row in table.items())]
    return "\n".join(",".join(map(str, line)) for line in lines)


def compared(tmp_path, capsys, table, *overrides, code):
    """What the command finds and says of this table beside GOOD."""
    data = write_r2r(tmp_path, items=default_items())
    submission, out = tmp_path / "submission.json", tmp_path / "scored.json"
    submission.write_text(json.dumps(listed(GOOD)))
    assert score_command(submission, *data, *overrides, benchmark="r2r", against=table, out=out) == code
    return document(tmp_path, "scored.json")["against"], capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "write"),
    [("stats_ep.json", as_object), ("result.json", as_rows), ("valid.json", as_columns), ("table.csv", as_csv)],
)
def test_every_form_of_the_field_is_read_and_found_equal(name, write, tmp_path, capsys):
    table = tmp_path / name
    table.write_text(write(BY_HAND))
    found, said = compared(tmp_path, capsys, table, code=0)
    assert {one: row["n_different"] for one, row in found["measures"].items()} == dict.fromkeys(
        ("success", "spl", "navigation_error", "path_length"), 0
    )
    assert f"against {name}: 5 episodes in both" in said
    assert "navigation_error (nav_error): equal in 5 episodes" in said


def test_what_differs_is_told_with_the_episode_and_the_radius_that_explains_it(tmp_path, capsys):
    table = tmp_path / "stats.json"
    generous = {name: {"success": 1.0, "nav_error": row["nav_error"]} for name, row in BY_HAND.items()}
    generous["7_0"] = {"success": 1.0, "nav_error": 9.0}
    del generous["7_1"]
    generous["9_9"] = {"success": 1.0, "nav_error": 1.0}
    table.write_text(json.dumps(generous))
    found, said = compared(tmp_path, capsys, table, code=1)
    assert found["only_here"] == [f"{SCAN}:7_1"]
    assert found["only_there"] == ["9_9"]
    assert found["measures"]["success"]["n_different"] == 2
    worst = found["measures"]["navigation_error"]
    assert (worst["n_different"], worst["largest"], worst["episode"]) == (1, 9.0, f"{SCAN}:7_0")
    assert "no convention that we know explains it" in said


def test_the_radius_of_success_is_found(tmp_path, capsys):
    table = tmp_path / "stats.json"
    within_one = {name: {"success": row["success"]} for name, row in BY_HAND.items()}
    table.write_text(json.dumps(within_one))
    found, _ = compared(tmp_path, capsys, table, "evaluation.success_distance=5", code=1)
    assert found["measures"]["success"]["n_different"] == 2
    assert found["measures"]["success"]["convention"] == "evaluation.success_distance=4"


def test_rounded_values_are_told_to_be_rounded(tmp_path, capsys):
    """8 stops two viewpoints short of four: DTW 0 + 0 + 2 + 4 m, nDTW exp(-6 / (4 x 3))."""
    table = tmp_path / "stats.json"
    table.write_text(json.dumps({name: {"nDTW": 1.0 if name.startswith("7") else 0.607} for name in GOOD}))
    found, _ = compared(tmp_path, capsys, table, code=1)
    assert found["measures"]["ndtw"]["n_different"] == 2
    assert found["measures"]["ndtw"]["rounded"] == 3


def badly_matched(reference, rng):
    """A walk from the reference's start for which fastdtw, an approximation, misses the best match."""
    while True:
        walk = reference[0] + np.cumsum(rng.normal(0, 3.0, (60, 3)) * [1, 0, 1], axis=0)
        walk[0] = reference[0]
        if fastdtw.fastdtw(walk, reference, dist=math.dist)[0] > fastdtw.dtw(walk, reference, dist=math.dist)[0] + 1e-3:
            return walk


def test_another_dynamic_time_warping_is_recognised(released, tmp_path, capsys):
    """Against the package fastdtw on R2R-CE's own paths."""
    truth = json.loads(gzip.decompress((released / "r2r-ce" / "val_seen_gt.json.gz").read_bytes()))
    rng = np.random.default_rng(0)
    walks = {name: badly_matched(np.array(truth[name]["locations"]), rng) for name in list(truth)[:2]}
    submission, table = tmp_path / "predictions.json", tmp_path / "stats_ep.json"
    poses = {
        name: [{"position": p.tolist(), "heading": 0.0, "stop": i == 59} for i, p in enumerate(walk)]
        for name, walk in walks.items()
    }
    submission.write_text(json.dumps(poses))
    references = {name: np.array(truth[name]["locations"]) for name in walks}
    theirs = {name: {"DTW": fastdtw.fastdtw(walk, references[name], dist=math.dist)[0]} for name, walk in walks.items()}
    table.write_text(json.dumps(theirs))
    data = json.loads(gzip.decompress((released / "r2r-ce" / "val_seen.json.gz").read_bytes()))
    data["episodes"] = [one for one in data["episodes"] if str(one["episode_id"]) in walks]  # it is read for each guess
    (tmp_path / "val_seen.json").write_text(json.dumps(data))
    (tmp_path / "val_seen_gt.json").write_text(json.dumps({name: truth[name] for name in walks}))
    places = [f"dataset.data_path={tmp_path}/val_seen.json", f"simulator.scenes_dir={tmp_path}"]
    options = [*places, "task.measurements=[dtw]"]
    assert score_command(submission, *options, benchmark="r2r-ce", against=table) == 1
    assert "with task.dtw=fastdtw all are equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is neither JSON nor JSON Lines"),
        ("[]", "holds no values of episodes"),
        ('{"mean": {"note": "text"}}', "holds no values of episodes"),
        ("[" * 100_000, "JSON"),
        ('{"instr_id": ["1", "2"], "spl": [0.5]}', "columns have not one length .instr_id 2, spl 1."),
        ('[{"episode_id": 1, "spl": 0.5}, {"episode_id": 1, "spl": 0.6}]', "episode 1 stands twice with other values"),
    ],
)
def test_a_table_that_is_none_is_refused(content, message, tmp_path):
    table = tmp_path / "table.json"
    table.write_text(content)
    with pytest.raises(PredictionsError, match=message):
        read_rows(table)


def test_a_csv_with_a_field_without_end_is_refused(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text('episode_id,spl\n1,"' + "x" * 200_000 + '"\n')
    with pytest.raises(PredictionsError, match=r"cannot be read \(field larger than field limit"):
        read_rows(table)


def test_an_id_of_several_scenes_needs_the_scene(tmp_path):
    table = tmp_path / "table.json"
    table.write_text(json.dumps([{"episode_id": 0, "spl": 0.5}]))
    episodes = [("mp3d/a/a.glb", "0"), ("mp3d/b/b.glb", "0")]
    with pytest.raises(PredictionsError, match="2 scenes have an episode 0: add a column scene_id"):
        match(read_rows(table), episodes)
    table.write_text(json.dumps([{"scene_id": "b", "episode_id": 0, "spl": 0.5}]))
    assert set(match(read_rows(table), episodes).rows) == {("mp3d/b/b.glb", "0")}
