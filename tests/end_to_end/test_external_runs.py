"""Whole runs in an external simulator: both transports leave the same records, and a simulator that dies costs one
episode."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.geometry import yaw_rotation
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config

HOST = Path(__file__).parents[1] / "simulator" / "backends" / "square_host.py"
STARTS = [(0.0, 0.0, 0.0), (2.0, 0.0, -1.0), (-3.0, 0.0, 2.0), (4.5, 0.0, 4.5)]


def episodes():
    return [
        Episode(
            episode_id=str(number),
            scene_id="square",
            start_position=start,
            start_rotation=yaw_rotation(number),
            instruction=Instruction(text="Go to the middle.", tokens=("go", "to", "the", "middle", ".")),
            goals=(Goal(position=(0.0, 0.0, -2.5), radius=0.5),),
            reference_path=(start, (0.0, 0.0, -2.5)),
        )
        for number, start in enumerate(STARTS)
    ]


def run(folder, name, *overrides, transport="socket"):
    dump_dataset("r2r-ce", episodes(), folder / "episodes.json")
    config = benchmark_config(
        None,
        overrides=[
            "dataset.type=r2r-ce",
            f"dataset.data_path={folder / 'episodes.json'}",
            "simulator.backend=external",
            f"simulator.command='{sys.executable} {HOST} --transport {transport}'",
            "simulator.sensors={rgb: {width: 16, height: 12}, depth: {width: 8, height: 8}, gps: {}, compass: {}}",
            "evaluation.success_distance=0.5",
            "agent_service.agent=shortest_path",
            *overrides,
        ],
    )
    evaluated = run_benchmark(config, folder / name)
    lines = [json.loads(line) for line in (folder / name / "episodes.jsonl").read_text().splitlines()]
    records = {line["episode_id"]: {k: v for k, v in line.items() if k != "timing"} for line in lines}
    return evaluated, dict(sorted(records.items()))


def test_both_transports_leave_the_same_records(tmp_path):
    evaluated, by_socket = run(tmp_path, "socket", "evaluation.parallel.sessions=3")
    _, by_grpc = run(tmp_path, "grpc", transport="grpc")
    assert by_socket == by_grpc
    assert evaluated.results.metrics["success"]["mean"] == 1.0
    lengths = [math.dist(start, (0.0, 0.0, -2.5)) for start in STARTS]
    for record, straight in zip(by_socket.values(), lengths, strict=True):
        assert straight - 0.5 <= record["metrics"]["path_length"] <= straight * 1.1


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_a_simulator_that_dies_costs_one_episode(tmp_path, transport):
    _, records = run(tmp_path, "run", "+simulator.options.host.die='1'", transport=transport)
    statuses = {name: record["status"] for name, record in records.items()}
    assert statuses == {"0": "ok", "1": "evaluator_error", "2": "ok", "3": "ok"}
    reason = records["1"]["failure_reason"]
    assert "failed in start" in reason
    assert "exit code 7" in reason
    assert "\n" not in reason
