"""examples/first_vln_model: what it reads from LeRobot files, and that it learns from them and walks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nav_eval
from torch_python import EXAMPLES, run

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


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "walks"
    nav_eval.collect("vln-demo", folder, format="lerobot", overrides=WORLD)
    return folder


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLE)
    return pytest.importorskip("walks")


def test_files_tell_what_the_sensors_do(collected: Path, walks: Any) -> None:
    """What is read of a path is what the senses make of it when it is walked again."""
    walk = next(walks.read(collected))
    senses = walks.Senses()
    env = nav_eval.make_env("vln-demo", overrides=WORLD)
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
def test_it_learns_from_files_and_walks(
    trainer: str, collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "first.pt"
    printed = run(trainer, str(EXAMPLE / "first.py"), str(collected), "--epochs", "4", "--out", str(weights))
    losses = [float(found) for found in re.findall(r"loss ([\d.]+)", printed)]
    assert losses[-1] < losses[0]
    monkeypatch.setenv("FIRST_MODEL", str(weights))
    assert float(run(trainer, "-c", PLAYED, str(EXAMPLE), *WORLD, "dataset.limit=1")) > 0
