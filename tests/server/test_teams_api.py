"""/api/v1 as teams' programs meet it: what each operation answers, to whom, and that its document says so."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.wsgi import get_wsgi_application
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings

from nav_eval_server.api import api
from nav_eval_server.board.places import Keeper
from nav_eval_server.models import Charge, Endpoint, Membership, Method, Submission, Team, Token, User
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import issue
from nav_eval_server.web.standings import standings
from server.boards import done
from server.calling import API, Caller, document
from server.competition import phase
from server.conftest import Make
from server.crowd import HIDDEN, OTHER_FIGURE, SCORE, SERVICE_TOKEN, Crowd, crowd
from server.test_dispatcher import Bench, line
from server.test_pages import PHASES, SEED, secrets_of

CAPTAIN = "canary-token-of-a-captain"


@pytest.fixture
def full(make: Make) -> Crowd:
    files = phase("predictions") | {"quota": {"per_day": 1, "concurrent": 5}}
    found = crowd(make(evaluation={"seed": SEED}, phases=PHASES | {"files": files}, endpoints={"probe_seconds": 0.05}))
    Endpoint.objects.update(url="http://127.0.0.1:9", probed_at=None)
    return found


def caller(full: Crowd, name: str) -> Caller:
    """A captain's program, or the session of an organiser who calls the API."""
    if name == "organiser":
        found = Caller()
        found._client.cookies = full.visitor("organiser").cookies
        return found
    mine = Membership.objects.get(user__username=name)
    return Caller(issue(Token.Scope.TEAM, CAPTAIN if name == "member" else "t", mine.team, mine.user))


@pytest.fixture
def team(full: Crowd) -> Caller:
    return caller(full, "member")


def endpoint_of(full: Crowd) -> int:
    return full.team.endpoints.get().pk


def test_a_token_says_whose_it_is_and_ends_with_its_makers_membership(full: Crowd, team: Caller) -> None:
    told = team("GET", "/me").json()
    assert (told["team"], told["state"], told["user"], told["captain"]) == ("Aurora", "approved", "member", True)
    assert told["rules_sha256"] == full.challenge.rules_sha256
    assert Caller(full.token)("GET", "/me").json()["captain"] is False
    Membership.objects.filter(user__username="member").delete()
    assert team("GET", "/me").status_code == 401


def test_everybody_may_ask_what_is_played(make: Make) -> None:
    played = {"agent_service": {"type": "remote", "timeout": 4}, "evaluation": {"max_steps": 7}}
    rules = make(evaluation=played | {"task": {"convention": "duet"}})
    told = Caller()("GET", "/competition").json()
    sensors = rules.evaluation["simulator"]["sensors"]
    assert (told["name"], told["conditions"]["sensors"].keys()) == (rules.name, sensors.keys())
    assert (
        told["conditions"].items()
        >= {"max_steps": 7, "act_seconds": 4.0, "reset_seconds": 60.0, "convention": "duet"}.items()
    )
    assert [(one["name"], one["status"]) for one in told["phases"]] == [("dev", "open")]


def test_phases_tell_the_quota_that_is_left(full: Crowd, team: Caller) -> None:
    before = {one["name"]: one for one in team("GET", "/phases").json()}
    assert list(before) == list(full.challenge.phases)
    assert [before[name]["quota"]["left"] for name in ("dev", "files")] == [92, 1]  # eight were charged
    assert (before["hidden"]["private"], before["files"]["kind"]) == (True, "predictions")
    assert team("POST", "/submissions/predictions?phase=files", raw=b"{}").status_code == 201
    after = {one["name"]: one for one in team("GET", "/phases").json()}
    assert (
        after["files"]["quota"]["today"] == before["files"]["quota"]["today"] + 1 == after["files"]["quota"]["per_day"]
    )
    assert after["files"]["quota"]["left"] == 0
    refused = team("POST", "/submissions/predictions?phase=files", raw=b"[]")
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_day")
    assert refused.json()["resets_at"][:16] == after["files"]["quota"]["resets_at"][:16]
    assert 0 < int(refused["Retry-After"]) <= 86400
    assert "the next day begins at" in refused.json()["detail"]


