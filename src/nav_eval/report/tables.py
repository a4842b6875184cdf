"""Tables for papers, notes and spreadsheets from results.json: LaTeX (booktabs), Markdown, CSV; one row per run.

`paper_table` has the figures as papers print them (SR 14.0, NE 9.37), `results_table` every measure with four decimals,
both with 95 % intervals and the best in bold. A heading points to the better end; profile, split and n stand in the
caption, because a figure without them cannot be compared. Published results stand below, marked as not run here.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from nav_eval.core.definitions import Definition
from nav_eval.errors import ConfigError
from nav_eval.registry import nearest
from nav_eval.report.best import Best
from nav_eval.report.board import Board, excluded
from nav_eval.report.interval import interval
from nav_eval.report.published import Published, of_split
from nav_eval.report.source import Run, common_definitions, named_profile
from nav_eval.report.verdict import format_value
from nav_eval.report.words import short_name
from nav_eval.results.export import spreadsheet_cell
from nav_eval.results.files import write_bytes
from nav_eval.results.ranking import Place

NAMED = "agent"
"""The one column of words; figures stand to the right of their columns."""
PAPER = ("path_length", "navigation_error", "oracle_success", "success", "spl", "ndtw")
ALL, AS_PAPERS = "all", "paper"
DAGGER = "\N{DAGGER}"
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", DAGGER: r"$^\dagger$"}
ARROWS = {"higher": " \N{UPWARDS ARROW}", "lower": " \N{DOWNWARDS ARROW}", None: ""}
LATEX |= {"\N{EN DASH}": "--", "\N{PLUS-MINUS SIGN}": r"$\pm$"}
LATEX |= {"\N{UPWARDS ARROW}": r"$\uparrow$", "\N{DOWNWARDS ARROW}": r"$\downarrow$"}
LATEX |= {letter: "\\" + letter for letter in "&%$#_{}"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean as text, what stands beside it (its interval), and whether no other run is surely better."""

    mean: str
    beside: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of plain text, not yet escaped for any format; `below` a rule: what was not run here.

    `paper`: as papers print it, across a page.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | Figure, ...], ...]
    below: tuple[tuple[str, ...], ...] = ()
    paper: bool = False


def table(runs: Sequence[Run], columns: str, bold: Best, others: Sequence[Published] = ()) -> Table:
    """`columns`: "paper", "all", or metrics by name with commas between. Raises ConfigError for one that no run has."""
    if columns == ALL:
        return results_table(runs, bold)
    found = common_definitions(runs)
    names = [name for name in _as_papers(runs) if name in found] if columns == AS_PAPERS else columns.split(",")
    for name in names:
        if name not in found:
            raise ConfigError(f"--columns: no run has a measure {name!r}.{nearest(name, found)}")
    return paper_table(runs, names, bold, others) if names else results_table(runs, bold)


def _as_papers(runs: Sequence[Run]) -> list[str]:
    """The columns of papers; before them the measure that ranks, where it is none of these."""
    primary = runs[0].config.benchmark.primary
    return [*PAPER] if primary in PAPER else [primary, *PAPER]


def paper_table(runs: Sequence[Run], names: Sequence[str], bold: Best, others: Sequence[Published] = ()) -> Table:
    """These metrics as papers print them: shares in percent with one decimal, metres with two."""
    found = common_definitions(runs)
    rows = _rows(runs, {name: found[name] for name in names}, bold, format_value)
    split = runs[0].summary["split"]
    short = {name: short_name(name, found[name]) for name in names}
    below = tuple((_dagger(one, split), *(_as_printed(one, short[name]) for name in names)) for one in others)
    header = (NAMED, *(f"{short[name]}{ARROWS[found[name].better]}" for name in names))
    told = "; ".join(dict.fromkeys(_conditions(run) for run in runs))
    units = [_units(name, found[name]) for name in names]
    caption = "; ".join([told, *dict.fromkeys(filter(None, units)), "95% intervals"]) + _bold(rows)
    return Table(caption + (f". {DAGGER} As published, not run here." if others else ""), header, rows, below, True)


def results_table(runs: Sequence[Run], bold: Best) -> Table:
    """Metrics that some run has, in the order of the first run that has them."""
    found = common_definitions(runs)
    rows = _rows(runs, found, bold, lambda value, _: f"{value:.4f}")
    header = (NAMED, *(_heading(name, definition) for name, definition in found.items()))
    return Table("; ".join(dict.fromkeys(map(_caption, runs))) + _bold(rows), header, rows)


def _rows(
    runs: Sequence[Run], found: Mapping[str, Definition], bold: Best, shown: Callable[[float, Definition], str]
) -> tuple[tuple[str | Figure, ...], ...]:
    """Of these metrics, written by `shown`."""
    leading = {name: bold(name) for name in found}
    return tuple(
        (label(run), *(_figure(run, name, found[name], i in leading[name], shown) for name in found))
        for i, run in enumerate(runs)
    )


