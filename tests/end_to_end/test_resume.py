"""Runs that are killed, interrupted or damaged, and what is refused when they are taken up again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from end_to_end.agents import DigestAgent, SlowAgent
from end_to_end.records import lines, records
from forked import Running, own, program
from graphs import SCAN, grid_scan, item, node, write_r2r
from nav_eval.core.orchestrator import Watcher
from nav_eval.errors import DatasetError, ResourceExhausted, RunDirectoryError
from nav_eval.results.journal import Journal
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start
from patience import PATIENCE, until

TESTS = str(Path(__file__).parents[1])


def started(folder, overrides, *options):
    words = ["run", "r2r", *overrides, "--out", folder, "--quiet", "--resume", *options]
    return Running(*words, environment={"PYTHONPATH": TESTS})


def kill_after_some(folder, overrides, seconds):
    """SIGKILL `seconds` after the first finished episode; True if the run was over by then."""
    process = started(folder, overrides)
    journal = folder / "episodes.jsonl"
    before = journal.stat().st_size if journal.exists() else 0
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > before):
        time.sleep(0.01)
    time.sleep(seconds)
    process.kill()
    return process.wait() == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_killed_again_and_again_is_as_if_undisturbed(world, undisturbed, tmp_path, workers):
    overrides = [*world, f"evaluation.parallel.workers={workers}", "evaluation.parallel.sessions=2"]
    for seed in range(3 if workers == 1 else 2):
        kill_after_some(tmp_path / "run", overrides, random.Random(seed).uniform(0.0, 0.2))
    run_benchmark(benchmark_config("r2r", overrides=world), tmp_path / "run", resume=True)
    assert records(tmp_path / "run") == undisturbed
    assert len(undisturbed) == 18


@pytest.mark.soak
def test_fifty_killed_runs(world, undisturbed, tmp_path):
    for run in range(50):
        rng = random.Random(run)
        folder = tmp_path / str(run)
        parallel = [f"evaluation.parallel.workers={rng.choice([1, 2])}", "evaluation.parallel.sessions=2"]
        kill_after_some(folder, [*world, *parallel], rng.uniform(0.0, 0.4))
        run_benchmark(benchmark_config("r2r", overrides=world), folder, resume=True)
        assert records(folder) == undisturbed, run


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_is_said_and_resumed(world, undisturbed, tmp_path, workers):
    process = started(tmp_path / "run", [*world, f"evaluation.parallel.workers={workers}"])
    until(lambda: lines(tmp_path / "run"), "a first episode")
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "--resume continues the run" in said
    assert "Traceback" not in said
    run_benchmark(benchmark_config("r2r", overrides=world), tmp_path / "run", resume=True)
    assert records(tmp_path / "run") == undisturbed


def test_a_truncated_last_line_is_run_again(world, undisturbed, tmp_path):
    config = benchmark_config("r2r", overrides=world)
    run_benchmark(config, tmp_path / "run", agent=DigestAgent)
    path = tmp_path / "run" / "episodes.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    run_benchmark(config, tmp_path / "run", resume=True, agent=DigestAgent)
    assert records(tmp_path / "run") == undisturbed


def test_a_reader_leaves_a_line_in_the_making_alone(world, tmp_path):
    run_benchmark(benchmark_config("r2r", overrides=[*world, "dataset.limit=2"]), tmp_path / "run", agent=DigestAgent)
    path = tmp_path / "run" / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    size = path.stat().st_size
    assert len(Journal(tmp_path / "run", writable=False).finished()) == 1
    assert path.stat().st_size == size


@pytest.fixture
def finished(world, tmp_path):
    """A finished run of two episodes on files of its own."""
    overrides = write_r2r(tmp_path, items=[item(1, [node(0, 0), node(1, 0)], ["Go.", "Walk."])])
    overrides += ["agent_service.secret=s3", "agent_service.agent=random"]
    run_benchmark(benchmark_config("r2r", overrides=overrides), tmp_path / "run")
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
    ],
)
def test_a_changed_configuration_is_refused_by_name(finished, tmp_path, change, named):
    with pytest.raises(RunDirectoryError, match=named):
        run_benchmark(benchmark_config("r2r", overrides=[*finished, change]), tmp_path / "run", resume=True)


def test_what_changes_no_result_may_change(finished, tmp_path):
    more = ["evaluation.parallel.sessions=4", "agent_service.timeout=3", "output.video=none"]
    run_benchmark(benchmark_config("r2r", overrides=[*finished, *more]), tmp_path / "run", resume=True)


def test_a_changed_data_set_and_a_changed_scene_are_refused_by_name(finished, tmp_path):
    data, scene = tmp_path / "R2R_val.json", tmp_path / "connectivity" / f"{SCAN}_connectivity.json"
    for path, content in ((data, data.read_text() + " "), (scene, json.dumps(grid_scan(4, 3, spacing=2.5)))):
        before = path.read_text()
        path.write_text(content)
        with pytest.raises(RunDirectoryError, match=path.name):
            run_benchmark(benchmark_config("r2r", overrides=finished), tmp_path / "run", resume=True)
        path.write_text(before)


def test_a_directory_in_use_is_locked(world, tmp_path):
    process = started(tmp_path / "run", world)
    while process.poll() is None and not (tmp_path / "run" / "manifest.json").exists():
        time.sleep(0.01)
    with pytest.raises(RunDirectoryError, match="another nav-eval run"):
        run_benchmark(benchmark_config("r2r", overrides=world), tmp_path / "run", resume=True)
    process.kill()
    process.wait()


def test_a_run_is_not_overwritten_without_resume(finished, tmp_path):
    with pytest.raises(RunDirectoryError, match="--resume"):
        run_benchmark(benchmark_config("r2r", overrides=finished), tmp_path / "run")


def test_a_removed_scene_leaves_the_other_episodes_finished(tmp_path):
    """It goes away after the run has begun; the rest is played, the message names it, and the run can go on."""
    from rooms import write_room

    overrides = [*write_room(tmp_path, scenes=2), "agent_service.agent=stop", "agent_service.secret=s3"]
    scene = tmp_path / "rooms" / "room1.glb"
    hidden = scene.with_suffix(".hidden")

    class Removes(Watcher):
        def begin(self, keys, store):
            scene.rename(hidden)

    config = benchmark_config("pointnav", overrides=[*overrides, "simulator.navmesh=false"])
    with pytest.raises(Exception, match=r"(?s)room1.*3 episodes could not be played.*--resume"):
        run_benchmark(config, tmp_path / "run", watchers=[Removes()])
    assert [line["episode_id"] for line in records(tmp_path / "run")] == ["0", "2", "4"]
    hidden.rename(scene)
    run_benchmark(config, tmp_path / "run", resume=True)
    assert [line["episode_id"] for line in records(tmp_path / "run")] == list("012345")


LIMITED = """
import resource, sys
sys.argv[1:] = {arguments}
{limit}
from nav_eval.cli import main
main()
"""


def limited(limit, *arguments):
    """`nav-eval` after the statement `limit`."""
    python = [program().parent / "scripts" / "python", "-"]
    text = LIMITED.format(limit=limit, arguments=arguments)
    environment = own() | {"PYTHONPATH": TESTS}
    done = subprocess.run(python, input=text, env=environment, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done


def test_a_read_only_directory_is_said_in_one_line(world, tmp_path):
    """Root may write anywhere but in /proc."""
    tmp_path.chmod(0o555)
    out = Path("/proc/run") if os.geteuid() == 0 else tmp_path / "run"
    done = limited("", "run", "r2r", *world, "--out", str(out), "--quiet")
    tmp_path.chmod(0o755)
    assert done.returncode == 2
    assert f"{out}: cannot be used" in done.stderr
    assert "Choose another --out" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_file_that_may_grow_no_more_ends_the_run_and_loses_nothing(world, undisturbed, tmp_path):
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))"
    done = limited(limit, "run", "r2r", *world, "--out", str(tmp_path / "run"), "--quiet")
    assert done.returncode == 4
    assert ".jsonl: " in done.stderr
    kept = len(Journal(tmp_path / "run").finished())
    assert 0 < kept < 18
    run_benchmark(benchmark_config("r2r", overrides=world), tmp_path / "run", resume=True)
    assert records(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_an_exhausted_file_table_is_said_and_loses_nothing(world, tmp_path, protocol):
    with start(SlowAgent, protocol=protocol, port=0, max_sessions=32) as server:
        remote = ["agent_service.type=remote", f"agent_service.protocol={protocol}"]
        overrides = [*world, *remote, f"agent_service.endpoint={server.endpoint}", "agent_service.deadlines.ready=2"]
        arguments = ["run", "r2r", *overrides, "evaluation.parallel.sessions=16", "--out", str(tmp_path / "run"), "-q"]
        done = limited("resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))", *arguments)
        assert done.returncode == ResourceExhausted.exit_code
        assert "ulimit -n" in done.stderr
        config = benchmark_config("r2r", overrides=overrides)
        assert run_benchmark(config, tmp_path / "run", resume=True).results.statuses == {"ok": 18}


def test_a_selection_without_episodes_is_refused_before_anything_is_written(world, tmp_path):
    with pytest.raises(DatasetError):
        run_benchmark(benchmark_config("r2r", overrides=[*world, "dataset.episodes=[nope]"]), tmp_path / "run")
    assert not (tmp_path / "run").exists()
