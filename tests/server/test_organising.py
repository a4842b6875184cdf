"""Organisers' decisions: what each does to queue, quota and boards, who reads the reason, what the log keeps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from nav_eval_server import appeals, events, merging, organising
from nav_eval_server.board.decisions import close, finalists, reveal
from nav_eval_server.board.places import Board, document, latest
from nav_eval_server.challenge import load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import (
    Appeal,
    Attempt,
    Charge,
    Decision,
    Event,
    Grant,
    Membership,
    MovedDate,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.queue import quota
from nav_eval_server.queue.baselines import enter
from nav_eval_server.queue.client import Fenced
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.phases import status
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State
from nav_eval_server.serving import prepare
from nav_eval_server.tokens import find, issue
from server.boards import NOW, done
from server.boards import team as entrant
from server.competition import phase
from server.conftest import Make
from server.crowd import HIDDEN, SCORE, SHOWN, Crowd, crowd, person
from server.mailbox import Mailbox
from server.test_dispatcher import Bench
from server.test_notices import deliver, have_addresses, rules

WHY = "canary: our line was slow"


def organiser() -> User:
    return User.objects.get_or_create(username="ada", defaults={"is_staff": True})[0]


def post(full: Crowd, name: str, /, *args: object, who: str = "organiser", **data: object) -> Any:
    return full.visitor(who).post(reverse(name, args=args), data, follow=True)


def page(full: Crowd, who: str, name: str, *args: object) -> str:
    return " ".join(full.visitor(who).get(reverse(name, args=args)).content.decode().split())


def finished(bench: Bench, submission: Submission, *episodes: str) -> Submission:
    claim = bench.claim()
    assert claim.submission == submission.id
    bench.send(claim, *episodes)
    assert bench.complete(claim) == State.DONE
    return Submission.objects.get(pk=submission.pk)


# Run again


def test_a_run_that_is_done_is_run_again_and_the_old_one_kept_and_struck(make: Make) -> None:
    """A final of one try: the new run takes the place of the old one, costs no quota and keeps the team's choice."""
    bench = Bench(make(phases={"dev": phase(per_day=1, total=1)}), teams=1)
    old = finished(bench, bench.submit(), "1", "2")
    Submission.objects.filter(pk=old.pk).update(chosen_at=bench.now)
    bench.later(3600)
    fresh = organising.rerun(bench.dispatcher.challenge, old, WHY, organiser(), bench.now)
    before = Submission.objects.get(pk=old.pk)
    assert (before.state, before.detail, before.episodes.count()) == (State.VOID, WHY, 2)
    assert before.result.document == {"n_lost": 0}
    assert (fresh.state, fresh.url, fresh.endpoint_key) == (State.QUEUED, old.url, old.endpoint_key)
    with pytest.raises(Refusal, match="being run again"):
        organising.rerun(bench.dispatcher.challenge, before, WHY, organiser(), bench.now)
    again = finished(bench, fresh, "1", "2")
    assert again.result.at == before.result.at
    assert (again.chosen_at, Charge.objects.get().submission_id) == (bench.now - timedelta(hours=1), old.id)
    with pytest.raises(Refusal) as refusal:
        bench.submit()
    assert refusal.value.code == "quota_total"
    third = organising.rerun(bench.dispatcher.challenge, again, WHY, organiser(), bench.now)
    assert finished(bench, third, "1").result.at == before.result.at
    reruns = Event.objects.filter(action="rerun")
    told = [(one.subject, one.actor, one.details["reason"], one.details["new"]) for one in reruns]
    assert told == [(old.id, "ada", WHY, fresh.id), (fresh.id, "ada", WHY, third.id)]
    assert events.broken() is None


