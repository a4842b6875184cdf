"""What the server knows about a person: all of it in one document, and its erasure.

A team's results stay: they are the team's. So does the account's name in the audit log, each row of which holds the sum
of the one before; the page says so before anybody erases.
"""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import transaction
from django.utils import timezone

from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.images import storage
from nav_eval_server.models import Event, Membership, Notice, Submission, Team, User, Word
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL

TRIES = (AccessAttempt, AccessFailureLog, AccessLog)
"""Of logging in, with addresses."""


def export(user: User) -> dict[str, Any]:
    """JSON; times are UTC."""
    return {
        "account": _row(user, "username", "email", "is_staff", "date_joined", "last_login", "terms_sha256", "terms_at"),
        "second_factor": bool(user.sealed_totp),
        "teams": [_row(row, "team.name", "captain") for row in Membership.objects.filter(user=user)],
        "invitations": [_row(one, "name", "email", "team", "at", "used_at") for one in user.invitations.all()],
        "tokens": [_row(row, "team.name", "name", "created_at", "last_used_at") for row in user.tokens.all()],
        "submissions": [_row(one, "id", "team.name", "phase", "accepted_at", "state") for one in _submissions(user)],
        "appeals": [_row(one, "appeal.submission_id", "at", "text") for one in Word.objects.filter(user=user)],
        "notices": [_row(one, "kind", "subject", "at", "state") for one in _notices(user)],
        "logins": [
            _row(one, "attempt_time", "ip_address", "user_agent") for kind in TRIES for one in _tries(kind, user)
        ],
        "audit_log": [
            _row(one, "at", "action", "subject", "details") for one in Event.objects.filter(actor=user.username)
        ],
    }


def _submissions(user: User) -> Any:
    return Submission.objects.filter(user=user).select_related("team").order_by("accepted_at")


def _notices(user: User) -> Any:
    return Notice.objects.filter(to=user.email).exclude(to="")


def _tries(kind: Any, user: User) -> Any:
    return kind.objects.filter(username=user.username)


def _row(thing: Any, *names: str) -> dict[str, Any]:
    return {name: _value(thing, name) for name in names}


def _value(thing: Any, name: str) -> Any:
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing.isoformat() if hasattr(thing, "isoformat") else thing


def erase(challenge: Challenge, user: User, actor: str) -> None:
    """Delete the account and everything about it. Raises Refusal for the last organiser.

    Another member becomes captain where there is one; a team that nobody is left of is closed.
    """
    with transaction.atomic():
        others = User.objects.select_for_update().filter(is_staff=True, is_active=True).exclude(pk=user.pk)
        if user.is_staff and not others.exists():
            raise Refusal("last_organiser", "The last organiser cannot be removed.", "最后一个主办方账户不能删除。")
        for team in Team.objects.filter(membership__user=user):
            _hand_over(challenge, team, user, actor)
        forget(user)
        events.record("person_erased", "account", actor=actor)
    storage.tidy(challenge)


def forget(user: User) -> None:
    """The account, its notices, its invitation and where it logged in from."""
    _notices(user).delete()
    user.invitations.all().delete()
    for kind in TRIES:
        _tries(kind, user).delete()
    user.delete()


def _hand_over(challenge: Challenge, team: Team, user: User, actor: str) -> None:
    left = Membership.objects.filter(team=team).exclude(user=user).order_by("-captain", "pk").first()
    if left is not None:
        Membership.objects.filter(pk=left.pk).update(captain=True)
        return
    for one in team.submissions.exclude(state__in=FINAL):
        Dispatcher(challenge).cancel(one, actor)
    team.submissions.update(sealed_token="")
    team.endpoints.all().delete()
    team.tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
    Team.objects.filter(pk=team.pk).update(state=Team.State.BLOCKED)
