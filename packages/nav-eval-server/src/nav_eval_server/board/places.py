"""Boards of a phase, computed from rows: which submission of a team counts, with what score, at which rank.

The public board has each team's best, or what its Ladder has released; a Ladder's board depends on released submissions
alone. The final board has the best of those that a team chose (by default its last), with exact means. Ranks and
rank intervals are of nav_eval.results.ranking, among teams; baselines and oracles are measured on the same episodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Q

from nav_eval.errors import RunDirectoryError
from nav_eval.results import ranking
from nav_eval.results.compare import EpisodeKey, RunRecords
from nav_eval.results.export import recorded_definitions
from nav_eval_server.board.ladder import climb
from nav_eval_server.challenge import Challenge, content_sha256
from nav_eval_server.models import Episode, Ranking, Result, Submission, Team
from nav_eval_server.queue.states import State

Board = Ranking.Board


@dataclass(frozen=True)
class Scored:
    """A submission that is done, and its mean of the ranking measure; None where no episode has a finite value."""

    submission: Submission
    mean: float | None


@dataclass(frozen=True)
class Counted:
    """The submission that stands for its team; `shown`: the score in place of its mean, where a Ladder has one."""

    submission: Submission
    shown: float | None = None


def scored(challenge: Challenge, phase: str) -> list[Scored]:
    """What is done in a phase, by team, in the order in which it was found."""
    rows = Result.objects.filter(
        submission__phase=phase, submission__state=State.DONE, submission__team__disqualified=""
    )
    ordered = rows.select_related("submission__team").order_by("submission__team_id", "at", "submission_id")
    return [Scored(row.submission, mean(row.document, challenge.ranking.by)) for row in ordered]


def mean(document: Any, measure: str) -> float | None:
    """Of results.json."""
    value = document.get("metrics", {}).get(measure, {}).get("mean")
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def higher_is_better(challenge: Challenge, phase: str) -> bool:
    """As the evaluator recorded it of the measure; where it did not, more is better."""
    measure = challenge.ranking.by
    for row in Result.objects.filter(submission__phase=phase).order_by("at")[:1]:
        definition = recorded_definitions(row.document).get(measure)
        return definition is None or definition.better != "lower"
    return True


def counted(challenge: Challenge, phase: str, board: Board) -> list[Counted]:
    """One for each team that has anything."""
    higher = higher_is_better(challenge, phase)
    choose = _choice(challenge, phase, board, higher)
    teams = groupby(scored(challenge, phase), key=lambda one: one.submission.team_id)
    found = (choose([one for one in mine if one.mean is not None]) for _, mine in teams)
    return [one for one in found if one is not None]


def _choice(
    challenge: Challenge, phase: str, board: Board, higher: bool
) -> Callable[[Sequence[Scored]], Counted | None]:
    rules = challenge.phases[phase]

    def best(mine: Sequence[Scored]) -> Counted | None:
        pick = max if higher else min
        return Counted(pick(mine, key=lambda one: one.mean).submission) if mine else None  # type: ignore[arg-type,return-value]

    def released(mine: Sequence[Scored]) -> Counted | None:
        if not mine or rules.ladder is None:
            return None
        last = climb((one.mean for one in mine if one.mean is not None), rules.ladder, higher=higher)[-1]
        return Counted(mine[last.by].submission, last.score)

    def chosen(mine: Sequence[Scored]) -> Counted | None:
        named = [one for one in mine if one.submission.chosen_at is not None]
        return best(named or mine[-rules.finals :])

    if board == Board.FINAL:
        return chosen
    return best if rules.ladder is None else released


def document(challenge: Challenge, phase: str, board: Board) -> dict[str, Any]:
    """The board as it would be now; JSON.

    `score` is what the team is shown with; `failed` counts its failed episodes, `excluded` those that have no value in
    one of the entries. `rank` is None for baselines, oracles, and where nothing could be compared. Ranks speak of these
    episodes; `elsewhere` says whether the first team is ahead in other buildings too, or about how many more would tell
    (None, where a Ladder holds figures back). `beside`, where the rules name further measures: the means of the entry's
    own results.json.
    """
    higher = higher_is_better(challenge, phase)
    teams = counted(challenge, phase, board)
    found = records(challenge, [one.submission for one in teams])
    failed = _count_failures([one.submission for one in teams])
    found = {key: replace(one, played_well=len(one.episodes) - failed.get(key, 0)) for key, one in found.items()}
    entrants = [found[one.submission.id] for one in teams if one.submission.team.role == Team.Role.TEAM]
    order = _rank(entrants, challenge.ranking.by, higher)
    keys = common_episodes(entrants or list(found.values()), challenge.ranking.by)
    places = {place.name: place for place in order.places} if order else {}
    lines = [_line(one, places, _over(found[one.submission.id], keys, challenge.ranking.by), failed) for one in teams]
    secondary = _secondary_metrics(challenge, phase, board, [one.submission for one in teams])
    lines = [line | {"beside": secondary[line["submission"]]} for line in lines] if secondary else lines
    return {
        "competition": challenge.name,
        "rules_sha256": challenge.rules_sha256,
        "phase": phase,
        "board": board.value,
        "measure": challenge.ranking.by,
        "higher_is_better": higher,
        "step": phase_step(challenge, phase, board),
        "n_episodes": len(keys),
        "n_buildings": len({scene for scene, _ in keys}),
        "elsewhere": _elsewhere(order) if phase_step(challenge, phase, board) is None else None,
        "entries": sorted(
            lines, key=lambda line: (not ranking.played(found[line["submission"]]), _order(line, higher))
        ),
        "void": _void(phase),
    }


def phase_step(challenge: Challenge, phase: str, board: Board) -> float | None:
    """By how much more a score must be to move, where a Ladder has the public board."""
    return challenge.phases[phase].ladder if board == Board.PUBLIC else None


def _elsewhere(order: ranking.Ranking | None) -> dict[str, Any] | None:
    if order is None or order.ahead is None:
        return None
    first = order.ahead
    return {"team": first.second, "sure": first.sure_elsewhere, "more_buildings": first.more_buildings}


def records(challenge: Challenge, submissions: Sequence[Submission]) -> dict[str, RunRecords]:
    """By submission: the ranking measure in each of its episodes; NaN where it is none. Named by team."""
    measure = challenge.ranking.by
    values: dict[str, dict[EpisodeKey, dict[str, float]]] = {one.id: {} for one in submissions}
    rows = Episode.objects.filter(submission__in=submissions)
    for owner, scene, episode, metrics in rows.values_list("submission_id", "scene", "episode", "metrics"):
        value = metrics.get(measure)
        values[owner][scene, episode] = {measure: math.nan if value is None else float(value)}
    return {one.id: RunRecords(one.team.name, values[one.id]) for one in submissions}


def _rank(entries: Sequence[RunRecords], measure: str, higher: bool) -> ranking.Ranking | None:
    try:
        return ranking.rank(entries, measure, higher_is_better=higher)
    except RunDirectoryError:  # nobody, or nobody that has an episode in common with all the others
        return None


def common_episodes(entries: Iterable[RunRecords], measure: str) -> set[EpisodeKey]:
    """In which all have a finite value."""
    finite = [{key for key, row in one.episodes.items() if math.isfinite(row[measure])} for one in entries]
    return set.intersection(*finite) if finite else set()


def _over(entry: RunRecords, keys: set[EpisodeKey], measure: str) -> tuple[float | None, int]:
    """The mean over some episodes, so far as it has a value there, and how many of its own are not in it."""
    rows = (entry.episodes.get(key, {}).get(measure, math.nan) for key in keys)
    values = [value for value in rows if math.isfinite(value)]
    return (math.fsum(values) / len(values) if values else None), len(entry.episodes) - len(values)


def _count_failures(submissions: Sequence[Submission]) -> dict[str, int]:
    """By submission; those of which no episode failed are not in it."""
    rows = Episode.objects.filter(submission__in=submissions).exclude(status="ok").values_list("submission_id")
    counts: dict[str, int] = {}
    for (owner,) in rows:
        counts[owner] = counts.get(owner, 0) + 1
    return counts


def _secondary_metrics(
    challenge: Challenge, phase: str, board: Board, submissions: Sequence[Submission]
) -> dict[str, dict[str, float | None]]:
    """By submission: means that do not rank. A Ladder releases one number; a second would tell what it holds back."""
    names = challenge.ranking.secondary_metrics
    if not names or (board == Board.PUBLIC and challenge.phases[phase].ladder is not None):
        return {}
    rows = Result.objects.filter(submission__in=submissions)
    return {row.submission_id: {name: mean(row.document, name) for name in names} for row in rows}


def _line(
    one: Counted, places: dict[str, ranking.Place], own: tuple[float | None, int], failed: dict[str, int]
) -> dict[str, Any]:
    team = one.submission.team
    place = places.get(team.name) if team.role == Team.Role.TEAM else None
    exact = place.mean if place else own[0]
    return {
        "team": team.name,
        "role": team.role,
        "submission": one.submission.id,
        "rank": place.rank if place else None,
        "rank_ci95": list(place.rank_ci95) if place else None,
        "score": exact if one.shown is None else one.shown,
        "failed": failed.get(one.submission.id, 0),
        "excluded": place.left_out if place else own[1],
    }


def _order(line: dict[str, Any], higher: bool) -> tuple[float, int, str]:
    """Best first; those without a score last."""
    score = math.inf if line["score"] is None else -line["score"] if higher else line["score"]
    return score, line["rank"] or 0, line["team"]


def _void(phase: str) -> list[dict[str, str]]:
    """What was struck through, and why; without figures. Of a team that is on no board nothing."""
    struck = Q(state=State.VOID) | Q(state=State.DONE, team__disqualified=Team.Disqualified.STRUCK)
    rows = Submission.objects.filter(struck, phase=phase).exclude(team__disqualified=Team.Disqualified.REMOVED)
    ordered = rows.select_related("team").order_by("accepted_at", "id")
    return [{"team": one.team.name, "submission": one.id, "reason": _reason(one)} for one in ordered]


def _reason(struck: Submission) -> str:
    """Of itself, or of its team's disqualification."""
    if struck.state == State.VOID:
        return struck.detail
    decided = struck.team.decisions.filter(kind="disqualified").order_by("-pk").first()
    return decided.reason if decided else ""


