"""What a user reads in Chinese: nothing is missing, nothing is stale, and the locale chooses it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from cyclopts import Parameter

from documentation import configuration
from documentation.catalogue import own_metrics
from documentation.commands import evaluator_commands, participant_commands, server_commands
from documentation.messages import is_prose, messages, strings
from documentation.pages import ROOT
from nav_eval.agents.registry import AGENTS
from nav_eval.cli import ABOUT, _call, make_app
from nav_eval.cli.chinese import catalogue
from nav_eval.cli.commands import GROUPS, Command
from nav_eval.cli.exit import BAD_INPUT, DONE, INTERRUPTED, guarded
from nav_eval.cli.inspect import _first_sentence
from nav_eval.cli.say import say
from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.engine.scene.info import SceneInfo
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.testing import physics, simulator
from nav_eval.testing.simulator import needs_a_start
from nav_eval_sdk.chinese import Catalogue
from nav_eval_sdk.variables import LANGUAGE
from nav_eval_server.cli import COMMANDS as SERVER
from nav_eval_server.init import COMMENT, Template, template_text

SOURCE, SDK = ROOT / "src" / "nav_eval", ROOT / "packages" / "nav-eval-sdk" / "src" / "nav_eval_sdk"
BUILDINGS = ROOT / "packages" / "nav-eval-worlds" / "src" / "nav_eval_worlds"
EXTRAS = ROOT / "packages" / "nav-eval-extras" / "src" / "nav_eval_extras"
COMPETITION = ROOT / "packages" / "nav-eval-server" / "src" / "nav_eval_server"
BASELINES = ROOT / "packages" / "nav-eval-baselines" / "src" / "nav_eval_baselines"
SOURCES = (SOURCE, SDK, BUILDINGS, EXTRAS, BASELINES, COMPETITION)
OF_LIBRARIES = re.compile(r"(?ms)^# (?:Of libraries|Short ones)$.*?(?=^# |\Z)")
"""Sections of a zh.po whose English no string of ours is."""
COMPUTED = re.compile(
    r"nav-eval [a-z]+ [\w.=\[\],: -]+|nav-eval(?:-agent)?: \{0\}|simulator\.sensors=.*|override hydra/.*|.*: Any$"
)
"""Examples of commands, frames of what is translated within, and a line for Hydra."""


def abouts(commands: Mapping[str, Command]) -> Iterator[str]:
    for command in commands.values():
        yield command.about
        yield from abouts(command.parts)


def options() -> Iterator[str]:
    """What the help says of every command, argument and option."""
    for line, app in (evaluator_commands() | server_commands()).values():
        yield (inspect.getdoc(app.default_command) or line).split("\n\n")[0]
        for argument in app.assemble_argument_collection(
            default_parameter=Parameter(negative=()), parse_docstring=True
        ):
            yield argument.parameter.help or ""
    for parser in participant_commands().values():
        yield from (action.help or "" for action in parser._actions)


def keys() -> Iterator[str]:
    """What the configuration says of itself, its options and its sensors."""
    schemas: list[Any] = [*configuration.parts()]
    for key, registry in configuration.OPTIONS:
        owners: list[Any] = [registry.get(name) for name in registry]
        ours = ("nav_eval.", "nav_eval_extras.")
        own = [owner.Options.model_json_schema() for owner in owners if owner.__module__.startswith(ours)]
        schemas += [
            part
            for one in own
            if one.get("properties")
            for part in configuration._parts(key, one, one.get("$defs", {}))
        ]
    for part in schemas:
        yield part.about
        yield from (key.description for key in part.keys)
    for one in own_metrics().values():
        yield from (one.label if re.search("[a-z]{3}", one.label) else "", one.about)
    sensors: list[Any] = [SENSORS.get(name) for name in SENSORS]
    yield from (inspect.getdoc(one) or "" for one in sensors if one.__module__.startswith("nav_eval."))


def printed() -> Iterator[str]:
    """All that the command lines print, and what errors and logs of the other packages say."""
    yield from strings(SOURCE / "cli")
    yield from strings(SOURCE / "config")
    for part in ("agents", "api", "core", "dataset", "metrics", "report", "results", "runs", "simulator"):
        yield from messages(SOURCE / part)
    for part in ("simulator", "physics"):
        yield from strings(SOURCE / "testing" / f"{part}.py")
    yield from (one.__name__.replace("_", " ") for one in (needs_a_start, *simulator.CHECKS, *physics.CHECKS))
    yield from (field.name for field in fields(SceneInfo) if field.name != "notes")
    yield from messages(BUILDINGS)
    yield from messages(EXTRAS)
    yield from strings(EXTRAS / "sweep" / "command.py")
    yield from strings(EXTRAS / "human" / "command.py")
    yield from strings(EXTRAS / "annotate" / "command.py")
    yield from strings(EXTRAS / "collecting" / "command.py")
    yield from strings(BUILDINGS / "cli.py")
    yield from of_competitions()
    entering = ("submit_cli", "submissions", "competition", "conditions")
    parts = ("cli", *entering, "conformance", "project", "server/serving", "options")
    for part in parts:
        yield from strings(SDK / f"{part}.py")


def of_competitions() -> Iterator[str]:
    """What `nav-eval competition` prints, and the comments of the rules that it writes."""
    for part in (
        "init",
        "serving",
        "opening",
        "folder",
        "queue/client",
        "capacity",
        "archive/commands",
        "archive/backups",
    ):
        yield from messages(COMPETITION / f"{part}.py")
    for part in ("archive/doctor", "conditions", "pages", "phase_data"):
        yield from strings(COMPETITION / f"{part}.py")
    yield from (line for line in strings(COMPETITION / "challenge.py") if not line.startswith("dataset."))
    for template in (None, *get_args(Template)):
        yield from COMMENT.findall(template_text(template))


CYCLOPTS = {"Arguments", "Parameters", "Commands", "Display this message and exit.", "Display application version."}
NAMES = re.compile(r"`[^`]+`|--[a-z-]+|[\w/]+[._=][\w./=]*\w|\b[A-Z][A-Z_]+\b|\b\d+(?:[.,]\d+)*\b(?!-D)")
"""What is the same in both languages: commands, options, keys, files, numbers."""


def plain(text: str) -> str:
    return " ".join(text.replace("#}", "}").split())


def said() -> set[str]:
    helps = {about for commands in GROUPS.values() for about in abouts(commands)} | {
        about for _, about in SERVER.values()
    }
    helps |= {ABOUT, *GROUPS, "Options", "Of plug-ins", *CYCLOPTS, *options(), *keys(), *printed()}
    return {plain(text) for text in helps if text and not COMPUTED.fullmatch(text)}


def test_everything_that_is_said_has_its_chinese() -> None:
    known = {plain(english) for english in catalogue().entries}
    agents = re.compile(
        r"(?P<frame>.*(?:sample agent: |secret; or |token; or |address; or |asks for; or |page; or )).*"
    )
    lacking = {text for text in said() - known if catalogue().translate(text) == text or not agents.fullmatch(text)}
    assert sorted(lacking) == []


def test_no_chinese_is_of_something_that_nobody_says() -> None:
    own = {plain(text) for folder in SOURCES for text in strings(folder)} | said()
    exempt = "".join(found[0] for file in files() for found in OF_LIBRARIES.finditer(file.read_text("utf-8")))
    spare = [english for english in catalogue().entries if plain(english) not in own]
    assert [english for english in spare if f'msgid "{english}"' not in exempt.replace('\\"', '"')] == []


def files() -> list[Path]:
    return sorted(path for folder in SOURCES for path in folder.rglob("zh.po"))


def test_the_chinese_names_what_the_english_does() -> None:
    for english, chinese in catalogue().entries.items():
        if is_prose(english):
            names = NAMES.findall(re.sub(r"\S*\{\d+#?\}\S*", "", english))
            told = chinese + re.sub(r"\{\d+\}", "", chinese)
            lacking = {name for name in names if name.strip("`").rstrip(".") not in told} - {"NOT", "SIGNED", "COMMAND"}
            assert (english, lacking) == (english, set())
        assert re.search(r"[\u3000-\uffee]|^[\W\d]*$", chinese), english
        assert set(re.findall(r"\{\d+\}", chinese)) <= set(re.findall(r"\{\d+\}", plain(english)))


def test_what_lists_say_of_benchmarks_metrics_and_agents_is_chinese() -> None:
    agents = [AGENTS.get(name) for name in AGENTS]
    told = [load_config(name, environment={}).benchmark.description for name in builtin_benchmarks()]
    told += [str(metric) for metric in own_metrics().values()]
    told += [_first_sentence(agent) for agent in agents if agent.__module__.startswith("nav_eval")]
    assert len(told) > 60
    assert [text for text in told if not re.search("[\u4e00-\u9fff]", catalogue().translate(text))] == []


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")


@pytest.mark.usefixtures("chinese")
def test_the_help_of_a_command_is_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Titles, options, values that may be left out and those that may not."""
    make_app()(["generate", "episodes", "--help"])
    told = "".join(capsys.readouterr().out.replace("│", "").split())
    for text in (
        "用法：nav-evalgenerate",
        "─选项─",
        "/<split>.json.gz（必填）。",
        "、all；默认：all）。",
        "请保密（默认：0）。",
    ):
        assert text in told
    assert not re.search(r"\[(required|default|choices)|Parameters", told)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "nope"], "没有基准 'nope'。`nav-eval list benchmarks` 列出全部"),
        (
            ["run", "vln-demo", "evaluation.max_stepz=3"],
            "evaluation.max_stepz: 未知的键。是否指 'max_steps'？此处可用：",
        ),
        (["run", "vln-demo", "dataset.limit=abc"], "dataset.limit: 必须是整数（现在是 'abc'）。[命令行]"),
        (
            ["run", "vln-demo", "task.reference=x"],
            "task.reference: 必须是 'given', 'densified' 或 'gt'（现在是 'x'）。",
        ),
        (["run", "vln-demo", "agent_service.agent=nope"], "agents：没有 'nope'。是否指 'openpi'？可用："),
        (["run"], "不需要数据的有：goat-demo"),
        (["run", "--outt", "x"], "未知的选项：--outt。是否指 --out？用法见 `nav-eval COMMAND --help`。"),
        (["nope"], '未知的命令 "nope"。可用的命令：run'),
        (["verify"], '命令 "verify" 的参数 RUN_DIRECTORY 必须给出。'),
        (["verify", "nowhere"], "nowhere：不是运行目录（没有 manifest.json）。"),
        (["report"], "report：请给出一个运行目录"),
        (["compare", "one"], "compare 需要两个或更多运行目录。"),
        (["score", "x.json"], "score：请给出以其规则评分的基准"),
        (["score", "x.json", "--benchmark", "vln-demo"], "x.json：没有这个文件。"),
        (["run", "vln-demo", "--config", "none.yaml"], "none.yaml：没有这个配置文件。"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("chinese")
def test_a_refusal_is_chinese(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(_call, arguments, debug=False) == BAD_INPUT
    shown = capsys.readouterr().err
    assert told in shown
    assert not re.search(r"(?<![`'\"\w])(?:[a-z]+ ){3}", shown.split("dataset.limit=5")[0])


@pytest.mark.parametrize("command", [["doctor"], ["simulator", "check", "custom"], ["data", "check"]], ids=" ".join)
@pytest.mark.usefixtures("chinese")
def test_a_list_of_checks_is_chinese(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    guarded(_call, command, debug=False)
    told = re.sub(r"`[^`]*`|“[^”]*”|nav-eval .*|/\S*", "", capsys.readouterr().out)
    assert re.search("[\u4e00-\u9fff]", told)
    assert re.findall(r"(?:\b[a-z]{2,} ){2,}[a-z]{2,}", told) == []


@pytest.mark.usefixtures("chinese")
def test_what_a_scene_holds_is_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "floor.obj").write_text("v 0 0 0\nv 4 0 0\nv 0 0 4\nf 1 3 2\n", encoding="ascii")
    assert _call(["scene", "info", str(tmp_path / "floor.obj")]) == DONE
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert len(names) >= len(fields(SceneInfo)) - 1
    assert [name for name in names if not re.search("[\u4e00-\u9fff]", name)] == []


def test_no_message_holds_the_end_of_its_line() -> None:
    """In Chinese it would be lost."""
    sources = [path.read_text("utf-8") for folder in SOURCES for path in folder.rglob("*.py")]
    assert [found for source in sources for found in re.findall(r'spoken\(f?"[^"]*\\n"', source)] == []


@pytest.mark.parametrize(("command", "advice"), [("run", True), ("sweep", True), ("doctor", False)])
def test_who_is_stopped_is_told_of_resume_where_there_is_one(
    command: str, advice: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_: list[str]) -> int:
        raise KeyboardInterrupt

    assert guarded(stopped, [command], debug=False) == INTERRUPTED
    assert ("--resume" in capsys.readouterr().err) == advice


@pytest.mark.usefixtures("chinese")
def test_status_lines_are_chinese_and_paths_stay(capsys: pytest.CaptureFixture[str]) -> None:
    say("valid", "val_seen.json: 2 faults (episodes 3, scenes 1, instructions 6)", Path("valid"))
    assert capsys.readouterr().out.splitlines() == [
        "有效",
        "val_seen.json：2 处错误（回合 3，场景 1，指令 6）",
        "valid",
    ]


ENTRIES = {
    "{0}: is not open.": "{0}：没有打开。",
    "metric {0} requires {1}: add it.": "指标 {0} 需要 {1}：请加入。",
    "{0#} faults": "{0} 处错误",
    "nothing": "没有",
}


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("nothing", "没有"),
        ("  a/b: is not open.", "  a/b：没有打开。"),
        ("metric x requires nothing: add it.", "指标 x 需要 没有：请加入。"),
        ("12 faults", "12 处错误"),
        ("many faults", "many faults"),
        ("run.yaml: metric x requires y: add it. [here]", "run.yaml: 指标 x 需要 y：请加入。[here]"),
        ("2 faults\n  a: is not open.\nunknown", "2 处错误\n  a：没有打开。\nunknown"),
        ("A sentence of a stranger. Another: one.", "A sentence of a stranger. Another: one."),
    ],
)
def test_a_message_is_found_within_a_line(english: str, told: str) -> None:
    assert Catalogue(ENTRIES).translate(english) == told


