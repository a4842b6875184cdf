"""Teams and their members: each function is one transaction, and leaves its event."""

from __future__ import annotations

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Invitation, Membership, Team, User
from nav_eval_server.notices.outbox import tell
from nav_eval_server.queue.baselines import PEOPLE
from nav_eval_server.visible import looks_taken

INVITATION_SECONDS = 3 * 86400
SALT = "nav_eval_server.invitation"


class Denied(Exception):
    """`str()` says why, in the reader's language."""


def team_of(user: User) -> Team | None:
    """A person is in one team at most."""
    return Team.objects.filter(membership__user=user).first()


def leads(team: Team, user: User) -> bool:
    """Whether the user is a captain of the team."""
    return Membership.objects.filter(team=team, user=user, captain=True).exists()


def reserved(challenge: Challenge, own: str = "") -> set[str]:
    """Names of teams that may not be there yet: those of our agents, and those listed (invitations.py) but `own`."""
    listed = Invitation.objects.filter(used_at=None).exclude(team__in=("", own)).values_list("team", flat=True)
    return {*listed, *challenge.baselines, PEOPLE}


def create(challenge: Challenge, user: User, name: str, invitation: Invitation | None = None) -> Team:
    """A new team with its captain. `invitation`: an organiser's, with which it waits for nobody. Raises Denied."""
    with transaction.atomic():
        _alone(user)
        waits = challenge.teams.approval and invitation is None
        state = Team.State.PENDING if waits else Team.State.APPROVED
        kept = reserved(challenge, invitation.team if invitation else "")
        alike = looks_taken(name, {*Team.objects.exclude(name=name).values_list("name", flat=True), *kept})
        team, fresh = Team.objects.get_or_create(name=name, defaults={"state": state})
        if alike or not fresh:
            raise Denied(_("This name is taken. Choose another one."))
        Membership.objects.create(team=team, user=user, captain=True)
        events.record("team_founded", name, actor=user.username)
        if waits:
            tell(challenge, "team_waits", team=team, path="/organiser/")
        return team


def invitation(team: Team) -> str:
    """For an address that lets whoever has it join, for three days."""
    return signing.dumps(team.pk, salt=SALT)


def invited(text: str) -> Team | None:
    try:
        return Team.objects.filter(pk=signing.loads(text, salt=SALT, max_age=INVITATION_SECONDS)).first()
    except signing.BadSignature:
        return None


def join(team: Team, user: User, *, captain: bool = False) -> None:
    """Raises Denied if the user has a team."""
    with transaction.atomic():
        _alone(user)
        Membership.objects.create(team=team, user=user, captain=captain)
        events.record("member_joined", team.name, actor=user.username)


def leave(team: Team, user: User, actor: User) -> None:
    """Raises Denied for the last captain: a team without one could invite nobody."""
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        others = Membership.objects.filter(team=team, captain=True).exclude(user=user)
        if not others.exists():
            raise Denied(_("A team keeps its captain."))
        Membership.objects.filter(team=team, user=user).delete()
        events.record("member_left", team.name, actor=actor.username, member=user.username)


def decide(challenge: Challenge, team: Team, state: Team.State, organiser: User) -> None:
    """Let it in, or keep it out; its running submissions go on."""
    with transaction.atomic():
        Team.objects.filter(pk=team.pk).update(state=state)
        events.record(f"team_{state}", team.name, actor=organiser.username)
        approved = state == Team.State.APPROVED
        tell(challenge, "team_approved" if approved else "team_blocked", team=team, path="/team/")


def assign(team: Team, role: Team.Role, organiser: User) -> None:
    """What boards show it as; those in force follow, a revealed one when it is revealed again."""
    with transaction.atomic():
        if Team.objects.filter(pk=team.pk).exclude(role=role).update(role=role):
            events.record("team_role", team.name, actor=organiser.username, role=role)


def _alone(user: User) -> None:
    User.objects.select_for_update().get(pk=user.pk)
    if team_of(user) is not None:
        raise Denied(_("You are in a team already."))
