"""Boards as a page shows them. Which ones there are for a reader, and with what figures, board.visibility decides."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AnonymousUser

from nav_eval.report import verdict
from nav_eval.report.words import recorded_words, said
from nav_eval.results.export import recorded_definitions
from nav_eval_server.board.places import Board, latest
from nav_eval_server.board.usage import Spent, amounts_told, cost, tokens, usage_shown
from nav_eval_server.board.visibility import Figures, visible_to
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Result, Submission, User
from nav_eval_server.queue.states import Language
from nav_eval_server.web.context import language

COLUMNS = ("rank", "rank_ci95", "team", "role", "score", "failed", "excluded", "submission")


@dataclass(frozen=True)
class Row:
    """`entry`: a line of board.places; `share`: its score in percent where all scores are shares of one, for a bar;
    `sensors`: the sensor class of its results.json, "" in one from before it held that; `usage`: what an episode cost
    in the mean, where its service tells."""

    entry: Mapping[str, Any]
    share: float | None
    mine: bool
    sensors: str = ""
    usage: Spent = field(default_factory=dict)

    @property
    def tokens(self) -> str:
        return tokens(self.usage)

    @property
    def cost(self) -> str:
        return cost(self.usage)


@dataclass(frozen=True)
class Standings:
    """A board. `secret`: only organisers see it, before the reveal; `results`: an entry's, for what measures are."""

    phase: str
    final: bool
    secret: bool
    document: Mapping[str, Any]
    rows: tuple[Row, ...]
    results: Mapping[str, Any] = field(default_factory=dict)

    @property
    def secondary_metrics(self) -> list[str]:
        """Measures that it shows next to the one that ranks."""
        return list(next((line.get("beside", {}) for line in self.document["entries"]), {}))

    @property
    def usage(self) -> list[str]:
        """Names of what any entry spent something of."""
        return amounts_told(row.usage for row in self.rows)

    @property
    def usage_columns(self) -> list[str]:
        """Heads of the columns of tokens and cost, in the reader's language; none where no service told any."""
        return [said(language(), f"usage.{name}") for name in ("axis.tokens", "cost")] if self.usage else []

    @property
    def published(self) -> dict[str, Any]:
        """The document, with the usage of its entries in their lines."""
        lines = ({**row.entry, "usage": row.usage} if row.usage else row.entry for row in self.rows)
        return {**self.document, "entries": [*lines]}

    @property
    def heads(self) -> list[tuple[str, str]]:
        """Of the columns of measures, the one that ranks first: what each is called, with its unit, and what it is."""
        names = [self.document["measure"], *self.secondary_metrics]
        return [recorded_words(self.results, name)[language()] for name in names]

    @property
    def table(self) -> str:
        """As CSV."""
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow([*COLUMNS, *self.secondary_metrics, *self.usage])
        for row in self.rows:
            plain = (row.entry[name] for name in COLUMNS)
            beside = (row.entry["beside"][name] for name in self.secondary_metrics)
            writer.writerow([*map(_cell, plain), *beside, *(row.usage.get(name) for name in self.usage)])
        return table.getvalue()

    @property
    def remarks(self) -> list[str]:
        """What is known of other buildings than those of the phase, in the reader's language."""
        return elsewhere(self.document, language())

    @property
    def name(self) -> str:
        """Of its files, where it is published."""
        return f"{self.phase}-{Board.FINAL.value if self.final else Board.PUBLIC.value}"


def _cell(value: Any) -> Any:
    """A spreadsheet takes a text that begins like a formula for one."""
    if isinstance(value, list):
        return "-".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t" else value


def elsewhere(document: Mapping[str, Any], told_in: Language) -> list[str]:
    """Of a board's document, in the words that `nav-eval rank` and reports have too."""
    first = document.get("elsewhere")
    known = (
        [verdict.describe_other_buildings(told_in, first["team"], first["sure"], first["more_buildings"])]
        if first
        else []
    )
    return [*known, *filter(None, [verdict.few(told_in, document["n_buildings"])])]


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
    scores = [line["score"] for line in content["entries"] if line["score"] is not None]
    shares = all(0 <= score <= 1 for score in scores)
    usage = usage_shown(content)
    sensors = _sensors([line["submission"] for line in content["entries"]])
    first = Result.objects.filter(submission__in=[line["submission"] for line in content["entries"]]).first()
    rows = (
        Row(
            line,
            _percent(line["score"]) if shares else None,
            line["team"] in own,
            sensors.get(line["submission"]) or "",
            usage.get(line["submission"], {}),
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


def _percent(score: float | None) -> float | None:
    return None if score is None else 100 * score


def figures_with_units(figures: Figures | None, submission: Submission) -> list[tuple[str, float, str]]:
    """Name, value and unit of those that have a value; a share has no unit."""
    recorded = recorded_definitions(submission.result.document) if figures else {}
    units = {name: definition.unit for name, definition in recorded.items() if definition.unit != "share"}
    return [(name, value, units.get(name, "")) for name, value in (figures or {}).items() if value is not None]
