"""nav-eval competition people: a row of people on the board of a phase, and what they are sent meanwhile."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from extras.playing import Person, hosted, lines
from graphs import SCAN, node
from nav_eval.errors import InputError
from nav_eval_server.archive.publishing import freeze
from nav_eval_server.board.places import Board, document
from nav_eval_server.folder import Folder
from nav_eval_server.human_row import _open, check, enter, played_by
from nav_eval_server.models import Method, Submission, Team, Token
from nav_eval_server.opening import lock
from nav_eval_server.organising import rerun, void
from nav_eval_server.queue.baselines import PEOPLE
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State
from nav_eval_server.web.roster import reserved
from patience import PATIENCE, until
from server.competition import phase
from server.conftest import Make
from server.crowd import person

LATER = {"opens": "2098-01-01T00:00"}


def test_people_are_a_row_without_a_rank_and_are_sent_no_goal(make: Make, tmp_path: Path) -> None:
    challenge = make(phases={"dev": phase(), "files": phase("predictions"), "later": phase() | LATER})
    folder = Folder(challenge.folder)
    lock(challenge)
    asked = ["competition", "people", folder.challenge, "--phase", "dev", "--people", 3, "--port", 0]
    with hosted(*asked, said=tmp_path / "said", command=()) as game, ThreadPoolExecutor(3) as pool:
        until(lambda: len(game.links) == 4)
        assert folder.people("dev").parent.parent.stat().st_mode & 0o077 == 0
        played = [Person(link) for link in game.links[1:]]
        moves = [["move_to:0"] * steps + ["stop"] for steps in range(3)]
        for done in [pool.submit(one.play_on, made) for one, made in zip(played, moves)]:
            done.result(PATIENCE)
        assert game.end() == 0, game.said
    heard = b"".join(bytes(person.heard) for person in played)
    assert not [
        word for word in (SCAN, node(3, 0), '"path"', "distance_to_goal", '"success"') if word.encode() in heard
    ]
    entry = Submission.objects.get()
    row = document(challenge, "dev", Board.PUBLIC)["entries"][0]
    episodes = lines(folder.people("dev") / "run-1" / "episodes.jsonl")
    scores = [episode["metrics"]["spl"] for episode in episodes]
    assert (row["team"], row["role"], row["rank"], row["submission"]) == ("people", "baseline", None, entry.id)
    assert (row["score"], row["failed"]) == (pytest.approx(sum(scores) / 5), 0)
    assert (entry.state, entry.episodes.count(), Team.objects.get().role) == (State.DONE, 5, "baseline")
    method = Method.objects.get()
    assert re.match(r"Played by 3 people in browsers, each episode by 1 \(consent", method.name)
    assert method.sensors == "none", "a graph without pictures"
    assert entry.id in game.said
    check_what_is_refused(challenge, entry)


def test_the_method_is_the_note_of_who_played_wherever_it_stands() -> None:
    assert played_by(["2 of 5 episodes failed.", "Played by 3 people.", "Played well."]) == "Played by 3 people."


def check_what_is_refused(challenge: Any, entry: Submission) -> None:
    with pytest.raises(InputError, match="people have played it"):
        check(challenge, "dev")
    with pytest.raises(InputError, match="takes files"):
        check(challenge, "files")
    with pytest.raises(InputError, match="is not open"):
        _open(challenge, "later")
    organiser = person("ada", is_staff=True)
    with pytest.raises(Refusal, match="people` alone"):
        rerun(challenge, entry, "Again.", organiser, entry.since)
    assert PEOPLE in reserved(challenge)
    folder = Folder(challenge.folder)
    (folder.public / entry.id).mkdir()
    void(challenge, entry, "Somebody withdrew.", organiser, entry.since)
    assert (entry.episodes.count(), *folder.runs.iterdir(), *folder.public.iterdir()) == (0,)
    check(challenge, "dev")
    run = Folder(challenge.folder).people("dev") / "run-1"
    (run / "results.json").write_text("{}")
    with CaptureQueriesContext(connection) as asked, pytest.raises(InputError, match="is not whole"):
        enter(challenge, "dev", run)
    marks = re.findall(r"_mark\b.*?'(queue|events)'", "\n".join(one["sql"] for one in asked.captured_queries))
    assert marks[0] == "queue", "locks are taken in the order of the dispatcher"
    assert "events" in marks
    assert (Submission.objects.count(), list(Folder(challenge.folder).runs.iterdir())) == (1, [])
    assert freeze(challenge, "dev", entry.since)
    with pytest.raises(InputError, match="was frozen"):
        enter(challenge, "dev", run)
    with pytest.raises(InputError, match="is not open"):
        _open(challenge, "dev")
    Token.objects.update(revoked_at=entry.since)
    with pytest.raises(InputError, match="worker was revoked"):
        enter(challenge, "dev", run)
    Team.objects.update(role="team")
    with pytest.raises(InputError, match="A team is called people"):
        check(challenge, "dev")
