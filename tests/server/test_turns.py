"""A queue that nobody can hold: services that lose every episode, turns, and what teams are told of the queue."""

from __future__ import annotations

import heapq
import json
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.models import Charge, Submission, Team, Token
from nav_eval_server.queue import baselines
from nav_eval_server.queue.attempts import Claim
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.fairness import Waiting, next_up
from nav_eval_server.queue.health import health
from nav_eval_server.queue.outlook import Queue
from nav_eval_server.queue.standing import stand
from nav_eval_server.queue.states import State
from patience import until
from server.competition import evaluation, phase
from server.conftest import Make
from server.serving import serving
from server.test_dispatcher import NOON, Bench, line, state
from server.test_serve import QUICK, finished, team
from server.test_worker import TICKING, Double, play

QUEUE = {"lease_seconds": 60, "strikes": 3, "breaker": 3, "turn_minutes": 10}


@pytest.fixture
def bench(make: Make) -> Bench:
    return Bench(make(queue=QUEUE, endpoints={"retry_seconds": 60}))


def send(bench: Bench, claim: Claim, *ends: str) -> None:
    """Episodes that ended so, after those that are there."""
    there = bench.dispatcher.inbox(claim.submission).read("episodes.jsonl")
    first = there.count(b"\n")
    lines = b"".join(line(str(first + n), status=end) for n, end in enumerate(ends))
    bench.dispatcher.receive(bench.worker, claim.attempt, claim.fence, "episodes.jsonl", len(there), lines)


def over(bench: Bench, claim: Claim) -> bool:
    return bench.dispatcher.heartbeat(bench.worker, claim.attempt, claim.fence)


@pytest.mark.parametrize(
    ("ends", "breaks"),
    [
        (["agent_timeout"] * 3, True),
        (["ok", "agent_timeout", "service_unavailable", "agent_timeout"], True),
        (["agent_timeout"] * 2, False),
        (["agent_timeout", "agent_timeout", "ok"], False),
        (["agent_error"] * 9, False),
    ],
)
def test_episodes_that_are_lost_in_a_row_break_a_run(bench: Bench, ends: list[str], breaks: bool) -> None:
    _, claim = bench.begun()
    send(bench, claim, *ends)
    assert over(bench, claim) is breaks


def test_a_broken_run_is_paused_once_and_then_ended(bench: Bench) -> None:
    """What is played stays played; the place in the quota is spent, for the fault is the team's."""
    submission, challenge = bench.submit(), bench.dispatcher.challenge
    claim = bench.claim()
    send(bench, claim, "ok", *["agent_timeout"] * 3)
    assert over(bench, claim)
    assert bench.finish(claim, "yielded", 138) == State.WAITING_SERVICE
    assert bench.dispatcher.claim(bench.worker, "i") is None
    found = Submission.objects.get(pk=submission.pk)
    for language, said in (("en", "Paused since 12:00: your REST service lost"), ("zh", "暂停")):
        assert said in stand(challenge, found, language, bench.now).sentence  # type: ignore[arg-type]
    bench.later(61)
    again = bench.claim()
    assert (again.submission, over(bench, again)) == (submission.id, False)
    send(bench, again, *["agent_timeout"] * 3)
    assert bench.finish(again, "yielded", 138) == State.FAILED
    found = Submission.objects.get(pk=submission.pk)
    assert (found.why, found.fault, found.episodes.count()) == ("service_lost", Submission.Fault.PARTICIPANT, 7)
    assert "and again after a pause" in stand(challenge, found, "en", bench.now).sentence
    assert Charge.objects.filter(submission=submission).exists()


def test_what_an_organiser_has_begin_again_has_all_its_chances(bench: Bench) -> None:
    """The losses of before do not break it, and it is paused once more before it fails; before, an episode that is
    played makes up for a pause."""
    submission = bench.submit()
    for ends, then in ((["ok"], State.WAITING_SERVICE), (["ok"], State.WAITING_SERVICE), ([], State.FAILED)):
        claim = bench.claim()
        send(bench, claim, *ends, *["agent_timeout"] * 3)
        assert bench.finish(claim, "yielded", 138) == then
        bench.later(61)
    bench.dispatcher.rerun(submission, "ada")
    claim = bench.claim()
    send(bench, claim, "agent_timeout", "agent_timeout")
    assert not over(bench, claim)
    send(bench, claim, "agent_timeout")
    assert over(bench, claim)
    assert bench.finish(claim, "yielded", 138) == State.WAITING_SERVICE


def test_nothing_breaks_where_the_rules_say_so(make: Make) -> None:
    bench = Bench(make(queue=QUEUE | {"breaker": 0, "turn_minutes": 0}))
    bench.submit(0), bench.submit(1)
    claim = bench.claim()
    send(bench, claim, *["agent_timeout"] * 30)
    bench.later(86400)
    assert not over(bench, claim)


