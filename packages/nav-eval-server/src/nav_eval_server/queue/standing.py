"""How it stands with a submission, as its team is told: by a page and by the API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Submission
from nav_eval_server.queue.states import FINAL, Language, sentence


@dataclass(frozen=True)
class Standing:
    """In the reader's language. `played`: its episodes so far; `seconds_left`: of the run, where that can be told."""

    submission: Submission
    sentence: str
    played: int
    final: bool
    seconds_left: float | None


def stand(challenge: Challenge, submission: Submission, language: Language, now: datetime) -> Standing:
    played = submission.episodes.count()
    told = sentence(submission, language, zone=challenge.zone, now=now, played=played)
    return Standing(submission, told, played, submission.state in FINAL, seconds_left(submission, played, now))


def seconds_left(submission: Submission, played: int, now: datetime) -> float | None:
    """At the pace of the attempt that is at work; None until it has played an episode."""
    if submission.state != Submission.State.RUNNING or submission.episodes_total is None:
        return None
    attempt = submission.attempts.filter(live=True).first()
    own = attempt.episode_set.count() if attempt else 0
    if attempt is None or not own:
        return None
    return (now - attempt.started_at).total_seconds() / own * max(0, submission.episodes_total - played)
