"""A course's grades: what everybody's team reached in each phase, as a spreadsheet reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from nav_eval_server.board.places import Board, counted, mean
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Result, User
from nav_eval_server.web.standings import spreadsheet_cell


def table(challenge: Challenge) -> str:
    """CSV: a line for each person who is no organiser, a column for each phase; empty where nothing was played.

    A grade is the mean that the final board has, of the best submission among those that count.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "email", "team", *challenge.phases])
    grades = [_grades(challenge, phase) for phase in challenge.phases]
    for person in User.objects.filter(is_staff=False, is_active=True).prefetch_related("teams").order_by("username"):
        team = person.teams.first()
        told = [person.username, person.email, team.name if team else ""]
        writer.writerow([*map(spreadsheet_cell, told), *(found.get(team.pk, "") if team else "" for found in grades)])
    return text.getvalue()


def _grades(challenge: Challenge, phase: str) -> Mapping[int, float | None]:
    """By team."""
    submissions = [one.submission for one in counted(challenge, phase, Board.FINAL)]
    results = dict(Result.objects.filter(submission__in=submissions).values_list("submission", "document"))
    return {one.team_id: mean(results[one.pk], challenge.ranking.by) for one in submissions}
