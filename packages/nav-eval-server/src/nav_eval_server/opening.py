"""The rules are frozen when the first phase opens: their hash is in the audit log, and another one is not served.

Only who serves freezes them, or who ends a phase: a command that looks, or makes a token, leaves them as free as they
were.
"""

from __future__ import annotations

from django.utils import timezone

from nav_eval.errors import ConfigError
from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Event

OPENED = "opened"
CHANGED = "changed"
"""What may be changed in challenge.yaml after the opening was: dates, queue, endpoints, teams."""


def freeze(challenge: Challenge) -> None:
    """Note the opening, once a phase is open, and each change of the file after it. Raises ConfigError as check."""
    check(challenge)
    if all(challenge.opens(phase) > timezone.now() for phase in challenge.phases):
        return
    now = {"rules_sha256": challenge.rules_sha256, "challenge_sha256": challenge.sha256}
    last = Event.objects.filter(action__in=(OPENED, CHANGED)).last()
    if last is None or last.details.get("challenge_sha256") != challenge.sha256:
        events.record(OPENED if last is None else CHANGED, challenge.name, **now)


def check(challenge: Challenge) -> None:
    """Raises ConfigError if the rules are no longer those of the opening."""
    opened = Event.objects.filter(action=OPENED).first()
    if opened is not None and opened.details["rules_sha256"] != challenge.rules_sha256:
        raise ConfigError(
            f"{challenge.folder}/challenge.yaml: the rules were changed after the opening "
            f"({opened.details['rules_sha256'][:12]} is now {challenge.rules_sha256[:12]}). Restore them; "
            "dates, queue, endpoints and teams may be changed. To have other rules, found the competition anew in "
            "another folder: `nav-eval competition init DIR`."
        )
