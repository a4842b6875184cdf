"""What is composed without Hydra is what Hydra composes, and what is not plain is left to it."""

from __future__ import annotations

import os

import pytest

from nav_eval.config.loader import Layers, builtin_benchmarks
from nav_eval.config.plain import is_plain, plainly_composed

SEVERAL = (
    "dataset.limit=1",
    "dataset.limit=12",
    "agent_service.agent=shortest_path",
    "evaluation.parallel.sessions=0",
    "simulator.sensors.depth.width=64",
    "benchmark.name.deeper=x",
    "no.such.key=e5",
    "task.convention=duet",
)
SPECIAL = (
    *(f"dataset.limit={value}" for value in ("007", "-1", "+1", "1_000", "1.5", "1e3", "12345678901234567", "'1'", "")),
    *(f"dataset.split={word}" for word in ("null", "true", "false", "nan", "inf", "True", "a b", "a,b", "a/b", "[a]")),
    *("dataset.split=${seed}", "dataset.split=x\n", "+dataset.split=x", "~dataset.split", "hydra.run=x", "seed=1"),
    *("profile=navid", "simulator=lab", "output.video=sample(3)", "simulator.sensors={}", "dataset@x.y=z", "x:y.z=1"),
)


@pytest.mark.parametrize("directory", [None, "/a b: #1", "${x}", ""])
@pytest.mark.parametrize("overrides", [(), SEVERAL])
@pytest.mark.parametrize("benchmark", [None, *builtin_benchmarks()])
def test_as_hydra_composes_it(
    benchmark: str | None, overrides: tuple[str, ...], directory: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if directory is None:
        monkeypatch.delenv("NAV_EVAL_DATA", raising=False)
    else:
        monkeypatch.setenv("NAV_EVAL_DATA", directory)
    layers = Layers(benchmark, None, None, (), overrides)
    plain = plainly_composed(layers._defaults(), layers._all_overrides(), os.environ)
    assert plain is not None
    assert repr(plain) == repr(layers._composed_by_hydra())  # the order of keys too


@pytest.mark.parametrize("override", SPECIAL)
def test_what_hydra_would_read_in_its_own_way_is_not_plain(override: str) -> None:
    assert not is_plain(f"++{override}")
    assert not is_plain(override)


def test_a_key_inside_a_list_is_left_to_hydra() -> None:
    assert plainly_composed(["benchmarks/multion"], ["++task.measurements.first=spl"], {}) is None
