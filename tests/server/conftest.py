"""A competition of its own for each test: Django is set up once in a process, its database is changed under it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from graphs import write_r2r
from nav_eval.results.run_directory import public_config
from nav_eval.runs.registry import benchmark_config
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.founding import Answers, found
from nav_eval_server.settings import configure, database

ANSWERS = Answers("homes", "Homes", "UTC", "ada", 1)
Make = Callable[..., Challenge]


def write_challenge(folder: Path, **changes: object) -> Challenge:
    """A founded competition on a small graph; `changes` are laid over keys of its challenge.yaml."""
    found(folder, ANSWERS)
    path = Folder(folder).challenge
    content = yaml.safe_load(path.read_text())
    config = benchmark_config("r2r", overrides=[*write_r2r(folder / "data"), "agent_service.type=remote"])
    content["evaluation"] = public_config(config)
    for phase in content["phases"].values():
        phase["split"] = "val"
    content["endpoints"]["allowed_networks"] = ["loopback"]
    for key, value in changes.items():
        content[key] = content.get(key, {}) | value if isinstance(value, dict) else value
    path.write_text(yaml.safe_dump(content))
    return load_challenge(path)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database with every table."""
    challenge = write_challenge(tmp_path_factory.mktemp("template"))
    if not apps.ready:
        configure(challenge)
    call_command("migrate", verbosity=0)
    connections.close_all()
    return Folder(challenge.folder).database


@pytest.fixture
def make(tmp_path: Path, migrated: Path) -> Iterator[Make]:
    """`make(**changes)`: a competition whose database this process then uses."""

    def made(**changes: object) -> Challenge:
        challenge = write_challenge(tmp_path / "homes", **changes)
        shutil.copy(migrated, Folder(challenge.folder).database)
        connections.close_all()
        connections["default"].settings_dict |= database(challenge)
        settings.CHALLENGE = challenge
        return challenge

    yield made
    connections.close_all()
