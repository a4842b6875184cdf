"""The public page of an entry: what proves it can be downloaded and verified, and nothing of it runs on our pages."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from browsing import patient
from nav_eval_server.board.decisions import close, reveal
from nav_eval_server.board.places import Keeper
from nav_eval_server.board.proofs import Maker, Proof
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Event, Submission
from patience import until
from server.boards import done, team
from server.competition import evaluation, phase
from server.conftest import Make
from server.serving import nav_eval

pytestmark = pytest.mark.usefixtures("forks")
KEYS = dict.fromkeys([("s", "1"), ("s", "2")], 0.5)
PHASES = {"dev": phase(), "climb": phase() | {"ladder": 0.01}, "hidden": phase() | {"board": "private"}}
FILES = {"manifest.json", "signature.json", "results.json", "config.yaml"}


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By nav-eval itself, on the small graph."""
    place = tmp_path_factory.mktemp("run")
    file = place / "evaluation.yaml"
    file.write_text(yaml.safe_dump(evaluation()))
    words = ["run", "--config", str(file), "--out", str(place / "run"), "--quiet"]
    agent = ["agent_service.type=local", "agent_service.agent=random"]
    said = nav_eval(*words, *agent)
    assert said.returncode in (0, 1), said.stderr
    return place / "run"


@pytest.fixture(scope="session")
def report(run: Path) -> Path:
    """By nav-eval itself, of that run."""
    made = run.with_name("report.html")
    said = nav_eval("report", run, "--public", "--out", made)
    assert said.returncode == 0, said.stderr
    return made