def _figure(
    run: Run, name: str, definition: Definition, best: bool, shown: Callable[[float, Definition], str]
) -> Figure:
    summary = run.summary["metrics"].get(name)
    if summary is None or summary["mean"] is None:
        return Figure("-")
    ends = interval(summary)
    told = [f"[{', '.join(shown(end, definition) for end in ends)}]"] if ends else []
    spread = [f"\N{PLUS-MINUS SIGN}{shown(summary['spread'], definition)}"] if "spread" in summary else []
    left_out = [f"({summary['n_nonfinite']} left out)"] if summary["n_nonfinite"] else []
    return Figure(shown(summary["mean"], definition), " ".join(spread + told + left_out), best)


def _bold(rows: Sequence[Sequence[str | Figure]]) -> str:
    """What the caption says of bold figures and of spreads, where there are any."""
    found = any(isinstance(cell, Figure) and cell.best for row in rows for cell in row)
    seeds = any("\N{PLUS-MINUS SIGN}" in cell.beside for row in rows for cell in row if isinstance(cell, Figure))
    spread = "; \N{PLUS-MINUS SIGN}: standard deviation of the seeds' means" if seeds else ""
    return spread + ("; bold where no other is surely better" if found else "")


def _heading(name: str, definition: Definition) -> str:
    """The metric with its unit, and an arrow to its better end."""
    unit = f" ({definition.unit})" if definition.unit not in ("", "share") else ""
    return f"{name}{unit}{ARROWS[definition.better]}"


def label(run: Run) -> str:
    """What the run is called, and whether it may see the simulator."""
    agent = run.entry.name or run.agent
    agent += f", {len(run.seeds)} seeds" if run.seeds else ""
    return f"{agent} (oracle)" if run.privileged else agent


def _conditions(run: Run) -> str:
    summary = run.summary
    split = summary["split"] or "(split unknown)"
    reference = f", reference {' and '.join(kinds)}" if (kinds := references(run)) else ""
    return f"{summary['benchmark']} {split}, profile {named_profile(run)}{reference}, n = {summary['n_episodes']}"


def references(run: Run) -> list[str]:
    """The kinds of path that dtw, coverage and their kin compare with."""
    return [kind for kind in run.summary.get("references", {}) if kind != "none"]


def _caption(run: Run) -> str:
    summary = run.summary
    failed = f", {summary['n_failed']} failed" if summary["n_failed"] else ""
    failed += f", {lost} missing because of an evaluator error" if (lost := summary.get("n_lost")) else ""
    return f"{_conditions(run)}{failed}, 95% intervals"


def _dagger(one: Published, split: str | None) -> str:
    return one.model + DAGGER + ("" if one.split == split else f" ({one.split})")


def _as_printed(one: Published, short: str) -> str:
    return format(one.figures[short], "f") if short in one.figures else "-"


def _units(name: str, definition: Definition) -> str:
    if definition.is_share:
        return "rates in percent"
    return f"{short_name(name, definition)} in {definition.unit}" if definition.unit else ""


def latex(table: Table) -> str:
    r"""A table environment, for a paper across the page; needs \usepackage{booktabs,tabularx}."""

    # Long names may break after an underscore.
    broken = r"\_\allowbreak{}" if table.paper else r"\_"

    def line(cells: Sequence[str | Figure]) -> str:
        return " & ".join(_latex_cell(cell).replace(r"\_", broken) for cell in cells) + r" \\"

    below = [r"\midrule", *map(line, table.below)] if table.below else []
    body = [line(table.header), r"\midrule", *map(line, table.rows), *below]
    named = table.header.index(NAMED)
    before, after = "r" * named, "r" * (len(table.header) - named - 1)
    # As wide as the page, where long names take a second line; small, so that six figures with intervals fit.
    size = [r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"] if table.paper else []
    around = "table*" if table.paper else "table"
    kind, width = ("tabularx", r"{\textwidth}") if table.paper else ("tabular", "")
    name = r">{\raggedright\arraybackslash}X" if table.paper else "l"
    ends = "@{}" if table.paper else ""
    columns = f"{ends}{before}{name}{after}{ends}"
    return "\n".join(
        [
            rf"\begin{{{around}}}",
            r"\centering",
            *size,
            rf"\caption{{{_latex_text(table.caption)}}}",
            rf"\begin{{{kind}}}{width}{{{columns}}}",
            r"\toprule",
            *body,
            r"\bottomrule",
            rf"\end{{{kind}}}",
            rf"\end{{{around}}}",
            "",
        ]
    )


def _latex_cell(cell: str | Figure) -> str:
    if isinstance(cell, str):
        return _latex_text(cell)
    mean = rf"\textbf{{{cell.mean}}}" if cell.best else cell.mean
    return rf"{mean} {{\scriptsize {_latex_text(cell.beside)}}}" if cell.beside else mean


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))


