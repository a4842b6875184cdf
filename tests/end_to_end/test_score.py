"""Submission files scored offline: what is refused, what is counted, what could not be scored."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from dtaidistance import dtw_ndim

from graphs import default_items, node, write_r2r
from nav_eval import evaluate
from nav_eval.errors import PredictionsError
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import score_predictions
from nav_eval_sdk.examples.forward import ForwardAgent as Forward


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
    choice = ["dataset.split=all", "dataset.episodes=['0']", "evaluation.max_steps=20"]
    config = benchmark_config("pointnav-demo", overrides=choice)
    run = evaluate("pointnav-demo", agent=Forward, overrides=choice, out=tmp_path / "run")
    file = tmp_path / "run" / "submission.json"
    paths = json.loads(file.read_text())
    assert len(paths) == len({name.rpartition(":")[0] for name in paths}) > 1
    scored = score_predictions(config, file).results.metrics
    for name in ("navigation_error", "success", "spl", "path_length"):
        assert scored[name]["mean"] == pytest.approx(run.metrics[name]["mean"]), name
    file.write_text(json.dumps({"0": next(iter(paths.values()))}))
    with pytest.raises(PredictionsError, match="scenes have an episode 0: name each episode SCENE:ID"):
        score_predictions(config, file)
