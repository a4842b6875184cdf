"""The columns of a board, each declared once: pages, CSV and JSON files are made of these.

A column needs nothing of a board that was kept before there was such a column: there its cells are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from nav_eval.report.words import metric_words, recorded_definition, said
from nav_eval.results.statistics import Interval
from nav_eval_server.board.usage import Spent, amounts_told, cost, tokens
from nav_eval_server.web.context import language
from nav_eval_server.web.words import figure, sensed


@dataclass(frozen=True)
class Row:
    """`entry`: a line of board.places; `interval`: of its score; `share`: its score in percent where the measure is a
    share, for a bar; `sensors`: the sensor class of its results.json, "" in one from before it held that; `usage`: what
    an episode cost in the mean, where its service tells; `method`: what its team says of it; `date`: when it was
    submitted, in the challenge's time zone."""

    entry: Mapping[str, Any]
    share: float | None
    mine: bool
    sensors: str = ""
    usage: Spent = field(default_factory=dict)
    method: Mapping[str, str] = field(default_factory=dict)
    interval: Interval | None = None
    date: str = ""

    @property
    def published(self) -> Mapping[str, Any]:
        """Its line in the JSON file."""
        ends = self.interval and [*self.interval]
        told = {"date": self.date, "score_ci95": ends, "usage": self.usage, "method": self.method}
        return {**self.entry, **{name: value for name, value in told.items() if value}}


@dataclass(frozen=True)
class Column:
    """`name`: over it in the CSV file, "" where only pages have it; `title`: over it on a page, in the reader's
    language, "" where only files have it, or a page shows it in a form of its own; `about`: what it is. `shown`: its
    cell on a page. `quiet`: stands last there, and pale."""

    name: str
    value: Callable[[Row], Any]
    title: str = ""
    about: str = ""
    shown: Callable[[Any], str] = str
    number: bool = True
    quiet: bool = False

    def cell(self, row: Row) -> str:
        value = self.value(row)
        return "–" if value is None else self.shown(value)


@dataclass(frozen=True)
class Measure:
    """A metric as pages show it, in the reader's language: `title` with its unit, `about` it, shares in percent."""

    title: str
    about: str
    share: bool

    def shown(self, value: float | None) -> str:
        return f"{100 * value:.1f}" if self.share and value is not None else figure(value)

    def between(self, ends: Interval | None) -> str:
        """The interval of a value, "" without one."""
        return "–".join(map(self.shown, ends)) if ends else ""


def measure(results: Mapping[str, Any], name: str) -> Measure:
    """The metric `name`, as `results` (results.json of an entry that has it) defines it."""
    definition = recorded_definition(results, name)
    title, about = metric_words(name, definition)[language()]
    if not definition.is_share:
        return Measure(title, about, share=False)
    return Measure(f"{title}（%）" if language() == "zh" else f"{title} (%)", about, share=True)


def titles(names: Iterable[str]) -> str:
    """What metrics are called in the reader's language, without an entry to ask."""
    return " · ".join(metric_words(name, recorded_definition({}, name))[language()][0] for name in names)


def columns(rows: Sequence[Row], results: Mapping[str, Any]) -> list[Column]:
    """In the order of the CSV file; those of pages for a reader's language. `results`: an entry's, for what measures
    are."""
    own = ("rank", "rank_ci95", "team", "role", "score")
    counts = (("failed", _("Errors")), ("excluded", _("Excluded")))
    return [
        *(Column(name, partial(_entry, name)) for name in own),
        *(Column(f"score_ci95_{end}", partial(_end, n)) for n, end in enumerate(("low", "high"))),
        *(Column(name, partial(_entry, name), title, quiet=True) for name, title in counts),
        Column("submission", partial(_entry, "submission")),
        Column("date", lambda row: row.date),
        *([Column("convention", lambda row: results["convention"])] if results.get("convention") else []),
        *(_metric_column(name, results) for name in (rows[0].entry.get("beside", ()) if rows else ())),
        *_usage(amounts_told(row.usage for row in rows)),
        *(Column(f"method_{name}", partial(_method, name)) for name in _method_names(rows)),
        Column("", lambda row: row.sensors, _("Sensors"), shown=sensed, number=False, quiet=True),
    ]


def on_page(found: Iterable[Column]) -> list[Column]:
    """Those that a page shows beside rank, team and score, in its order."""
    return sorted((column for column in found if column.title), key=lambda column: column.quiet)


def _metric_column(name: str, results: Mapping[str, Any]) -> Column:
    found = measure(results, name)
    return Column(name, partial(_secondary, name), found.title, found.about, found.shown)


def _entry(name: str, row: Row) -> Any:
    return row.entry.get(name)


def _end(n: int, row: Row) -> float | None:
    """Of the score's interval."""
    return row.interval[n] if row.interval else None


def _method_names(rows: Sequence[Row]) -> Iterable[str]:
    return dict.fromkeys(name for row in rows for name in row.method)


def _method(name: str, row: Row) -> str | None:
    return row.method.get(name)


def _secondary(name: str, row: Row) -> Any:
    return row.entry.get("beside", {}).get(name)


def _usage(names: Sequence[str]) -> Iterator[Column]:
    """Each amount in the files, tokens and cost on a page; none where no service told any."""
    yield from (Column(name, lambda row, name=name: row.usage.get(name)) for name in names)  # type: ignore[misc]
    if names:
        yield Column("", lambda row: row.usage, said(language(), "usage.axis.tokens"), shown=tokens)
        yield Column("", lambda row: row.usage, said(language(), "usage.cost"), shown=cost)
