"""Controls: what each takes away, and what it leaves."""

from __future__ import annotations

import numpy as np
import pytest

from nav_eval.core.perturbing import PerturbedSensors
from nav_eval.dataset.episode import Episode
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.perturbations.registry import PERTURBATIONS


def told(perturbations: str) -> list[Episode]:
    with opened(benchmark_config("vln-demo", overrides=[f"perturbations={perturbations}"])) as plan:
        return list(plan.episodes)


@pytest.fixture(scope="module")
def clean() -> list[Episode]:
    return told("[]")


def test_another_paths_text_is_of_the_same_scene_and_language(clean: list[Episode]) -> None:
    for one, other in zip(clean, told("[{name: other_path}]"), strict=True):
        assert one.instruction is not None
        assert other.instruction is not None
        theirs = [it for it in clean if it.instruction and it.instruction.text == other.instruction.text]
        assert one.scene_id in {it.scene_id for it in theirs}
        assert one.reference_path not in [it.reference_path for it in theirs]
        assert other.instruction.language == one.instruction.language
        assert other.goals == one.goals


def test_without_text_nothing_is_told(clean: list[Episode]) -> None:
    silent = [one.instruction for one in told("[{name: no_text}]")]
    assert len(silent) == len(clean) > 10
    assert {(one.text, one.tokens) for one in silent if one} == {("", ())}


def test_without_pictures_cameras_show_nothing_and_the_rest_stays() -> None:
    kinds = {name: name for name in ("rgb", "depth", "objects", "gps")}
    shown = {"rgb": np.full((2, 3, 3), 9, np.uint8), "depth": np.ones((2, 3), np.float32), "objects": [{"id": 1}]}
    layer = PerturbedSensors({"no_pictures": PERTURBATIONS.get("no_pictures")(1)}, kinds, seed=0)
    seen = layer.apply({**shown, "gps": np.ones(2, np.float32)}, 0)
    assert seen["objects"] == []
    assert seen["gps"].tolist() == [1, 1]
    for name in ("rgb", "depth"):
        assert not seen[name].any()
        assert (seen[name].shape, seen[name].dtype) == (shown[name].shape, shown[name].dtype)  # type: ignore[attr-defined]
