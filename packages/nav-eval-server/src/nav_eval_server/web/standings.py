"""The board of a phase, and what of a submission's figures somebody may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Result, Submission, Team, User
from nav_eval_server.queue.states import State

LOWER = frozenset({"navigation_error", "distance_to_goal", "collisions", "steps", "path_length"})
"""Measures of which less is better."""


@dataclass(frozen=True)
class Row:
    """A team's best entry. `share`: the value in percent where it is a share of one, for a bar."""

    place: int
    team: str
    value: float
    episodes: int
    at: datetime
    share: float | None


def board_rows(challenge: Challenge, phase: str, user: User | AnonymousUser) -> list[Row]:
    """Best first; equal values share a place."""
    by = challenge.ranking.by
    done = Result.objects.filter(submission__state=State.DONE, submission__phase=phase)
    shown = done.exclude(submission__team__state=Team.State.BLOCKED).select_related("submission__team")
    sign = 1 if by in LOWER else -1
    best: dict[int, tuple[float, Result]] = {}
    for result in shown.order_by("submission__accepted_at"):
        value = means(result).get(by)
        team = result.submission.team_id
        if value is not None and (team not in best or sign * value < sign * best[team][0]):
            best[team] = (value, result)
    ordered = sorted(best.values(), key=lambda pair: sign * pair[0])
    return [_row(value, result, [v for v, _ in ordered]) for value, result in ordered]


def _row(value: float, result: Result, values: list[float]) -> Row:
    return Row(
        place=values.index(value) + 1,
        team=result.submission.team.name,
        value=value,
        episodes=int(result.document.get("n_episodes") or 0),
        at=result.at,
        share=100 * value if all(0 <= other <= 1 for other in values) else None,
    )


def figures(submission: Submission) -> Mapping[str, float]:
    """What its own team sees of a finished submission: means, nothing of single episodes."""
    found = Result.objects.filter(submission=submission, submission__state=State.DONE).first()
    return {} if found is None else means(found)


def means(result: Result) -> dict[str, float]:
    summaries = result.document.get("metrics") or {}
    return {name: summary["mean"] for name, summary in summaries.items() if summary.get("mean") is not None}