def test_a_turn_ends_where_another_team_waits_that_had_less(bench: Bench) -> None:
    first, claim = bench.begun()
    send(bench, claim, "ok")
    bench.later(601)
    assert not over(bench, claim)  # nobody waits
    bench.submit(0)
    assert not over(bench, claim)  # nor anybody else
    other = bench.submit(1)
    key = other.endpoint_key
    Submission.objects.filter(pk=other.pk).update(endpoint_key=first.endpoint_key)
    assert not over(bench, claim)  # nor one that needs what is taken
    Submission.objects.filter(pk=other.pk).update(endpoint_key=key)
    assert over(bench, claim)
    assert bench.finish(claim, "yielded", 138) == State.QUEUED
    second = bench.claim()
    assert second.submission == other.id
    send(bench, second, "ok")
    bench.later(300)
    assert not over(bench, second)
    bench.later(400)
    assert over(bench, second)
    bench.finish(second, "yielded", 138)
    assert bench.claim().submission == first.id
    assert state(first) == (State.RUNNING, "")


def test_a_turn_ends_early_where_the_service_loses_and_the_breaker_counts_on(bench: Bench) -> None:
    """Two lost in a row are enough where another team waits; the third, in the next turn, breaks the run."""
    first, claim = bench.begun()
    send(bench, claim, "agent_timeout", "agent_timeout")
    bench.later(20)
    assert not over(bench, claim)
    bench.submit(1)
    assert over(bench, claim)
    bench.finish(claim, "yielded", 138)
    assert state(first)[0] == State.QUEUED
    other = bench.claim()
    assert other.submission != claim.submission
    bench.later(30)
    send(bench, other, "ok", "agent_timeout")
    again = bench.claim()
    assert (again.submission, over(bench, again), over(bench, other)) == (claim.submission, False, False)
    send(bench, again, "agent_timeout")
    assert over(bench, again)
    bench.finish(again, "yielded", 138)
    assert state(first)[0] == State.WAITING_SERVICE


def test_agents_of_ours_are_entered_once_and_give_way_to_teams(make: Make) -> None:
    """A team of people that has the name of one keeps it."""
    phases = {"dev": phase(), "files": phase("predictions"), "later": phase() | {"opens": "2098-01-01T00:00"}}
    bench = Bench(make(queue=QUEUE, phases=phases, baselines=["random", "stop", "shortest_path"]))
    Team.objects.create(name="stop", state=Team.State.APPROVED)
    for _ in range(2):
        baselines.enter(bench.dispatcher.challenge, bench.now)
    rows = Submission.objects.values_list("team__name", "team__role", "phase")
    assert sorted(rows) == [("random", "baseline", "dev"), ("shortest_path", "oracle", "dev")]
    first, claim = bench.begun()
    assert claim.submission == first.id
    send(bench, claim, "ok")
    bench.later(3600)
    assert not over(bench, claim)
    bench.complete(claim)
    own = bench.claim()
    assert (own.protocol, own.url, over(bench, own)) == ("ours", "random", False)
    bench.submit(0)
    assert not over(bench, own)  # nothing is played yet
    send(bench, own, "ok")
    assert over(bench, own)
    bench.finish(own, "yielded", 138)
    assert bench.claim().submission not in (own.submission, first.id)
    assert bench.claim().protocol == "ours"


def test_an_agent_of_ours_is_entered_as_long_as_its_team_takes_part(make: Make) -> None:
    """Under whatever name; what failed by our own fault a day ago is entered again."""
    phases = {"dev": phase(), "later": phase() | {"opens": "2098-01-01T00:00"}}
    bench = Bench(make(phases=phases, baselines=["random", "stop"]))
    baselines.enter(bench.dispatcher.challenge, bench.now)
    assert health(bench.now).waiting == 0
    Team.objects.filter(name="random").update(name="Dice")
    Team.objects.filter(name="stop").update(disqualified="struck", state="blocked")
    Submission.objects.filter(url="random").update(state="failed", fault="ours", since=bench.now)
    for when, entries in ((bench.now + timedelta(hours=23), 2), (bench.now + timedelta(hours=25), 3)):
        baselines.enter(bench.dispatcher.challenge, when)
        assert Submission.objects.count() == entries
    baselines.enter(bench.dispatcher.challenge, datetime(2098, 2, 1, tzinfo=UTC))
    rows = Submission.objects.values_list("team__name", "url", "phase")
    assert sorted(rows) == [("Dice", "random", "dev")] * 2 + [("Dice", "random", "later"), ("stop", "stop", "dev")]


