"""nav-eval run: evaluate an agent on a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import say
from nav_eval.errors import ConfigError

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.core.orchestrator import Watcher


def run(
    *arguments: str,
    config: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
    shard: str | None = None,
    watch: bool = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
    progress: Literal["auto", "bar", "json", "none"] = "auto",
) -> int:
    """Evaluate an agent: nav-eval run BENCHMARK [key=value ...].

    SIGINT and SIGTERM end it at once, SIGUSR1 when the running episodes are finished; --resume then goes on.

    Parameters
    ----------
    arguments
        A benchmark from `nav-eval list benchmarks` (or none, with --config), then overrides such as
        dataset.limit=10 agent_service.type=remote agent_service.protocol=grpc agent_service.endpoint=localhost:8085
    config
        A YAML file with your own settings, which override the benchmark's.
    out
        The run directory; by default a new one under output.log_dir.
    resume
        Continue an interrupted run: exactly the missing episodes are played.
    shard
        Play one part of the episodes: 3/8 is the third of eight. `nav-eval merge` makes one run of all parts.
    watch
        Serve the report on this machine while the run goes on, and print its address.
    quiet
        Print no progress bar and no table, only where the results are.
    progress
        On stderr: a bar, JSON lines (one a second at most), or nothing; auto is a bar on a terminal, else a line
        each ten seconds.
    """
    from nav_eval.cli.progress import show_progress
    from nav_eval.core.stopping import drainable
    from nav_eval.runs.evaluation import run_benchmark
    from nav_eval.runs.registry import benchmark_config
    from nav_eval.runs.sharding import Part

    if not arguments and config is None:
        raise ConfigError(_which())
    benchmark, overrides = split_arguments(arguments)
    resolved = benchmark_config(benchmark, file=config, overrides=overrides)
    part = None if shard is None else Part.parse(shard)
    style = "none" if quiet and progress == "auto" else progress
    with drainable(), show_progress(style) as bar, _live(resolved, watch) as live:
        evaluated = run_benchmark(resolved, out, resume=resume, watchers=[bar, *live], part=part)
    if not quiet:
        from nav_eval.cli.table import metrics_table

        say(*metrics_table(evaluated.document).splitlines())
    say(evaluated.path)
    return DONE if evaluated.results.blameless else FINDINGS


def _which() -> str:
    from nav_eval.config.loader import builtin_benchmarks

    ready = ", ".join(name for name in builtin_benchmarks() if name.endswith("-demo"))
    return (
        "which benchmark? nav-eval run BENCHMARK [key=value ...], for example nav-eval run vln-demo dataset.limit=5\n"
        f"  These need no data: {ready}.\n"
        "  `nav-eval list benchmarks` shows all, `nav-eval run --help` every option."
    )


@contextmanager
def _live(config: Config, watch: bool) -> Iterator[Sequence[Watcher]]:
    """What --watch adds to the progress display: nothing, or the live page."""
    if not watch:
        yield ()
        return
    from nav_eval.cli.report import make_context
    from nav_eval.report.live import live_view
    from nav_eval.runs.builder import settled_split

    with live_view(settled_split(config), make_context(allow_plugins=True)) as (url, page):
        sys.stderr.write(f"{spoken(f'Watch the run at {url}')}\n")
        yield (page,)


def split_arguments(arguments: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The benchmark's name, if the first word is none of key=value, and the overrides."""
    if arguments and "=" not in arguments[0] and not arguments[0].startswith("~"):
        return arguments[0], arguments[1:]
    return None, arguments