def test_a_service_is_registered_asked_changed_and_removed(full: Crowd, team: Caller) -> None:
    told = {"name": "second", "protocol": "grpc", "url": "127.0.0.1:9", "token": "s3cret-token"}
    made = team("POST", "/endpoints", told).json()
    assert (made["has_token"], made["probe"], made["sentence"]) == (True, "", "Not asked yet.")
    assert team("POST", "/endpoints", told | {"url": "127.0.0.1:10"}).json()["id"] == made["id"]
    asked = team("POST", f"/endpoints/{made['id']}/probe")
    assert (asked.status_code, asked.json()["probe"]) == (200, "refused")
    again = team("POST", f"/endpoints/{made['id']}/probe")
    assert (again.status_code, again.json()["code"], again["Retry-After"]) == (429, "too_soon", "10")
    listed = team("GET", "/endpoints")
    assert [row["name"] for row in listed.json()] == ["canary-endpoint", "second"]
    assert b"s3cret-token" not in listed.content
    assert team("DELETE", f"/endpoints/{made['id']}").status_code == 204
    assert team("DELETE", f"/endpoints/{made['id']}").status_code == 404


def test_a_team_says_what_its_entry_is(full: Crowd, team: Caller) -> None:
    """As on its page, and at any time; boards follow."""
    address = f"/submissions/{full.mine['done'].pk}"
    known = Caller()("GET", "/competition").json()["conditions"]["sensor_classes"]
    told = {"name": "Ours", "paper": "https://example.org/p", "sensors": known[0]}
    answer = team("PATCH", f"{address}/method", told | {"affiliation": "X"})
    assert (answer.status_code, answer.json()["method"]) == (200, told | {"affiliation": "X"})
    assert team("PATCH", f"{address}/method", {"affiliation": ""}).json()["method"] == told
    assert team("GET", address).json()["method"] == told
    assert team("PATCH", f"{address}/method", {}).json()["method"] == told
    (board,) = standings("dev", AnonymousUser())
    assert [row.method for row in board.rows] == [told]
    assert caller(full, "other")("PATCH", f"{address}/method", {"name": "Theirs"}).status_code == 404


NO_METHODS: tuple[dict[str, Any], ...] = (
    {"paper": "javascript:alert(1)"}, {"code": "ftp://x"}, {"sensors": "sonar"}, {"name": "x" * 81},
    {"name": "a\u202eb"}, {"name": "\ud800"}, {"name": None}, {"name": "\ufdfa" * 80}, {"model_size": 7},
)  # fmt: skip
"""The eighth is short as it is written, and too long as it is kept."""
NO_SERVICES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"url": "http://a?b"}, "Write for example https://agent.example.org:8085"),
    ({"url": "http://a:99999"}, "Write for example"),
    ({"name": "a\u202eb"}, "Use visible letters"),
    ({"name": "\ud800"}, "name: "),
    ({"name": "\ufdfa" * 4}, "Use 60 characters at most"),
    ({"token": "ключ"}, "printable ASCII"),
    ({"protocol": "smtp"}, "protocol: "),
    ({"url": 7}, "url: "),
)


def test_what_is_no_method_and_what_is_no_service_is_said(full: Crowd, team: Caller) -> None:
    for method in NO_METHODS:
        answer = team("PATCH", f"/submissions/{full.mine['done'].pk}/method", method)
        assert (answer.status_code, answer.json()["detail"].startswith(f"{next(iter(method))}: ")) == (422, True), (
            method
        )
    assert not Method.objects.exists()
    for change, said in NO_SERVICES:
        answer = team("POST", "/endpoints", {"name": "x", "protocol": "rest", "url": "a.example"} | change)
        assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.json()
    assert Endpoint.objects.count() == 1


