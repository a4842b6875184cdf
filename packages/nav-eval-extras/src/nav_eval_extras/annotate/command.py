"""nav-eval annotate: people write instructions in a browser, and others follow them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE
from nav_eval.cli.run import split_arguments
from nav_eval.cli.say import say
from nav_eval.errors import ConfigError


def annotate(
    *arguments: str,
    out: Path,
    language: Literal["en", "zh"] = "en",
    people: int = 4,
    rounds: int = 3,
    sieve: str = "",
    consent: Path | None = None,
    export: Path | None = None,
    withdraw: int | None = None,
    config: Path | None = None,
    port: int = 8090,
    host: str = "127.0.0.1",
) -> int:
    """Let people write instructions in a browser: nav-eval annotate BENCHMARK [key=value ...] --out DIR.

    It prints a link for each person and one for the progress. A text counts once another person has followed it to the
    goal. Ctrl-C ends it at once; the same command goes on with all that was sent.

    Whoever has worked is shown a payment code when nothing is left to do; DIR/codes.csv has them to compare.

    Parameters
    ----------
    arguments
        A benchmark, then overrides as for `run`, such as dataset.limit=10 simulator.sensors.rgb.width=640
    out
        The folder of the texts; what was begun there is continued.
    language
        The language of the texts. One folder may hold both, one after the other.
    people
        How many people are invited. A returned text needs a follower who has not seen its path, so one more than
        --rounds is enough.
    rounds
        How many texts of one path may fail before the path is dropped.
    sieve
        An agent, such as grounded, that follows each text first: what it can follow is accepted, the rest goes to a
        person.
    consent
        A text file that people agree to before they begin, in place of the built-in one. When it changes they are asked
        again.
    export
        Serve nothing: write the accepted texts, in both languages, to this folder: as R2R-CE and RxR-CE, on a
        navigation graph as R2R.
    withdraw
        Serve nothing: delete all that this person sent, by their number in DIR/codes.csv.
    config
        A YAML file with your own settings, which override the benchmark's.
    port
        The port of the page; 0: any free one.
    host
        The address to listen on. 0.0.0.0 lets others in your network take part; the links are then sent unencrypted.
    """
    from nav_eval.runs.registry import benchmark_config
    from nav_eval_extras.annotate.consent import Consent
    from nav_eval_extras.annotate.export import export_texts
    from nav_eval_extras.annotate.session import Wish, annotate_benchmark

    if withdraw is not None:
        return _withdraw(out, withdraw)
    if people < 1 or rounds < 1:
        raise ConfigError(f"--people {people} --rounds {rounds}: each is 1 or more.")
    benchmark, overrides = split_arguments(arguments)
    resolved = benchmark_config(benchmark, file=config, overrides=overrides)
    wish = Wish(language, people, rounds, sieve, Consent.read(consent))
    if export is not None:
        say(*export_texts(resolved, out, wish, export))
        return DONE
    states = annotate_benchmark(resolved, out, wish, host, port, tell_links)["states"]
    say(f"{states['accepted']} texts accepted, {states['dropped']} paths dropped. Write them with --export FOLDER.")
    say(out)
    return DONE


def _withdraw(out: Path, person: int) -> int:
    from nav_eval_extras.annotate.desk import Desk
    from nav_eval_extras.annotate.hosting import withdraw
    from nav_eval_extras.annotate.invitations import TEXTS

    withdraw(out, TEXTS, person, lambda journal: Desk(journal, [], "", 1))
    say(
        f"All that person {person} sent is deleted, and their payment code is void.",
        "Delete what you exported, and export again; with a higher --people others write what is missing.",
    )
    return DONE


def tell_links(links: Sequence[str]) -> None:
    progress, *people = links
    lines = [
        f"The progress is at {progress}",
        *(f"Link of person {number}: {link}" for number, link in enumerate(people, 1)),
    ]
    sys.stderr.writelines(f"{spoken(line)}\n" for line in lines)
    sys.stderr.flush()
