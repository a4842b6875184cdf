"""A competition in one file, taken while it is served, and brought back on an empty place.

The database is copied first, at one moment, and files after it: journals only grow, so whatever a row speaks of is
there. What a file has more is counted when its run goes on. For what is brought back the time between is as if it had
not been: leases, deadlines and waiting begin again where they stood, and fences go on above all that were ever given.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from nav_eval.errors import InputError, NavEvalError
from nav_eval.reading import file_sha256
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.init import check_empty
from nav_eval_server.settings import database

LABEL, DATABASE = "backup.json", "state/database"
KEPT = ("private", "uploads", "pages", "state/runs", "state/people", "state/frozen")
DATA = "data"
LAST = "backup"
"""The Mark of the last backup."""


def write(challenge: Challenge, out: Path, now: datetime, *, data: bool) -> None:
    """Everything but the worker's own copies into a new file that its owner alone can read."""
    folder = Folder(challenge.folder)
    part = out.with_name(f"{out.name}.part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
        with tarfile.open(fileobj=raw, mode="w") as tar, tempfile.TemporaryDirectory(dir=out.parent) as place:
            dump = Path(place) / "database"
            _dump(challenge, dump)
            sums = {DATABASE: _add(tar, dump, DATABASE)}
            for path in _files(folder, (*KEPT, DATA) if data else KEPT):
                name = str(path.relative_to(folder.path))
                sums |= {name: digest} if (digest := _add(tar, path, name)) else {}
            sums["challenge.yaml"] = _add(tar, folder.challenge, "challenge.yaml")
            label = {"schema": 1, "made_at": now.isoformat(), "competition": challenge.name, "sha256": sums}
            (Path(place) / LABEL).write_text(json.dumps(label))
            _add(tar, Path(place) / LABEL, LABEL)
        os.fsync(raw.fileno())
    part.replace(out)


def _files(folder: Folder, places: tuple[str, ...]) -> Iterator[Path]:
    for place in places:
        for path in sorted((folder.path / place).rglob("*")):
            if path.is_file() and not path.is_symlink() and path.suffix != ".part":
                yield path


def _add(tar: tarfile.TarFile, path: Path, name: str) -> str:
    """Its SHA-256; "" for a file that has gone. What is appended meanwhile is not in it."""
    with tempfile.TemporaryFile() as copy:
        try:
            with path.open("rb") as file:
                shutil.copyfileobj(file, copy)
        except FileNotFoundError:
            return ""
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = copy.tell(), 0o600, int(path.stat().st_mtime)
        copy.seek(0)
        tar.addfile(entry, copy)
        copy.seek(0)
        return hashlib.file_digest(copy, "sha256").hexdigest()


def _dump(challenge: Challenge, out: Path) -> None:
    if challenge.database is not None:
        _postgres(challenge, ["pg_dump", "--format=custom", "--no-owner", f"--file={out}"])
        return
    with (
        closing(sqlite3.connect(f"file:{Folder(challenge.folder).database}?mode=ro", uri=True)) as live,
        closing(sqlite3.connect(out)) as copy,
    ):
        live.backup(copy)


def _postgres(challenge: Challenge, command: list[str]) -> None:
    """Its programs are told the address and the password where no list of processes shows them."""
    there = database(challenge)
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    told = {name: str(there[key]) for name, key in names.items() if there.get(key)}
    if command[0] == "pg_restore":
        command = [*command, f"--dbname={there['NAME']}"]
    try:
        done = subprocess.run(command, env=os.environ | told, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise InputError(f"{command[0]} is not installed: apt install postgresql-client.") from None
    if done.returncode:
        raise NavEvalError(f"{command[0]} failed: {done.stderr.strip()[:500]}")


def unpack(backup: Path, folder: Path) -> datetime:
    """Make `folder` what the backup holds, its database too, or leave it as it was; when the backup was made."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: is not empty. Restore into a new folder.")
    staging = folder.with_name(f".{folder.name}.restoring")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700, parents=True)
    try:
        label = _extract(backup, staging)
        challenge = load_challenge(Folder(staging).challenge)
        _load(challenge, staging / DATABASE)
        staging.replace(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return datetime.fromisoformat(label["made_at"])


def _extract(backup: Path, folder: Path) -> Mapping[str, Any]:
    try:
        with tarfile.open(backup) as tar:
            for member in tar:
                _write_file(tar, member, folder)
        label: Mapping[str, Any] = json.loads((folder / LABEL).read_text())
        (folder / LABEL).unlink()
    except (OSError, tarfile.TarError, ValueError) as error:
        raise InputError(f"{backup}: is not a backup, or a part of one ({str(error).splitlines()[0]}).") from None
    for name, digest in label["sha256"].items():
        path = folder / name
        if not path.is_file() or file_sha256(path) != digest:
            raise InputError(f"{backup}: {name} is damaged in it. Take another backup.")
    for place in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        place.chmod(0o700)
    return label


def _write_file(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """One file of it below `folder`, and nothing else: extractall's filters are unknown to Python before 3.11.4."""
    name, content = PurePosixPath(member.name), tar.extractfile(member) if member.isreg() else None
    if content is None or name.is_absolute() or ".." in name.parts:
        raise tarfile.TarError(f"{member.name} is not a file of a competition")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(content, file)
    path.chmod(0o600)
    os.utime(path, (member.mtime, member.mtime))


def _load(challenge: Challenge, dump: Path) -> None:
    if challenge.database is None:
        dump.replace(Folder(challenge.folder).database)
    else:
        check_empty(challenge.database, "database")
        _postgres(challenge, ["pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", str(dump)])
        dump.unlink()


def thaw(made_at: datetime, now: datetime) -> None:
    """Let everything unfinished go on as if it were still the moment of the backup; nobody was seen at work yet."""
    from django.db import transaction
    from django.db.models import F

    from nav_eval_server import events
    from nav_eval_server.models import Attempt, Mark, Submission, Token
    from nav_eval_server.queue.states import FINAL

    gap = now - made_at
    with transaction.atomic():
        Attempt.objects.filter(live=True).update(started_at=F("started_at") + gap, heartbeat_at=F("heartbeat_at") + gap)
        Submission.objects.exclude(state__in=FINAL).update(
            deadline=F("deadline") + gap, retry_at=F("retry_at") + gap, unready_since=F("unready_since") + gap
        )
        Token.objects.filter(scope=Token.Scope.WORKER).update(last_used_at=None)
        Mark.objects.filter(name="sweep").delete()
        fence, _ = Mark.objects.get_or_create(name="fence")
        Mark.objects.filter(name="fence").update(value=max(fence.value, int(now.timestamp())))
        Mark.objects.update_or_create(name=LAST, defaults={"at": made_at})
        events.record("restored", "backup", made_at=made_at.isoformat())


def note(now: datetime) -> None:
    """A backup has been taken."""
    from nav_eval_server import events
    from nav_eval_server.models import Mark

    Mark.objects.update_or_create(name=LAST, defaults={"at": now})
    events.record("backup", "backup")
