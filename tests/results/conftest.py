"""A run of ours that the tests of damaged and foreign runs copy."""

from pathlib import Path

import pytest

from graphs import write_r2r
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    config = benchmark_config("r2r", overrides=[*write_r2r(folder), "agent_service.agent=stop", "dataset.limit=2"])
    run_benchmark(config, folder / "run")
    return folder / "run"
