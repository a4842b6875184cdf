"""The outbox: a notice is a row, written in the transaction of what it tells; neither is there without the other.

Nothing is written where challenge.yaml has no `notify`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Notice, Team, User
from nav_eval_server.notices import words
from nav_eval_server.notices.words import Kind
from nav_eval_server.queue.states import Sentence

TO_ORGANISERS: frozenset[Kind] = frozenset({"team_waits", "appealed", "misconfigured", "unplayable"})
TO_EVERYBODY: frozenset[Kind] = frozenset({"revealed", "date_moved", "announcement"})
MAX_SHOWN = 10
State = Notice.State
LONGEST = 200
"""Characters of a subject."""


def tell(challenge: Challenge, kind: Kind, *, path: str, team: Team | None = None, **facts: str | Sentence) -> None:
    """Of something that happened: to the team, to organisers or to every team as its kind wants it, and the webhook.

    `path`: the page to look at; `facts`: what the words of the kind need, with `team` by its name.
    """
    both = {name: _both(value) for name, value in facts.items()} | ({"team": _both(team.name)} if team else {})
    link = f"{challenge.address}{path}" if challenge.address else ""
    subject, body = _compose(challenge, kind, both, link)
    if challenge.notify.mail is not None:
        send(challenge, [Notice(kind=kind, to=to, subject=subject, body=body) for to in _addresses(kind, team)])
    if challenge.notify.webhook is not None:
        send(challenge, [Notice(kind=kind, subject=subject, body=_payload(challenge, kind, both, body, link))])


def invite(challenge: Challenge, to: str, name: str, link: str) -> None:
    """Somebody who may have no account yet, by mail alone."""
    if challenge.notify.mail is not None:
        subject, body = _compose(challenge, "invited", {"name": _both(name)}, link)
        send(challenge, [Notice(kind="invited", to=to, subject=subject, body=body)])


def _compose(challenge: Challenge, kind: Kind, facts: Mapping[str, Sentence], link: str) -> tuple[str, str]:
    """Subject and body of a mail."""
    title: Sentence = {"en": challenge.title.en, "zh": challenge.title.zh}
    return words.subject(kind, facts)[:LONGEST], words.body(kind, facts, title, challenge.timezone, link)


def _both(value: str | Sentence) -> Sentence:
    return {"en": value, "zh": value} if isinstance(value, str) else value


def send(challenge: Challenge, notices: Iterable[Notice]) -> None:
    now = timezone.now()
    for notice in notices:
        notice.at = notice.next_at = now
        notice.deadline = now + timedelta(seconds=challenge.notify.give_up_seconds)
        notice.save(force_insert=True)


@dataclass(frozen=True)
class Standing:
    """How it stands with the notices. `given_up`: the newest that never arrived."""

    sent: int
    waiting: int
    given_up: tuple[Notice, ...]


def standing(challenge: Challenge) -> Standing | None:
    """None where there are no notices."""
    if challenge.notify.mail is None and challenge.notify.webhook is None:
        return None
    rows = Notice.objects.order_by("-pk")
    sent, waiting, lost = (rows.filter(state=state) for state in (State.SENT, State.WAITING, State.GIVEN_UP))
    return Standing(sent.count(), waiting.count(), tuple(lost[:MAX_SHOWN]))


def _addresses(kind: Kind, team: Team | None) -> list[str]:
    people = User.objects.filter(is_active=True).exclude(email="")
    if kind in TO_ORGANISERS:
        people = people.filter(is_staff=True)
    elif kind in TO_EVERYBODY:
        people = people.filter(teams__state=Team.State.APPROVED)
    else:
        people = people.filter(teams=team)
    return sorted(set(people.values_list("email", flat=True)))


def _payload(challenge: Challenge, kind: Kind, facts: Mapping[str, Sentence], text: str, link: str) -> str:
    """`text` is what chat programs show of a webhook's message."""
    told = {name: value["en"] for name, value in facts.items()}
    return json.dumps({"competition": challenge.name, "event": kind, "text": text, "link": link, "facts": told})