def test_a_file_is_scored_again_from_a_copy_of_its_own(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase("predictions")}), teams=1)
    old = bench.submit(endpoint=None, predictions=b"[1]")
    bench.dispatcher.cancel(old, "team0")
    fresh = organising.rerun(bench.dispatcher.challenge, old, WHY, organiser(), bench.now)
    claim = bench.claim()
    assert (claim.submission, claim.kind) == (fresh.id, "predictions")
    assert (bench.dispatcher.folder.uploads / fresh.id).read_bytes() == b"[1]"
    assert (fresh.predictions, Submission.objects.get(pk=old.pk).state) == (old.predictions, State.VOID)


def test_what_has_not_ended_is_not_run_again(full: Crowd) -> None:
    for state in (State.QUEUED, State.RUNNING, State.WAITING_SERVICE, State.SCORING):
        assert "It has not ended" in post(full, "rerun", full.mine[state].pk, reason=WHY).content.decode()
    assert not Submission.objects.exclude(reruns=None).exists()
    assert not Decision.objects.exists()


def test_a_team_reads_the_reason_and_nobody_else_does(full: Crowd) -> None:
    key = full.mine["hidden"].pk
    post(full, "rerun", key, reason=WHY)
    fresh = Submission.objects.get(reruns=key)
    for who, address in (("member", key), ("organiser", key)):
        told = page(full, who, "submission", address)
        assert ("It is run again" in told, WHY in told, fresh.id in told) == (True, True, True)
    assert key in page(full, "member", "submission", fresh.id)
    assert "<bdi>organiser</bdi>" not in page(full, "member", "submission", key).partition("<main")[2]
    for who in ("other", "nobody"):
        for name in ("submission", "progress"):
            assert WHY not in page(full, who, name, key)
    assert WHY not in page(full, "nobody", "board", "hidden")
    assert WHY in page(full, "organiser", "log")


@pytest.mark.parametrize(
    ("deed", "state", "then"),
    [
        ("rerun", "done", State.VOID),
        ("rerun", "failed", State.QUEUED),
        ("void", "done", State.VOID),
        ("place", "done", State.DONE),
    ],
)
def test_nothing_is_decided_without_a_reason_for_the_team(full: Crowd, deed: str, state: str, then: State) -> None:
    one = full.mine[state]
    told = post(full, deed, one.pk, reason=" \n ").content.decode()
    assert "Say why" in told
    assert Submission.objects.get(pk=one.pk).state == state
    assert Charge.objects.filter(submission=one).exists()
    assert not Decision.objects.exists()
    post(full, deed, one.pk, reason=WHY)
    assert Submission.objects.get(pk=one.pk).state == then
    assert WHY in page(full, "member", "submission", one.pk)


# Quota


def test_a_place_is_given_back_once(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase(per_day=1, total=1)}), teams=1)
    old = finished(bench, bench.submit(), "1")
    organising.give_back(bench.dispatcher.challenge, old, WHY, organiser(), bench.now)
    assert Submission.objects.get(pk=old.pk).state == State.DONE
    with pytest.raises(Refusal, match="uses no place"):
        organising.give_back(bench.dispatcher.challenge, old, WHY, organiser(), bench.now)
    bench.submit()
    with pytest.raises(Refusal):
        bench.submit()
    assert Event.objects.get(action="place_given_back").details == {"reason": WHY}


def test_a_grant_is_for_any_day_and_comes_after_the_places_of_the_rules(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase(per_day=2, total=3, concurrent=9)}), teams=2)
    challenge, mine = bench.dispatcher.challenge, bench.teams[0]
    organising.grant(challenge, mine, "dev", 2, WHY, organiser(), bench.now)

    def left(team: int = 0) -> tuple[int, int]:
        used = quota.standing(challenge, bench.teams[team], "dev", bench.now)
        return used.left, used.extra

    assert (left(), left(1)) == ((4, 2), (2, 0))
    for expected in ((3, 2), (2, 2), (1, 1)):
        bench.submit()
        assert left() == expected
    bench.later(86400)
    assert left() == (2, 1)  # one of the rules' three, one granted
    bench.submit(), bench.submit()
    with pytest.raises(Refusal) as refusal:
        bench.submit()
    assert refusal.value.code == "quota_total"
    assert Charge.objects.filter(granted=True).count() == 2
    bench.dispatcher.cancel(Charge.objects.filter(granted=True).latest("pk").submission, "team0")
    assert left() == (1, 1)
    bench.submit()
    Grant.objects.create(team=mine, phase="dev", places=9, at=bench.now)
    Submission.objects.filter(team=mine).update(state=State.RUNNING, deadline=bench.now)
    challenge = challenge.model_copy(update={"phases": make_concurrent(challenge, 5)})
    assert quota.standing(challenge, mine, "dev", bench.now).left == 0


