"""What is refused when a run is taken up again, and runs that lack files or rights; test_same_records.py kills them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from end_to_end.agents import SlowAgent
from end_to_end.processes import limited, started
from graphs import SCAN, grid_scan, item, node, write_r2r
from nav_eval.errors import ResourceExhausted, RunDirectoryError
from nav_eval_sdk import start
from playing import play, remote


@pytest.fixture
def finished(world, tmp_path):
    """A finished run of two episodes on files of its own."""
    overrides = write_r2r(tmp_path, items=[item(1, [node(0, 0), node(1, 0)], ["Go.", "Walk."])])
    overrides += ["agent_service.secret=s3", "agent_service.agent=random"]
    play(tmp_path / "run", overrides)
    return overrides


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("evaluation.max_steps=7", r"evaluation\.max_steps was \d+, is 7"),
        ("agent_service.agent=stop", r"agent_service\.agent was 'random', is 'stop'"),
        ("agent_service.disclosure=full", r"agent_service\.disclosure"),
        ("dataset.limit=1", r"dataset\.limit was None, is 1"),
        ("seed=9", r"seed was 0, is 9"),
        ("agent_service.secret=other", "secret"),
        ("agent_service.episode_restarts=9", r"agent_service\.episode_restarts was 2, is 9"),
    ],
)
def test_a_changed_configuration_is_refused_by_name(finished, tmp_path, change, named):
    with pytest.raises(RunDirectoryError, match=named):
        play(tmp_path / "run", [*finished, change], resume=True)


def test_what_changes_no_result_may_change(finished, tmp_path):
    more = ["evaluation.parallel.sessions=4", "agent_service.timeout=3", "output.video=none"]
    play(tmp_path / "run", [*finished, *more], resume=True)


def test_a_changed_data_set_and_a_changed_scene_are_refused_by_name(finished, tmp_path):
    data, scene = tmp_path / "R2R_val.json", tmp_path / "connectivity" / f"{SCAN}_connectivity.json"
    for path, content in ((data, data.read_text() + " "), (scene, json.dumps(grid_scan(4, 3, spacing=2.5)))):
        before = path.read_text()
        path.write_text(content)
        with pytest.raises(RunDirectoryError, match=path.name):
            play(tmp_path / "run", finished, resume=True)
        path.write_text(before)


def test_a_directory_in_use_is_locked(world, tmp_path):
    process = started(tmp_path / "run", world)
    while process.poll() is None and not (tmp_path / "run" / "manifest.json").exists():
        time.sleep(0.01)
    with pytest.raises(RunDirectoryError, match="another nav-eval run"):
        play(tmp_path / "run", world, resume=True)
    process.kill()
    process.wait()


def test_a_run_is_not_overwritten_without_resume(finished, tmp_path):
    with pytest.raises(RunDirectoryError, match="--resume"):
        play(tmp_path / "run", finished)


def test_a_read_only_directory_is_said_in_one_line(world, tmp_path):
    """Root may write anywhere but in /proc."""
    tmp_path.chmod(0o555)
    out = Path("/proc/run") if os.geteuid() == 0 else tmp_path / "run"
    done = limited("", out, world)
    tmp_path.chmod(0o755)
    assert done.returncode == 2
    assert f"{out}: cannot be used" in done.stderr
    assert "Choose another --out" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_an_exhausted_file_table_is_said_and_loses_nothing(world, tmp_path, protocol):
    with start(SlowAgent, protocol=protocol, port=0, max_sessions=32) as server:
        overrides = [*world, *remote(server.endpoint, protocol), "agent_service.deadlines.ready=2"]
        limit = "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))"
        done = limited(limit, tmp_path / "run", [*overrides, "evaluation.parallel.sessions=16"])
        assert done.returncode == ResourceExhausted.exit_code
        assert "ulimit -n" in done.stderr
        assert play(tmp_path / "run", overrides, resume=True).results.statuses == {"ok": 18}
