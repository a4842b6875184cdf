"""`nav-eval competition serve` with real evaluations: a service and a file, from submission to a proved result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nav_eval.results.audit import check_files
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import events
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Endpoint, Episode, Submission, Team
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import FINAL, State
from nav_eval_server.vault import Vault
from server.competition import phase
from server.conftest import Make
from server.serving import serving, until

TOKEN = "a-token-of-the-team"
QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1}


def finished(submission: Submission) -> bool:
    return Submission.objects.get(pk=submission.pk).state in FINAL


def team(name: str, url: str = "", token: str = "") -> Team:
    made = Team.objects.create(name=name, state=Team.State.APPROVED)
    if url:
        from nav_eval_server.settings import current

        sealed = Vault(Folder(current().folder)).seal(token)
        Endpoint.objects.create(team=made, name="a", protocol="rest", url=url, sealed_token=sealed)
    return made


def test_a_service_and_a_file_are_judged(make: Make) -> None:
    challenge = make(endpoints=QUICK, phases={"dev": phase(), "files": phase("predictions")})
    dispatcher = Dispatcher(challenge)
    predictions = _predictions(challenge.evaluation["dataset"]["data_path"])
    with start(RandomAgent, protocol="rest", port=0, token=TOKEN) as agent, serving(challenge) as served:
        aurora = team("aurora", agent.endpoint, TOKEN)
        live = dispatcher.submit(aurora, "dev", endpoint=aurora.endpoints.get())
        file = dispatcher.submit(aurora, "files", predictions=predictions)
        bad = dispatcher.submit(aurora, "files", predictions=b"[{}]")
        until(lambda: served.healthz() == 200, 30, "healthz")
        until(lambda: all(map(finished, (live, file, bad))), 120, "three submissions")
    assert Submission.objects.get(pk=live.pk).state == State.DONE, list(Attempt.objects.values())
    assert Episode.objects.filter(submission=live).count() == 5
    run = Folder(challenge.folder).runs / live.id
    assert check_files(run) == []
    document = Submission.objects.get(pk=live.pk).result.document
    assert document == json.loads((run / "results.json").read_text())
    mean = sum(row.metrics["spl"] for row in Episode.objects.filter(submission=live)) / 5
    assert document["metrics"]["spl"]["mean"] == pytest.approx(mean, abs=1e-12)
    assert Submission.objects.get(pk=file.pk).result.document["metrics"]["success"]["mean"] == 1.0
    told = Submission.objects.get(pk=bad.pk)
    assert (told.why, str(challenge.folder) in told.detail) == ("bad_file", False)
    assert not list(Folder(challenge.folder).work.glob("*/run"))
    assert events.broken() is None
    held = [path for path in challenge.folder.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert held == []


def _predictions(data: str) -> bytes:
    """The reference paths: every episode a success."""
    rows = [
        {"instr_id": f"{item['path_id']}_{n}", "trajectory": [[node, 0, 0] for node in item["path"]]}
        for item in json.loads(Path(data).read_text())
        for n in range(len(item["instructions"]))
    ]
    return json.dumps(rows).encode()


def test_changed_rules_are_not_served(make: Make) -> None:
    challenge = make()
    file = Folder(challenge.folder).challenge
    command = [sys.executable, "-c", "from nav_eval.cli import main; main()", "competition", "token", str(file)]
    assert subprocess.run([*command, "--name", "a"], capture_output=True, text=True).stdout.startswith("nav_worker_")
    file.write_text(file.read_text().replace("per_day: 100", "per_day: 101"))
    said = subprocess.run([*command, "--name", "b"], capture_output=True, text=True)
    assert said.returncode == 2
    assert "rules were changed after the opening" in said.stderr
