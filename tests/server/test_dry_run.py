"""A dry run: in the same queue, without a quota, and with a log and records for its team alone."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from nav_eval.errors import ConfigError
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.board import decisions
from nav_eval_server.challenge import DRY_RUN, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Charge, Membership, Submission, Team, Token, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.files import LOG
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import issue
from patience import until
from server.calling import Caller
from server.competition import phase
from server.conftest import Make
from server.crowd import SEED, crowd
from server.serving import serving
from server.test_challenge import changed, file  # noqa: F401 - a fixture
from server.test_dispatcher import Bench


@pytest.fixture
def bench(make: Make) -> Bench:
    return Bench(make(dry_run={"split": "rehearsal", "episodes": 2}, phases={"dev": phase(per_day=1)}))


def rehearse(bench: Bench, team: int = 0, **more: Any) -> Submission:
    mine = bench.teams[team]
    return bench.dispatcher.submit(mine, DRY_RUN, **{"endpoint": mine.endpoints.get()} | more)


def test_it_is_played_by_its_own_split_and_seed_costs_nothing_and_counts_on_no_board(bench: Bench) -> None:
    rehearse(bench)
    claim = bench.claim()
    assert (claim.overrides, claim.log) == (("dataset.split=rehearsal", "dataset.limit=2", "seed=0"), True)
    bench.send(claim, "1", "2")
    assert bench.complete(claim) == State.DONE
    assert not Charge.objects.exists()
    with pytest.raises(Refusal, match="counts on no board"):
        decisions.choose(bench.dispatcher.challenge, Submission.objects.get(), "ada", bench.now)
    _, claim = bench.begun()
    assert (claim.overrides, claim.log) == (("dataset.split=val",), False)


def test_one_at_a_time(bench: Bench) -> None:
    first = rehearse(bench, key="a")
    assert rehearse(bench, key="a") == first
    with pytest.raises(Refusal) as refusal:
        rehearse(bench)
    assert refusal.value.code == "dry_run_running"
    assert str(refusal.value).endswith(f"nav-eval-agent cancel {first.pk}")
    rehearse(bench, team=1)
    bench.dispatcher.cancel(first, "team")
    rehearse(bench)


def test_it_takes_services_of_approved_teams_where_there_are_any(bench: Bench) -> None:
    with pytest.raises(Refusal, match="takes a service"):
        rehearse(bench, endpoint=None, predictions=b"[]")
    offered = bench.dispatcher
    bench.dispatcher = Dispatcher(offered.challenge.model_copy(update={"dry_run": None}))
    with pytest.raises(Refusal, match="offers no dry runs"):
        rehearse(bench)
    bench.dispatcher = offered
    Team.objects.update(state=Team.State.PENDING)
    with pytest.raises(Refusal, match="not approved"):
        rehearse(bench)


@pytest.mark.parametrize(
    ("rules", "told"),
    [({"split": "standard"}, "dry_run.split: is the split of a phase"), ({"episodes": 21}, "dry_run.episodes")],
)
def test_faults_in_its_rules(file: Path, rules: dict[str, object], told: str) -> None:  # noqa: F811
    with pytest.raises(ConfigError) as fault:
        changed(file, "dry_run", rules)
    assert told in str(fault.value)


def test_a_graph_needs_a_split(make: Make) -> None:
    challenge = make(dry_run={"episodes": 2})
    with pytest.raises(ConfigError, match=r"dry_run: the demo's homes are for simulator.backend custom only"):
        load_challenge(Folder(challenge.folder).challenge)


def test_its_records_are_its_teams_alone(make: Make) -> None:
    """Organisers read those of every submission, nobody else; what says where the data lie nobody reads."""
    full = crowd(make(evaluation={"seed": SEED}, phases={"dev": phase(), "hidden": phase()}, dry_run={"split": "x"}))
    tokens = {
        name: issue(Token.Scope.TEAM, "t", Team.objects.get(name=team), User.objects.get(username=name))
        for name, team in (("member", "Aurora"), ("other", "Borealis"))
    }
    dry = Dispatcher(full.challenge).submit(full.team, DRY_RUN, endpoint=full.team.endpoints.get())
    every = {one.pk for one in (dry, *(full.mine[state] for state in ("done", "hidden", "failed")))}
    told, names = {LOG, "episodes.jsonl"}, ("config.yaml", "secret.key", "manifest.json", "episodes.jsonl", LOG)
    for key, name in product(every, names):
        Dispatcher(full.challenge).inbox(key).append(name, 0, b"rehearsed\n")
    seen, shown = set(), {}
    for who, key in product(("nobody", "member", "other", "organiser"), every):
        visitor, caller = full.visitor(who), Caller(tokens.get(who, ""))
        shown[who, key] = {*re.findall(r'/files/([\w.]+)"', visitor.get(f"/submissions/{key}/").content.decode())}
        for name in (*names, "..", "x"):
            page = visitor.get(f"/submissions/{key}/files/{name}")
            called = caller("GET", f"/submissions/{key}/files/{name}")
            assert (page.status_code == 200) == (page.content == b"rehearsed\n")
            seen |= {("page", who, key, name)} if page.status_code == 200 else set()
            seen |= {("api", who, key, name)} if called.status_code == 200 else set()
    pages = {("page", "organiser", *one) for one in product(every, told)} | {
        ("page", "member", dry.pk, name) for name in told
    }
    assert seen == pages | {("api", "member", dry.pk, name) for name in told}
    assert {one: files for one, files in shown.items() if files} == {("member", dry.pk): told} | {
        ("organiser", key): told for key in every
    }
    answer = full.visitor("member").get(f"/submissions/{dry.pk}/files/{LOG}")
    assert answer["Content-Disposition"].startswith("attachment")
    assert Caller(tokens["member"])("GET", f"/submissions/{dry.pk}").json()["files"] == [LOG, "episodes.jsonl"]


def test_a_team_rehearses_and_reads(make: Make) -> None:
    """The real thing, from the page's button to the log; nothing in it says where we are, nor the phases' seed."""
    phases = {"dev": phase() | {"split": "test"}}
    dry_run = {"split": "val", "episodes": 2}
    challenge = make(evaluation={"seed": SEED}, phases=phases, dry_run=dry_run, endpoints=QUICK)
    team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
    Membership.objects.create(team=team, user=User.objects.create(username="ada"), captain=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(), "django.contrib.auth.backends.ModelBackend")
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge) as served:
        client.post(reverse("save_service"), {"name": "robot", "protocol": "rest", "url": agent.endpoint})
        page = client.get(reverse("team")).content.decode()
        assert 'name="phase" value="dry_run"' in page
        client.post(reverse("submit"), {"phase": DRY_RUN, "endpoint": team.endpoints.get().pk, "key": "k"})
        until(lambda: served.healthz() == 200, "healthz")
        until(lambda: Submission.objects.get().state in ("done", "failed"), "the dry run")
    dry = Submission.objects.get()
    assert dry.state == State.DONE, list(dry.attempts.values())
    api = Caller(issue(Token.Scope.TEAM, "t", team, User.objects.get()))
    shown = api("GET", f"/submissions/{dry.pk}").json()
    assert shown["figures"]["success"] is not None
    files = {name: api("GET", f"/submissions/{dry.pk}/files/{name}").content.decode() for name in shown["files"]}
    assert set(files) == {LOG, "episodes.jsonl", "trajectories.jsonl", "tries.jsonl", "results.json"}
    assert len([json.loads(line) for line in files["episodes.jsonl"].splitlines()]) == 2
    assert "success" in files[LOG]
    places = (str(challenge.folder), str(Path.home()), str(Path(challenge.evaluation["dataset"]["data_path"]).parent))
    for name, text in files.items():
        assert [word for word in (*places, str(SEED), "secret") if word in text] == [], name


QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1}