def make_concurrent(challenge: Any, most: int) -> Any:
    dev = challenge.phases["dev"]
    return {"dev": dev.model_copy(update={"quota": dev.quota.model_copy(update={"concurrent": most})})}


def test_what_is_no_grant(full: Crowd) -> None:
    told = {"deed": "grant", "places": "2", "phase": "dev", "reason": WHY}
    for wrong in (*({"places": places} for places in ("0", "101", "-1", "x")), {"places": "1", "phase": "no"}):
        assert post(full, "manage", full.team.pk, **(told | wrong)).status_code == 200
    assert not Grant.objects.exists()
    assert post(full, "manage", full.team.pk, **told).status_code == 200
    assert Grant.objects.get().places == 2
    assert (WHY in page(full, "member", "team"), WHY in page(full, "other", "team")) == (True, False)


# Dates


def test_the_end_of_a_phase_is_moved(full: Crowd) -> None:
    """A closed one opens again; all who show its end show the new one, and so does a program."""
    post(full, "close", "dev")
    assert status(full.challenge, "dev", timezone.now()) == "closed"
    post(full, "move", "dev", closes="2098-02-03T04:05", reason=WHY)
    assert status(full.challenge, "dev", timezone.now()) == "open"
    for who, name, *args in (("organiser", "organiser"), ("nobody", "front"), ("nobody", "board", "dev")):
        assert "2098-02-03" in page(full, who, name, *args)
    bearer = {"authorization": f"Bearer {full.token}"}
    told = Client(SERVER_NAME="localhost").get("/api/v1/phases", headers=bearer).json()
    assert {one["name"]: one["closes"][:10] for one in told} == {"dev": "2098-02-03", "hidden": "2099-01-01"}
    post(full, "move", "dev", closes="", reason=WHY)
    assert Client(SERVER_NAME="localhost").get("/api/v1/competition").json()["phases"][0]["closes"] is None
    assert 'name="closes" value=""' in page(full, "organiser", "organiser")
    assert Event.objects.filter(action="date_moved").latest("pk").details["reason"] == WHY


def test_no_end_is_moved_into_the_past_nor_that_of_a_phase_whose_board_is_revealed(full: Crowd) -> None:
    for closes in ("2019-01-01T00:00", "soon"):
        assert post(full, "move", "dev", closes=closes, reason=WHY).status_code in (200, 404)
    post(full, "close", "hidden")
    reveal(full.challenge, "hidden", "organiser", timezone.now())
    assert "is revealed" in post(full, "move", "hidden", closes="2098-01-01T00:00", reason=WHY).content.decode()
    assert status(full.challenge, "hidden", timezone.now()) == "closed"
    assert not MovedDate.objects.exists()


# Teams


def test_a_team_is_renamed_on_boards_at_once_and_the_log_knows_the_old_name(full: Crowd) -> None:
    told = {"deed": "rename", "reason": WHY}
    for name in ("borealis", "x", "a\u202eb", "y" * 61):
        post(full, "manage", full.team.pk, name=name, **told)
        assert Team.objects.get(pk=full.team.pk).name == "Aurora"
    post(full, "manage", full.team.pk, name="Zenith", **told)
    board = page(full, "nobody", "board", "dev")
    assert ("Zenith" in board, "Aurora" in board) == (True, False)
    assert Event.objects.get(action="team_renamed").details["old"] == "Aurora"
    assert "Aurora → Zenith" in page(full, "member", "team")
    assert events.broken() is None


