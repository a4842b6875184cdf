"""nav-eval collect: training data in the formats that models read."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE
from nav_eval.cli.run import split_arguments
from nav_eval.cli.say import say
from nav_eval.errors import ConfigError

if TYPE_CHECKING:
    from nav_eval_extras.collecting.collection import Progress

SECONDS_BETWEEN_LINES = 10.0


def collect(
    *arguments: str,
    out: Path,
    format: str = "lerobot",  # noqa: A002 - the option's name
    config: Path | None = None,
    semantic: bool = False,
    questions: int = 0,
    policy: str | None = None,
    beta: float | None = None,
    processes: int = 1,
    shard: str | None = None,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
) -> int:
    """Write training data: nav-eval collect BENCHMARK [key=value ...] --format lerobot --out DIR.

    The oracle walks each path once, however many instructions describe it. Every step holds RGB, depth, the oracle's
    action, the poses of agent and camera, intrinsics, the distance to the goal and its pixel; DIR/README.md says where
    all of it comes from. The same call again goes on after a kill.

    Parameters
    ----------
    arguments
        A benchmark, then overrides as for `run`; profile=streamvln sets that model's camera.
    out
        The folder of the collection.
    format
        lerobot (v2.1), lerobot_v3, streamvln, navila, navid, uninavid, webdataset, datasets (Hugging Face), or npz
        (arrays, as nav_eval.collect).
    config
        A YAML file with your own settings, which override the benchmark's.
    semantic
        Record the semantic sensor's object ids too, as 16-bit PNG.
    questions
        How many questions about each path DIR/questions.json holds, in every language of its instructions: which room,
        what is on each side, how many doors, what was passed, what to do next. For generated buildings.
    policy
        A served agent, grpc://HOST:PORT or rest://HOST:PORT, that takes turns with the oracle (DAgger); its mistakes
        are carried out, and the oracle's choice is recorded at every step.
    beta
        With --policy, the probability that the oracle takes a step, from 0 to 1; by default 0.5.
    processes
        How many processes walk; the files are the same.
    shard
        I/N collects every N-th path from the I-th on, I from 1: one folder per machine.
    quiet
        Print only where the data are.
    """
    benchmark, overrides = split_arguments(arguments)
    wish: dict[str, Any] = {"overrides": overrides, "config": None if config is None else str(config)}
    if format == "npz":
        others = [semantic, questions != 0, policy is not None, beta is not None, processes > 1, shard is not None]
        _npz(benchmark, out, wish, others)
    else:
        wish |= {"semantic": semantic, "questions": questions} | _turns(policy, beta, shard)
        _walk(format, benchmark, out, wish, processes, quiet)
    say(out)
    return DONE


def _turns(policy: str | None, beta: float | None, shard: str | None) -> dict[str, Any]:
    if policy is not None:
        beta = 0.5 if beta is None else beta
    return {"policy": policy, "beta": 1.0 if beta is None else beta, "shard": _shard(shard)}


def _shard(given: str | None) -> tuple[int, int] | None:
    from nav_eval.runs.sharding import Part

    if given is None:
        return None
    part = Part.parse(given)
    return part.index - 1, part.of


def _npz(benchmark: str | None, out: Path, wish: dict[str, Any], others: list[bool]) -> None:
    import nav_eval

    if any(others):
        raise ConfigError(
            "collect: --format npz takes none of --semantic, --questions, --policy, --beta, --processes, --shard."
        )
    nav_eval.collect(benchmark, out, **wish)


def _walk(kind: str, benchmark: str | None, out: Path, wish: dict[str, Any], processes: int, quiet: bool) -> None:
    from nav_eval.gym.recording import FORMATS
    from nav_eval_extras.collecting.collection import Wish, collect_into

    if processes < 1:
        raise ConfigError(f"--processes {processes}: must be at least 1.")
    with _progress(quiet) as told:
        collect_into(FORMATS.get(kind, beside=["npz"]), out, Wish(benchmark, **wish), processes=processes, told=told)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[Progress], object]]:
    """A bar on a terminal, elsewhere a line every ten seconds, both on stderr."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _lines()


def _lines() -> Callable[[Progress], object]:
    began = said = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal began, said
        now, walked = time.monotonic(), progress.done - progress.before
        began = began if walked else now  # buildings may have been made before the first path
        if walked and (now - said >= SECONDS_BETWEEN_LINES or progress.done == progress.total):
            said = now
            left = (now - began) / walked * (progress.total - progress.done)
            text = f"{progress.done} of {progress.total} paths, {spoken(_amount(progress))}, about {left:.0f} s left"
            print(spoken(text), file=sys.stderr, flush=True)  # noqa: T201

    return show


def _amount(progress: Progress) -> str:
    return f"{progress.frames} frames, {progress.size / 1e9:.3f} GB"


@contextmanager
def _bar() -> Iterator[Callable[[Progress], object]]:
    from nav_eval.cli.progress import counting

    with counting(spoken("paths"), sys.stderr) as show:
        yield lambda now: show(now.done, now.total, spoken(_amount(now)))
