"""Second attempts are counted over all segments of a run, and told; who cut an attempt short is told apart."""

from __future__ import annotations

import csv
import json
import signal
import threading
from collections import Counter
from dataclasses import replace
from typing import ClassVar

import pytest

from end_to_end.agents import DigestAgent
from end_to_end.records import lines
from forked import Running
from graphs import item, node, write_r2r
from nav_eval.config.secrecy import public_config
from nav_eval.core.attempts import Attempt, Attempts
from nav_eval.core.types import EpisodeResult
from nav_eval.errors import RunDirectoryError, ServiceUnavailable
from nav_eval.results import audit
from nav_eval.results.attempts import AttemptFile
from nav_eval.results.records import episode_record, episode_result
from nav_eval.results.run_directory import config_differences
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start
from nav_eval_sdk.protocol.messages import EpisodeEnd
from nav_eval_sdk.protocol.usage import Usage
from patience import PATIENCE

KEY = ("scene", "1_0")


class Watched(DigestAgent):
    """Counts how often each episode began to be seen; the last one is remembered."""

    seen: ClassVar[Counter[str]] = Counter()
    thinking = threading.Event()
    free = threading.Event()

    def reset(self, episode):
        super().reset(episode)
        self._id = episode["episode_id"]

    def act(self, observation):
        if self._steps == 0:
            Watched.seen[self._id] += 1
        if self._steps == 1:
            Watched.thinking.set()
            Watched.free.wait(PATIENCE)
        action = super().act(observation)
        return {**(action if isinstance(action, dict) else {"action": action}), "usage": {"requests": 1}}


@pytest.fixture
def world(tmp_path):
    items = [item(number, [node(0, number), node(1, number), node(2, number)], ["Walk."]) for number in range(3)]
    secret = ["agent_service.secret=s3", "agent_service.type=remote"]
    return [*write_r2r(tmp_path, items=items), *secret]


@pytest.fixture
def watched():
    Watched.seen.clear()
    Watched.thinking.clear()
    Watched.free.clear()
    yield Watched
    Watched.free.set()


def overrides(world, server, protocol, workers):
    parallel = [f"evaluation.parallel.workers={workers}", "agent_service.deadlines.ready=2"]
    return [*world, *parallel, f"agent_service.protocol={protocol}", f"agent_service.endpoint={server.endpoint}"]


def lose_and_load(server):
    """When an agent has seen enough, its session is gone, and the service says "loading" for as long as we wait."""
    assert Watched.thinking.wait(PATIENCE)
    server.service._status = "loading"
    for key in list(server.service._sessions):
        server.service.end(EpisodeEnd(session_id=key))
    Watched.free.set()


@pytest.mark.parametrize(("protocol", "workers"), [("rest", 1), ("grpc", 1), ("rest", 2)])
def test_a_service_that_goes_away_late_gets_no_fresh_restarts_with_every_resume(
    world, watched, tmp_path, protocol, workers
):
    run_segments = 0
    with start(Watched, protocol=protocol, port=0, max_sessions=1).wait_loaded() as server:
        config = benchmark_config("r2r", overrides=overrides(world, server, protocol, workers))
        while not lines(tmp_path / "run") and run_segments < 8:
            server.service._status = "ready"
            Watched.thinking.clear()
            Watched.free.clear()
            leaving = threading.Thread(target=lose_and_load, args=(server,))
            leaving.start()
            with pytest.raises(ServiceUnavailable, match="--resume"):
                run_benchmark(config, tmp_path / "run", resume=run_segments > 0)
            leaving.join()
            run_segments += 1
        (failed,) = lines(tmp_path / "run")
        assert run_segments == 3
        assert list(watched.seen.values()) == [3]  # agent_service.episode_restarts is 2
        assert failed["status"] == "service_unavailable"
        assert {name: failed["timing"][name] for name in ("tries", "restarts", "resumes")} == {
            "tries": 3,
            "restarts": 2,
            "resumes": 0,
        }
        spent = failed["usage"]["requests"]
        noted_lost = [
            line.get("usage", {}) for line in lines(tmp_path / "run", "tries.jsonl") if line["event"] == "lost"
        ]
        assert spent == failed["steps"] + sum(usage["requests"] for usage in noted_lost) >= 3
        server.service._status = "ready"
        evaluated = run_benchmark(config, tmp_path / "run", resume=True)
    assert evaluated.results.statuses == {"ok": 2, "service_unavailable": 1}
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert (results["n_restarted"], results["n_resumed"]) == (1, 0)
    answered = sum(line["steps"] for line in lines(tmp_path / "run") if line["status"] == "ok")
    assert results["usage"]["requests"] == answered + spent
    assert any("shown to the agent again" in note for note in results["notes"])
    table = list(csv.DictReader((tmp_path / "run" / "results.csv").open()))
    assert [(row["tries"], row["restarts"]) for row in table[:-1]] == [("3", "2"), ("1", "0"), ("1", "0")]
    assert len(json.loads((tmp_path / "run" / "manifest.json").read_text())["sittings"]) == 4
    assert audit.verify(tmp_path / "run") == []
    assert "tries.jsonl" not in audit.publish(tmp_path / "run", tmp_path / "public")
    assert audit.verify(tmp_path / "public") == []


