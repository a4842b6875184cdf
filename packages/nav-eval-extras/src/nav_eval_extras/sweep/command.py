"""nav-eval sweep: the same episodes under one perturbation after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.run import split_arguments
from nav_eval.cli.say import say
from nav_eval.cli.table import episodes

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.runs.evaluation import Evaluated

OWN = ("suite", "severities", "latencies")


def sweep(
    *arguments: str,
    config: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
    progress: Literal["auto", "bar", "json", "none"] = "auto",
) -> int:
    """Measure robustness: nav-eval sweep BENCHMARK suite=robustness [severities=1,3] [key=value ...] --out DIR.

    Each perturbation at each severity is a run of its own in DIR, beside the clean one. DIR/robustness.json and
    DIR/report.html say what they cost; `nav-eval report DIR DIR ...` puts several agents on one card.

    Parameters
    ----------
    arguments
        A benchmark, then suite=robustness (all of docs/robustness.md that fit), suite=controls (no text, another path's
        text, no pictures), or names of `nav-eval list perturbations` such as suite=blur,typos; severities=1,3 plays
        only these, and the highest where there are fewer.
        `latencies=0,0.5,measured` in place of a suite: a table of success against the seconds that an answer takes, for
        which the world goes on. Then overrides as for `run`.
    config
        A YAML file with your own settings, which override the benchmark's.
    out
        The folder of the sweep; by default a new one under output.log_dir.
    resume
        Continue an interrupted sweep: exactly the missing episodes are played.
    quiet
        Print no progress bar and no results, only where the results are.
    progress
        On stderr: a bar, JSON lines (one a second at most), or nothing; auto is a bar on a terminal, else a line
        each ten seconds.
    """
    from nav_eval.cli.progress import show_progress
    from nav_eval.core.stopping import drainable
    from nav_eval.runs.registry import benchmark_config
    from nav_eval_extras.sweep.latency import latency_lines, sweep_latencies
    from nav_eval_extras.sweep.runs import Suite, sweep_benchmark

    benchmark, overrides = split_arguments(arguments)
    own, others = _own(overrides)
    style = "none" if quiet and progress == "auto" else progress
    if "latencies" in own:
        configs = _latencies(own, partial(benchmark_config, benchmark, file=config), others)
        with drainable(), show_progress(style) as bar:
            runs, folder, blameless = sweep_latencies(configs, out, resume=resume, watchers=[bar])
        for line in [] if quiet else latency_lines(runs):
            say(line)
        say(folder)
        return DONE if blameless else FINDINGS
    resolved = benchmark_config(benchmark, file=config, overrides=others)
    suite = Suite.parse(own.get("suite", "robustness"), own.get("severities"))
    with drainable(), show_progress(style) as bar:
        told = (lambda name, severity, done: None) if quiet else _tell
        document, folder, blameless = sweep_benchmark(resolved, suite, out, resume=resume, watchers=[bar], told=told)
    if not quiet:
        for axis in [*document["axes"], {"name": "all", "retained": document["retained"]}]:
            say(f"{axis['name']:<17} left of " + ", ".join(map(_left, axis["retained"].items())))
    say(folder)
    return DONE if blameless else FINDINGS


def _latencies(own: dict[str, str], resolve: Callable[..., Config], others: Sequence[str]) -> dict[str, Config]:
    """The configuration of each run, by its latency."""
    from nav_eval.errors import ConfigError
    from nav_eval_extras.sweep.latency import charged, latencies

    if len(own) > 1:
        raise ConfigError("latencies: is a sweep of its own. Leave suite and severities out.")
    return {one: resolve(overrides=[*others, *charged(one)]) for one in latencies(own["latencies"])}


def _own(overrides: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """What is the sweep's own, and all other overrides."""
    own = {key: value for key, _, value in (word.partition("=") for word in overrides) if key in OWN}
    return own, tuple(word for word in overrides if word.partition("=")[0] not in own)


def _tell(name: str, severity: int, done: Evaluated) -> None:
    metrics = done.document["metrics"]
    told = [
        f"{one} {metrics[one]['mean']:.4f}"
        for one in ("success", "spl")
        if metrics.get(one, {}).get("mean") is not None
    ]
    failed = done.results.n_failed
    told += [f"{episodes(failed)} failed"] if failed else []
    say(f"{name:<17} {severity or '-'}  {'  '.join(told)}")


def _left(entry: tuple[str, dict[str, object]]) -> str:
    name, one = entry
    return f"{name} -" if one["value"] is None else f"{name} {one['value']:.2f}"
