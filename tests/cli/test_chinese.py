"""The Chinese help: nothing is stale, nothing is missing, and the locale chooses it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest
from cyclopts import Parameter

from documentation.commands import evaluator_commands, server_commands
from nav_eval.cli import ABOUT, make_app
from nav_eval.cli.chinese import catalogue
from nav_eval.cli.commands import GROUPS, Command
from nav_eval.variables import LANGUAGE
from nav_eval_server.cli import COMMANDS as SERVER


def abouts(commands: Mapping[str, Command]) -> Iterator[str]:
    for command in commands.values():
        yield command.about
        yield from abouts(command.parts)


def options() -> Iterator[str]:
    """What the help says of every argument and option."""
    for _, app in (evaluator_commands() | server_commands()).values():
        for argument in app.assemble_argument_collection(
            default_parameter=Parameter(negative=()), parse_docstring=True
        ):
            yield argument.parameter.help or ""


CYCLOPTS = {"Arguments", "Parameters", "Commands", "Display this message and exit.", "Display application version."}
NAMES = re.compile(r"`[^`]+`|--[a-z-]+|[\w/]+[._=][\w./=]*\w|\b[A-Z][A-Z_]+\b|\b\d+(?:[.,]\d+)*\b(?!-D)")
"""What is the same in both languages: commands, options, keys, files, numbers."""


def test_the_catalogue_is_what_the_help_says() -> None:
    said = {about for commands in GROUPS.values() for about in abouts(commands)} | set(options())
    said |= {about for _, about in SERVER.values()}
    told = {ABOUT, *GROUPS, *said, "Options", "Of plug-ins", *CYCLOPTS}
    assert {" ".join(text.split()) for text in told} == catalogue().keys()


def test_the_chinese_names_what_the_english_does() -> None:
    for english, chinese in catalogue().items():
        lacking = [name for name in NAMES.findall(english) if name.strip("`").rstrip(".") not in chinese]
        assert (english, lacking) == (english, [])
        assert re.search(r"[\u4e00-\u9fff]", chinese), english


def test_the_help_of_a_command_is_chinese(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Titles, options, values that may be left out and those that may not."""
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")
    make_app()(["generate", "episodes", "--help"])
    told = "".join(capsys.readouterr().out.replace("│", "").split())
    for said in (
        "用法：nav-evalgenerate",
        "─选项─",
        "/<split>.json.gz（必填）。",
        "、all；默认：all）。",
        "请保密（默认：0）。",
    ):
        assert said in told
    assert not re.search(r"\[(required|default|choices)|Parameters", told)


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
