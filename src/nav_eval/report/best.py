"""Which runs a table prints in bold: those that share the first place, so that a tie is bold as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from nav_eval.errors import RunDirectoryError
from nav_eval.report.board import places_of
from nav_eval.report.context import ReportContext
from nav_eval.report.source import Run, common_definitions

Best: TypeAlias = Callable[[str], AbstractSet[int]]
"""By a metric's name, indices of the runs that are best."""


def best(runs: Sequence[Run], context: ReportContext, metric: str) -> set[int]:
    """Indices of the runs than which none is surely better; oracles do not compete.

    None where the metric has no better end, fewer than two compete, or they cannot be compared.
    """
    paths = [one.path for run in runs if not run.privileged for one in (run.seeds or (run,))]
    if common_definitions(runs)[metric].better is None:
        return set()
    try:
        ranking = context.rank(paths, metric)
    except RunDirectoryError:
        return set()
    places = places_of(runs, ranking)
    return {i for i, place in places.items() if place.rank == 1} if len(places) > 1 else set()
