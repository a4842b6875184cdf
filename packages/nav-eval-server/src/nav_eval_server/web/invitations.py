"""People whom an organiser has listed: each gets a link that works once, and lets their team in without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Invitation, Membership, Team, User
from nav_eval_server.notices.outbox import invite as mail_invitation
from nav_eval_server.web import roster
from nav_eval_server.web.roster import Denied
from nav_eval_server.web.roster_file import Fault, Listed, read
from nav_eval_server.web.standings import spreadsheet_cell

Link = Callable[[Invitation], str]


def signer() -> signing.Signer:
    return signing.Signer(salt="nav_eval_server.listed")


def key(one: Invitation) -> str:
    """For its address; always the same."""
    return signer().sign(str(one.pk))


def found(text: str) -> Invitation | None:
    try:
        return Invitation.objects.filter(pk=signer().unsign(text), used_at=None).first()
    except signing.BadSignature:
        return None


def upload(challenge: Challenge, data: bytes, link: Link, organiser: User, now: datetime) -> list[Fault]:
    """Invite everybody on the list who has not come yet, or nobody where any line is wrong; its faults.

    Who is on an earlier list is invited again, with the same link.
    """
    with transaction.atomic():
        listed, faults = read(data, [*Team.objects.values_list("name", flat=True), *roster.reserved(challenge)])
        if not faults:
            sent = sum(_invite(challenge, one, link, now) for one in listed)
            events.record("invited", f"{sent} people", actor=organiser.username)
        return faults


def _invite(challenge: Challenge, one: Listed, link: Link, now: datetime) -> bool:
    told = {"name": one.name, "team": one.team, "at": now}
    row, _new = Invitation.objects.get_or_create(email=one.email, defaults=told)
    if row.used_at is not None:
        return False
    Invitation.objects.filter(pk=row.pk).update(**told)
    mail_invitation(challenge, one.email, one.name, link(row))
    return True


def accept(challenge: Challenge, one: Invitation, user: User, name: str, now: datetime) -> Team:
    """Join the listed team, or make one of that name, or of `name` where none is listed; it is approved. Raises
    Denied.
    """
    with transaction.atomic():
        if not Invitation.objects.filter(pk=one.pk, used_at=None).update(used_at=now, user=user):
            raise Denied(_("This invitation has been used."))
        team = _team(challenge, one, user, name)
        if team.state == Team.State.PENDING:
            roster.decide(challenge, team, Team.State.APPROVED, user)
        return team


def _team(challenge: Challenge, one: Invitation, user: User, name: str) -> Team:
    """Of who has one already that is not another, that one."""
    mine = roster.team_of(user)
    if mine is not None and one.team in ("", mine.name):
        return mine
    there = Team.objects.filter(name=one.team).first()
    if there is None:
        return roster.create(challenge, user, one.team or name, one)
    roster.join(there, user, captain=not Membership.objects.filter(team=there, captain=True).exists())
    return there


def rows(some: Iterable[Invitation], link: Link) -> list[list[str]]:
    """Of a file for who writes the mails."""
    found = ([one.name, one.email, one.team, link(one)] for one in some)
    return [["name", "email", "team", "link"], *([*map(spreadsheet_cell, row)] for row in found)]
