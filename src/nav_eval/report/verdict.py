"""Who is better, in words: the same ones on the terminal, on pages and on boards (words of static/words.*.js).

Two sentences that are never mixed: on these episodes, and in other buildings.
"""

from __future__ import annotations

from collections.abc import Mapping

from nav_eval.core.definitions import Definition
from nav_eval.report.words import numeral, said, short_name
from nav_eval.results.compare import Difference
from nav_eval.results.ranking import Ranking
from nav_eval.results.statistics import FEW_SCENES, Interval


def verdict(language: str, ranking: Ranking, definition: Definition, names: Mapping[str, str]) -> tuple[str, ...]:
    """Of the first entry against the best behind it; `names`: what entries are called, else as in the ranking.

    Nothing for one entry; in place of both sentences, that no entry has an episode to compare.
    """
    if ranking.ahead is None:
        return (said(language, "verdict.nobody"),) if len(ranking.places) > 1 else ()
    return here(language, ranking, definition, names), elsewhere(language, ranking, definition, names)


def sentences(language: str, ranking: Ranking, definition: Definition, names: Mapping[str, str]) -> list[str]:
    """The verdict, and what too few buildings leave unsaid."""
    told = verdict(language, ranking, definition, names)
    return [*told, *filter(None, [few(language, ranking.n_buildings)])]


def here(language: str, ranking: Ranking, definition: Definition, names: Mapping[str, str]) -> str:
    """The statement on the episodes that were played, with its figures."""
    found = _lead(ranking)
    return said(
        language,
        "verdict.sure" if found.sure else "verdict.unsure",
        best=names.get(found.second, found.second),
        other=names.get(found.first, found.first),
        metric=short_name(found.metric, definition),
        high=format_value(found.mean_second, definition),
        low=format_value(found.mean_first, definition),
        gap=format_value(_ahead(found, ranking), definition),
        range=_range(found.ci95, ranking, definition),
        chance=_chance(language, found),
    )


def elsewhere(language: str, ranking: Ranking, definition: Definition, names: Mapping[str, str]) -> str:
    """The statement on buildings that nobody has played in."""
    found = _lead(ranking)
    best, ends = names.get(found.second, found.second), _range(found.ci95_buildings, ranking, definition)
    return describe_other_buildings(
        language, best, found.sure_elsewhere, found.more_buildings, ranking.n_buildings, ends
    )


def describe_other_buildings(
    language: str, best: str, sure: bool, more: int | None, buildings: int, ends: str = ""
) -> str:
    """`elsewhere` from its parts."""
    if sure:
        return said(language, "verdict.elsewhere", best=best, range=ends)
    if buildings == 1:
        return said(language, "verdict.single")
    return said(language, "verdict.never") if more is None else said(language, "verdict.unknown", k=f"{more:,}")


def few(language: str, buildings: int) -> str | None:
    """What below five buildings is said beside every rank and interval."""
    if buildings >= FEW_SCENES:
        return None
    return said(language, "verdict.few", g=buildings, least=numeral(language, FEW_SCENES))


def _lead(ranking: Ranking) -> Difference:
    if ranking.ahead is None:
        raise ValueError("one entry is ahead of nobody")
    return ranking.ahead


def _ahead(found: Difference, ranking: Ranking) -> float | None:
    """By how much the first is better, whichever way is better."""
    return found.difference if found.difference is None or ranking.higher_is_better else -found.difference


def _range(ends: Interval | None, ranking: Ranking, definition: Definition) -> str:
    if ends is None:
        return ""
    low, high = ends if ranking.higher_is_better else (-ends[1], -ends[0])
    return f" [{format_value(low, definition)}, {format_value(high, definition)}]"


def format_value(value: float | None, definition: Definition) -> str:
    """As papers print it: shares in percent, metres and seconds to the hundredth."""
    if value is None:
        return "-"
    if definition.is_share:
        return f"{100 * value:.1f}"
    return f"{value:.2f}" if definition.unit in ("m", "s") or abs(value) < 10 else f"{value:.1f}"


def _chance(language: str, found: Difference) -> str:
    told = "p < 0.001" if (found.p_adjusted or 0.0) < 0.001 else f"p = {found.p_adjusted:.3f}"
    return told if found.pairs == 1 else said(language, "verdict.pairs", chance=told, n=found.pairs)
