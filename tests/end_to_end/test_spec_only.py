"""Services written from the specification's document alone, in whole runs."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from forked import nav_eval
from nav_eval.api.connecting import connect
from nav_eval.errors import ServiceUnavailable
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk.protocol.grpc import SERVICE
from rooms import write_room
from served import served

TESTS = Path(__file__).parents[1]


@pytest.fixture
def service(request):
    """Its endpoint."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with served([sys.executable, "-m", "spec_only.service", *request.param], TESTS, environment) as endpoint:
        yield endpoint


@pytest.mark.parametrize(
    ("wire", "service"),
    [("rest", ("rest", '{"status": "ready"}')), ("rest", ("rest", "OK")), ("grpc", ("grpc", "ready"))],
    indirect=["service"],
)
def test_a_service_of_the_three_calls_is_played(wire, service, tmp_path):
    remote = ["agent_service.type=remote", f"agent_service.protocol={wire}", f"agent_service.endpoint={service}"]
    sensors = "simulator.sensors={rgb: {width: 24, height: 16}, depth: {width: 24, height: 16}, gps: {}, compass: {}}"
    config = benchmark_config("pointnav", overrides=[*write_room(tmp_path), *remote, sensors, "dataset.limit=2"])
    assert run_benchmark(config, tmp_path / "run").results.statuses == {"ok": 2}
    records = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    assert [record["steps"] for record in records] == [5, 5]


@pytest.mark.parametrize("service", [("grpc", "ready", "")], indirect=True)
def test_a_service_without_the_package_is_told_the_expected_name(service, tmp_path):
    begun = time.monotonic()
    with pytest.raises(ServiceUnavailable, match=SERVICE):
        connect(service, "grpc").health_check()
    assert time.monotonic() - begun < 5
    remote = ["agent_service.type=remote", "agent_service.protocol=grpc", f"agent_service.endpoint={service}"]
    done = nav_eval("run", "pointnav", *write_room(tmp_path), *remote, "--out", "run", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert SERVICE in " ".join(done.stderr.split())
