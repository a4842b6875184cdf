"""What examples/train_vln/evaluate.py says of walks that were played, against figures worked out by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from torch_python import EXAMPLES


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXAMPLES)
    from train_vln import evaluate

    return evaluate


def rows(*successes: float, steps: int = 60, reached: float = 0.0) -> list[dict[str, Any]]:
    return [
        {
            "scene": f"home {number % 2}",
            "episode": str(number),
            "language": ("en", "zh")[number % 2],
            "steps": steps,
            "success": success,
            "spl": success / 2,
            "oracle_success": max(success, reached),
        }
        for number, success in enumerate(successes)
    ]


def cells(evaluate: ModuleType, found: dict[tuple[str, str], Any]) -> dict[tuple[str, str], list[str]]:
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in evaluate.table(found).splitlines()[2:]]
    return {(line[0], line[1]): line[2:] for line in lines}


def test_differences_are_paired_by_episode(evaluate: ModuleType) -> None:
    blurred = rows(1, 0, 0, 0)[:2][::-1]
    told = cells(
        evaluate,
        {("learned", "clean"): rows(1, 1, 1, 0), ("learned", "blur"): blurred, ("before", "clean"): rows(0, 0, 1, 1)},
    )
    assert told["learned", "clean"][0] == "4"
    assert told["learned", "clean"][1].startswith("0.750 [")
    assert told["learned", "clean"][2].startswith("0.375 [")
    assert told["learned", "zh"][1].startswith("0.500 [")
    assert told["learned", "blur"][4].startswith("-0.500 ["), "of the two texts of both"
    assert told["before", "clean"][5].startswith("0.250 [")
    assert told["before", "en"][5].startswith("0.500 [")


def test_failures_are_told_apart(evaluate: ModuleType) -> None:
    late, passed = rows(0, steps=250), rows(0, 0, steps=250, reached=1.0)
    assert evaluate.failures([*rows(1, 0, 0, 0), *late, *passed]) == "3, 1, 2"
