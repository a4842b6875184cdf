"""Replicas of one agent behind one run: real services, some in processes that are killed while they play."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from graphs import item, node, write_r2r
from nav_eval.core.orchestrator import Watcher
from nav_eval.core.types import EpisodeResult
from nav_eval.errors import ConfigError, ServiceUnavailable
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.lookup import check
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent, start
from patience import PATIENCE
from served import free_port

EPISODES = 24


class Slow(VLNAgent):
    """`at_once`: how many episodes of this class are in progress, and the most that ever were."""

    name = "slow"
    pause: ClassVar[float] = 0.02

    def reset(self, episode: dict[str, Any]) -> None:
        self._left = 4

    def act(self, observation: dict[str, Any]) -> str:
        time.sleep(self.pause)
        self._left -= 1
        return "turn_left" if self._left else "stop"


class Another(Slow):
    name = "another"


def counting() -> type[Slow]:
    """A class of its own for each replica, with the episodes that it began."""

    class Counted(Slow):
        begun: ClassVar[list[str]] = []

        def reset(self, episode: dict[str, Any]) -> None:
            self.begun.append(episode["episode_id"])
            super().reset(episode)

    return Counted


class KillsAfter(Watcher):
    """Calls `kill` when so many episodes are finished, in the middle of the next ones, which last .2 s."""

    def __init__(self, count: int, kill: Callable[[], None]) -> None:
        self._left, self._kill = count, kill

    def take(self, result: EpisodeResult) -> None:
        self._left -= 1
        if not self._left:
            threading.Timer(0.1, self._kill).start()


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    paths = [[node(x, y), node(x + 1, y)] for x in (0, 1) for y in (0, 1, 2)]
    items = [item(i, path, [f"Walk {k}." for k in range(EPISODES // 6)]) for i, path in enumerate(paths)]
    return write_r2r(tmp_path / "data", items=items)


def play(
    folder: Path, data: list[str], endpoints: list[str], *more: str, watchers: Sequence[Watcher] = ()
) -> list[dict[str, Any]]:
    listed = ",".join(f"'{one}'" for one in endpoints)
    remote = ["agent_service.type=remote", f"agent_service.endpoints=[{listed}]", "agent_service.secret=k"]
    overrides = [*data, *remote, "agent_service.deadlines.ready=60", *more]
    run_benchmark(benchmark_config("r2r", overrides=overrides), folder, watchers=watchers)
    return [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]


@contextmanager
def process(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """A replica in a process of its own: its endpoint, and what kills it."""
    serve = ["serve", "replica:Slow", "--port", "0", "--max-sessions", "2"]
    command = [sys.executable, "-m", "nav_eval_sdk", *serve]
    imports = "import time\nfrom typing import Any, ClassVar\nfrom nav_eval_sdk import VLNAgent\n"
    (folder / "replica.py").write_text(f"{imports}{inspect.getsource(Slow)}Slow.pause = 0.05\n")
    own = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert own.stderr is not None
        line = own.stderr.readline()
        assert line.startswith("Serving at "), line
        yield line.split()[-1].rstrip("."), lambda: os.kill(own.pid, signal.SIGKILL)
    finally:
        own.kill()
        own.communicate()


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_every_replica_plays_its_share_and_the_records_are_those_of_one(
    protocol: str, data: list[str], tmp_path: Path
) -> None:
    kinds = [counting() for _ in range(3)]
    with ExitStack() as stack:
        servers = [stack.enter_context(start(kind, protocol=protocol, port=0, max_sessions=2)) for kind in kinds]
        wire = f"agent_service.protocol={protocol}"
        many = play(tmp_path / "many", data, [one.endpoint for one in servers], wire, "evaluation.parallel.sessions=6")
        shares = [len(kind.begun) for kind in kinds]
        one = play(tmp_path / "one", data, [servers[0].endpoint], wire)
    assert sum(shares) == EPISODES == len(many)
    assert min(shares) >= EPISODES // 6
    for line in many + one:
        del line["timing"]
    assert sorted(map(json.dumps, many)) == sorted(map(json.dumps, one))
    assert len({name for kind in kinds for name in kind.begun[: shares[kinds.index(kind)]]}) == EPISODES


def test_a_killed_replica_is_left_out_and_its_episodes_are_played_elsewhere(data: list[str], tmp_path: Path) -> None:
    with process(tmp_path) as (first, kill), process(tmp_path) as (second, _):
        after = KillsAfter(3, kill)
        lines = play(tmp_path / "run", data, [first, second], "evaluation.parallel.sessions=4", watchers=[after])
    assert [line["status"] for line in lines] == ["ok"] * EPISODES
    again = [line for line in lines if line["timing"].get("restarts")]
    assert len(again) <= 2  # those that were in progress on the killed one; none where it was between two
    assert json.loads((tmp_path / "run" / "results.json").read_text())["n_restarted"] == len(again)


def test_one_that_is_away_at_first_joins_when_it_is_there(data: list[str], tmp_path: Path) -> None:
    port, kind = free_port(), counting()
    with start(Slow, port=0, max_sessions=2) as server, ExitStack() as stack:
        joins = threading.Timer(1.0, lambda: stack.enter_context(start(kind, port=port, max_sessions=2)))
        joins.start()
        lines = play(tmp_path / "run", data, [server.endpoint, f"127.0.0.1:{port}"], "evaluation.parallel.sessions=4")
        joins.join(PATIENCE)
    assert [line["status"] for line in lines] == ["ok"] * EPISODES
    assert kind.begun


def test_different_agents_are_no_replicas(data: list[str], tmp_path: Path) -> None:
    with start(Slow, port=0) as one, start(Another, port=0) as other, pytest.raises(ServiceUnavailable) as raised:
        play(tmp_path / "run", data, [one.endpoint, other.endpoint])
    assert "different agents: another, slow. Give those of one." in str(raised.value)


def test_where_no_replica_is_ready_the_reason_of_each_is_told(data: list[str], tmp_path: Path) -> None:
    gone, other = (f"127.0.0.1:{free_port()}" for _ in range(2))
    with pytest.raises(ServiceUnavailable, match="no replica is ready") as raised:
        play(tmp_path / "run", data, [gone, other], "agent_service.deadlines.ready=0.5")
    assert gone in str(raised.value)
    assert other in str(raised.value)


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (["agent_service.type=remote", "agent_service.endpoints=['a:1','a:1']"], "names one replica twice"),
        (["agent_service.type=remote", "agent_service.endpoints=['a:1','a:x']"], "agent_service.endpoint"),
        (
            ["agent_service.endpoints=['a:1','b:1']"],
            "agent_service.endpoints: is given, but agent_service.type is local",
        ),
    ],
)
def test_a_wrong_list_is_refused_before_the_run(overrides: list[str], told: str, data: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        check(benchmark_config("r2r", overrides=[*data, *overrides]))
    assert told in str(raised.value)
