"""Whole runs in an external simulator: both transports leave the same records, and a simulator that dies costs one
episode."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.geometry import yaw_rotation
from playing import play, records

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
    common = [
        "dataset.type=r2r-ce",
        f"dataset.data_path={folder / 'episodes.json'}",
        "simulator.backend=external",
        f"simulator.command='{sys.executable} {HOST} --transport {transport}'",
        "simulator.sensors={rgb: {width: 16, height: 12}, depth: {width: 8, height: 8}, gps: {}, compass: {}}",
        "evaluation.success_distance=0.5",
        "agent_service.agent=shortest_path",
    ]
    evaluated = play(folder / name, [*common, *overrides], None)
    return evaluated, records(folder / name)


def test_both_transports_leave_the_same_records(tmp_path):
    evaluated, by_socket = run(tmp_path, "socket", "evaluation.parallel.sessions=3")
    _, by_grpc = run(tmp_path, "grpc", transport="grpc")
    assert by_socket == by_grpc
    assert evaluated.results.metrics["success"]["mean"] == 1.0
    for record, start in zip(by_socket, STARTS, strict=True):
        straight = math.dist(start, (0.0, 0.0, -2.5))
        assert straight - 0.5 <= record["metrics"]["path_length"] <= straight * 1.1


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_a_simulator_that_dies_costs_one_episode(tmp_path, transport):
    _, found = run(tmp_path, "run", "+simulator.options.host.die='1'", transport=transport)
    assert [record["status"] for record in found] == ["ok", "evaluator_error", "ok", "ok"]
    reason = found[1]["failure_reason"]
    assert "failed in start" in reason
    assert "exit code 7" in reason
    assert "\n" not in reason
