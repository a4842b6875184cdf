"""nav-eval competition capacity: the evaluator's hours and the workers that a full house would need."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from nav_eval.cli.say import cell, say, say_document
from nav_eval.errors import ConfigError, InputError
from nav_eval_server.challenge import Challenge, configured
from nav_eval_server.phase_data import resolve
from nav_eval_server.serving import opened

HEAD = ("phase", "episodes", "hours a submission", "submissions a day", "hours a day", "workers")


def capacity(file: Path, /, *, teams: int, tries: int | None = None, seconds_per_step: float | None = None) -> int:
    """Say how many hours and workers the phases need: nav-eval competition capacity FILE --teams N.

    A worker plays one submission at a time, 24 hours a day.

    Parameters
    ----------
    file
        challenge.yaml.
    teams
        How many teams submit.
    tries
        Submissions of each team on the busiest day; by default all that the quota allows.
    seconds_per_step
        Time that a step takes, the service's included; each episode is then taken to need `max_steps`. By default what
        the last runs took.
    """
    if teams < 1 or (tries is not None and tries < 1) or (seconds_per_step is not None and seconds_per_step <= 0):
        raise InputError("--teams, --tries, --seconds-per-step: give numbers above 0.")
    challenge = opened(file)
    lines = [HEAD, *(_line(challenge, phase, teams, tries, seconds_per_step) for phase in _played_phases(challenge))]
    widths = [max(len(line[column]) for line in lines) + 2 for column in range(len(HEAD))]
    for line in lines:
        say_document("".join(cell(text, width) for text, width in zip(line, widths, strict=True)).rstrip())
    if any(line[2] == "-" for line in lines):
        say("A phase with - has no data or no run yet: make its data, or give --seconds-per-step, such as 0.2.")
    return 0


def _played_phases(challenge: Challenge) -> Iterator[str]:
    return (name for name, phase in challenge.phases.items() if phase.kind == "service")


def _line(
    challenge: Challenge, phase: str, teams: int, tries: int | None, seconds_per_step: float | None
) -> tuple[str, ...]:
    quota, episodes = challenge.phases[phase].quota, _episodes(challenge, phase)
    a_day = teams * min(tries or quota.per_day, quota.per_day, quota.total or quota.per_day)
    hours = _hours(challenge, phase, episodes, seconds_per_step)
    if hours is None:
        return phase, str(episodes or "-"), "-", str(a_day), "-", "-"
    busy, workers = a_day * hours, max(1, math.ceil(a_day * hours / 24))
    return phase, str(episodes or "-"), f"{hours:.2f}", str(a_day), f"{busy:.1f}", str(workers)


def _episodes(challenge: Challenge, phase: str) -> int:
    """0 of a phase whose data are still to be made."""
    try:
        return len(resolve(challenge, phase).episodes)
    except ConfigError:
        return 0


def _hours(challenge: Challenge, phase: str, episodes: int, seconds_per_step: float | None) -> float | None:
    """Of one submission: measured, or as long as the rules let it take."""
    from nav_eval_server.queue.outlook import usual_seconds

    if seconds_per_step is None:
        seconds = usual_seconds(phase)
    else:
        seconds = episodes * configured(challenge, phase).evaluation.max_steps * seconds_per_step or None
    return None if seconds is None else seconds / 3600
