"""The robustness card: what perturbations cost one agent or several, as one offline page in English and Chinese.

Drawn of robustness.json alone. The curves are SVG made here; the page's only script changes the language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.core.definitions import Definition
from nav_eval.errors import RunDirectoryError
from nav_eval.report.curves import curves
from nav_eval.report.page import joined_scripts, resource, shell
from nav_eval.report.perturbation_words import ABOUT, NAMES, lacking_zh
from nav_eval.report.words import metric_words
from nav_eval.results.files import write_bytes

FILE = "robustness.json"
SCRIPTS = ("kept.js", "robustness.js")
SCHEMA = 1
MAIN = ("success", "spl")
"""Metrics that are always tabled, as far as they were measured."""
NEXT = ("success", "oracle_success", "goal_progress", "ndtw")
"""After the benchmark's primary measure; then whatever else is better higher, then LAST."""
LAST = ("navigation_error", "distance_to_goal")
"""Errors have no floor that a weak agent lies on, but of them no share can be left."""


def read_sweeps(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Raises RunDirectoryError for a folder without a finished sweep, or sweeps that cannot be shown on one card."""
    documents = [_read(folder) for folder in folders]
    first = documents[0]
    for folder, other in zip(folders[1:], documents[1:], strict=True):
        differing = [name for name, value in first["shared"].items() if other["shared"].get(name) != value]
        if differing:
            raise RunDirectoryError(
                f"{folders[0]} and {folder} cannot be shown on one card: {differing[0]} differs. "
                "Sweep the same episodes with the same seed and rules."
            )
    return documents


def _read(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        content: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict)
    except FileNotFoundError:
        raise RunDirectoryError(f"{folder}: holds no finished sweep ({FILE}). Go on with sweep --resume.") from None
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.DecodeError) as error:
        raise RunDirectoryError(f"{path}: cannot be read: {error}.") from None
    if content.get("schema") != SCHEMA:
        raise RunDirectoryError(f"{path}: schema {content.get('schema')!r} is not {SCHEMA}.")
    return content


def write_card(documents: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Write the card of sweeps that may stand together. Raises RunDirectoryError if the file cannot be written."""
    write_bytes(out, render_card(documents).encode())


def render_card(documents: Sequence[Mapping[str, Any]]) -> str:
    """The HTML of one document of robustness.json, or several."""
    agents, shared = _agents(documents), documents[0]["shared"]
    drawn, at_floor = drawn_measure(documents)
    kept = [name for name in MAIN if name in _common_measures(documents)]
    metrics = list(dict.fromkeys([*([drawn] if drawn else []), *kept]))
    axes = [_axis(name, documents, drawn) for name in _axes(documents)]
    return shell(
        "robustness.html",
        f"{', '.join(agents)} · {shared['benchmark']} · robustness",
        joined_scripts(SCRIPTS),
        resource("static", "report.css") + resource("static", "robustness.css"),
        shared=shared,
        documents=documents,
        agents=agents,
        drawn=drawn,
        at_floor=at_floor,
        metrics=metrics,
        axes=axes,
        left_out=[_left_out(one) for one in documents[0]["left_out"]],
        failures=_failures,
        figure=_figure,
        code=_code,
        words={name: metric_words(name, Definition(**told)) for name, told in _common_measures(documents).items()},
        share=_share,
        signed=_difference_text,
    )


def _left_out(one: Mapping[str, Any]) -> dict[str, str]:
    return {**one, "zh": NAMES.get(one["name"], one["name"]), "why_zh": lacking_zh(one["why"])}


def _failures(document: Mapping[str, Any]) -> int:
    """Failed episodes of all its runs."""
    cells = [cell for axis in document["axes"] for cell in axis["cells"]]
    return sum((int(one["n_failed"]) for one in cells), int(document["n_failed"]))


def _agents(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names that tell the sweeps apart."""
    names = [str(document["agent"]).rpartition(":")[2] for document in documents]
    return [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]


def drawn_measure(documents: Sequence[Mapping[str, Any]]) -> tuple[str | None, list[str]]:
    """The first measure that is at its floor for no clean agent, and those before it, which are.

    The first of all where every one is, None where nothing was measured.
    """
    known = _common_measures(documents)
    higher = [name for name, one in known.items() if one["better"] == "higher"]
    order = dict.fromkeys([documents[0].get("primary"), *NEXT, *higher, *LAST])
    passed: list[str] = []
    for name in filter(known.__contains__, order):
        if name not in higher or all(_clean(one, name) > 0 for one in documents):
            return name, passed
        passed.append(name)
    return next(iter(passed), None), passed


def _clean(document: Mapping[str, Any], metric: str) -> float:
    """Mean of the clean run; that of nothing is 0."""
    return (document["clean"][metric] or {}).get("mean") or 0.0


def _common_measures(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What every sweep measured, by its name in the first."""
    first: Mapping[str, Any] = documents[0]["metrics"]
    return {name: told for name, told in first.items() if all(name in one["metrics"] for one in documents)}


def _axes(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(axis["name"] for document in documents for axis in document["axes"]))


def _axis(name: str, documents: Sequence[Mapping[str, Any]], drawn: str | None) -> dict[str, Any]:
    """One axis as the page shows it; an agent whose sweep left it out has none."""
    found = [next((axis for axis in one["axes"] if axis["name"] == name), None) for one in documents]
    told = next(axis for axis in found if axis is not None)
    share = drawn is not None and Definition(**documents[0]["metrics"][drawn]).is_share
    about = told["definition"].split("\n\n")[0].replace("\n", " ")
    return {
        "name": name,
        "en": name.replace("_", " "),
        "zh": NAMES.get(name, name),
        "about": about,
        "about_zh": ABOUT.get(name, about),
        "of": found,
        "curves": drawn and curves([axis and [_point(cell, drawn) for cell in axis["cells"]] for axis in found], share),
    }


def _point(cell: Mapping[str, Any], metric: str) -> tuple[int, float, float, tuple[float, float] | None]:
    """Severity, clean figure, figure, and the interval of the paired difference put onto the clean figure."""
    row = cell["metrics"][metric]
    clean = row["clean"] or 0.0
    interval = None if row["ci95"] is None else (clean + row["ci95"][0], clean + row["ci95"][1])
    return cell["severity"], clean, row["mean"] or 0.0, interval


def _code(text: str) -> str:
    """Text as HTML, escaped; what stands between backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _share(entry: Mapping[str, Any] | None) -> str:
    """What is left, with its interval, in percent."""
    if entry is None or entry["value"] is None:
        return "-"
    interval = "" if entry["ci95"] is None else f" [{100 * entry['ci95'][0]:.0f}, {100 * entry['ci95'][1]:.0f}]"
    return f"{100 * entry['value']:.0f} %{interval}"


def _difference_text(row: Mapping[str, Any]) -> str:
    """A paired difference with its interval."""
    if row["difference"] is None:
        return "-"
    interval = "" if row["ci95"] is None else f" [{row['ci95'][0]:+.3f}, {row['ci95'][1]:+.3f}]"
    return f"{row['difference']:+.3f}{interval}"
