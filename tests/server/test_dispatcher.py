"""The queue's rows: fences, leases, ends, quota. The clock is the test's."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, connections

from nav_eval import make_simulator
from nav_eval.core.types import OURS
from nav_eval.errors import SimulatorUnavailable
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import (
    Attempt,
    Charge,
    Endpoint,
    Episode,
    Event,
    Membership,
    Notice,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.queue.attempts import Claim
from nav_eval_server.queue.client import Fenced
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.health import health
from nav_eval_server.queue.inbox import LOST
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FAILURES, FINAL, SENTENCES, State, sentence
from nav_eval_server.queue.verdict import MAX_UNABLE, Ending
from nav_eval_server.tokens import find, issue
from server.competition import phase
from server.conftest import Make

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
QUEUE = {"lease_seconds": 60, "strikes": 3}


class Bench:
    """A dispatcher, its clock, a worker and some teams with a service each."""

    def __init__(self, challenge: Challenge, teams: int = 2) -> None:
        self.now = NOON
        self.dispatcher = Dispatcher(challenge, lambda: self.now)
        found = find(issue(Token.Scope.WORKER, "w"), Token.Scope.WORKER)
        assert found is not None
        self.worker = found
        self.teams = [Team.objects.create(name=f"team{n}", state=Team.State.APPROVED) for n in range(teams)]
        for team in self.teams:
            Endpoint.objects.create(team=team, name="a", protocol="rest", url=f"http://127.0.0.1:{9000 + team.pk}")

    def submit(self, team: int = 0, **more: object) -> Submission:
        self.now += timedelta(microseconds=1)  # who comes first is known
        mine = self.teams[team]
        options = {"endpoint": mine.endpoints.get()} | more
        return self.dispatcher.submit(mine, "dev", **options)  # type: ignore[arg-type]

    def claim(self, instance: str = "i") -> Claim:
        claim = self.dispatcher.claim(self.worker, instance)
        assert claim is not None
        return claim

    def begun(self, *episodes: str, success: float = 1.0) -> tuple[Submission, Claim]:
        """A submission that is being played, and how far."""
        submission, claim = self.submit(), self.claim()
        if episodes:
            self.send(claim, *episodes, success=success)
        return submission, claim

    def send(self, claim: Claim, *episodes: str, success: float = 1.0) -> None:
        lines = b"".join(line(episode, success) for episode in episodes)
        at = len(self.dispatcher.inbox(claim.submission).read("episodes.jsonl"))
        self.dispatcher.receive(self.worker, claim.attempt, claim.fence, "episodes.jsonl", at, lines)

    def finish(self, claim: Claim, outcome: str = "played", rc: int | None = 0, **more: str) -> State:
        return self.dispatcher.finish(self.worker, claim.attempt, claim.fence, Ending(outcome, rc, **more))  # type: ignore[arg-type]

    def complete(self, claim: Claim) -> State:
        """All files of a run that has ended, and its end."""
        inbox = self.dispatcher.inbox(claim.submission)
        files = {"episodes.jsonl": inbox.read("episodes.jsonl"), "results.json": b'{"n_lost": 0}', "config.yaml": b"{}"}
        sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        manifest = json.dumps({"schema": 1, "files_sha256": sums}).encode()
        for name, data in (files | {"manifest.json": manifest}).items():
            self.dispatcher.receive(self.worker, claim.attempt, claim.fence, name, 0, data, len(data))
        return self.finish(claim, manifest=hashlib.sha256(manifest).hexdigest())

    def later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def line(episode: str, success: float = 1.0, status: str = "ok") -> bytes:
    record = {"scene_id": "s", "episode_id": episode, "status": status, "metrics": {"success": success, "spl": None}}
    return json.dumps(record).encode() + b"\n"


@pytest.fixture
def bench(make: Make) -> Bench:
    return Bench(make(queue=QUEUE))


def state(submission: Submission) -> tuple[str, str]:
    found = Submission.objects.get(pk=submission.pk)
    return found.state, found.why


def test_a_run_is_counted_and_done_and_struck_with_its_reason(bench: Bench) -> None:
    submission, claim = bench.begun("1", "2")
    bench.send(claim, "3")
    assert bench.complete(claim) == State.DONE
    assert sorted(Episode.objects.values_list("episode", flat=True)) == ["1", "2", "3"]
    assert Charge.objects.get().spent_at is not None
    assert not Attempt.objects.filter(live=True).exists()
    bench.dispatcher.void(submission, "it asked a person", "ada")
    found = Submission.objects.get()
    assert (found.state, found.result.document) == (State.VOID, {"n_lost": 0})
    assert "it asked a person" in sentence(found, "zh", zone=ZoneInfo("UTC"), now=bench.now)


def test_a_service_that_plays_counts_as_ready_whatever_it_answered_before(bench: Bench) -> None:
    Endpoint.objects.update(probe="refused", probed_at=NOON)
    _, claim = bench.begun()
    bench.later(5)
    bench.send(claim, "1")
    found = dict(Endpoint.objects.values_list("team__name", "probe"))
    assert found == {"team0": "ready", "team1": "refused"}
    assert Endpoint.objects.get(team=bench.teams[0]).probed_at == bench.now


def test_what_comes_twice_is_counted_once_and_another_value_is_told(bench: Bench) -> None:
    _, claim = bench.begun()
    args, size = (bench.worker, claim.attempt, claim.fence, "episodes.jsonl"), len(line("1", 0.0))
    assert bench.dispatcher.receive(*args, 0, line("1", 0.0)) == size
    assert bench.dispatcher.receive(*args, 0, line("1", 0.0)) == size  # its answer was lost
    assert bench.dispatcher.receive(*args, 999, line("2")) == size  # a gap: nothing is written
    assert not Event.objects.filter(action="contradiction").exists()
    bench.send(claim, "1", success=1.0)
    assert Episode.objects.get().metrics == {"success": 0.0, "spl": None}
    assert Event.objects.get(action="contradiction").details["episode"] == ["s", "1"]


def test_an_episode_that_our_fault_ended_is_not_counted(bench: Bench) -> None:
    assert set(LOST) == set(OURS)
    _, claim = bench.begun()
    lost = line("1", status="worker_crash")
    bench.dispatcher.receive(bench.worker, claim.attempt, claim.fence, "episodes.jsonl", 0, lost)
    assert not Episode.objects.exists()
    assert Charge.objects.get().spent_at is None


def test_a_silent_worker_is_fenced_out_and_another_goes_on(bench: Bench) -> None:
    submission = bench.submit()
    old = bench.claim()
    bench.send(old, "1")
    for _ in range(5):
        _beat(bench, old)
        bench.later(59)
        bench.dispatcher.sweep()
        assert state(submission) == (State.RUNNING, "")
    bench.later(2)
    bench.dispatcher.sweep()
    fresh = bench.claim("another")
    assert (fresh.submission, fresh.fence) == (old.submission, old.fence + 1)
    for late in (lambda: bench.send(old, "2"), lambda: bench.finish(old), lambda: _beat(bench, old)):
        with pytest.raises(Fenced):
            late()
    assert bench.dispatcher.inbox(old.submission).read("episodes.jsonl") == line("1")
    bench.send(fresh, "2")
    assert bench.complete(fresh) == State.DONE
    assert Episode.objects.count() == 2


def _beat(bench: Bench, claim: Claim) -> None:
    bench.dispatcher.heartbeat(bench.worker, claim.attempt, claim.fence)


def test_another_workers_token_is_not_enough_nor_the_number_of_an_attempt(bench: Bench) -> None:
    _, claim = bench.begun()
    stranger = find(issue(Token.Scope.WORKER, "x"), Token.Scope.WORKER)
    assert stranger is not None
    for who, fence in ((stranger, claim.fence), (bench.worker, claim.fence + 1)):
        with pytest.raises(Fenced):
            bench.dispatcher.heartbeat(who, claim.attempt, fence)


def test_a_worker_that_begins_anew_frees_what_it_had(bench: Bench) -> None:
    submission = bench.submit()
    bench.claim("mine")
    assert bench.dispatcher.hello(bench.worker, "other") == 0
    assert bench.dispatcher.hello(bench.worker, "mine") == 1
    assert state(submission)[0] == State.QUEUED
    assert bench.claim("mine").submission == submission.id


def test_one_run_per_service(bench: Bench) -> None:
    """Two teams with the same address, and a team with two submissions."""
    Endpoint.objects.filter(team=bench.teams[1]).update(url=bench.teams[0].endpoints.get().url + "/agent")
    bench.submit(0), bench.submit(0), bench.submit(1)
    first = bench.claim()
    assert bench.dispatcher.claim(bench.worker, "i") is None
    bench.send(first, "1")
    bench.complete(first)
    assert bench.claim().submission != first.submission
    with pytest.raises(IntegrityError):
        Attempt.objects.create(
            submission=bench.submit(1), n=1, fence=99, worker=bench.worker, instance="i",
            endpoint_key=Attempt.objects.get(live=True).endpoint_key, started_at=bench.now, heartbeat_at=bench.now,
        )  # fmt: skip


def test_a_cancelled_run_keeps_its_service_until_the_worker_lets_go(bench: Bench) -> None:
    running, waiting = bench.submit(), bench.submit()
    claim = bench.claim()
    bench.send(claim, "1")
    bench.dispatcher.cancel(running, "team0")
    assert state(running)[0] == State.CANCELLED
    with pytest.raises(Fenced):
        bench.send(claim, "2")
    assert bench.dispatcher.claim(bench.worker, "i") is None
    bench.finish(claim, "stopped", None)
    assert bench.claim().submission == waiting.id
    assert state(running)[0] == State.CANCELLED
    with pytest.raises(Refusal, match="ended already"):
        bench.dispatcher.cancel(running, "team0")


def test_a_service_that_is_not_there_yields_keeps_its_age_and_fails_in_the_end(bench: Bench) -> None:
    silent, other = bench.submit(0), bench.submit(1)
    first = bench.claim()
    assert first.submission == silent.id
    assert bench.finish(first, "not_ready", None) == State.WAITING_SERVICE
    second = bench.claim()
    assert second.submission == other.id
    bench.later(61)
    assert bench.claim().submission == silent.id  # as old as it was
    bench.finish(_live(bench, silent), "not_ready", None)
    told = sentence(Submission.objects.get(pk=silent.pk), "en", zone=ZoneInfo("UTC"), now=bench.now)
    assert "Your REST service has not answered since 12:00" in told
    assert "until 13:00" in told
    bench.later(3600)
    bench.dispatcher.sweep()
    assert state(silent)[0] == State.QUEUED  # the last try, whenever a worker is free
    bench.finish(bench.claim(), "not_ready", None)
    found = Submission.objects.get(pk=silent.pk)
    assert (found.state, found.why, found.fault) == (State.FAILED, "service_silent", Submission.Fault.PARTICIPANT)
    assert not Charge.objects.filter(submission=silent).exists()


def _live(bench: Bench, submission: Submission) -> Claim:
    attempt = Attempt.objects.get(submission=submission, live=True)
    return bench.dispatcher._claim(submission, attempt)


@pytest.mark.parametrize("kind", ["service", "predictions"])
def test_a_faulty_configuration_fails_at_once_as_our_fault(make: Make, kind: str) -> None:
    """Every other attempt would meet it again. Organisers are told what the evaluator said, the team is not."""
    mail = {"host": "127.0.0.1", "sender": "cup@example.org"}
    bench = Bench(make(phases={"dev": phase(kind)}, notify={"mail": mail}))
    User.objects.create(username="ada", email="ada@example.org", is_staff=True)
    helper = User.objects.create(username="bob", email="bob@example.org")
    Membership.objects.create(team=bench.teams[0], user=helper)
    submission = bench.submit(**({} if kind == "service" else {"endpoint": None, "predictions": b"[]"}))
    said = "nav-eval: task.measurements: there is no metric 'spll'."
    assert bench.finish(bench.claim(), rc=2, message=said) == State.FAILED
    found = Submission.objects.get(pk=submission.pk)
    assert (found.why, found.fault, found.strikes) == ("misconfigured", Submission.Fault.OURS, 0)
    assert not Charge.objects.exists()
    assert Attempt.objects.get().message == said
    told = {one.to: said in one.body for one in Notice.objects.all()}
    assert told == {"ada@example.org": True, "bob@example.org": False}
    bench.dispatcher.rerun(found, "ada")
    assert bench.claim().submission == submission.id


def test_a_simulator_that_is_missing_is_our_fault_though_the_code_is_a_services(bench: Bench) -> None:
    """Crashes without an episode cost nothing; organisers may have it begun again."""
    with pytest.raises(SimulatorUnavailable) as missing:
        make_simulator("unity", endpoint="127.0.0.1:1")
    submission = bench.submit()
    for rc, said in ((-9, ""), *[(missing.value.exit_code, f"nav-eval: {missing.value}")] * 2):
        assert state(submission)[0] == State.QUEUED
        bench.later(60)
        bench.finish(bench.claim(), rc=rc, message=said)
    found = Submission.objects.get()
    assert (found.state, found.why, found.fault) == (State.FAILED, "crashed", Submission.Fault.OURS)
    assert not Charge.objects.exists()
    bench.dispatcher.rerun(submission, "ada")
    claim = bench.claim()
    bench.send(claim, "1")
    assert bench.complete(claim) == State.DONE


def test_what_no_machine_can_run_ends_as_our_fault_and_holds_nobody_up(bench: Bench) -> None:
    """It waits five minutes after each that could not, and costs no strike until it has been so twenty times."""
    submission, other = bench.submit(0), bench.submit(1)
    for n in range(MAX_UNABLE):
        bench.finish(bench.claim(), "unable", None, message="no room for an image of 9 GiB")
        if not n:
            claim = bench.claim()
            assert claim.submission == other.id
            bench.finish(claim, "stopped", None)
            bench.dispatcher.cancel(other, "team1")
        bench.later(300)
    found = Submission.objects.get(pk=submission.pk)
    assert (state(found), found.fault, found.strikes) == ((State.FAILED, "crashed"), Submission.Fault.OURS, 0)


def test_episodes_between_crashes_make_up_for_them_and_our_fault_gives_back_what_was_spent(bench: Bench) -> None:
    submission = bench.submit()
    for n in range(8):
        bench.later(60)
        claim = bench.claim()
        bench.send(claim, str(n))
        bench.finish(claim, rc=4)
    assert (state(submission)[0], Episode.objects.count(), Charge.objects.count()) == (State.QUEUED, 8, 1)
    for _ in range(2):
        bench.later(60)
        bench.finish(bench.claim(), rc=4)
    assert (state(submission)[0], Charge.objects.count()) == (State.FAILED, 0)


@pytest.mark.parametrize("lie", ["manifest", "file", "lost"])
def test_a_result_must_be_proved(bench: Bench, lie: str) -> None:
    submission, claim = bench.begun("1")
    results = b'{"n_lost": 0}' if lie == "file" else b'{"n_lost": 2}'
    sums = {"results.json": hashlib.sha256(b"x" if lie == "file" else results).hexdigest()}
    manifest = json.dumps({"schema": 1, "files_sha256": sums}).encode()
    if lie != "manifest":
        bench.dispatcher.inbox(claim.submission).append("results.json", 0, results)
        bench.dispatcher.inbox(claim.submission).append("manifest.json", 0, manifest)
    assert bench.finish(claim, manifest=hashlib.sha256(manifest).hexdigest()) == State.QUEUED
    assert not hasattr(Submission.objects.get(pk=submission.pk), "result")


def test_nothing_waits_for_ever(bench: Bench) -> None:
    """Whatever state a submission is in, and nobody does anything any more: sweeps alone end it."""
    queued, running, unready = bench.submit(0), bench.submit(1), bench.submit(0)
    Submission.objects.filter(pk=queued.pk).update(endpoint_key="elsewhere:1")
    by_id = {claim.submission: claim for claim in (bench.claim(), bench.claim(), bench.claim())}
    bench.finish(by_id[unready.id], "not_ready", None)
    bench.finish(by_id[queued.id], "interrupted", None)
    bench.send(by_id[running.id], "1")
    for _ in range(40):
        bench.later(86400 / 4)
        bench.dispatcher.sweep()
        assert health(bench.now).stuck == 0
    assert {state(one) for one in (queued, running, unready)} == {(State.FAILED, "not_taken")}
    assert not Charge.objects.exists()


def test_a_run_that_takes_too_long_is_ended(bench: Bench) -> None:
    submission, claim = bench.begun("1")
    for _ in range(15):
        bench.later(3600)
        Attempt.objects.filter(live=True).update(heartbeat_at=bench.now)
        bench.dispatcher.sweep()
    assert state(submission) == (State.FAILED, "too_long")
    with pytest.raises(Fenced):
        bench.send(claim, "2")
    assert Charge.objects.get().spent_at is not None


def test_many_workers_at_once_get_each_submission_once(make: Make) -> None:
    bench = Bench(make(), teams=12)
    made = {bench.submit(n).id for n in range(12)}

    def work(_: int) -> list[Claim | None]:
        try:
            return [bench.dispatcher.claim(bench.worker, "i") for _ in range(3)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        claims = [claim for some in pool.map(work, range(8)) for claim in some]
    got = {claim.submission: claim.fence for claim in claims if claim is not None}
    assert (len(claims), claims.count(None), got.keys(), len({*got.values()})) == (24, 12, made, 12)


def test_the_next_day_begins_at_midnight_of_the_challenge(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase(per_day=1, total=2)}, timezone="Asia/Shanghai"))
    bench.submit()
    bench.later(4 * 3600 - 1)
    with pytest.raises(Refusal) as refused:
        bench.submit()
    bench.later(1)
    assert (refused.value.code, refused.value.resets_at) == ("quota_day", bench.now.replace(microsecond=0))
    bench.submit()
    bench.later(86400)
    with pytest.raises(Refusal) as refusal:
        bench.submit()
    assert refusal.value.code == "quota_total"


def test_who_may_not_submit_is_told_why(bench: Bench) -> None:
    def refused() -> str:
        with pytest.raises(Refusal) as refusal:
            bench.submit()
        return refusal.value.code

    Team.objects.update(state=Team.State.PENDING)
    assert refused() == "not_approved"
    Team.objects.update(state=Team.State.APPROVED)
    bench.later(86400 * 40000)
    assert refused() == "phase_closed"


def test_predictions_are_stored_and_a_bad_file_is_its_teams(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase("predictions")}))
    with pytest.raises(Refusal, match="takes a predictions"):
        bench.submit()
    submission = bench.dispatcher.submit(bench.teams[0], "dev", predictions=b"[]")
    claim = bench.claim()
    assert state(submission)[0] == State.SCORING
    assert (bench.dispatcher.folder.uploads / claim.submission).read_bytes() == b"[]"
    said = "nav-eval: predictions.json: holds no predictions."
    assert bench.finish(claim, rc=2, message=f"{said}\nWhoever scores it may do this: --option.") == State.FAILED
    found = Submission.objects.get()
    assert (found.why, found.detail) == ("bad_file", said.removeprefix("nav-eval: "))
    assert not Charge.objects.exists()


def test_every_state_and_every_reason_has_its_sentence(bench: Bench) -> None:
    submission = bench.submit()
    for name in [*State, *FAILURES]:
        failed = name in FAILURES
        submission.state, submission.why = (State.FAILED, name) if failed else (name, "")
        if name == State.FAILED:
            continue
        en, zh = (sentence(submission, lang, zone=ZoneInfo("UTC"), now=bench.now) for lang in ("en", "zh"))  # type: ignore[arg-type]
        assert "{" not in en + zh
        assert en.isascii()
        assert not zh.isascii()
    assert set(State) == set(SENTENCES) | {State.FAILED}
    assert set(State) > FINAL


def test_a_name_of_a_file_cannot_lead_elsewhere(bench: Bench, tmp_path: Path) -> None:
    _, claim = bench.begun()
    for name in ("../x", "/etc/x", "report.html", "manifest.json.part"):
        with pytest.raises(ValueError, match="is not a file of a run"):
            bench.dispatcher.receive(bench.worker, claim.attempt, claim.fence, name, 0, b"x")
