"""nav-eval competition backup, restore, freeze, publish, grades and doctor."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from nav_eval.cli.chinese import asked_for, language, spoken
from nav_eval.cli.say import say, say_document
from nav_eval.errors import InputError
from nav_eval_server.archive import backups
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.serving import opened, prepare


def backup(file: Path, /, *, out: Path | None = None, without_data: bool = False) -> int:
    """Put a competition into one file, while it is served or not: nav-eval competition backup FILE.

    It holds keys and tokens: keep it as you keep passwords. PostgreSQL is asked by pg_dump.

    Parameters
    ----------
    file
        challenge.yaml.
    out
        The file to write; by default NAME-TIME.tar in the working directory.
    without_data
        Leave out data/, which holds the phases' buildings and episodes; then keep your own copy.
    """
    challenge, now = opened(file), datetime.now(UTC)
    place = out or Path(f"{challenge.name}-{now:%Y%m%dT%H%M%SZ}.tar")
    backups.write(challenge, place.resolve(), now, data=not without_data)
    backups.note(now)
    say(f"{place}: {place.stat().st_size / 2**20:.1f} MiB")
    return 0


def restore(backup: Path, folder: Path, /) -> int:
    """Bring a competition back from a backup into a new folder: nav-eval competition restore BACKUP FOLDER.

    What was unfinished goes on. With `database:` in its challenge.yaml that database must be empty.

    Parameters
    ----------
    backup
        What `nav-eval competition backup` wrote.
    folder
        A new folder.
    """
    made_at = backups.unpack(backup, folder)
    challenge = opened(Folder(folder).challenge)
    backups.thaw(made_at, datetime.now(UTC))
    say(
        f"{challenge.name} is as it was at {made_at:%Y-%m-%d %H:%M} UTC.",
        "Never serve it while the original is served: both would call the teams' services.",
        f"Next: nav-eval competition serve {Folder(folder).challenge}",
    )
    return 0


def freeze(file: Path, /, *, phase: str, reveal: bool = False) -> int:
    """End a phase and write its hash into the audit log: nav-eval competition freeze FILE --phase NAME.

    It takes nothing from then on. While submissions are unfinished there is no hash yet, and the exit code is 1: call
    it again when they have ended.

    Parameters
    ----------
    file
        challenge.yaml.
    phase
        The phase's name.
    reveal
        Also show the final board to everybody.
    """
    challenge, now = opened_for(file, phase), datetime.now(UTC)
    from nav_eval_server import opening
    from nav_eval_server.archive import publishing
    from nav_eval_server.board import decisions
    from nav_eval_server.board.places import Board, latest
    from nav_eval_server.queue.refusal import Refusal
    from nav_eval_server.web.standings import elsewhere

    opening.lock(challenge, None if opening.was_opened(challenge) else opening.verify(challenge))
    digest = publishing.freeze(challenge, phase, now)
    if digest is None:
        say(f"{phase} is closed; {decisions.unfinished(phase)} submission(s) are unfinished.")
        return 1
    say(f"{phase} {digest}")
    final = latest(phase, Board.FINAL)
    say(*(elsewhere(final.document, language()) if final else []))
    if not reveal:
        say(f"Next: nav-eval competition freeze {file} --phase {phase} --reveal")
        return 0
    try:
        publishing.reveal(challenge, phase, now)
    except Refusal as refusal:
        raise InputError(refusal.zh if asked_for() else str(refusal)) from None
    say(f"Next: nav-eval competition publish {file} --out DIRECTORY")
    return 0


def opened_for(file: Path, phase: str) -> Challenge:
    """As `opened`. Raises InputError for a phase that it has not."""
    challenge = load_challenge(file)
    if phase not in challenge.phases:
        raise InputError(f"--phase {phase}: there is none. Take one of {', '.join(challenge.phases)}.")
    prepare(challenge)
    return challenge


def publish(file: Path, /, *, out: Path) -> int:
    """Write boards, signed runs and what proves every rank for a static site: nav-eval competition publish FILE.

    It holds what everybody may see by now. Of a phase whose final board is revealed it also has each entry's values,
    without names of buildings and episodes; recompute.py in it finds every rank again, by Python alone.

    Parameters
    ----------
    file
        challenge.yaml.
    out
        A new folder.
    """
    challenge = opened(file)
    from nav_eval_server.archive import publishing

    boards = publishing.publish(challenge, out, datetime.now(UTC))
    say(
        f"{out}: {', '.join(boards)}" if boards else f"{out}: no board to show yet",
        f"Next: python -I -S recompute.py in {out}, and put that folder on any web server.",
    )
    return 0


def grades(file: Path, /) -> int:
    """Print what each person's team reached in every phase, as CSV: nav-eval competition grades FILE.

    Of the submissions that count for the final board the best one is taken, whether that board is revealed or not.

    Parameters
    ----------
    file
        challenge.yaml.
    """
    challenge = opened(file)
    from nav_eval_server.archive.grades import table

    say_document(table(challenge).rstrip("\n"))
    return 0


def doctor(file: Path, /) -> int:
    """Say what is in order and what is not, and what to do: nav-eval competition doctor FILE.

    Parameters
    ----------
    file
        challenge.yaml.
    """
    challenge = opened(file)
    from nav_eval_server.archive.doctor import examine

    findings = list(examine(challenge, datetime.now(UTC)))
    say(*(f"{'ok  ' if one.well else 'FIX '} {spoken(one.said)}" for one in findings))
    return 0 if all(one.well for one in findings) else 1
