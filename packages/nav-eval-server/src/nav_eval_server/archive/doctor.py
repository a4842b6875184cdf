"""What an organiser should look at: one line for each thing, and what to do about it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nav_eval.cli.chinese import language
from nav_eval.errors import ConfigError
from nav_eval.report.verdict import few
from nav_eval_server import events, opening, pages
from nav_eval_server.archive.backups import LAST
from nav_eval_server.challenge import Challenge, content_sha256
from nav_eval_server.conditions import differences
from nav_eval_server.folder import Folder
from nav_eval_server.images import engine
from nav_eval_server.models import Mark, Ranking
from nav_eval_server.phase_data import Contents, absent, played, refuse_overlap, resolve
from nav_eval_server.queue.health import SWEEP_SECONDS, health

BACKUP_AGE = timedelta(days=1)
FREE_GIB = 10.0


@dataclass(frozen=True)
class Finding:
    well: bool
    said: str


def examine(challenge: Challenge, now: datetime) -> Iterator[Finding]:
    folder = Folder(challenge.folder)
    yield _secrets(folder)
    yield _backup(now)
    yield from _queue(now)
    yield from _data(challenge)
    if unlike := differences(challenge.config):
        yield Finding(True, unlike)
    if challenge.takes_images:
        yield _images(challenge)
    yield from _pages(folder.path)
    yield _disk(folder.path)
    yield _log()


def _secrets(folder: Folder) -> Finding:
    """What others of this machine could read."""
    places = [folder.private, folder.path / "state", folder.uploads]
    open_ones = [
        path for path in (*places, *folder.private.rglob("*")) if path.exists() and path.stat().st_mode & 0o077
    ]
    if open_ones:
        names = ", ".join(str(path.relative_to(folder.path)) for path in open_ones[:3])
        return Finding(False, f"others may read {names}: chmod -R go= {' '.join(map(str, places))}")
    return Finding(True, "keys, runs and uploads are readable by one user only")


def _data(challenge: Challenge) -> Iterator[Finding]:
    """What each phase would play. One to come may still be made; one that is over is played where a run is repeated."""
    found: dict[str, Contents] = {}
    for phase in played(challenge):
        try:
            found[phase] = resolve(challenge, phase)
            opening.refuse_change(challenge, phase, found[phase])
        except ConfigError as error:
            state = opening.status_of(challenge, phase)
            to_come = state == "upcoming" and absent(challenge, phase)
            yield Finding(to_come or state == "closed", f"{phase} ({state}{_when(challenge, phase)}): {error}")
        else:
            yield Finding(True, _playable(challenge, phase, found[phase]))
    try:
        refuse_overlap(challenge, found)
    except ConfigError as error:
        yield Finding(False, str(error))


def _playable(challenge: Challenge, phase: str, found: Contents) -> str:
    when, remark = opening.status_of(challenge, phase) + _when(challenge, phase), few(language(), len(found.scenes))
    counts = f"{phase} ({when}): {len(found.episodes)} episodes in {len(found.scenes)} scene(s) can be played."
    return f"{counts} {remark}" if remark else counts


def _when(challenge: Challenge, phase: str) -> str:
    upcoming = opening.status_of(challenge, phase) == "upcoming"
    return f", opens {challenge.opens(phase):%Y-%m-%d %H:%M} UTC" if upcoming else ""


def _images(challenge: Challenge) -> Finding:
    """On this machine."""
    try:
        return Finding(True, engine.refuse(challenge.images))
    except ConfigError as error:
        return Finding(False, str(error))


def _pages(folder: Path) -> Iterator[Finding]:
    """The competition's own, where it has any."""
    found = pages.read(folder, "en")
    if found:
        yield Finding(True, f"{len(found)} page(s) of your own: {', '.join(found)}")
    yield from (Finding(False, fault) for fault in pages.faults(folder))


def _backup(now: datetime) -> Finding:
    last = Mark.objects.filter(name=LAST).first()
    if last is None or last.at is None:
        return Finding(False, "there is no backup: nav-eval competition backup FILE, every day")
    age = now - last.at
    hours = age.total_seconds() / 3600
    return Finding(age <= BACKUP_AGE, f"the last backup is {hours:.1f} hours old")


def _queue(now: datetime) -> Iterator[Finding]:
    found = health(now)
    yield Finding(found.stuck == 0, f"{found.stuck} stuck, {found.waiting} waiting, {found.running} running")
    if found.sweep_seconds is None or found.sweep_seconds >= SWEEP_SECONDS:
        yield Finding(False, "the scheduler does not sweep: is it served? nav-eval competition serve FILE")
    else:
        yield Finding(True, f"the scheduler swept {found.sweep_seconds:.0f} s ago")
    yield Finding(found.workers > 0, f"{found.workers} worker(s) seen in the last two minutes")


def _disk(path: Path) -> Finding:
    free = shutil.disk_usage(path).free / 2**30
    return Finding(free >= FREE_GIB, f"{free:.1f} GiB free at {path}")


def _log() -> Finding:
    broken = events.broken()
    if broken is not None:
        return Finding(False, f"the audit log was changed at event {broken}: restore a backup")
    changed = [row.pk for row in Ranking.objects.iterator() if content_sha256(row.document) != row.sha256]
    if changed:
        return Finding(False, f"board snapshot {changed[0]} was changed: restore a backup")
    return Finding(True, "audit log and board snapshots are whole")