def markdown(table: Table) -> str:
    """A pipe table with its caption above."""

    def line(cells: Sequence[str | Figure]) -> str:
        return f"| {' | '.join(map(_markdown_cell, cells))} |"

    rule = f"|{'|'.join(' --- ' if name == NAMED else ' ---: ' for name in table.header)}|"
    rows = map(line, (*table.rows, *table.below))
    return "\n".join([_markdown_text(table.caption), "", line(table.header), rule, *rows, ""])


def _markdown_cell(cell: str | Figure) -> str:
    if isinstance(cell, str):
        return _markdown_text(cell)
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    return f"{mean} {_markdown_text(cell.beside)}" if cell.beside else mean


def _markdown_text(text: str) -> str:
    plain = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_<>|[]~#" else letter for letter in plain)


FORMATS: dict[str, tuple[Callable[[Table], str], str]] = {".tex": (latex, AS_PAPERS), ".md": (markdown, ALL)}
"""By a file's ending: how a table is written, and which columns it has where nobody says."""


def comma_separated(runs: Sequence[Run], board: Board, others: Sequence[Published] = ()) -> str:
    """The board with every measure in full: mean and 95 % interval, shares from 0 to 1; what is unknown is empty."""
    names = common_definitions(runs)
    short = {name: short_name(name, definition) for name, definition in names.items()}
    fixed = (
        "rank",
        "rank_low",
        "rank_high",
        "entry",
        "run",
        "split",
        "url",
        "paper",
        "reference",
        "n",
        "failed",
        "excluded",
    )
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*fixed, *(f"{name}{end}" for name in names for end in ("", "_low", "_high")), "published_at"])
    places = board.places(runs)
    for i in board.order:
        run, place = runs[i], places.get(i)
        ranks = (place.rank, *place.rank_ci95) if place else ("", "", "")
        told = (label(run), run.path.resolve().name, run.summary["split"] or "", run.entry.url, run.entry.paper)
        counts = (" and ".join(references(run)), run.summary["n_episodes"], run.summary["n_failed"], excluded(run))
        figures = [part for name in names for part in _in_full(run, name)]
        writer.writerow([*ranks, *map(spreadsheet_cell, told), *counts, *figures, ""])
    for one in others:
        told = (one.model, "", one.split, "", one.link)
        figures = [part for name in names for part in (_share_of_one(one, short[name]), "", "")]
        writer.writerow(["", "", "", *map(spreadsheet_cell, told), "", "", "", "", *figures, one.where])
    return out.getvalue()


def _in_full(run: Run, name: str) -> tuple[Any, Any, Any]:
    summary = run.summary["metrics"].get(name)
    if summary is None or summary["mean"] is None:
        return ("", "", "")
    return (summary["mean"], *(interval(summary) or ("", "")))


def _share_of_one(one: Published, short: str) -> str:
    """With the digits as printed, in the unit of the measure beside it."""
    if short not in one.figures:
        return ""
    moved: Decimal = one.figures[short] if short in ("TL", "NE") else one.figures[short].scaleb(-2)
    return format(moved, "f")


def ranked(found: Table, runs: Sequence[Run], board: Board) -> Table:
    """The table of `runs` in the order of a board, with their ranks before them; as it is where nothing ranks them."""
    if board.ranking is None:
        return found
    places = [board.places(runs).get(i) for i in board.order]
    measure = board.ranking.metric
    metric = short_name(measure, common_definitions(runs)[measure])
    told = f"Rank by {metric}, shared where the difference may be chance"
    told += "" if found.paper else "; in brackets the 95% interval of the rank"
    return replace(
        found,
        caption=f"{found.caption.removesuffix('.')}. {told}",
        header=("rank", *found.header),
        rows=tuple((_rank(place, found.paper), *row) for place, row in zip(places, found.rows, strict=True)),
        below=tuple(("-", *row) for row in found.below),
    )


def _rank(place: Place | None, paper: bool) -> str:
    """With its interval but in a paper; an entry without a place has none."""
    if place is None:
        return "-"
    low, high = place.rank_ci95
    return str(place.rank) if paper or low == high else f"{place.rank} ({low}\N{EN DASH}{high})"


def write_table(
    runs: Sequence[Run],
    out: Path,
    board: Board,
    bold: Best,
    columns: str | None = None,
    others: Sequence[Published] = (),
) -> None:
    """LaTeX, Markdown or CSV, by the file's ending; entries in the order of the board, in which `bold` counts."""
    if out.suffix == ".csv":
        text = comma_separated(runs, board, others)
    else:
        write, usual = FORMATS[out.suffix]
        beside = of_split(others, runs[0].summary["split"])
        text = write(ranked(table([runs[i] for i in board.order], columns or usual, bold, beside), runs, board))
    write_bytes(out, text.encode())
