"""The kill test: everything that can be killed is, while submissions wait and run.

Whatever dies, every submission ends, and every episode counts once.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from subprocess import Popen

import pytest
from django.db import Error, connections

from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt, Charge, Endpoint, Episode, Event, Submission, Team
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State
from patience import until
from server.conftest import Make
from server.postgres import Postgres, postgres
from server.serving import Served, children_of, joined, serving
from server.stand_in import EPISODES

LEASE = 6.0
QUEUE = {"lease_seconds": LEASE, "strikes": 12}
ENDPOINTS = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1, "wait_seconds": 20}


@dataclass
class Storm:
    """`kills`: how often evaluator, web, worker, scheduler, database are killed; `silent`: teams without a service."""

    challenge: Challenge
    teams: int
    submissions: int
    kills: dict[str, int]
    silent: int = 1
    cancelled: int = 1
    seed: int = 0
    database: Postgres | None = None
    done_kills: Counter[str] = field(default_factory=Counter)

    def begin(self, stack: ExitStack) -> list[Submission]:
        """Teams with services of their own, and all submissions at once."""
        dispatcher, made = Dispatcher(self.challenge), []
        teams = [Team.objects.create(name=f"t{n}", state=Team.State.APPROVED) for n in range(self.teams)]
        for n, team in enumerate(teams):
            agent = stack.enter_context(start(RandomAgent, protocol="rest", port=0))
            url = "127.0.0.1:9" if n < self.silent else agent.endpoint
            Endpoint.objects.create(team=team, name="a", protocol="rest", url=url)
        for n in range(self.submissions):
            team = teams[n % self.teams]
            made.append(dispatcher.submit(team, "dev", endpoint=team.endpoints.get()))
        return made

    def rage(self, served: Served, seconds: float, lost: Sequence[Popen[bytes]] = ()) -> None:
        """Kill until every kill is done and every submission has ended; fails after `seconds`.

        `lost`: workers that are killed too, when half of the kills are done, and never come back.
        """
        draw = random.Random(self.seed)
        left = [name for name, count in self.kills.items() for _ in range(count)]
        draw.shuffle(left)
        end = time.monotonic() + seconds
        cancelled = 0
        while self.unfinished():
            assert time.monotonic() < end, Counter(Submission.objects.values_list("state", flat=True))
            time.sleep(draw.uniform(0.1, 0.5))
            if cancelled < self.cancelled:
                cancelled += self.cancel()
            if len(left) <= sum(self.kills.values()) / 2:
                for process in lost:
                    process.kill()
            if left and self.kill(left[0], served):
                self.done_kills[left.pop(0)] += 1
            elif left:
                left.append(left.pop(0))

    def unfinished(self) -> bool:
        try:
            return Submission.objects.exclude(state__in=FINAL).exists()
        except Error:  # the database was just killed
            return True
        finally:
            connections.close_all()

    def cancel(self) -> int:
        """Cancel one that runs."""
        with suppress(Refusal, Error):
            running = Submission.objects.filter(state=State.RUNNING).first()
            if running is not None:
                Dispatcher(self.challenge).cancel(running, "chaos")
                return 1
        return 0

    def kill(self, name: str, served: Served) -> bool:
        if name == "database" and self.database is not None:
            self.database.kill()
            self.database.begin()
            return True
        if name != "evaluator":
            return served.kill(name)
        for pid in children_of(served.pids().get("worker", 0)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def judge(self, episodes: int) -> None:
        """Every promise."""
        assert not (self.challenge.folder / "violations").exists()
        for submission in Submission.objects.all():
            rows = Episode.objects.filter(submission=submission)
            assert rows.count() == len(set(rows.values_list("scene", "episode")))
            spent = Charge.objects.filter(submission=submission, spent_at__isnull=False).count()
            assert spent == int(rows.exists()), (submission.state, submission.why)
            assert not Charge.objects.filter(submission=submission, spent_at=None).exists()
            if submission.state == State.DONE:
                assert rows.count() == episodes
                mean = sum(row.metrics["spl"] for row in rows) / episodes
                assert abs(submission.result.document["metrics"]["spl"]["mean"] - mean) < 1e-12
        states = Counter(Submission.objects.values_list("state", "why"))
        per_team = self.submissions // self.teams
        assert states.pop((State.CANCELLED, ""), 0) <= self.cancelled
        assert states.pop((State.FAILED, "service_silent"), 0) >= self.silent * per_team - self.cancelled
        assert set(states) == {(State.DONE, "")}, states
        assert not Event.objects.filter(action="contradiction").exists()
        assert events.broken() is None
        assert not Attempt.objects.filter(live=True).exists()
        for endpoint in set(Attempt.objects.values_list("endpoint_key", flat=True)):
            spans = list(Attempt.objects.filter(endpoint_key=endpoint).order_by("fence"))
            for one, after in pairwise(spans):
                assert one.ended_at is not None
                assert one.ended_at <= after.started_at


STAND_IN = str(Path(__file__).with_name("stand_in.py"))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def test_a_small_storm(make: Make, stack: ExitStack) -> None:
    """After the whole server was killed, and is begun again."""
    challenge = make(queue=QUEUE, endpoints=ENDPOINTS | {"wait_seconds": 2})
    kills = {"evaluator": 4, "web": 1, "worker": 1, "scheduler": 1}
    storm = Storm(challenge, teams=4, submissions=12, kills=kills)
    storm.begin(stack)
    with serving(challenge, evaluator=STAND_IN, jobs=3) as served:
        until(Episode.objects.exists, "an episode")
        pids = served.pids()
        served.process.kill()
        served.process.wait()
    until(lambda: not any(map(alive, pids.values())), "children of the dead")
    with serving(challenge, evaluator=STAND_IN, jobs=3) as served:
        until(lambda: served.healthz() == 200, "healthz")
        storm.rage(served, 120)
    storm.judge(EPISODES)
    assert storm.done_kills["evaluator"] >= 2


def alive(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return path.exists() and path.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("evaluator", "on_postgresql", "workers"),
    [(STAND_IN, False, 1), ("-", False, 1), (STAND_IN, True, 1), (STAND_IN, True, 3)],
    ids=["stand-in", "nav-eval", "postgresql", "three workers"],
)
def test_a_storm(make: Make, stack: ExitStack, evaluator: str, on_postgresql: bool, workers: int) -> None:
    """Of three workers one is killed for good in the middle of a run."""
    kills = {"evaluator": 20, "web": 10, "worker": 5, "scheduler": 5}
    database = stack.enter_context(postgres()) if on_postgresql else None
    more = {} if database is None else {"database": database.url}
    kills |= {} if database is None else {"database": 5}
    challenge = make(queue=QUEUE | {"lease_seconds": 15}, endpoints=ENDPOINTS, **more)
    storm = Storm(challenge, teams=30, submissions=200, kills=kills, silent=2, cancelled=5, database=database)
    storm.begin(stack)
    with serving(challenge, evaluator=evaluator, jobs=2 if on_postgresql else 3) as served:
        others = [stack.enter_context(joined(challenge, served, STAND_IN, n)) for n in range(1, workers)]
        storm.rage(served, 5400, lost=others[:1])
    storm.judge(EPISODES)
    assert storm.done_kills == kills
    assert workers == 1 or others[0].returncode == -9
