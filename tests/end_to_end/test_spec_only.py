"""Services written from the specification's document alone, in whole runs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from forked import nav_eval
from nav_eval.api.connecting import connect
from nav_eval.errors import ServiceUnavailable
from nav_eval_sdk.protocol.grpc import SERVICE
from playing import lines, play, remote
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
    sensors = "simulator.sensors={rgb: {width: 24, height: 16}, depth: {width: 24, height: 16}, gps: {}, compass: {}}"
    overrides = [*write_room(tmp_path), *remote(service, wire), sensors, "dataset.limit=2"]
    assert play(tmp_path / "run", overrides, "pointnav").results.statuses == {"ok": 2}
    assert [line["steps"] for line in lines(tmp_path / "run")] == [5, 5]


@pytest.mark.parametrize("service", [("grpc", "ready", "")], indirect=True)
def test_a_service_without_the_package_is_told_the_expected_name(service, tmp_path):
    begun = time.monotonic()
    with pytest.raises(ServiceUnavailable, match=SERVICE):
        connect(service, "grpc").health_check()
    assert time.monotonic() - begun < 5
    words = [*write_room(tmp_path), *remote(service, "grpc"), "--out", "run"]
    done = nav_eval("run", "pointnav", *words, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert SERVICE in " ".join(done.stderr.split())
