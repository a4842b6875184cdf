"""A competition of the first version, as migration 0002 left its database, under the version of today."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from nav_eval_server import events
from nav_eval_server.archive.publishing import publish
from nav_eval_server.board.places import Keeper, latest
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.init import create
from nav_eval_server.models import Ranking, Submission, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from server.competition import ANSWERS
from server.conftest import use
from server.serving import nav_eval

FIRST = Path(__file__).with_name("first_version")


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By the command that an organiser calls first; it also compares the rules with those of the opening."""
    folder = tmp_path_factory.mktemp("first")
    create(folder, ANSWERS)
    file = Folder(folder).challenge
    shutil.copy(FIRST / "challenge.yaml", file)
    with closing(sqlite3.connect(Folder(folder).database)) as database:
        database.executescript((FIRST / "database.sql").read_text())
    said = nav_eval("competition", "doctor", file)
    assert "ok   audit log and board snapshots are whole" in said.stdout, said.stderr
    return folder


@pytest.fixture
def upgraded(looked_at: Path, tmp_path: Path) -> Iterator[Challenge]:
    before: Challenge = settings.CHALLENGE
    shutil.copytree(looked_at, tmp_path, dirs_exist_ok=True)
    challenge = load_challenge(Folder(tmp_path).challenge)
    use(challenge)
    yield challenge
    use(before)


PAGES = {
    None: {"/": "Aurora", "/board/standard/": "0.6200", "/board/dev/": "Leaderboard"},
    "bo": {"/team/": "agent.example.org:8085", "/submissions/wait00000000/": "queued", "/board/standard/": "yours"},
    "ada": {
        "/organiser/": "Pending",
        "/organiser/log/": "The chain holds",
        "/submissions/void00000000/": "Seen twice.",
    },
}


def test_a_database_of_the_first_version_is_served(upgraded: Challenge) -> None:
    for name, pages in PAGES.items():
        client = Client(SERVER_NAME="localhost")
        if name is not None:
            client.force_login(User.objects.get(username=name), "django.contrib.auth.backends.ModelBackend")
        for address, what in pages.items():
            answer = client.get(address)
            assert (answer.status_code, what in answer.content.decode()) == (200, True), address


def test_it_goes_on_where_it_stood(upgraded: Challenge) -> None:
    """What waited still waits, boards move on from the last snapshot, fences stay above those that were given."""
    now = timezone.now()
    dispatcher = Dispatcher(upgraded)
    dispatcher.sweep()
    assert Submission.objects.get(pk="wait00000000").state == State.QUEUED
    Keeper(upgraded).refresh(now)
    kept = latest("standard", Ranking.Board.PUBLIC)
    assert kept is not None
    assert kept.document["rules_sha256"] == upgraded.rules_sha256
    assert [line["score"] for line in kept.document["entries"]] == [0.62, 0.32, 0.05]
    assert [line["submission"] for line in kept.document["void"]] == ["void00000000"]
    dispatcher.cancel(Submission.objects.get(pk="wait00000000"), "bo")
    assert events.broken() is None


def test_its_board_is_published(upgraded: Challenge, tmp_path: Path) -> None:
    publish(upgraded, tmp_path / "out", timezone.now())
    board = tmp_path / "out" / "boards" / "standard-public"
    scores = [line["score"] for line in json.loads(board.with_suffix(".json").read_text())["entries"]]
    assert scores == [0.62, 0.32, 0.05]
    rows = list(csv.DictReader(board.with_suffix(".csv").open()))
    assert [row["team"] for row in rows] == ["Aurora", "Borealis", "random"]
    assert "0.6200" in board.with_suffix(".html").read_text()
