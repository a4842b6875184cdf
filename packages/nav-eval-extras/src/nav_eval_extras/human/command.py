"""nav-eval human: a person plays in a browser."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.run import split_arguments
from nav_eval.cli.say import say
from nav_eval.cli.table import metrics_table
from nav_eval.errors import ConfigError


def human(
    *arguments: str,
    out: Path,
    config: Path | None = None,
    port: int = 8090,
    host: str = "127.0.0.1",
    practice: int = 0,
    show_results: bool = False,
    people: int = 1,
    each: int = 1,
    consent: Path | None = None,
    withdraw: int | None = None,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
    progress: Literal["auto", "bar", "json", "none"] = "auto",
) -> int:
    """Let a person play in a browser: nav-eval human BENCHMARK [key=value ...] --out DIR.

    Open the link that it prints. The page shows what an agent would be given, and DIR becomes a run as any agent's.
    Ctrl-C ends it at once; the same command goes on at the step where it ended.

    Parameters
    ----------
    arguments
        A benchmark, then overrides as for `run`, such as dataset.limit=10 simulator.sensors.rgb.width=640
    out
        The run directory; a run that a person has begun there is continued.
    config
        A YAML file with your own settings, which override the benchmark's.
    port
        The port of the page; 0: any free one.
    host
        The address to listen on. 0.0.0.0 lets a phone in your network play; the link is then sent unencrypted.
    practice
        How many other episodes of the data set each person plays first. They do not count; those of one person alone
        are a run in DIR/practice.
    show_results
        Tell each person, when nothing is left for them to play, in which episodes they reached the goal.
    people
        How many people are invited. Several are asked for consent and told a payment code at the end; DIR/run-1, run-2
        and so on are then the runs, and DIR/codes.csv has the codes.
    each
        How many people play each episode. Nobody plays a path twice.
    consent
        A text file that several people agree to before they begin, in place of the built-in one.
    withdraw
        Serve nothing: delete all that this person of several sent, by their number in DIR/codes.csv.
    quiet
        Print no progress bar and no table, only the link and where the results are.
    progress
        On stderr: a bar, JSON lines (one a second at most), or nothing; auto is a bar on a terminal, else a line
        each ten seconds.
    """
    from nav_eval.cli.progress import show_progress
    from nav_eval.core.stopping import drainable
    from nav_eval.runs.registry import benchmark_config
    from nav_eval_extras.annotate.invitations import ALONE, check_owner
    from nav_eval_extras.human.game import Game
    from nav_eval_extras.human.play import Options, check_playable, for_people, link_key, play_benchmark
    from nav_eval_extras.human.web import serving

    if withdraw is not None:
        return _withdraw(out, withdraw)
    benchmark, overrides = split_arguments(arguments)
    resolved = for_people(benchmark_config(benchmark, file=config, overrides=overrides))
    notes = check_playable(resolved)
    style = "none" if quiet and progress == "auto" else progress
    if people != 1:
        asked = {"people": people, "each": each, "practice": practice, "show_results": show_results}
        return _play_together(resolved, out, consent, asked, host, port)
    if each != 1 or consent is not None:
        raise ConfigError("--each, --consent: are for several people. Set --people.")
    check_owner(out, ALONE)
    game, key = Game(), link_key(out)
    with serving({key: game}, host, port) as (link,), drainable(), show_progress(style) as bar:
        sys.stderr.writelines(f"{spoken(line)}\n" for line in (*notes, f"Play at {link}"))
        sys.stderr.flush()
        evaluated = play_benchmark(resolved, out, game, key, Options(practice, show_results, notes), [bar])
    if not quiet:
        say(*metrics_table(evaluated.document).splitlines())
    say(evaluated.path)
    return DONE if evaluated.results.blameless else FINDINGS


def _withdraw(out: Path, person: int) -> int:
    from nav_eval_extras.annotate.hosting import withdraw
    from nav_eval_extras.annotate.invitations import TOGETHER
    from nav_eval_extras.annotate.plays import Plays

    withdraw(out, TOGETHER, person, lambda journal: Plays(journal, {}, 1))
    say(
        f"All that person {person} sent is deleted, the runs too, and their payment code is void.",
        "The command without --withdraw writes the runs again; with a higher --people others play what is missing.",
    )
    return DONE


def _play_together(config: Any, out: Path, consent: Path | None, asked: Mapping[str, Any], host: str, port: int) -> int:
    from nav_eval_extras.annotate.command import tell_links
    from nav_eval_extras.annotate.consent import PLAYING, Consent
    from nav_eval_extras.annotate.playing import Crowd, play_together

    crowd = Crowd(consent=Consent.read(consent, PLAYING), **asked)
    if crowd.people < 1 or crowd.each < 1:
        raise ConfigError(f"--people {crowd.people} --each {crowd.each}: each is 1 or more.")
    runs = play_together(config, out, crowd, host, port, tell_links)
    for run in runs:
        say(*metrics_table(run.document).splitlines())
        say(run.path)
    return DONE if all(run.results.blameless for run in runs) else FINDINGS
