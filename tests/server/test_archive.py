"""Backup and restore of a competition at work, the end of a phase, what is published of it, and the doctor."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from itertools import product
from math import ceil
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone

from nav_eval.errors import InputError
from nav_eval.results.audit import verify
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import events
from nav_eval_server.archive import backups
from nav_eval_server.archive.doctor import examine
from nav_eval_server.archive.publishing import freeze, publish
from nav_eval_server.archive.site import ENDINGS
from nav_eval_server.board.decisions import reveal
from nav_eval_server.board.places import Board, Keeper, document, latest
from nav_eval_server.challenge import Challenge, configured, content_sha256, load_challenge
from nav_eval_server.cli import app
from nav_eval_server.folder import Folder
from nav_eval_server.init import create
from nav_eval_server.models import (
    Attempt,
    Endpoint,
    Episode,
    Event,
    Mark,
    Ranking,
    Result,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.health import health
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State
from patience import PATIENCE, until
from server.boards import NOW, done, team
from server.competition import ANSWERS, phase
from server.conftest import Command, Make, use
from server.crowd import crowd, person
from server.postgres import postgres
from server.serving import nav_eval, serving
from server.site_of_ones_own import write_site
from server.stand_in import EPISODES

STAND_IN = str(Path(__file__).with_name("stand_in.py"))
QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1}
pytestmark = pytest.mark.usefixtures("forks")
KEYS = [(f"secret-building-{n % 4}", f"episode-{n}") for n in range(12)]


def call(*words: object) -> subprocess.CompletedProcess[str]:
    return nav_eval("competition", *words)


def finished() -> bool:
    return not Submission.objects.exclude(state__in=FINAL).exists()


def submitted(challenge: Challenge, name: str, url: str) -> Submission:
    owner = Team.objects.create(name=name, state=Team.State.APPROVED)
    endpoint = Endpoint.objects.create(team=owner, name="a", protocol="rest", url=url)
    return Dispatcher(challenge).submit(owner, "dev", endpoint=endpoint)


def test_a_running_attempt_goes_on_after_a_restore(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With commands as an organiser has them; the machine is lost while an evaluation is half done."""
    monkeypatch.setenv("STAND_IN_SECONDS", f"0.1,0.1,{PATIENCE}")
    challenge = make(queue={"lease_seconds": 3}, endpoints=QUICK)
    file, kept = Folder(challenge.folder).challenge, tmp_path / "kept.tar"
    first = done(team("before"), dict.fromkeys(KEYS, 0.5))
    with start(RandomAgent, protocol="rest", port=0) as agent:
        running = submitted(challenge, "running", agent.endpoint)
        with serving(challenge, evaluator=STAND_IN, jobs=1) as served:
            until(lambda: Episode.objects.filter(submission=running).count() >= 2, "two episodes")
            said = call("backup", file, "--out", kept)
            assert said.returncode == 0, said.stderr
            served.process.kill()
            served.process.wait()
        connections.close_all()
        shutil.rmtree(challenge.folder)
        said = call("restore", kept, challenge.folder)
        assert said.returncode == 0, said.stderr
        counted = dict(Episode.objects.filter(submission=running).values_list("episode", "pk"))
        assert len(counted) >= 2
        assert Submission.objects.get(pk=running.pk).state == State.RUNNING
        monkeypatch.setenv("STAND_IN_SECONDS", "0.1")
        with serving(challenge, evaluator=STAND_IN, jobs=1):
            until(finished, "the end of it")
    assert Submission.objects.get(pk=running.pk).state == State.DONE
    now = dict(Episode.objects.filter(submission=running).values_list("episode", "pk"))
    assert len(now) == EPISODES
    assert counted.items() <= now.items()
    assert Episode.objects.filter(submission=first).count() == len(KEYS)
    fences = list(Attempt.objects.filter(submission=running).order_by("fence").values_list("fence", flat=True))
    assert len(fences) == 2
    assert fences[1] > NOW.timestamp()
    assert events.broken() is None
    assert not Event.objects.filter(action="contradiction").exists()