def test_fairness_counts_the_last_day_and_not_since_midnight(bench: Bench) -> None:
    _, claim = bench.begun()
    bench.later(3600)
    send(bench, claim, "ok")
    bench.complete(claim)
    bench.later(12.5 * 3600)  # past midnight
    bench.submit(0)
    later = bench.submit(1)
    assert bench.claim().submission == later.id


def test_a_team_is_told_its_place_and_when_its_turn_comes(bench: Bench) -> None:
    challenge = bench.dispatcher.challenge
    _, claim = bench.begun()
    bench.later(600)
    send(bench, claim, "ok")
    bench.complete(claim)  # so long a run takes
    own = Submission(team=Team.objects.create(name="random"), phase="dev", protocol="ours", state=State.DONE)
    own.accepted_at = own.since = own.retry_at = begun = bench.now - timedelta(days=2)
    own.save()
    told = {"worker": bench.worker, "started_at": begun, "heartbeat_at": begun, "ended_at": begun + timedelta(hours=9)}
    own.attempts.create(n=1, fence=1 << 40, live=False, **told)
    running, waits = bench.submit(1), bench.submit(0)
    bench.claim()
    third = bench.submit(0)
    bench.later(120)
    Token.objects.update(last_used_at=bench.now)
    queue = Queue(challenge, bench.now)
    found = {one.pk: queue.outlook(Submission.objects.get(pk=one.pk)) for one in (running, waits, third)}
    assert found[running.pk] is None
    with CaptureQueriesContext(connection) as asked:
        queue.outlook(Submission(pk=third.pk, state="queued", phase=third.phase))
    assert not asked.captured_queries, "a page of many asks the database once"
    places = [(one.place, one.expected_start) for one in (found[waits.pk], found[third.pk]) if one is not None]
    soon = bench.now + timedelta(seconds=480)
    assert [place for place, _ in places] == [1, 2]
    for (_, at), expected in zip(places, (soon, soon + timedelta(seconds=600)), strict=True):
        assert at is not None
        assert abs((at - expected).total_seconds()) < 1
    en, zh = (stand(challenge, Submission.objects.get(pk=third.pk), one, bench.now).sentence for one in ("en", "zh"))  # type: ignore[arg-type]
    assert en.endswith("Number 2 in the queue. It is to begin at about 12:30.")
    assert "当前排在第 2 位。预计约 12:30 开始。" in zh


def test_a_worker_gives_up_a_run_at_the_end_of_an_episode(tmp_path: Path) -> None:
    """By the signal that lets episodes end; everything that was played is sent."""

    class Impatient(Double):
        def heartbeat(self, attempt: int, fence: int, total: int | None) -> bool:  # type: ignore[override]
            return len(self.arrived.get("episodes.jsonl", b"")) > 200

    server = Impatient()
    script = tmp_path / "evaluator.py"
    script.write_text(TICKING)
    with start(RandomAgent, protocol="rest", port=0, token="t") as agent:
        made = play(server, tmp_path, agent.endpoint, command=[sys.executable, str(script)])
        worker = threading.Thread(target=made.play)
        worker.start()
        until(lambda: server.endings, "the end")
        worker.join()
    (ending,) = server.endings
    assert (ending["outcome"], ending["rc"]) == ("yielded", 138)
    played = (tmp_path / "abc" / "run" / "episodes.jsonl").read_bytes()
    assert server.arrived["episodes.jsonl"] == played
    assert all(json.loads(text) for text in played.splitlines())


class Hanging(RandomAgent):
    def act(self, observation: dict[str, Any]) -> Any:
        time.sleep(6)
        return super().act(observation)


def test_a_service_that_hangs_holds_nobody_up_in_truth(make: Make) -> None:
    """One worker; the honest team's run is done before that of the other is given up.

    An episode that hangs lasts longer than the worker takes between two questions, so that none is played unasked.
    """
    service = evaluation().get("agent_service", {}) | {"timeout": 5.0}
    challenge = make(endpoints=QUICK, queue={"breaker": 1}, evaluation={"agent_service": service})
    with (
        start(Hanging, protocol="rest", port=0, max_sessions=2) as slow,
        start(RandomAgent, protocol="rest", port=0) as good,
        serving(challenge, jobs=1),
    ):
        teams = team("hanging", slow.endpoint), team("honest", good.endpoint)
        hanging, honest = (Dispatcher(challenge).submit(one, "dev", endpoint=one.endpoints.get()) for one in teams)
        until(lambda: finished(honest), "the honest run")
        assert not finished(hanging)
        until(lambda: finished(hanging), "the end of the other")
    found = {one.team.name: one for one in Submission.objects.select_related("team")}
    assert found["honest"].state == State.DONE
    assert (found["hanging"].state, found["hanging"].why) == (State.FAILED, "service_lost")
    assert [*hanging.attempts.order_by("n").values_list("outcome", flat=True)][-2:] == ["yielded", "yielded"]
    assert set(hanging.episodes.values_list("status", flat=True)) == {"agent_timeout"}