def test_a_team_has_few_services(full: Crowd, team: Caller) -> None:
    answers = [team("POST", "/endpoints", {"name": f"s{n}", "url": "a.example"}).status_code for n in range(20)]
    assert answers == [200] * 19 + [409]


def test_the_same_key_is_the_same_submission(full: Crowd, team: Caller) -> None:
    """Byte for byte, also when it has ended meanwhile; with another body it is refused."""
    body, key = {"phase": "dev", "endpoint": endpoint_of(full)}, str(uuid4())
    first = team("POST", "/submissions", body, key=key)
    assert first.status_code == 201
    theirs = caller(full, "other")("POST", "/submissions/predictions?phase=files", raw=b"[]", key=key)
    assert (theirs.status_code, theirs.json()["id"] != first.json()["id"]) == (201, True)
    Submission.objects.filter(pk=first.json()["id"]).update(state=State.CANCELLED, deadline=None)
    again = team("POST", "/submissions", body, key=key)
    assert (again.status_code, again.content) == (201, first.content)
    reused = team("POST", "/submissions", body | {"phase": "hidden"}, key=key)
    assert (reused.status_code, reused.json()["code"]) == (409, "key_reused")
    twin = team("POST", "/endpoints", {"name": "twin", "protocol": "grpc", "url": "http://127.0.0.1:9"}).json()["id"]
    assert team("POST", "/submissions", body | {"endpoint": twin}, key=key).status_code == 409
    Endpoint.objects.filter(pk=body["endpoint"]).update(url="http://127.0.0.1:1")
    assert team("POST", "/submissions", body, key=key).json()["code"] == "key_reused"
    file = team("POST", "/submissions/predictions?phase=files", raw=b"[]", key="one")
    assert team("POST", "/submissions/predictions?phase=files", raw=b"[]", key="one").content == file.content
    assert team("POST", "/submissions/predictions?phase=files", raw=b"[1]", key="one").status_code == 409
    assert Charge.objects.filter(submission=file.json()["id"]).count() == 1
    assert team("POST", "/submissions", body, key="").json()["id"] != first.json()["id"]
    assert team("POST", "/submissions", body, key="x" * 101).status_code == 422