PERISHABLE = re.compile(r'name="(?:csrfmiddlewaretoken|key)" value="[^"]+"|/team/join/[^"]+')
"""Drawn anew whenever a page is made."""


def test_a_backup_brings_every_page_and_file_back(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To everybody, who need not log in again; at the same moment, because pages tell how long ago things were."""
    now = timezone.now()
    full = crowd(make(phases={"dev": phase(), "hidden": phase() | {"board": "private"}}))
    folder, kept = Folder(full.challenge.folder), tmp_path / "kept.tar"
    (folder.uploads / "x").write_bytes(b"predictions")
    write_site(folder.path)
    (folder.runs / "x").mkdir()
    (folder.runs / "x" / "episodes.jsonl").write_bytes(b"{}\n")
    (folder.path / "data").mkdir()
    (folder.path / "data" / "x.glb").write_bytes(b"a building")
    monkeypatch.setattr(timezone, "now", lambda: now)
    clients = [full.visitor(name) for name in ("nobody", "member", "other", "organiser")]
    addresses = ["/", "/board/dev/", "/board/hidden/", "/team/", "/organiser/", "/organiser/log/"]
    addresses += [f"/submissions/{one.pk}/" for one in full.mine.values()]
    places = ("challenge.yaml", "private", "uploads", "pages", "state/runs", "data")

    def all_that_there_is() -> tuple[object, ...]:
        answers = [client.get(address) for client in clients for address in addresses]
        files = [_content(folder.path / name) for name in places]
        return [(one.status_code, PERISHABLE.sub("", one.content.decode())) for one in answers], files

    before = all_that_there_is()
    backups.write(full.challenge, kept, now, data=True)
    assert (stat.S_IMODE(kept.stat().st_mode), [*tmp_path.glob("*.part")]) == (0o600, [])
    with pytest.raises(InputError, match="is not empty"):
        backups.unpack(kept, folder.path)
    connections.close_all()
    shutil.rmtree(folder.path)
    backups.unpack(kept, folder.path)
    assert all_that_there_is() == before
    assert {200, 302, 404} == {status for status, _ in before[0]}  # type: ignore[attr-defined]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.private.iterdir()} == {0o600}


def _content(path: Path) -> dict[str, bytes]:
    paths = [path] if path.is_file() else sorted(path.rglob("*"))
    return {str(one.relative_to(path)): one.read_bytes() for one in paths if one.is_file()}


def test_a_damaged_backup_leaves_nothing_behind(make: Make, tmp_path: Path) -> None:
    kept = tmp_path / "kept.tar"
    backups.write(make(), kept, timezone.now(), data=False)
    data = bytearray(kept.read_bytes())
    with tarfile.open(kept) as tar:
        inside = tar.getmember("private/vault.key").offset_data
    cut = data[: len(data) // 2]
    data[inside] ^= 1
    for harmed in (cut, data, b"not a tar"):
        kept.write_bytes(harmed)
        with pytest.raises(InputError, match=r"damaged in it|is not a backup"):
            backups.unpack(kept, tmp_path / "again")
        assert {path.name for path in tmp_path.iterdir()} == {"homes", "kept.tar"}


@pytest.mark.parametrize("kind", ["above", "absolute", "link", "through a link"])
def test_a_backup_writes_files_below_its_folder_alone(tmp_path: Path, kind: str) -> None:
    """Whoever made it."""
    kept, aim = tmp_path / "kept.tar", tmp_path / "aim"
    aim.mkdir()
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, str(aim)
    name = {"above": "../../aim/x", "absolute": f"{aim}/x", "link": "x", "through a link": "link/x"}[kind]
    with tarfile.open(kept, "w") as tar:
        if "link" in kind:
            tar.addfile(link)
        tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(InputError, match="is not a backup"):
        backups.unpack(kept, tmp_path / "again")
    assert (list(aim.iterdir()), (tmp_path / "again").exists()) == ([], False)


def test_time_stood_still_between_backup_and_restore(make: Make) -> None:
    """A week later: nothing has failed for it, a worker has its whole lease to come back, no fence is given twice.

    Nobody counts as at work that was so then."""
    challenge, made_at = make(), timezone.now()
    waiting = submitted(challenge, "a", "http://127.0.0.1:9")
    Dispatcher(challenge, lambda: made_at).sweep()
    Token.objects.create(scope=Token.Scope.WORKER, name="w", digest="0" * 64, last_used_at=made_at)
    assert (health(made_at).sweep_seconds, health(made_at).workers) == (0.0, 1)
    week = made_at + timedelta(days=8)
    backups.thaw(made_at, week)
    assert (health(made_at).sweep_seconds, health(made_at).workers) == (None, 0)
    Dispatcher(challenge, lambda: week).sweep()
    found = Submission.objects.get(pk=waiting.pk)
    assert (found.state, found.deadline) == (State.QUEUED, waiting.deadline + (week - made_at))  # type: ignore[operator]
    assert Mark.objects.get(name="fence").value == int(week.timestamp())
    assert Mark.objects.get(name="backup").at == made_at


@pytest.mark.soak
def test_postgresql_is_backed_up_and_restored(make: Make, tmp_path: Path) -> None:
    with postgres() as server:
        challenge = make(database=server.url)
        done(team("a"), dict.fromkeys(KEYS, 0.5))
        backups.write(challenge, tmp_path / "kept.tar", timezone.now(), data=False)
        connections.close_all()
        with pytest.raises(InputError, match="database: competition holds tables already"):
            backups.unpack(tmp_path / "kept.tar", tmp_path / "another")
        server.run("dropdb", *server.there, "competition")
        server.run("createdb", *server.there, "competition")
        shutil.rmtree(challenge.folder)
        backups.unpack(tmp_path / "kept.tar", challenge.folder)
        assert Episode.objects.count() == len(KEYS)
        connections.close_all()


PHASES = {"open": phase() | {"ladder": 0.05}, "hidden": phase() | {"board": "private"}}


@pytest.fixture
def challenge(make: Make) -> Challenge:
    """Two teams and a baseline in each phase."""
    made = make(phases=PHASES, ranking={"secondary_metrics": ["success"]})
    for name in PHASES:
        for n, who in enumerate(("=cmd()", "weak")):
            row = {key: 0.8 - 0.4 * n + 0.01 * i for i, key in enumerate(KEYS)}
            done(team(who), row, phase=name, others={"success": 0.625})
        done(team("random", "baseline"), dict.fromkeys(KEYS, 0.1), phase=name)
    return made


def end(challenge: Challenge, *phases: str) -> None:
    """What an organiser does with a phase that is over."""
    for name in phases:
        freeze(challenge, name, NOW)
        reveal(challenge, name, "ada", NOW)


def test_a_frozen_phase_takes_nothing_and_keeps_its_hash(challenge: Challenge) -> None:
    late = submitted_in(challenge, "hidden")
    assert freeze(challenge, "hidden", NOW) is None
    with pytest.raises(Refusal, match="not open"):
        submitted_in(challenge, "hidden")
    Dispatcher(challenge).cancel(late, "a")
    digest = freeze(challenge, "hidden", NOW)
    assert freeze(challenge, "hidden", NOW) == digest
    assert Event.objects.get(action="frozen").details == {"sha256": digest}
    written = Folder(challenge.folder).path / "state" / "frozen" / "hidden.json"
    assert hashlib.sha256(written.read_bytes()).hexdigest() == digest
    assert Ranking.objects.get(phase="hidden").revealed is False
    Episode.objects.filter(submission__phase="hidden").first().delete()  # type: ignore[union-attr]
    assert freeze(challenge, "hidden", NOW) != digest


def submitted_in(challenge: Challenge, name: str) -> Submission:
    owner = team("late")
    endpoint, _ = Endpoint.objects.get_or_create(team=owner, name="a", protocol="rest", url="http://127.0.0.1:9")
    return Dispatcher(challenge).submit(owner, name, endpoint=endpoint)


def test_before_the_reveal_nothing_hidden_is_published(challenge: Challenge, tmp_path: Path) -> None:
    assert publish(challenge, tmp_path / "out", NOW) == ["dev-public", "open-public"]
    assert not (tmp_path / "out" / "values").exists()
    everything = b"".join(_content(tmp_path / "out").values())
    assert b"secret-building" not in everything
    assert b"0.85" in everything
    assert b"0.855" not in everything  # the mean behind the Ladder's score
    assert recomputed(tmp_path / "out").returncode == 0


def recomputed(out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(out / "recompute.py"), str(out)], capture_output=True, text=True
    )


def test_everything_revealed_can_be_recomputed_elsewhere(challenge: Challenge, tmp_path: Path) -> None:
    end(challenge, *PHASES)
    out = tmp_path / "out"
    assert publish(challenge, out, NOW) == ["dev-public", "hidden-final", "open-final", "open-public"]
    assert b"secret-building" not in b"".join(_content(out).values())
    index = json.loads((out / "index.json").read_text())
    assert index["rules_sha256"] == challenge.rules_sha256
    head, first = (out / "boards" / "hidden-final.csv").read_text().splitlines()[:2]
    assert head.endswith("submission,date,success")
    assert first.startswith("1,1-1,'=cmd(),team,0.855")
    assert first.endswith(",0.625")
    moved = tmp_path / "years later"
    out.rename(moved)
    said = recomputed(moved)
    assert (said.returncode, said.stdout.count("equal")) == (0, 3), said.stderr
    values = moved / "values" / "hidden-final.json"
    values.write_text(values.read_text().replace("0.8,", "0.9,", 1))
    said = recomputed(moved)
    assert said.returncode == 1
    assert "values/hidden-final.json is missing or was changed" in said.stderr
    assert "=cmd(): score is" in said.stderr


def test_whatever_is_done_to_a_file_is_told_in_lines(challenge: Challenge, tmp_path: Path) -> None:
    end(challenge, "hidden")
    publish(challenge, tmp_path / "published", NOW)
    for n, (place, (old, new, said)) in enumerate(product(("boards", "values"), DEEDS)):
        out = shutil.copytree(tmp_path / "published", tmp_path / str(n))
        file = out / place / "hidden-final.json"
        file.write_text(file.read_text().replace(old, new))
        told = recomputed(out)
        assert (told.returncode, "Traceback" in told.stderr) == (1, False), (place, old)
        assert f"{place}/hidden-final.json is missing or was changed" in told.stderr.splitlines()
        assert f"hidden-final: {said}" in told.stdout, (place, old)
        file.unlink()
        assert "Traceback" not in recomputed(out).stderr, place


DEEDS = (
    ("weak", "other", "teams of the board alone: "),
    ('"entries"', '"entrants"', "cannot be compared, KeyError: 'entries'"),
    ("0.8", '"a"', ""),
    ("{", "", "cannot be compared, JSONDecodeError"),
)


class Links(HTMLParser):
    """Every address on a page, and every tag that could run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.active: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {value or "" for name, value in attrs if name in ("href", "src", "action")}
        self.active |= {tag} & {"script", "style", "form", "iframe", "object"}
        self.active |= {name for name, _ in attrs if name.startswith("on") or name == "style"}


def test_what_an_episode_cost_is_published_and_changes_no_rank(challenge: Challenge, tmp_path: Path) -> None:
    """A board that was revealed before its server knew of usage is published too, with the sum that it had."""
    end(challenge, *PHASES)
    kept = {row.phase: row.sha256 for row in Ranking.objects.filter(revealed=True)}
    publish(challenge, tmp_path / "before", NOW)
    for row in Result.objects.filter(submission__team__name="weak"):
        spent = {"input_tokens": 900.5, "output_tokens": 12.0, "requests": 1.0, "unreadable": 0.0, "cost.USD": 0.25}
        row.document["usage"] = {"per_episode": spent}
        row.save()
    out = tmp_path / "out"
    publish(challenge, out, NOW)
    assert {row.phase: row.sha256 for row in Ranking.objects.filter(revealed=True)} == kept
    lines = {line["team"]: line for line in json.loads((out / "boards" / "hidden-final.json").read_text())["entries"]}
    assert lines["weak"].pop("usage") == spent
    before = json.loads((tmp_path / "before" / "boards" / "hidden-final.json").read_text())
    assert [*lines.values()] == before["entries"]
    head, *rows = (out / "boards" / "hidden-final.csv").read_text().splitlines()
    assert head.endswith("submission,date,success,input_tokens,output_tokens,requests,cost.USD")
    assert [row.split(",")[-4:] for row in rows] == [[""] * 4, ["900.5", "12.0", "1.0", "0.25"], [""] * 4]
    assert "0.2500 USD" in (out / "boards" / "hidden-final.html").read_text()
    ladder = "".join((out / "boards" / f"open-public{ending}").read_text() for ending in (".json", ".csv"))
    assert ("usage" in ladder, "input" in ladder) == (False, False)
    assert (recomputed(out).returncode, recomputed(out).stdout.count("equal")) == (0, 3)


@pytest.mark.parametrize("missing", ["excluded", "beside", "rank_ci95"])
def test_a_board_revealed_before_it_had_a_column_is_published(
    challenge: Challenge, tmp_path: Path, missing: str
) -> None:
    """As it was, with empty cells; what it does say must still be what the rows say."""
    end(challenge, "hidden")
    kept = Ranking.objects.get(phase="hidden", revealed=True)
    for line in kept.document["entries"]:
        del line[missing]
    kept.document["seed"] = 0  # boards of the first version named it
    kept.sha256 = content_sha256(kept.document)
    kept.save()
    publish(challenge, tmp_path / "out", NOW)
    boards = tmp_path / "out" / "boards"
    shown = json.loads((boards / "hidden-final.json").read_text())
    for line in shown["entries"]:  # looked up beside it
        line.pop("score_ci95", None)
        at = Submission.objects.get(pk=line["submission"]).accepted_at
        assert line.pop("date") == f"{timezone.localtime(at, challenge.zone):%Y-%m-%d}"
    assert shown == kept.document
    rows = list(csv.DictReader((boards / "hidden-final.csv").open()))
    assert [row["team"] for row in rows] == ["'=cmd()", "weak", "random"]
    assert {row.get(missing, "") for row in rows} == {""}
    kept.document["entries"][0]["failed"] += 1
    kept.save()
    with pytest.raises(InputError, match="has changed since it was revealed"):
        publish(challenge, tmp_path / "again", NOW)


def test_a_board_that_changed_since_its_reveal_is_not_published(challenge: Challenge, tmp_path: Path) -> None:
    end(challenge, "hidden")
    Dispatcher(challenge).void(Submission.objects.filter(phase="hidden")[0], "cheated", "ada")
    with pytest.raises(InputError, match="Reveal it again"):
        publish(challenge, tmp_path / "out", NOW)
    reveal(challenge, "hidden", "ada", NOW)
    publish(challenge, tmp_path / "again", NOW)


def test_what_is_published_is_a_site_of_its_own(challenge: Challenge, tmp_path: Path) -> None:
    """In both languages, its links lead to files of its own, nothing in it runs, and the figures are the boards'."""
    end(challenge, *PHASES)
    (write_site(challenge.folder) / "terms.md").write_text("# Terms\n\n[Sign up](/signup/) [home](/)")
    out = tmp_path / "out"
    names = publish(challenge, out, NOW)
    own = [f"pages/{name}" for name in ("overview", "rules", "contact", "foot", "terms")]
    stems = ["index", *own, *(f"boards/{name}" for name in names)]
    pages = {out / f"{stem}{ending}" for stem in stems for ending in ENDINGS.values()}
    assert {path.name for path in (out / "pages").iterdir() if path.suffix != ".html"} == {"plan.png", "starter.zip"}
    assert set(out.rglob("*.html")) == pages
    for page in pages:
        links = Links(page.read_text())
        assert links.active == set(), page
        there = ("#", "https://e", "mailto:", "data:image/svg+xml;base64,")
        missing = [one for one in links.found if not one.startswith(there) and not (page.parent / one).is_file()]
        assert missing == [], page
    assert '<a>Sign up</a> <a href="../index.zh.html"' in (out / "pages" / "terms.zh.html").read_text()
    board = json.loads((out / "boards" / "hidden-final.json").read_text())
    for name in ("boards/hidden-final.html", "boards/hidden-final.zh.html"):
        text = unescape((out / name).read_text())
        assert all(f"{line['score']:.4f}" in text and line["team"] in text for line in board["entries"])
    chinese = re.sub(r"<[^>]+>", " ", (out / "index.zh.html").read_text())
    assert "自行核验" in chinese
    assert not re.search(r"\b(the|your|of|and)\b", chinese)


@pytest.mark.parametrize("revealed", [[], ["open"], ["open", "hidden"]])
def test_what_is_published_begins_as_the_server_does(challenge: Challenge, tmp_path: Path, revealed: list[str]) -> None:
    end(challenge, *revealed)
    publish(challenge, tmp_path / "out", NOW)
    board = re.compile(r'class="title">.*?</table>', re.S)
    for language, page in (("en", "index.html"), ("zh-CN", "index.zh.html")):
        live = Client(SERVER_NAME="localhost").get("/", headers={"accept-language": language}).content.decode()
        (first,), (published,) = board.findall(live), board.findall((tmp_path / "out" / page).read_text())
        assert re.sub(r"<[^>]+>", "", first).split() == re.sub(r"<[^>]+>", "", published).split()
        assert {"en": "Final board", "zh-CN": "最终排行榜"}[language] in published or not revealed


@pytest.mark.soak
def test_a_real_run_is_published_with_its_proof(make: Make, tmp_path: Path) -> None:
    """By commands: served, played by nav-eval, frozen, revealed, published, verified."""
    challenge = make(endpoints=QUICK)
    file, out = Folder(challenge.folder).challenge, tmp_path / "out"
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge):
        one = submitted(challenge, "aurora", agent.endpoint)
        until(finished, "a run")
    for words in (("freeze", file, "--phase", "dev", "--reveal"), ("publish", file, "--out", out)):
        said = call(*words)
        assert said.returncode == 0, said.stderr
    assert verify(out / "runs" / one.id) == []
    names = {"config.yaml", "manifest.json", "results.json", "signature.json"}
    assert {path.name for path in (out / "runs" / one.id).iterdir()} == names
    assert recomputed(out).returncode == 0
    board = json.loads((out / "boards" / "dev-final.json").read_text())
    results = json.loads((out / "runs" / one.id / "results.json").read_text())
    assert board["entries"][0]["score"] == pytest.approx(results["metrics"]["spl"]["mean"], abs=1e-12)


