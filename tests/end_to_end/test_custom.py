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
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import replay, rescore
from nav_eval_sdk import VLNAgent, start
from specification import SECTION_9


class Looker(VLNAgent):
    """Checks what it sees against the specification's sensors, walks a little and stops."""

    def reset(self, episode):
        self._text = episode["instruction"]["text"]
        self._steps = 0

    def act(self, observation):
        assert observation["rgb"].shape == (480, 640, 3)
        assert observation["depth"].shape == (480, 640, 1)
        assert observation["depth"].dtype == np.float32
        assert observation["instruction"]["text"] == self._text
        assert observation["gps"].shape == (2,)
        assert observation["compass"].shape == (1,)
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
    results = json.loads((evaluated.path / "results.json").read_text())
    assert results["benchmark"] == "VLN Challenge 2024"
    assert results["split"] == "val_seen"
    assert results["n_episodes"] == 2
    assert results["n_failed"] == 0
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
    config = benchmark_config("pointnav", overrides=[*pointnav, "agent_service.agent=shortest_path"])
    evaluated = run_benchmark(config, tmp_path / "run")
    assert evaluated.results.n_episodes > 10
    assert evaluated.results.metrics["success"]["mean"] == 1.0
    assert evaluated.results.metrics["spl"]["mean"] > 0.98
    with RunDirectory(tmp_path / "run") as directory, opened(config.blind()) as plan:
        directory.open_for_reading()
        assert replay(directory, plan) == (evaluated.results.n_episodes, [])
        assert rescore(directory, plan)[1] == []


@pytest.mark.parametrize("agent", ["random", "forward", "handcrafted", "stop"])
def test_the_simple_agents_finish_every_episode(pointnav, agent, tmp_path):
    config = benchmark_config(
        "pointnav", overrides=[*pointnav, f"agent_service.agent={agent}", "dataset.limit=6", "evaluation.max_steps=60"]
    )
    results = run_benchmark(config, tmp_path / "run").results
    assert results.statuses == {"ok": 6}
    assert results.metrics["success"]["mean"] < 0.5


def test_a_missing_scene_is_named_before_anything_runs(pointnav, tmp_path):
    from nav_eval.errors import DatasetError

    config = benchmark_config("pointnav", overrides=[*pointnav, f"simulator.scenes_dir={tmp_path}"])
    with pytest.raises(DatasetError, match=r"skokloster-castle\.glb"):
        run_benchmark(config, tmp_path / "run")


def test_actuation_noise_replays(pointnav, tmp_path):
    noisy = ["simulator.motion.noise=LoCoBot/ILQR", "agent_service.agent=handcrafted", "dataset.limit=3"]
    config = benchmark_config("pointnav", overrides=[*pointnav, *noisy])
    run_benchmark(config, tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    steps = [step["position"] for step in lines[0]["steps"] if step["action"] == "move_forward"]
    moved = [np.linalg.norm(np.subtract(a, b)) for a, b in pairwise(steps)]
    assert np.std(moved) > 1e-3
    with RunDirectory(tmp_path / "run") as directory, opened(config.blind()) as plan:
        directory.open_for_reading()
        assert replay(directory, plan) == (3, [])
