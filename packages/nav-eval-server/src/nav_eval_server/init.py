"""nav-eval competition init: a folder with rules, keys, private data and the first organiser, ready to be served."""

from __future__ import annotations

import hashlib
import re
import secrets
import sys
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import available_timezones

from cyclopts import Parameter

from nav_eval.cli.chinese import spoken
from nav_eval.cli.say import say
from nav_eval.errors import InputError
from nav_eval.results.audit import new_key
from nav_eval_server import evaluator, vault
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.conditions import differences
from nav_eval_server.folder import Folder
from nav_eval_server.phase_data import played, refuse_overlap, resolve
from nav_eval_server.serving import opened
from nav_eval_server.settings import postgres

BUILDINGS = {"dev": 1}
"""Of phases that only try the connection; every other has as many as are asked for."""
SEEDS = 1 << 53
"""Too many to be found by trying them against the rules' published sum."""
TEMPLATE = "challenge.template.yaml"
Template = Literal["challenge", "course", "benchmark"]
"""In kinds/: the phases of each, and its first page in both languages."""
COMMENT = re.compile(r"(?<=# )[A-Za-z][^#\n]*$", re.MULTILINE)
"""What a line of it says to its reader."""
PATHS = 4
"""In each building; every path has six phrasings."""


@dataclass(frozen=True)
class Answers:
    """What init asks for."""

    name: str
    title: str
    timezone: str
    organiser: str
    buildings: int
    database: str | None = None
    template: Template | None = None


def init(
    folder: Path,
    /,
    *,
    yes: Annotated[bool, Parameter(name=["--yes", "-y"])] = False,
    buildings: int = 5,
    database: str | None = None,
    template: Template | None = None,
) -> int:
    """Make a competition that needs no data: nav-eval competition init DIR.

    Writes DIR/challenge.yaml, DIR/private (keys and seed), DIR/data (buildings that nobody has seen) and the database
    with the first organiser, whose password is shown once.

    Parameters
    ----------
    folder
        A new folder; its name is the competition's.
    yes
        Ask nothing and take every default.
    buildings
        How many buildings the test set has; each takes about ten seconds to make.
    database
        postgresql://USER@HOST/NAME, an empty database in place of SQLite in DIR. Its password lies in the file that
        `NAV_EVAL_COMPETITION_DATABASE_PASSWORD_FILE` names.
    template
        What it begins as: a workshop's challenge with a hidden final, a course with an exercise a week, or a benchmark
        that stays open. Each has a first page in DIR/pages.
    """
    if Folder(folder).challenge.exists():
        raise InputError(f"{folder}: holds a competition already. Choose another folder.")
    if database is not None:
        check_empty(database, "--database")
    default = Answers(_name(folder), folder.resolve().name, "UTC", "organiser", buildings, database, template)
    answers = default if yes else _ask_answers(default)
    create(folder, answers)
    challenge = load_challenge(Folder(folder).challenge)
    for phase in challenge.phases.values():
        make_data(challenge, phase.split, BUILDINGS.get(phase.split, answers.buildings))
    refuse_overlap(challenge, {phase: resolve(challenge, phase) for phase in played(challenge)})
    password = first_organiser(challenge, answers.organiser)
    say(
        f"{Folder(folder).challenge} is ready; rules {challenge.rules_sha256[:12]}.",
        f"Organiser {answers.organiser}, password {password} (shown this once).",
        *filter(None, [differences(challenge.config)]),
        "To try services of this machine, first add loopback to endpoints.allowed_networks in that file.",
        f"Next: nav-eval competition serve {Folder(folder).challenge}",
    )
    return 0


def check_empty(url: str, what: str) -> None:
    """Better one message now than after the buildings are made. `what`: names the database's address to the reader."""
    found = postgres(url)
    try:
        import psycopg
    except ImportError:
        raise InputError(f'{what}: install what speaks to it: pip install "nav-eval-server[postgres]".') from None
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    given = {name: str(found[key]) for name, key in names.items() if found.get(key)} | found.get("OPTIONS", {})
    try:
        with psycopg.connect(**given, connect_timeout=10) as connection:
            tables = connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchone()
    except psycopg.Error as error:
        raise InputError(f"{what}: cannot be used: {' '.join(str(error).split())}") from None
    if tables is not None:
        raise InputError(f"{what}: {found['NAME']} holds tables already. Take an empty one.")


def create(path: Path, answers: Answers) -> None:
    """Folders, keys and challenge.yaml, which is written last: without it there is no competition."""
    folder = Folder(path)
    folder.make()
    folder.write_secret("seed", secrets.token_hex(16))
    folder.write_secret("django.key", secrets.token_urlsafe(48))
    folder.write_secret("vault.key", vault.new_key())
    if not (folder.private / "organiser.pem").exists():
        new_key(folder.private / "organiser.pem")
    if answers.template is not None:
        _write_pages(folder.path / "pages", answers.template)
    folder.challenge.write_text(_rules(answers), encoding="utf-8")


