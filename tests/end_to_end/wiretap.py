"""Every byte that a run sends to its agent's service."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from api.test_disclosure import Recorder
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent, start


def sent(
    agent: type[VLNAgent], benchmark: str, overrides: Sequence[str], folder: Path, protocol: str, encoding: str
) -> bytes:
    """Of the run that it leaves in `folder`."""
    with start(agent, protocol=protocol, port=0) as server:
        recorder = Recorder(server.port)
        remote = [f"protocol={protocol}", f"endpoint={recorder.endpoint}", f"encoding={encoding}", "type=remote"]
        served = [f"agent_service.{setting}" for setting in remote]
        run_benchmark(benchmark_config(benchmark, overrides=[*overrides, *served]), folder)
        recorder.close()
    return bytes(recorder.sent)
