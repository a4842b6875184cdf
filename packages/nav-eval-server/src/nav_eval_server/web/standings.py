"""Boards as a page shows them. Which ones there are for a reader, and with what figures, board.visibility decides."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import ngettext

from nav_eval.report import verdict
from nav_eval.report.words import recorded_definition
from nav_eval_server.board.intervals import score_intervals
from nav_eval_server.board.places import Board, latest
from nav_eval_server.board.usage import usage_shown
from nav_eval_server.board.visibility import Figures, visible_to
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Method, Result, Submission, Team, User
from nav_eval_server.queue.states import Language
from nav_eval_server.settings import current
from nav_eval_server.web.columns import Column, Measure, Row, columns, measure, on_page
from nav_eval_server.web.context import language


@dataclass(frozen=True)
class Standings:
    """A board. `secret`: only organisers see it, before the reveal; `results`: an entry's, for what measures are.

    `chosen`: the class of sensors that a page shows alone, beside baselines; "" for all.
    """

    phase: str
    final: bool
    secret: bool
    document: Mapping[str, Any]
    rows: tuple[Row, ...]
    results: Mapping[str, Any] = field(default_factory=dict)
    chosen: str = ""

    @property
    def columns(self) -> list[Column]:
        """Of its files and pages, in the reader's language."""
        return columns(self.rows, self.results)

    @property
    def on_page(self) -> list[Column]:
        """What a page shows beside rank, team and score."""
        return on_page(self.columns)

    @property
    def lines(self) -> list[tuple[Row, str, str, list[tuple[Column, str]]]]:
        """Of a page: each row, its score, the interval of that, and its cells of these."""
        shown = self.on_page
        return [(row, *self.score(row), [(column, column.cell(row)) for column in shown]) for row in self._chosen]

    @property
    def _chosen(self) -> list[Row]:
        return [row for row in self.rows if self.chosen in ("", row.sensors) or row.entry["role"] != Team.Role.TEAM]

    @property
    def classes(self) -> list[str]:
        """Of sensors, where teams use several."""
        found = sorted({row.sensors for row in self.rows if row.sensors and row.entry["role"] == Team.Role.TEAM})
        return found if len(found) > 1 else []

    def score(self, row: Row) -> tuple[str, str]:
        """As pages write it, and its interval."""
        return self.measure.shown(row.entry["score"]), self.measure.between(row.interval)

    @property
    def sure(self) -> bool:
        """Whether any score has an interval."""
        return any(row.interval for row in self.rows)

    def counts(self, row: Row) -> list[tuple[str, str]]:
        """How many episodes of an entry failed, and how many were left out, by the titles of their columns."""
        return [(one.title, one.cell(row)) for one in self.on_page if one.quiet and one.number]

    @property
    def published(self) -> dict[str, Any]:
        """The JSON file."""
        convention = {"convention": self.convention} if self.convention else {}
        return {**self.document, **convention, "entries": [row.published for row in self.rows]}

    @property
    def measure(self) -> Measure:
        """The one that ranks."""
        return measure(self.results, self.document["measure"])

    @property
    def convention(self) -> str:
        """Whose formulas the scores are, a name of task.convention; "" where none was chosen."""
        return self.results.get("convention") or ""

    @property
    def step(self) -> str:
        """What a score has to gain before it moves, as the page writes scores; "" where each moves at once."""
        step = self.document.get("step")
        if not step or not self.measure.share:
            return f"{step:g}" if step else ""
        points = f"{100 * step:g}"
        return ngettext("%(n)s percentage point", "%(n)s percentage points", 1 if points == "1" else 2) % {"n": points}

    @property
    def table(self) -> str:
        """The CSV file."""
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        found = [column for column in self.columns if column.name]
        writer.writerow(column.name for column in found)
        writer.writerows([spreadsheet_cell(column.value(row)) for column in found] for row in self.rows)
        return table.getvalue()

    @property
    def remarks(self) -> list[str]:
        """What is known of other buildings than those of the phase, in the reader's language."""
        return elsewhere(self.document, language())

    @property
    def name(self) -> str:
        """Of its files, where it is published."""
        return f"{self.phase}-{Board.FINAL.value if self.final else Board.PUBLIC.value}"


