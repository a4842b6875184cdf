"""One agent over every wire, and services that misbehave, through whole runs."""

from __future__ import annotations

from collections import Counter

import pytest

from api.hostile import grpc_service, rest_service
from end_to_end.agents import DigestAgent
from end_to_end.records import records
from graphs import write_r2r
from nav_eval.errors import ServiceUnavailable
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start

WIRES = {
    "local": ("rest", "auto"),
    "rest-json": ("rest", "json"),
    "rest-msgpack": ("rest", "msgpack"),
    "grpc-unary": ("grpc", "unary"),
    "grpc-stream": ("grpc", "stream"),
}
HOSTILE = {"rest": rest_service, "grpc": grpc_service}


def run(tmp_path, name, overrides):
    config = benchmark_config("r2r", overrides=[*overrides, "agent_service.secret=s3"])
    run_benchmark(config, tmp_path / name)
    return records(tmp_path / name)


@pytest.mark.parametrize(("disclosure", "played"), [("competition", 12), ("full", 4)])
def test_the_same_agent_over_every_wire_leaves_the_same_records(released, tmp_path, disclosure, played):
    folder = released / "r2r"
    data = [
        f"dataset.data_path={folder}/R2R_val_seen.json",
        f"simulator.connectivity_dir={folder}/connectivity",
        f"dataset.limit={played}",
        f"agent_service.disclosure={disclosure}",
    ]
    runs = {}
    for name, (protocol, encoding) in WIRES.items():
        if name == "local":
            runs[name] = run(tmp_path, name, [*data, "agent_service.agent='end_to_end.agents:DigestAgent'"])
            continue
        with start(DigestAgent, protocol=protocol, port=0, max_sessions=3) as server:
            remote = [f"agent_service.protocol={protocol}", f"agent_service.endpoint={server.endpoint}"]
            more = [f"agent_service.encoding={encoding}", "evaluation.parallel.sessions=3"]
            runs[name] = run(tmp_path, name, [*data, "agent_service.type=remote", *remote, *more])
    assert len(runs["local"]) == played
    assert {line["status"] for line in runs["local"]} == {"ok"}
    assert len({line["metrics"]["path_length"] for line in runs["local"]}) > played // 2
    assert [name for name in WIRES if runs[name] != runs["local"]] == []


STATUS = {
    "hang": "agent_timeout",
    "late": "agent_timeout",
    "other_step": "agent_error",
    "other_session": "agent_error",
    "garbage": "agent_error",
    "huge": "agent_error",
    "nan": ("agent_error", "invalid_action"),
    "unknown_action": "invalid_action",
    "traceback": "agent_error",
}


@pytest.mark.parametrize("protocol", HOSTILE)
@pytest.mark.parametrize("mode", STATUS)
def test_a_run_survives_a_service_that_misbehaves(tmp_path, protocol, mode):
    overrides = write_r2r(tmp_path)
    timeout = 0.5 if mode in ("hang", "late") else 20
    with HOSTILE[protocol](mode, seconds=1.5) as hostile:
        config = benchmark_config(
            "r2r",
            overrides=[
                *overrides,
                "agent_service.type=remote",
                f"agent_service.protocol={protocol}",
                f"agent_service.endpoint={hostile.endpoint}",
                f"agent_service.timeout={timeout}",
                "dataset.limit=2",
            ],
        )
        evaluated = run_benchmark(config, tmp_path / "run")
        asked = Counter((session, step) for session, step, _ in hostile.asked)
    lines = records(tmp_path / "run")
    expected = STATUS[mode] if isinstance(STATUS[mode], tuple) else (STATUS[mode],)
    assert {line["status"] for line in lines} <= set(expected)
    assert len(lines) == 2
    assert all(line["failure_reason"] and line["steps"] == 0 for line in lines)
    assert all(line["metrics"]["success"] == 0.0 for line in lines)
    assert evaluated.document["n_failed"] == 2
    assert evaluated.document["metrics"]["success"]["mean"] == 0.0
    assert {step for _, step in asked} == {0}


@pytest.mark.parametrize("protocol", HOSTILE)
def test_a_service_that_dies_ends_the_run_which_another_one_resumes(tmp_path, protocol):
    overrides = [*write_r2r(tmp_path), "agent_service.type=remote", f"agent_service.protocol={protocol}"]
    overrides += ["agent_service.deadlines.ready=2", "agent_service.deadlines.connect=2"]
    with HOSTILE[protocol]("die") as hostile:
        config = benchmark_config("r2r", overrides=[*overrides, f"agent_service.endpoint={hostile.endpoint}"])
        with pytest.raises(ServiceUnavailable, match=r"(?s)Is the service running.*--resume"):
            run_benchmark(config, tmp_path / "run")
    assert records(tmp_path / "run") == []
    with start(DigestAgent, protocol=protocol, port=0) as server:
        config = benchmark_config("r2r", overrides=[*overrides, f"agent_service.endpoint={server.endpoint}"])
        evaluated = run_benchmark(config, tmp_path / "run", resume=True)
    assert evaluated.results.statuses == {"ok": 5}


@pytest.mark.parametrize("protocol", HOSTILE)
def test_a_refused_token_ends_the_run_before_it_begins(tmp_path, protocol):
    overrides = write_r2r(tmp_path)
    with start(DigestAgent, protocol=protocol, port=0, token="right") as server:
        remote = [f"agent_service.protocol={protocol}", f"agent_service.endpoint={server.endpoint}"]
        config = benchmark_config(
            "r2r", overrides=[*overrides, "agent_service.type=remote", *remote, "agent_service.token=wrong"]
        )
        with pytest.raises(ServiceUnavailable, match="token"):
            run_benchmark(config, tmp_path / "run")