def test_the_doctor_finds_what_is_to_be_mended(make: Make) -> None:
    challenge, now = make(), timezone.now()
    folder = Folder(challenge.folder)

    def examined() -> tuple[list[str], list[str]]:
        found = [one for one in examine(challenge, now) if "GiB" not in one.said]
        return [one.said for one in found if one.well], [one.said for one in found if not one.well]

    backups.note(now)
    Mark.objects.create(name="sweep", at=now)
    team_worker = done(team("a"), dict.fromkeys(KEYS, 0.5)).attempts.get().worker
    team_worker.last_used_at = now
    team_worker.save()
    well, bad = examined()
    data = "dev (open): 5 episodes in 1 scene(s) can be played. 1 building says nothing about other buildings"
    assert ([one.startswith(data) for one in well].count(True), bad) == (1, [])
    (folder.private / "seed").chmod(0o644)
    Mark.objects.filter(name="backup").update(at=now - timedelta(hours=30))
    seed, backup = sorted(examined()[1], key=lambda said: "backup" in said)
    assert ("others may read private/seed" in seed, backup) == (True, "the last backup is 30.0 hours old")
    (folder.private / "seed").chmod(0o600)
    Mark.objects.filter(name__in=("backup", "sweep")).delete()
    team_worker.last_used_at = None
    team_worker.save()
    Submission.objects.create(
        team=team("b"), phase="dev", kind="service", accepted_at=now, since=now, retry_at=now,
        deadline=now - timedelta(hours=1),
    )  # fmt: skip
    Event.objects.filter(pk=Event.objects.first().pk).update(actor="somebody else")  # type: ignore[union-attr]
    found = "\n".join(examined()[1])
    queue = ("1 stuck, 1 waiting", "the scheduler does not sweep", "0 worker(s) seen")
    for text in ("there is no backup", *queue, "the audit log was changed"):
        assert text in found


