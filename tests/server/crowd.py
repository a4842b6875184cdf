"""A competition in full swing: four kinds of visitors, teams with services, submissions in every state.

What nobody else may see is a canary: a word or a number that is nowhere else.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import connections
from django.test import Client
from django.utils import timezone

from nav_eval_server.board.places import Board, document, keep
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Endpoint, Episode, Membership, Result, Submission, Team, Token, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import find, issue
from nav_eval_server.vault import Vault
from server.competition import kept_folder

PASSWORD = "correct horse battery"
SEED = 918273645
SERVICE = "canary-service.example.org:8085"
SERVICE_TOKEN = "canary-service-token"
SCENE, EPISODE = "canary-scene", "canary-episode"
SCORE, OTHER_FIGURE, HIDDEN = 0.6125, 0.7183, 0.4321
SHOWN = {share: f"{100 * share:.1f}" for share in (SCORE, OTHER_FIGURE, HIDDEN)}
"""As pages write them."""
NOTE = "canary-note-from-a-worker"


@dataclass
class Crowd:
    """`mine`: the canary's submissions by state, and one in a phase whose board is private."""

    challenge: Challenge
    team: Team
    mine: dict[str, Submission]
    token: str

    def visitor(self, name: str) -> Client:
        """nobody, member, other or organiser, with a session."""
        client = Client(SERVER_NAME="localhost")
        if name != "nobody":
            client.force_login(User.objects.get(username=name), "django.contrib.auth.backends.ModelBackend")
        return client


def person(name: str, team: Team | None = None, **more: Any) -> User:
    user = User.objects.create(username=name, password=make_password(PASSWORD), **more)
    if team is not None:
        Membership.objects.create(team=team, user=user, captain=True)
    return user


KEPT: dict[str, tuple[float, Path, Crowd]] = {}
"""By rules: when it was made, its database, and what there is in it."""
FRESH = 60.0
"""Seconds; a crowd knows what time it is."""


def crowd(challenge: Challenge) -> Crowd:
    """Made with every detail, or copied from one that was just made by the same rules."""
    if challenge.database is not None:
        return populate(challenge)
    rules = challenge.model_dump_json(exclude={"folder"})
    at, kept, found = KEPT.get(rules, (0.0, Path(), None))
    database = Folder(challenge.folder).database
    connections.close_all()
    if found is None or time.monotonic() - at > FRESH:
        found = populate(challenge)
        connections.close_all()
        kept = kept_folder() / hashlib.sha256(rules.encode()).hexdigest()
        shutil.copy(database, kept)
        KEPT[rules] = time.monotonic(), kept, found
    else:
        shutil.copy(kept, database)
    mine = {name: Submission.objects.get(pk=one.pk) for name, one in found.mine.items()}
    return Crowd(challenge, Team.objects.get(pk=found.team.pk), mine, found.token)


def populate(challenge: Challenge) -> Crowd:
    team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
    other = Team.objects.create(name="Borealis", state=Team.State.APPROVED)
    Team.objects.create(name="<b>Bobby</b>", state=Team.State.PENDING)
    person("member", team)
    person("other", other)
    person("organiser", is_staff=True)
    vault = Vault(Folder(challenge.folder))
    Endpoint.objects.create(
        team=team, name="canary-endpoint", protocol="rest", url=f"https://{SERVICE}",
        sealed_token=vault.seal(SERVICE_TOKEN), probe="ready", probed_at=timezone.now(),
    )  # fmt: skip
    token = issue(Token.Scope.TEAM, "canary-token", team)
    mine = {state.value: entry(challenge, team, state) for state in State}
    mine["hidden"] = entry(challenge, team, State.DONE, "hidden")
    score(mine[State.DONE], SCORE)
    score(mine["hidden"], HIDDEN)
    keep(document(challenge, "dev", Board.PUBLIC), timezone.now())
    return Crowd(challenge, team, mine, token)


def entry(challenge: Challenge, team: Team, state: str, phase: str = "dev") -> Submission:
    """A submission of the team's that is brought into a state, as if it had come so far."""
    made = Dispatcher(challenge).submit(team, phase, endpoint=team.endpoints.get())
    now = timezone.now()
    deadline = None if state in ("done", "failed", "cancelled", "void") else now + timedelta(minutes=5)
    told = {"state": state, "since": now, "deadline": deadline, "episodes_total": 20, "unready_since": now}
    why = {"why": "crashed", "fault": "ours"} if state == "failed" else {}
    Submission.objects.filter(pk=made.pk).update(**told, **why, detail="Seen twice." if state == "void" else "")
    return Submission.objects.get(pk=made.pk)


def score(submission: Submission, value: float, episodes: int = 12) -> None:
    """Its result, an attempt and its episodes."""
    worker = find(issue(Token.Scope.WORKER, "canary-worker"), Token.Scope.WORKER)
    now = timezone.now()
    attempt = Attempt.objects.create(
        submission=submission, n=1, fence=Attempt.objects.count() + 1000, worker=worker, instance="i",
        started_at=now, heartbeat_at=now, ended_at=now, live=False, outcome="played", rc=0, message=NOTE,
    )  # fmt: skip
    row = {"submission": submission, "attempt": attempt, "scene": SCENE, "status": "ok", "metrics": {"spl": value}}
    Episode.objects.bulk_create(Episode(episode=f"{EPISODE}-{n}", **row) for n in range(episodes))
    metrics = {"spl": {"mean": value}, "success": {"mean": OTHER_FIGURE}}
    recorded = {"n_episodes": episodes, "n_lost": 0, "metrics": metrics, "secret": json.dumps([SCENE, SEED])}
    Result.objects.create(submission=submission, document=recorded, at=now)
