"""The guide's evaluate.sh goes on to the next team, whatever a team's service does."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml

from attacks.raw_grpc import END_HEADERS, END_STREAM, GrpcRequest, frames_service, head
from forked import own, program
from graphs import write_r2r
from nav_eval.config.secrecy import public_config
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent

PAGE = Path(__file__).parents[2] / "docs" / "organisers.md"
COMMAND = """#!/bin/sh
case "$*" in *agent=ours*) exit 4 ;; esac
exec {program} "$@"
"""


def ended(request: GrpcRequest) -> bytes:
    """An answer that has no message."""
    return head(request.stream, ("grpc-status", "0"), flags=END_HEADERS | END_STREAM)


def test_every_team_has_its_turn(tmp_path: Path) -> None:
    script = re.search(r'```sh title="evaluate.sh"\n(.*?)```', PAGE.read_text(), re.DOTALL)
    assert script is not None
    (tmp_path / "evaluate.sh").write_text(script[1])
    config = benchmark_config("r2r", overrides=[*write_r2r(tmp_path / "data"), "agent_service.type=remote"])
    (tmp_path / "competition.yaml").write_text(yaml.safe_dump(public_config(config)))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "nav-eval"
    command.write_text(COMMAND.format(program=program()))
    command.chmod(0o755)
    (tmp_path / "tokens").mkdir()
    with (
        frames_service(ended) as silent,
        start(RandomAgent, protocol="grpc", port=0) as good,
    ):
        teams = {"silent": silent.endpoint, "ours": good.endpoint, "good": good.endpoint}
        (tmp_path / "teams.txt").write_text("".join(f"{team} {at} grpc\n" for team, at in teams.items()))
        for team in teams:
            (tmp_path / "tokens" / team).write_text("secret\n")
        done = subprocess.run(
            ["sh", "evaluate.sh", "val", "agent_service.deadlines.ready=1"],
            cwd=tmp_path,
            env=own() | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
    said = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert [word for word in said if word in teams] == ["silent", "ours", "good"], done
    assert "could not be used" in done.stdout
    assert "good: done" in done.stdout
    assert done.returncode == 4
    assert "Traceback" not in (tmp_path / "runs/val/silent.log").read_text()
