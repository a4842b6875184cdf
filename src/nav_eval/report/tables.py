"""Tables for papers and notes from results.json: LaTeX (booktabs) and Markdown, one row per run, four decimals.

A heading names the unit and points to the better end; rates and means come with their 95 % interval; profile, split
and n stand in the caption, because a figure without them cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval.core.definitions import Definition
from nav_eval.report.source import Run, common_definitions
from nav_eval.results.files import write_bytes

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
ARROWS = {"higher": " \N{UPWARDS ARROW}", "lower": " \N{DOWNWARDS ARROW}", None: ""}
LATEX |= {"\N{UPWARDS ARROW}": r"$\uparrow$", "\N{DOWNWARDS ARROW}": r"$\downarrow$"}
LATEX |= {letter: "\\" + letter for letter in "&%$#_{}"}


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of plain text, not yet escaped for any format."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def results_table(runs: Sequence[Run]) -> Table:
    """Metrics that some run has, in the order of the first run that has them."""
    found = common_definitions(runs)
    rows = tuple((_label(run), *(_cell(run.summary["metrics"].get(name)) for name in found)) for run in runs)
    header = ("agent", *(_heading(name, definition) for name, definition in found.items()))
    return Table("; ".join(dict.fromkeys(map(_caption, runs))), header, rows)


def _heading(name: str, definition: Definition) -> str:
    """The metric with its unit, and an arrow to its better end."""
    unit = f" ({definition.unit})" if definition.unit not in ("", "share") else ""
    return f"{name}{unit}{ARROWS[definition.better]}"


def _label(run: Run) -> str:
    agent = str(run.manifest.get("agent") or run.path.name)
    return f"{agent} (oracle)" if run.manifest.get("privileged") else agent


def _caption(run: Run) -> str:
    summary = run.summary
    profile, split = summary["profile"], summary["split"] or "(split unknown)"
    failed = f", {summary['n_failed']} failed" if summary["n_failed"] else ""
    failed += f", {lost} missing because of an evaluator error" if (lost := summary.get("n_lost")) else ""
    known = [name for name in summary.get("references", {}) if name != "none"]
    reference = f", reference {' and '.join(known)}" if known else ""
    return (
        f"{summary['benchmark']} {split}, profile {profile['name']} v{profile['version']}, "
        f"n = {summary['n_episodes']}{failed}{reference}, 95% intervals"
    )


def _cell(summary: Mapping[str, Any] | None) -> str:
    if summary is None or summary["mean"] is None:
        return "-"
    interval = "" if summary["ci95"] is None else f" [{summary['ci95'][0]:.4f}, {summary['ci95'][1]:.4f}]"
    left_out = f" ({summary['n_nonfinite']} left out)" if summary["n_nonfinite"] else ""
    return f"{summary['mean']:.4f}{interval}{left_out}"


def latex(table: Table) -> str:
    r"""A table environment; needs \usepackage{booktabs}."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(_latex_text, cells)) + r" \\"

    body = [line(table.header), r"\midrule", *map(line, table.rows)]
    columns = "l" + "r" * (len(table.header) - 1)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex_text(table.caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))


def markdown(table: Table) -> str:
    """A pipe table with its caption above."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(_markdown_text, cells))} |"

    rule = f"|{'|'.join([' --- ', *[' ---: '] * (len(table.header) - 1)])}|"
    return "\n".join([_markdown_text(table.caption), "", line(table.header), rule, *map(line, table.rows), ""])


def _markdown_text(text: str) -> str:
    plain = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_<>|[]~#" else letter for letter in plain)


FORMATS: dict[str, Callable[[Table], str]] = {".tex": latex, ".md": markdown}


def write_table(runs: Sequence[Run], out: Path) -> None:
    """LaTeX or Markdown, by the file's ending."""
    write_bytes(out, FORMATS[out.suffix](results_table(runs)).encode())
