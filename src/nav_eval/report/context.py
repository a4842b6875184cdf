"""What the report needs from the composition root: it may not know concrete data sets and simulators itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import SimulatorBackend, Task
from nav_eval.dataset.episode import Episode
from nav_eval.results.ranking import Ranking


@dataclass(frozen=True, slots=True)
class ReportContext:
    """`compare`: rows of paired tests between run directories; raises RunDirectoryError where they cannot be compared.
    `rank`: their ranks by one measure; raises the same.

    `config`: the configuration of a run directory, with the user's overrides (where the data lies now). `benchmark`:
    that of a benchmark as it is without anybody's settings, None where none is called so.
    """

    config: Callable[[Path], Config]
    episodes: Callable[[Config], Iterable[Episode]]
    task: Callable[[Config], Task]
    backend: Callable[[Config, Task], SimulatorBackend]
    compare: Callable[[Sequence[Path]], list[dict[str, Any]]]
    rank: Callable[[Sequence[Path], str], Ranking]
    benchmark: Callable[[str], Config | None]
