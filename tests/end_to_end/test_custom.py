"""The custom simulator through whole runs: the specification's configuration, PointNav on Habitat's own navmeshes."""

from __future__ import annotations

import gzip
import json
import shutil
from itertools import pairwise

import numpy as np
import pytest
import yaml

from config.test_loader import SECTION_9
from nav_eval.benchmarks.evaluation import run_benchmark
from nav_eval.benchmarks.registry import benchmark_config
from nav_eval.benchmarks.scoring import replay, rescore
from nav_eval.results.run_directory import RunDirectory
from nav_eval.simulator.navmesh.mesh import load_navmesh
from nav_eval_sdk import VLNAgent, start


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


def vln_episodes(folder, scene):
    """R2R-CE episodes between random points of the scene's navmesh."""
    mesh = load_navmesh(scene.with_suffix(".navmesh"))
    episodes = []
    for number in range(2):
        begin, end = mesh.random_point(seed=number, island=0), mesh.random_point(seed=number + 50, island=0)
        episodes.append(
            {
                "episode_id": number,
                "trajectory_id": number,
                "scene_id": scene.name,
                "start_position": list(begin),
                "start_rotation": [0, 0, 0, 1],
                "info": {"geodesic_distance": 1.0},
                "goals": [{"position": list(end), "radius": 3.0}],
                "instruction": {"instruction_text": "Walk. 走。", "instruction_tokens": [1]},
                "reference_path": [list(begin), list(end)],
            }
        )
    path = folder / "val_seen.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"episodes": episodes, "instruction_vocab": {}}).encode()))
    return path


def test_the_specifications_file_runs_with_only_data_and_endpoint_changed(shared_data, tmp_path):
    shutil.copy(shared_data / "scenes" / "gz_cafe.glb", tmp_path / "gz_cafe.glb")
    shutil.copy(shared_data / "habitat-parity" / "gz_cafe" / "scene.navmesh", tmp_path / "gz_cafe.navmesh")
    data = vln_episodes(tmp_path, tmp_path / "gz_cafe.glb")
    with start(Looker, protocol="grpc", port=0) as server:
        content = yaml.safe_load(SECTION_9)
        content["dataset"]["data_path"] = str(data)
        content["simulator"]["scenes_dir"] = str(tmp_path)
        content["agent_service"]["endpoint"] = server.endpoint
        content["output"]["log_dir"] = str(tmp_path / "logs")
        file = tmp_path / "challenge.yaml"
        file.write_text(yaml.safe_dump(content))
        evaluated = run_benchmark(benchmark_config(None, file=file))
    results = json.loads((evaluated.path / "results.json").read_text())
    assert results["benchmark"] == "VLN Challenge 2024"
    assert results["n_episodes"] == 2
    assert results["n_failed"] == 0
    assert set(results["metrics"]) == {"success", "spl", "navigation_error", "dtw"}


@pytest.fixture(scope="module")
def pointnav(shared_data, tmp_path_factory):
    scenes = tmp_path_factory.mktemp("scenes") / "habitat-test-scenes"
    scenes.mkdir()
    for name in ("skokloster-castle", "van-gogh-room"):
        shutil.copy(shared_data / "scenes" / f"{name}.navmesh", scenes)
    return [
        f"dataset.data_path={shared_data}/pointnav/habitat-test-scenes_val.json.gz",
        f"simulator.scenes_dir={scenes.parent}",
        "~simulator.sensors.rgb",
        "~simulator.sensors.depth",
    ]


def test_the_oracle_reaches_every_pointnav_goal_and_replays(pointnav, tmp_path):
    config = benchmark_config("pointnav", overrides=[*pointnav, "agent_service.agent=shortest_path"])
    evaluated = run_benchmark(config, tmp_path / "run")
    assert evaluated.results.n_episodes == 100
    assert evaluated.results.metrics["success"]["mean"] == 1.0
    assert evaluated.results.metrics["spl"]["mean"] > 0.98
    with RunDirectory(tmp_path / "run") as directory:
        directory.open_for_reading()
        assert replay(directory, config) == (100, [])
        assert rescore(directory, config)[1] == []


@pytest.mark.parametrize("agent", ["random", "forward", "handcrafted", "stop"])
def test_the_simple_agents_finish_every_episode(pointnav, agent, tmp_path):
    config = benchmark_config(
        "pointnav", overrides=[*pointnav, f"agent_service.agent={agent}", "dataset.limit=6", "evaluation.max_steps=60"]
    )
    results = run_benchmark(config, tmp_path / "run").results
    assert results.statuses == {"ok": 6}
    assert results.metrics["success"]["mean"] < 0.5


def test_a_missing_scene_is_named_before_anything_runs(pointnav, tmp_path):
    from nav_eval.errors import SceneError

    config = benchmark_config("pointnav", overrides=[*pointnav, f"simulator.scenes_dir={tmp_path}"])
    with pytest.raises(SceneError, match=r"skokloster-castle\.glb"):
        run_benchmark(config, tmp_path / "run")


def test_actuation_noise_replays(pointnav, tmp_path):
    noisy = ["simulator.motion.noise=LoCoBot/ILQR", "agent_service.agent=handcrafted", "dataset.limit=3"]
    config = benchmark_config("pointnav", overrides=[*pointnav, *noisy])
    run_benchmark(config, tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    steps = [step["position"] for step in lines[0]["steps"] if step["action"] == "move_forward"]
    moved = [np.linalg.norm(np.subtract(a, b)) for a, b in pairwise(steps)]
    assert np.std(moved) > 1e-3
    with RunDirectory(tmp_path / "run") as directory:
        directory.open_for_reading()
        assert replay(directory, config) == (3, [])
