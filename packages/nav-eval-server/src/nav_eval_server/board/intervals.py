"""How sure a board's scores are: the interval that reports give for a mean, over the episodes of these means.

It stands outside the board's document, whose sum is kept since the reveal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nav_eval.report.interval import interval
from nav_eval.results.statistics import Interval, summarise_metric
from nav_eval_server.board.places import common_episodes, records
from nav_eval_server.models import Submission, Team
from nav_eval_server.settings import current

if TYPE_CHECKING:
    from nav_eval.core.definitions import Definition

BOARDS = 64
"""Kept at a time: a submission's episodes never change, and to draw again for each reader takes too long."""


def score_intervals(document: Mapping[str, Any], definition: Definition) -> Mapping[str, Interval]:
    """By submission, where anything can be said; of a Ladder's board nothing: it shows its one number alone."""
    if document.get("step") is not None:
        return {}
    return _intervals(
        document["measure"], definition, tuple((line["submission"], line["role"]) for line in document["entries"])
    )


@lru_cache(BOARDS)
def _intervals(measure: str, definition: Definition, lines: tuple[tuple[str, str], ...]) -> Mapping[str, Interval]:
    found = records(current(), list(Submission.objects.filter(pk__in=dict(lines)).select_related("team")))
    teams = [found[name] for name, role in lines if role == Team.Role.TEAM]
    keys = sorted(common_episodes(teams or list(found.values()), measure))
    told = {}
    for name, entry in found.items():
        own = [key for key in keys if key in entry.episodes]
        values = [entry.episodes[key][measure] for key in own]
        told[name] = interval(summarise_metric(definition, values, [scene for scene, _ in own]))
    return {name: ends for name, ends in told.items() if ends is not None}
