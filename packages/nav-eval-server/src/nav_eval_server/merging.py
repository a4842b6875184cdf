"""Of two that are one: everything of a doubled team or account goes to the one that stays. The log keeps both names."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from nav_eval_server import events, privacy
from nav_eval_server.challenge import Challenge
from nav_eval_server.images import storage
from nav_eval_server.models import (
    Announcement,
    Decision,
    Endpoint,
    Invitation,
    Membership,
    Submission,
    Team,
    Token,
    User,
    Word,
)
from nav_eval_server.organising import LONGEST, decided, given, hand_over_invitations, renew_boards
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal


def merge_teams(challenge: Challenge, team: Team, to: Team, reason: str, organiser: User, now: datetime) -> None:
    """Members, submissions, used quota, services and tokens; boards follow. Raises Refusal."""
    reason = given(reason)
    if team.pk == to.pk or team.disqualified or to.disqualified or team.role != to.role:
        raise Refusal(
            "merge",
            "Choose another team of the same role. A disqualified one has to take part again first.",
            "请选择另一支角色相同的队伍。被取消资格的队伍须先恢复参赛资格。",
        )
    with transaction.atomic():
        Dispatcher(challenge).hand_over(team, to)
        if to.membership_set.filter(captain=True).exists():
            Membership.objects.filter(team=team).update(captain=False)
        Membership.objects.filter(team=team).update(team=to)
        Token.objects.filter(team=team).update(team=to)
        Decision.objects.filter(team=team).update(team=to)
        _hand_over_services(team, to)
        hand_over_invitations(team.name, to.name)
        Team.objects.filter(pk=team.pk).delete()
        events.record("team_merged", to.name, actor=organiser.username, old=team.name, reason=reason)
        decided(challenge, "merged", to, f"{team.name} → {to.name}: {reason}"[:LONGEST], organiser, now)
        renew_boards(challenge, organiser, now)
    storage.tidy(challenge)


def _hand_over_services(team: Team, to: Team) -> None:
    """Under another name where this one is taken; one that calls us makes itself known again."""
    names = {*to.endpoints.values_list("name", flat=True)}
    for one in team.endpoints.exclude(protocol="join"):
        name = one.name if one.name not in names else f"{team.name} {one.name}"[:60]
        if name not in names:
            names.add(name)
            Endpoint.objects.filter(pk=one.pk).update(team=to, name=name)


def merge_people(challenge: Challenge, user: User, to: User, reason: str, organiser: User, now: datetime) -> None:
    """What the account did is the other one's; its log-in is gone. Raises Refusal where each has a team of its own."""
    reason = given(reason)
    mine, theirs = (Membership.objects.filter(user=one).select_related("team").first() for one in (user, to))
    if user.pk == to.pk or (mine and theirs and mine.team_id != theirs.team_id):
        raise Refusal(
            "merge",
            "Choose another person. Where each has a team, merge the teams first.",
            "请选择另一个人。若两人各有队伍，请先合并队伍。",
        )
    with transaction.atomic():
        if theirs is None:
            Membership.objects.filter(user=user).update(user=to)
        elif mine is not None and mine.captain:
            Membership.objects.filter(user=to).update(captain=True)
        for kind in (Submission, Invitation, Token, Word, Decision, Announcement):
            kind.objects.filter(user=user).update(user=to)
        privacy.forget(user)
        events.record("person_merged", to.username, actor=organiser.username, old=user.username, reason=reason)
        team = (theirs or mine) and Team.objects.get(membership__user=to)
        if team:
            told = f"{user.username} → {to.username}: {reason}"[:LONGEST]
            decided(challenge, "person_merged", team, told, organiser, now)
