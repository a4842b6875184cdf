"""nav-eval competition init."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from django.conf import settings
from django.test import Client

from nav_eval.errors import ConfigError, InputError
from nav_eval.variables import DATABASE_PASSWORD_FILE
from nav_eval_server.challenge import load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.init import COMMENT, Answers, Template, create, init, make_data, split_seed
from nav_eval_server.settings import postgres as words
from server.conftest import Make
from server.postgres import postgres
from server.serving import nav_eval


def test_keys_are_for_one_user_only(tmp_path: Path) -> None:
    create(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    folder = Folder(tmp_path)
    for path in (folder.private, folder.runs, folder.work, folder.uploads):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    keys = list(folder.private.iterdir())
    assert {key.name for key in keys} == {"django.key", "organiser.pem", "seed", "vault.key"}
    assert {stat.S_IMODE(key.stat().st_mode) for key in keys} == {0o600}


@pytest.mark.parametrize("template", [None, *get_args(Template)])
def test_the_comments_of_the_rules_are_in_the_organisers_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: Template | None
) -> None:
    told = {}
    for language in ("en", "zh"):
        monkeypatch.setenv("NAV_EVAL_LANG", language)
        create(tmp_path / language, Answers("a", "a", "UTC", "ada", 1, template=template))
        told[language] = Folder(tmp_path / language).challenge.read_text(encoding="utf-8")
    comments = {language: COMMENT.findall(text) for language, text in told.items()}
    assert len(comments["en"]) > 12
    assert [line for line in comments["zh"] if not re.search("[\u4e00-\u9fff]", line)] == []
    assert yaml.safe_load(told["zh"]).keys() == yaml.safe_load(told["en"]).keys()
    assert template == "course" or "dev:                        # 用来试连接" in told["zh"]


@pytest.mark.parametrize(
    ("template", "weeks", "hidden"),
    [("challenge", [(0, 60), (0, 60), (60, 67)], ["final"]), ("course", [(0, 7), (7, 14), (14, 21), (21, 28)], []),
     ("benchmark", [(0, None), (0, None)], [])],
)  # fmt: skip
def test_a_template_has_its_phases_and_a_first_page_in_both_languages(
    make: Make, tmp_path: Path, template: Template, weeks: list[Any], hidden: list[str]
) -> None:
    """Which readers are shown as well as one who is told when a phase ends that does not."""
    create(tmp_path / "cup", Answers("cup", "Cup", "UTC", "ada", 1, template=template))
    challenge = load_challenge(tmp_path / "cup" / "challenge.yaml")
    now = min(map(challenge.opens, challenge.phases))
    days = [((challenge.opens(name) - now).days, (challenge.closes(name) - now).days) for name in challenge.phases]
    assert [(one, other if other < 9999 else None) for one, other in days] == weeks
    assert [name for name, phase in challenge.phases.items() if phase.board == "private"] == hidden
    assert len({phase.split for phase in challenge.phases.values()}) == len(weeks)
    shutil.copytree(tmp_path / "cup" / "pages", make().folder / "pages")
    settings.CHALLENGE = settings.CHALLENGE.model_copy(update={"phases": challenge.phases})
    for language, title, end in (("en", "Overview", "no end"), ("zh-CN", "概览", "长期开放")):
        page = Client(SERVER_NAME="localhost").get("/", headers={"accept-language": language}).content.decode()
        assert title in page
        assert (end in page) == (template == "benchmark")


def test_a_competition_is_not_founded_twice(tmp_path: Path) -> None:
    create(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    before = Folder(tmp_path).secret("seed")
    with pytest.raises(InputError, match="holds a competition already"):
        init(tmp_path, yes=True)
    create(tmp_path, Answers("a", "a", "UTC", "ada", 1))  # as after a crash: keys that are there stay
    assert Folder(tmp_path).secret("seed") == before


def test_without_the_server_the_command_says_what_to_install(tmp_path: Path) -> None:
    """The metadata of the server hidden, as where it is not installed."""
    hidden = (
        "import importlib.metadata as m; m.entry_points = lambda **_: m.EntryPoints(); "
        "from nav_eval.cli import main; main()"
    )
    words = [sys.executable, "-c", hidden, "competition", "serve", "x.yaml", "--port", "80"]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 2
    assert "pip install nav-eval-server" in said.stderr


def test_the_evaluator_gains_no_web_framework() -> None:
    script = "import sys, nav_eval.cli as c; c.make_app(); print([m for m in ('django', 'ninja') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_seed_is_in_no_list_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    called: list[tuple[list[str], str]] = []

    def run(command: list[str], **options: str) -> subprocess.CompletedProcess[str]:
        called.append((command, options["input"]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    make_data(load_challenge(tmp_path / "challenge.yaml"), "dev", 1)
    secret = Folder(tmp_path).secret("seed")
    seed = json.loads(called[0][1])[-1]
    assert [seed in given for _, given in called] == [True, True]
    assert not any(word in " ".join(command) for command, _ in called for word in (secret, seed))
    assert not any(secret in given for _, given in called)


def test_a_phases_seed_tells_nothing_of_anothers(tmp_path: Path) -> None:
    """It is what the script of the organisers' page makes of the private one, and cannot be undone."""
    page = (Path(__file__).parents[2] / "docs" / "organisers.md").read_text()
    line = next(line for line in page.splitlines() if line.startswith("seed="))
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "seed").write_text("0123456789abcdef\n")
    for phase in ("dev", "final"):
        script = f'phase={phase}; {line}; printf %s "$seed"'
        made = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True).stdout
        expected = hashlib.sha256(f"0123456789abcdef-{phase}".encode()).hexdigest()[:32]
        assert made == split_seed("0123456789abcdef", phase) == expected


