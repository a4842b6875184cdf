"""Trainers' own libraries take the environments as docs/training.md says, where they are installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from documentation.pages import ROOT, blocks
from torch_python import run

MODULES = {
    "torch": "torch",
    "stable-baselines3": "stable_baselines3",
    "torchrl": "torchrl",
    "rllib": "ray.rllib.algorithms.ppo",
    "lerobot": "lerobot.envs.utils",
}

HUB = """
import sys, numpy as np
from lerobot.envs import utils as hub
module = hub._import_hub_module(sys.argv[1], "you/homes")
((tasks,),) = [hub._normalize_hub_result(hub._call_make_env(module, 2, False, None)).values()]
seen, _ = tasks[0].reset(seed=[1, 2])
print(tasks[0].step(np.ones(2, int))[0]["rgb"].shape)
"""
"""What lerobot's make_env does with a repository, without the download."""

COMPARED = """
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv
import nav_eval
from nav_eval.gym import sb3_vec_env
asked = {"overrides": %r, "flat": True, "dense_reward": True}
ours = sb3_vec_env(nav_eval.make_vec_env("vln-demo", 3, **asked))
theirs = DummyVecEnv([lambda: nav_eval.make_env("vln-demo", **asked)] * 3)
rng = np.random.default_rng(0)
for envs in (ours, theirs):
    envs.seed(5)
seen, expected, ended = ours.reset(), theirs.reset(), 0
for _ in range(60):
    for name in expected:
        np.testing.assert_array_equal(seen[name], expected[name])
    actions = rng.choice(4, 3, p=[0.05, 0.35, 0.3, 0.3])
    (seen, *numbers, infos), (expected, *others, told) = ours.step(actions), theirs.step(actions)
    np.testing.assert_allclose(numbers, others, rtol=1e-5)
    for mine, other in zip(infos, told):
        last, wanted = mine.pop("terminal_observation", {}), other.pop("terminal_observation", {})
        ended += bool(wanted)
        assert mine == other, (mine, other)
        assert last.keys() == wanted.keys()
        assert all((last[name] == wanted[name]).all() for name in wanted)
assert ours.reset_infos == theirs.reset_infos
print(ended)
"""
"""Beside the vector of stable-baselines3's own, of single environments."""
FEW = ["simulator.sensors={depth: {width: 8, height: 6}, gps: {}, compass: {}}", "evaluation.max_steps=12"]

TENSORS = """
import nav_eval, torch
envs = nav_eval.make_vec_env("vln-demo", 3, overrides=%r, flat=True)
seen, _ = envs.reset(seed=0)
print(all(torch.from_dlpack(value).data_ptr() == value.ctypes.data for value in seen.values()))
"""


@pytest.fixture
def trains(trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Skips where this Python cannot import a library; runs code in a fresh folder."""
    monkeypatch.chdir(tmp_path)
    # tests/ holds a folder "gym", which torchrl would take for OpenAI's.
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if not path.endswith("tests")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    def code(library: str, *words: str) -> str:
        importing = [trainer, "-c", f"import {MODULES[library]}"]
        if subprocess.run(importing, capture_output=True, check=False).returncode:
            pytest.skip(f"{library} is not installed beside torch: its recipe in docs/training.md was not tried")
        return run(trainer, *words)

    return code


@pytest.mark.soak
@pytest.mark.parametrize("library", ["stable-baselines3", "torchrl", "rllib", "lerobot"])
def test_the_recipe_on_the_page_runs(trains, tmp_path, library):
    (block,) = (block for block in blocks(ROOT / "docs" / "training.md") if block.needs == library)
    file = tmp_path / "env.py"
    file.write_text(block.text)
    printed = trains(library, *(("-c", HUB, str(file)) if library == "lerobot" else (str(file),)))
    assert {"torchrl": "[100, 48, 64, 1]", "lerobot": "(2, 224, 224, 3)"}.get(library, "") in printed


@pytest.mark.soak
def test_our_vector_is_stable_baselines_own_of_single_environments(trains):
    assert int(trains("stable-baselines3", "-c", COMPARED % (FEW,))) > 10


@pytest.mark.soak
def test_torch_reads_the_arrays_where_they_are(trains):
    assert trains("torch", "-c", TENSORS % (FEW,)) == "True\n"
