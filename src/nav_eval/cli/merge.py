"""nav-eval merge: one run out of shards."""

from __future__ import annotations

from pathlib import Path

from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import say
from nav_eval.cli.table import metrics_table


def merge(*run_directories: Path, out: Path, partial: bool = False) -> int:
    """Make one run of the shards that `nav-eval run --shard` wrote: nav-eval merge RUN_DIR ... --out DIR.

    Parameters
    ----------
    run_directories
        All shards of one run; shards with other rules, data or secrets are refused.
    out
        The run directory to write: the same records and results as those of one run.
    partial
        Merge even if shards or episodes are missing; results.json says which, and the exit code is 1.
    """
    from nav_eval.errors import RunDirectoryError
    from nav_eval.runs.merging import merge_runs

    if not run_directories:
        raise RunDirectoryError("merge: name the run directories of all shards.")
    evaluated, missing = merge_runs(run_directories, out, partial=partial)
    say(*metrics_table(evaluated.document).splitlines())
    say(evaluated.path)
    results = evaluated.results
    return FINDINGS if missing or not results.blameless else DONE