def test_grades_are_those_of_final_boards(
    challenge: Challenge, called: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hidden or not, as the board itself has them; who has no team or has not played has an empty cell."""
    person("=ada", Team.objects.get(name="=cmd()"), email="ada@example.org")
    person("bob", team("idle"))
    person("carla")
    person("chair", is_staff=True)
    called("grades")
    rows = csv.DictReader(capsys.readouterr().out.splitlines())
    boards = {phase: document(challenge, phase, Board.FINAL)["entries"] for phase in PHASES}
    score = {phase: next(str(one["score"]) for one in boards[phase] if one["team"] == "=cmd()") for phase in PHASES}
    assert list(rows) == [
        {"name": "'=ada", "email": "ada@example.org", "team": "'=cmd()", "dev": ""} | score,
        {"name": "bob", "email": "", "team": "idle", "dev": ""} | dict.fromkeys(PHASES, ""),
        {"name": "carla", "email": "", "team": "", "dev": ""} | dict.fromkeys(PHASES, ""),
    ]


def test_capacity_is_as_measured_or_allowed(make: Make, called: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """5 episodes of at most 30 moves on the small graph; three teams have 2 places a day."""
    challenge = make(phases={"dev": phase(per_day=2), "files": phase("predictions")})
    steps = configured(challenge, "dev").evaluation.max_steps

    def row(*words: str) -> list[str]:
        asked = ["capacity", "x.yaml", "--teams", "3", *words]
        called("capacity", **app.parse_args(asked, print_error=False, exit_on_error=False)[1].kwargs)
        told = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in told[:2]] == ["phase", "dev"]
        return told[1].split()

    hours = 5 * steps * 144 / 3600
    expected = f"dev 5 {hours:.2f} 6 {6 * hours:.1f} {ceil(hours / 4)}"
    assert row("--seconds-per-step", "144") == expected.split()
    assert row("--tries", "1") == ["dev", "5", "-", "3", "-", "-"]
    played = done(team("a"), dict.fromkeys(KEYS, 0.5)).attempts.get()
    Attempt.objects.filter(pk=played.pk).update(ended_at=played.started_at + timedelta(hours=9))
    assert row("--tries", "1") == ["dev", "5", "9.00", "3", "27.0", "2"]


def test_the_commands_speak_the_organisers_language(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Folder(make().folder).challenge
    done(team("a"), dict.fromkeys(KEYS, 0.5))
    doctor = call("doctor", file)
    assert doctor.returncode == 1
    for line in ("FIX  there is no backup", "ok   keys, runs and uploads"):
        assert line in doctor.stdout
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")
    said = [call("doctor", file), call("freeze", file, "--phase", "dev"), call("freeze", file, "--phase", "none")]
    told = "".join(one.stdout + one.stderr for one in said)
    assert "FIX  没有备份：请每天运行" in told
    assert "1 座建筑不足以说明其他建筑的情形：至少要五座。" in said[0].stdout
    assert "4 座建筑不足以说明其他建筑的情形：至少要五座。" in said[1].stdout
    assert "没有这个阶段。请用其中之一" in told
    assert not re.search(r"(?<![`'\"\w-])(?:[a-z]+ ){3}", told), told


# A competition of the first version, as migration 0002 left its database


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


FIRST_PAGES = {
    None: {"/": "Aurora", "/board/standard/": "0.6200", "/board/dev/": "Leaderboard"},
    "bo": {"/team/": "agent.example.org:8085", "/submissions/wait00000000/": "queued", "/board/standard/": "yours"},
    "ada": {
        "/organiser/": "Pending",
        "/organiser/log/": "The chain holds",
        "/submissions/void00000000/": "Seen twice.",
    },
}


def test_a_database_of_the_first_version_is_served(upgraded: Challenge) -> None:
    for name, pages in FIRST_PAGES.items():
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
