"""/api/v1/worker as a worker, and as somebody who is none, meets it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from nav_eval_server.models import Submission, Token
from nav_eval_server.tokens import issue
from server.conftest import Make
from server.test_dispatcher import Bench, line

API = "/api/v1/worker"


@pytest.fixture
def bench(make: Make) -> Bench:
    bench = Bench(make())
    bench.dispatcher._now = timezone.now
    return bench


def client(token: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {token}", "Host": "localhost"})


def post(one: Client, path: str, **body: Any) -> Any:
    return one.post(f"{API}{path}", body, content_type="application/json")


def test_a_worker_claims_sends_and_is_told_when_it_is_over(bench: Bench) -> None:
    worker = client(issue(Token.Scope.WORKER, "w"))
    assert post(worker, "/hello", instance="i").status_code == 204
    assert post(worker, "/claim", instance="i").status_code == 204
    submission = bench.submit()
    claim = post(worker, "/claim", instance="i").json()
    assert (claim["submission"], claim["url"]) == (submission.id, submission.url)
    at = f"{API}/attempts/{claim['attempt']}/files/episodes.jsonl?fence={claim['fence']}"
    sent = worker.put(f"{at}&offset=0", line("1"), content_type="application/octet-stream")
    assert sent.json() == {"size": len(line("1"))}
    assert worker.get(at).content == line("1")
    listed = worker.get(f"{API}/attempts/{claim['attempt']}/files?fence={claim['fence']}").json()
    assert [(file["name"], file["size"]) for file in listed] == [("episodes.jsonl", len(line("1")))]
    bad = worker.put(at.replace("episodes.jsonl", "x.html") + "&offset=0", b"", content_type="text/html")
    assert bad.status_code == 422
    bench.dispatcher.cancel(submission, "team")
    assert post(worker, f"/attempts/{claim['attempt']}/heartbeat", fence=claim["fence"]).status_code == 409
    ended = post(worker, f"/attempts/{claim['attempt']}/finish", fence=claim["fence"], outcome="stopped")
    assert ended.json() == {"state": "cancelled"}
    for answer in (worker.get(at), worker.put(f"{at}&offset=0", b"", content_type="text/plain")):
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


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
@pytest.mark.parametrize("how", ["line", "halves", "whole"])
def test_a_hostile_workers_junk_is_refused_and_ends_its_lease(bench: Bench, junk: bytes, how: str) -> None:
    """At once where it is a line, else when it is read; the next worker begins without it."""
    worker = client(issue(Token.Scope.WORKER, "w"))
    post(worker, "/hello", instance="i")
    submission = bench.submit()
    claim = post(worker, "/claim", instance="i").json()
    at = f"{API}/attempts/{claim['attempt']}/files/episodes.jsonl?fence={claim['fence']}"

    def put(data: bytes, offset: int, more: str = "") -> Any:
        return worker.put(f"{at}&offset={offset}{more}", data, content_type="application/octet-stream")

    assert put(line("1"), 0).status_code == 200
    size = len(line("1"))
    if how == "line":
        answer = put(junk, size)
    else:
        sent = [put(junk[:-1], size)] if how == "halves" else [put(junk, 0, f"&whole={len(junk)}")]
        sent += [put(b"\n", size + len(junk) - 1)] if how == "halves" else []
        ended = post(worker, f"/attempts/{claim['attempt']}/finish", fence=claim["fence"], outcome="interrupted")
        answer = next(one for one in (*sent, ended) if one.status_code != 200)
    assert (answer.status_code, "a line is no episode's" in answer.json()["detail"]) == (422, True)
    assert post(worker, f"/attempts/{claim['attempt']}/heartbeat", fence=claim["fence"]).status_code == 409
    found = Submission.objects.get(pk=submission.pk)
    assert (found.state, found.strikes, found.attempts.get().outcome) == ("queued", 1, "lost")
    assert bench.dispatcher.inbox(submission.id).listing() == []


def test_a_token_is_kept_as_its_hash_only(bench: Bench) -> None:
    text = issue(Token.Scope.WORKER, "w")
    assert len(text) >= 43
    assert text.encode() not in bench.dispatcher.folder.database.read_bytes()


def test_another_host_is_not_answered(bench: Bench) -> None:
    assert Client(headers={"Host": "evil.example"}).get("/api/v1/openapi.json").status_code == 400
    assert Client(headers={"Host": "localhost"}).get("/api/v1/openapi.json").status_code == 200
