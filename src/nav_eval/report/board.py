"""Several runs as entries of a leaderboard: their order, ranks, and what is not counted.

Ranks are those of `nav-eval rank` (results/ranking.py): paired differences on the episodes that all entries have, all
pairs judged at once. Oracles have no place: they stand below the others without a rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.context import ReportContext
from nav_eval.report.source import Entry, Run, common_definitions
from nav_eval.results.ranking import Place, Ranking
from nav_eval.results.seeds import agent_of, by_agent

MIN_ENTRIES = 3
FIELDS = ("run", "name", "url", "paper")


@dataclass(frozen=True, slots=True)
class Board:
    """`order`: indices of the runs, best first. `places`: by index, of those that are ranked.

    `ranking` None: one run, nothing measured, or `refused` says why they cannot be ranked.
    """

    metric: str | None
    order: tuple[int, ...]
    ranking: Ranking | None = None
    refused: str | None = None

    def places(self, runs: Sequence[Run]) -> dict[int, Place]:
        """Index of the run -> its place, which the runs of one agent share."""
        return places_of(runs, self.ranking) if self.ranking else {}


def places_of(runs: Sequence[Run], ranking: Ranking) -> dict[int, Place]:
    """Index of the run -> its place; an oracle, which was not ranked, has none."""
    named = {place.name: place for place in ranking.places}
    found = {i: named.get(str(run.path)) or named.get(agent_of(str(run.path))) for i, run in enumerate(runs)}
    return {i: place for i, place in found.items() if place is not None}


def make_board(runs: Sequence[Run], context: ReportContext, by: str | None = None) -> Board:
    """Order the runs by one measure, by default the benchmark's primary one, and rank them.

    Raises ConfigError for a measure that no run has, or that has no better end.
    """
    metric = _measure(runs, by)
    if metric is None or len(runs) < 2:
        return Board(metric, tuple(range(len(runs))))
    open_ones = [run for run in runs if not run.privileged] or list(runs)
    try:
        ranking = context.rank([run.path for run in open_ones], metric)
    except RunDirectoryError as error:
        return Board(metric, _by_mean(runs, metric), refused=str(error))
    places = places_of(runs, ranking)
    position = {place.name: at for at, place in enumerate(ranking.places)}
    placed = sorted(places, key=lambda i: position[places[i].name])
    oracles = [i for i in _by_mean(runs, metric) if i not in places]
    return Board(metric, (*placed, *oracles), ranking)


def _measure(runs: Sequence[Run], by: str | None) -> str | None:
    definitions = common_definitions(runs)
    ordered = [name for name, one in definitions.items() if one.better]
    if by is not None and by not in ordered:
        known = ", ".join(ordered) or "none"
        raise ConfigError(
            f"--by {by}: these runs have no such measure of which more or less is better. Name one of: {known}."
        )
    primary = runs[0].config.benchmark.primary
    return by or (primary if primary in ordered else next(iter(ordered), None))


def _by_mean(runs: Sequence[Run], metric: str) -> tuple[int, ...]:
    sign = -1 if common_definitions(runs)[metric].better == "higher" else 1

    def place(i: int) -> tuple[bool, float]:
        mean = runs[i].summary["metrics"].get(metric, {}).get("mean")
        return (mean is None, sign * (mean or 0.0))

    return tuple(sorted(range(len(runs)), key=place))


def excluded(run: Run) -> int:
    """Episodes that are not counted: not in yet, lost through our fault, over a budget, or without a goal."""
    summary = run.summary
    missing = run.manifest.get("n_episodes", summary["n_episodes"]) - summary["n_episodes"]
    return int(max(0, missing) + sum(summary.get(name, 0) for name in ("n_lost", "n_over_budget", "n_not_scored")))


def with_entries(runs: Sequence[Run], told: Sequence[str]) -> list[Run]:
    """The runs with what `--entry` says of them: "name=...,url=...,paper=...", each for the next agent in order, all
    seeds of it, or for the one whose directory is `run=...`, with "@" and seed or without.

    Raises ConfigError that names the word.
    """
    agents = by_agent([str(run.path.resolve()) for run in runs])
    entries = [run.entry for run in runs]
    for place, text in enumerate(told):
        fields = _fields(text)
        wanted = fields.pop("run", None)
        at = place if wanted is None else _index(runs, agents, wanted, text)
        if at >= len(agents):
            raise ConfigError(f"--entry {text}: there are more entries than agents ({len(agents)}). Leave one out.")
        for i in agents[at][1]:
            entries[i] = Entry(**fields)
    return [replace(run, entry=entry) for run, entry in zip(runs, entries, strict=True)]


def _index(runs: Sequence[Run], agents: Sequence[tuple[str, Sequence[int]]], wanted: str, text: str) -> int:
    name = Path(wanted).name
    called = [{Path(agent).name, *(runs[i].path.resolve().name for i in places)} for agent, places in agents]
    if sum(name in names for names in called) != 1:
        known = ", ".join(sorted(set[str]().union(*called)))
        raise ConfigError(f"--entry {text}: no single run directory is called {name!r}. Known: {known}.")
    return next(i for i, names in enumerate(called) if name in names)


def _fields(text: str) -> dict[str, str]:
    """A comma parts two fields only where a field's name and "=" follow, so that addresses may hold commas."""
    fields: dict[str, str] = {}
    last = None
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if equals and name.strip() in FIELDS:
            last = name.strip()
            fields[last] = value.strip()
        elif last is None:
            raise ConfigError(f"--entry {text}: write name=...,url=...,paper=... (known: {', '.join(FIELDS)}).")
        else:
            fields[last] += f",{part}"
    for name in ("url", "paper"):
        if not fields.get(name, "https://").startswith(("https://", "http://")):
            raise ConfigError(f"--entry {text}: {name} must begin with https:// or http://.")
    return fields