@pytest.mark.parametrize(("workers", "number"), [(1, signal.SIGKILL), (2, signal.SIGTERM)])
def test_an_episode_that_the_evaluator_cut_short_is_marked_and_costs_no_restart(
    world, watched, tmp_path, workers, number
):
    with start(Watched, port=0, max_sessions=2).wait_loaded() as server:
        options = [*overrides(world, server, "rest", workers), "agent_service.episode_restarts=0"]
        process = Running("run", "r2r", *options, "--out", tmp_path / "run", "-q")
        assert watched.thinking.wait(PATIENCE)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        Watched.free.set()
        cut_short = [line["episode_id"] for line in lines(tmp_path / "run", "tries.jsonl")]
        evaluated = run_benchmark(benchmark_config("r2r", overrides=options), tmp_path / "run", resume=True)
    assert 1 <= len(cut_short) <= 2
    assert evaluated.results.statuses == {"ok": 3}
    assert evaluated.results.resumed == len(cut_short)
    marked = {line["episode_id"]: line["timing"] for line in lines(tmp_path / "run") if "tries" in line["timing"]}
    assert sorted(marked) == sorted(cut_short)
    assert all((timing["tries"], timing["resumes"], timing["restarts"]) == (2, 1, 0) for timing in marked.values())


def test_other_restarts_are_another_run(world, watched, tmp_path):
    Watched.free.set()
    with start(Watched, port=0).wait_loaded() as server:
        options = overrides(world, server, "rest", 1)
        run_benchmark(benchmark_config("r2r", overrides=options), tmp_path / "run")
        more = benchmark_config("r2r", overrides=[*options, "agent_service.episode_restarts=9"])
        with pytest.raises(RunDirectoryError, match=r"agent_service\.episode_restarts was 2, is 9"):
            run_benchmark(more, tmp_path / "run", resume=True)


def test_a_record_from_before_restarts_had_their_name_is_read_and_compared():
    record = episode_record(EpisodeResult(*KEY, "ok", None, {}, 1, {"tries": 2, "restarts": 1, "resumes": 0}))
    old = record | {"timing": {"tries": 2, "replays": 1, "resumes": 0}}
    assert episode_result(old) == episode_result(record)
    assert "replays" not in episode_result(old).timing
    now = public_config(benchmark_config("r2r", overrides=[]))
    service = {name: value for name, value in now["agent_service"].items() if name != "episode_restarts"}
    assert config_differences(now | {"agent_service": service | {"replays": 2}}, now) == []
    assert config_differences(now | {"agent_service": service | {"replays": 3}}, now) == [
        "agent_service.episode_restarts was 3, is 2"
    ]


def noted(path, *events):
    file = AttemptFile(path, lambda: None)
    for event in events:
        file.attempts.note(Attempt(KEY, event))
    file.close()


def counted(attempts):
    timing = attempts.marked(EpisodeResult(*KEY, "ok", None, {}, 1, {})).timing
    return tuple(timing.get(name) for name in ("tries", "restarts", "resumes"))


@pytest.mark.parametrize(
    ("events", "counts", "lost"),
    [
        (["shown"], (None, None, None), 0),
        (["shown", "lost", "shown"], (2, 1, 0), 1),
        (["shown", "shown"], (2, 0, 1), 0),
        (["shown", "shown", "lost", "shown", "shown"], (4, 1, 2), 1),
        (["shown", "lost", "shown", "lost", "shown"], (3, 2, 0), 2),
    ],
)
def test_attempts_are_counted_over_segments(tmp_path, events, counts, lost):
    for event in events:
        noted(tmp_path / "tries.jsonl", event)
    attempts = AttemptFile(tmp_path / "tries.jsonl", lambda: None).attempts
    assert counted(attempts) == counts
    assert attempts.lost([KEY]) == ({KEY: lost} if lost else {})


def test_what_a_lost_attempt_had_cost_is_part_of_the_episode(tmp_path):
    events = [Attempt(KEY, "shown"), Attempt(KEY, "lost", Usage(requests=2, cost={"USD": 0.5})), Attempt(KEY, "lost")]
    written = AttemptFile(tmp_path / "tries.jsonl", lambda: None)
    for event in events:
        written.attempts.note(event)
    written.close()
    read = AttemptFile(tmp_path / "tries.jsonl", lambda: None).attempts
    last = EpisodeResult(*KEY, "ok", None, {}, 1, {}, usage=Usage(requests=3, cost={"CNY": 1.0}))
    assert read.marked(last).usage == Usage(requests=5, cost={"CNY": 1.0, "USD": 0.5})
    assert read.marked(replace(last, usage=None)).usage == Usage(requests=2, cost={"USD": 0.5})
    elsewhere = replace(last, episode_id="another")
    assert read.marked(elsewhere).usage == elsewhere.usage


def test_a_truncated_last_line_is_cut_off_and_a_damaged_one_named(tmp_path):
    path = tmp_path / "tries.jsonl"
    noted(path, "shown", "lost", "shown")
    path.write_bytes(path.read_bytes()[:-9])
    noted(path, "shown", "shown")
    assert counted(AttemptFile(path, lambda: None).attempts) == (3, 1, 1)
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(RunDirectoryError, match="line 1 is damaged"):
        AttemptFile(path, lambda: None)


def test_nothing_is_written_before_there_is_something_to_note(tmp_path):
    AttemptFile(tmp_path / "tries.jsonl", lambda: None).close()
    assert list(tmp_path.iterdir()) == []
    assert counted(Attempts([Attempt(KEY, "shown")] * 2)) == (2, 0, 1)