WITHOUT_BUILDINGS = (
    "import nav_eval_server.init as f; f.make_data = lambda *_: None; f.played = lambda _: []; "
    "from nav_eval.cli import main; main()"
)


def test_a_database_is_founded_with_the_password_of_a_file(
    tmp_path: Path, forks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong password, no password and a database that is taken are told before anything is made."""
    right, wrong, empty = tmp_path / "right", tmp_path / "wrong", tmp_path / "empty"
    right.write_text("a pass@word/%\n")
    wrong.write_text("wrong\n")
    empty.write_text("")
    with postgres() as server:
        server.run("psql", *server.there, "-d", "competition", "-c", "ALTER USER competition PASSWORD 'a pass@word/%'")
        (server.data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
        server.run("pg_ctl", "-D", str(server.data), "reload")

        def refused(folder: str, file: Path) -> str:
            monkeypatch.setenv(DATABASE_PASSWORD_FILE.name, str(file))
            with pytest.raises((ConfigError, InputError)) as caught:
                init(tmp_path / folder, yes=True, database=server.url)
            assert not (tmp_path / folder).exists()
            return str(caught.value)

        for file in (wrong, empty, tmp_path / "nowhere"):
            refused("cup", file)
        command = [sys.executable, "-c", WITHOUT_BUILDINGS, "competition", "init", str(tmp_path / "cup"), "--yes"]
        environment = os.environ | {DATABASE_PASSWORD_FILE.name: str(right)}
        done = subprocess.run([*command, "--database", server.url], env=environment, capture_output=True, text=True)
        assert (done.returncode, "shown this once" in done.stdout) == (0, True), done.stderr
        assert load_challenge(tmp_path / "cup" / "challenge.yaml").database == server.url
        assert not Folder(tmp_path / "cup").database.exists()
        assert "pass@word" not in (tmp_path / "cup" / "challenge.yaml").read_text()
        assert "holds tables already" in refused("second", right)


@pytest.mark.parametrize("url", ["mysql://a@b/c", "sqlite:///x", "competition", "postgresql://a@b:port/c"])
def test_a_database_that_is_no_postgresql_is_told_so(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a postgresql://"):
        init(tmp_path / "cup", yes=True, database=url)


def test_the_file_of_the_password_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "password").write_text("secret \r\n")
    assert words("postgresql://a:b@c/d")["PASSWORD"] == "b"
    monkeypatch.setenv(DATABASE_PASSWORD_FILE.name, str(tmp_path / "password"))
    assert words("postgresql://a:b@c/d")["PASSWORD"] == "secret "


@pytest.mark.soak
def test_init_makes_what_can_be_served(tmp_path: Path) -> None:
    done = nav_eval("competition", "init", tmp_path / "My Homes", "--yes", "--buildings", "1")
    assert done.returncode == 0, done.stderr
    assert "shown this once" in done.stdout
    seed = Folder(tmp_path / "My Homes").secret("seed")
    assert seed not in done.stdout + done.stderr + "".join(map(str, (tmp_path / "My Homes" / "data").rglob("*")))
    words = ["validate", "data/standard/episodes/vln/all.json.gz", "simulator.scenes_dir=data/standard/scenes"]
    checked = nav_eval(*words, cwd=tmp_path / "My Homes")
    assert checked.returncode == 0, json.dumps(checked.stdout)
