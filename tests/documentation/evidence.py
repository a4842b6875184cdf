"""The tables of docs/evidence.md: what benchmarks/results/evidence.txt says, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from documentation.language import translate
from documentation.markdown import code, table

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "evidence.txt"
RANKS = "ranks by "


def parts() -> list[list[str]]:
    """What stands between empty lines."""
    return [part.splitlines() for part in RESULTS.read_text(encoding="utf-8").strip().split("\n\n")]


def cells(line: str) -> list[str]:
    """What two blanks or more part."""
    return re.split(r"\s{2,}", line.strip())


def split() -> Iterator[str]:
    """What was measured, and what each split holds."""
    (first, second), (head, *held), *_ = parts()
    yield f"`{first}; {second}`"
    yield from table(("", *map(code, cells(head))), [(translate(what), *much) for what, *much in map(cells, held)])


def duplicates() -> Iterator[str]:
    """A table for each split."""
    for head, *rows in parts()[2:4]:
        what, *counted = cells(head)
        yield from table((translate(what), *counted), [(translate(one), *much) for one, *much in map(cells, rows)])


def worlds() -> dict[str, list[str]]:
    """Each world's lines; of one that is not there the first alone."""
    return {part[0]: part[1:] for part in parts()[4:] if not part[0].startswith(RANKS)}


def agents() -> Iterator[str]:
    """Success with its interval and rank, an agent a row, a world a column; then episodes and buildings."""
    there = {_name(title): lines for title, lines in worlds().items() if lines}
    columns = {name: {row[0]: _cell(row) for row in map(cells, lines[2:])} for name, lines in there.items()}
    names = dict.fromkeys(agent for column in columns.values() for agent in column)
    rows = [[code(agent), *(column.get(agent, "") for column in columns.values())] for agent in names]
    sizes = [re.findall(r"\d+", lines[0]) for lines in there.values()]
    played = [translate("episodes, buildings"), *(", ".join(size) for size in sizes)]
    yield from table(("", *map(code, columns)), [*rows, played])


def _name(title: str) -> str:
    return title.partition(" (")[0]


def _cell(row: list[str]) -> str:
    """Success, its interval, and between which ranks it lies."""
    _, success, *rest = row
    if not rest:
        return translate(success.partition(":")[0])
    ranks = f"; {rest[-1]}" if len(rest) > 2 and "-" in rest[-1] else ""
    return f"{success} {rest[0]}{ranks}"


def absent() -> Iterator[str]:
    """Worlds, or scenes of one, that were not there, and why."""
    told = (re.fullmatch(r"(.*?) \((.*)\)", title) for title in worlds())
    for found in filter(None, told):
        yield f"- {code(found[1])}: {translate(found[2])}"


def ranks() -> Iterator[str]:
    for title, head, *rows in (part for part in parts() if part[0].startswith(RANKS)):
        yield f"**{translate(title)}**"
        named = [(*map(code, row[:2]), *row[2:]) for row in map(cells, rows)]
        yield from table(("", "", *cells(head)[2:]), named)
