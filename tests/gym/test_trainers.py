"""Trainers' own libraries take the environments as docs/training.md says, and the examples that learn do."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nav_eval
from documentation.pages import ROOT, blocks
from torch_python import EXAMPLES, run

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

IN_PROCESSES = """
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
import nav_eval
def make():
    return nav_eval.make_env("vln-demo", overrides=%r, flat=True, dense_reward=True)
def walk(envs):
    envs.seed(5)
    seen, rng = [envs.reset()["depth"]], np.random.default_rng(0)
    for _ in range(30):
        depth, reward = envs.step(rng.integers(1, 4, 2))[:2]
        seen += [depth["depth"], reward]
    envs.close()
    return seen
if __name__ == "__main__":
    here = walk(DummyVecEnv([make] * 2))
    for method in ("forkserver", "spawn", "fork"):
        for mine, other in zip(here, walk(SubprocVecEnv([make] * 2, start_method=method)), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-6)
    print(len(here))
"""

PARALLEL = """
import nav_eval
from torchrl.envs import GymWrapper, ParallelEnv
def make():
    return GymWrapper(nav_eval.make_env("vln-demo", overrides=%r, flat=True, dense_reward=True))
if __name__ == "__main__":
    envs = ParallelEnv(2, make)
    print(tuple(envs.rollout(20, break_when_any_done=False)["depth"].shape))
    envs.close()
"""

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
@pytest.mark.parametrize(
    ("library", "code", "told"),
    [("stable-baselines3", IN_PROCESSES, "61\n"), ("torchrl", PARALLEL, "(2, 20, 6, 8, 1)\n")],
)
def test_environments_run_in_processes_of_their_own(trains, tmp_path, library, code, told):
    file = tmp_path / "processes.py"
    file.write_text(code % (FEW,))
    assert trains(library, str(file)) == told


@pytest.mark.soak
def test_torch_reads_the_arrays_where_they_are(trains):
    assert trains("torch", "-c", TENSORS % (FEW,)) == "True\n"


# examples/ppo_pointnav: what it takes a step to be worth, and that it learns.
PPO = str(EXAMPLES / "ppo_pointnav" / "ppo.py")

WORTH = f"""
import sys, torch
sys.path.insert(0, {str(EXAMPLES / "ppo_pointnav")!r})
import ppo
ppo.TRACE = 1.0
held = ppo.Rollout()
held.reward.normal_(generator=torch.Generator().manual_seed(0))
held.value.uniform_(generator=torch.Generator().manual_seed(1))
held.ended[9, 0] = held.over[9, 0] = held.over[20, 1] = True
last = torch.full((ppo.ENVS,), 3.0)
worth = held.advantages(last) + held.value
far = 0.0
for place, begin, end, after in ((0, 2, 9, 0.0), (1, 5, 20, held.value[21, 1]), (2, 7, ppo.LENGTH - 1, 3.0)):
    earned = sum(held.reward[k, place] * ppo.DISCOUNT ** (k - begin) for k in range(begin, end + 1))
    far = max(far, abs(worth[begin, place] - earned - after * ppo.DISCOUNT ** (end + 1 - begin)).item())
print(far)
"""
"""Without a trace a step's worth is what is earned until the end, and what is expected after: of an episode that the
agent ended nothing, of one that was cut what its last state is worth."""


@pytest.mark.soak
def test_a_step_is_worth_what_it_earns_until_the_end(trainer):
    assert float(run(trainer, "-c", WORTH)) < 1e-4


@pytest.mark.soak
def test_success_rises(trainer, tmp_path):
    homes = "dataset.generate={seed: ppo, scenes: 2, rooms: 2, detail: 20000, per_scene: 30}"
    printed = run(trainer, PPO, "--steps", "49152", "--out", str(tmp_path / "policy.pt"), homes)
    curve = [float(line.split()[4]) for line in printed.splitlines() if re.match(r" *\d", line)]
    learned, random = (float(found) for found in re.findall(r"success ([\d.]+)", printed))
    assert curve[-1] > curve[0] + 0.2
    assert learned > random + 0.2
    assert (tmp_path / "policy.pt").is_file()


# examples/first_vln_model: what it reads from LeRobot files, and that it learns from them and walks.
EXAMPLE = EXAMPLES / "first_vln_model"
LENS = "{width: 64, height: 64, hfov: 90}"
WORLD = [
    f"simulator.sensors={{rgb: {LENS}, depth: {LENS}, gps: {{}}, compass: {{}}}}",
    "dataset.generate={rooms: 2, seed: pairs, per_scene: 3, scenes: 2}",
]
PLAYED = """
import sys
sys.path.insert(0, sys.argv[1])
import nav_eval
from agent import First
found = nav_eval.evaluate("vln-demo", agent=First, overrides=[*sys.argv[2:], "evaluation.max_steps=20"])
print(found.metrics["steps"]["mean"])
"""


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLE)
    return pytest.importorskip("walks")


def test_files_tell_what_the_sensors_do(tmp_path: Path, walks: Any) -> None:
    """What is read of a path is what the senses make of it when it is walked again."""
    one = [*WORLD, "dataset.limit=1"]
    nav_eval.collect("vln-demo", tmp_path / "walks", format="lerobot", overrides=one)
    walk, senses = next(walks.read(tmp_path / "walks")), walks.Senses()
    env = nav_eval.make_env("vln-demo", overrides=one)
    seen, _ = env.reset(options={"episode": next(iter(env.unwrapped.episodes))})
    for step, action in enumerate(walk["expert"].tolist()):
        pose = np.array([*seen["gps"], *seen["compass"]], np.float32)
        picture, around, motion = senses.see(seen["rgb"], seen["depth"], pose)
        np.testing.assert_allclose(walk["motion"][step], motion, atol=1e-3)
        assert np.abs(walk["picture"][step].astype(int) - picture).mean() < 4  # the film has lost a little
        assert np.abs(walk["around"][step].astype(int) - around).mean() < 4
        seen, *_ = env.step(action)
    env.close()
    assert walk["part"][0] == 0
    assert {len(text) for text in walk["texts"]} == {walk["part"].max() + 1}


@pytest.mark.soak
def test_it_learns_from_files_and_walks(trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, weights = tmp_path / "walks", tmp_path / "first.pt"
    nav_eval.collect("vln-demo", folder, format="lerobot", overrides=WORLD)
    printed = run(trainer, str(EXAMPLE / "first.py"), str(folder), "--epochs", "4", "--out", str(weights))
    losses = [float(found) for found in re.findall(r"loss ([\d.]+)", printed)]
    assert losses[-1] < losses[0]
    monkeypatch.setenv("FIRST_MODEL", str(weights))
    assert float(run(trainer, "-c", PLAYED, str(EXAMPLE), *WORLD, "dataset.limit=1")) > 0