def test_submit_look_cancel(full: Crowd, team: Caller) -> None:
    made = team("POST", "/submissions", {"phase": "dev", "endpoint": endpoint_of(full)}).json()
    shown = team("GET", f"/submissions/{made['id']}").json()
    assert (shown["state"], shown["final"], shown["played"], shown["figures"]) == ("queued", False, 0, None)
    assert shown["sentence"].startswith("Waiting for its turn since")
    (listed,) = team("GET", "/submissions?phase=dev&limit=1").json()
    now = ("expected_start", "sentence")  # they look ahead from the moment of asking
    assert [listed | dict.fromkeys(now), listed["place"]] == [shown | dict.fromkeys(now), 3]
    assert team("POST", f"/submissions/{made['id']}/cancel").json()["state"] == "cancelled"
    again = team("POST", f"/submissions/{made['id']}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "finished")


def test_progress_has_an_end_in_sight_and_figures_are_those_that_may_be_seen(full: Crowd, team: Caller) -> None:
    """Twelve of twenty in six minutes: four are left."""
    shown = {
        state: team("GET", f"/submissions/{full.mine[state].pk}").json()["figures"] for state in ("done", "hidden")
    }
    assert shown == {"done": {"spl": SCORE, "success": OTHER_FIGURE}, "hidden": None}
    running = full.mine["done"]
    Submission.objects.filter(pk=running.pk).update(state=State.RUNNING, deadline=timezone.now())
    running.attempts.update(live=True, started_at=timezone.now() - timedelta(minutes=6))
    told = team("GET", f"/submissions/{running.pk}").json()
    assert (told["played"], told["total"]) == (12, 20)
    assert told["seconds_left"] == pytest.approx(240, abs=5)
    assert "12 episodes played of 20" in told["sentence"]


def test_a_captain_chooses(full: Crowd, team: Caller) -> None:
    path = f"/submissions/{full.mine['done'].pk}/chosen"
    assert team("PUT", path, {"chosen": True}).json()["chosen"] is True
    assert team("PUT", path, {"chosen": False}).json()["chosen"] is False
    Membership.objects.update(captain=False)
    refused = team("PUT", path, {"chosen": True})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_captain")


CHINESE = {"Accept-Language": "zh-CN"}
BLOCKED = ("Your team is blocked. Write to the organisers.", "您的队伍已被封禁，请联系主办方。")
PENDING = (
    "Your team is not approved yet. Wait for an organiser to approve it.",
    "您的队伍尚未获得批准，请等待主办方批准。",
)


@pytest.mark.parametrize(("state", "said"), [(Team.State.BLOCKED, BLOCKED), (Team.State.PENDING, PENDING)])
def test_a_team_that_is_not_in_submits_nothing(full: Crowd, state: str, said: tuple[str, str]) -> None:
    Team.objects.filter(pk=full.team.pk).update(state=state)
    for headers, sentence in zip(({}, CHINESE), said, strict=True):
        body = {"phase": "dev", "endpoint": endpoint_of(full)}
        refused = Caller(full.token, **headers)("POST", "/submissions", body)
        told = refused.json()
        assert (refused.status_code, told["code"], told["detail"]) == (403, "not_approved", sentence)


def test_what_is_not_there_is_named(full: Crowd, team: Caller) -> None:
    """Another team's submission as one that there is not."""
    chinese, foreign = Caller(full.token, **CHINESE), entry_of_another(full)
    for key in ("abc", foreign):
        for method, path in (("GET", ""), ("POST", "/cancel"), ("GET", "/files/log.txt")):
            refused = team(method, f"/submissions/{key}{path}")
            assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
            assert refused.json()["detail"] == f"There is no submission '{key}' of your team."
        assert chinese("GET", f"/submissions/{key}").json()["detail"] == f"您的队伍没有提交 '{key}'。"
    body = {"phase": "dve", "endpoint": endpoint_of(full)}
    there = ", ".join([*full.challenge.phases, *(["dry_run"] if full.challenge.dry_run else [])])
    assert team("POST", "/submissions", body).json()["detail"] == f"There is no phase 'dve'. There are: {there}."
    assert chinese("POST", "/submissions", body).json()["detail"] == f"没有名为 'dve' 的阶段。现有阶段：{there}。"


def entry_of_another(full: Crowd) -> str:
    return done(Team.objects.get(name="Borealis"), {("b", "1"): 0.5}).pk


def test_what_django_itself_answers_is_a_problem(full: Crowd, team: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert team("GET", "/nowhere").status_code == 404
    wrong = team("PATCH", "/me")
    assert (wrong.status_code, wrong["Allow"]) == (405, "GET")
    assert team("POST", "/submissions", raw=b"{").status_code == 400
    monkeypatch.setattr("django.conf.settings.DATA_UPLOAD_MAX_MEMORY_SIZE", 10)
    assert team("POST", "/submissions/predictions?phase=files", raw=b"x" * 11).status_code == 413


PUBLIC = {("get", "/competition"), ("get", "/boards/{board}"), ("get", "/boards/{board}/csv")}
ABSENT = ("hidden-final", "hidden-public", "dev-final", "nothing", "dev")
"""Boards that nobody sees, and that there are not: one answer."""
OPERATIONS = {
    ("get", "/me"): (200, 200),
    ("get", "/phases"): (200, 200),
    ("get", "/endpoints"): (200, 200),
    ("post", "/endpoints"): (422, 422),
    ("post", "/endpoints/{endpoint}/probe"): (200, 404),
    ("get", "/images/{sha256}"): (200, 200),
    ("put", "/images/{sha256}"): (422, 422),
    ("get", "/submissions"): (200, 200),
    ("post", "/submissions"): (422, 422),
    ("post", "/submissions/predictions"): (422, 422),
    ("get", "/submissions/{submission}"): (200, 404),
    ("get", "/submissions/{submission}/files/{name}"): (404, 404),
    ("post", "/submissions/{submission}/cancel"): (409, 404),
    ("patch", "/submissions/{submission}/method"): (200, 404),
    ("put", "/submissions/{submission}/chosen"): (200, 404),
    ("delete", "/endpoints/{endpoint}"): (204, 404),
}
"""What a request with the body {"chosen": true} answers to the team whose thing it is, and to another team; whoever
has no team's token, be it with an organiser's session, gets 401 from each."""
WORKERS = "/worker/"
SUM = 64 * "0"


def operations() -> Iterator[tuple[str, str]]:
    for path, methods in document()["paths"].items():
        yield from ((method, path.removeprefix(API)) for method in methods)


def test_the_table_names_every_operation_for_teams() -> None:
    """A new one without a line fails here."""
    urls = {str(pattern.pattern) for pattern in api.urls[0]}
    assert {path.strip("/").replace("{", "<").replace("}", ">") for _, path in operations()} == urls - {
        "openapi.json",
        "",
    }
    assert {one for one in operations() if not one[1].startswith(WORKERS)} == set(OPERATIONS) | PUBLIC


def test_a_board_as_data_is_what_its_page_shows_everybody(full: Crowd) -> None:
    Keeper(full.challenge).refresh(timezone.now())
    told = Caller()("GET", "/boards/dev-public").json()
    (shown,) = standings("dev", AnonymousUser())
    assert told == json.loads(json.dumps(shown.published))
    page = Client(SERVER_NAME="localhost").get("/board/dev/").content.decode()
    assert [one["date"] for one in told["entries"]] == [f"{timezone.localtime(full.mine['done'].accepted_at):%Y-%m-%d}"]
    assert all(one["team"] in page and one["submission"] in page for one in told["entries"])
    assert 'href="/api/v1/boards/dev-public/csv"' in page
    rows = list(csv.DictReader(io.StringIO(Caller()("GET", "/boards/dev-public/csv").content.decode())))
    assert [(row["team"], float(row["score"])) for row in rows] == [(e["team"], e["score"]) for e in told["entries"]]
    for one in (Caller(), caller(full, "member"), caller(full, "organiser")):
        answers = {one("GET", f"/boards/{name}{end}").content for name in ABSENT for end in ("", "/csv")}
        assert [json.loads(one)["status"] for one in answers] == [404]


@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_every_operation_to_every_caller(full: Crowd, operation: tuple[str, str]) -> None:
    """Strangers are told one thing; another team what it is told of a thing that is not there; nobody a secret."""
    (method, path), (own, others), body = operation, OPERATIONS[operation], {"chosen": True}
    token = issue(Token.Scope.TEAM, CAPTAIN, full.team, User.objects.get(username="member"))
    mine, other, worker = Caller(token), caller(full, "other"), Caller(issue(Token.Scope.WORKER, "w"))
    strangers = [Caller(), Caller("x"), worker, Caller(token + "x"), caller(full, "organiser")]
    hidden = [f"{HIDDEN}", *(secret for secret in secrets_of(full) if secret != token)]
    foreign = [*(one.pk for one in full.mine.values()), "canary", "Aurora", "Bobby", f"{OTHER_FIGURE}", "127.0.0.1"]

    def call(who: Caller, endpoint: int, submission: str, name: str = "episodes.jsonl") -> Any:
        at = path.format(sha256=SUM, endpoint=endpoint, submission=submission, name=name)
        return who(method.upper(), at, body)

    real = (endpoint_of(full), full.mine["done"].pk)
    (unknown,) = {call(who, *real).content for who in strangers}
    assert json.loads(unknown)["status"] == 401
    theirs = call(other, *real)
    told = theirs.content.replace(real[1].encode(), b"")  # what was asked for
    assert theirs.status_code == others
    assert [word for word in [*hidden, *foreign] if word.encode() in told] == []
    if others == 404:
        assert call(other, 99999, "0" * 12).content.replace(b"0" * 12, b"") == told
    answer, unrevealed = call(mine, *real), call(mine, 0, full.mine["hidden"].pk, "results.json")
    assert answer.status_code == own
    assert [word for word in [*hidden, SERVICE_TOKEN] if word.encode() in answer.content + unrevealed.content] == []


def test_what_workers_call_is_nobody_elses(full: Crowd) -> None:
    """Every operation, to teams, an organiser's session, a stranger, a worker that was revoked: one answer."""
    tokens = ["", "x", issue(Token.Scope.WORKER, "gone")]
    Token.objects.filter(name="gone").update(revoked_at=timezone.now())
    tokens += [issue(Token.Scope.TEAM, "t", one) for one in Team.objects.order_by("pk")]
    callers = [caller(full, "organiser"), *map(Caller, tokens)]
    values = {"attempt": full.mine["done"].attempts.get().pk, "name": "secret.key"}
    called = [(method, path.format(**values)) for method, path in operations() if path.startswith(WORKERS)]
    answers = {caller(method.upper(), path).content for method, path in called for caller in callers}
    assert len(called) > 5
    (answer,) = map(json.loads, answers)
    assert (answer["status"], "missing, wrong or revoked" in answer["detail"]) == (401, True)


def test_the_document_is_valid_openapi(full: Crowd) -> None:
    import schemathesis

    schemathesis.openapi.from_dict(document()).validate()


@cache
def schema() -> Any:
    import schemathesis

    return schemathesis.openapi.from_wsgi(f"{API}/openapi.json", get_wsgi_application())


CASES = [(one, "positive") for one in operations()] + [(one, "negative") for one in operations() if one[0] != "get"]


@pytest.mark.parametrize("examples", [6, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("operation", "mode"), CASES, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_operations_answer_as_the_document_says(
    full: Crowd, operation: tuple[str, str], mode: str, examples: int
) -> None:
    """Statuses, types and bodies, under random requests that fit and that do not."""
    from schemathesis import GenerationMode
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    method, path = operation
    scope = Token.Scope.WORKER if path.startswith(WORKERS) else Token.Scope.TEAM
    token = issue(scope, "t", full.team, User.objects.get(username="member"))

    @given(case=schema()[f"{API}{path}"][method].as_strategy(generation_mode=GenerationMode(mode)))
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    def holds(case: Any) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

    holds()


# Workers


@pytest.fixture
def bench(make: Make) -> Bench:
    bench = Bench(make())
    bench.dispatcher._now = timezone.now
    return bench


@pytest.fixture
def worker(bench: Bench) -> Caller:
    """Who has said hello."""
    found = Caller(issue(Token.Scope.WORKER, "w"))
    assert found("POST", "/worker/hello", {"instance": "i"}).status_code == 204
    return found


def attempt(worker: Caller) -> tuple[Any, str]:
    """What a worker is given, and the path of the attempt."""
    claim = worker("POST", "/worker/claim", {"instance": "i"}).json()
    return claim, f"/worker/attempts/{claim['attempt']}"


def test_a_worker_claims_sends_and_is_told_when_it_is_over(bench: Bench, worker: Caller) -> None:
    assert worker("POST", "/worker/claim", {"instance": "i"}).status_code == 204
    submission = bench.submit()
    claim, place = attempt(worker)
    assert (claim["submission"], claim["url"]) == (submission.id, submission.url)
    fence, at = {"fence": claim["fence"]}, f"{place}/files/episodes.jsonl?fence={claim['fence']}"
    assert worker("PUT", f"{at}&offset=0", raw=line("1")).json() == {"size": len(line("1"))}
    assert worker("GET", at).content == line("1")
    listed = worker("GET", f"{place}/files?fence={claim['fence']}").json()
    assert [(file["name"], file["size"]) for file in listed] == [("episodes.jsonl", len(line("1")))]
    assert worker("PUT", at.replace("episodes.jsonl", "x.html") + "&offset=0", raw=b"").status_code == 422
    bench.dispatcher.cancel(submission, "team")
    assert worker("POST", f"{place}/heartbeat", fence).status_code == 409
    assert worker("POST", f"{place}/finish", fence | {"outcome": "stopped"}).json() == {"state": "cancelled"}
    for answer in (worker("GET", at), worker("PUT", f"{at}&offset=0", raw=b"")):
        assert answer.status_code == 409


JUNK = [
    b"x\n",
    b"[]\n",
    b"{}\n",
    b"[" * 100_000 + b"\n",
    b'{"scene_id": "s", "status": "ok", "metrics": {}, "episode_id": 7}\n',
    b'{"scene_id": "s", "episode_id": "' + b"1" * 5000 + b'", "status": "ok", "metrics": {}}\n',
    b'{"scene_id": "\\u0000", "episode_id": "1", "status": "ok", "metrics": {}}\n',
    b'{"scene_id": "\\ud800", "episode_id": "1", "status": "ok", "metrics": {}}\n',
    b'{"scene_id": "s", "episode_id": "1", "status": "ok", "metrics": []}\n',
    b'{"scene_id": "s", "episode_id": "1", "status": {}, "metrics": {}}\n',
    b"\xff\n",
    b'{"metrics": {"a": ' + b"[" * 100_000 + b"\n",
]


def answers(worker: Caller, fence: int, place: str, junk: bytes, how: str) -> Iterator[Any]:
    """To a line as it should be, and to junk after it or, where a file is sent whole, in its place."""
    size = len(line("1"))

    def put(data: bytes, offset: int, more: str = "") -> Any:
        query = f"fence={fence}&offset={offset}{more}"
        return worker("PUT", f"{place}/files/episodes.jsonl?{query}", raw=data)

    yield put(line("1"), 0)
    if how == "line":
        yield put(junk, size)
    elif how == "halves":
        yield put(junk[:-1], size)
        yield put(b"\n", size + len(junk) - 1)
    else:
        yield put(junk, 0, f"&whole={len(junk)}")
    yield worker("POST", f"{place}/finish", {"fence": fence, "outcome": "interrupted"})


@pytest.mark.parametrize("how", ["line", "halves", "whole"])
def test_a_hostile_workers_junk_is_refused_and_ends_its_lease(bench: Bench, worker: Caller, how: str) -> None:
    """At once where it is a line, else when it is read; the next worker begins without it."""
    for junk in JUNK:
        submission = bench.submit()
        claim, place = attempt(worker)
        first, *others = answers(worker, claim["fence"], place, junk, how)
        answer = next(one for one in others if one.status_code != 200)
        assert (first.status_code, answer.status_code, "a line is no episode's" in answer.json()["detail"]) == (
            200, 422, True,
        ), junk[:80]  # fmt: skip
        assert how != "line" or answer is others[0]
        assert worker("POST", f"{place}/heartbeat", {"fence": claim["fence"]}).status_code == 409
        found = Submission.objects.get(pk=submission.pk)
        assert (found.state, found.strikes, found.attempts.get().outcome) == ("queued", 1, "lost"), junk[:80]
        assert bench.dispatcher.inbox(submission.id).listing() == []
        bench.dispatcher.cancel(submission, "team")


def test_a_token_is_kept_as_its_hash_only_and_another_host_is_not_answered(bench: Bench) -> None:
    text = issue(Token.Scope.WORKER, "w")
    assert (len(text) >= 43, text.encode() in bench.dispatcher.folder.database.read_bytes()) == (True, False)
    for host, status in (("evil.example", 400), ("localhost", 200)):
        assert Client(headers={"Host": host}).get("/api/v1/openapi.json").status_code == status
