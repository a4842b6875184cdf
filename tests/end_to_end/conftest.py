"""Eighteen episodes on a small graph, and what an agent leaves of them where nothing happens."""

from __future__ import annotations

from typing import Any

import pytest

from end_to_end.agents import DigestAgent
from end_to_end.records import records
from graphs import item, node, write_r2r
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Overrides, with an agent that takes its time and decides by all that it is told."""
    paths = [[node(x, 0), node(1, y), node(2, y)] for x in range(3) for y in range(3)]
    items = [item(number, path, ["Walk.", "Go on."]) for number, path in enumerate(paths)]
    agent = "agent_service.agent='end_to_end.agents:SlowAgent'"
    return [*write_r2r(tmp_path_factory.mktemp("world"), items=items), agent, "agent_service.secret=s3"]


@pytest.fixture(scope="session")
def undisturbed(world: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    run_benchmark(benchmark_config("r2r", overrides=world), folder, agent=DigestAgent)  # which decides as it does
    return records(folder)
