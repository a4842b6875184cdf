"""`nav-eval score --against`: another evaluator's table of the same submission, in the forms that the field writes."""

from __future__ import annotations

import gzip
import json
import math

import fastdtw
import numpy as np
import pytest

from graphs import SCAN, default_items, node, write_r2r
from nav_eval.cli.score import score as score_command
from nav_eval.errors import PredictionsError
from nav_eval.results.third_party import match, read_rows

# Of a 4 by 3 grid with 2 m between viewpoints, worked out by hand. 7: 6 m to the goal; 8: two steps, 4 m short.
WALKS = {f"7_{k}": [(0, 0), (1, 0), (2, 0), (3, 0)] for k in range(3)} | {f"8_{k}": [(0, 2), (0, 1)] for k in range(2)}
BY_HAND = {name: {"success": 1.0, "spl": 1.0, "nav_error": 0.0, "trajectory_lengths": 6.0} for name in list(WALKS)[:3]}
BY_HAND |= {name: {"success": 0.0, "spl": 0.0, "nav_error": 4.0, "trajectory_lengths": 2.0} for name in list(WALKS)[3:]}


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


def score(tmp_path, capsys, table, *overrides, code):
    data = write_r2r(tmp_path, items=default_items())
    submission = tmp_path / "submission.json"
    rows = [{"instr_id": name, "trajectory": [[node(*c), 0, 0] for c in walk]} for name, walk in WALKS.items()]
    submission.write_text(json.dumps(rows))
    out = tmp_path / "scored.json"
    assert score_command(submission, *data, *overrides, benchmark="r2r", against=table, out=out) == code
    said = capsys.readouterr().out
    return json.loads(out.read_text())["against"], said


@pytest.mark.parametrize(
    ("name", "write"),
    [("stats_ep.json", as_object), ("result.json", as_rows), ("valid.json", as_columns), ("table.csv", as_csv)],
)
def test_every_form_of_the_field_is_read_and_found_equal(name, write, tmp_path, capsys):
    table = tmp_path / name
    table.write_text(write(BY_HAND))
    found, said = score(tmp_path, capsys, table, code=0)
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
    found, said = score(tmp_path, capsys, table, code=1)
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
    found, _ = score(tmp_path, capsys, table, "evaluation.success_distance=5", code=1)
    assert found["measures"]["success"]["n_different"] == 2
    assert found["measures"]["success"]["convention"] == "evaluation.success_distance=4"


def test_rounded_values_are_told_to_be_rounded(tmp_path, capsys):
    """8 stops two viewpoints short of four: DTW 0 + 0 + 2 + 4 m, nDTW exp(-6 / (4 x 3))."""
    table = tmp_path / "stats.json"
    table.write_text(json.dumps({name: {"nDTW": 1.0 if name.startswith("7") else 0.607} for name in WALKS}))
    found, _ = score(tmp_path, capsys, table, code=1)
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