def agree(one: Any, other: Any) -> bool:
    """Whether two boards say the same under the keys that both have: releases before and after name more, or fewer."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(agree(one[key], other[key]) for key in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)


def keep(content: dict[str, Any], now: datetime, *, revealed: bool = False) -> Ranking:
    """A snapshot of a board; the last one where nothing has changed since."""
    last = latest(content["phase"], Board(content["board"]), revealed=revealed)
    if last is not None and last.sha256 == content_sha256(content):
        return last
    return Ranking.objects.create(
        phase=content["phase"],
        board=content["board"],
        revealed=revealed,
        at=now,
        document=content,
        sha256=content_sha256(content),
    )


def latest(phase: str, board: Board, *, revealed: bool = False) -> Ranking | None:
    return Ranking.objects.filter(phase=phase, board=board, revealed=revealed).order_by("-pk").first()


class Keeper:
    """Keeps the public boards up to date; looks at figures only where a submission has ended since."""

    def __init__(self, challenge: Challenge) -> None:
        self._challenge = challenge
        self._seen: dict[str, list[Any]] = {}

    def refresh(self, now: datetime) -> None:
        for name, phase in self._challenge.phases.items():
            rows = Submission.objects.filter(phase=name, state__in=(State.DONE, State.VOID)).order_by("id")
            ended = list(rows.values_list("id", "state", "detail", "team__name", "team__role", "team__disqualified"))
            if phase.board == "public" and self._seen.get(name) != ended:
                keep(document(self._challenge, name, Board.PUBLIC), now)
                self._seen[name] = ended
