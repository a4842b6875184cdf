"""How it stands with a submission, as its team is told: by a page and by the API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Submission
from nav_eval_server.queue.outlook import Outlook, Queue
from nav_eval_server.queue.states import FINAL, Language, Sentence, clock, sentence
from nav_eval_server.queue.tally import Reason, Tally, reasons, tally


@dataclass(frozen=True)
class Standing:
    """In the reader's language. `tally`: its episodes so far; `seconds_left`: of the run, where that can be told.

    `reasons`: why the newest failed, in the service's own words.
    """

    submission: Submission
    sentence: str
    tally: Tally
    final: bool
    seconds_left: float | None
    reasons: tuple[Reason, ...] = ()
    outlook: Outlook | None = None

    @property
    def played(self) -> int:
        return self.tally.played


def stand(
    challenge: Challenge, submission: Submission, language: Language, now: datetime, *, everything: bool = False
) -> Standing:
    """`everything`: all reasons of failures, for organisers."""
    return stand_in(Queue(challenge, now), submission, language, everything=everything)


def stand_in(queue: Queue, submission: Submission, language: Language, *, everything: bool = False) -> Standing:
    """As `stand`, of one of many at the moment of `queue`."""
    challenge, now = queue.challenge, queue.now
    counts = tally(submission)
    told = sentence(submission, language, zone=challenge.zone, now=now, tally=counts)
    left, final = seconds_left(submission, counts.played, now), submission.state in FINAL
    why = reasons(submission, everything=everything) if counts.failed else ()
    ahead = queue.outlook(submission)
    if ahead is not None:
        told += _ahead(ahead, language, challenge, now)
    return Standing(submission, told, counts, final, left, why, ahead)


def _ahead(ahead: Outlook, language: Language, challenge: Challenge, now: datetime) -> str:
    """Behind the sentence: the place, and when its turn comes, where that can be told."""
    told = PLACE[language].format(place=ahead.place)
    at = clock(ahead.expected_start, challenge.zone, now)
    return told + (EXPECTED[language].format(at=at) if ahead.expected_start else "")


PLACE: Sentence = {"en": " Number {place} in the queue.", "zh": "当前排在第 {place} 位。"}
EXPECTED: Sentence = {"en": " It is to begin at about {at}.", "zh": "预计约 {at} 开始。"}


def seconds_left(submission: Submission, played: int, now: datetime) -> float | None:
    """At the pace of the attempt that is at work; None until it has played an episode."""
    if submission.state != Submission.State.RUNNING or submission.episodes_total is None:
        return None
    attempt = submission.attempts.filter(live=True).first()
    own = attempt.episode_set.count() if attempt else 0
    if attempt is None or not own:
        return None
    return (now - attempt.started_at).total_seconds() / own * max(0, submission.episodes_total - played)