def test_an_agent_of_ours_may_have_its_own_name_again(make: Make) -> None:
    """No other team takes it meanwhile."""
    full = crowd(make(phases={"dev": phase(), "hidden": phase()}, baselines=["random", "handcrafted"]))
    enter(full.challenge, timezone.now())
    ours = Team.objects.get(name="random")
    rename = {"deed": "rename", "reason": WHY}
    cases = ((ours, "Chance", "Chance"), (full.team, "random", "Aurora"), (ours, "handcrafted", "Chance"))
    for one, name, then in (*cases, (ours, "random", "random")):
        post(full, "manage", one.pk, name=name, **rename)
        assert Team.objects.get(pk=one.pk).name == then
    enter(full.challenge, timezone.now())
    assert Team.objects.filter(role=Team.Role.BASELINE).count() == 2


@pytest.mark.parametrize("how", ["struck", "removed"])
def test_a_disqualified_teams_entries_leave_every_board(full: Crowd, how: str) -> None:
    challenge = full.challenge
    entry, before = full.mine["done"].pk, page(full, "nobody", "board", "dev")
    close("hidden", "organiser", timezone.now())
    Submission.objects.filter(phase="hidden").exclude(state__in=("done", "void")).delete()
    reveal(challenge, "hidden", "organiser", timezone.now())
    assert (SHOWN[SCORE] in before, SHOWN[HIDDEN] in page(full, "nobody", "board", "hidden")) == (True, True)
    post(full, "manage", full.team.pk, deed=how, reason=WHY)
    for name, figure in (("dev", SCORE), ("hidden", HIDDEN)):
        shown = page(full, "nobody", "board", name)
        assert (SHOWN[figure] in shown, WHY in shown, "Aurora" in shown) == (False, how == "struck", how == "struck")
    assert full.visitor("nobody").get(reverse("entry", args=[entry])).status_code == 404
    assert not full.team.submissions.exclude(state__in=("done", "failed", "cancelled", "void")).exists()
    assert WHY in page(full, "member", "team")
    told = post(full, "submit", who="member", phase="dev", endpoint=full.team.endpoints.get().pk)
    assert "Your team is disqualified. Its page says why." in told.content.decode()
    post(full, "decide", full.team.pk, state="approved")
    with pytest.raises(Refusal, match="disqualified"):
        Dispatcher(challenge).submit(full.team, "dev", endpoint=full.team.endpoints.get())
    assert f'action="{reverse("decide", args=[full.team.pk])}"' not in page(full, "organiser", "organiser")
    post(full, "manage", full.team.pk, deed="reinstate", reason="It was another team.")
    assert SHOWN[SCORE] in page(full, "nobody", "board", "dev")
    assert SHOWN[HIDDEN] in page(full, "nobody", "board", "hidden")
    actions = ["disqualified", "reinstated"]
    assert [*Event.objects.filter(action__in=actions).order_by("pk").values_list("action", flat=True)] == actions
    assert events.broken() is None


def test_a_struck_team_takes_no_rank_from_the_others(make: Make) -> None:
    """The board is the one that there would be without it."""
    challenge = make()
    values = {name: {("s", str(n)): score for n in range(6)} for name, score in (("A", 0.9), ("B", 0.5), ("C", 0.1))}
    for name in ("B", "C"):
        done(entrant(name), values[name])
    alone = document(challenge, "dev", Board.PUBLIC)["entries"]
    done(entrant("A"), values["A"])
    assert len(document(challenge, "dev", Board.PUBLIC)["entries"]) == 3
    organising.disqualify(challenge, Team.objects.get(name="A"), Team.Disqualified.STRUCK, WHY, organiser(), NOW)
    kept = latest("dev", Board.PUBLIC)
    assert kept is not None
    assert kept.document["entries"] == alone
    assert [(one["team"], one["reason"]) for one in kept.document["void"]] == [("A", WHY)]


