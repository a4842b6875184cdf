"""nav-eval run: evaluate an agent on a benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.table import metrics_table


def run(
    *arguments: str,
    config: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
    progress: Literal["auto", "bar", "json", "none"] = "auto",
) -> int:
    """Evaluate an agent: nav-eval run BENCHMARK [key=value ...].

    Parameters
    ----------
    arguments
        A benchmark from `nav-eval list benchmarks` (or none, with --config), then overrides such as
        dataset.limit=10 agent_service.type=remote agent_service.protocol=grpc agent_service.endpoint=localhost:8085
    config
        A YAML file with your own settings; it is laid over the benchmark's.
    out
        The run directory; by default a new one under output.log_dir.
    resume
        Go on with a run that was interrupted: exactly the missing episodes are run.
    quiet
        Print no progress bar and no table, only where the results are.
    progress
        On stderr: a bar, JSON lines (one a second at most), or nothing; auto is a bar on a terminal.
    """
    from nav_eval.benchmarks.evaluation import run_benchmark
    from nav_eval.benchmarks.registry import benchmark_config
    from nav_eval.cli.progress import shown

    benchmark, overrides = split_arguments(arguments)
    resolved = benchmark_config(benchmark, file=config, overrides=overrides)
    with shown("none" if quiet and progress == "auto" else progress) as watch:
        evaluated = run_benchmark(resolved, out, resume=resume, watch=watch)
    if not quiet:
        sys.stdout.write(metrics_table(evaluated.document))
    sys.stdout.write(f"{evaluated.path}\n")
    return FINDINGS if evaluated.results.n_failed or evaluated.results.over_budget else DONE


def split_arguments(arguments: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The benchmark's name, if the first word is none of key=value, and the overrides."""
    if arguments and "=" not in arguments[0] and not arguments[0].startswith("~"):
        return arguments[0], arguments[1:]
    return None, arguments
