"""How the episodes of a submission ended: counted by status and by side, and what its own service said of failures.

Counts tell nothing of the episodes themselves, so a team reads those of a phase whose figures are hidden, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from django.db.models import Count

from nav_eval_sdk.protocol.text import line
from nav_eval_server.models import Submission

Language = Literal["en", "zh"]
Failures = Literal["", "some", "most", "all"]
OK = "ok"
TEAMS = frozenset({"agent_error", "agent_timeout", "invalid_action", "service_unavailable"})
"""Failures on the team's side; all others are on ours: the organisers' budget, the evaluator."""
QUOTED = (
    "the service refused: ",
    "the service's answer was refused: ",
    "the service lost the session",
    "the service answered ",
    "the service gave ",
    "the episode took longer ",
)
"""How reasons begin that tell of the service's answers and times, and of nothing else. What is told of a connection is
not among them: it may name addresses behind ours. Of an invalid action every reason quotes the answer."""
LATEST = 60
"""So many failed episodes are looked at for their reasons."""
SHOWN = 3
LONGEST = 200
"""Characters of a reason."""


@dataclass(frozen=True)
class Tally:
    """`by_status`: played episodes by how they ended, the commonest first.

    >>> Tally({"ok": 1, "agent_error": 3}).failures
    'most'
    """

    by_status: Mapping[str, int] = field(default_factory=dict)

    @property
    def played(self) -> int:
        return sum(self.by_status.values())

    @property
    def failed(self) -> int:
        return self.played - self.by_status.get(OK, 0)

    @property
    def failures(self) -> Failures:
        """How much of it failed; most: more than half."""
        if not self.failed:
            return ""
        return "all" if self.failed == self.played else "most" if 2 * self.failed > self.played else "some"

    def sentence(self, language: Language) -> str:
        """36 of 36 episodes failed: 36 agent_error on your side. "" where none did."""
        if not self.failed:
            return ""
        sides = [(self._side(True), SIDES[language][0]), (self._side(False), SIDES[language][1])]
        told = SEPARATOR[language].join(side.format(counts) for counts, side in sides if counts)
        return FAILED[language].format(failed=self.failed, played=self.played, told=told)

    def _side(self, teams: bool) -> str:
        found = self.by_status.items()
        return ", ".join(f"{n} {status}" for status, n in found if status != OK and (status in TEAMS) is teams)


FAILED: Mapping[Language, str] = {
    "en": "{failed} of {played} episodes failed: {told}.",
    "zh": "{played} 个回合中有 {failed} 个失败：{told}。",
}
SIDES: Mapping[Language, tuple[str, str]] = {
    "en": ("{} on your side", "{} on ours"),
    "zh": ("您一方 {}", "我们一方 {}"),
}
SEPARATOR: Mapping[Language, str] = {"en": "; ", "zh": "；"}


def tally(submission: Submission) -> Tally:
    counts = submission.episodes.values_list("status").annotate(n=Count("pk")).order_by("-n", "status")
    return Tally(dict(counts))


@dataclass(frozen=True)
class Reason:
    """Why an episode failed. `text`: what the service said of it, cut."""

    status: str
    text: str


def reasons(submission: Submission, *, everything: bool = False) -> tuple[Reason, ...]:
    """The newest, each once. `everything`: also those that are not the service's own words, for organisers."""
    rows = submission.episodes.exclude(status=OK).exclude(reason="").order_by("-pk").values_list("status", "reason")
    told = (Reason(status, line(text, LONGEST)) for status, text in rows[:LATEST] if everything or own(status, text))
    return tuple(dict.fromkeys(told))[:SHOWN]


def own(status: str, text: str) -> bool:
    """Whether a reason is the service's own words, or ours about its answer."""
    return status == "invalid_action" or (status in TEAMS and text.startswith(QUOTED))
