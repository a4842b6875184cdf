"""Which runs a table prints in bold: those that share the first place, so that a tie is bold as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from nav_eval.errors import RunDirectoryError
from nav_eval.report.source import Run, common_definitions
from nav_eval.results.compare import RunRecords
from nav_eval.results.ranking import rank
from nav_eval.results.rules import rules_of

MUST_AGREE = ("benchmark", "profile", "renderer", "dataset_sha256", "assets_sha256")
Best: TypeAlias = Callable[[str], AbstractSet[int]]
"""By a metric's name, indices of the runs that are best."""


def best(runs: Sequence[Run], metric: str) -> set[int]:
    """Indices of the runs than which none is surely better; oracles do not compete.

    None where the metric has no better end, fewer than two compete, or they cannot be compared.
    """
    competing = [i for i, run in enumerate(runs) if not run.privileged]
    better = common_definitions(runs)[metric].better
    if len(competing) < 2 or better is None:
        return set()
    entries = [_records(str(i), runs[i]) for i in competing]
    try:
        places = rank(entries, metric, higher_is_better=better == "higher").places
    except RunDirectoryError:
        return set()
    return {int(place.name) for place in places if place.rank == 1}


def _records(name: str, run: Run) -> RunRecords:
    episodes = {key: result.metrics for key, result in run.results.items() if result.metrics or result.unmeasured}
    return RunRecords(name, episodes, rules_of(run.config) | {key: run.manifest.get(key) for key in MUST_AGREE})
