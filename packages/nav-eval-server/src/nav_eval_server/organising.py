"""What organisers decide about submissions, teams, dates and workers.

Each decision is one transaction, has a reason that the team reads, and leaves its event; an appeal ends with one.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from nav_eval.errors import InputError
from nav_eval_server import events
from nav_eval_server.board.decisions import board_state
from nav_eval_server.board.places import Board, document, keep
from nav_eval_server.challenge import FOREVER, Challenge
from nav_eval_server.models import (
    Announcement,
    Closing,
    Decision,
    Grant,
    Invitation,
    MovedDate,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.notices.outbox import tell
from nav_eval_server.notices.words import RULINGS
from nav_eval_server.queue import phases
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, Sentence, State
from nav_eval_server.visible import looks_taken, named
from nav_eval_server.web.roster import reserved

MAX_PLACES = 100
"""Of one grant."""
LONGEST = 500
"""Characters of a reason."""


def given(reason: str) -> str:
    """Raises Refusal where there is none."""
    reason = " ".join(reason.split())[:LONGEST]
    if not reason:
        raise Refusal("no_words", "Say why: the team reads it.", "请说明理由，队伍会看到。")
    return reason


def rerun(challenge: Challenge, one: Submission, reason: str, organiser: User, now: datetime) -> Submission:
    """Run it again; see Dispatcher.rerun."""
    with transaction.atomic():
        fresh = Dispatcher(challenge).rerun(one, organiser.username, given(reason))
        decided(challenge, "rerun", one.team, given(reason), organiser, now, one)
        return fresh


def void(challenge: Challenge, one: Submission, reason: str, organiser: User, now: datetime) -> None:
    with transaction.atomic():
        if Submission.objects.filter(pk=one.pk, state=State.VOID).exists():
            return
        Dispatcher(challenge).void(one, given(reason), organiser.username)
        _note("void", one.team, given(reason), organiser, now, one)


def give_back(challenge: Challenge, one: Submission, reason: str, organiser: User, now: datetime) -> None:
    """Its place in the quota."""
    with transaction.atomic():
        Dispatcher(challenge).give_back(one, organiser.username, given(reason))
        decided(challenge, "give_back", one.team, given(reason), organiser, now, one)


def grant(
    challenge: Challenge, team: Team, phase: str, places: int, reason: str, organiser: User, now: datetime
) -> None:
    """Places beside those of the rules, for any day of the phase."""
    phases.rules(challenge, phase)
    if not 1 <= places <= MAX_PLACES:
        raise Refusal("grant", f"Grant 1 to {MAX_PLACES} submissions.", f"请给予 1 至 {MAX_PLACES} 个名额。")
    with transaction.atomic():
        Grant.objects.create(team=team, phase=phase, places=places, at=now)
        events.record("granted", team.name, actor=organiser.username, phase=phase, places=places, reason=given(reason))
        decided(challenge, "grant", team, f"{phase} +{places}: {given(reason)}"[:LONGEST], organiser, now)


def rename(challenge: Challenge, team: Team, name: str, reason: str, organiser: User, now: datetime) -> None:
    """Boards follow; the log keeps the old name."""
    try:
        name = named(name)
    except InputError:
        raise Refusal(
            "name",
            "Use 2 to 60 visible letters, digits and signs, one letter at least.",
            "请使用 2 至 60 个可见的字母、数字和符号，其中至少一个字母。",
        ) from None
    with transaction.atomic():
        old = Team.objects.select_for_update().get(pk=team.pk).name
        own = team.submissions.filter(protocol=OURS).values_list("url", flat=True)  # of an agent of ours
        kept = reserved(challenge, old).difference(own)
        others = {*Team.objects.exclude(pk=team.pk).values_list("name", flat=True), *kept}
        if len(name) < 2 or looks_taken(name, others):
            raise Refusal("name", "This name is taken or too short.", "该名称已被使用或过短。")
        Team.objects.filter(pk=team.pk).update(name=name)
        team.name = name
        hand_over_invitations(old, name)
        events.record("team_renamed", name, actor=organiser.username, old=old, reason=given(reason))
        decided(challenge, "renamed", team, f"{old} → {name}: {given(reason)}"[:LONGEST], organiser, now)
        renew_boards(challenge, organiser, now)


def hand_over_invitations(old: str, name: str) -> None:
    """Who is listed for a team that now has another name joins it under that."""
    Invitation.objects.filter(team=old, used_at=None).update(team=name)


def disqualify(
    challenge: Challenge, team: Team, how: Team.Disqualified, reason: str, organiser: User, now: datetime
) -> None:
    """It submits no more, what is unfinished ends, and its entries are struck through on all boards, or leave them."""
    with transaction.atomic():
        Team.objects.filter(pk=team.pk).update(disqualified=how, state=Team.State.BLOCKED)
        for one in team.submissions.exclude(state__in=FINAL):
            Dispatcher(challenge).cancel(one, organiser.username)
        events.record("disqualified", team.name, actor=organiser.username, how=how.value, reason=given(reason))
        decided(challenge, "disqualified", team, given(reason), organiser, now)
        renew_boards(challenge, organiser, now)


def reinstate(challenge: Challenge, team: Team, reason: str, organiser: User, now: datetime) -> None:
    """A disqualified team takes part again, with the entries that it had."""
    with transaction.atomic():
        Team.objects.filter(pk=team.pk).update(disqualified="", state=Team.State.APPROVED)
        events.record("reinstated", team.name, actor=organiser.username, reason=given(reason))
        decided(challenge, "reinstated", team, given(reason), organiser, now)
        renew_boards(challenge, organiser, now)


def move(challenge: Challenge, phase: str, closes: datetime, reason: str, organiser: User, now: datetime) -> None:
    """When a phase closes; one that was closed opens again, unless its final board is revealed."""
    phases.rules(challenge, phase)
    if closes <= max(now, challenge.opens(phase)):
        raise Refusal("date", "Choose a time to come, after the opening.", "请选择开放之后的未来时间。")
    if board_state(challenge, phase) != "hidden":
        raise Refusal("revealed", "Its final board is revealed.", "该阶段的最终排行榜已公布。")
    with transaction.atomic():
        MovedDate.objects.update_or_create(phase=phase, defaults={"closes": closes, "at": now})
        Closing.objects.filter(phase=phase).delete()
        told = {"closes": closes.isoformat(), "reason": given(reason)}
        events.record("date_moved", phase, actor=organiser.username, **told)
        there = f"{closes.astimezone(challenge.zone):%Y-%m-%d %H:%M}"
        end: Sentence = {"en": "no end", "zh": "长期开放"} if closes == FOREVER else {"en": there, "zh": there}
        tell(challenge, "date_moved", path="/", phase=phase, closes=end, said=given(reason))


def revoke(challenge: Challenge, worker: Token, organiser: User, now: datetime) -> int:
    """A worker's token is worth nothing any more; what it played goes to another. How many evaluations those were."""
    with transaction.atomic():
        Token.objects.filter(pk=worker.pk, revoked_at=None).update(revoked_at=now)
        left = Dispatcher(challenge).release(worker)
        events.record("worker_revoked", worker.name, actor=organiser.username, evaluations=left)
        return left


