"""A competition of its own for each test: Django is set up once in a process, its database is changed under it.

That happens when this file is read, because whoever imports a model needs it.
"""

from __future__ import annotations

import os
import pkgutil
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.cache import cache
from django.core.management import call_command
from django.db import connections
from django.utils import translation

from nav_eval_server.challenge import Challenge, Web
from nav_eval_server.cli import COMMANDS
from nav_eval_server.folder import Folder
from nav_eval_server.init import create
from nav_eval_server.settings import configure, database
from nav_eval_server.web import alike
from once import once_folder
from sdk.test_address import canary as canary
from sdk.test_servers import certificates as certificates
from server import warm
from server.competition import ANSWERS, kept_folder, phase, write_challenge
from server.mailbox import Hook, Mailbox, listener, mail_server

if TYPE_CHECKING:
    from server.crowd import Crowd

Make = Callable[..., Challenge]
Command = Callable[..., int]

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
"""A browser that another test has opened keeps an event loop in this thread; Django would refuse to work beside it."""

if not apps.ready:
    place = kept_folder() / "nobodys"
    create(place, ANSWERS)
    configure(Challenge.model_construct(folder=place, database=None, web=Web()))


alike.SECONDS = 0.0
"""A test looks at what it has just changed."""
PBKDF2PasswordHasher.iterations = 1
"""Hashing is slow on purpose; a served process takes such a hash too, for it says of itself how often."""


@pytest.fixture(scope="session")
def migrated() -> Path:
    """An empty database with every table."""
    return once_folder(warm.MIGRATED, migrate) / "database"


def migrate(folder: Path) -> None:
    call_command("migrate", verbosity=0)
    connections.close_all()
    whole = shutil.copy(connections["default"].settings_dict["NAME"], folder / "part")
    Path(whole).rename(folder / "database")  # servers of forks take it as soon as it is there


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python that a test starts is a fork."""
    monkeypatch.setattr(subprocess, "Popen", warm.Popen)


def use(challenge: Challenge) -> None:
    """Let this process work with the challenge and its database."""
    connections.close_all()
    connections.settings |= connections.configure_settings({"default": database(challenge)})
    if hasattr(connections._connections, "default"):
        del connections["default"]
    settings.CHALLENGE = challenge


@pytest.fixture
def make(tmp_path: Path, migrated: Path) -> Iterator[Make]:
    """`make(**changes)`: a competition whose database this process then uses."""
    before: Challenge = settings.CHALLENGE

    def made(**changes: object) -> Challenge:
        cache.clear()
        translation.deactivate()  # what an earlier test's last page was in
        challenge = write_challenge(tmp_path / "homes", **changes)
        if challenge.database is None:
            shutil.copy(migrated, Folder(challenge.folder).database)
        use(challenge)
        if challenge.database is not None:
            call_command("migrate", verbosity=0)
        return challenge

    yield made
    use(before)


@pytest.fixture
def full(make: Make) -> Crowd:
    """A competition in full swing, with a phase whose board is private."""
    from server.crowd import crowd

    return crowd(make(phases={"dev": phase(), "hidden": phase() | {"board": "private"}}))


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mail_server() as found:
        yield found


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listener() as found:
        yield found


@pytest.fixture
def called(forks: None, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call a command with the challenge.yaml in use, in this process, which then begins no other."""
    monkeypatch.setattr("nav_eval_server.settings.configure", use)
    monkeypatch.setattr("nav_eval_server.serving.supervise", lambda _: None)

    def call(name: str, /, **options: Any) -> int:
        paths = {key: Path(value) if key == "out" else value for key, value in options.items()}
        file = Folder(settings.CHALLENGE.folder).challenge
        done: int = pkgutil.resolve_name(COMMANDS[name][0])(file, **paths)
        return done

    return call


@pytest.fixture
def command(make: Make, called: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call a command with an open phase's challenge.yaml."""
    monkeypatch.chdir(make().folder)
    return called