@pytest.mark.parametrize(("told", "state"), [({}, "approved"), ({"all": "on"}, "blocked")])
def test_teams_that_wait_are_decided_in_one_step(make: Make, box: Mailbox, told: dict[str, str], state: str) -> None:
    """Those that were chosen, or all that the page has shown: none that came later, none that was decided before."""
    full = crowd(make(notify=rules(box), phases={"dev": phase(), "hidden": phase()}))
    waiting = [Team.objects.create(name=f"waits{n}") for n in range(4)]
    for team in waiting:
        person(team.name, team, email=f"{team.name}@example.org")
    chosen, shown = ([team.pk for team in some] for some in (waiting[:2], waiting[:3]))
    post(full, "decide_all", team=[*chosen, full.team.pk], shown=shown, state=state, **told)
    decided = {team.name for team in waiting if team.pk in (shown if told else chosen)}
    assert {*Team.objects.filter(state=state, name__startswith="waits").values_list("name", flat=True)} == decided
    assert Team.objects.get(pk=full.team.pk).state == "approved"
    deliver(full.challenge)
    assert sorted(to for to, _ in box.mails) == sorted(f"{name}@example.org" for name in decided)


# Workers and announcements


def test_a_revoked_worker_has_nothing_any_more_and_another_goes_on(make: Make) -> None:
    bench = Bench(make(), teams=1)
    submission, claim = bench.begun("1")
    assert organising.revoke(bench.dispatcher.challenge, bench.worker, organiser(), bench.now) == 1
    with pytest.raises(Fenced):
        bench.send(claim, "2")
    other = find(issue(Token.Scope.WORKER, "other"), Token.Scope.WORKER)
    assert other is not None
    fresh = bench.dispatcher.claim(other, "i")
    assert fresh is not None
    assert fresh.submission == submission.id
    bench.worker.refresh_from_db()
    assert bench.worker.revoked_at == bench.now
    assert Event.objects.get(action="worker_revoked").subject == "w"


def test_organisers_see_workers_and_revoke_them(full: Crowd) -> None:
    text = issue(Token.Scope.WORKER, "canary-machine")
    found = find(text, Token.Scope.WORKER)
    assert found is not None
    now = timezone.now()
    when = {"started_at": now, "heartbeat_at": now}
    Attempt.objects.create(submission=full.mine["running"], n=1, fence=77, worker=found, instance="i", **when)
    told = page(full, "organiser", "workers")
    assert ("canary-machine" in told, full.mine["running"].pk in told, text in told) == (True, True, False)
    post(full, "revoke", found.pk)
    assert find(text, Token.Scope.WORKER) is None
    assert "canary-machine" not in page(full, "organiser", "workers")
    team = Token.objects.get(name="canary-token")
    assert full.visitor("organiser").post(reverse("revoke", args=[team.pk])).status_code == 404