def spreadsheet_cell(value: Any) -> Any:
    """A spreadsheet takes a text that begins like a formula for one."""
    if isinstance(value, list):
        return "-".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")) else value


def elsewhere(document: Mapping[str, Any], told_in: Language) -> list[str]:
    """Of a board's document, in the words that `nav-eval rank` and reports have too."""
    first, buildings = document.get("elsewhere"), document["n_buildings"]
    known = (
        [verdict.describe_other_buildings(told_in, first["team"], first["sure"], first["more_buildings"], buildings)]
        if first
        else []
    )
    return [*known, *filter(None, [verdict.few(told_in, buildings)])]


def standings(phase: str, reader: User | AnonymousUser) -> list[Standings]:
    """The boards of a phase that the reader sees, the final one first."""
    found = ((board, visible_to(reader).board(phase, board)) for board in (Board.FINAL, Board.PUBLIC))
    return [_standings(phase, board, content, reader) for board, content in found if content is not None]


def leading(challenge: Challenge, boards: Sequence[Standings]) -> Standings | None:
    """What a first page shows of `standings`: of the newest phase that has entries, the final board first."""
    order = list(challenge.phases)
    return max((one for one in boards if one.rows), key=lambda one: order.index(one.phase), default=None)


def _standings(phase: str, board: Board, content: Mapping[str, Any], reader: User | AnonymousUser) -> Standings:
    own = set(reader.teams.values_list("name", flat=True)) if isinstance(reader, User) else set()
    usage = usage_shown(content)
    sensors = _sensors([line["submission"] for line in content["entries"]])
    first = Result.objects.filter(submission__in=[line["submission"] for line in content["entries"]]).first()
    definition = recorded_definition(first.document if first else {}, content["measure"])
    intervals = score_intervals(content, definition)
    dates = _dates(sensors)
    methods = {one.submission_id: one.told for one in Method.objects.filter(submission__in=list(sensors))}
    rows = (
        Row(
            line,
            _percent(line["score"]) if definition.is_share else None,
            line["team"] in own,
            methods.get(line["submission"], {}).get("sensors") or sensors.get(line["submission"]) or "",
            usage.get(line["submission"], {}),
            methods.get(line["submission"], {}),
            intervals.get(line["submission"]),
            dates.get(line["submission"], ""),
        )
        for line in content["entries"]
    )
    final = board == Board.FINAL
    return Standings(
        phase,
        final,
        final and latest(phase, board, revealed=True) is None,
        content,
        tuple(rows),
        first.document if first else {},
    )


def _sensors(submissions: Sequence[str]) -> dict[str, str | None]:
    """By submission."""
    rows = Result.objects.filter(submission__in=submissions)
    return dict(rows.values_list("submission_id", "document__sensor_class"))


def _dates(submissions: Iterable[str]) -> dict[str, str]:
    """Of each the day, where the competition is, on which its team submitted it, not on which it was run again."""
    rows = Submission.objects.filter(pk__in=list(submissions)).values_list("pk", "accepted_at", "reruns__accepted_at")
    return {pk: timezone.localtime(first or at, current().zone).date().isoformat() for pk, at, first in rows}


def _percent(score: float | None) -> float | None:
    return None if score is None else 100 * score


def measured(figures: Figures | None, submission: Submission) -> list[tuple[str, Measure, str]]:
    """Of an entry's page: name, measure and value of each that has a value."""
    results = submission.result.document if figures else {}
    found = [(name, measure(results, name), value) for name, value in (figures or {}).items() if value is not None]
    return [(name, one, one.shown(value)) for name, one, value in found]
