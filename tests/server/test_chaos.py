"""The kill test: whatever dies, every submission ends, and every episode counts once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from patience import until
from server.chaos import ENDPOINTS, QUEUE, Storm
from server.conftest import Make
from server.postgres import postgres
from server.serving import joined, serving
from server.stand_in import EPISODES

STAND_IN = str(Path(__file__).with_name("stand_in.py"))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def test_a_small_storm(make: Make, stack: ExitStack) -> None:
    challenge = make(queue=QUEUE, endpoints=ENDPOINTS | {"wait_seconds": 2})
    kills = {"evaluator": 4, "web": 1, "worker": 1, "scheduler": 1}
    storm = Storm(challenge, teams=4, submissions=12, kills=kills)
    storm.begin(stack)
    with serving(challenge, evaluator=STAND_IN, jobs=3) as served:
        until(lambda: served.healthz() == 200, "healthz")
        storm.rage(served, 120)
    storm.judge(EPISODES)
    assert storm.done_kills["evaluator"] >= 2


@pytest.mark.soak
@pytest.mark.parametrize("real", [False, True], ids=["stand-in", "nav-eval"])
def test_a_storm(make: Make, stack: ExitStack, real: bool) -> None:
    challenge = make(queue=QUEUE | {"lease_seconds": 15}, endpoints=ENDPOINTS)
    kills = {"evaluator": 20, "web": 10, "worker": 5, "scheduler": 5}
    storm = Storm(challenge, teams=30, submissions=200, kills=kills, silent=2, cancelled=5)
    storm.begin(stack)
    with serving(challenge, evaluator="-" if real else STAND_IN, jobs=3) as served:
        storm.rage(served, 5400)
    storm.judge(5)
    assert storm.done_kills == kills


@pytest.mark.soak
@pytest.mark.parametrize("workers", [1, 3])
def test_a_storm_on_postgresql(make: Make, stack: ExitStack, workers: int) -> None:
    """Three workers: one of them is killed for good in the middle of a run."""
    database = stack.enter_context(postgres())
    challenge = make(queue=QUEUE | {"lease_seconds": 15}, endpoints=ENDPOINTS, database=database.url)
    kills = {"evaluator": 20, "web": 10, "worker": 5, "scheduler": 5, "database": 5}
    storm = Storm(challenge, teams=30, submissions=200, kills=kills, silent=2, cancelled=5, database=database)
    storm.begin(stack)
    with serving(challenge, evaluator=STAND_IN, jobs=2) as served:
        others = [stack.enter_context(joined(challenge, served, STAND_IN, n)) for n in range(1, workers)]
        storm.rage(served, 5400, lost=others[:1])
    storm.judge(EPISODES)
    assert storm.done_kills == kills
    assert workers == 1 or others[0].returncode == -9
