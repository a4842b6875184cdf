"""The reference is complete: what the code generates is on its pages, and every name that a user may write is told."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documentation import commands, configuration, reference
from nav_eval.agents.registry import AGENTS
from nav_eval.config.loader import builtin_benchmarks
from nav_eval.dataset.registry import DATASETS
from nav_eval.engine.scene.formats import SCENE_FORMATS
from nav_eval.metrics.registry import METRICS
from nav_eval.registry import Registry
from nav_eval.simulator.registry import PHYSICS, SIMULATORS
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.registry import TASKS
from nav_eval_sdk.examples import BASELINES, EXAMPLES
from nav_eval_sdk.protocol.actions import ACTIONS


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in reference.forget_environment, for the time of a test."""
    for name in [name for name in reference.os.environ if name.startswith("NAV_EVAL_")]:
        monkeypatch.delenv(name)


def text(name: str) -> str:
    return (reference.PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.stem)
def test_a_page_is_what_the_code_says(page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    assert reference.regenerated(page) == written, f"{page.name} is out of date: run `make docs` and commit it"


def parts_of(folder: Path) -> list[str]:
    pages = [page for page in reference.pages() if page.parent == folder]
    return [found["name"] for page in pages for found in reference.PART.finditer(page.read_text("utf-8"))]


def test_every_part_is_on_a_page() -> None:
    english, chinese = (
        [*parts_of(folder), *parts_of(folder.parent)] for folder in (reference.PAGES, reference.CHINESE)
    )
    assert sorted(english) == sorted(reference.GENERATED)
    assert sorted(chinese) == sorted(reference.GENERATED)


HAN, WORD = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z]{2,}")


@pytest.mark.parametrize("page", sorted(reference.CHINESE.glob("*.md")), ids=lambda page: page.stem)
def test_every_entry_of_a_chinese_page_is_chinese(page: Path) -> None:
    """The last cell of each row, each paragraph and each title, where it holds more than names; lists aside."""
    text = re.sub(r"(?ms)<!-- .*?-->|^(```+)[^\n]*\n.*?^\1 *$|^::: .*?$|^    options.*?$", "", page.read_text("utf-8"))
    lines = [re.sub(r"`[^`]*`|<span.*?</span>|\{ #.*?\}", "", line) for line in text.splitlines()]
    said = [line.rstrip("| ").rpartition("|")[2] if line.startswith("|") else line for line in lines]
    english = [line for line in said if len(WORD.findall(line)) > 3 and not HAN.search(line)]
    assert [line for line in english if not line.startswith(("- ", "  ", "### "))] == []


def builtin(registry: Registry[Any]) -> set[str]:
    """Names that come with the package; other tests register their own."""
    names = registry.names()
    decorated = {name: getattr(member, "__module__", "") for name, member in registry._members.items()}
    found = decorated | registry._lazy
    return {name for name in names if found[name].startswith(("nav_eval.", "nav_eval_extras."))}


NAMES = [
    ("metrics", builtin(METRICS) | {"goals_found"}),
    ("benchmarks", set(builtin_benchmarks())),
    ("benchmarks", builtin(TASKS)),
    ("benchmarks", set(ACTIONS)),
    ("benchmarks", builtin(AGENTS) | {*EXAMPLES, *BASELINES}),
    ("benchmarks", builtin(DATASETS)),
    ("benchmarks", builtin(SIMULATORS)),
    ("benchmarks", builtin(SCENE_FORMATS)),
    ("benchmarks", builtin(PHYSICS)),
    ("sensors", builtin(SENSORS)),
]


@pytest.mark.parametrize(("page", "names"), NAMES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_name_is_told(page: str, names: set[str]) -> None:
    written = text(page)
    assert names
    assert not {name for name in names if f"`{name}`" not in written and f"### {name} " not in written}


def test_every_metric_can_be_linked_to() -> None:
    written = text("metrics")
    anchors = set(re.findall(r'\{ #(\w+) \}|id="(\w+)"', written))
    assert {one or other for one, other in anchors} >= builtin(METRICS)


def evaluator_options() -> Iterator[tuple[str, Any]]:
    for words, (_, app) in (commands.evaluator_commands() | commands.server_commands()).items():
        for argument in app.assemble_argument_collection(parse_docstring=True):
            yield words, argument


@pytest.mark.parametrize(
    ("words", "argument"), list(evaluator_options()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_option_of_nav_eval_says_what_it_is_for(words: str, argument: Any) -> None:
    assert argument.parameter.help, f"nav-eval {words}: {argument.names} has no help"


def participant_options() -> Iterator[tuple[str, argparse.Action]]:
    for words, command in commands.participant_commands().items():
        for action in command._actions:
            yield words, action


@pytest.mark.parametrize(
    ("words", "action"), list(participant_options()), ids=lambda value: value if isinstance(value, str) else value.dest
)
def test_every_option_of_nav_eval_agent_says_what_it_is_for(words: str, action: argparse.Action) -> None:
    assert action.help, f"nav-eval-agent {words}: {action.dest} has no help"


def test_a_token_of_this_machine_is_not_shown_by_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_AGENT_TOKEN", "very-secret")
    for command in commands.participant_commands().values():
        assert "very-secret" not in command.format_help()


KEYS = [key for part in configuration.parts() for key in part.keys]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_says_what_it_means_and_in_which_unit(key: configuration.Key) -> None:
    assert key.description, f"{key.name}: add a description in nav_eval/config/schema.py"
    if any(form.get("type") == "number" for form in key.forms):
        assert key.unit, f"{key.name}: add a unit in nav_eval/config/schema.py"


def test_every_section_says_what_it_is_for() -> None:
    assert not [part.name for part in configuration.parts() if not part.about]


def test_every_key_is_told() -> None:
    written = text("configuration")
    assert len(KEYS) > 80
    assert not [key.name for key in KEYS if f"`{key.name}`" not in written]
