"""The Chinese help: nothing is stale, nothing is missing, and the locale chooses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from nav_eval.cli import ABOUT, make_app
from nav_eval.cli.chinese import LOCALE, ZH
from nav_eval.cli.commands import GROUPS, Command


def abouts(commands: Mapping[str, Command]) -> Iterator[str]:
    for command in commands.values():
        yield command.about
        yield from abouts(command.parts)


def test_the_catalogue_is_what_the_help_says() -> None:
    said = {about for commands in GROUPS.values() for about in abouts(commands)}
    assert {ABOUT, *GROUPS, *said, "Options", "Of plug-ins"} == ZH.keys()


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
    for name in LOCALE:
        monkeypatch.delenv(name, raising=False)
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    make_app()(["--help"])
    told = capsys.readouterr().out
    assert ("在一个基准上评测智能体: nav-eval run" in told) == chinese
    assert ("Evaluate an agent on a benchmark: nav-eval run" in told) != chinese
