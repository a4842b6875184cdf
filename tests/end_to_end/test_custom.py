"""The custom simulator through whole runs: the specification's configuration, PointNav on Habitat's own navmeshes."""

from __future__ import annotations

import gzip
import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nav_eval.dataset.validate import validate_dataset
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.errors import DatasetError
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent, start
from playing import document, lines, play, replayed, rescored
from specification import SECTION_9


class Looker(VLNAgent):
    """Checks what it sees against the specification's sensors, walks a little and stops."""

    def reset(self, episode):
        self._text = episode["instruction"]["text"]
        self._steps = 0

    def act(self, observation):
        shapes = {name: observation[name].shape for name in ("rgb", "depth", "gps", "compass")}
        assert shapes == {"rgb": (480, 640, 3), "depth": (480, 640, 1), "gps": (2,), "compass": (1,)}
        assert observation["depth"].dtype == np.float32
        assert observation["instruction"]["text"] == self._text
        self._steps += 1
        return "stop" if self._steps == 4 else ("move_forward", "turn_left")[self._steps % 2]


VLN_CE = {"instruction_text": "Walk. 走。", "instruction_tokens": [1]}
SECTION_3_5 = {"text": "Walk. 走。", "tokens": ["walk", "走"]}


def vln_episodes(path, scene, instruction):
    """Episodes between random points of the scene's navmesh: the specification's (3.5), or R2R-CE's."""
    mesh = load_navmesh(scene.with_suffix(".navmesh"))
    episodes = []
    for number in range(2):
        begin, end = mesh.random_point(seed=number, island=0), mesh.random_point(seed=number + 50, island=0)
        episodes.append(
            {
                "episode_id": f"ep_{number:03}",
                "scene_id": scene.stem,
                "start_position": list(begin),
                "start_rotation": [0, 0, 0, 1],
                "goals": [{"position": list(end), "radius": 3.0}],
                "instruction": instruction,
                "reference_path": [list(begin), list(end)],
            }
        )
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))


@pytest.mark.parametrize("instruction", [VLN_CE, SECTION_3_5], ids=["vln-ce", "section-3.5"])
def test_the_specifications_file_runs_as_it_stands(released, tmp_path, monkeypatch, instruction):
    monkeypatch.chdir(tmp_path)
    scene = tmp_path / "data/scene_datasets/gz_cafe.glb"
    scene.parent.mkdir(parents=True)
    shutil.copy(released / "scenes" / "gz_cafe.glb", scene)
    shutil.copy(released / "habitat-parity" / "gz_cafe" / "scene.navmesh", scene.with_suffix(".navmesh"))
    data = tmp_path / "data/datasets/vln/R2R/val_seen.json.gz"
    vln_episodes(data, scene, instruction)
    assert validate_dataset(data).faults == []
    (tmp_path / "challenge.yaml").write_text(SECTION_9)
    with start(Looker, protocol="grpc", port=0) as server:  # 8085 may be taken where this runs
        here = [f"agent_service.endpoint={server.endpoint}"]
        evaluated = run_benchmark(benchmark_config(None, file="challenge.yaml", overrides=here))
    results = document(evaluated.path)
    told = {"benchmark": "VLN Challenge 2024", "split": "val_seen", "n_episodes": 2, "n_failed": 0}
    assert {key: results[key] for key in told} == told
    assert set(results["metrics"]) == {"success", "spl", "navigation_error", "dtw"}
    assert evaluated.path.parent == Path("logs/evaluations")


@pytest.fixture(scope="module")
def pointnav(released, tmp_path_factory):
    scenes = tmp_path_factory.mktemp("scenes") / "habitat-test-scenes"
    scenes.mkdir()
    for name in ("skokloster-castle", "van-gogh-room"):
        shutil.copy(released / "scenes" / f"{name}.navmesh", scenes)
    return [
        f"dataset.data_path={released}/pointnav/habitat-test-scenes_val.json.gz",
        f"simulator.scenes_dir={scenes.parent}",
        "~simulator.sensors.rgb",
        "~simulator.sensors.depth",
    ]


def test_the_oracle_reaches_every_pointnav_goal_and_replays(pointnav, tmp_path):
    results = play(tmp_path / "run", [*pointnav, "agent_service.agent=shortest_path"], "pointnav").results
    assert results.n_episodes > 10
    assert results.metrics["success"]["mean"] == 1.0
    assert results.metrics["spl"]["mean"] > 0.98
    assert replayed(tmp_path / "run") == (results.n_episodes, [])
    assert rescored(tmp_path / "run")[1] == []


@pytest.mark.parametrize("agent", ["random", "forward", "handcrafted", "stop"])
def test_the_simple_agents_finish_every_episode(pointnav, agent, tmp_path):
    some = [f"agent_service.agent={agent}", "dataset.limit=6", "evaluation.max_steps=60"]
    results = play(tmp_path / "run", [*pointnav, *some], "pointnav").results
    assert results.statuses == {"ok": 6}
    assert results.metrics["success"]["mean"] < 0.5


def test_a_missing_scene_is_named_before_anything_runs(pointnav, tmp_path):
    with pytest.raises(DatasetError, match=r"skokloster-castle\.glb"):
        play(tmp_path / "run", [*pointnav, f"simulator.scenes_dir={tmp_path}"], "pointnav")


def test_actuation_noise_replays(pointnav, tmp_path):
    noisy = ["simulator.motion.noise=LoCoBot/ILQR", "agent_service.agent=handcrafted", "dataset.limit=3"]
    play(tmp_path / "run", [*pointnav, *noisy], "pointnav")
    steps = [
        step["position"]
        for step in lines(tmp_path / "run", "trajectories.jsonl")[0]["steps"]
        if step["action"] == "move_forward"
    ]
    moved = [np.linalg.norm(np.subtract(a, b)) for a, b in pairwise(steps)]
    assert np.std(moved) > 1e-3
    assert replayed(tmp_path / "run") == (3, [])