def announce(challenge: Challenge, text: str, organiser: User, now: datetime) -> None:
    """To all teams: on their pages, and by notices."""
    text = text.strip()[:2000]
    if not text:
        raise Refusal("no_words", "Write what you want to say.", "请写下要公告的内容。")
    with transaction.atomic():
        Announcement.objects.create(text=text, user=organiser, at=now)
        events.record("announced", "all teams", actor=organiser.username)
        tell(challenge, "announcement", path="/team/", said=text)


def decided(
    challenge: Challenge,
    kind: str,
    team: Team,
    reason: str,
    organiser: User,
    now: datetime,
    one: Submission | None = None,
) -> None:
    """Keep it, and tell the team."""
    _note(kind, team, reason, organiser, now, one)
    about: Sentence = {"en": team.name, "zh": team.name}
    if one is not None:
        about = {"en": f"submission {one.id}", "zh": f"提交 {one.id}"}
    path = "/team/" if one is None else f"/submissions/{one.id}/"
    tell(challenge, "decision", path=path, team=team, about=about, decision=RULINGS[kind], said=reason)


def _note(kind: str, team: Team, reason: str, organiser: User, now: datetime, one: Submission | None) -> None:
    Decision.objects.create(team=team, submission=one, kind=kind, reason=reason, user=organiser, at=now)


def renew_boards(challenge: Challenge, organiser: User, now: datetime) -> None:
    """At once: the public ones, and those that are revealed."""
    for name, phase in challenge.phases.items():
        if phase.board == "public":
            keep(document(challenge, name, Board.PUBLIC), now)
        if board_state(challenge, name) == "changed":
            kept = keep(document(challenge, name, Board.FINAL), now, revealed=True)
            events.record("revealed", name, actor=organiser.username, sha256=kept.sha256)