@pytest.fixture
def quickly(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is the one that is there already."""
    copy = f"import shutil, sys; shutil.copy({str(report)!r}, sys.argv[-1])"
    monkeypatch.setattr("nav_eval_server.board.proofs.COMMAND", (sys.executable, "-c", copy))


def entered(challenge: Challenge, run: Path, owner: str, phase: str = "dev") -> Submission:
    made = done(team(owner), KEYS, phase=phase)
    Submission.objects.filter(pk=made.pk).update(kind="service")
    shutil.copytree(run, Folder(challenge.folder).runs / made.pk)
    return made


def make_proofs(challenge: Challenge, *wanted: Submission) -> None:
    """As the scheduler does it."""
    Keeper(challenge).refresh(timezone.now())
    maker = Maker(challenge)

    def made() -> bool:
        maker.tend()
        return all(Proof(Folder(challenge.folder), one.pk).made for one in wanted)

    until(made, "the proofs")
    maker.tend()


def spectator(path: str) -> Any:
    return Client(SERVER_NAME="localhost").get(path)


def test_a_spectator_downloads_and_verifies(make: Make, run: Path, tmp_path: Path) -> None:
    challenge = make(phases=PHASES)
    made = entered(challenge, run, "Aurora")
    make_proofs(challenge, made)
    board = spectator(reverse("board", args=["dev"])).content.decode()
    assert reverse("entry", args=[made.pk]) in board
    page = spectator(reverse("entry", args=[made.pk])).content.decode()
    (key,) = re.findall(r"--public-key ([0-9a-f]{64})", page)
    packed = spectator(reverse("entry_archive", args=[made.pk]))
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        archive.extractall(tmp_path)
    said = nav_eval("verify", tmp_path / made.pk, "--public-key", key)
    assert said.returncode == 0, said.stdout
    for name in FILES:
        answer = spectator(reverse("entry_file", args=[made.pk, name]))
        assert b"".join(answer.streaming_content) == (tmp_path / made.pk / name).read_bytes()
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer["X-Content-Type-Options"] == "nosniff"
    told = [path.read_bytes() for path in (tmp_path / made.pk).iterdir()]
    (document,) = re.findall(r'id="data">([^<]+)<', (tmp_path / made.pk / "report.html").read_text())
    told.append(gzip.decompress(base64.b64decode(document)))
    hidden = json.loads(Path(challenge.evaluation["dataset"]["data_path"]).read_text())
    texts = {text for item in hidden for text in (*item["instructions"], *item["path"])}
    assert len(texts) > 5
    assert [text for text in texts if any(text.encode() in part for part in told)] == []


def test_only_what_everybody_may_see_is_made(make: Make, run: Path, quickly: None) -> None:
    """Exact figures of a Ladder and of a private board follow with the reveal; a better entry takes the place."""
    challenge = make(phases=PHASES)
    entries = {name: entered(challenge, run, "Aurora", name) for name in PHASES}
    make_proofs(challenge, entries["dev"])
    names = ("entry", "entry_archive", "entry_report")
    for name, statuses in {"dev": [200, 200, 200], "climb": [200, 404, 404], "hidden": [404, 404, 404]}.items():
        found = [spectator(reverse(what, args=[entries[name].pk])).status_code for what in names]
        assert found == statuses, name
    assert [path.name for path in Folder(challenge.folder).public.iterdir()] == [entries["dev"].pk]
    close("hidden", "ada", timezone.now())
    reveal(challenge, "hidden", "ada", timezone.now())
    make_proofs(challenge, entries["hidden"])
    assert spectator(reverse("entry_report", args=[entries["hidden"].pk])).status_code == 200
    for name in ("episodes.jsonl", "secret.key", "..", "report.html"):
        assert spectator(f"/entries/{entries['dev'].pk}/files/{name}").status_code == 404
    better = done(team("Aurora"), dict.fromkeys(KEYS, 0.9))
    make_proofs(challenge)
    assert spectator(reverse("entry", args=[entries["dev"].pk])).status_code == 404
    assert spectator(reverse("entry_archive", args=[entries["dev"].pk])).status_code == 404
    assert "predictions file was scored" in spectator(reverse("entry", args=[better.pk])).content.decode()


def test_a_run_that_cannot_be_shown_is_told_once(make: Make, run: Path) -> None:
    challenge = make(phases=PHASES)
    made = entered(challenge, run, "Aurora")
    results = Folder(challenge.folder).runs / made.pk / "results.json"
    results.write_text(results.read_text() + " ")
    make_proofs(challenge, made)
    assert Event.objects.filter(action="no_report", subject=made.pk).count() == 1
    assert "nothing can be shown" in spectator(reverse("entry", args=[made.pk])).content.decode()
    results.write_text(results.read_text()[:-1])
    proof = Proof(Folder(challenge.folder), made.pk)
    Path(f"{proof.report}.failed").rename(proof.path / "report-of-another-version.html.failed")
    make_proofs(challenge, made)
    assert spectator(reverse("entry_report", args=[made.pk])).status_code == 200


def test_a_report_runs_its_own_script_alone_and_has_no_cookie(
    make: Make, run: Path, quickly: None, browser: Any
) -> None:
    challenge = make(phases=PHASES)
    made = entered(challenge, run, "Aurora")
    make_proofs(challenge, made)
    proof = Proof(Folder(challenge.folder), made.pk)
    page, wrong = patient(browser).new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.context.add_cookies([{"name": "sessionid", "value": "x", "url": "http://localhost:9"}])

    def answer(route: Any) -> None:
        found = spectator(reverse("entry_report", args=[made.pk]))
        route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.content)

    page.route("**/*", answer)
    page.goto("http://localhost:9/report/")
    page.locator("h1").first.wait_for()
    assert wrong == []
    with pytest.raises(Exception, match="sandboxed"):
        page.evaluate("document.cookie")
    text = proof.report.read_text().replace("</body>", "<script>document.title = 'owned'</script></body>")
    proof.report.write_text(re.sub(r"<meta http-equiv[^>]+>", "", text))
    page.goto("http://localhost:9/report/")
    page.locator("h1").first.wait_for()
    assert page.title() != "owned"
    assert len(wrong) == 1
    page.close()