def test_the_worker_of_this_machine_gets_another_token(full: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nav_eval_server.settings.configure", lambda challenge: None)
    challenge = load_challenge(Folder(full.challenge.folder).challenge)
    file = Folder(full.challenge.folder).worker_token
    prepare(challenge)
    first = file.read_text()
    prepare(challenge)
    assert file.read_text() == first
    post(full, "revoke", Token.objects.get(name="this machine").pk)
    prepare(challenge)
    assert find(file.read_text().strip(), Token.Scope.WORKER) is not None
    assert (file.read_text() != first, file.stat().st_mode & 0o777) == (True, 0o600)


def test_an_announcement_reaches_every_team_and_a_decision_its_own(make: Make, box: Mailbox) -> None:
    full = crowd(make(phases={"dev": phase(), "hidden": phase()}, notify=rules(box)))
    have_addresses()
    post(full, "announce", text="  ")
    post(full, "announce", text="canary: the final opens <b>tomorrow</b>")
    post(full, "rerun", full.mine["done"].pk, reason=WHY)
    deliver(full.challenge)
    member, other = "member@example.org", "other@example.org"
    for words, whom in (("From the organisers", {member, other}), ("decided", {member})):
        assert {to for to, mail in box.mails if words in str(mail["Subject"])} == whom
    assert len(box.mails) == 3
    for who, seen in (("member", True), ("other", True), ("nobody", False)):
        assert ("&lt;b&gt;tomorrow" in page(full, who, "team")) is seen
    (said,) = [mail.get_content() for _, mail in box.mails if "decided" in str(mail["Subject"])]  # type: ignore[attr-defined]
    assert (WHY in said, "重新运行" in said) == (True, True)


# Two that are one


def pair(bench: Bench) -> tuple[Team, Team]:
    ada, bob = bench.teams
    for team in (ada, bob):
        Membership.objects.create(team=team, user=User.objects.create(username=f"of{team.pk}"), captain=True)
    return ada, bob


def test_a_doubled_team_goes_into_the_other_with_all_that_it_has(make: Make) -> None:
    """A run that goes on is not disturbed, and counts for the team that stays."""
    bench = Bench(make(phases={"dev": phase(per_day=3, total=3, concurrent=2)}), teams=2)
    challenge, (stays, doubled) = bench.dispatcher.challenge, pair(bench)
    mine, theirs = finished(bench, bench.submit(0, key="k"), "1"), finished(bench, bench.submit(1, key="k"), "1")
    Submission.objects.update(chosen_at=bench.now)
    running, token = bench.submit(1), issue(Token.Scope.TEAM, "t", doubled)
    claim = bench.claim()
    merging.merge_teams(challenge, doubled, stays, WHY, organiser(), bench.now)
    bench.send(claim, "1")
    assert bench.complete(claim) == State.DONE
    assert {*stays.submissions.values_list("pk", flat=True)} == {mine.pk, theirs.pk, running.pk}
    used = quota.standing(challenge, stays, "dev", bench.now)
    assert (used.today, used.overall, used.left) == (3, 3, 0)
    assert [*stays.membership_set.order_by("pk").values_list("captain", flat=True)] == [True, False]
    assert [*stays.endpoints.order_by("pk").values_list("name", flat=True)] == ["a", "team1 a"]
    assert [*Submission.objects.exclude(chosen_at=None)] == [mine]
    found = find(token, Token.Scope.TEAM)
    assert (found and found.team) == stays
    assert not Team.objects.filter(pk=doubled.pk).exists()
    event = Event.objects.get(action="team_merged")
    assert (event.subject, event.details) == ("team0", {"old": "team1", "reason": WHY})
    assert stays.decisions.get().reason == f"team1 → team0: {WHY}"
    assert len(document(challenge, "dev", Board.PUBLIC)["entries"]) <= 1
    assert events.broken() is None


def test_a_choice_that_was_run_again_stays_chosen_in_a_merge(make: Make) -> None:
    bench = Bench(make(), teams=2)
    challenge, (stays, doubled) = bench.dispatcher.challenge, pair(bench)
    old = finished(bench, bench.submit(1), "1")
    Submission.objects.update(chosen_at=bench.now)
    fresh = finished(bench, organising.rerun(challenge, old, WHY, organiser(), bench.now), "1")
    merging.merge_teams(challenge, doubled, stays, WHY, organiser(), bench.now)
    assert [*finalists(Submission.objects.get(pk=fresh.pk))] == [fresh]


def test_a_merge_gives_no_second_try(make: Make) -> None:
    bench = Bench(make(phases={"dev": phase(per_day=1, total=1)}), teams=2)
    challenge, (stays, doubled) = bench.dispatcher.challenge, pair(bench)
    first, other = bench.submit(0), bench.submit(1)

    def refused(words: str) -> None:
        with pytest.raises(Refusal, match=words):
            merging.merge_teams(challenge, doubled, stays, WHY, organiser(), bench.now)
        assert Team.objects.count() == 2

    refused("Both teams have unfinished submissions")
    claim = bench.claim()
    bench.dispatcher.cancel(first, "ada")
    refused("Both teams have unfinished submissions")
    bench.finish(claim, "interrupted", None)
    bench.later(1)  # the new run stands behind the other team's
    first = bench.dispatcher.rerun(first, "organiser")
    other = finished(bench, other, "1")
    first = finished(bench, first, "1")
    refused("In dev they would have 2 submissions, and a team may have 1")
    organising.rerun(challenge, other, WHY, organiser(), bench.now)
    finished(bench, Submission.objects.get(reruns=other), "1")
    refused("In dev they would have 2 submissions, and a team may have 1")
    organising.void(challenge, Submission.objects.get(reruns=other), WHY, organiser(), bench.now)
    organising.disqualify(challenge, doubled, Team.Disqualified.STRUCK, WHY, organiser(), bench.now)
    doubled.refresh_from_db()
    refused("disqualified one has to take part again")
    organising.reinstate(challenge, doubled, WHY, organiser(), bench.now)
    doubled.refresh_from_db()
    merging.merge_teams(challenge, doubled, stays, WHY, organiser(), bench.now)
    assert quota.standing(challenge, stays, "dev", bench.now).left == 0
    assert [*stays.submissions.filter(state=State.DONE)] == [first]


def test_organisers_merge_teams_and_people_on_their_pages(full: Crowd) -> None:
    other = Team.objects.get(name="Borealis")
    told: dict[str, Any] = {"deed": "merge", "to": other.pk, "reason": WHY}
    assert "Say why" in post(full, "manage", full.team.pk, **(told | {"reason": " "})).content.decode()
    answer = post(full, "merge_person", User.objects.get(username="member").pk, to="other", reason=WHY)
    assert "merge the teams first" in answer.content.decode()
    assert "Aurora → Borealis" in post(full, "manage", full.team.pk, **told).content.decode()
    board = page(full, "nobody", "board", "dev")
    assert (SHOWN[SCORE] in board, "Borealis" in board, "Aurora" in board) == (True, True, False)
    sent = Submission.objects.filter(user=None).update(user=User.objects.get(username="member"))
    post(full, "merge_person", User.objects.get(username="member").pk, to="other", reason=WHY)
    assert (sent > 0, User.objects.filter(username="member").exists()) == (True, False)
    assert Submission.objects.filter(user__username="other").count() == sent
    for text in ("Aurora → Borealis", "member → other"):
        assert text in page(full, "other", "team")
    for text in ("team_merged", "person_merged", "Aurora", "member"):
        assert text in page(full, "organiser", "log")


# The log


@pytest.mark.parametrize(
    "tamper",
    [
        lambda events: events.update(details={"reason": "because", "n": 2}),
        lambda events: events.update(actor="bob"),
        lambda events: events.update(details={"reason": "another", "n": 2}),
        lambda events: events.delete(),
    ],
    ids=["untouched", "actor", "details", "deleted"],
)
def test_the_log_cannot_be_changed_without_a_trace(
    make: Make, request: pytest.FixtureRequest, tamper: Callable[[QuerySet[Event]], object]
) -> None:
    make()
    for n in range(5):
        events.record("void", f"s{n}", actor="ada", reason="because", n=n)
    numbers = [*Event.objects.order_by("pk").values_list("pk", flat=True)]
    tamper(Event.objects.filter(pk=numbers[2]))
    assert events.broken() in ((None,) if "untouched" in request.node.name else numbers[2:4])


# Appeals


PLEA = "Our machine lost its power at 10:02; <b>the log</b> is with you."
ANSWER = "We saw it too."


def write(full: Crowd, state: str, text: str = PLEA) -> None:
    full.visitor("member").post(reverse("appeal", args=[full.mine[state].pk]), {"text": text})


def decide(full: Crowd, decision: str, text: str = ANSWER) -> None:
    pk = Appeal.objects.latest("pk").pk
    full.visitor("organiser").post(reverse("judge", args=[pk]), {"decision": decision, "text": text})


@pytest.mark.parametrize(
    ("state", "decision", "then"),
    [
        ("done", "stands", State.DONE),
        ("failed", "rerun", State.QUEUED),
        ("done", "rerun", State.VOID),
        ("done", "place", State.DONE),
        ("done", "void", State.VOID),
    ],
)
def test_appeal_answer_decision(full: Crowd, state: str, decision: str, then: State) -> None:
    write(full, state)
    assert full.mine[state].pk in full.visitor("organiser").get(reverse("organiser")).content.decode()
    for who in ("member", "organiser"):
        assert "&lt;b&gt;the log&lt;/b&gt;" in page(full, who, "submission", full.mine[state].pk)
    decide(full, "open", "Which log do you mean?")
    write(full, state, "The one of the worker.")
    decide(full, decision)
    assert Submission.objects.get(pk=full.mine[state].pk).state == then
    told = page(full, "member", "submission", full.mine[state].pk)
    places = [told.rindex(text) for text in ("10:02", "Which log", "The one of the worker.", ANSWER)]
    assert places == sorted(places)
    assert "(<bdi>organiser" not in told
    actions = list(Event.objects.filter(action__startswith="appeal").order_by("pk").values_list("action", flat=True))
    assert actions == ["appealed", "appeal_answered", "appeal_added", f"appeal_{decision}"]
    mine = [*full.mine["done"].decisions.values_list("kind", flat=True)]
    assert mine == ({"place": ["give_back"], "stands": []}.get(decision, [decision]) if state == "done" else [])
    assert not any(PLEA[:20] in str(row.details) for row in Event.objects.all())
    assert events.broken() is None


def test_nobody_else_reads_or_writes(full: Crowd) -> None:
    write(full, "done")
    pk = Appeal.objects.get().pk
    for who in ("other", "nobody"):
        client = full.visitor(who)
        client.post(reverse("appeal", args=[full.mine["done"].pk]), {"text": "x"})
        client.post(reverse("judge", args=[pk]), {"decision": "void", "text": "x"})
    full.visitor("member").post(reverse("judge", args=[pk]), {"decision": "void", "text": "x"})
    assert Appeal.objects.get().words.count() == 1
    assert Submission.objects.get(pk=full.mine["done"].pk).state == State.DONE


def test_appeals_have_bounds(full: Crowd) -> None:
    """Of what has ended; one open at a time, a few in all, so many words, each so long; none without reasons or after
    the decision."""
    write(full, "done", "  ")
    for state in ("running", "queued", "cancelled"):
        write(full, state)
    assert not Appeal.objects.exists()
    for _ in range(appeals.MAX_WORDS + 2):
        write(full, "done", "x" * 3000)
    assert Appeal.objects.count() == 1
    assert [len(word.text) for word in Appeal.objects.get().words.all()] == [appeals.LONGEST] * appeals.MAX_WORDS
    decide(full, "stands", " ")
    assert Appeal.objects.get().state == Appeal.State.OPEN
    for _ in range(appeals.MAX_APPEALS + 1):
        decide(full, "stands")
        decide(full, "void")
        write(full, "done")
    assert Appeal.objects.count() == appeals.MAX_APPEALS
    assert Submission.objects.get(pk=full.mine["done"].pk).state == State.DONE


def test_what_cannot_be_run_again_leaves_the_appeal_open(full: Crowd) -> None:
    """A new run of it is under way."""
    write(full, "done")
    decide(full, "rerun")
    assert Appeal.objects.get().state == Appeal.State.RERUN
    write(full, "done", "Once more.")
    decide(full, "rerun")
    again = Appeal.objects.latest("pk")
    assert (again.state, again.words.count()) == (Appeal.State.OPEN, 1)
    assert Submission.objects.filter(reruns=full.mine["done"]).count() == 1
