"""Runs as tests begin them, and what they leave."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nav_eval.core.aggregate import EvaluationResults
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.evaluation import Evaluated, run_benchmark
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import replay, rescore
from nav_eval_sdk import VLNAgent, start
from relays import Recorder


def play(folder: Path, overrides: Sequence[str], benchmark: str = "r2r", **given: Any) -> Evaluated:
    """A run of the benchmark in `folder`; `given` as run_benchmark takes it."""
    return run_benchmark(benchmark_config(benchmark, overrides=list(overrides)), folder, **given)


def remote(endpoint: str, protocol: str = "rest", encoding: str = "auto") -> list[str]:
    """The overrides for a service there."""
    told = {"type": "remote", "protocol": protocol, "endpoint": endpoint, "encoding": encoding}
    return [f"agent_service.{key}={value}" for key, value in told.items()]


def sent(
    agent: type[VLNAgent], benchmark: str, overrides: Sequence[str], folder: Path, protocol: str, encoding: str
) -> bytes:
    """Every byte that the run in `folder` sends to its agent's service."""
    with start(agent, protocol=protocol, port=0) as server:
        recorder = Recorder(server.port)
        play(folder, [*overrides, *remote(recorder.endpoint, protocol, encoding)], benchmark)
        recorder.close()
    return bytes(recorder.sent)


def document(folder: Path, name: str = "results.json") -> dict[str, Any]:
    """A file of the run."""
    found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def lines(folder: Path, name: str = "episodes.jsonl") -> list[dict[str, Any]]:
    """Of a file of the run; none where there is no file yet. A finished run has it."""
    path = folder / name
    begun = path.exists() or (folder / "results.json").exists()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if begun else []


def records(folder: Path, name: str = "episodes.jsonl") -> list[dict[str, Any]]:
    """The same without how long it took."""
    return [{key: value for key, value in line.items() if key != "timing"} for line in lines(folder, name)]


def walked(folder: Path) -> dict[str, Any]:
    """Episode -> where it began, and its steps."""
    return {line["episode_id"]: [line["start"], line["steps"]] for line in lines(folder, "trajectories.jsonl")}


def replayed(folder: Path) -> tuple[int, list[Any]]:
    """How many episodes a replay walked, and in what it differs."""
    with RunDirectory(folder) as directory, opened(directory.config().blind()) as plan:
        directory.open_for_reading()
        return replay(directory, plan)


def rescored(folder: Path) -> tuple[dict[str, Any], list[Any]]:
    """The means of scores that are computed anew, and in what they differ."""
    with RunDirectory(folder) as directory, opened(directory.config().blind()) as plan:
        directory.open_for_reading()
        results, differences, _ = rescore(directory, plan)
        return means(results), differences


def means(results: EvaluationResults) -> dict[str, Any]:
    return {name: summary["mean"] for name, summary in results.metrics.items()}
