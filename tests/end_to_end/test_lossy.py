"""A tenth of all answers dropped, delayed or doubled on the way: every record as if nothing had happened."""

from __future__ import annotations

import pytest

from api.lossy import Fate, lossy_grpc, lossy_rest
from end_to_end.agents import DigestAgent
from end_to_end.records import records
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start

WIRES = [("rest", "json"), ("rest", "msgpack"), ("grpc", "unary"), ("grpc", "stream")]
PROXIES = {"rest": lossy_rest, "grpc": lossy_grpc}


def disturbed(world, folder, wire, seed):
    protocol, encoding = wire
    fate = Fate(0.1, seed)
    with (
        start(DigestAgent, protocol=protocol, port=0, max_sessions=4, idle_timeout=2.0) as server,
        PROXIES[protocol](server.endpoint, fate) as endpoint,
    ):
        remote = ["agent_service.type=remote", f"agent_service.protocol={protocol}", "agent_service.retries=5"]
        more = [f"agent_service.encoding={encoding}", "evaluation.parallel.sessions=4"]
        overrides = [*world, *remote, *more, f"agent_service.endpoint={endpoint}"]
        run_benchmark(benchmark_config("r2r", overrides=overrides), folder)
    return records(folder), fate.happened


@pytest.mark.parametrize("wire", WIRES, ids="-".join)
def test_a_lossy_wire_changes_no_record(world, undisturbed, tmp_path, wire):
    found, happened = disturbed(world, tmp_path / "run", wire, seed=1)
    assert found == undisturbed
    assert min(happened[fate] for fate in ("drop", "delay", "double")) >= 1


@pytest.mark.soak
@pytest.mark.parametrize("wire", WIRES, ids="-".join)
def test_lossy_wires_again_and_again(world, undisturbed, tmp_path, wire):
    for seed in range(15):
        assert disturbed(world, tmp_path / str(seed), wire, seed)[0] == undisturbed, seed