def _write_pages(place: Path, template: Template) -> None:
    """An overview; pages that are there stay as they are."""
    place.mkdir(exist_ok=True)
    for ending in (".md", ".zh.md"):
        page = place / f"overview{ending}"
        if not page.exists():
            page.write_text(_own_text(f"kinds/{template}{ending}"), encoding="utf-8")


def _own_text(name: str) -> str:
    return (files("nav_eval_server") / name).read_text(encoding="utf-8")


def template_text(template: Template | None) -> str:
    """challenge.yaml before it is filled in."""
    return _own_text(TEMPLATE).replace("@PHASES@", _own_text(f"kinds/{template or 'plain'}.yaml"))


def _rules(answers: Answers) -> str:
    template = COMMENT.sub(lambda comment: spoken(comment[0]), template_text(answers.template))
    values = {
        "NAME": answers.name,
        "TITLE": _quote(answers.title),
        "TIMEZONE": answers.timezone,
        "DATABASE": f"database: {_quote(answers.database)}\n" if answers.database else "",
    }
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    template = re.sub(r"@DAY (\d+)@", lambda day: _in_days(int(day[1])), template)
    return re.sub("@SEED@", lambda _: str(secrets.randbelow(SEEDS)), template)


def _in_days(days: int) -> str:
    return (datetime.now().astimezone() + timedelta(days=days)).isoformat(timespec="minutes")


def _quote(text: str) -> str:
    """As YAML's double quotes take it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def make_data(challenge: Challenge, split: str, buildings: int) -> None:
    """Buildings and episodes of one split from the private seed, if they are not there yet."""
    place = Path("data") / split
    if (challenge.folder / place / "episodes").exists():
        return
    sys.stderr.write(f"{spoken(f'Making {buildings} building(s) for {split} ...')}\n")
    seed = split_seed(Folder(challenge.folder).secret("seed"), split)
    (challenge.folder / "data").mkdir(mode=0o700, exist_ok=True)
    scenes, episodes = str(place / "scenes"), str(place / "episodes")
    plan = ["--count", str(buildings), "--rooms", "4", "--detail", "20000", "--name", split]
    evaluator.call_secretly(["generate", "scenes", scenes, *plan, "--seed", seed], challenge.folder)
    paths = ["--task", "vln", "--per-scene", str(PATHS)]
    evaluator.call_secretly(["generate", "episodes", scenes, episodes, *paths, "--seed", seed], challenge.folder)


def split_seed(seed: str, split: str) -> str:
    """Of one split, from the private seed: whoever is told it finds neither that nor another split's."""
    return hashlib.sha256(f"{seed}-{split}".encode()).hexdigest()[:32]


def first_organiser(challenge: Challenge, name: str) -> str:
    """Make the database and a user that is staff; returns the password."""
    from nav_eval_server.settings import configure

    configure(challenge)
    from django.core.management import call_command

    from nav_eval_server.models import Token, User
    from nav_eval_server.tokens import issue

    call_command("migrate", verbosity=0)
    password = secrets.token_urlsafe(12)
    User.objects.create_user(name, password=password, is_staff=True)
    Folder(challenge.folder).write_secret("worker.token", issue(Token.Scope.WORKER, "this machine"))
    return password


def organiser(file: Path, /, *, name: str) -> int:
    """Make an organiser, or readmit one: nav-eval competition organiser FILE --name NAME.

    Prints a new password, once, and takes a second factor away, for whoever has lost password or phone.

    Parameters
    ----------
    file
        challenge.yaml.
    name
        The person's user name.
    """
    opened(file)
    from nav_eval_server import events, second_factor
    from nav_eval_server.models import User

    user, _ = User.objects.get_or_create(username=name)
    user.is_staff, password = True, secrets.token_urlsafe(12)
    user.set_password(password)
    user.save()
    if user.sealed_totp:
        second_factor.disable(user, "command line")
    events.record("organiser_let_in", name, actor="command line")
    say(f"Organiser {name}, password {password} (shown this once).")
    return 0


def _name(folder: Path) -> str:
    """The folder's name with what a competition's name may hold."""
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder.resolve().name.lower())
    return kept.strip("-")[:40] or "challenge"


def _ask_answers(default: Answers) -> Answers:
    title = _ask("Title", default.title)
    zone = _ask("Time zone, in which days of a quota end", default.timezone)
    if zone not in available_timezones():
        raise InputError(f"{zone!r} is not a time zone. Write for example Europe/Berlin, Asia/Shanghai or UTC.")
    organiser = _ask("Name of the first organiser", default.organiser)
    return replace(default, title=title, timezone=zone, organiser=organiser)


def _ask(question: str, default: str) -> str:
    sys.stderr.write(f"{spoken(question)} [{default}]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or default
