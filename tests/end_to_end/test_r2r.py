"""The real Room-to-Room val_seen, as an organiser runs it; figures from conventions 4 and the official evaluation.

Where it is absent, a split of ours in its format, whose figures networkx gives (official.py).
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from nav_eval import evaluate
from nav_eval.cli.score import replay as replay_command
from nav_eval.dataset.registry import load_dataset
from nav_eval.errors import ConfigError, PredictionsError
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import score_predictions
from official import r2r_means
from playing import document, means, play, replayed, rescored
from recordings import SHARED_DATA

REAL = SHARED_DATA.is_dir()
EPISODES, FIRST_THREE = (1021, 1020) if REAL else (61, 60)


@pytest.fixture(scope="module")
def r2r(released):
    folder = released / "r2r"
    return [f"dataset.data_path={folder}/R2R_val_seen.json", f"simulator.connectivity_dir={folder}/connectivity"]


WON = {"navigation_error": 0.0} | dict.fromkeys(("success", "spl", "oracle_success", "ndtw", "sdtw", "cls"), 1.0)
LOST = dict.fromkeys(("path_length", "success", "spl", "oracle_success", "sdtw"), 0.0)
REFERENCE = {
    "shortest_path": WON | {"path_length": 10.186418},
    "stop": LOST | {"navigation_error": 10.186418, "ndtw": 0.209223, "cls": 0.178075},
}


def figures(given, released, agent, most=99):
    """What was published of the real split, or what networkx gives of ours, by the names of the published."""
    found = given if REAL else r2r_means(released, agent, most)
    return pytest.approx({name: found[name] for name in given}, **({"abs": 5e-7} if REAL else {"rel": 1e-12}))


@pytest.mark.parametrize("agent", REFERENCE)
def test_reference_values_online_offline_rescored_and_replayed(r2r, released, tmp_path, agent):
    config = benchmark_config("r2r", overrides=[*r2r, f"agent_service.agent={agent}"])
    results = run_benchmark(config, tmp_path / "run").results
    assert {name: means(results)[name] for name in REFERENCE[agent]} == figures(REFERENCE[agent], released, agent)
    assert results.n_episodes == EPISODES
    scored = means(score_predictions(config, tmp_path / "run" / "submission.json").results)
    assert scored == {name: means(results)[name] for name in scored}
    assert replayed(tmp_path / "run") == (EPISODES, [])
    assert rescored(tmp_path / "run") == (means(results), [])


OFFICIAL = {
    "stop": LOST | {"navigation_error": 10.185449, "ndtw": 0.209277, "cls": 0.178100},
    "shortest": WON | {"path_length": 10.185449},
}
THREE = "dataset.instructions_per_path=3"


def submission(path, items, agent, most):
    """What an agent that stays, or walks the given path, hands in for the first instructions of each path."""
    rows = [
        {
            "instr_id": f"{item['path_id']}_{k}",
            "trajectory": [[node, item["heading"], 0.0] for node in item["path"][: 1 if agent == "stop" else None]],
        }
        for item in items
        for k in range(min(most, len(item["instructions"])))
    ]
    path.write_text(json.dumps(rows))
    return len(rows)


@pytest.mark.parametrize(("agent", "most", "rows"), [("shortest", 3, 1020), ("stop", 4, 1021)])
def test_a_file_is_scored_like_the_official_script(r2r, released, tmp_path, agent, most, rows):
    items = document(released / "r2r", "R2R_val_seen.json")
    path = tmp_path / "submission.json"
    assert submission(path, items, agent, most) == (rows if REAL else rows - 960)
    scored = score_predictions(benchmark_config("r2r", overrides=[*r2r, THREE]), path).results
    assert scored.n_episodes == FIRST_THREE
    assert {name: means(scored)[name] for name in OFFICIAL[agent]} == figures(OFFICIAL[agent], released, agent, 3)


def test_the_official_selection_is_run_too_and_named_where_a_file_lacks_the_rest(r2r, released, tmp_path):
    results = evaluate("r2r", overrides=[*r2r, THREE, "agent_service.agent=stop"])
    assert results.n_episodes == FIRST_THREE
    assert {name: means(results)[name] for name in OFFICIAL["stop"]} == figures(OFFICIAL["stop"], released, "stop", 3)
    items = document(released / "r2r", "R2R_val_seen.json")
    submission(tmp_path / "submission.json", items, "stop", 3)
    with pytest.raises(PredictionsError, match=re.escape(THREE)):
        score_predictions(benchmark_config("r2r", overrides=r2r), tmp_path / "submission.json")


def test_only_files_that_number_instructions_can_be_cut(tmp_path):
    with pytest.raises(ConfigError, match="instructions_per_path"):
        load_dataset("pointnav", tmp_path / "x.json", instructions_per_path=3)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize(("seeds", "deviations"), [(1, 2.0), pytest.param(5, 1.8, marks=pytest.mark.soak)])
def test_the_random_agent_is_r2rs_random_agent(r2r, seeds, deviations):
    """Within so many standard errors, of which each is that of 1,021 walks."""
    within = {name: deviations * one / math.sqrt(seeds) for name, one in DEVIATIONS.items()}
    told, names = "agent_service.disclosure=full", ("success", "oracle_success", "path_length")
    measures = [f"task.measurements=[{','.join(names)}]", "simulator.sensors={viewpoint: {}, navigable: {}}"]
    runs = [
        evaluate("r2r", overrides=[*r2r, *measures, told, "agent_service.agent=random", f"seed={seed}"]).metrics
        for seed in range(seeds)
    ]
    mean = {name: sum(run[name]["mean"] for run in runs) / seeds for name in names}
    assert {name: mean[name] for name in PUBLISHED if abs(mean[name] - PUBLISHED[name]) > within[name]} == {}


PUBLISHED = {"success": 0.149, "oracle_success": 0.199, "path_length": 9.61}
DEVIATIONS = {"success": 0.0112, "oracle_success": 0.0125, "path_length": 0.15}


def test_what_follows_a_run_finds_its_data_from_any_folder(released, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(released)
    places = ["dataset.data_path=r2r/R2R_val_seen.json", "simulator.connectivity_dir=r2r/connectivity"]
    play(tmp_path / "run", [*places, "dataset.limit=2"])
    monkeypatch.chdir(tmp_path)
    assert replay_command(Path("run")) == 0
    assert "2 episodes replayed, every pose and metric equal" in capsys.readouterr().out
    monkeypatch.chdir(released / "r2r")
    assert replay_command(tmp_path / "run", "dataset.data_path=R2R_val_seen.json") == 0
