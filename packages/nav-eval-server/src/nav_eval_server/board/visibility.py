"""Who sees which figures: every page and every answer of the API asks `visible_to`, and nothing else decides.

What is hidden and what does not exist get the same answer, None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AnonymousUser

from nav_eval_server.board.ladder import climb
from nav_eval_server.board.places import Board, document, higher_is_better, latest, mean, scored
from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.models import Ranking, Submission, Team, User
from nav_eval_server.queue.files import AGENT_LOG, LOG
from nav_eval_server.queue.states import State
from nav_eval_server.settings import current

Figures = Mapping[str, float | None]
"""Measure -> mean; what is not finite is None."""
RECORDS = (LOG, "episodes.jsonl", "trajectories.jsonl", "tries.jsonl", "results.json")
"""Not its configuration, which says where data of this machine lies, nor its secret."""
Viewer = User | AnonymousUser | Team | None
"""A person, a team that shows its token, or nobody known."""


class Sight:
    """What one viewer sees. `organiser`: everything; `teams`: whose own submissions are seen."""

    def __init__(self, challenge: Challenge, *, organiser: bool, teams: frozenset[int]) -> None:
        self._challenge, self._organiser, self._teams = challenge, organiser, teams

    def board(self, phase: str, board: str = Board.PUBLIC) -> Mapping[str, Any] | None:
        """A board's document (board.places). Organisers see a final board as it is now, others once it is revealed."""
        rules = self._challenge.phases.get(phase)
        if rules is None or board not in Board.values or (board == Board.PUBLIC and rules.board == "private"):
            return None
        if board == Board.FINAL and self._organiser:
            return document(self._challenge, phase, Board.FINAL)
        kept = latest(phase, Board(board), revealed=board == Board.FINAL)
        return kept.document if kept else None

    def figures(self, submission: str) -> Figures | None:
        """Of a submission: of one's own as soon as the phase shows any, of others' what their boards show."""
        found = Submission.objects.filter(pk=submission).select_related("result").first()
        if found is None or not hasattr(found, "result"):
            return None
        rules, mine = self._challenge.phases.get(found.phase), found.team_id in self._teams
        done = rules is not None and rules.board == "public" and found.state == State.DONE
        step = rules.ladder if rules is not None else None
        revealed = latest(found.phase, Board.FINAL, revealed=True) is not None
        if self._organiser or (mine and (revealed or found.phase == DRY_RUN or (done and step is None))):
            return _means(found)
        if mine and done and step is not None:
            return self._released_score(found, step)
        return _on_board(found)

    def evidence(self, submission: str) -> bool:
        """Whether the run's public form, with its signature, may be shown: it holds every exact mean."""
        found = Submission.objects.filter(pk=submission, state=State.DONE).first()
        if found is None:
            return False
        if self._organiser:
            return True
        rules = self._challenge.phases.get(found.phase)
        plain = rules is not None and rules.ladder is None
        boards = [latest(found.phase, Board.FINAL, revealed=True), latest(found.phase, Board.PUBLIC) if plain else None]
        return any(_entry(kept, submission) is not None for kept in boards)

    def records(self, submission: str) -> tuple[str, ...]:
        """Which of the run's files may be read: of one's own what its image said, and all those of a dry run.

        Organisers read those of every run.
        """
        rows = Submission.objects.filter(pk=submission)
        found = (rows if self._organiser else rows.filter(team__in=self._teams)).first()
        if found is None:
            return ()
        return (AGENT_LOG, *RECORDS) if self._organiser or found.phase == DRY_RUN else (AGENT_LOG,)

    def _released_score(self, submission: Submission, step: float) -> Figures:
        """What the team's public score was after it, and nothing of its own."""
        mine = scored(self._challenge, submission.phase)
        mine = [one for one in mine if one.submission.team_id == submission.team_id and one.mean is not None]
        higher = higher_is_better(self._challenge, submission.phase)
        released = climb((one.mean for one in mine if one.mean is not None), step, higher=higher)
        after = {one.submission.id: released[n].score for n, one in enumerate(mine)}
        return {self._challenge.ranking.by: after.get(submission.id)}


def visible_to(viewer: Viewer) -> Sight:
    """What they may see of figures."""
    if isinstance(viewer, Team):
        return Sight(current(), organiser=False, teams=frozenset({viewer.pk}))
    if not isinstance(viewer, User) or not viewer.is_active:
        return Sight(current(), organiser=False, teams=frozenset())
    teams = frozenset(viewer.teams.values_list("pk", flat=True))
    return Sight(current(), organiser=viewer.is_staff, teams=teams)


def _means(submission: Submission) -> Figures:
    recorded = submission.result.document
    return {name: mean(recorded, name) for name in recorded.get("metrics", {})}


def _on_board(submission: Submission) -> Figures | None:
    """What everybody reads of it on a board."""
    for kept in (latest(submission.phase, Board.FINAL, revealed=True), latest(submission.phase, Board.PUBLIC)):
        entry = _entry(kept, submission.id)
        if kept is not None and entry is not None:
            return {kept.document["measure"]: entry["score"], **entry.get("beside", {})}
    return None


def _entry(kept: Ranking | None, submission: str) -> Mapping[str, Any] | None:
    entries = kept.document["entries"] if kept else ()
    return next((line for line in entries if line["submission"] == submission), None)
