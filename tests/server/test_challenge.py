"""challenge.yaml: every fault at once, in words; what is locked and what may be moved; how init writes it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from django.conf import settings
from django.test import Client

from nav_eval.errors import ConfigError, InputError
from nav_eval.runs.registry import benchmark_config
from nav_eval.variables import DATABASE_PASSWORD_FILE
from nav_eval_server.challenge import DRY_RUN, FOREVER, Challenge, configured, evaluation_text, load_challenge
from nav_eval_server.conditions import differences
from nav_eval_server.folder import Folder
from nav_eval_server.init import COMMENT, Answers, Template, create, init, make_data, split_seed
from nav_eval_server.settings import postgres as words
from server.conftest import Make
from server.postgres import postgres
from server.serving import nav_eval


@pytest.fixture
def file(tmp_path: Path) -> Path:
    create(tmp_path, Answers("homes", 'The "homes"', "Asia/Shanghai", "ada", 1))
    return tmp_path / "challenge.yaml"


def changed(file: Path, key: str, value: object) -> Challenge:
    """The challenge with the dotted `key` set."""
    content = yaml.safe_load(file.read_text())
    *above, last = key.split(".")
    place = content
    for name in above:
        place = place.setdefault(name, {})
    place[last] = value
    file.write_text(yaml.safe_dump(content))
    return load_challenge(file)


def seeds(challenge: Challenge) -> list[int]:
    """What the evaluator is given in each phase, and in a dry run."""
    texts = [evaluation_text(challenge, name) for name in (*challenge.phases, DRY_RUN)]
    return [yaml.safe_load(text)["seed"] for text in texts]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("evaluation.evaluation.max_steps", 250, "max_steps 250 (500)"),
        ("evaluation.simulator.sensors.rgb.width", 640, "rgb 640×224 (224×224)"),
        ("evaluation.agent_service.deadlines.act", 2.5, "timeout 2.5 s (30 s)"),
        ("evaluation.simulator.sensors.semantic", {"width": 64, "height": 64}, "semantic 64×64 (224×224)"),
    ],
)
def test_where_teams_train_on_something_else_it_is_said(file: Path, key: str, value: object, told: str) -> None:
    said = differences(configured(changed(file, key, value), "dev"))
    assert (said.count(told), said.count("instruction"), said.count("\n")) == (1, 0, 0)
    assert said.startswith("Unlike vln-demo, which teams train on")
    assert [differences(benchmark_config(name)) for name in ("vln-demo", "objectnav-demo", "r2r")] == [""] * 3


@pytest.mark.parametrize("template", [None, *get_args(Template)])
def test_a_new_competition_plays_as_what_teams_train_on(tmp_path: Path, template: Template | None) -> None:
    create(tmp_path, Answers("homes", 'The "homes"', "UTC", "ada", 1, template=template))
    challenge = load_challenge(tmp_path / "challenge.yaml")
    assert (challenge.title.en, differences(challenge.config)) == ('The "homes"', "")
    name = next(iter(challenge.phases))
    assert challenge.opens(name) < (challenge.closes(name) or FOREVER)
    assert template or challenge.phases["standard"].quota.total == 30
    mine, theirs = configured(challenge, name), benchmark_config("vln-demo")
    assert mine.evaluation == theirs.evaluation
    for part in ("body", "motion"):
        assert getattr(mine.simulator, part) == getattr(theirs.simulator, part)
    cameras = mine.simulator.sensors.keys() & theirs.simulator.sensors.keys()
    assert cameras >= {"rgb", "depth"}
    assert all(mine.simulator.sensors[name] == theirs.simulator.sensors[name] for name in cameras)


def test_phases_and_competitions_have_seeds_that_nobody_guesses(tmp_path: Path) -> None:
    """Each its own: what is told of one phase tells nothing that is drawn in another."""
    drawn = []
    for name in ("a", "b"):
        create(tmp_path / name, Answers("homes", "Homes", "UTC", "ada", 1))
        drawn += seeds(load_challenge(tmp_path / name / "challenge.yaml"))
    assert len(set(drawn)) == len(drawn) == 6
    assert sorted(drawn)[1] > 1 << 40


def test_a_phase_without_a_seed_of_its_own_has_the_evaluations(file: Path) -> None:
    """As all had before there were any: neither what is played nor the hash of such rules may change."""
    content = yaml.safe_load(file.read_text())
    for phase in content["phases"].values():
        del phase["seed"]
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    challenge = load_challenge(file)
    assert set(seeds(challenge)) == {content["evaluation"]["seed"]}
    assert evaluation_text(challenge, "dev") == yaml.safe_dump(content["evaluation"], sort_keys=False)
    told = {key: content[key] for key in ("name", "evaluation", "phases", "ranking")}
    for phase in told["phases"].values():
        del phase["opens"], phase["closes"]
    told["ranking"]["beside"] = told["ranking"].pop("secondary_metrics")  # the name that sums are made under
    written = json.dumps(told, sort_keys=True, separators=(",", ":"))
    assert challenge.rules_sha256 == hashlib.sha256(written.encode()).hexdigest()
    with_one = changed(file, "phases.dev.seed", 5)
    assert seeds(with_one)[0] == 5
    assert with_one.rules_sha256 != challenge.rules_sha256


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("phases.dev.quota.per_dya", 3, "phases.dev.quota.per_dya: unknown key. Did you mean 'per_day'? Known here: "),
        ("phases.dev.bord", "public", "phases.dev.bord: unknown key. Did you mean 'board'?"),
        ("dry_run.splitt", "x", "dry_run.splitt: unknown key. Did you mean 'split'? Known here: episodes, split."),
        (
            "notify",
            {"mail": {"hots": "x", "host": "x", "sender": "x"}},
            "notify.mail.hots: unknown key. Did you mean 'host'",
        ),
        ("baselines", ["randon"], "baselines: 'randon' is no agent of ours. There are stop, forward, random, "),
        ("phasez", {}, "phasez: unknown key. Did you mean 'phases'? Known here: allow_overlap, baselines, "),
        ("phases.dev.quota.per_day", 0, "phases.dev.quota.per_day: Input should be greater than or equal to 1"),
        ("phases.dev.closes", "2020-01-01T00:00", "phases.dev: closes before it opens"),
        ("timezone", "Mars/Olympus", "timezone: is not a time zone; write for example Europe/Berlin"),
        ("endpoints.allowed_networks", ["lan"], "write any, public, "),
        (
            "endpoints.allowed_ports",
            [443, "ssh"],
            "endpoints.allowed_ports: 'ssh' is not a port; write one such as 443",
        ),
        ("endpoints.allowed_ports", [0], "'0' is not a port"),
        ("ranking.by", "elegance", "ranking.by: 'elegance' is not measured"),
        ("ranking.secondary_metrics", ["ndtw", "elegance"], "ranking.secondary_metrics: 'elegance' is not measured"),
        (
            "ranking.secondary_metrics",
            ["ndtw", "spl"],
            "ranking: secondary_metrics: names a measure twice, or the one of by",
        ),
        ("evaluation.evaluation.max_stepz", 3, "Did you mean 'max_steps'"),
        *(("images.gpus", gpus, "images.gpus: ") for gpus in ("one", "0,1", "-1", "all --privileged")),
        ("folder", "/etc", "folder: is not a key"),
        ("name", "Große Häuser", "name: String should match pattern"),
    ],
)
def test_a_fault_names_its_key(file: Path, key: str, value: object, told: str) -> None:
    with pytest.raises(ConfigError, match=r"challenge\.yaml") as fault:
        changed(file, key, value)
    assert told in str(fault.value)


def test_every_fault_is_told_at_once(file: Path) -> None:
    content = yaml.safe_load(file.read_text()) | {"timezone": "x", "ranking": {"bi": "spl"}, "colour": "red"}
    file.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="3 faults"):
        load_challenge(file)


def test_ports_are_numbers_and_ranges(file: Path) -> None:
    networks = changed(file, "endpoints.allowed_ports", [443, "8000-8002"]).endpoints.networks
    assert [port for port in range(65536) if networks.open(port)] == [443, 8000, 8001, 8002]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "no such file"),
        ("a: [", "cannot be read as YAML"),
        ("a: 1\nb: [1, 2\nc: 3", "cannot be read as YAML(.|\n)*line 2(.|\n)*b: \\[1, 2"),  # the line itself is shown
        ("- 1", "must"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ConfigError, match=told):
        load_challenge(tmp_path / "c.yaml")


def test_dates_without_a_zone_are_of_the_challenges(file: Path) -> None:
    challenge = changed(file, "phases.dev.closes", "2099-06-01T08:00")
    assert challenge.closes("dev") == datetime(2099, 6, 1, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "value", "same"),
    [
        ("phases.dev.closes", "2099-01-01T00:00", True),
        ("queue", {"lease_seconds": 60}, True),
        ("phases.dev.quota.per_day", 7, False),
        ("evaluation.evaluation.max_steps", 7, False),
        ("ranking.by", "ndtw", False),
        ("ranking.secondary_metrics", ["ndtw"], False),
    ],
)
def test_dates_may_be_moved_and_rules_may_not(file: Path, key: str, value: object, same: bool) -> None:
    before = load_challenge(file).rules_sha256
    assert (changed(file, key, value).rules_sha256 == before) == same


def test_the_old_name_of_the_secondary_metrics_is_the_same_rule(file: Path) -> None:
    now = changed(file, "ranking", {"by": "spl", "secondary_metrics": ["ndtw"]})
    once = changed(file, "ranking", {"by": "spl", "beside": ["ndtw"]})
    assert once.ranking.secondary_metrics == ("ndtw",)
    assert (once.rules_sha256, once.sha256) == (now.rules_sha256, now.sha256)
    with pytest.raises(ConfigError, match="beside: is the old name of secondary_metrics; name the latter only"):
        changed(file, "ranking", {"secondary_metrics": ["ndtw"], "beside": ["ndtw"]})


# nav-eval competition init


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
