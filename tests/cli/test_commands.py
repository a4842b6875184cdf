"""The command line as a user meets it: help, exit codes, one clear message for each mistake."""

from __future__ import annotations

import json
import logging
import re
import shlex
import sys
from pathlib import Path

import pytest

from forked import nav_eval
from graphs import default_items, write_r2r
from nav_eval.agents.registry import AGENTS
from nav_eval.cli import main, make_app
from nav_eval.cli.commands import GROUPS
from nav_eval_sdk.cli import load_agent
from nav_eval_sdk.examples import BASELINES, EXAMPLES
from playing import document

ROOT = Path(__file__).parents[2]


@pytest.fixture
def called(monkeypatch, capsys, tmp_path):
    """The command in this process, in an empty folder: exit code, stdout, stderr. A process each takes longer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    logger = logging.getLogger("nav_eval")
    monkeypatch.setattr(logger, "handlers", list(logger.handlers))

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["nav-eval", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return call


EVERY = {name: command for commands in GROUPS.values() for name, command in commands.items()}


def test_help_shows_every_command_in_its_group_with_an_example(tmp_path):
    shown = " ".join(nav_eval("--help", cwd=tmp_path).stdout.replace("│", " ").split())
    places = [shown.index(f" {title} ") for title in GROUPS]
    assert places == sorted(places)
    for (title, commands), end in zip(GROUPS.items(), [*places[1:], len(shown)], strict=True):
        for command in commands.values():
            assert command.help in shown[shown.index(f" {title} ") : end]


@pytest.mark.parametrize("name", EVERY)
def test_an_example_is_taken_as_it_is_written(name):
    program, *words = shlex.split(EVERY[name].example)
    assert (program, words[0]) == ("nav-eval", name)
    if name != "competition":  # its commands know files that must be there
        make_app().parse_args(words, print_error=False, exit_on_error=False)


def test_the_readmes_have_the_groups_of_the_help():
    for readme in ("README.md", "README.zh-CN.md"):
        rows = [line.split("|")[2] for line in (ROOT / readme).read_text("utf-8").splitlines() if line.startswith("| ")]
        words = [set(re.findall(r"[a-z]+", row)) for row in rows]
        for commands in GROUPS.values():
            assert any(commands.keys() <= row for row in words), (readme, sorted(commands))


def test_each_command_explains_itself(called):
    commands = [[name, *part] for name, held in EVERY.items() for part in ([[p] for p in held.parts] or [[]])]
    helps = {" ".join(words): called(*words, "--help") for words in commands}
    assert {words: errors for words, (code, _, errors) in helps.items() if code} == {}
    assert [words for words, (_, shown, _) in helps.items() if f"Usage: nav-eval {words}" not in shown] == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run"], 2, "These need no data: goat-demo"),
        (["run", "r2r"], 2, "nav-eval data check"),
        (["scene", "view", "home.navmesh"], 2, "Give the scene that it was built for"),
        (["run", "r2rr"], 2, "Did you mean 'r2r'"),
        (["run", "r2r", "dataset.limt=3"], 2, "Did you mean 'limit'"),
        (["run", "r2r", "dataset.data_path=none.json"], 2, "none.json"),
        (["config", "validate", "r2r", "agent_service.agent=rando"], 2, "Did you mean 'random'"),
        (["run", "r2r", "--nonsense"], 2, "--nonsense"),
        (["run", "vln-demo", "--out", ""], 2, "--out is empty"),
        (["report", "somewhere", "--out="], 2, "--out is empty"),
        (["frobnicate"], 2, "frobnicate"),
        (["evaluate", "vln-demo"], 2, "Did you mean 'run'?"),
        (["validate", "none.json"], 1, "none.json"),
        (["score", "none.json", "--benchmark", "r2r"], 2, "none.json"),
        (["score", "none.json"], 2, "--benchmark"),
        (["rescore", "nowhere"], 2, "nowhere"),
        (["replay", "nowhere"], 2, "nowhere"),
        (["compare", "nowhere"], 2, "two or more"),
        (["rank"], 2, "Name a run directory"),
        (["rank", "nowhere"], 2, "nowhere"),
        (["report", "nowhere"], 2, "nowhere"),
        (["scene", "info", "none.glb"], 2, "none.glb"),
        (["scene", "navmesh", "none.navmesh"], 2, "none.navmesh"),
        (["config", "validate", "r2r", "task.type=flying"], 2, "flying"),
        (["generate", "episodes", "nowhere", "out"], 2, "generate scenes"),
        (["generate", "scenes", "out", "--name", "a/b"], 2, "--name"),
        (["generate", "scenes", "out", "--rooms", "8-4"], 2, "--rooms 8-4: give a number"),
        (["generate", "scenes", "out", "--rooms", "4-999"], 2, "rooms is 999: give 1 to"),
        (["generate", "scenes", "out", "--rooms", "many"], 2, "--rooms many: give a number"),
        (["generate", "episodes", "nowhere", "out", "--ratios", "8,1"], 2, "--ratios 8,1: give three shares"),
        (["generate", "episodes", "nowhere", "out", "--ratios", "0,0,0"], 2, "--ratios 0,0,0: give three shares"),
        (["generate", "episodes", "nowhere", "out", "--spacing", "nan"], 2, "--spacing nan: give metres"),
        (["generate", "episodes", "nowhere", "out", "--min-length", "31"], 2, "--min-length 31: give metres"),
    ],
)
def test_a_mistake_gets_one_message_and_its_exit_code(called, arguments, code, message):
    ended, printed, errors = called(*arguments)
    assert ended == code, errors
    assert message in errors + printed
    assert "Traceback" not in errors
    assert len(errors.splitlines()) <= 6


def test_debug_shows_the_traceback(tmp_path):
    assert "Traceback" in nav_eval("run", "r2rr", "--debug", cwd=tmp_path).stderr


def test_a_service_that_is_not_there_is_exit_code_3(tmp_path):
    overrides = write_r2r(tmp_path)
    remote = ["agent_service.type=remote", "agent_service.endpoint=127.0.0.1:9", "agent_service.deadlines.ready=0.5"]
    said = nav_eval("run", "r2r", *overrides, *remote, "--out", "run", cwd=tmp_path)
    assert said.returncode == 3, said.stderr
    assert "127.0.0.1:9" in said.stderr
    assert not (tmp_path / "run").exists(), "a run that never began leaves nothing behind"
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "note.txt").write_text("mine")
    assert nav_eval("run", "r2r", *overrides, *remote, "--out", "run", cwd=tmp_path).returncode == 3
    assert [file.name for file in (tmp_path / "run").iterdir()] == ["note.txt"]


def test_a_run_its_files_and_what_can_be_done_with_them(tmp_path):
    overrides = write_r2r(tmp_path)
    for agent in ("random", "shortest_path"):
        ran = nav_eval("run", "r2r", *overrides, f"agent_service.agent={agent}", "--out", agent, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    results = document(tmp_path / "shortest_path")
    assert results["metrics"]["success"]["mean"] == 1.0
    assert results["profile"] == {"name": "r2r", "version": "2"}
    manifest = document(tmp_path / "shortest_path", "manifest.json")
    assert manifest["finished"]
    assert manifest["privileged"] is True
    assert len(manifest["dataset_sha256"]["R2R_val.json"]) == 64
    assert nav_eval("rescore", "random", cwd=tmp_path).returncode == 0
    assert nav_eval("replay", "random", cwd=tmp_path).returncode == 0
    compared = nav_eval("compare", "random", "shortest_path", "--json", cwd=tmp_path)
    rows = {row["metric"]: row for row in json.loads(compared.stdout)}
    assert rows["success"]["mean_second"] == 1.0
    ranked = nav_eval("rank", "random", "shortest_path", cwd=tmp_path).stdout.splitlines()
    assert ranked[0].startswith("spl (higher is better) on ")
    assert ranked[2].split()[0] == "1"
    assert ranked[2].endswith("shortest_path")
    by_error = json.loads(nav_eval("rank", "random", "--by", "navigation_error", "--json", cwd=tmp_path).stdout)
    assert by_error["higher_is_better"] is False
    for measure, why in (("sucess", "Did you mean 'success'"), ("path_length", "no better direction")):
        refused = nav_eval("rank", "random", "--by", measure, cwd=tmp_path)
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr
    scored = nav_eval("score", "random/submission.json", "--benchmark", "r2r", *overrides, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    own = nav_eval("score", "random/submission.json", "--config", "random/config.yaml", cwd=tmp_path)
    assert own.stdout == scored.stdout
    again = nav_eval("run", "r2r", *overrides, "--out", "random", cwd=tmp_path)
    assert again.returncode == 2
    assert "--resume" in again.stderr


def test_lists_are_json_too(tmp_path):
    rows = json.loads(nav_eval("list", "metrics", "--json", cwd=tmp_path).stdout)
    assert {row["name"]: row["about"] for row in rows}["success"] == "navigation, rate, higher is better"


def test_the_schema_describes_every_section(tmp_path):
    schema = json.loads(nav_eval("config", "schema", cwd=tmp_path).stdout)
    sections = {"benchmark", "task", "simulator", "dataset", "evaluation", "agent_service", "output", "perturbations"}
    sections |= {"seed", "plugins"}
    assert set(schema["properties"]) == sections
    assert schema["additionalProperties"] is False


def test_data_check_says_where_to_get_each_and_what_needs_no_licence(tmp_path):
    said = nav_eval("data", "check", cwd=tmp_path)
    missing = said.stdout.split("missing  ")[1:]
    assert (said.returncode, len(missing) > 10) == (1, True)
    assert all("Get it from https://" in one for one in missing)
    assert "No licence yet: vln-demo needs none." in said.stdout.splitlines()[-1]


def test_validate_says_a_repeated_fault_once_with_its_count(tmp_path):
    items = [
        {**item, "path_id": 10 * n + item["path_id"], "heading": None} for n in range(5) for item in default_items()
    ]
    write_r2r(tmp_path, items=items)
    done = nav_eval("validate", "R2R_val.json", cwd=tmp_path)
    code, said = done.returncode, done.stdout
    fault = "episode 7: [0].heading: expected a finite number, got None (and 9 times more: 8, 17, 18, ...)"
    assert (code, said.splitlines()[:2]) == (1, [f"R2R_val.json: {fault}", said.splitlines()[1]])
    assert "R2R_val.json: 10 faults" in said.splitlines()[1]


def test_agents_have_one_list_for_serve_and_run_and_a_line_each(tmp_path):
    said = nav_eval("list", "agents", cwd=tmp_path)
    lines = dict(line.split(maxsplit=1) for line in said.stdout.splitlines())  # one without a line fails here
    assert said.returncode == 0
    assert set(lines) >= {*EXAMPLES, *BASELINES, "shortest_path", "waiting"}
    assert all(AGENTS.get(name) is load_agent(name) for name in (*EXAMPLES, *BASELINES))
    assert all("run` only" in about for name, about in lines.items() if name in ("shortest_path", "waiting"))