@pytest.mark.parametrize(
    ("english", "told"),
    [
        (
            "a.json: episode 2: episodes[1].start_rotation: the quaternion [0, 0, 0, 3] is not of unit length",
            "a.json：回合 2：episodes[1].start_rotation：四元数 [0, 0, 0, 3] 的长度不是 1",
        ),
        (
            "a.json: episode 1: start_position: (0.00, 0.10, 0.00) is not on the navmesh of scene of_b (and 2 times "
            "more: 7, 9)",
            "a.json：回合 1：start_position：(0.00, 0.10, 0.00) 不在场景 of_b（另有 2 次：7, 9）的导航网格上",
        ),
        ("episode 2 of a: b.glb failed, agent_error: it fell", "场景 a: b.glb 的回合 2 失败，agent_error：it fell"),
        ("b minus a", "b 减 a"),
        (
            "  success  0.0000 ->  1.0000  +1.0000  p 1e-05 (3e-05 for 3 pairs) mcnemar",
            "  success  0.0000 ->  1.0000  +1.0000  p 1e-05 （3 对一并判断：3e-05）McNemar 精确检验",
        ),
        (
            "  spl  0.0 ->  0.1  +0.1  95% [+0.0, +0.2]  p 0.1 permutation",
            "  spl  0.0 ->  0.1  +0.1  95% [+0.0, +0.2]  p 0.1 配对置换检验",
        ),
        ("spl (higher is better) on 4 episodes in 1 building", "spl（越大越好），4 个回合，1 座建筑"),
    ],
)
def test_lines_of_many_parts_are_chinese(english: str, told: str) -> None:
    assert catalogue().translate(english) == told


def test_a_stranger_cannot_make_it_slow() -> None:
    """A line is at most 1,000 characters when it comes here."""
    catalogue().translate("x: y. " * 160)


@pytest.mark.parametrize(
    ("setting", "chinese"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "NAV_EVAL_LANG": "en"}, False),
        ({"LANG": "de_DE.UTF-8", "NAV_EVAL_LANG": "zh"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, False),
    ],
)
def test_the_locale_chooses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], setting: dict[str, str], chinese: bool
) -> None:
    for variable in LANGUAGE:
        monkeypatch.delenv(variable.name, raising=False)
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    make_app()(["--help"])
    told = capsys.readouterr().out
    assert ("在一个基准上评测智能体：nav-eval run" in told) == chinese
    assert ("Evaluate an agent on a benchmark: nav-eval run" in told) != chinese
