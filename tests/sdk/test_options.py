"""An agent's own options, as its user meets them: in the help, on the command line, in the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nav_eval.errors import ConfigError
from nav_eval.runs.builder import agent_class
from nav_eval_sdk import VLNAgent, cli
from nav_eval_sdk.options import configured, read

AGENT = """
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nav_eval_sdk import VLNAgent
from nav_eval_sdk.options import option, read
from nav_eval_sdk.variables import Variable


@dataclass(frozen=True)
class Options:
    variable: ClassVar[Variable] = Variable("BEAM_OPTIONS", "beam", "more of them", "更多")

    beams: int = option(4, "plans that are compared", variable=Variable("BEAM_COUNT", "beam", "how many", "多少"))
    width: float | None = option(None, "metres of a beam")
    order: str = option("near", "what comes first", choices=("near", "far"))
    loud: bool = option(False, "say it aloud")

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise ValueError("--beams must be at least 1.")


class Beams(VLNAgent):
    name = "beams"
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or read(Options)

    def reset(self, episode): ...

    def act(self, observation):
        return "stop"


class Taking(Beams):
    @dataclass(frozen=True)
    class Options:
        port: int = option(1, "taken already")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "beam.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "beam", raising=False)
    return tmp_path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[VLNAgent]:
    """The agents that `serve` would have made."""
    made: list[VLNAgent] = []
    monkeypatch.setattr("nav_eval_sdk.server.serving.serve", lambda agent, **_: made.append(agent()))
    return made


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    return int(ended.value.code or 0)


def test_help_lists_them_with_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("serve", "beam:Beams", "--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "options of this agent" in shown
    assert "--beams BEAMS plans that are compared; or BEAM_COUNT; default: 4" in shown
    assert "--order {near,far}" in shown
    assert "--port" in shown
    assert run("serve", "forward", "--help") == 0
    assert "options of this agent" not in capsys.readouterr().out
    assert run("serve", "--help") == 0


def test_they_are_given_beside_those_of_the_command(served: list[VLNAgent]) -> None:
    assert run("serve", "beam:Beams", "--beams", "8", "--port", "0", "--width=1.5", "--order", "far", "--loud") == 0
    assert served[0].options == served[0].Options(8, 1.5, "far", True)  # type: ignore[attr-defined]
    assert type(served[0]).__name__ == "Beams"
    assert served[0].name == "beams"


def test_the_command_line_wins_over_the_options_variable_and_that_over_a_fields_own(
    served: list[VLNAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEAM_COUNT", "2")
    run("serve", "beam:Beams")
    monkeypatch.setenv("BEAM_OPTIONS", "--beams 3 --order 'far'")
    run("serve", "beam:Beams")
    run("serve", "beam:Beams", "--beams", "5")
    assert [(one.options.beams, one.options.order) for one in served] == [  # type: ignore[attr-defined]
        (2, "near"),
        (3, "far"),
        (5, "far"),
    ]


def test_without_a_command_line_the_environment_sets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAM_OPTIONS", "--loud --width 2")
    import beam  # type: ignore[import-not-found]

    made = configured(beam.Beams)()
    assert (made.options.loud, made.options.width, made.options.beams) == (True, 2.0, 4)
    assert read(beam.Options) == beam.Beams().options
    assert configured(int) is int


@pytest.mark.parametrize(
    ("words", "setting", "told"),
    [
        (["--beams", "0"], {}, "--beams must be at least 1."),
        (["--beams", "many"], {}, "invalid int value: 'many'"),
        (["--nope", "1"], {}, "unrecognized arguments: --nope 1"),
        ([], {"BEAM_COUNT": "x"}, "invalid int value: 'x'"),
        ([], {"BEAM_OPTIONS": "--order sideways"}, "BEAM_OPTIONS: argument --order: invalid choice: 'sideways'"),
        ([], {"BEAM_OPTIONS": "--nope"}, "BEAM_OPTIONS: unrecognized arguments: --nope"),
        ([], {"BEAM_OPTIONS": "'"}, "BEAM_OPTIONS: No closing quotation."),
    ],
    ids=str,
)
def test_a_bad_one_is_bad_input(
    words: list[str],
    setting: dict[str, str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    assert run("serve", "beam:Beams", *words) == 2
    assert told in capsys.readouterr().err


def test_one_that_the_command_has_already_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("serve", "beam:Taking") == 2
    assert "--port" in capsys.readouterr().err


def test_an_evaluation_reads_them_and_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    import beam

    from nav_eval.agents.registry import AGENTS

    monkeypatch.setattr(AGENTS, "get", lambda name: beam.Beams)
    assert agent_class("beams")().options.beams == 4
    monkeypatch.setenv("BEAM_OPTIONS", "--beams 0")
    with pytest.raises(ConfigError, match=r"--beams must be at least 1."):
        agent_class("beams")