Kind = Sequence[tuple[str, float]]


GOOD, LOST = ("ok", 20.0), ("agent_timeout", 116.0)
"""How an episode ends, and after how many seconds."""
HONEST, HANGS = (GOOD,), (LOST,)
DISHONEST = [(LOST, LOST, LOST, LOST, GOOD), (LOST, GOOD)]
"""The episodes of a service, again and again; those that are dishonest know when the breaker would end their run, and
when a turn."""
EPISODES = 10


def seconds_until_done(make: Make, workers: int, others: Sequence[Kind], honest: int) -> list[float]:
    """Of the honest teams' submissions: all come at once, those of the others first; the clock is the test's."""
    bench = Bench(make(queue=QUEUE | {"breaker": 5}), teams=len(others) + honest)
    kinds = {bench.submit(n).pk: kind for n, kind in enumerate([*others, *[HONEST] * honest])}

    def next_of(claim: Claim) -> tuple[str, float]:
        kind = kinds[claim.submission]
        return kind[Submission.objects.get(pk=claim.submission).episodes.count() % len(kind)]

    begin, done = bench.now, list[float]()
    running: list[tuple[datetime, int, Claim]] = []
    idle = set(range(workers))
    while len(done) < honest:
        for worker in sorted(idle):
            claim = bench.dispatcher.claim(bench.worker, str(worker))
            if claim is not None:
                idle.remove(worker)
                heapq.heappush(running, (bench.now + timedelta(seconds=next_of(claim)[1]), worker, claim))
        if not running:
            bench.later(5)
            continue
        bench.now, worker, claim = heapq.heappop(running)
        send(bench, claim, next_of(claim)[0])
        played = Submission.objects.get(pk=claim.submission).episodes.count()
        if played == EPISODES:
            bench.complete(claim)
            done += [(bench.now - begin).total_seconds()] if kinds[claim.submission] is HONEST else []
            idle.add(worker)
        elif over(bench, claim):
            bench.finish(claim, "yielded", 138)
            idle.add(worker)
        else:
            heapq.heappush(running, (bench.now + timedelta(seconds=next_of(claim)[1]), worker, claim))
    return sorted(done)


@pytest.mark.parametrize(
    ("workers", "teams", "others"),
    [
        (1, 10, [HANGS]),
        *(pytest.param(workers, 40, [*4 * [HANGS], *DISHONEST], marks=pytest.mark.soak) for workers in (1, 3)),
    ],
)
def test_hanging_services_delay_others_little(
    make: Make, tmp_path: Path, workers: int, teams: int, others: Sequence[Kind]
) -> None:
    """The 95th percentile of the honest is within 1.5 times of that without them."""
    found = []
    for present in ((), others):
        found.append(seconds_until_done(make, workers, present, teams - len(others)))
        shutil.rmtree(tmp_path / "homes")
    without, beside = (times[int(0.95 * len(times))] for times in found)
    assert without < beside <= 1.5 * without


# Who is next, by the pure function

WAITING = st.builds(
    Waiting,
    submission=st.text("abc", min_size=1),
    team=st.integers(0, 4),
    accepted_at=st.integers(0, 50).map(lambda minutes: NOON + timedelta(minutes=minutes)),
    endpoint=st.sampled_from([None, "a:1", "b:1", "c:1"]),
)


@given(
    st.lists(WAITING), st.dictionaries(st.integers(0, 4), st.floats(0, 1e5)), st.sets(st.sampled_from(["a:1", "b:1"]))
)
def test_nobody_who_may_begin_has_had_less_or_came_earlier_with_as_much(
    queue: list[Waiting], seconds: dict[int, float], taken: set[str]
) -> None:
    chosen = next_up(queue, seconds, taken)
    free = [one for one in queue if one.endpoint not in taken]
    assert (chosen is None) == (not free)
    if chosen is not None:
        assert chosen in free
        for one in free:
            had, mine = seconds.get(one.team, 0.0), seconds.get(chosen.team, 0.0)
            assert had > mine or (had == mine and one.accepted_at >= chosen.accepted_at)


@given(st.lists(WAITING), st.sets(st.integers(0, 4)), st.booleans())
def test_teams_whose_hour_it_is_go_first(queue: list[Waiting], booked: set[int], only: bool) -> None:
    chosen = next_up(queue, {}, set(), booked, booked_only=only)
    first = [one for one in queue if one.team in booked]
    assert (chosen in first) if first else (chosen == (None if only else next_up(queue, {}, set())))
