"""challenge.yaml: every fault at once, in words; what is locked and what may be moved."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
import yaml

from nav_eval.errors import ConfigError
from nav_eval.runs.registry import benchmark_config
from nav_eval_server.challenge import DRY_RUN, FOREVER, Challenge, configured, evaluation_text, load_challenge
from nav_eval_server.conditions import differences
from nav_eval_server.init import Answers, Template, create


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
            "notify.mail.hots: unknown key. Did you mean 'h",
        ),
        ("baselines", ["randon"], "baselines: 'randon' is no agent of ours. There are stop, forward, random, "),
        ("phasez", {}, "phasez: unknown key. Did you mean 'phases'? Known here: allow_overlap, baselines, "),
        ("phases.dev.quota.per_day", 0, "phases.dev.quota.per_day: Input should be greater than or equal to 1"),
        ("phases.dev.closes", "2020-01-01T00:00", "phases.dev: closes before it opens"),
        ("timezone", "Mars/Olympus", "timezone: is not a time zone; write for example Europe/Berlin"),
        ("endpoints.allowed_networks", ["lan"], "write any, public, "),
        ("endpoints.allowed_ports", [443, "ssh"], "endpoints.allowed_ports: 'ssh' is not a port; write one such as"),
        ("endpoints.allowed_ports", [0], "'0' is not a port"),
        ("ranking.by", "elegance", "ranking.by: 'elegance' is not measured"),
        ("ranking.secondary_metrics", ["ndtw", "elegance"], "ranking.secondary_metrics: 'elegance' is not measured"),
        ("ranking.secondary_metrics", ["ndtw", "spl"], "ranking: secondary_metrics: names a measure twice, or the one"),
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
